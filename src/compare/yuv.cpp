#include "compare/yuv.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace simreel {
namespace {

constexpr int piece = 256;  // pixels whose intermediate values fit into the L1 cache

// Fixed point: luma in 1/65536 of a level; chroma, which is in eighths, in 1/8192.
struct Weights {
  explicit Weights(const YuvMatrix& matrix) {
    const double chroma = matrix.full_range ? 8192 : 8192 * 255.0 / 224;
    const auto fixed = [&](double value) { return static_cast<int>(std::lround(value * chroma)); };
    black = matrix.full_range ? 0 : 16;
    luma = static_cast<int>(std::lround(matrix.full_range ? 65536 : 65536 * 255.0 / 219));
    r_cr = fixed(matrix.r_cr), g_cb = fixed(matrix.g_cb), g_cr = fixed(matrix.g_cr), b_cb = fixed(matrix.b_cb);
  }
  int black, luma, r_cr, g_cb, g_cr, b_cb;
};

// The two rows of chroma around row y, the nearer one first.
struct ChromaRows {
  ChromaRows(const YuvPicture& picture, int y) {
    near = far = picture.halved_down ? y / 2 : y;
    if (picture.halved_down) far = std::clamp(near + (y % 2 == 0 ? -1 : 1), 0, (picture.size.height + 1) / 2 - 1);
  }
  int near, far;
};

int chroma_width(const YuvPicture& picture) {
  return picture.halved_across ? (picture.size.width + 1) / 2 : picture.size.width;
}

const std::uint8_t* row_of(const YuvPicture& picture, std::size_t plane, int y) {
  return picture.planes[plane] + static_cast<std::ptrdiff_t>(y) * picture.strides[plane];
}

// Chroma of pixels start ... start + count - 1 in eighths, less its middle. `start` is even.
void chroma_of(const YuvPicture& picture, std::size_t plane, ChromaRows rows, int start, int count, std::int16_t* out) {
  const std::uint8_t* const near = row_of(picture, plane, rows.near);
  const std::uint8_t* const far = row_of(picture, plane, rows.far);
  constexpr int middle = 8 * 128;
  if (!picture.halved_across) {
    for (int x = 0; x < count; ++x)
      out[x] = static_cast<std::int16_t>(2 * (3 * near[start + x] + far[start + x]) - middle);
    return;
  }
  std::array<std::int16_t, piece / 2 + 1> quarters;  // between the rows
  const int first = start / 2, samples = (count + 1) / 2, last = chroma_width(picture) - 1;
  const int inside = std::min(samples + 1, last - first + 1);
  for (int i = 0; i < inside; ++i)
    quarters[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(3 * near[first + i] + far[first + i]);
  if (inside <= samples) quarters[static_cast<std::size_t>(samples)] = quarters[static_cast<std::size_t>(samples - 1)];
  std::array<std::int16_t, piece + 1> eighths;
  for (int i = 0; i < samples; ++i) {
    const int here = quarters[static_cast<std::size_t>(i)], next = quarters[static_cast<std::size_t>(i + 1)];
    eighths[static_cast<std::size_t>(2 * i)] = static_cast<std::int16_t>(2 * here - middle);
    eighths[static_cast<std::size_t>(2 * i + 1)] = static_cast<std::int16_t>(here + next - middle);
  }
  std::copy_n(eighths.begin(), count, out);
}

}  // namespace

void convert_row(const YuvPicture& picture, const YuvMatrix& matrix, int y, Color* row) {
  const Weights w(matrix);
  const ChromaRows rows(picture, y);
  const std::uint8_t* const luma = row_of(picture, 0, y);
  std::array<std::int16_t, piece> cb, cr;
  std::array<std::uint32_t, piece> words;
  for (int start = 0; start < picture.size.width; start += piece) {
    const int count = std::min(piece, picture.size.width - start);
    chroma_of(picture, 1, rows, start, count, cb.data());
    chroma_of(picture, 2, rows, start, count, cr.data());
    for (int x = 0; x < count; ++x) {
      const std::size_t i = static_cast<std::size_t>(x);
      const int light = (luma[start + x] - w.black) * w.luma + 32768;
      const auto level = [](int value) { return static_cast<std::uint32_t>(std::clamp(value >> 16, 0, 255)); };
      const std::uint32_t r = level(light + w.r_cr * cr[i]), g = level(light - w.g_cb * cb[i] - w.g_cr * cr[i]),
                          b = level(light + w.b_cb * cb[i]);
      words[i] = std::endian::native == std::endian::little ? r | g << 8 | b << 16 | 0xFF000000u
                                                            : r << 24 | g << 16 | b << 8 | 0xFFu;
    }
    std::memcpy(reinterpret_cast<std::byte*>(row + start), words.data(),
                sizeof(Color) * static_cast<std::size_t>(count));
  }
}

bool rows_stored_alike(const YuvPicture& a, const YuvPicture& b, int y) {
  const auto alike = [&](std::size_t plane, int at, int width) {
    return std::memcmp(row_of(a, plane, at), row_of(b, plane, at), static_cast<std::size_t>(width)) == 0;
  };
  if (!alike(0, y, a.size.width)) return false;
  const ChromaRows rows(a, y);
  for (const std::size_t plane : {std::size_t{1}, std::size_t{2}})
    if (!alike(plane, rows.near, chroma_width(a)) || !alike(plane, rows.far, chroma_width(a))) return false;
  return true;
}

}  // namespace simreel
