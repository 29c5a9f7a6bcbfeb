// Packets from where pictures are drawn to the sinks that take them.

#include "encode/packets.h"

#include "run/memory.h"
#include "run/plan.h"
#include "run/render_loop.h"
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
  PacketRecorder(Record& record, int encoders)
      : Sink({.packets = PacketStream{30, segment, encoders}, .stride = segment}), record_(record) {}

  void write(const Frame& frame) override {
    EXPECT_EQ(frame.pixels, nullptr);
    record_.packets.push_back(frame.packet->bytes);
    record_.keys.push_back(frame.packet->key);
  }
  void finish() override {}

 private:
  Record& record_;
};

class LayoutRecorder final : public Sink {
 public:
  LayoutRecorder(PixelLayout layout, int& frames) : Sink({.layout = layout}), frames_(frames) {}
  void write(const Frame& frame) override { frames_ += frame.pixels ? 1 : 0; }
  void finish() override {}

 private:
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
           int recorders = 1, int encoders = 0) {
  std::vector<Record> records(static_cast<std::size_t>(recorders));
  int frames = 0;
  std::vector<std::unique_ptr<Sink>> sinks;
  for (Record& record : records) sinks.push_back(std::make_unique<PacketRecorder>(record, encoders));
  if (beside) sinks.push_back(std::make_unique<LayoutRecorder>(*beside, frames));
  PreparedRun run(scene, plan_solver(scene), executor, std::move(sinks));
  const RenderResult result = render({.run = run});
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

// Also of runs that end within a segment, and of fewer segments than encoders.
TEST(Packets, AreTheSameForAnyNumberOfEncoders) {
  for (const int frames : {3, 10, 33}) {
    const Record one = run(scene_of(frames), Executor::cpu(2), std::nullopt, 1, 1);
    ASSERT_EQ(one.packets.size(), static_cast<std::size_t>(frames));
    for (const Executor& executor : test::executors())
      for (const int encoders : {2, 3, 8}) {
        const Record several = run(scene_of(frames), executor, std::nullopt, 1, encoders);
        EXPECT_EQ(several.packets, one.packets) << executor.name() << ", " << encoders << " encoders";
        EXPECT_EQ(several.keys, one.keys);
      }
  }
}

// Beside a sink that holds the ring's slots, which keep drawing from going ahead.
TEST(Packets, OfSeveralEncodersReachSinksBesideOthers) {
  const Record one = run(scene_of(23), Executor::cpu(2), std::nullopt, 1, 1);
  for (const Executor& executor : test::executors())
    EXPECT_EQ(run(scene_of(23), executor, PixelLayout::rgb, 2, 4).packets, one.packets) << executor.name();
}

// A stage that is left in the middle drops what is not encoded and ends.
TEST(Packets, AreDroppedWhenTheStageIsLeft) {
  const Executor executor = Executor::cpu(2);
  const Scene scene = scene_of(40);
  const SolverPlan plan = plan_solver(scene);
  Rasterizer rasterizer(executor, scene.view, draw_context(scene, plan));
  const PacketStream stream{30, segment, 3};
  constexpr std::size_t plenty = std::size_t{1} << 40;
  const std::unique_ptr<Source> source = plan.open(executor);
  rasterizer.set_layouts({PixelLayout::yuv420p});
  std::vector<std::shared_future<EncodedPacket>> packets;
  {
    PacketStage stage(executor, scene, stream, plan_packets(executor, scene, stream, plenty, plenty), true);
    for (int i = 0; i < 12; ++i) {
      rasterizer.draw(source->view(plan.field), i);
      packets.push_back(stage.encode(rasterizer, i));
    }
  }
  for (const auto& packet : packets)
    EXPECT_EQ(packet.wait_for(std::chrono::seconds(0)), std::future_status::ready) << "a packet, or none to come";
}

TEST(Packets, TakeAsManyEncodersAsSegmentsAndMemoryAllow) {
  const Executor executor = Executor::cpu(2);
  const auto plan = [&](int frames, int encoders, std::size_t free = std::size_t{1} << 40) {
    return plan_packets(executor, scene_of(frames), {30, segment, encoders}, free, free);
  };
  EXPECT_EQ(plan(100, 0).encoders, 1) << "the threads of a CPU share a picture";
  EXPECT_EQ(plan(100, 6).encoders, 6);
  EXPECT_EQ(plan(11, 6).encoders, 3);
  EXPECT_EQ(plan(5, 6).encoders, 1);
  const PacketPlan one = plan(100, 1), six = plan(100, 6);
  EXPECT_EQ(one.pictures, PacketWorker::slots);
  EXPECT_EQ(six.pictures, 5 * segment + PacketWorker::slots);
  EXPECT_GT(six.ahead, 6 * segment) << "a segment begins while one is being written";
  EXPECT_EQ(plan(100, 6, 0).encoders, 1) << "one is always there; whether it fits, check_memory says";
  const PacketPlan three = plan(100, 3);
  EXPECT_EQ(plan(100, 6, 2 * (three.executor_bytes + three.host_bytes)).encoders, 3);
  EXPECT_EQ(plan(100, 6, 2 * (three.executor_bytes + three.host_bytes) - 1).encoders, 2);
}

TEST(Packets, CountInTheMemoryOfARun) {
  const Scene scene = scene_of(7);
  const SolverPlan plan = plan_solver(scene);
  SinkNeeds with;
  with.packets = PacketStream{26, segment};
  const auto bytes = [&](const SinkNeeds& needs) {
    return render_memory(scene, plan, Executor::cpu(1), needs).executor;
  };
  EXPECT_GE(bytes(with), bytes({}) + H264Encoder::memory_bytes(scene.view.size) +
                             PacketWorker::slots * H264Encoder::slot_bytes(scene.view.size));
}

}  // namespace
}  // namespace simreel
