#pragma once
// A sink that keeps what reaches it.

#include "sink/sink.h"

#include "tests/support/test.h"

namespace simreel::test {

class Recorder final : public Sink {
 public:
  struct Record {
    std::vector<std::vector<std::byte>> frames;
    std::vector<std::vector<double>> diagnostics;
    bool finished = false;
  };
  enum class Asks { pixels, diagnostics, packets };

  // The outputs of a run that are one recorder.
  static std::vector<std::unique_ptr<Sink>> into(Record& record, Size size, Asks asks = Asks::pixels) {
    std::vector<std::unique_ptr<Sink>> sinks;
    sinks.push_back(std::make_unique<Recorder>(size, record, asks));
    return sinks;
  }

  Recorder(Size size, Record& record, Asks asks = Asks::pixels)
      : Sink({.diagnostics = true}), bytes_(frame_bytes(size, PixelLayout::rgb)), record_(record) {
    if (asks == Asks::pixels) traits_.layout = PixelLayout::rgb;
    if (asks == Asks::packets) traits_.packets = PacketStream{.quality = 26, .segment_frames = 2};
  }

  void write(const Frame& frame) override {
    if (frame.pixels) record_.frames.emplace_back(frame.pixels, frame.pixels + bytes_);
    record_.diagnostics.emplace_back(frame.diagnostics.begin(), frame.diagnostics.end());
  }
  void finish() override { record_.finished = true; }

 private:
  std::size_t bytes_;
  Record& record_;
};

}  // namespace simreel::test
