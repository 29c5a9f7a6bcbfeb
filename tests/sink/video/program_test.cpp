// H.264 and H.265 by the program ffmpeg: what goes in comes out, and what stands in its way is said.

#include "sink/video/encoder.h"
#include "tests/support/decoded_video.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

class ProgramTest : public SinkTest {
 protected:
  void SetUp() override {
    ::setenv("SIMREEL_FFMPEG", find_program("ffmpeg").c_str(), 1);
    info_.size = {191, 127};
    info_.fps_numerator = 30000;
    info_.fps_denominator = 1001;
    info_.overwrite = true;
    options_.segment = 0.8;
  }
  void TearDown() override { ::unsetenv("SIMREEL_FFMPEG"); }

  std::string refusal() {
    return test::thrown([&] { write_all(path("a.mp4"), 2); });
  }
};

TEST_F(ProgramTest, FramesComeBackInOrder) {
  for (const char* codec : {"h264", "h265"})
    for (const char* name : {"a.mp4", "a.mkv"}) {
      options_.codec = codec;
      const std::string file = path(name);
      write_all(file, 50);  // two segments and a bit
      const DecodedVideo video = decode(file);
      ASSERT_EQ(video.frames.size(), 50u) << codec << name;
      EXPECT_EQ(video.width, 192);
      for (std::size_t i = 0; i < 50; ++i) {
        EXPECT_NEAR(video.times[i], double(i) * 1001 / 30000, 6e-4) << codec << name;
        const auto expected = picture(info_.size, PixelLayout::yuv420p, std::int64_t(i));
        double sum = 0;
        for (std::size_t k = 0; k < expected.size(); ++k)
          sum += std::abs(std::to_integer<int>(expected[k]) - std::to_integer<int>(video.frames[i][k]));
        EXPECT_LT(sum / double(expected.size()), 6) << codec << name << i;
      }
    }
}

TEST_F(ProgramTest, IsThatOfPythonWherePathHasNoneThatCan) {
  const std::string usual = std::getenv("PATH");
  put(path("ffmpeg"), "#!/bin/sh\necho >>\"$0.starts\"; exit 1\n");
  std::filesystem::permissions(path("ffmpeg"), std::filesystem::perms::owner_all);
  ::setenv("PATH", path(".").c_str(), 1);
  EXPECT_EQ(ffmpeg_with("libx264"), path("./ffmpeg"));
  ::setenv("SIMREEL_FFMPEG_OF_PYTHON", "/of/python", 1);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(ffmpeg_with("libx264"), "/of/python");
  EXPECT_EQ(std::filesystem::file_size(path("ffmpeg.starts")), 1u) << "the answer is remembered";
  ::setenv("PATH", usual.c_str(), 1);
  EXPECT_EQ(ffmpeg_with("libx265"), find_program("ffmpeg"));
  ::setenv("PATH", "/nowhere", 1);
  EXPECT_EQ(ffmpeg_with("libx265"), "/of/python");
  ::setenv("PATH", usual.c_str(), 1);
  ::unsetenv("SIMREEL_FFMPEG_OF_PYTHON");
}

TEST_F(ProgramTest, SaysWhatIsWrong) {
  options_.codec = "h264";
  ::setenv("SIMREEL_FFMPEG", "/nowhere/ffmpeg", 1);
  EXPECT_TRUE(test::says(refusal(),
                         "/nowhere/ffmpeg: cannot be started: No such file or directory; take codec = \"h264_fast\""));
  ::setenv("SIMREEL_FFMPEG", "/bin/false", 1);
  EXPECT_TRUE(test::says(refusal(), "/bin/false: ended before the video did"));
  ::setenv("SIMREEL_FFMPEG", find_program("ffmpeg").c_str(), 1);
  options_.options["x264-params"] = "subme=no";
  EXPECT_TRUE(test::says(refusal(), "Error parsing option 'subme = no'"));
  options_.options = {{"s", "320x200"}};
  EXPECT_TRUE(test::says(refusal(), "is not an option that a scene may give"));
}

}  // namespace
}  // namespace simreel
