// Runs that signals and a lack of threads end. tests/messages/ended.txt has the rest.

#include <fmt/format.h>

#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::text_of;
using EndedRuns = test::SmallScene;

TEST_F(EndedRuns, SignalsEndTheRunWithCompleteFiles) {
  // Programs such as timeout(1) send two signals at once. Both wait while the process is stopped; any may be heard
  // first.
  for (const std::vector<int>& signals : {std::vector{SIGINT}, {SIGTERM}, {SIGHUP}, {SIGINT, SIGTERM}}) {
    test::Child child(folder_ / ".", {"render", "small.toml", "-o", "long.hashes", "-o", "long.mp4", "--overwrite",
                                      "--set", "animation.frames=100000000"});
    ASSERT_TRUE(child.reaches([&] { return size_of("long.hashes.part") > 0; })) << text_of(folder_ / "err.txt");
    child.stop();
    for (const int signal : signals) child.send(signal);
    child.send(SIGCONT);
    const int exit = child.end();
    EXPECT_TRUE(std::ranges::find(signals, exit - 128) != signals.end()) << exit;
    const std::string hashes = text_of(folder_ / "long.hashes");
    ASSERT_GT(hashes.size(), 0u) << text_of(folder_ / "err.txt");
    EXPECT_EQ(hashes.back(), '\n');
    EXPECT_TRUE(exists("long.mp4"));
    EXPECT_FALSE(exists("long.mp4.part"));
    std::filesystem::remove(folder_ / "long.hashes");
  }
}

// `ulimit -u`: x264 gets no threads, which is not the fault of the scene.
TEST_F(EndedRuns, ALackOfThreadsIsNotTheFaultOfTheScene) {
  const bool root = ::geteuid() == 0;
  if (root && !test::installed("setpriv")) GTEST_SKIP() << "root has any number of threads";
  std::filesystem::permissions(folder_ / ".", std::filesystem::perms::all);
  const std::string run =
      fmt::format("cd '{}' && {} bash -c \"ulimit -u 1; exec '{}' check small.toml -o x.mp4 --backend cpu\" 2>err.txt",
                  folder_ / ".", root ? "setpriv --reuid=54321 --clear-groups" : "", test::program().string());
  const int status = std::system(run.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) > 125) GTEST_SKIP() << "another user may not run the program";
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(text_of(folder_ / "err.txt").find("small.toml:"), std::string::npos) << text_of(folder_ / "err.txt");
}

}  // namespace
}  // namespace simreel
