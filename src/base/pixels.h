#pragma once
// Pixels on their way from the raster to the sinks: colours, layouts and their sizes in memory.

#include <array>
#include <cstddef>
#include <cstdint>

namespace simreel {

// sRGB, 8 bits per channel, straight (not premultiplied) alpha.
struct Color {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  bool operator==(const Color&) const = default;
};

// The same with 16 bits per channel; values are 257 times those of the same Color.
struct DeepColor {
  std::uint16_t r = 0, g = 0, b = 0, a = 65535;
  bool operator==(const DeepColor&) const = default;
};

// The memory layout of a frame. Rows run from the top of the picture to the bottom, without padding between them.
enum class PixelLayout {
  rgba,     // 4 bytes per pixel
  rgb,      // 3 bytes per pixel, alpha dropped (the canvas is already blended over an opaque background)
  bgr0,     // 4 bytes per pixel: blue, green, red, zero
  yuv420p,  // planes Y, U, V; 8 bits, BT.709, limited range; chroma halved both ways, sited left
  yuv444p,  // planes Y, U, V; 8 bits, BT.709, limited range
  // The same in 10 bits: the low bits of 16-bit words in native byte order; 4:2:2 halves chroma along x only, sited
  // left.
  yuv420p10,
  yuv422p10,
  yuv444p10,
  // rgba and rgb with 16 bits per channel, big-endian as in PNG.
  rgba16,  // 8 bytes per pixel
  rgb16,   // 6 bytes per pixel
};
inline constexpr std::array all_pixel_layouts = {
    PixelLayout::rgba,      PixelLayout::rgb,       PixelLayout::bgr0,      PixelLayout::yuv420p, PixelLayout::yuv444p,
    PixelLayout::yuv420p10, PixelLayout::yuv422p10, PixelLayout::yuv444p10, PixelLayout::rgba16,  PixelLayout::rgb16};

// Whether a layout is converted from a canvas of DeepColor; all others are from one of Color.
constexpr bool is_deep(PixelLayout layout) { return layout == PixelLayout::rgba16 || layout == PixelLayout::rgb16; }

struct Size {
  int width = 0, height = 0;  // pixels
  bool operator==(const Size&) const = default;
};

constexpr std::size_t pixel_count(Size size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

// Subsampled chroma needs even sides: an odd picture grows by one pixel, a copy of its last column or row.
constexpr Size padded(Size picture, PixelLayout layout) {
  const bool halves_rows = layout == PixelLayout::yuv420p || layout == PixelLayout::yuv420p10;
  if (halves_rows || layout == PixelLayout::yuv422p10) picture.width += picture.width % 2;
  if (halves_rows) picture.height += picture.height % 2;
  return picture;
}

// Bytes of one whole frame of `picture` in `layout`, padding included.
constexpr std::size_t frame_bytes(Size picture, PixelLayout layout) {
  const std::size_t pixels = pixel_count(padded(picture, layout));
  switch (layout) {
    case PixelLayout::rgba:
    case PixelLayout::bgr0: return 4 * pixels;
    case PixelLayout::rgb:
    case PixelLayout::yuv444p: return 3 * pixels;
    case PixelLayout::yuv420p: return pixels + pixels / 2;
    case PixelLayout::yuv420p10: return 3 * pixels;
    case PixelLayout::yuv422p10: return 4 * pixels;
    case PixelLayout::yuv444p10:
    case PixelLayout::rgb16: return 6 * pixels;
    case PixelLayout::rgba16: return 8 * pixels;
  }
  return 0;
}

}  // namespace simreel
