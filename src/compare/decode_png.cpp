#include <spng.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "compare/picture.h"

namespace simreel {
namespace {

struct Free {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};

}  // namespace

Picture decode_png(const std::string& bytes, const std::string& name) {
  const auto refuse = [&](const char* words) {
    throw UsageError("{}: not a whole PNG: {} ({} bytes)", name, words, bytes.size());
  };
  if (bytes.empty()) refuse("empty");
  const std::unique_ptr<spng_ctx, Free> context(spng_ctx_new(0));
  if (!context) throw RuntimeError("spng: no memory");
  const auto check = [&](int result) {
    if (result != 0) refuse(spng_strerror(result));
  };
  check(spng_set_crc_action(context.get(), SPNG_CRC_ERROR, SPNG_CRC_ERROR));
  check(spng_set_chunk_limits(context.get(), limits::chunk_bytes, limits::chunk_bytes));
  check(spng_set_png_buffer(context.get(), bytes.data(), bytes.size()));
  spng_ihdr header{};
  check(spng_get_ihdr(context.get(), &header));
  const bool deep = header.bit_depth == 16;
  const int format = deep ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8;
  std::size_t length = 0;
  check(spng_decoded_image_size(context.get(), format, &length));
  if (length / (deep ? 8 : 4) > limits::picture_pixels)
    throw UsageError("{}: has {} x {} pixels; pictures of up to {} are compared", name, header.width, header.height,
                     limits::picture_pixels);
  // Deflate packs at most 1032 bytes into one, and a pixel has at least one bit: a header that claims more is damaged,
  // and trusting it could exhaust memory.
  if (length / (deep ? 8 : 4) / 8 / 1100 > bytes.size()) refuse("its size does not fit its length");

  Picture picture;
  picture.size = {static_cast<int>(header.width), static_cast<int>(header.height)};
  picture.rounded = deep;
  picture.pixels.resize(static_cast<std::size_t>(header.width) * header.height);
  if (deep) {
    picture.deep.resize(picture.pixels.size());
    check(spng_decode_image(context.get(), picture.deep.data(), length, format, SPNG_DECODE_TRNS));
    const auto narrow = [](std::uint16_t v) { return static_cast<std::uint8_t>((v * 255u + 32767u) / 65535u); };
    std::ranges::transform(picture.deep, picture.pixels.begin(), [&](const DeepColor& c) {
      return Color{narrow(c.r), narrow(c.g), narrow(c.b), narrow(c.a)};
    });
  } else {
    check(spng_decode_image(context.get(), picture.pixels.data(), length, format, SPNG_DECODE_TRNS));
  }
  check(spng_decode_chunks(context.get()));
  // The library accepts a file whose last bytes are missing.
  static const std::string end("\0\0\0\0IEND\xae\x42\x60\x82", 12);
  if (bytes.find(end) == std::string::npos) refuse("its end is missing");
  return picture;
}

}  // namespace simreel
