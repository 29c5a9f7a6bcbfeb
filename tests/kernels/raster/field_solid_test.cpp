#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/backends.h"
#include "tests/support/field_fixture.h"

namespace simreel {
namespace {

// A field of 4 x 2 cells, row 0 below, drawn in greys from 0 to 1; '#' cells are solid and hold NaN.
template <class Pixel = Color>
std::vector<Pixel> draw(const Executor& executor, Size size) {
  constexpr int nx = 4, ny = 2;
  const std::vector<float> values = {0.2f, NAN, NAN, 0.8f, 0.4f, 0.6f, NAN, 1.0f};
  const std::vector<std::int8_t> cells = {0, -1, -2, 1, 1, 1, -1, 1};
  std::vector<Color> colors;
  for (int i = 0; i < 256; ++i) colors.push_back({std::uint8_t(i), std::uint8_t(i), std::uint8_t(i)});
  colors.insert(colors.end(), {Color{255, 0, 0}, Color{255, 0, 255}, Color{0, 255, 0}});
  Buffer<float> field(executor, values.size());
  field.upload(values.data());
  Buffer<std::int8_t> cell(executor, cells.size());
  cell.upload(cells.data());
  const test::AxisTables axes(executor, nx, ny, size.width, size.height);
  Buffer<Color> map(executor, colors.size());
  map.upload(colors.data());
  Buffer<Pixel> canvas(executor, static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  Buffer<std::byte> scratch(executor, draw_scratch_bytes(nx));
  ColorScale scale = color_scale(Curve::linear, 1, 0, 1, map.data(), 256);
  scale.obstacle = {0, 0, 200, 255};
  draw_field(executor, FieldView<float>{field.data(), nx, ny, nx, cell.data()}, axes.columns, axes.rows, scale,
             {0, 0, size.width, size.height}, {}, Canvas<Pixel>{canvas.data(), size, size.width}, scratch.data());
  return canvas.download();
}

Color grey(int i) { return {std::uint8_t(i), std::uint8_t(i), std::uint8_t(i)}; }

TEST(FieldWithSolids, ShowsSolidCellsInTheirColour) {
  const Color solid{0, 0, 200, 255};
  for (const Executor& executor : test::executors()) {
    const std::vector<Color> canvas = draw(executor, {4, 2});
    EXPECT_EQ(canvas, (std::vector<Color>{grey(102), grey(153), solid, grey(255), grey(51), solid, solid, grey(204)}));
  }
}

// Two by two cells a pixel: on the left 0.2, 0.4, 0.6 and a solid one, on the right 0.8, 1 and two solid ones.
TEST(FieldWithSolids, AveragesFluidCellsOnlyAndMixesInTheSolidPart) {
  for (const Executor& executor : test::executors()) {
    const std::vector<Color> canvas = draw(executor, {2, 1});
    EXPECT_NEAR(canvas[0].r, 0.75 * 102, 1);
    EXPECT_NEAR(canvas[0].b, 0.75 * 102 + 0.25 * 200, 1);
    EXPECT_NEAR(canvas[1].r, 0.5 * 229.5, 1);
    EXPECT_NEAR(canvas[1].b, 0.5 * 229.5 + 0.5 * 200, 1);
  }
}

TEST(FieldWithSolids, InSixteenBitsIsMixedFromUnroundedColours) {
  for (const Executor& executor : test::executors()) {
    const auto whole = draw<DeepColor>(executor, {4, 2});
    EXPECT_EQ(whole[2], (DeepColor{0, 0, 200 * 257}));
    EXPECT_EQ(whole[0], (DeepColor{102 * 257, 102 * 257, 102 * 257}));
    const auto mixed = draw<DeepColor>(executor, {2, 1});
    EXPECT_NEAR(mixed[0].r, 0.75 * 102 * 257, 1);
    EXPECT_NEAR(mixed[0].b, (0.75 * 102 + 0.25 * 200) * 257, 1);
    EXPECT_NEAR(mixed[1].r, 0.5 * 229.5 * 257, 1);
    EXPECT_NEAR(mixed[1].b, (0.5 * 229.5 + 0.5 * 200) * 257, 1);
  }
}

}  // namespace
}  // namespace simreel
