// `simreel golden` where something is wrong: scenes, files, names, the standard output, an interrupt.

#include <unistd.h>

#include <algorithm>

#include "tests/support/golden_fixture.h"

namespace simreel {
namespace {

using test::contains;
using test::Outcome;
using test::scene_text;
using test::text_of;

using GoldenTrouble = test::GoldenCommand;

TEST_F(GoldenTrouble, AWrongSceneDoesNotHideTheOthers) {
  accept();
  write("g/a.toml", "[solver]\nkind = \"wavy\"\n");
  const auto before = content();
  const Outcome checked = check();
  EXPECT_EQ(checked.exit, 2);
  EXPECT_TRUE(contains(checked.out, "unreadable  a: g/a.toml:2:1: unknown solver \"wavy\"")) << checked.out;
  EXPECT_TRUE(contains(checked.out, "same        b\n")) << checked.out;
  const Outcome updated = accept();
  EXPECT_EQ(updated.exit, 2);
  EXPECT_TRUE(contains(updated.out, "0 accepted, 1 unchanged, 1 unreadable")) << updated.out;
  EXPECT_EQ(content(), before);
}

// The scenes are as they should be, so they are not "unreadable".
TEST_F(GoldenTrouble, TooManyRanksAreNotTheFaultOfAScene) {
  accept();
  const std::string words = "failed      a: --ranks 2: grids are divided at multiples of 32 rows";
  for (const Outcome& outcome : {check("--ranks 2"), run("golden update g --backend cpu --ranks 2")}) {
    EXPECT_EQ(outcome.exit, 1) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, words)) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "2 failed\n")) << outcome.out;
    EXPECT_FALSE(contains(outcome.out, "unreadable")) << outcome.out;
  }
}

TEST_F(GoldenTrouble, TooLittleMemoryIsNotTheFaultOfAScene) {
  accept();
  std::string text = text_of(folder_ / "g/a.toml");
  const std::size_t grid = text.find("grid = ");
  write("g/a.toml", text.replace(grid, text.find('\n', grid) - grid, "grid = [1000000, 1000000]"));
  const Outcome outcome = check();
  EXPECT_EQ(outcome.exit, 1) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "failed      a: ") && contains(outcome.out, "the run needs ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "1 same, 1 failed\n")) << outcome.out;
}

TEST_F(GoldenTrouble, EverySceneHasOneLine) {
  accept();
  write("g/b.toml", "");
  for (const Outcome& outcome : {check(), accept()}) {
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 3) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "unreadable  b: g/b.toml")) << outcome.out;
  }
}

TEST_F(GoldenTrouble, ADivergedSceneFailsAndCannotBeAccepted) {
  accept();
  const auto before = content();
  std::string text = scene_text("", "1e30");
  text.insert(text.find("[view]"),
              "[[solver.droplet]]\ntime = 6\namplitude = 3e38\nposition = [9, 6]\n[[solver.droplet]]\n"
              "time = 6\namplitude = 3e38\nposition = [9, 6]\n");
  write("g/a.toml", text);
  const Outcome checked = check("a");
  EXPECT_EQ(checked.exit, 4);
  EXPECT_TRUE(contains(checked.out, "the simulation diverged at step ")) << checked.out;
  EXPECT_FALSE(contains(checked.out, "accept it")) << checked.out;
  const Outcome updated = run("golden update g a");
  EXPECT_EQ(updated.exit, 1);
  EXPECT_TRUE(contains(updated.out, "nothing to accept")) << updated.out;
  for (const auto& [name, file] : before) {
    if (name != "a.toml") {
      EXPECT_EQ(text_of(folder_ / ("g/" + name)), file.first) << name;
    }
  }
}

