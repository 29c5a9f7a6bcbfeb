#include "run/live_view.h"

#include "tests/support/test.h"

namespace simreel::test {
namespace {

TEST(LiveView, ShrinksByMeansWhatSomebodyAsksFor) {
  constexpr Size wide{2000, 4};
  const Executor cpu = Executor::cpu(1);
  ViewOptions options;
  options.range = RangeMode::fixed;
  options.size = wide;
  Rasterizer rasterizer(cpu, options);
  std::vector<Color> colors;
  for (int i = 0; i < 8000; ++i) colors.push_back({std::uint8_t(i % 2000 % 256), std::uint8_t(i / 2000), 255, 255});
  rasterizer.show(colors.data());
  LiveView view;
  const auto picture_now = [&] {
    view.show(cpu, rasterizer, wide, PixelLayout::rgb);
    return view.picture();
  };
  EXPECT_FALSE(picture_now());  // nobody had asked
  const auto picture = picture_now();
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->size, (Size{666, 1}));  // of squares of 3 pixels; what is left over goes
  ASSERT_EQ(picture->rgb.size(), 666 * 3);
  const auto red = [&](std::size_t x) { return int(picture->rgb[3 * x]); };
  EXPECT_EQ((std::array{red(0), red(1), red(85)}), (std::array{1, 4, (255 + 0 + 1 + 1) / 3}));  // columns 255, 256, 257
  EXPECT_EQ((std::array{int(picture->rgb[1]), int(picture->rgb[2])}), (std::array{1, 255}));
  EXPECT_FALSE(view.picture());
  EXPECT_FALSE(picture_now());  // not within a tenth of a second
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
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(rows[i], (std::vector<double>{double(i) * step, 2 * double(i) * step}));
  EXPECT_GT(rows.back()[0] + step, 9'999);
}

}  // namespace
}  // namespace simreel::test
