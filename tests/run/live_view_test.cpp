#include "run/live_view.h"

#include "tests/support/test.h"

namespace simreel::test {
namespace {

constexpr Size wide{2000, 4};

// A picture whose red is the column modulo 256, whose green is the row, and whose blue is 255.
Rasterizer rasterizer_of(const Executor& executor, std::vector<Color>& colors) {
  ViewOptions view;
  view.range = RangeMode::fixed;
  view.size = wide;
  Rasterizer rasterizer(executor, view);
  for (int y = 0; y < wide.height; ++y)
    for (int x = 0; x < wide.width; ++x) colors.push_back({std::uint8_t(x % 256), std::uint8_t(y), 255, 255});
  rasterizer.show(colors.data());
  return rasterizer;
}

TEST(LiveView, ShrinksByMeansWhatSomebodyAsksFor) {
  const Executor cpu = Executor::cpu(1);
  std::vector<Color> colors;
  const Rasterizer rasterizer = rasterizer_of(cpu, colors);
  LiveView view;
  view.show(cpu, rasterizer, wide, PixelLayout::rgb);
  EXPECT_FALSE(view.picture());  // nobody had asked
  view.show(cpu, rasterizer, wide, PixelLayout::rgb);
  const auto picture = view.picture();
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->size, (Size{666, 1}));  // of squares of 3 pixels; what is left over goes
  ASSERT_EQ(picture->rgb.size(), 666 * 3);
  EXPECT_EQ(int(picture->rgb[0]), 1);  // of 0, 1, 2
  EXPECT_EQ(int(picture->rgb[3]), 4);  // of 3, 4, 5
  EXPECT_EQ(int(picture->rgb[1]), 1);  // of rows 0, 1, 2
  EXPECT_EQ(int(picture->rgb[2]), 255);
  EXPECT_EQ(int(picture->rgb[85 * 3]), (255 + 0 + 1 + 1) / 3);  // columns 255, 256, 257
  EXPECT_FALSE(view.picture());
  view.show(cpu, rasterizer, wide, PixelLayout::rgb);
  EXPECT_FALSE(view.picture());  // not within a tenth of a second
}

TEST(LiveView, ThinsOutItsRows) {
  LiveView view;
  EXPECT_FALSE(view.wants_values());  // nobody looks
  EXPECT_TRUE(view.rows().empty());
  EXPECT_TRUE(view.wants_values());
  for (int i = 0; i < 10'000; ++i) view.add_values(i, {2.0 * i}, 0);
  EXPECT_FALSE(view.wants_values());  // within a second
  const std::vector<std::vector<double>> rows = view.rows();
  ASSERT_GE(rows.size(), LiveView::max_rows / 2);
  ASSERT_LT(rows.size(), LiveView::max_rows);
  const double step = rows[1][0];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i], (std::vector<double>{double(i) * step, 2 * double(i) * step}));
  }
  EXPECT_GT(rows.back()[0] + step, 9'999);
}

}  // namespace
}  // namespace simreel::test
