#pragma once
// A sink that keeps what reaches it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sink/sink.h"

namespace simreel::test {

class Recorder final : public Sink {
 public:
  struct Record {
    std::vector<std::vector<std::byte>> frames;
    std::vector<std::vector<double>> diagnostics;
    bool finished = false;
  };
  enum class Asks { pixels, diagnostics, packets };

  Recorder(Size size, Record& record, Asks asks = Asks::pixels)
      : bytes_(frame_bytes(size, PixelLayout::rgb)),
        record_(record),
        pixels_(asks == Asks::pixels),
        packets_(asks == Asks::packets) {}

  std::optional<PixelLayout> layout() const override {
    return pixels_ ? std::optional(PixelLayout::rgb) : std::nullopt;
  }
  std::optional<PacketStream> packets() const override {
    return packets_ ? std::optional(PacketStream{.quality = 26, .segment_frames = 2}) : std::nullopt;
  }
  std::size_t memory_bytes() const override { return 0; }
  bool wants_diagnostics() const override { return true; }
  void write(const Frame& frame) override {
    if (pixels_) record_.frames.emplace_back(frame.pixels, frame.pixels + bytes_);
    record_.diagnostics.emplace_back(frame.diagnostics.begin(), frame.diagnostics.end());
  }
  void finish() override { record_.finished = true; }

 private:
  std::size_t bytes_;
  Record& record_;
  bool pixels_, packets_;
};

}  // namespace simreel::test
