#pragma once
// The palette of a segment of a GIF. A first pass counts the colours of all pictures, then 255 colours are chosen, and
// a second pass maps each pixel to an index. Integer counts and a fixed order of arithmetic: the same pictures give the
// same indices on every machine. Internal to the video sink.
//
// libimagequant is not used: its error diffusion makes static areas flicker, and a GIF stores everything that changes;
// it does not promise the same results on different machines; and it is under the GPL.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/pixels.h"

namespace simreel {

// 3 bytes per pixel: red, green, blue. Rows are `stride` bytes apart.
struct RgbView {
  const std::uint8_t* pixels = nullptr;
  std::ptrdiff_t stride = 0;
  Size size;
};

class GifPalette {
 public:
  static constexpr int max_colors = 255;  // of 256: one is reserved for pixels that do not change
  // The size of the table of all 24-bit colours; the system allocates only the pages that are used.
  static constexpr std::size_t memory_bytes = (std::size_t{1} << 24) * sizeof(std::uint32_t);

  GifPalette();  // throws RuntimeError if memory is short

  // First pass, for every picture.
  void count(const RgbView&);
  // Chooses the colours. Pictures of at most `max_colors` different colours keep them all.
  void choose();
  // Second pass, for the same pictures: one byte per pixel. Colours between two palette entries are ordered-dithered
  // with a fixed pattern, so a pixel whose colour does not change keeps its index.
  void map(const RgbView&, std::uint8_t* indices, std::ptrdiff_t stride) const;

  const std::vector<Color>& colors() const { return colors_; }

 private:
  struct Free {
    void operator()(std::uint32_t* p) const { std::free(p); }
  };
  // Indexed by colour, 0xrrggbb: its count; after the palette is chosen, its Mix.
  std::unique_ptr<std::uint32_t[], Free> table_;
  std::vector<std::uint32_t> seen_;  // colours in the order of their first occurrence
  std::vector<Color> colors_;
};

}  // namespace simreel
