// Planar Y'CbCr to RGB, against the formulas in floating point.

#include "compare/yuv.h"

#include "tests/support/compare_fixture.h"

namespace simreel {
namespace {

constexpr YuvMatrix bt709{1.5748, 0.187324, 0.468124, 1.8556, false};

// Planes of noise with rows longer than the picture's.
struct Noise {
  Noise(int width, int height, bool across, bool down) {
    picture.size = {width, height};
    picture.halved_across = across, picture.halved_down = down;
    std::uint32_t state = 12345;
    for (std::size_t plane = 0; plane < 3; ++plane) {
      columns[plane] = plane > 0 && across ? (width + 1) / 2 : width;
      rows[plane] = plane > 0 && down ? (height + 1) / 2 : height;
      const int stride = columns[plane] + 5;
      for (int i = 0; i < stride * rows[plane]; ++i) {
        state = state * 1664525 + 1013904223;
        bytes[plane].push_back(std::uint8_t(state >> 24));
      }
      picture.planes[plane] = bytes[plane].data();
      picture.strides[plane] = stride;
    }
  }
  double at(std::size_t plane, int x, int y) const {
    return bytes[plane]
                [std::clamp(y, 0, rows[plane] - 1) * (columns[plane] + 5) + std::clamp(x, 0, columns[plane] - 1)];
  }
  // Linear between samples that lie at even columns and, where rows are halved, between two rows of luma.
  double chroma(std::size_t plane, int x, int y) const {
    const double u = picture.halved_across ? x / 2.0 : x, v = picture.halved_down ? (y - 0.5) / 2 : y;
    const int i = int(std::floor(u)), j = int(std::floor(v));
    const double s = u - i, t = v - j;
    return (1 - t) * ((1 - s) * at(plane, i, j) + s * at(plane, i + 1, j)) +
           t * ((1 - s) * at(plane, i, j + 1) + s * at(plane, i + 1, j + 1));
  }

  std::array<std::vector<std::uint8_t>, 3> bytes;
  std::array<int, 3> columns{}, rows{};
  YuvPicture picture;
};

void expect_exact(const Noise& noise, const YuvMatrix& m) {
  const Size size = noise.picture.size;
  std::vector<Color> row(static_cast<std::size_t>(size.width));
  for (int y = 0; y < size.height; ++y) {
    convert_row(noise.picture, m, y, row.data());
    for (int x = 0; x < size.width; ++x) {
      const double luma = m.full_range ? noise.at(0, x, y) : (noise.at(0, x, y) - 16) * 255 / 219;
      const double scale = m.full_range ? 1 : 255.0 / 224;
      const double cb = (noise.chroma(1, x, y) - 128) * scale, cr = (noise.chroma(2, x, y) - 128) * scale;
      const auto inside = [](double v) { return std::clamp(v, 0.0, 255.0); };
      const Color c = row[x];
      EXPECT_NEAR(c.r, inside(luma + m.r_cr * cr), 0.51) << x << " " << y;
      EXPECT_NEAR(c.g, inside(luma - m.g_cb * cb - m.g_cr * cr), 0.51) << x << " " << y;
      EXPECT_NEAR(c.b, inside(luma + m.b_cb * cb), 0.51) << x << " " << y;
      EXPECT_EQ(c.a, 255);
    }
  }
}

TEST(CompareYuv, IsTheFormulaForEveryLayoutAndRange) {
  YuvMatrix full = bt709;
  full.full_range = true;
  constexpr YuvMatrix bt601{1.402, 0.344136, 0.714136, 1.772, false};
  // Wider than the pieces that rows are worked through in, odd sides, and a single pixel.
  for (const Size size : {Size{600, 8}, Size{513, 7}, Size{257, 2}, Size{1, 1}, Size{2, 3}})
    for (const auto& [across, down] : {std::pair(true, true), std::pair(true, false), std::pair(false, false)}) {
      const Noise noise(size.width, size.height, across, down);
      for (const YuvMatrix& matrix : {bt709, full, bt601}) expect_exact(noise, matrix);
    }
}

TEST(CompareYuv, AChangedByteIsSeenInTheRowsThatItReaches) {
  Noise a(40, 12, true, true);
  const Noise b = a;
  YuvPicture other = b.picture;
  for (std::size_t plane = 0; plane < 3; ++plane) other.planes[plane] = b.bytes[plane].data();
  const auto differing_rows = [&] {
    std::vector<int> rows;
    std::vector<Color> p(40), q(40);
    for (int y = 0; y < 12; ++y) {
      convert_row(a.picture, bt709, y, p.data());
      convert_row(other, bt709, y, q.data());
      if (rows_stored_alike(a.picture, other, y)) {
        EXPECT_EQ(p, q) << y;
      } else {
        rows.push_back(y);
      }
    }
    return rows;
  };
  EXPECT_EQ(differing_rows(), std::vector<int>{});
  a.bytes[0][5 * 45 + 39] ^= 1;
  EXPECT_EQ(differing_rows(), std::vector<int>{5});
  a.bytes[0][5 * 45 + 39] ^= 1;
  a.bytes[2][3 * 25 + 19] ^= 1;
  EXPECT_EQ(differing_rows(), (std::vector<int>{5, 6, 7, 8}));
}

}  // namespace
}  // namespace simreel
