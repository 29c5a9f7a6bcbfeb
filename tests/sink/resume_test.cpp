// What an output knows of an interrupted run. tests/run/resume_test.cpp and extend_test.cpp resume every output.

#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

class ResumeTest : public SinkTest {
 protected:
  // A run that is killed after `frames` frames.
  void interrupt(const std::string& target, std::int64_t frames) {
    info_.resume = 0;
    const auto sink = open(target);
    for (std::int64_t i = 0; i < frames; ++i) write_row(*sink, i);
    while (sink->safe_frames() < frames) std::this_thread::yield();
  }
  void write_row(Sink& sink, std::int64_t index) const {
    const auto pixels =
        sink.traits().layout ? picture(info_.size, *sink.traits().layout, index) : std::vector<std::byte>();
    const std::vector<double> row = {double(index), double(index) / 3, 1};
    sink.write({index, pixels.empty() ? nullptr : pixels.data(), row});
  }
};

TEST_F(ResumeTest, ChecksumsGoOnFromThoseBefore) {
  for (const std::string name : {"a.csv", "a.hashes", "a.y4m", "%d.png"}) {
    info_.resume = 0;
    info_.overwrite = true;
    std::vector<Checksum> all;
    {
      const auto sink = open(path(name));
      for (std::int64_t i = 0; i < 10; ++i) write_row(*sink, i);
      sink->finish();
      all = sink->checksums(10);
    }
    info_.checksums[path(name)] = all;
    info_.resume = 4;
    const auto sink = open(path(name));
    for (std::int64_t i = 4; i < 10; ++i) write_row(*sink, i);
    sink->finish();
    EXPECT_EQ(sink->checksums(10), all) << name;
    EXPECT_TRUE(std::ranges::all_of(all, [](const Checksum& sum) { return sum.bytes > 0; })) << name;
  }
}

TEST_F(ResumeTest, WhatACompleteRunLacksIsNamed) {
  const auto missing = [&] {
    return find_incomplete_output({path("a.csv"), path("%d.png"), path("b.png")}, options_, info_);
  };
  EXPECT_TRUE(test::says(missing(), "a.csv: is not there"));
  for (const std::string name : {"a.csv", "%d.png", "b.png"}) {
    const auto sink = open(path(name));
    for (std::int64_t i = 0; i < 10; ++i) write_row(*sink, i);
    sink->finish();
  }
  EXPECT_EQ(missing(), "");
  info_.frames = 9;
  EXPECT_TRUE(test::says(missing(), "a.csv: holds more than the 9 frames"));
  info_.frames = 11;
  EXPECT_TRUE(test::says(missing(), "a.csv: does not hold the first 11 frames"));
  info_.frames = 10;
  std::filesystem::remove(path("7.png"));
  EXPECT_TRUE(test::says(missing(), "7.png: is not there"));
  put(path("b.png.part"), "x");
  EXPECT_TRUE(test::says(missing(), "b.png.part: is not finished"));
}

TEST_F(ResumeTest, TrialTouchesNothing) {
  for (const std::string name : {"a.csv", "a.hashes", "a.y4m"}) {
    interrupt(path(name), 5);
    const std::string before = contents(path(name + ".part"));
    info_.resume = 3;
    check_sinks({path(name)}, options_, info_);
    EXPECT_EQ(contents(path(name + ".part")), before);
    info_.resume = 6;
    EXPECT_THROW(check_sinks({path(name)}, options_, info_), UsageError);
  }
}

TEST_F(ResumeTest, StridesAndSafeFrames) {
  for (const std::string name : {"a.csv", "a.hashes", "a.y4m", "%d.png"}) {
    const auto sink = open(path(name));
    EXPECT_EQ(sink->traits().stride, 1) << name;
    EXPECT_EQ(sink->safe_frames(), 0) << name;
    write_row(*sink, 0);
    write_row(*sink, 1);
    sink->finish();
    EXPECT_EQ(sink->safe_frames(), 2) << name;
  }
  EXPECT_GT(open("null:")->safe_frames(), 1'000'000'000);
  EXPECT_GT(open(path("a.png"))->safe_frames(), 1'000'000'000);
}

}  // namespace
}  // namespace simreel
