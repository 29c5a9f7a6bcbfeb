// Runs that signals, lost files, full limits and divergence end: exit codes, messages and what the files hold then.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::Outcome;
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

// The user hears at once what a resumed run would draw again.
TEST_F(EndedRuns, AStoppedRunSaysWhereItWouldGoOn) {
  test::Child child(folder_ / ".", {"render", "small.toml", "-o", "long.hashes", "-o", "long.mp4", "--set",
                                    "animation.frames=100000000", "--set", "output.segment=60", "--set",
                                    "animation.fps=1000", "--set", "solver.grid=[256, 256]"});
  ASSERT_TRUE(child.reaches([&] { return size_of("long.hashes.part") > 0; })) << text_of(folder_ / "err.txt");
  child.send(SIGINT);
  EXPECT_EQ(child.end(), 128 + SIGINT);
  const std::string told = text_of(folder_ / "err.txt");
  EXPECT_NE(
      told.find("--resume: it resumes after 0 of these frames, because long.mp4 can at multiples of 60000 only; a "
                "shorter output.segment loses less"),
      std::string::npos)
      << told;
}

TEST_F(EndedRuns, AFileThatIsTakenAwayEndsTheRun) {
  test::Child child(folder_ / ".", {"render", "small.toml", "-o", "x.mp4", "--set", "animation.frames=3000", "--set",
                                    "output.segment=0.2"});
  ASSERT_TRUE(child.reaches([&] { return size_of("x.mp4.part") > 5000; })) << text_of(folder_ / "err.txt");
  child.stop();
  std::filesystem::remove(folder_ / "x.mp4.part");
  child.send(SIGCONT);
  EXPECT_EQ(child.end(), 1);
  const std::string told = text_of(folder_ / "err.txt");
  EXPECT_NE(told.find("x.mp4.part: another program removed or replaced this file during the run; no frame"),
            std::string::npos)
      << told;
  EXPECT_EQ(told.find("plays as it is"), std::string::npos) << told;
}

// Not only videos, which have segments: the next checkpoint looks.
TEST_F(EndedRuns, AFileOfAnyKindThatIsRemovedEndsTheRun) {
  for (const char* name : {"x.csv", "x.hashes", "x.y4m", "x.png", "x.npz", "x.pdf"}) {
    test::Child child(folder_ / ".", {"render", "small.toml", "-o", name, "--set", "animation.frames=1000000",
                                      "--checkpoint-every", "3frames", "--progress", "plain"});
    const std::string part = std::string(name) + ".part";
    ASSERT_TRUE(child.reaches([&] { return exists(part) && size_of("err.txt") > 0; })) << text_of(folder_ / "err.txt");
    std::filesystem::remove(folder_ / part);
    EXPECT_EQ(child.end(), 1) << name;
    const std::string told = text_of(folder_ / "err.txt");
    EXPECT_NE(told.find(part + ": another program removed or replaced this file during the run"), std::string::npos)
        << told;
    EXPECT_FALSE(exists(name)) << name;
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

// Without being heard the first of these would take hours, and the second days.
TEST_F(EndedRuns, SignalsEndAWaitBeforeTheFirstFrame) {
  for (const char* wait : {"animation.start=1000000000000", "view.range=global"}) {
    test::Child child(folder_ / ".", {"render", "small.toml", "-o", "x.mp4", "--set", "animation.frames=1000000000",
                                      "--set", wait, "--overwrite", "--progress", "plain"});
    ASSERT_TRUE(child.reaches([&] { return size_of("err.txt") > 0; })) << wait;  // it says how far it is
    child.send(SIGTERM);
    EXPECT_EQ(child.end(), 128 + SIGTERM) << wait << text_of(folder_ / "err.txt");
    EXPECT_FALSE(exists("x.mp4"));
    EXPECT_FALSE(exists("x.mp4.part"));
    EXPECT_NE(text_of(folder_ / "err.txt").find("; nothing was written"), std::string::npos) << wait;
  }
}

// The reader has taken what a pipe holds and stands still.
TEST_F(EndedRuns, SignalsEndARunWhoseReaderStandsStill) {
  write("stand_still.sh", fmt::format("mkfifo pipe\n"
                                      "'{}' render small.toml -o - -o a.csv --set animation.frames=100000000 "
                                      "--set view.size=[640,360] >pipe 2>err.txt &\n"
                                      "exec 3<pipe\n"
                                      "head -c 9 <&3 >head.txt\n"
                                      "kill -TERM $!\n"
                                      "wait $!\n"
                                      "echo $? >exit.txt\n",
                                      test::program().string()));
  ASSERT_EQ(std::system(fmt::format("cd '{}' && sh stand_still.sh", folder_ / ".").c_str()), 0);
  EXPECT_EQ(text_of(folder_ / "head.txt"), "YUV4MPEG2");
  EXPECT_EQ(text_of(folder_ / "exit.txt"), "1\n");
  EXPECT_NE(text_of(folder_ / "err.txt").find("stdout: the reader has stalled"), std::string::npos);
  EXPECT_TRUE(exists("a.csv"));
}

TEST_F(EndedRuns, DivergenceEndsWithThreeAndAFinishedFile) {
  const Outcome outcome =
      run("render small.toml -o x.mp4 -o x.hashes --set animation.frames=50 --set solver.timestep=0.5 --set "
          "'solver.droplet=[{amplitude=1e30},{time=20,amplitude=3e38}]'");
  EXPECT_EQ(outcome.exit, 3) << outcome.err;
  EXPECT_TRUE(exists("x.mp4"));
  const std::string hashes = text_of(folder_ / "x.hashes");
  EXPECT_EQ(std::ranges::count(hashes, '\n'), 11);  // frames at steps 0 to 40, where the second droplet falls
  EXPECT_NE(outcome.err.find("step 44"), std::string::npos) << outcome.err;
}

TEST_F(EndedRuns, DivergenceTellsItsCauseWhereThatIsKnown) {
  write("close.csv", "x,y,z,vx,vy,vz,mass\n0,0,0,0,0,0,1\n1e-9,0,0,0,0,0,1\n1,0,0,0,0,0,1\n");
  write("close.toml",
        "[solver]\nkind = \"nbody\"\ninitial = \"file\"\nfile = \"close.csv\"\nsoftening = 0\ntimestep = "
        "0.001\nprecision = \"exact\"\n");
  const Outcome outcome = run("render close.toml -o x.csv");
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("at step 0 (frame 0) two bodies came so close"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("give them more softening"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace simreel
