#include "sink/data/hashes.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <atomic>

#include "files/part_file.h"

namespace simreel {
namespace {

class Hashes : public Sink {
 public:
  Hashes(const std::string& target, const StreamInfo& info, Opening opening)
      : file_(open_lines(target, info, 0, opening)), size_(info.size), written_(info.resume) {}

  std::optional<PixelLayout> layout() const override { return PixelLayout::rgb; }

  void write(const Frame& frame) override {
    const std::string line = fmt::format("{} {}\n", frame.index, hash_digits(frame.pixels, size_));
    file_->add(line.data(), line.size(), written_);
    ++written_;
  }

  void finish() override {
    if (written_ > 0) file_->commit();
  }

  std::int64_t safe_frames() const override { return written_; }
  void sync() const override { file_->sync(); }

 private:
  std::unique_ptr<PartFile> file_;
  Size size_;
  std::atomic<std::int64_t> written_;
};

}  // namespace

std::string hash_digits(const std::byte* rgb, Size size) {
  return fmt::format("{:016x}", XXH3_64bits(rgb, frame_bytes(size, PixelLayout::rgb)));
}

std::unique_ptr<Sink> open_hashes(const std::string& target, const OutputOptions&, const StreamInfo& info,
                                  Opening opening) {
  return std::make_unique<Hashes>(target, info, opening);
}

}  // namespace simreel
