#pragma once
// Converts planar 8-bit Y'CbCr, the format of most videos, to RGB row by row, without a copy of the picture.

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/pixels.h"

namespace simreel {

struct YuvPicture {
  Size size;
  std::array<const std::uint8_t*, 3> planes{};      // Y, Cb, Cr
  std::array<std::ptrdiff_t, 3> strides{};          // bytes from one row to the next
  bool halved_across = false, halved_down = false;  // chroma subsampling along x and y; sizes are rounded up
};

// The coefficients of R = Y + r_cr Cr, G = Y - g_cb Cb - g_cr Cr and B = Y + b_cb Cb, for channels of 0 to 1 and chroma
// of -0.5 to 0.5. BT.709: 1.5748, 0.187324, 0.468124, 1.8556.
struct YuvMatrix {
  double r_cr = 0, g_cb = 0, g_cr = 0, b_cb = 0;
  bool full_range = false;  // otherwise 16 to 235, chroma 16 to 240
  bool operator==(const YuvMatrix&) const = default;
};

// Writes row y as opaque pixels, each channel within 0.51 levels of the exact value, clamped. Chroma is interpolated
// linearly; its samples are sited left and, if subsampled along y, halfway between rows (the default of H.264).
void convert_row(const YuvPicture&, const YuvMatrix&, int y, Color* row);

// Whether all samples that row y depends on are equal in two pictures of one layout.
bool rows_stored_alike(const YuvPicture&, const YuvPicture&, int y);

}  // namespace simreel
