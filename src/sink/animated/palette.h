#pragma once
// The few colours of a GIF. The pictures of a stretch of video are looked at first, then 255 colours are chosen for all
// of them, then each pixel becomes the number of one. Exact whole-number counts and one fixed order of arithmetic: the
// same pictures give the same indices on every machine. Internal to the video sink.
//
// Not libimagequant: it spreads errors from pixel to pixel, so still parts of a picture would flicker, and a GIF stores
// all that changes; it promises no equal results on unequal machines; and it is under the GPL.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/pixels.h"

namespace simreel {

// 3 bytes a pixel: red, green, blue. Rows are `stride` bytes apart.
struct RgbView {
  const std::uint8_t* pixels = nullptr;
  std::ptrdiff_t stride = 0;
  Size size;
};

class GifPalette {
 public:
  static constexpr int most_colors = 255;  // of 256: one stays free, for pixels that do not change
  // Of the table that knows every colour of 24 bits; the system gives only as much of it as there are colours near each
  // other.
  static constexpr std::size_t memory_bytes = (std::size_t(1) << 24) * sizeof(std::uint32_t);

  GifPalette();  // throws RuntimeError where memory is short

  // First pass, for every picture.
  void count(const RgbView&);
  // Chooses the colours. Pictures of at most `most_colors` different ones keep them all.
  void choose();
  // Second pass, for the same pictures: a byte a pixel. A colour between two of the palette's becomes a fixed pattern
  // of both, so a pixel whose colour stays keeps its index.
  void map(const RgbView&, std::uint8_t* indices, std::ptrdiff_t stride) const;

  const std::vector<Color>& colors() const { return colors_; }

 private:
  struct Free {
    void operator()(std::uint32_t* p) const { std::free(p); }
  };
  // By colour, 0xrrggbb: how often it was seen; once the palette is chosen, its Mix.
  std::unique_ptr<std::uint32_t[], Free> table_;
  std::vector<std::uint32_t> seen_;  // colours, in the order in which they came
  std::vector<Color> colors_;
};

}  // namespace simreel
