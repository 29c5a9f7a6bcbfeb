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
  Buffer<float> field(executor, values);
  Buffer<std::int8_t> cell(executor, cells);
  const test::AxisTables axes(executor, nx, ny, size.width, size.height);
  Buffer<Color> map(executor, colors);
  Buffer<Pixel> canvas(executor, static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  Buffer<std::byte> scratch(executor, means_scratch_bytes(nx));
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

// A field drawn with codes of the test's own, or without any.
template <class Real>
std::vector<Color> draw_shaped(const Executor& executor, const std::vector<Real>& values,
                               const std::vector<std::int8_t>& cells, int nx, Size size,
                               std::vector<std::uint8_t> codes, bool solid = true) {
  const int ny = static_cast<int>(values.size()) / nx;
  Buffer<Real> field(executor, values);
  Buffer<std::int8_t> cell(executor, cells);
  Buffer<std::uint8_t> code(executor, codes);
  const test::AxisTables axes(executor, nx, ny, size.width, size.height);
  const std::vector<Color> colors = test::greys();
  Buffer<Color> map(executor, colors);
  const int pitch = size.width + 5;
  Buffer<Color> canvas(executor, static_cast<std::size_t>(pitch) * static_cast<std::size_t>(size.height));
  canvas.clear();
  Buffer<std::byte> scratch(executor, means_scratch_bytes(nx));
  ColorScale scale = color_scale(Curve::linear, 1, 0, 1, map.data(), 256);
  scale.obstacle = {0, 0, 200, 255};
  const FieldView<Real> view{field.data(), nx, ny, static_cast<std::size_t>(nx), solid ? cell.data() : nullptr};
  if (code.size() > 0) find_plain_pixels(executor, view, axes.columns, axes.rows, code.data());
  draw_field(executor, view, axes.columns, axes.rows, scale, {0, 0, size.width, size.height}, {},
             Canvas<Color>{canvas.data(), size, pitch}, scratch.data(), {code.data()});
  return canvas.download();
}

// More pixels in a row than a block has threads, and cells that no number of pixels divides.
TEST(FieldWithSolids, ShrunkHasTheSamePixelsEverywhere) {
  constexpr int nx = 1201, ny = 113;
  std::vector<float> values = test::noise<float>(nx, ny);
  std::vector<std::int8_t> cells(values.size());
  for (std::size_t i = 0; i < cells.size(); i += 3 + i % 7) {
    cells[i] = -1;
    values[i] = NAN;
  }
  values[5000] = INFINITY;
  const auto draw_on = [&](const Executor& executor) {
    return draw_shaped(executor, values, cells, nx, {433, 29}, {});
  };
  const auto expected = draw_on(Executor::cpu(1));
  for (const Executor& executor : test::executors()) EXPECT_EQ(draw_on(executor), expected) << executor.name();
}

TEST(FieldWithShapes, IsDrawnAsWithoutThemWhereNoneIsNear) {
  const Size size{400, 210};
  std::vector<float> values = test::noise<float>(50, 30);
  const std::vector<std::uint8_t> uncovered(400 * 210, 1);
  for (const Executor& executor : test::executors()) {
    const auto expected = draw_shaped(executor, values, std::vector<std::int8_t>(values.size()), 50, size, {}, false);
    std::vector<std::int8_t> cells(values.size());
    EXPECT_EQ(draw_shaped(executor, values, cells, 50, size, uncovered), expected);
    std::vector<float> with_gap = values;
    cells[15 * 50 + 20] = -1;
    with_gap[15 * 50 + 20] = NAN;
    const auto canvas = draw_shaped(executor, with_gap, cells, 50, size, uncovered);
    int differing = 0;
    for (int y = 0; y < 210; ++y)
      for (int x = 0; x < 400; ++x) {
        const std::size_t i = static_cast<std::size_t>(y) * 405 + static_cast<std::size_t>(x);
        const bool near = std::abs(x + 0.5 - 20.5 * 8) < 8 && std::abs(209 - y + 0.5 - 15.5 * 7) < 7;
        if (!near) {
          ASSERT_EQ(canvas[i], expected[i]) << x << ", " << y;
        }
        EXPECT_EQ(canvas[i].r, canvas[i].b) << "no NaN, no obstacle";
        differing += canvas[i] != expected[i];
      }
    EXPECT_GT(differing, 100);
  }
}

TEST(FieldWithShapes, MixesByTheCodesAndLooksFurtherInGaps) {
  // Fluid of 0.2 in the outer columns, four solid columns between.
  constexpr int nx = 6, ny = 4;
  const Size size{48, 32};
  std::vector<double> values(nx * ny, NAN);
  std::vector<std::int8_t> cells(nx * ny, -1);
  for (int y = 0; y < ny; ++y)
    for (const int x : {0, 5}) values[y * nx + x] = 0.2, cells[y * nx + x] = 1;
  for (const Executor& executor : test::executors()) {
    const auto at = [&](int x, std::uint8_t code) {
      std::vector<std::uint8_t> codes(48 * 32, 255);
      codes[16 * 48 + x] = code;
      return draw_shaped(executor, values, cells, nx, size, codes)[16 * 53 + x];
    };
    EXPECT_EQ(at(8, 255), (Color{0, 0, 200, 255}));
    EXPECT_EQ(at(8, 128), (Color{26, 26, 126, 255}));  // half of (51, 51, 51)
    EXPECT_EQ(at(8, 1), (Color{51, 51, 51, 255}));
    EXPECT_EQ(at(14, 1), (Color{51, 51, 51, 255})) << "between solid cells, next to fluid";
    EXPECT_EQ(at(23, 1), (Color{0, 0, 200, 255})) << "no fluid far and wide";
  }
}

}  // namespace
}  // namespace simreel
