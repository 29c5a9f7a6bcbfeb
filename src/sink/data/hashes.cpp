#include "sink/data/hashes.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "sink/data/lines.h"

namespace simreel {
namespace {

class Hashes : public Lines {
 public:
  Hashes(const std::string& target, const StreamInfo& info, Opening opening)
      : Lines({.layout = PixelLayout::rgb}, target, info, opening), first_(info.first), size_(info.size) {}

 private:
  std::string line_of(const Frame& frame) const override {
    return fmt::format("{} {}", first_ + frame.index, hash_digits(frame.pixels, size_));
  }

  std::int64_t first_;
  Size size_;
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
