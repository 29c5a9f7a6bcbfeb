#include <gtest/gtest.h>

#include <cmath>

#include "backends.h"
#include "exec/buffer.h"
#include "kernels/field.h"

namespace simreel {
namespace {

// A field of 4 x 2 cells, row 0 below, drawn in greys from 0 to 1; '#' cells are solid and hold NaN.
std::vector<Color> draw(const Executor& executor, Size size) {
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
  std::vector<std::int32_t> table(axis_table_size(size.width) + axis_table_size(size.height));
  fill_axis_table(nx, size.width, table.data());
  fill_axis_table(ny, size.height, table.data() + axis_table_size(size.width));
  Buffer<std::int32_t> tables(executor, table.size());
  tables.upload(table.data());
  Buffer<Color> map(executor, colors.size());
  map.upload(colors.data());
  Buffer<Color> canvas(executor, static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  Buffer<std::byte> scratch(executor, draw_scratch_bytes(nx));
  ColorScale scale = color_scale(Curve::linear, 1, 0, 1, map.data(), 256);
  scale.obstacle = {0, 0, 200, 255};
  draw_field(executor, FieldView<float>{field.data(), nx, ny, nx, cell.data()},
             axis_samples(nx, size.width, tables.data()),
             axis_samples(ny, size.height, tables.data() + axis_table_size(size.width)), scale,
             {0, 0, size.width, size.height}, {}, canvas.data(), size, scratch.data());
  return canvas.download();
}

std::vector<Executor> executors() {
  std::vector<Executor> all = test::cpu_executors();
  if (!cuda_devices().empty()) all.push_back(Executor::cuda());
  return all;
}

Color grey(int i) { return {std::uint8_t(i), std::uint8_t(i), std::uint8_t(i)}; }

TEST(FieldWithSolids, ShowsSolidCellsInTheirColour) {
  const Color solid{0, 0, 200, 255};
  for (const Executor& executor : executors()) {
    const std::vector<Color> canvas = draw(executor, {4, 2});
    EXPECT_EQ(canvas, (std::vector<Color>{grey(102), grey(153), solid, grey(255), grey(51), solid, solid, grey(204)}));
  }
}

// Two by two cells a pixel: on the left 0.2, 0.4, 0.6 and a solid one, on the right 0.8, 1 and two solid ones.
TEST(FieldWithSolids, AveragesFluidCellsOnlyAndMixesInTheSolidPart) {
  for (const Executor& executor : executors()) {
    const std::vector<Color> canvas = draw(executor, {2, 1});
    EXPECT_NEAR(canvas[0].r, 0.75 * 102, 1);
    EXPECT_NEAR(canvas[0].b, 0.75 * 102 + 0.25 * 200, 1);
    EXPECT_NEAR(canvas[1].r, 0.5 * 229.5, 1);
    EXPECT_NEAR(canvas[1].b, 0.5 * 229.5 + 0.5 * 200, 1);
  }
}

}  // namespace
}  // namespace simreel