TEST_F(GoldenTrouble, AStandardOutputThatGoesAwayIsAFailureNotACrash) {
  accept();
  // Unbuffered, so that the first line fails. A sanitizer minds what stdbuf loads before it.
  const auto to_full_disk = [&](const std::string& arguments) {
    const int status = std::system(
        fmt::format("cd '{}' && ASAN_OPTIONS=\"$ASAN_OPTIONS:verify_asan_link_order=0\" stdbuf -o0 '{}' golden {} "
                    ">/dev/full 2>err.txt",
                    folder_ / ".", test::program().string(), arguments)
            .c_str());
    EXPECT_TRUE(contains(text_of(folder_ / "err.txt"), "could not be written")) << text_of(folder_ / "err.txt");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  for (const char* threads : {"1", "2"}) {
    for (const char* what : {"check", "update"}) {
      EXPECT_EQ(to_full_disk(fmt::format("{} g --backend cpu --threads {}", what, threads)), 1) << what << threads;
    }
  }
  // What was asked for besides is written all the same.
  to_full_disk("check g --backend cpu --junit j.xml --report r.html");
  EXPECT_TRUE(contains(text_of(folder_ / "j.xml"), "tests=\"2\""));
  EXPECT_TRUE(contains(text_of(folder_ / "r.html"), "data-name=\"b\""));
  EXPECT_EQ(
      std::system(fmt::format("cd '{}' && for i in 1 2 3; do '{}' golden check g; done 2>err.txt | head -1 >out.txt",
                              folder_ / ".", test::program().string())
                      .c_str()),
      0);
  EXPECT_FALSE(contains(text_of(folder_ / "err.txt"), "terminate")) << text_of(folder_ / "err.txt");
}

TEST_F(GoldenTrouble, AnInterruptedUpdateTellsWhatItAccepted) {
  // The first scene takes minutes, so that the second is accepted before it.
  std::string endless = scene_text("frames = [0]\n");
  endless.replace(endless.find("frames = 6"), 10, "frames = 50000000");
  write("g/a.toml", endless);
  const std::string command = fmt::format(
      "cd '{}'; '{}' golden update g --backend cpu --threads 2 >out.txt & pid=$!; "
      "while kill -0 $pid && ! [ -e g/b.hashes ]; do sleep 0.05; done; kill -TERM $pid; "
      "wait $pid; echo $? >code.txt",
      folder_ / ".", test::program().string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(text_of(folder_ / "code.txt"), "143\n");
  EXPECT_EQ(text_of(folder_ / "out.txt"),
            "accepted    b: wrote b.000000.png, b.000005.png, b.hashes\ninterrupted: 1 accepted, 0 unchanged\n");
  EXPECT_FALSE(exists("g/a.hashes"));
}

TEST_F(GoldenTrouble, ANameLikeAnOptionIsAcceptedByThePrintedCommand) {
  write("g/-x.toml", scene_text());
  const Outcome missing = run("golden check --backend cpu -- g a b -x");
  EXPECT_EQ(missing.exit, 4) << missing.err;
  const std::string lead = "accept all of it: ";
  const std::size_t start = missing.out.find(lead);
  ASSERT_NE(start, std::string::npos) << missing.out;
  const std::string command =
      missing.out.substr(start + lead.size(), missing.out.find('\n', start) - start - lead.size());
  EXPECT_EQ(std::system(fmt::format("cd '{}' && {} >/dev/null", folder_ / ".", command).c_str()), 0) << command;
  EXPECT_EQ(check().exit, 0);
  EXPECT_TRUE(exists("g/-x.hashes"));
}

TEST_F(GoldenTrouble, WhatCannotBeWrittenIsAFailure) {
  accept();
  write("g/a.toml", scene_text("", "0.08"));
  std::filesystem::remove(folder_ / "g/a.hashes");
  std::filesystem::create_directory(folder_ / "g/a.hashes");
  const Outcome updated = accept();
  EXPECT_EQ(updated.exit, 1) << updated.out;
  EXPECT_TRUE(contains(updated.out, "failed      a: ")) << updated.out;
  EXPECT_TRUE(contains(updated.out, "0 accepted, 1 unchanged, 1 failed\n")) << updated.out;
}

TEST_F(GoldenTrouble, AFolderThatCannotBeWrittenIsToldBeforeAnythingIsRendered) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may write every folder";
  std::filesystem::permissions(folder_ / "g", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const Outcome updated = accept();
  std::filesystem::permissions(folder_ / "g", std::filesystem::perms::owner_all);
  EXPECT_EQ(updated.exit, 2);
  EXPECT_TRUE(contains(updated.err, "g: nothing can be accepted")) << updated.err;
  EXPECT_EQ(updated.out, "");
}

TEST_F(GoldenTrouble, HashesWithoutASceneAreNoted) {
  accept();
  std::filesystem::rename(folder_ / "g/b.toml", folder_ / "g/c.toml");
  ASSERT_EQ(run("golden update g c").exit, 0);
  const Outcome noted = check();
  EXPECT_EQ(noted.exit, 0);
  EXPECT_TRUE(contains(noted.out, "note        b.hashes belongs to no scene\n2 scenes")) << noted.out;
  EXPECT_FALSE(contains(check("a").out, "note")) << "only some scenes were asked for";
}

TEST_F(GoldenTrouble, LinksToThemselvesAreDifferencesOfTheirScene) {
  ASSERT_EQ(accept().exit, 0);
  for (const std::string name : {"a.hashes", "a.000005.png", "lost.hashes"}) {
    std::filesystem::remove(folder_ / ("g/" + name));
    std::filesystem::create_symlink(name, folder_ / ("g/" + name));
  }
  const Outcome outcome = check();
  EXPECT_EQ(outcome.exit, 4) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "different   a: g/a.hashes: cannot be read: Too many levels")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "same        b\n")) << outcome.out;
}

TEST_F(GoldenTrouble, AFolderCalledLikeAStillIsLeftAlone) {
  accept();
  std::filesystem::create_directory(folder_ / "g/a.000003.png");
  EXPECT_FALSE(contains(check().out, "stale"));
  EXPECT_EQ(accept().exit, 0);
  EXPECT_TRUE(exists("g/a.000003.png"));
}

}  // namespace
}  // namespace simreel
