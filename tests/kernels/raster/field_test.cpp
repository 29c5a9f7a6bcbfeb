#include "kernels/raster/field.h"

#include "kernels/raster/field_bilinear.cuh"
#include "kernels/raster/field_color.h"
#include "tests/support/backends.h"
#include "tests/support/field_fixture.h"

namespace simreel {
namespace {

using test::blue, test::draw, test::green, test::infinity, test::Look, test::magenta, test::nan, test::noise, test::red,
    test::reference;

// Every pixel is the grey nearest to 255 t of the reference value.
template <class Real>
void expect_reference(const std::vector<Real>& values, int nx, Size size) {
  const auto canvas = draw(values, nx, size);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const double exact = 255 * reference(values, nx, size, x, size.height - 1 - y);
      const Color got = canvas[y * size.width + x];
      ASSERT_NEAR(got.r, exact, 0.5 + 1e-4) << x << " " << y << " in " << size.width << " x " << size.height;
      ASSERT_EQ(got, Color(got.r, got.r, got.r));
    }
}

TEST(CurveValue, ClosedForms) {
  const double w = 0.3;
  for (const double v : {1e-300, 1e-9, 0.1, 0.29999, 0.3, 0.30001, 1.0, 7.5, 1e6, 1e300}) {
    const auto near = [&](Curve curve, double expected) {
      const double got = curve_value(curve, w, v);
      EXPECT_NEAR(got, expected, 4e-16 * std::max(std::fabs(expected), 1e-300))
          << static_cast<int>(curve) << " at " << v;
      if (curve != Curve::log) {
        EXPECT_EQ(curve_value(curve, w, -v), -got) << "odd, at " << v;
      }
    };
    near(Curve::linear, v);
    near(Curve::log, std::log(v));
    near(Curve::symlog, v <= w ? v / w : 1 + std::log(v / w));
    near(Curve::sqrt, std::sqrt(v));
    near(Curve::asinh, std::asinh(v / w));
  }
  for (const Curve curve : {Curve::linear, Curve::symlog, Curve::sqrt, Curve::asinh}) {
    EXPECT_EQ(curve_value(curve, w, 0), 0);
    EXPECT_EQ(curve_value(curve, w, infinity), infinity);
    EXPECT_EQ(curve_value(curve, w, -infinity), -infinity);
    EXPECT_TRUE(std::isnan(curve_value(curve, w, nan)));
  }
  EXPECT_EQ(curve_value(Curve::log, w, 0), -infinity);
  EXPECT_EQ(curve_value(Curve::log, w, -1), -infinity);
  EXPECT_EQ(curve_value(Curve::log, w, infinity), infinity);
  EXPECT_TRUE(std::isnan(curve_value(Curve::log, w, nan)));
}

TEST(DrawField, ScalesSpreadValuesOverTheColormap) {
  const auto values = noise<double>(64, 1, -2, 5);
  const std::vector<Look> looks = {{Curve::linear, -2, 5, 1},
                                   {Curve::log, 0.01, 5, 1},
                                   {Curve::symlog, -2, 5, 0.25},
                                   {Curve::sqrt, -2, 5, 1},
                                   {Curve::asinh, -2, 5, 0.25}};
  for (const Look& look : looks) {
    const auto s = [&](double v) { return curve_value(look.curve, look.linear_width, v); };
    const auto canvas = draw(values, 64, {64, 1}, look);
    for (std::size_t i = 0; i < 64; ++i) {
      const double t = (s(values[i]) - s(look.low)) / (s(look.high) - s(look.low));
      if (t < 0)
        EXPECT_EQ(canvas[i], red) << "only a logarithm is out of range here";
      else
        EXPECT_NEAR(canvas[i].r, 255 * t, 0.5 + 1e-4) << static_cast<int>(look.curve) << " at " << values[i];
    }
  }
}

TEST(DrawField, UnderOverAndNan) {
  const std::vector<double> values = {-infinity, -0.1, -1e-5, -1e-8, 0, 1, 1 + 1e-8, 1 + 1e-5, 2, infinity, nan};
  const Color black{0, 0, 0}, white{255, 255, 255};
  const std::vector<Color> expected = {red, red, red, black, black, white, white, green, green, green, magenta};
  EXPECT_EQ(draw(values, 11, {11, 1}), expected);
  for (const Curve curve : {Curve::symlog, Curve::sqrt, Curve::asinh}) {
    const auto canvas = draw(values, 11, {11, 1}, {curve, -0.05, 1, 0.1});
    for (const std::size_t i : {0u, 1u}) EXPECT_EQ(canvas[i], red) << static_cast<int>(curve);
    for (const std::size_t i : {8u, 9u}) EXPECT_EQ(canvas[i], green) << static_cast<int>(curve);
    EXPECT_EQ(canvas[10], magenta) << static_cast<int>(curve);
  }
  const auto canvas = draw(values, 11, {11, 1}, {Curve::log, 0.5, 1, 0.1});
  for (const std::size_t i : {0u, 1u, 4u})
    EXPECT_EQ(canvas[i], red) << "zero and negative values lie under a logarithmic range";
  EXPECT_EQ(canvas[9], green);
  EXPECT_EQ(canvas[10], magenta);
}

TEST(DrawField, APlateauAtTheEndOfANarrowRangeIsNotBeyondIt) {
  // Interpolating 1.00001f with itself in float rounds to its neighbour now and then: much more than a millionth of
  // this range.
  for (const double end : {1.00001, 0.99999}) {
    const Look look{Curve::linear, end < 1 ? end : 1, end < 1 ? 1 : end};
    const Look narrow{Curve::linear, double(float(look.low)), double(float(look.high))};
    const Color color = end < 1 ? Color{0, 0, 0} : Color{255, 255, 255};
    for (const Size size : {Size{61, 47}, Size{7, 5}})
      EXPECT_EQ(draw(std::vector<float>(23 * 17, float(end)), 23, size, narrow),
                std::vector<Color>(static_cast<std::size_t>(size.width * size.height), color));
  }
  const Look tight{Curve::linear, 1, 1 + 1e-12};
  EXPECT_EQ(draw(std::vector<double>(23 * 17, tight.high), 23, {61, 47}, tight),
            std::vector<Color>(61 * 47, Color(255, 255, 255)));
}

TEST(DrawField, ARangeTooNarrowForTheCurveStaysInTheMap) {
  for (const Look& look : {Look{Curve::sqrt, 1e20, 1e20 + 16384}, Look{Curve::linear, 0, 5e-324}})
    EXPECT_EQ(draw(std::vector<double>{look.low, look.high, infinity, -infinity}, 4, {4, 1}, look),
              (std::vector<Color>{{0, 0, 0}, {0, 0, 0}, green, red}));
}

TEST(DrawField, NanAndInfinityCountWhereTheyArePartOfAPixelOnly) {
  for (const double special : {nan, infinity, -infinity}) {
    const Color color = std::isnan(special) ? magenta : special > 0 ? green : red;
    std::vector<float> values(8 * 8, 0.5f);
    values[3 * 8 + 4] = static_cast<float>(special);
    const auto columns = [&](Size size) {  // columns and rows that show the special colour, as first and last
      const auto canvas = draw(values, 8, size);
      Rectangle found{size.width, size.height, 0, 0};
      int count = 0;
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
          if (canvas[y * size.width + x] == color) {
            found = {std::min(found.x, x), std::min(found.y, y), std::max(found.width, x), std::max(found.height, y)};
            ++count;
          }
      EXPECT_EQ(count, (found.width - found.x + 1) * (found.height - found.y + 1));
      return found;
    };
    EXPECT_EQ(columns({8, 8}), (Rectangle{4, 4, 4, 4}));        // one cell is one pixel
    EXPECT_EQ(columns({4, 4}), (Rectangle{2, 2, 2, 2}));        // four cells are one pixel
    EXPECT_EQ(columns({16, 16}), (Rectangle{7, 7, 10, 10}));    // all whose centre is less than a cell away
    EXPECT_EQ(columns({24, 24}), (Rectangle{11, 11, 15, 15}));  // a pixel on the next cell's centre does not see it
  }
}

TEST(DrawField, TheRestIsBackground) {
  const Size size{9, 7};
  const Rectangle place{3, 2, 4, 3};
  const auto canvas = draw(Executor::cpu(1), std::vector<float>(12, 1.0f), 4, place, size);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const bool inside = x >= 3 && x < 7 && y >= 2 && y < 5;
      EXPECT_EQ(canvas[y * size.width + x], (inside ? Color{255, 255, 255} : blue)) << x << " " << y;
    }
}

