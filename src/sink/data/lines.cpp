#include "sink/data/lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <istream>
#include <optional>
#include <utility>

#include "sink/open.h"

namespace simreel {
namespace {

// The length of the first `lines` lines in bytes; nullopt if there are fewer whole lines.
std::optional<std::uintmax_t> length_of_lines(std::istream& in, std::int64_t lines) {
  std::uintmax_t length = 0;
  std::string line;
  for (; lines > 0; --lines) {
    if (!std::getline(in, line) || in.eof()) return std::nullopt;  // no line end: an incomplete line
    length += line.size() + 1;
  }
  return length;
}

class Csv : public Lines {
 public:
  Csv(const std::string& target, const StreamInfo& info, Opening opening)
      : Lines({.diagnostics = true}, target, info, opening, fmt::format("{}\n", fmt::join(info.diagnostics, ","))) {}

 private:
  std::string line_of(const Frame& frame) const override {
    return fmt::format("{}", fmt::join(frame.diagnostics, ","));
  }
};

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

Lines::Lines(SinkTraits traits, const std::string& target, const StreamInfo& info, Opening opening, std::string header)
    : Sink(std::move(traits)),
      header_(std::move(header)),
      checksums_(kept_checksums(info, target, 1)),
      written_(info.resume) {
  const std::int64_t lines = info.resume + std::ranges::count(header_, '\n');
  file_ = open_part(
      target, info, [&](std::istream& in) { return length_of_lines(in, lines); }, opening);
  if (info.resume > 0) header_.clear();
}

void Lines::write(const Frame& frame) {
  const std::string text = header_ + line_of(frame) + "\n";
  file_->add(text.data(), text.size(), written_);
  header_.clear();
  checksums_.set(static_cast<std::size_t>(written_), file_->take_checksum());
  ++written_;
}

void Lines::finish() {
  if (written_ > 0) file_->commit();
}

std::unique_ptr<Sink> open_csv(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  return std::make_unique<Csv>(target, info, opening);
}

std::string hash_digits(const std::byte* rgb, Size size) {
  return fmt::format("{:016x}", XXH3_64bits(rgb, frame_bytes(size, PixelLayout::rgb)));
}

std::unique_ptr<Sink> open_hashes(const std::string& target, const OutputOptions&, const StreamInfo& info,
                                  Opening opening) {
  return std::make_unique<Hashes>(target, info, opening);
}

}  // namespace simreel
