// Packets from where pictures are drawn to the sinks that take them.

#include "run/packets.h"

#include <gtest/gtest.h>

#include "run/loop.h"
#include "run/plan.h"
#include "source/solver.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

constexpr std::int64_t segment = 5;

struct Record {
  std::vector<std::vector<std::uint8_t>> packets;
  std::vector<bool> keys;
};

class PacketRecorder final : public Sink {
 public:
  explicit PacketRecorder(Record& record) : record_(record) {}

  std::optional<PixelLayout> layout() const override { return std::nullopt; }
  std::optional<PacketStream> packets() const override { return PacketStream{30, segment}; }
  std::int64_t stride() const override { return segment; }
  void write(const Frame& frame) override {
    EXPECT_EQ(frame.pixels, nullptr);
    record_.packets.push_back(H264Encoder::packet(frame.packet));
    record_.keys.push_back(H264Encoder::is_key(frame.packet));
  }
  void finish() override {}

 private:
  Record& record_;
};

class LayoutRecorder final : public Sink {
 public:
  LayoutRecorder(PixelLayout layout, int& frames) : layout_(layout), frames_(frames) {}
  std::optional<PixelLayout> layout() const override { return layout_; }
  void write(const Frame& frame) override { frames_ += frame.pixels ? 1 : 0; }
  void finish() override {}

 private:
  PixelLayout layout_;
  int& frames_;
};

Scene scene_of(int frames) {
  return parse_scene(
      "[solver]\nkind = \"wave\"\ngrid = [70, 34]\n[[solver.droplet]]\n[view]\nsize = [70, 34]\nrange = "
      "[-0.1, 0.1]\n[animation]\nsteps_per_frame = 3\nframes = " +
          std::to_string(frames),
      "small.toml");
}

Record run(const Scene& scene, const Executor& executor, std::optional<PixelLayout> beside = std::nullopt,
           int recorders = 1) {
  std::vector<Record> records(static_cast<std::size_t>(recorders));
  int frames = 0;
  const SolverPlan plan = plan_solver(scene);
  Rasterizer rasterizer(executor, scene.view, particle_stage(scene, plan));
  std::vector<std::unique_ptr<Sink>> sinks;
  for (Record& record : records) sinks.push_back(std::make_unique<PacketRecorder>(record));
  if (beside) sinks.push_back(std::make_unique<LayoutRecorder>(*beside, frames));
  const RenderResult result =
      render({scene, plan, executor, rasterizer, sinks, [](const RenderProgress&) {}, [] { return 0; }, false});
  EXPECT_TRUE(result.drawn);
  if (beside) {
    EXPECT_EQ(frames, scene.animation.frames);
  }
  for (const Record& record : records) EXPECT_EQ(record.packets, records[0].packets);
  return records[0];
}

TEST(Packets, AreTheSameOnEveryExecutor) {
  const Record first = run(scene_of(12), Executor::cpu(1));
  ASSERT_EQ(first.packets.size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(first.keys[i], i % segment == 0) << i;
  for (const Executor& executor : test::executors())
    EXPECT_EQ(run(scene_of(12), executor).packets, first.packets) << executor.name();
}

TEST(Packets, DoNotDependOnTheOutputsBeside) {
  const Executor executor = Executor::cpu(2);
  const Record alone = run(scene_of(7), executor);
  // One that needs no canvas of 8 bits, and one that needs the layout that is encoded.
  for (const PixelLayout layout : {PixelLayout::rgb16, PixelLayout::yuv420p, PixelLayout::rgba})
    EXPECT_EQ(run(scene_of(7), executor, layout).packets, alone.packets);
  EXPECT_EQ(run(scene_of(7), executor, std::nullopt, 3).packets, alone.packets);
}

TEST(Packets, CountInTheMemoryOfARun) {
  const Scene scene = scene_of(7);
  const SolverPlan plan = plan_solver(scene);
  SinkNeeds with;
  with.packets = PacketStream{26, segment};
  const auto bytes = [&](const SinkNeeds& needs) {
    return render_memory(scene, plan, Executor::cpu(1), needs).executor;
  };
  EXPECT_GE(bytes(with),
            bytes({}) + H264Encoder::memory_bytes(scene.view.size) + 4 * H264Encoder::slot_bytes(scene.view.size));
}

}  // namespace
}  // namespace simreel
