#include <array>

#include "base/error.h"
#include "sink/animated/format.h"
#include "sink/animated/layouts.h"
#include "sink/picture/png_encode.h"

namespace simreel {
namespace {

std::uint64_t number(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// The time of a frame is a fraction of two 16-bit numbers. For rates that do not fit, a multiple of common rates is
// used.
FrameClock clock_of(AVRational fps) {
  AVRational small;
  const bool fits = av_reduce(&small.num, &small.den, fps.num, fps.den, 0xffff) == 1;
  return {fps, fits ? small.num : 600};
}

// The compressed pixels in a packet of the encoder, which is a whole PNG file.
std::string pixels_of(const AVPacket& packet) {
  std::string_view file(reinterpret_cast<const char*>(packet.data), static_cast<std::size_t>(packet.size));
  std::string pixels;
  if (file.starts_with(png_signature)) file.remove_prefix(png_signature.size());
  while (file.size() >= png_chunk_frame) {
    const std::size_t length = number(file.substr(0, 4));
    if (file.size() - png_chunk_frame < length) break;
    if (file.substr(4, 4) == "IDAT") pixels += file.substr(8, length);
    file.remove_prefix(png_chunk_frame + length);
  }
  if (pixels.empty() || !file.empty()) throw RuntimeError("encoder png: returned something other than a picture");
  return pixels;
}

// PNG, third edition (W3C, 2025), 11.3.6: acTL, fcTL and fdAT.
class Apng : public AnimatedFormat {
 public:
  Apng(const EncoderPlan& plan, const Tags& tags)
      : AnimatedFormat(clock_of(plan.frame_rate())), before_(png_head(plan.size(), plan.pixels().layout, tags)) {
    const Size size = plan.size();
    refuse_large_png(size, plan.pixels().layout, "[view] size");
    place_ = big_endian(static_cast<std::uint64_t>(size.width), 4) +
             big_endian(static_cast<std::uint64_t>(size.height), 4) + big_endian(0, 8);
  }

  std::string head(const Extent& extent) const override {
    std::string file = before_;
    append_png_chunk(file, "acTL",
                     big_endian(static_cast<std::uint64_t>(extent.frames), 4) + big_endian(0, 4));  // 0 times: forever
    return file;
  }

  std::string frames(Segment& segment) const override {
    std::string bytes;
    for (std::int64_t frame = segment.first; auto& packet : segment.packets) {
      // fcTL and fdAT chunks are numbered consecutively; the pixels of the first picture are an IDAT chunk.
      const std::uint64_t sequence = frame == 0 ? 0 : 2 * static_cast<std::uint64_t>(frame) - 1;
      const std::string time = big_endian(static_cast<std::uint64_t>(clock_.duration(frame)), 2) +
                               big_endian(static_cast<std::uint64_t>(clock_.units_a_second()), 2);
      const std::string replaces_all(2, '\0');
      append_png_chunk(bytes, "fcTL", big_endian(sequence, 4) + place_ + time + replaces_all);
      const std::string pixels = pixels_of(*packet);
      packet.reset();
      append_png_chunk(bytes, data_chunk(frame), frame == 0 ? pixels : big_endian(sequence + 1, 4) + pixels);
      ++frame;
    }
    return bytes;
  }

  std::string end() const override {
    std::string bytes;
    append_png_chunk(bytes, "IEND", "");
    return bytes;
  }

  std::optional<std::uintmax_t> length_of(std::istream& in, std::int64_t frames) const override {
    std::string found(head({}).size(), '\0');
    if (!in.read(found.data(), static_cast<std::streamsize>(found.size())) || !begins(found)) return std::nullopt;
    std::uintmax_t length = found.size();
    for (std::int64_t frame = 0; frame < frames; ++frame)
      for (const std::string_view name : {std::string_view("fcTL"), data_chunk(frame)}) {
        std::array<char, 8> start{};
        if (!in.read(start.data(), start.size())) return std::nullopt;
        const std::string_view text(start.data(), start.size());
        const std::uintmax_t rest = number(text.substr(0, 4)) + png_chunk_frame - start.size();
        if (text.substr(4) != name ||
            static_cast<std::uintmax_t>(in.ignore(static_cast<std::streamsize>(rest)).gcount()) != rest)
          return std::nullopt;
        length += start.size() + rest;
      }
    return length;
  }

 private:
  static std::string_view data_chunk(std::int64_t frame) { return frame == 0 ? "IDAT" : "fdAT"; }

  // Whether this is the head of such a file, of any extent.
  bool begins(const std::string& found) const {
    const std::string_view count = std::string_view(found).substr(before_.size() + 8, 4);
    return found == head({.frames = static_cast<std::int64_t>(number(count))});
  }

  std::string before_;  // the bytes before the number of frames
  std::string place_;   // the position of every frame: the whole picture
};

}  // namespace

std::unique_ptr<AnimatedFormat> make_apng(const EncoderPlan& plan, const Tags& tags) {
  return std::make_unique<Apng>(plan, tags);
}

}  // namespace simreel
