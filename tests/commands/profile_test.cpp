#include "commands/progress.h"

#include "tests/support/test.h"

namespace simreel {
namespace {

RenderResult result_of(double seconds, double waited, std::vector<RenderResult::SinkTime> sinks) {
  RenderResult result;
  result.seconds = seconds;
  result.stages = {{"simulate", seconds - waited}, {"wait for ring", waited}};
  result.sinks = std::move(sinks);
  return result;
}

TEST(FasterCodec, IsNamedWhereTheEncoderKeptTheRunWaiting) {
  const std::vector<std::string> outputs = {"a.mp4", "b.csv"};
  const RenderResult::SinkTime x264{3.3, {}, "h264"}, fast{0.1, {}, ""}, slow{2, {}, ""};
  EXPECT_EQ(
      faster_codec(result_of(3.4, 3.2, {x264, fast}), {100, 100}, Backend::cuda, outputs),
      "a.mp4: the run waited for h264 during 3.2 of its 3.4 s. With --set output.codec=h264_fast the GPU encodes, "
      "and it would have ended about 17 times as soon, with a larger file (see docs/outputs.md)");
  RenderResult large = result_of(3.4, 3.2, {x264, fast});
  large.frames = 400;
  EXPECT_TRUE(test::says(faster_codec(large, {2000, 1000}, Backend::cuda, outputs), "about 5.7 times"))
      << "0.2 s for the rest and 0.4 s to encode";
  EXPECT_EQ(faster_codec(result_of(3.4, 3.2, {x264, fast}), {100, 100}, Backend::cpu, outputs), "");
  EXPECT_EQ(faster_codec(result_of(3.4, 3.2, {x264, slow}), {100, 100}, Backend::cuda, outputs), "")
      << "another output is as slow";
  EXPECT_EQ(faster_codec(result_of(3.4, 1.0, {x264, fast}), {100, 100}, Backend::cuda, outputs), "")
      << "the simulation is";
  EXPECT_EQ(faster_codec(result_of(0.9, 0.8, {{0.85, {}, "h264"}}), {100, 100}, Backend::cuda, {"a.mp4"}), "")
      << "short";
  EXPECT_EQ(faster_codec(result_of(3.4, 3.2, {{3.3, {}, ""}}), {100, 100}, Backend::cuda, {"a.mp4"}), "")
      << "h264_fast itself";
  EXPECT_EQ(faster_codec(result_of(3.4, 0, {}), {100, 100}, Backend::cuda, {}), "");
}

}  // namespace
}  // namespace simreel
