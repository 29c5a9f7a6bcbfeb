// Canvases of 16 bits a channel: as exact as they look, and the same pictures as those of 8 bits.

#include "kernels/raster/field_color.h"
#include "tests/support/backends.h"
#include "tests/support/field_fixture.h"

namespace simreel {
namespace {

using test::draw, test::infinity, test::Look, test::nan, test::noise, test::reference;

DeepColor deepened(Color c) {
  const auto deep = [](int level) { return static_cast<std::uint16_t>(257 * level); };
  return {deep(c.r), deep(c.g), deep(c.b), deep(c.a)};
}
Color rounded(DeepColor c) {
  const auto shallow = [](int level) { return static_cast<std::uint8_t>((level + 128) / 257); };
  return {shallow(c.r), shallow(c.g), shallow(c.b), shallow(c.a)};
}
std::vector<Color> rounded(const std::vector<DeepColor>& canvas) {
  std::vector<Color> colors;
  for (const DeepColor color : canvas) colors.push_back(rounded(color));
  return colors;
}

const std::vector<Look> looks = {{Curve::linear, -1.5, 4.5, 1},
                                 {Curve::log, 0.01, 4.5, 1},
                                 {Curve::symlog, -1.5, 4.5, 0.25},
                                 {Curve::sqrt, -1.5, 4.5, 1},
                                 {Curve::asinh, -1.5, 4.5, 0.25}};

// Rounding twice, to 16 bits and then to 8, is rounding once: all floats near a tie, between any two entries.
TEST(DeepCanvas, RoundedToEightBitsIsTheCanvasOfEightBits) {
  int different = 0;
  for (std::uint32_t below = 0; below < 255; ++below) {
    const auto expect_alike = [&](float f) {
      const auto shallow = mixed<Color>(below, below + 1, f);
      const auto deep = mixed<DeepColor>(below, below + 1, f);
      ASSERT_LE(std::fabs(static_cast<double>(deep) - 257 * (below + static_cast<double>(f))), 0.505) << below;
      if (shallow == (deep + 128) / 257) return;
      ++different;
      EXPECT_EQ(below + f, 0.5f - 0x1p-25f) << "the one float whose sum with 1/2 is itself rounded to a tie";
    };
    float up = 0.5f, down = 0.5f;
    for (int k = 0; k < 5000; ++k, up = std::nextafterf(up, 1), down = std::nextafterf(down, 0)) {
      expect_alike(up);
      expect_alike(down);
    }
    for (int k = 0; k <= 4096; ++k) expect_alike(static_cast<float>(k) / 4096);
  }
  EXPECT_EQ(different, 1);
}

template <class Real>
void expect_alike(int nx, int ny, Size size) {
  auto values = noise<Real>(nx, ny, -2, 5);
  values[values.size() / 2] = Real(nan);
  values[values.size() / 3] = Real(infinity);
  const Rectangle place = fit_field(nx, ny, size);
  for (const Look& look : looks) {
    const auto shallow = draw(Executor::cpu(1), values, nx, place, size, look);
    const auto deep = draw<DeepColor>(Executor::cpu(1), values, nx, place, size, look);
    EXPECT_TRUE(rounded(deep) == shallow) << nx << " x " << ny << ", curve " << static_cast<int>(look.curve);
    for (const Executor& executor : test::executors())
      EXPECT_TRUE(draw<DeepColor>(executor, values, nx, place, size, look) == deep)
          << executor.name() << ", " << nx << " x " << ny << ", curve " << static_cast<int>(look.curve);
  }
}

TEST(DeepCanvas, EveryCurveAndWayOfSamplingOnEveryMachine) {
  const auto both = [](int nx, int ny, Size size) {
    expect_alike<float>(nx, ny, size);
    expect_alike<double>(nx, ny, size);
  };
  both(64, 64, {333, 217});  // it grows
  both(333, 217, {64, 50});  // it shrinks
  both(1, 500, {16, 100});   // it grows along x and shrinks along y
  both(500, 3, {100, 20});
  both(160, 90, {160, 90});
}

TEST(DeepCanvas, IsTheNearestOf65536Levels) {
  for (const auto& [nx, ny, size] :
       {std::tuple{13, 11, Size{101, 64}}, {101, 64, Size{13, 11}}, {5, 70, Size{31, 9}}}) {
    const auto values = noise<double>(nx, ny, -1.5, 4.5);
    for (const Look& look : looks) {
      const auto s = [&](double v) { return curve_value(look.curve, look.linear_width, v); };
      const auto canvas = draw<DeepColor>(values, nx, size, look);
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
          const double value = reference(values, nx, size, x, size.height - 1 - y);
          const double t = (s(value) - s(look.low)) / (s(look.high) - s(look.low));
          if (t < 0) continue;  // under a logarithmic range
          const DeepColor got = canvas[y * size.width + x];
          ASSERT_NEAR(got.r, 65535 * t, 0.52) << x << " " << y << ", curve " << static_cast<int>(look.curve);
          ASSERT_EQ(got, DeepColor(got.r, got.r, got.r));
        }
    }
  }
}

TEST(DeepCanvas, AGradientHasALevelForEveryColumn) {
  const Size size{16384, 16};
  for (const Executor& executor : test::executors()) {
    const auto canvas = draw<DeepColor>(executor, std::vector<float>{0, 1}, 2, {0, 0, size.width, size.height}, size);
    std::set<std::uint16_t> levels;
    for (const DeepColor color : canvas) levels.insert(color.r);
    EXPECT_GT(levels.size(), 8000u) << "between the two centres";
    EXPECT_EQ(*levels.begin(), 0);
    EXPECT_EQ(*levels.rbegin(), 65535);
  }
}

TEST(DeepCanvas, ColoursBesideTheMapAndTheRestOfTheCanvas) {
  const std::vector<Color> map = {{0, 255, 10, 100}, {255, 0, 20}, {1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  for (const Executor& executor : test::executors()) {
    const auto canvas =
        draw<DeepColor>(executor, std::vector<double>{-1, nan, 2, 0, 1, 0.5}, 6, {1, 0, 6, 1}, {8, 1}, {}, map);
    std::vector<DeepColor> expected;
    for (const Color color : {test::blue, map[2], map[3], map[4], map[0], map[1]}) expected.push_back(deepened(color));
    expected.insert(expected.end(), {DeepColor{32768, 32768, 15 * 257, 45618}, deepened(test::blue)});
    EXPECT_EQ(canvas, expected);
  }
}

}  // namespace
}  // namespace simreel
