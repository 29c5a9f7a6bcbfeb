// What videos are left with when a run fails or is killed.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/decoded_video.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

class CrashTest : public SinkTest {
 protected:
  // An MP4 is a row of boxes, each with its size in front; some players refuse a file that ends within one.
  static void expect_whole_boxes(const std::string& bytes) {
    std::size_t at = 0;
    while (at + 8 <= bytes.size()) {
      std::size_t size = 0;
      for (std::size_t i = at; i < at + 4; ++i) size = size << 8 | static_cast<unsigned char>(bytes[i]);
      ASSERT_GE(size, 8u);
      at += size;
    }
    EXPECT_EQ(at, bytes.size());
  }

  void SetUp() override { av_log_set_level(AV_LOG_QUIET); }
};

TEST_F(CrashTest, UnfinishedFilesStayAsPartAndPlay) {
  for (const std::string name : {"a.mp4", "b.mov", "c.mkv"}) {
    {
      const auto sink = open(path(name));
      for (int i = 0; i < 40; ++i) write_one(*sink, i);
    }
    EXPECT_FALSE(std::filesystem::exists(path(name)));
    EXPECT_EQ(decode(path(name + ".part")).frames.size(), 40u) << name;
  }
}

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

TEST_F(CrashTest, FileThatMayNotGrowKeepsAPlayablePart) {
  info_.size = {640, 480};
  info_.fps_numerator = 3;
  options_.segment = 1;
  std::uint32_t state = 1;
  std::vector<std::byte> noise(frame_bytes(info_.size, PixelLayout::bgr0));
  for (const std::string name : {"a.mp4", "a.mkv"}) {
    std::string message;
    {
      const FileSizeLimit limit(3 << 20);
      const auto sink = open(path(name));
      try {
        for (int i = 0; i < 200; ++i) {
          for (auto& byte : noise) byte = std::byte((state = state * 1664525 + 1013904223) >> 24);
          sink->write({i, noise.data(), {}});
        }
      } catch (const RuntimeError& error) {
        message = error.what();
      }
    }
    EXPECT_NE(message.find("File too large"), std::string::npos) << message;
    const std::size_t frames = decode(path(name + ".part")).frames.size();
    EXPECT_GT(frames, 0u) << name;
    EXPECT_NE(message.find(name + ".part holds " + std::to_string(frames) + " frames"), std::string::npos) << message;
    EXPECT_FALSE(std::filesystem::exists(path(name)));
    if (name == "a.mp4") expect_whole_boxes(contents(path("a.mp4.part")));
  }
}

}  // namespace
}  // namespace simreel
