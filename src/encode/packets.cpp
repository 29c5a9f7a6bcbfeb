#include "encode/packets.h"

#include <xxhash.h>

#include <algorithm>

namespace simreel {

void Stillness::look(const std::byte* pixels, std::size_t bytes) {
  ++frames_;
  if (ended_) return;
  const std::uint64_t hash = XXH3_64bits(pixels, bytes);
  if (!first_) first_ = hash;
  ended_ = hash != *first_;
}

namespace {

// More give little (docs/design/h264.md). The threads of a CPU share a picture, so that one encoder keeps them busy.
int usual_encoders(Backend backend) { return backend == Backend::cuda ? 4 : 1; }

// Threads that code packets. With a GPU they leave an eighth of the cores to the threads that feed it: where all
// cores code, those wake up late, and the GPU waits for them.
int coding_threads(const Executor& executor) {
  const int cores = executor.threads();
  return executor.backend() == Backend::cuda ? std::max(1, cores * 7 / 8) : cores;
}

constexpr std::size_t max_waiting = std::size_t{3} << 30;  // bytes of pictures, which a signal waits for, too

}  // namespace

PacketPlan plan_packets(const Executor& executor, const Scene& scene, const PacketStream& stream,
                        std::size_t executor_free, std::size_t host_free) {
  const Size size = scene.view.size;
  const std::int64_t frames = scene.animation.pictures(), length = stream.segment_frames;
  const std::size_t picture = frame_bytes(size, PixelLayout::yuv420p);
  const auto plan_for = [&](int encoders) {
    PacketPlan plan;
    plan.encoders = encoders;
    plan.pictures = std::min(frames, (encoders - 1) * length + PacketWorker::slots);
    // One segment more than are encoded: the sinks write it meanwhile.
    plan.ahead = encoders == 1 ? 2 * PacketWorker::slots : (encoders + 1) * length;
    const auto count = static_cast<std::size_t>(encoders),
               coded = 3 * static_cast<std::size_t>(coding_threads(executor));
    plan.executor_bytes = count * H264Encoder::memory_bytes(size) + static_cast<std::size_t>(plan.pictures) * picture;
    // Noise compresses to between a quarter and a half of its size, other pictures to much less.
    plan.host_bytes = count * PacketWorker::slots * H264Encoder::slot_bytes(size) +
                      (static_cast<std::size_t>(std::min(frames, plan.ahead)) + coded) * (picture / 2);
    return plan;
  };
  const auto fits = [&](const PacketPlan& plan) {
    if (static_cast<std::size_t>(plan.pictures) * picture > max_waiting) return false;
    if (executor.backend() == Backend::cpu) return plan.executor_bytes + plan.host_bytes <= executor_free / 2;
    return plan.executor_bytes <= executor_free / 2 && plan.host_bytes <= host_free / 2;
  };
  const int wanted = stream.encoders > 0 ? stream.encoders : usual_encoders(executor.backend());
  const std::int64_t segments = frames / length + (frames % length > 0);
  PacketPlan plan =
      plan_for(static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, segments))));
  while (plan.encoders > 1 && !fits(plan)) plan = plan_for(plan.encoders - 1);
  return plan;
}

PacketStage::PacketStage(const Executor& executor, const Scene& scene, const PacketStream& stream,
                         const PacketPlan& plan, bool alone)
    : executor_(executor),
      options_{.size = scene.view.size,
               .fps_numerator = scene.animation.fps_numerator,
               .fps_denominator = scene.animation.fps_denominator,
               .quality = stream.quality,
               .graphs = alone},
      segment_frames_(stream.segment_frames),
      plan_(plan),
      store_(executor, frame_bytes(scene.view.size, PixelLayout::yuv420p), plan.pictures),
      coder_(coding_threads(executor)) {}

std::shared_future<EncodedPacket> PacketStage::encode(const Rasterizer& rasterizer, std::int64_t frame) {
  const bool first = frame % segment_frames_ == 0;
  if (first || !worker_) worker_ = &choose_worker();
  PictureStore::Picture& picture = store_.acquire();
  rasterizer.convert(PixelLayout::yuv420p, picture.planes);
  executor_.record(picture.drawn);
  if (frame == 0) looks_ = watches_;
  if (looks_ && !stillness_.ended()) {
    std::vector<std::byte> pixels(store_.bytes());
    executor_.copy(pixels.data(), picture.planes, pixels.size());
    stillness_.look(pixels.data(), pixels.size());
  }
  return worker_->encode(picture, first);
}

void PacketStage::wait() {
  for (const auto& worker : workers_) worker->wait();
  coder_.wait();
}

// The one with the least to do; one more if that has not nearly finished and there is memory.
PacketWorker& PacketStage::choose_worker() {
  const auto min = std::ranges::min_element(workers_, {}, [](const auto& worker) { return worker->waiting(); });
  const auto may_begin = [&] {  // what was free when the run was planned may be taken by others by now
    return static_cast<int>(workers_.size()) < plan_.encoders &&
           executor_.memory_available() / 2 >= H264Encoder::memory_bytes(options_.size);
  };
  if (min != workers_.end() && ((*min)->waiting() <= PacketWorker::slots || !may_begin())) return **min;
  const int threads = std::max(1, executor_.threads() / plan_.encoders);
  return *workers_.emplace_back(std::make_unique<PacketWorker>(executor_, threads, options_, store_, coder_));
}

}  // namespace simreel
