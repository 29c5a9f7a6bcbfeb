#include "commands/profile.h"

#include <gtest/gtest.h>

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
      faster_codec(result_of(3.4, 3.2, {x264, fast}), Backend::cuda, outputs),
      "a.mp4: the run waited for h264 during 3.2 of its 3.4 s. With --set output.codec=h264_fast the GPU encodes, "
      "and it would have ended up to 17 times as soon, with a larger file (see docs/outputs.md)");
  EXPECT_EQ(faster_codec(result_of(3.4, 3.2, {x264, fast}), Backend::cpu, outputs), "");
  EXPECT_EQ(faster_codec(result_of(3.4, 3.2, {x264, slow}), Backend::cuda, outputs), "") << "another output is as slow";
  EXPECT_EQ(faster_codec(result_of(3.4, 1.0, {x264, fast}), Backend::cuda, outputs), "") << "the simulation is";
  EXPECT_EQ(faster_codec(result_of(0.9, 0.8, {{0.85, {}, "h264"}}), Backend::cuda, {"a.mp4"}), "") << "short";
  EXPECT_EQ(faster_codec(result_of(3.4, 3.2, {{3.3, {}, ""}}), Backend::cuda, {"a.mp4"}), "") << "h264_fast itself";
  EXPECT_EQ(faster_codec(result_of(3.4, 0, {}), Backend::cuda, {}), "");
}

}  // namespace
}  // namespace simreel
