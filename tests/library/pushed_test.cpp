// What a pushed video keeps when its loop has ended.

#include "library/pushed.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"
#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

TEST(PushedVideo, ItsExecutorOutlivesTheLoop) {
  const test::Folder folder;
  PushedVideo video({folder / "a.hashes"}, "[view]\nsize = [64, 48]\nrange = [0, 1]\n[animation]\nframes = 1\n",
                    {Wanted::cpu, -1, 3, false});
  const std::vector<float> values(12);
  PushedFrame frame;
  frame.field = StridedArray{reinterpret_cast<const std::byte*>(values.data()), Number::float32, 3, 4, 16, 4};
  video.write(frame);
  EXPECT_THROW(video.write(frame), UsageError);
  video.close();  // the loop's thread has gone
  const Executor& executor = video.executor();
  std::vector<int> squares(100);
  executor.run_tasks(
      100,
      [](const void* to, std::int64_t i, int) {
        static_cast<int*>(const_cast<void*>(to))[i] = static_cast<int>(i * i);
      },
      squares.data());
  EXPECT_EQ(squares[99], 9801);
  EXPECT_EQ(executor.threads(), 3);
  EXPECT_EQ(video.stream(), executor.stream());
}

}  // namespace
}  // namespace simreel
