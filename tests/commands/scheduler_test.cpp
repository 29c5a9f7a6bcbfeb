// What a scheduler does to one job script with --resume=auto: time limits, signals, kills, and another start when all
// is done.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "exec/child.h"
#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::text_of;

class Scheduler : public test::SmallScene {
 protected:
  static constexpr int frames_ = 3000;

  std::vector<std::string> job(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"render",
                                      "small.toml",
                                      "-o",
                                      "x.mp4",
                                      "-o",
                                      "x.hashes",
                                      "--resume=auto",
                                      "--checkpoint-every",
                                      "20frames",
                                      "--set",
                                      fmt::format("animation.frames={}", frames_),
                                      "--set",
                                      "output.segment=0.4"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  int start(std::vector<std::string> more = {}) { return test::Child(folder_ / ".", job(std::move(more))).end(); }
  std::string told() const { return text_of(folder_ / "err.txt"); }
};

TEST_F(Scheduler, EndsWithTheBytesOfOneRun) {
  ASSERT_EQ(run(fmt::format(
                    "render small.toml -o whole.mp4 -o whole.hashes --set animation.frames={} --set output.segment=0.4",
                    frames_))
                .exit,
            0);

  EXPECT_EQ(start({"--time-limit", "0.05s"}), 5) << told();
  EXPECT_NE(told().find("ended by --time-limit after "), std::string::npos) << told();
  for (const int signal : {SIGTERM, SIGKILL}) {
    test::Child child(folder_ / ".", job());
    std::uintmax_t before = 0;  // of a file that a resumed run begins with
    ASSERT_TRUE(child.reaches([&] { return (before = size_of("x.hashes.part")) > 0; })) << told();
    ASSERT_TRUE(child.reaches([&] { return size_of("x.hashes.part") > before; })) << told();
    child.send(signal);
    EXPECT_EQ(child.end(), signal == SIGKILL ? 1000 + signal : 128 + signal) << told();
  }
  EXPECT_EQ(start({"--time-limit", "1h"}), 0) << told();
  EXPECT_EQ(text_of(folder_ / "x.hashes"), text_of(folder_ / "whole.hashes"));
  EXPECT_EQ(text_of(folder_ / "x.mp4") == text_of(folder_ / "whole.mp4"), true);
  EXPECT_EQ(start(), 0) << told();
  EXPECT_NE(told().find("nothing to do"), std::string::npos) << told();
}

// A limit in which no segment becomes whole would end each start where it began, without end.
TEST_F(Scheduler, StartsThatKeepNothingEnd) {
  int code = 5, starts = 0;
  for (double limit = 0.05; code == 5 && limit < 100; limit *= 2, ++starts)
    code = start({"--time-limit", fmt::format("{}s", limit), "--set", "animation.frames=100000", "--set",
                  "animation.fps=240", "--set", "output.segment=60"});
  EXPECT_EQ(code, 1) << told();
  EXPECT_GE(starts, 2);
  EXPECT_NE(told().find("it resumes after 0 of these frames, as it did this time, because x.mp4 can at multiples of "),
            std::string::npos)
      << told();
  EXPECT_NE(told().find("give it more time, or begin anew with a shorter output.segment"), std::string::npos) << told();
}

// H.264 by the program ffmpeg, as where x264 is not linked.
TEST_F(Scheduler, KillsAndResumesEncodingByAProgram) {
  ::setenv("SIMREEL_FFMPEG", find_program("ffmpeg").c_str(), 1);
  const std::string codec = "output.codec=\"h264\"";
  ASSERT_EQ(
      run(fmt::format("render small.toml -o whole.mp4 --set animation.frames={} --set output.segment=0.4 --set '{}'",
                      450, codec))
          .exit,
      0)
      << told();
  // Two of 19 segments at a time, on a machine of many cores, too.
  const std::vector<std::string> more = {"--set", codec, "--set", "animation.frames=450", "--encoders", "2"};
  for (const int signal : {SIGKILL, SIGTERM}) {
    test::Child child(folder_ / ".", job(more));
    const std::uintmax_t before = size_of("x.mp4.part");
    ASSERT_TRUE(child.reaches([&] { return size_of("x.mp4.part") > before + 2000; })) << told();
    child.send(signal);
    EXPECT_EQ(child.end(), signal == SIGKILL ? 1000 + signal : 128 + signal) << told();
  }
  EXPECT_EQ(start(more), 0) << told();
  EXPECT_EQ(text_of(folder_ / "x.mp4") == text_of(folder_ / "whole.mp4"), true);
  ::unsetenv("SIMREEL_FFMPEG");
}

}  // namespace
}  // namespace simreel
