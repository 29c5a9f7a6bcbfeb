// What videos are left with when a run fails or is killed.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/decoded_video.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

class CrashTest : public SinkTest {};

TEST_F(CrashTest, NothingStaysWithoutAFrame) {
  for (const std::string name : {"new/folder/a.mp4", "new/c.mkv"}) {
    open(path(name));
    EXPECT_EQ(files(), std::vector<std::string>{}) << name;
    open(path(name))->finish();
    EXPECT_EQ(files(), std::vector<std::string>{}) << name;
  }
}

// Containers often limit the number of processes, which counts threads.
TEST_F(CrashTest, NoThreadForAnEncoderIsAnErrorThatKeepsThePart) {
  info_.fps_numerator = 12;
  options_.segment = 1;
  info_.encoders = 1;
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(77);  // the limit is none for root
    const auto sink = open(path("a.mp4"));
    try {
      for (int i = 0; i < 1000; ++i) {
        write_one(*sink, i);
        if (i != 11) continue;  // the first segment is at work, the second not yet
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_NPROC, &none);
      }
    } catch (const RuntimeError& error) {
      const std::string words = error.what();
      const bool good = words.find("a.mp4.part holds 12 frames") != std::string::npos;
      ::_exit(good && words.find("a thread for an encoder: ") != std::string::npos ? 0 : 1);
    }
    ::_exit(2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "cannot become another user here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace simreel
