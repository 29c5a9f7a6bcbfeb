#include <fmt/format.h>

#include <limits>

#include "base/error.h"
#include "base/escape.h"
#include "sink/animated/format.h"
#include "sink/animated/layouts.h"

namespace simreel {
namespace {

// https://developers.google.com/speed/webp/docs/riff_container: a file is a tree of chunks with a name, a length and
// contents; contents of odd length are followed by a zero.
constexpr std::size_t chunk_head = 8, file_head = 12;
constexpr int largest_side = 16383;

std::string number(std::uintmax_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
  return text;
}

std::uintmax_t number(std::string_view bytes) {
  std::uintmax_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string chunk(std::string_view name, std::string_view contents) {
  std::string text = std::string(name) + number(contents.size(), 4);
  text += contents;
  if (contents.size() % 2 == 1) text += '\0';
  return text;
}

// The chunks of a packet of the encoder, which is the file of a still picture, that an animated file uses: all but the
// head.
std::string_view pixels_of(const AVPacket& packet) {
  std::string_view file(reinterpret_cast<const char*>(packet.data), static_cast<std::size_t>(packet.size));
  if (!file.starts_with("RIFF") || file.substr(8, 4) != "WEBP")
    throw RuntimeError("encoder libwebp: returned something other than a picture");
  file.remove_prefix(file_head);
  if (file.starts_with("VP8X")) file.remove_prefix(chunk_head + 10);
  return file;
}

// The tags as XMP (ISO 16684-1), the only text that a WebP has a place for.
std::string packet_of(const Tags& tags) {
  std::string text = R"(<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF )"
                     R"(xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" )"
                     R"(xmlns:simreel="urn:simreel:">)";
  for (const auto& [key, value] : tags)
    text += fmt::format("<simreel:{0}>{1}</simreel:{0}>", key, escape_markup(value));
  return text + "</rdf:Description></rdf:RDF></x:xmpmeta>";
}

class WebP : public AnimatedFormat {
 public:
  WebP(const EncoderPlan& plan, const Tags& tags)
      : AnimatedFormat({plan.frame_rate(), 1000}),
        size_(plan.size()),
        alpha_(plan.pixels().layout == PixelLayout::rgba),
        end_(chunk("XMP ", packet_of(tags))) {
    if (size_.width <= largest_side && size_.height <= largest_side) return;
    throw UsageError("[view] size = [{}, {}]: a WebP has at most {} pixels per side; choose a smaller size",
                     size_.width, size_.height, largest_side);
  }

  std::string head(const Extent& extent) const override {
    if (extent.bytes > std::numeric_limits<std::uint32_t>::max())
      throw RuntimeError("a WebP cannot have more than 4 GiB");
    constexpr unsigned animation = 0x02, xmp = 0x04, alpha = 0x10;
    const std::string flags = number(animation | (extent.complete ? xmp : 0) | (alpha_ ? alpha : 0), 4);
    const std::string nothing(4, '\0'), forever(2, '\0');
    return "RIFF" + number(extent.bytes - chunk_head, 4) + "WEBP" + chunk("VP8X", flags + sides()) +
           chunk("ANIM", nothing + forever);  // no background
  }

  std::string frames(Segment& segment) const override {
    // Each picture replaces the previous one.
    constexpr unsigned no_blending = 0x02;
    std::string bytes;
    for (std::int64_t frame = segment.first; auto& packet : segment.packets) {
      std::string contents = number(0, 6) + sides() + number(static_cast<std::uintmax_t>(clock_.duration(frame++)), 3);
      contents += static_cast<char>(no_blending);
      bytes += chunk("ANMF", contents.append(pixels_of(*packet)));
      packet.reset();
    }
    return bytes;
  }

  std::string end() const override { return end_; }

  std::optional<std::uintmax_t> length_of(std::istream& in, std::int64_t frames) const override {
    std::string found(head({}).size(), '\0');
    in.read(found.data(), static_cast<std::streamsize>(found.size()));
    if (!in || !begins(found)) return std::nullopt;
    std::uintmax_t length = found.size();
    std::string next(chunk_head, '\0');
    while (frames > 0) {
      if (!in.read(next.data(), chunk_head) || !next.starts_with("ANMF")) return std::nullopt;
      const std::uintmax_t contents = number(std::string_view(next).substr(4)), padded = contents + contents % 2;
      if (!in.ignore(static_cast<std::streamsize>(padded)) || in.gcount() != static_cast<std::streamsize>(padded))
        return std::nullopt;
      length += chunk_head + padded;
      --frames;
    }
    return length;
  }

 private:
  std::string sides() const {
    return number(static_cast<std::uintmax_t>(size_.width - 1), 3) +
           number(static_cast<std::uintmax_t>(size_.height - 1), 3);
  }

  // Whether this is the head of such a file, of any extent.
  bool begins(const std::string& found) const {
    const std::uintmax_t bytes = number(std::string_view(found).substr(4, 4)) + chunk_head;
    return found == head({.bytes = bytes}) || found == head({.bytes = bytes, .complete = true});
  }

  Size size_;
  bool alpha_;
  std::string end_;
};

}  // namespace

std::unique_ptr<AnimatedFormat> make_webp(const EncoderPlan& plan, const Tags& tags) {
  return std::make_unique<WebP>(plan, tags);
}

}  // namespace simreel