template <class Pixel>
void expect_put(const Executor& executor) {
  const Size size{9, 7};
  const int pitch = 12;
  const Rectangle place{2, 1, 4, 5};
  std::vector<Pixel> rows(20);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].r = static_cast<std::uint8_t>(i + 1);
  Buffer<Pixel> from(executor, rows.size()), canvas(executor, std::size_t{7} * pitch);
  from.upload(rows.data());
  std::vector<Pixel> expected(canvas.size());
  canvas.upload(expected.data());
  put_rows(executor, from.data(), place, green, Canvas<Pixel>{canvas.data(), size, pitch});
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const bool inside = x >= 2 && x < 6 && y >= 1 && y < 6;
      Pixel& pixel = expected[y * pitch + x];
      if (inside)
        pixel = rows[(y - 1) * 4 + x - 2];
      else
        store_pixel(&pixel, word_of<Pixel>(green));
    }
  EXPECT_TRUE(canvas.download() == expected) << executor.name();
}

TEST(PutRows, FillsThePlaceAndWhatIsAroundItAndNothingElse) {
  for (const Executor& executor : test::executors()) {
    expect_put<Color>(executor);
    expect_put<DeepColor>(executor);
  }
}

TEST(DrawField, ColoursAreInterpolatedAndRounded) {
  // Two entries: 127.5 rounds up, and each channel goes its own way.
  const std::vector<Color> map = {{0, 255, 10}, {255, 0, 20}, red, magenta, green};
  EXPECT_EQ(draw(std::vector<double>{0, 0.5, 0.75, 1}, 4, {4, 1}, {}, map),
            (std::vector<Color>{{0, 255, 10}, {128, 128, 15}, {191, 64, 18}, {255, 0, 20}}));
  // Three entries: the middle one is met exactly.
  const std::vector<Color> three = {{0, 0, 0}, {10, 200, 30}, {255, 255, 255}, red, magenta, green};
  EXPECT_EQ(draw(std::vector<double>{0.25, 0.5}, 2, {2, 1}, {}, three),
            (std::vector<Color>{{5, 100, 15}, {10, 200, 30}}));
}

