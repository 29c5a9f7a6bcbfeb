// libswscale may refuse a colour matrix. No format of FFmpeg 5.1 makes it do so on the way to RGBA, so its function is
// replaced in this program.

#include <dlfcn.h>

#include "compare/comparison.h"
#include "tests/support/compare_fixture.h"
#include "tests/support/sink_fixture.h"

extern "C" {
#include <libswscale/swscale.h>
}

namespace {

bool refuses_matrices = false;

}  // namespace

extern "C" int sws_setColorspaceDetails(SwsContext* context, const int* inverse, int source_range, const int* table,
                                        int range, int brightness, int contrast, int saturation) {
  if (refuses_matrices) return -1;
  static const auto real =
      reinterpret_cast<decltype(&sws_setColorspaceDetails)>(::dlsym(RTLD_NEXT, "sws_setColorspaceDetails"));
  return real(context, inverse, source_range, table, range, brightness, contrast, saturation);
}

namespace simreel {
namespace {

class CompareColorspace : public SinkTest {};

TEST_F(CompareColorspace, VideoWhoseMatrixCannotBeSetIsRefused) {
  options_.pixel_format = "rgb";
  write_all(path("a.mkv"));
  write_all(path("b.mkv"));
  const auto error = [&] {
    return test::usage_error([&] {
      const auto pairs = open_pairs(path("a.mkv"), path("b.mkv"));
      ASSERT_TRUE(pairs->next());
      pairs->rows();
    });
  };
  EXPECT_EQ(error(), "");
  refuses_matrices = true;
  EXPECT_TRUE(test::says(error(), "cannot be converted"));
  refuses_matrices = false;
}

}  // namespace
}  // namespace simreel
