// Outputs of an interrupted run are truncated and resumed.

#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

class ResumeTest : public SinkTest {
 protected:
  // A run that is killed after `frames` frames, and one that resumes from `resume` of them to the end.
  void interrupt(const std::string& target, std::int64_t frames) {
    info_.resume = 0;
    const auto sink = open(target);
    for (std::int64_t i = 0; i < frames; ++i) write_row(*sink, i);
    while (sink->safe_frames() < frames) std::this_thread::yield();
  }
  void resume(const std::string& target, std::int64_t frames) {
    info_.resume = frames;
    const auto sink = open(target);
    for (std::int64_t i = frames; i < info_.frames; ++i) write_row(*sink, i);
    sink->finish();
  }
  void write_row(Sink& sink, std::int64_t index) const {
    const auto pixels =
        sink.traits().layout ? picture(info_.size, *sink.traits().layout, index) : std::vector<std::byte>();
    const std::vector<double> row = {double(index), double(index) / 3, 1};
    sink.write({index, pixels.empty() ? nullptr : pixels.data(), row});
  }
  std::string whole(const std::string& name) {
    info_.resume = 0;
    const auto sink = open(path("whole/" + name));
    for (std::int64_t i = 0; i < info_.frames; ++i) write_row(*sink, i);
    sink->finish();
    return contents(path("whole/" + name));
  }
  const std::vector<std::string> files_ = {"a.csv", "a.hashes", "a.y4m"};
};

TEST_F(ResumeTest, TornEndsAreCutOff) {
  for (const std::string& name : files_) {
    const std::string expected = whole(name);
    interrupt(path(name), 5);
    const std::string all = contents(path(name + ".part"));
    put(path(name + ".part"), all.substr(0, all.size() - 1));
    info_.resume = 5;
    EXPECT_TRUE(test::says(usage_error({path(name)}), "does not hold the first 5 frames")) << name;
    resume(path(name), 4);
    EXPECT_EQ(contents(path(name)), expected) << name;
  }
}

// What a file system, a careless copy or a person does to an output in between: its length stays.
TEST_F(ResumeTest, DamageInTheMiddleIsFound) {
  for (const std::string& name : files_) {
    const std::string expected = whole(name);
    {
      info_.resume = 0;
      const auto sink = open(path(name));
      for (std::int64_t i = 0; i < 7; ++i) write_row(*sink, i);
      info_.checksums[path(name)] = sink->checksums(7);
    }
    ASSERT_EQ(info_.checksums[path(name)].size(), 7u) << name;
    const std::string part = path(name + ".part"), good = contents(part);
    std::size_t third = 0;
    for (std::size_t i = 0; i < 3; ++i) third += info_.checksums[path(name)][i].bytes;
    std::string bad = good;
    bad[third + 2] ^= 1;
    put(part, bad);
    for (const std::int64_t from : {5, 4}) {
      info_.resume = from;
      EXPECT_TRUE(test::says(usage_error({path(name)}), name + ": frame 3 is not what")) << name;
      EXPECT_TRUE(contents(part) == bad) << name;
    }
    resume(path(name), 3);
    EXPECT_TRUE(contents(path(name)) == expected) << name;
  }
}

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

TEST_F(ResumeTest, ADamagedPictureIsNamed) {
  {
    const auto sink = open(path("%d.png"));
    for (std::int64_t i = 0; i < 5; ++i) write_row(*sink, i);
    while (sink->safe_frames() < 5) std::this_thread::yield();
    info_.checksums[path("%d.png")] = sink->checksums(5);
  }
  info_.overwrite = true;
  info_.resume = 5;
  check_sinks({path("%d.png")}, options_, info_);
  const std::string good = contents(path("2.png"));
  for (std::string bad : {good.substr(0, good.size() - 1), good}) {
    if (bad.size() == good.size()) bad[bad.size() / 2] ^= 1;
    put(path("2.png"), bad);
    info_.resume = 5;
    const std::string error = test::thrown<MissingFrames>([&] { check_sinks({path("%d.png")}, options_, info_); });
    EXPECT_TRUE(test::says(error, "2.png: is not the file that")) << bad.size() << error;
    info_.resume = 2;
    check_sinks({path("%d.png")}, options_, info_);
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
  for (const std::string& name : files_) {
    interrupt(path(name), 5);
    const std::string before = contents(path(name + ".part"));
    info_.resume = 3;
    check_sinks({path(name)}, options_, info_);
    EXPECT_EQ(contents(path(name + ".part")), before);
    info_.resume = 6;
    EXPECT_THROW(check_sinks({path(name)}, options_, info_), UsageError);
  }
}

TEST_F(ResumeTest, PicturesThatAreThereAreLeftAlone) {
  interrupt(path("%d.png"), 5);
  const std::string third = contents(path("3.png"));
  const auto time = std::filesystem::last_write_time(path("1.png"));
  put(path("3.png"), "torn");
  put(path("4.png.part"), "torn");
  resume(path("%d.png"), 2);
  EXPECT_EQ(std::filesystem::last_write_time(path("1.png")), time);
  EXPECT_EQ(contents(path("3.png")), third);
  EXPECT_EQ(files().size(), 10u);
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
