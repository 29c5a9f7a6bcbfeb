#include "sink/data/lines.h"

#include <algorithm>
#include <istream>
#include <optional>
#include <utility>

#include "sink/part.h"

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

}  // namespace simreel
