#include <fmt/format.h>

#include "base/error.h"
#include "sink/animated/format.h"
#include "sink/animated/layouts.h"
#include "sink/animated/palette.h"

namespace simreel {
namespace {

// GIF89a, 18 to 26: the labels of blocks, and the flags before a table of colours.
constexpr char extension = '\x21', image = '\x2c', trailer = '\x3b', control_label = '\xf9', comment_label = '\xfe';
constexpr unsigned has_table = 0x80, table_of_256 = has_table | 7;
constexpr std::size_t head_bytes = 13, control_bytes = 8, descriptor_bytes = 10;

std::size_t table_bytes(char flags) {
  return static_cast<unsigned char>(flags) & has_table ? std::size_t{3} << ((flags & 7) + 1) : 0;
}

std::string two_bytes(std::int64_t value) {
  return {static_cast<char>(value & 0xff), static_cast<char>(value >> 8 & 0xff)};
}

// Blocks of up to 255 bytes, each after its length; an empty block ends them.
std::string sub_blocks(std::string_view text) {
  constexpr std::size_t max = 255;
  std::string blocks;
  for (; !text.empty(); text.remove_prefix(std::min(max, text.size()))) {
    const std::string_view block = text.substr(0, max);
    blocks += static_cast<char>(block.size());
    blocks += block;
  }
  return blocks + '\0';
}

// A packet of the encoder: the head of a file if it is the first one, then duration and position of the picture.
struct Picture {
  std::string_view table, control, descriptor, data;  // `table` empty: that of the previous picture
};

Picture take_apart(const AVPacket& packet) {
  std::string_view rest(reinterpret_cast<const char*>(packet.data), static_cast<std::size_t>(packet.size));
  Picture picture;
  const auto next_bytes = [&](std::size_t bytes) {
    const std::string_view taken = rest.substr(0, bytes);
    rest.remove_prefix(taken.size());
    return taken;
  };
  if (rest.starts_with("GIF89a") && rest.size() > head_bytes) picture.table = next_bytes(head_bytes).substr(10, 1);
  if (!picture.table.empty()) picture.table = next_bytes(table_bytes(picture.table[0]));
  picture.control = next_bytes(control_bytes);
  picture.descriptor = next_bytes(descriptor_bytes);
  if (picture.descriptor.size() != descriptor_bytes || picture.control[0] != extension ||
      picture.control[1] != control_label || picture.descriptor[0] != image)
    throw RuntimeError("encoder gif: returned something other than a picture");
  const std::string_view own = next_bytes(table_bytes(picture.descriptor[9]));
  if (picture.table.empty()) picture.table = own;
  picture.data = rest;
  return picture;
}

// Skips the blocks of a file. False if it ends too early.
class BlockReader {
 public:
  explicit BlockReader(std::istream& in) : in_(in) {}

  bool read(char& byte) { return static_cast<bool>(in_.get(byte)); }
  bool skip(std::size_t bytes) {
    return static_cast<std::size_t>(in_.ignore(static_cast<std::streamsize>(bytes)).gcount()) == bytes;
  }
  bool skip_sub_blocks() {
    char size = 0;
    while (read(size)) {
      if (size == 0) return true;
      if (!skip(static_cast<unsigned char>(size))) return false;
    }
    return false;
  }
  bool skip_image() {
    char flags = 0, code_size = 0;
    return skip(descriptor_bytes - 2) && read(flags) && skip(table_bytes(flags)) && read(code_size) &&
           skip_sub_blocks();
  }

 private:
  std::istream& in_;
};

class Gif : public AnimatedFormat {
 public:
  Gif(const EncoderPlan& plan, const Tags& tags) : AnimatedFormat({plan.frame_rate(), 100}) {
    head_ = "GIF89a" + two_bytes(plan.size().width) + two_bytes(plan.size().height);
    constexpr char square_pixels = 0;  // the background is the entry that the encoder reserves for transparent pixels
    head_ += {static_cast<char>(0x70 | table_of_256), static_cast<char>(GifPalette::max_colors), square_pixels};
    const std::string forever = {1, 0, 0};  // block 1: repeat 0 times, which means forever
    preamble_ = std::string{extension, '\xff', 11} + "NETSCAPE2.0" + sub_blocks(forever);
    for (const auto& [key, text] : tags)
      preamble_ += std::string{extension, comment_label} + sub_blocks(fmt::format("{}: {}", key, text));
  }

  std::string head(const Extent&) const override { return head_; }
  std::string end() const override { return {trailer}; }

  // The palette of the first segment is that of the file. Later segments store theirs with every picture.
  std::string frames(Segment& segment) const override {
    std::string bytes, table;
    for (std::int64_t frame = segment.first; auto& packet : segment.packets) {
      const Picture picture = take_apart(*packet);
      if (!picture.table.empty()) table = picture.table;
      if (table.size() != 3 * 256) throw RuntimeError("encoder gif: returned a picture without 256 colours");
      if (frame == 0) bytes += table + preamble_;
      std::string control(picture.control), descriptor(picture.descriptor);
      control.replace(4, 2, two_bytes(clock_.duration(frame)));
      descriptor[9] = static_cast<char>(segment.first == 0 ? 0 : table_of_256);
      bytes += control + descriptor;
      if (segment.first > 0) bytes += table;
      bytes += picture.data;
      packet.reset();
      ++frame;
    }
    return bytes;
  }

  std::optional<std::uintmax_t> length_of(std::istream& in, std::int64_t frames) const override {
    std::string head(head_.size(), '\0'), table(3 * 256, '\0'), preamble(preamble_.size(), '\0');
    for (std::string* const part : {&head, &table, &preamble})
      in.read(part->data(), static_cast<std::streamsize>(part->size()));
    if (!in || head != head_ || preamble != preamble_) return std::nullopt;
    BlockReader blocks(in);
    while (frames > 0) {
      char kind = 0, label = 0;
      if (!blocks.read(kind)) return std::nullopt;
      if (kind == extension ? !blocks.read(label) || !blocks.skip_sub_blocks() : kind != image || !blocks.skip_image())
        return std::nullopt;
      if (kind == image) --frames;
    }
    return static_cast<std::uintmax_t>(in.tellg());
  }

 private:
  std::string head_, preamble_;  // the preamble follows the first table of colours
};

}  // namespace

std::unique_ptr<AnimatedFormat> make_gif(const EncoderPlan& plan, const Tags& tags) {
  return std::make_unique<Gif>(plan, tags);
}

}  // namespace simreel
