#pragma once
// A canvas -> the pixel layouts that sinks ask for.
//
// Y'CbCr is BT.709, limited range, in 8 bits (ITU-R BT.709-6, items 3.2 to 3.5 and 4.6): with R, G, B from 0 to 255
//   Y' = 16 + 219 (0.2126 R + 0.7152 G + 0.0722 B) / 255
//   Cb = 128 + 224 (B - Y) / 1.8556 / 255        Y = 0.2126 R + 0.7152 G + 0.0722 B
//   Cr = 128 + 224 (R - Y) / 1.5748 / 255
// computed as quotients of integers, so that rounding to nearest (halves of luma upwards) is exact. In 10 bits the
// values are four times as large, before rounding. Subsampled chroma is sited left: (1 2 1) / 4 along x around every
// even column and, in 4:2:0, the mean of two rows, before rounding. Edge pixels repeat beyond the picture.

#include <cstddef>

#include "base/pixels.h"
#include "exec/executor.h"

namespace simreel {

// Writes frame_bytes(size, layout) bytes to `to`. Both are executor memory, aligned to whole pixels of the canvas.
// Layouts without alpha show the canvas over the opaque colour of `background`, whose alpha is ignored. The second
// overload is for deep layouts, the first for all others. Asynchronous on a GPU.
void convert_pixels(const Executor&, const Color* canvas, Size, Color background, PixelLayout, std::byte* to);
void convert_pixels(const Executor&, const DeepColor* canvas, Size, Color background, PixelLayout, std::byte* to);

// Writes the canvas as it looks with `share` of `whole` parts of its light and opacity, and with those of the
// background for the rest: 0 <= share <= whole <= 2^16. Where both are clear, `to` is the background. Asynchronous on a
// GPU.
void fade_pixels(const Executor&, const Color* canvas, Size, Color background, int share, int whole, Color* to);
void fade_pixels(const Executor&, const DeepColor* canvas, Size, Color background, int share, int whole, DeepColor* to);

// Writes each channel with 16 bits.
void deepen(const Executor&, const Color* canvas, Size, DeepColor* to);

}  // namespace simreel
