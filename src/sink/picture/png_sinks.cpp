#include "sink/picture/png_sinks.h"
#include "sink/picture/png_encode.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <vector>

#include "files/part_file.h"
#include "files/pattern.h"
#include "sink/sequence.h"
#include "sink/workers.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

PixelLayout layout_for(const OutputOptions& options, const StreamInfo& info) {
  if (options.depth == 16) return info.alpha ? PixelLayout::rgba16 : PixelLayout::rgb16;
  return info.alpha ? PixelLayout::rgba : PixelLayout::rgb;
}

// Memory in addition to the pixels: the filtered rows and the file. Measured with noise, the worst case.
std::size_t encoding_bytes(Size size, PixelLayout layout) { return 2 * frame_bytes(size, layout); }

class PngSequence : public Sink {
 public:
  PngSequence(const std::string& target, PixelLayout layout, const StreamInfo& info, Opening opening)
      : Sink({.layout = layout}),
        size_(info.size),
        layout_(layout),
        tags_(origin_tags(info)),
        dpi_(info.dpi),
        sequence_(target, info, opening, "picture"),
        workers_(opening == Opening::real ? Workers::count() : 0) {
    const std::size_t frame = frame_bytes(size_, layout_);  // arriving, queued, encoding
    traits_.cores = static_cast<double>(Workers::count());
    traits_.memory_bytes = frame + Workers::count() * (2 * frame + encoding_bytes(size_, layout_));
  }
  std::int64_t safe_frames() const override { return sequence_.safe_frames(); }
  void sync() const override { sequence_.sync(); }
  std::vector<Checksum> checksums(std::int64_t frames) const override { return sequence_.checksums(frames); }

  void write(const Frame& frame) override {
    std::vector<std::byte> pixels(frame.pixels, frame.pixels + frame_bytes(size_, layout_));
    Workers::Job job = [this, index = frame.index, pixels = std::move(pixels)] {
      const auto start = Clock::now();
      const std::string png = encode_png(size_, layout_, pixels.data(), tags_, dpi_);
      const auto encoded = Clock::now();
      const auto file = sequence_.open(index);
      file->write(png);
      sequence_.commit(index, *file);
      encode_time_ += (encoded - start).count();
      write_time_ += (Clock::now() - encoded).count();
    };
    sequence_.count_on_error([&] { workers_.add(std::move(job)); });
  }

  void finish() override {
    sequence_.count_on_error([&] {
      workers_.finish();
      sequence_.finish();
    });
  }

  Times times() const override {
    const auto seconds = [](Clock::rep count) { return std::chrono::duration<double>(Clock::duration(count)).count(); };
    return {seconds(encode_time_), seconds(write_time_)};
  }

 private:
  Size size_;
  PixelLayout layout_;
  Tags tags_;
  double dpi_;
  Sequence sequence_;
  std::atomic<Clock::rep> encode_time_ = 0, write_time_ = 0;
  Workers workers_;  // the last member, because its threads use the others
};

class LastPng : public Sink {
 public:
  LastPng(const fs::path& target, PixelLayout layout, const StreamInfo& info, Opening opening)
      : Sink({.layout = layout, .memory_bytes = frame_bytes(info.size, layout) + encoding_bytes(info.size, layout)}),
        file_(target, info.overwrite || info.resume > 0, opening),
        size_(info.size),
        layout_(layout),
        tags_(origin_tags(info, Origin::single)),
        dpi_(info.dpi) {}

  // Only at the end is it known which frame is the last: a run may be stopped.
  void write(const Frame& frame) override { pixels_.assign(frame.pixels, frame.pixels + frame_bytes(size_, layout_)); }

  void finish() override {
    if (pixels_.empty()) return;
    file_.write(encode_png(size_, layout_, pixels_.data(), tags_, dpi_));
    file_.commit();
  }
  void sync() const override { file_.sync(); }

 private:
  PartFile file_;
  Size size_;
  PixelLayout layout_;
  Tags tags_;
  double dpi_;
  std::vector<std::byte> pixels_;
};

}  // namespace

std::unique_ptr<Sink> open_png_sequence(const std::string& target, const OutputOptions& options, const StreamInfo& info,
                                        Opening opening) {
  const PixelLayout layout = layout_for(options, info);
  refuse_large_png(info.size, layout, target);
  return std::make_unique<PngSequence>(target, layout, info, opening);
}

std::unique_ptr<Sink> open_png(const std::string& target, const OutputOptions& options, const StreamInfo& info,
                               Opening opening) {
  const PixelLayout layout = layout_for(options, info);
  refuse_large_png(info.size, layout, target);
  return std::make_unique<LastPng>(FilePattern(target).name(0), layout, info, opening);
}

}  // namespace simreel
