#include <fcntl.h>
#include <unistd.h>

#include "tests/support/sink_fixture.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace simreel {
namespace {

class DataTest : public SinkTest {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }  // as main does
};

std::string as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The standard output as a file descriptor of our choice while this lives.
class Redirected {
 public:
  explicit Redirected(int to) : saved_(::dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    ::dup2(to, STDOUT_FILENO);
  }
  ~Redirected() {
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

TEST_F(DataTest, Y4mIsHeaderAndPlanes) {
  info_.fps_numerator = 30000;
  info_.fps_denominator = 1001;
  write_all(path("a.y4m"), 2);
  std::string expected = "YUV4MPEG2 W64 H48 F30000:1001 Ip A1:1 C420mpeg2 XCOLORRANGE=LIMITED\n";
  for (int i = 0; i < 2; ++i) expected += "FRAME\n" + as_text(picture(info_.size, PixelLayout::yuv420p, i));
  EXPECT_EQ(contents(path("a.y4m")), expected);
  EXPECT_EQ(files(), std::vector<std::string>{"a.y4m"});
}

TEST_F(DataTest, Y4mOfAnOddPictureHasEvenSides) {
  info_.size = {17, 31};
  write_all(path("a.y4m"), 1);
  const std::string bytes = contents(path("a.y4m"));
  EXPECT_TRUE(bytes.starts_with("YUV4MPEG2 W18 H32 F30:1 "));
  EXPECT_EQ(bytes.size(), bytes.find('\n') + 1 + 6 + 18 * 32 * 3 / 2);
}

TEST_F(DataTest, PipeGetsTheSameBytesAsTheFile) {
  write_all(path("a.y4m"), 30);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::string received;
  std::thread reader([&] {
    char block[1000];
    for (ssize_t n = 0; (n = ::read(ends[0], block, sizeof block)) > 0;) received.append(block, std::size_t(n));
  });
  {
    const Redirected redirected(ends[1]);
    ::close(ends[1]);
    write_all("-", 30);
  }
  reader.join();
  ::close(ends[0]);
  EXPECT_EQ(received, contents(path("a.y4m")));
}

TEST_F(DataTest, ReaderThatGoesAwayIsAnError) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::string message;
  {
    const Redirected redirected(ends[1]);
    ::close(ends[1]);
    const auto sink = open("-");
    write_one(*sink, 0);
    ::close(ends[0]);
    message = test::thrown<RuntimeError>([&] { write_one(*sink, 1); });
  }
  EXPECT_EQ(message, "stdout: the reader closed the pipe after 1 frames");
}

TEST_F(DataTest, ReaderThatStandsStillDoesNotKeepAStopFromEndingTheRun) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  info_.size = {640, 480};  // more than a pipe takes
  std::atomic<int> asked = 0;
  info_.stop_asked = [&] { return ++asked > 1; };
  std::string message;
  {
    const Redirected redirected(ends[1]);
    ::close(ends[1]);
    message = test::thrown<RuntimeError>([&] { write_all("-", 1); });
  }
  ::close(ends[0]);
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(message.starts_with("stdout: the reader has stalled")) << message;
}

TEST_F(DataTest, FullStandardOutputIsAnError) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  std::string message;
  {
    const Redirected redirected(full);
    message = test::thrown<RuntimeError>([&] { write_all("-", 1); });
  }
  ::close(full);
  EXPECT_EQ(message, "stdout: write: No space left on device");
}

TEST_F(DataTest, CsvHasNamesAndShortestNumbers) {
  const auto sink = open(path("a.csv"));
  EXPECT_EQ(sink->traits().layout, std::nullopt);
  EXPECT_TRUE(sink->traits().diagnostics);
  const std::vector<double> rows[] = {{0, 0, 0.1}, {1000000, 1.0 / 3, -2.5e-300}, {4, 1e22, std::nextafter(1.0, 2.0)}};
  for (int i = 0; i < 3; ++i) sink->write({i, nullptr, rows[i]});
  sink->finish();
  EXPECT_EQ(contents(path("a.csv")),
            "step,time,energy\n0,0,0.1\n1000000,0.3333333333333333,-2.5e-300\n4,1e+22,1.0000000000000002\n");
  EXPECT_EQ(files(), std::vector<std::string>{"a.csv"});
}

TEST_F(DataTest, HashesAreXxh3OfTheRgbBytes) {
  info_.size = {33, 17};
  write_all(path("a.hashes"), 3);
  std::string expected;
  for (int i = 0; i < 3; ++i) {
    const auto bytes = picture(info_.size, PixelLayout::rgb, i);
    char line[64];
    std::snprintf(line, sizeof line, "%d %016llx\n", i,
                  static_cast<unsigned long long>(XXH3_64bits(bytes.data(), bytes.size())));
    expected += line;
  }
  EXPECT_EQ(contents(path("a.hashes")), expected);
}

TEST_F(DataTest, HashOfKnownBytes) {
  info_.size = {1, 1};
  const auto sink = open(path("a.hashes"));
  const std::byte black[3] = {};
  sink->write({0, black, {}});
  sink->finish();
  // `head -c 3 /dev/zero | xxhsum -H3`
  EXPECT_EQ(contents(path("a.hashes")), "0 eb5d658bb22f286b\n");
}

TEST_F(DataTest, NullTakesFramesAndLeavesNothing) {
  write_all("null:", 3);
  EXPECT_EQ(files(), std::vector<std::string>{});
}

}  // namespace
}  // namespace simreel