TEST(DrawField, TranslucentColoursKeepTheirAlpha) {
  const std::vector<Color> map = {{0, 0, 0}, {255, 255, 255}, {1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  EXPECT_EQ(draw(std::vector<double>{-1, nan, 2}, 3, {3, 1}, {}, map),
            (std::vector<Color>{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}));
}

TEST(DrawField, IsTheInterpolationOrTheMeanOfTheTextbook) {
  expect_reference(noise<float>(13, 11), 13, {101, 64});
  expect_reference(noise<double>(13, 11), 13, {26, 11});
  expect_reference(noise<float>(1, 9), 1, {5, 50});
  expect_reference(noise<float>(9, 1), 9, {50, 5});
  expect_reference(noise<float>(1, 1), 1, {16, 16});
  expect_reference(noise<float>(101, 64), 101, {13, 11});
  expect_reference(noise<double>(100, 60), 100, {99, 59});
  expect_reference(noise<float>(97, 89), 97, {1, 1});
  expect_reference(noise<float>(64, 64), 64, {32, 16});
  expect_reference(noise<float>(5, 70), 5, {31, 9});
  expect_reference(noise<double>(70, 5), 70, {9, 31});
  expect_reference(noise<float>(1, 300), 1, {1, 17});
}

// A pixel that is a cell has the bits that interpolation gives, wherever the range lies and whatever the cell holds.
TEST(DrawField, APixelThatIsACellHasTheBitsOfInterpolation) {
  constexpr int nx = 67, ny = 45;
  const Executor executor = Executor::cpu(2);
  auto values = noise<float>(nx * ny, 3, -2, 5);
  values[7] = static_cast<float>(nan);
  values[70] = static_cast<float>(infinity);
  values[71] = -values[70];
  std::vector<std::int32_t> table(axis_table_size(nx) + axis_table_size(ny));
  fill_axis_table(nx, nx, table.data());
  fill_axis_table(ny, ny, table.data() + axis_table_size(nx));
  const AxisSamples columns = axis_samples(nx, nx, table.data()),
                    rows = axis_samples(ny, ny, table.data() + axis_table_size(nx));
  const std::vector<Color> colors = {red, green, blue, magenta, blue, red};
  std::vector<std::byte> scratch(means_scratch_bytes(nx));
  const FieldView<float> field{values.data(), nx, ny, nx};
  for (const auto& [low, high] : {std::pair(-2.0, 5.0), std::pair(0.1, 0.3), std::pair(1e-7, 3e6)})
    for (const Curve curve : {Curve::linear, Curve::log, Curve::symlog, Curve::sqrt, Curve::asinh}) {
      if (curve == Curve::log && low <= 0) continue;
      const ColorScale scale = color_scale(curve, 0.5, low, high, colors.data(), 3);
      std::vector<Color> drawn(nx * ny), interpolated(nx * ny);
      draw_field(executor, field, columns, rows, scale, {0, 0, nx, ny}, red, Canvas<Color>{drawn.data(), {nx, ny}, nx},
                 scratch.data());
      draw_samples(executor, Interpolated<float>{field, columns, rows, scale.offset, 1 / (columns.total * rows.total)},
                   scale, {nx, ny}, interpolated.data(), nx);
      EXPECT_EQ(drawn, interpolated) << static_cast<int>(curve) << " from " << low;
    }
}

TEST(DrawField, AWideFieldIsAveragedInSeveralBands) {
  const int nx = 200003;  // 5 rows of column sums fit the scratch memory
  std::vector<float> values(static_cast<std::size_t>(nx) * 23);
  for (int y = 0; y < 23; ++y)
    for (int x = 0; x < nx; ++x) values[y * nx + x] = float(x % 1000 * (y + 1)) / 23000;
  expect_reference(values, nx, {2, 17});
}

// Fields, places and scales for the comparisons between machines. On a GPU a row of pixels that shrinks lies in one
// tile, in several of which the last one is cut short, or in none, where pixels are too wide for one.
template <class Real>
void expect_parity(const Executor& other) {
  const Executor one = Executor::cpu(1);
  for (const auto& [nx, ny, width, height] : {std::array{64, 64, 217, 217},
                                              {512, 288, 640, 360},
                                              {333, 217, 64, 42},
                                              {1, 500, 1, 100},
                                              {500, 3, 100, 1},
                                              {2051, 300, 701, 103},
                                              {2000, 9, 333, 2},
                                              {40000, 3, 150, 1},
                                              {301, 333, 700, 100},
                                              {3000, 20, 700, 33}}) {
    auto values = noise<Real>(nx, ny, -2, 5);
    values[values.size() / 2] = Real(nan);
    values[values.size() / 3] = Real(infinity);
    const Size size{width + 5, height + 3};
    const Rectangle place{2, 3, width, height};
    for (const Curve curve : {Curve::linear, Curve::log, Curve::symlog, Curve::sqrt, Curve::asinh}) {
      const Look look{curve, curve == Curve::log ? 0.01 : -1.5, 4.5, 0.2};
      EXPECT_TRUE(draw(other, values, nx, place, size, look) == draw(one, values, nx, place, size, look))
          << other.name() << ", " << nx << " x " << ny << ", curve " << static_cast<int>(curve);
    }
  }
}

TEST(DrawField, HasTheSamePixelsOnEveryExecutor) {
  for (const Executor& executor : test::executors()) {
    expect_parity<float>(executor);
    expect_parity<double>(executor);
  }
}

}  // namespace
}  // namespace simreel
