#include "run/packets.h"

#include <vector>

namespace simreel {

std::size_t PacketStage::memory_bytes(Size size) {
  return H264Encoder::memory_bytes(size) + frame_bytes(size, PixelLayout::yuv420p);
}

PacketStage::PacketStage(const Executor& executor, const Scene& scene, const PacketStream& stream)
    : segment_frames_(stream.segment_frames),
      encoder_(executor, {.size = scene.view.size,
                          .fps_numerator = scene.animation.fps_numerator,
                          .fps_denominator = scene.animation.fps_denominator,
                          .quality = stream.quality}),
      planes_(executor, frame_bytes(scene.view.size, PixelLayout::yuv420p)) {}

void PacketStage::encode(const Rasterizer& rasterizer, std::int64_t frame, FrameRing::Slot& slot) {
  if (frame % segment_frames_ == 0) encoder_.reset();
  rasterizer.convert(PixelLayout::yuv420p, planes_.data());
  if (frame == 0) looks_ = watches_;
  if (looks_ && !stillness_.ended()) {
    std::vector<std::byte> pixels(planes_.size());
    planes_.download_to(pixels.data());
    stillness_.look(pixels.data(), pixels.size());
  }
  encoder_.encode(planes_.data(), false, slot.packet_target(), slot.packet_done());
}

}  // namespace simreel
