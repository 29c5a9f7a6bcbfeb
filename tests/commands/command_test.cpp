// Help and manual name every output; and what needs a machine of its own. tests/messages/runs.txt has the rest.

#include <fmt/format.h>

#include "sink/outputs.h"
#include "sink/video/video.h"
#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::Outcome, test::text_of;

using Commands = test::SmallScene;

TEST_F(Commands, HelpNamesEveryOutputAndEveryVideo) {
  const std::string render = run("render --help").out, compare = run("compare --help").out;
  for (const SinkKind& kind : sink_kinds()) {
    EXPECT_TRUE(test::says(render, fmt::format(" {}", kind.pattern))) << kind.pattern;
    if (kind.content == Content::video && !kind.extension().empty()) {
      EXPECT_TRUE(test::says(compare, kind.extension())) << kind.pattern;
    }
  }
}

TEST_F(Commands, TheManualHasARowForEach) {
  if (!std::filesystem::exists(test::root() / "README.md")) GTEST_SKIP() << "a bundle has no documents";
  const std::string manual = text_of((test::root() / "docs/commands.md").string()), help = run("--help").out;
  std::istringstream commands(help.substr(help.find("Subcommands:\n")));
  std::string line;
  std::getline(commands, line);
  int count = 0;
  while (std::getline(commands, line) && line.starts_with("  ")) {
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    const char* const place = name == "help" ? "\n`simreel {}" : "\n| `simreel {}";
    EXPECT_TRUE(test::says(manual, fmt::format(fmt::runtime(place), name))) << name;
    ++count;
  }
  EXPECT_GE(count, 13);
}

TEST_F(Commands, StartsWithoutProc) {
  if (test::sanitized()) GTEST_SKIP() << "a sanitizer opens files of its own";  // in /proc
  if (std::system("unshare -m umount -l /proc 2>/dev/null") != 0) GTEST_SKIP() << "/proc cannot be hidden here";
  const std::string command = fmt::format(
      "cd '{}' && unshare -m sh -c 'umount -l /proc && \"$0\" render small.toml -o a.mp4 -o a.hashes' '{}' 2>err.txt",
      folder_ / ".", test::program().string());
  EXPECT_EQ(std::system(command.c_str()), 0) << text_of(folder_ / "err.txt");
  ASSERT_EQ(run("render small.toml -o b.mp4 -o b.hashes").exit, 0);
  EXPECT_EQ(text_of(folder_ / "a.hashes"), text_of(folder_ / "b.hashes"));
  EXPECT_TRUE(text_of(folder_ / "a.mp4") == text_of(folder_ / "b.mp4"));
}

TEST_F(Commands, SelftestFailsWhereTheUsualCodecDoesAndTellsWhichOthersLack) {
  write("ffmpeg", "#!/bin/sh\necho Unknown encoder >&2\nexit 1\n");
  std::filesystem::permissions(folder_ / "ffmpeg", std::filesystem::perms::owner_all);
  const std::string program = folder_ / "ffmpeg";
  ::setenv("SIMREEL_FFMPEG", program.c_str(), 1);
  const Outcome outcome = run("selftest");
  ::unsetenv("SIMREEL_FFMPEG");
  const bool usual = default_codec() == "h264";
  EXPECT_EQ(outcome.exit, usual ? 1 : 0) << outcome.out;
  for (const std::string& start :
       {std::string(usual ? "\nh264               FAILED  " : "\nh264               not available: "),
        std::string("\nh265               not available: ")})
    EXPECT_TRUE(test::says(outcome.out, start)) << start << " in " << outcome.out;
  EXPECT_TRUE(test::says(outcome.out,
                         "Unknown encoder; take codec = \"h264_fast\", or another ffmpeg with SIMREEL_FFMPEG=PATH\n"));
}

TEST_F(Commands, SelftestNeedsRoom) {
  if (std::system("unshare -m mount -t tmpfs tmpfs /mnt 2>/dev/null") != 0)
    GTEST_SKIP() << "mounting a small tmpfs is not permitted here";
  const std::string command = fmt::format(
      "unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs \"$1\" && TMPDIR=$1 \"$0\" selftest' '{}' '{}' >'{}'",
      test::program().string(), folder_ / ".", folder_ / "out.txt");
  EXPECT_NE(std::system(command.c_str()), 0);
  EXPECT_TRUE(test::says(text_of(folder_ / "out.txt"),
                         "so no output was tried; set TMPDIR to a folder with room\n1 of these failed\n"));
}

}  // namespace
}  // namespace simreel
