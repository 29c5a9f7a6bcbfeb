#pragma once
// Labels over a drawn picture: colours with straight alpha, blended into a canvas of either depth,
//   out = (o a + b (max - a) + max / 2) / max
// in integers, with the overlay's colour o and alpha a, the canvas's colour b, and max = 255 or 65535. On a translucent
// canvas the same rule holds for straight alpha on both sides.
//
// Pixels outside of what a painter fills keep what earlier frames left there, so the overlay is blended over the
// background there and replaces them. Inside, it is blended over the frame.

#include <cstdint>

#include "base/pixels.h"
#include "exec/executor.h"
#include "kernels/raster/canvas.h"

namespace simreel {

// Pixels of one row: `length` colours from `first` on. x and y are those of the canvas, and all lie inside it.
struct OverlaySpan {
  static constexpr int max = 64;  // pixels
  std::int32_t x, y, length, first;
};

// What the overlay lies on.
struct OverlayBase {
  Rectangle painted;  // the part of the canvas that is drawn anew in every frame
  Color background;   // of the rest
};

// Fills what is not painted with the background. Asynchronous on a GPU.
template <class Pixel>
void clear_around(const Executor&, const OverlayBase&, const Canvas<Pixel>&);

// Blends the spans, which do not overlap. Spans and colours are executor memory. Asynchronous on a GPU.
template <class Pixel>
void blend_spans(const Executor&, const OverlaySpan* spans, int count, const Color* colors, const OverlayBase&,
                 const Canvas<Pixel>&);

// A line of glyphs from an atlas, which is blended over the whole of its box, so that the glyphs of the frame before
// vanish.
struct GlyphLine {
  static constexpr int max = 48;  // glyphs; the line is an argument of the kernel
  struct Glyph {
    std::int32_t x;      // of its left column, from that of the box
    std::int32_t width;  // columns
    std::int32_t first;  // of its levels in the atlas: `box.height` rows of `width` bytes, 255 where it covers a pixel
  };
  Rectangle box;  // inside the canvas
  Color color;
  int count = 0;
  Glyph glyphs[max];
};

// Glyphs that overlap cover the sum of their levels. The atlas is executor memory. Asynchronous on a GPU.
template <class Pixel>
void blend_glyphs(const Executor&, const GlyphLine&, const std::uint8_t* atlas, const OverlayBase&,
                  const Canvas<Pixel>&);

}  // namespace simreel
