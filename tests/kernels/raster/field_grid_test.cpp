// What draw_field is given: where a field lies, which cells a pixel shows, and the range of its values.

#include "exec/buffer.h"
#include "kernels/base/field_range.h"
#include "kernels/raster/field.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

TEST(AxisTable, NothingDriftsOrIsLost) {
  for (const auto& [cells, pixels] : {std::pair{16384, 1080}, {16384, 16383}, {1000003, 1920}, {17, 16}, {16384, 16}}) {
    std::vector<std::int32_t> table(axis_table_size(pixels));
    fill_axis_table(cells, pixels, table.data());
    const AxisSamples axis = axis_samples(cells, pixels, table.data());
    std::vector<double> weight(static_cast<std::size_t>(cells));
    for (int i = 0; i < pixels; ++i) {
      ASSERT_LT(axis.first[i], axis.last[i]);
      weight[axis.first[i]] += axis.first_weight[i];
      weight[axis.last[i]] += axis.last_weight[i];
      for (int k = axis.first[i] + 1; k < axis.last[i]; ++k) weight[k] += axis.unit;
      ASSERT_EQ(axis.first_weight[i] + axis.last_weight[i] + (axis.last[i] - axis.first[i] - 1) * axis.unit,
                axis.total);
      ASSERT_GT(axis.first_weight[i], 0);
      ASSERT_GT(axis.last_weight[i], 0);
    }
    EXPECT_EQ(axis.last[pixels - 1], cells - 1);
    EXPECT_EQ(weight, std::vector<double>(static_cast<std::size_t>(cells), axis.unit)) << "every cell counts the same";
  }
}

TEST(AxisTable, IsSymmetricWhereItGrows) {
  for (const auto& [cells, pixels] : {std::pair{16383, 16384}, {512, 1080}, {7, 16384}, {1, 16}, {16, 16}}) {
    std::vector<std::int32_t> table(axis_table_size(pixels));
    fill_axis_table(cells, pixels, table.data());
    const AxisSamples axis = axis_samples(cells, pixels, table.data());
    for (int i = 0; i < pixels; ++i) {
      const int j = pixels - 1 - i;
      ASSERT_EQ(axis.first[i], cells - 1 - axis.last[j]) << i;
      ASSERT_EQ(axis.first_weight[i], axis.last_weight[j]) << i;
      ASSERT_EQ(axis.first_weight[i] + axis.last_weight[i], axis.total);
      ASSERT_TRUE(axis.last[i] == axis.first[i] || axis.last[i] == axis.first[i] + 1);
    }
  }
}

TEST(FitField, KeepsTheAspectRatioCentred) {
  EXPECT_EQ(fit_field(512, 512, {1920, 1080}), (Rectangle{420, 0, 1080, 1080}));
  EXPECT_EQ(fit_field(400, 200, {1920, 1080}), (Rectangle{0, 60, 1920, 960}));
  EXPECT_EQ(fit_field(100, 300, {640, 480}), (Rectangle{240, 0, 160, 480}));
  EXPECT_EQ(fit_field(16, 9, {1920, 1080}), (Rectangle{0, 0, 1920, 1080}));
  EXPECT_EQ(fit_field(3, 2, {101, 101}), (Rectangle{0, 17, 101, 67})) << "67.3 rows";
  EXPECT_EQ(fit_field(2, 3, {101, 101}), (Rectangle{17, 0, 67, 101}));
  EXPECT_EQ(fit_field(3, 2, {100, 100}), (Rectangle{0, 16, 100, 67})) << "66.7 rows";
  EXPECT_EQ(fit_field(2, 3, {100, 100}), (Rectangle{16, 0, 67, 100}));
  EXPECT_EQ(fit_field(1, 5000, {640, 480}), (Rectangle{319, 0, 1, 480})) << "at least one pixel";
  EXPECT_EQ(fit_field(5000, 1, {640, 480}), (Rectangle{0, 239, 640, 1}));
  EXPECT_EQ(fit_field(1, 1, {16, 17}), (Rectangle{0, 0, 16, 16}));
  EXPECT_EQ(fit_field(1 << 30, 1 << 30, {16384, 16384}), (Rectangle{0, 0, 16384, 16384})) << "no overflow";
}

template <class Real>
Extremes<Real> extremes(const Executor& executor, const std::vector<Real>& values, int nx, std::size_t pitch) {
  Buffer<Real> field(executor, values);
  const int ny = static_cast<int>(values.size() / pitch);
  Buffer<std::byte> scratch(executor, extremes_scratch_bytes(nx, ny));
  return find_extremes(executor, FieldView<Real>{field.data(), nx, ny, pitch}, scratch.data());
}

template <class Real>
class FindExtremesOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(FindExtremesOf, Reals);

TYPED_TEST(FindExtremesOf, FindsEveryPlace) {
  using Real = TypeParam;
  const Executor cpu = Executor::cpu(2);
  for (const auto& [nx, ny] : {std::pair{1, 1}, {7, 5}, {33, 70}, {1, 1000}, {1000, 1}, {32, 32}}) {
    const std::size_t pitch = static_cast<std::size_t>(nx) + 2;
    for (int k = 0; k < 40; ++k) {
      std::vector<Real> values(pitch * static_cast<std::size_t>(ny),
                               Real(-1e30));  // what lies between rows must not count
      for (int y = 0; y < ny; ++y) std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(pitch) * y, nx, Real(-0.5));
      const int cell = static_cast<int>((std::int64_t{k} * (std::int64_t{nx} * ny - 1)) / 39);
      Real& value = values[pitch * static_cast<std::size_t>(cell / nx) + static_cast<std::size_t>(cell % nx)];
      for (const Real special : {Real(-7), Real(3), Real(-1e-40), std::numeric_limits<Real>::denorm_min()}) {
        value = special;
        const auto [low, high] = extremes(cpu, values, nx, pitch);
        const bool alone = nx * ny == 1;
        EXPECT_EQ(low, alone ? special : std::min(special, Real(-0.5)));
        EXPECT_EQ(high, alone ? special : std::max(special, Real(-0.5)));
      }
    }
  }
}

TYPED_TEST(FindExtremesOf, SkipsWhatIsNotFinite) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  const Real minus_nan = -Limits::quiet_NaN();
  std::vector<Real> values(100, Limits::quiet_NaN());
  values[3] = Limits::infinity(), values[4] = -Limits::infinity(), values[5] = minus_nan;
  for (const Executor& cpu : test::cpu_executors()) {
    const auto none = extremes(cpu, values, 10, 10);
    EXPECT_GT(none.low, none.high);
    auto some = values;
    some[50] = Limits::max(), some[99] = Limits::lowest();
    const auto found = extremes(cpu, some, 10, 10);
    EXPECT_EQ(found.low, Limits::lowest());
    EXPECT_EQ(found.high, Limits::max());
    some[50] = some[99] = Real(2);
    EXPECT_EQ(extremes(cpu, some, 10, 10).low, Real(2));
    EXPECT_EQ(extremes(cpu, some, 10, 10).high, Real(2));
  }
}

TYPED_TEST(FindExtremesOf, SpreadIsTheSameForAnyNumberOfThreads) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  constexpr int nx = 301, ny = 95;
  constexpr std::size_t pitch = 304;
  std::vector<Real> values(pitch * ny, Real(1e30));  // what lies between rows must not count
  std::vector<std::int8_t> kinds(values.size(), 0);
  Spread expected;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      const std::size_t at = pitch * static_cast<std::size_t>(y) + static_cast<std::size_t>(x);
      const int k = 7 * x + 13 * y;
      values[at] = static_cast<Real>(k % 101 - 50) / 8;
      if (k % 17 == 0) values[at] = k % 2 == 0 ? Limits::quiet_NaN() : -Limits::infinity();
      if (k % 19 == 0) kinds[at] = -1;
      if (k % 17 == 0 || k % 19 == 0) continue;
      const double size = std::abs(static_cast<double>(values[at]));  // eighths: sums are exact in any order
      expected = Spread::combine(expected, {size, size, size * size});
    }
  for (const Executor& cpu : test::cpu_executors()) {
    Buffer<Real> field(cpu, values);
    Buffer<std::int8_t> cell(cpu, kinds);
    Buffer<std::byte> scratch(cpu, spread_scratch_bytes(nx, ny));
    const Spread found = find_spread(cpu, FieldView<Real>{field.data(), nx, ny, pitch, cell.data()}, scratch.data());
    EXPECT_EQ(found.largest, 6.25);
    EXPECT_EQ(found.sum, expected.sum);
    EXPECT_EQ(found.squares, expected.squares);
  }
}

// Cells at rest do not count, extreme ones little, and a range never reaches beyond the largest value.
TEST(Spread, ReachesAsFarAsMostOfTheMotion) {
  const auto of = [](std::initializer_list<std::pair<int, double>> cells) {
    Spread all;
    for (const auto& [count, value] : cells)
      for (int i = 0; i < count; ++i) all = Spread::combine(all, {value, value, value * value});
    return all.reach();
  };
  EXPECT_EQ(Spread{}.reach(), 0);
  EXPECT_EQ(of({{100000, 0.0}, {10, 2.0}}), 2);
  EXPECT_NEAR(of({{1000, 1.0}, {1, 100.0}}), 2.5 * (1000 + 10000) / 1100, 1e-9);
  EXPECT_NEAR(of({{100000, 0.01}, {1, 1.0}}), 2.5 * 11 / 1001, 1e-9);
  EXPECT_EQ(of({{3, 1e-300}}), 1e-300) << "squares that underflow";
  EXPECT_EQ(of({{3, 1e300}}), 1e300) << "squares that overflow";
}

// Solid cells may hold anything.
TYPED_TEST(FindExtremesOf, SkipsSolidCells) {
  using Real = TypeParam;
  constexpr int nx = 70, ny = 50;
  constexpr std::size_t pitch = 72;
  std::vector<Real> values(pitch * ny, Real(1e6));
  std::vector<std::int8_t> cells(pitch * ny, -3);
  for (std::size_t y = 10; y < 40; ++y)
    for (std::size_t x = 5; x < 60; ++x) {
      values[y * pitch + x] = static_cast<Real>(y * 100 + x);
      cells[y * pitch + x] = x % 2 == 0 ? 0 : 1;
    }
  values[20 * pitch + 20] = Real(-5e5);
  cells[20 * pitch + 20] = -1;
  for (const Executor& cpu : test::cpu_executors()) {
    Buffer<Real> field(cpu, values);
    Buffer<std::int8_t> kinds(cpu, cells);
    Buffer<std::byte> scratch(cpu, extremes_scratch_bytes(nx, ny));
    const auto found = find_extremes(cpu, FieldView<Real>{field.data(), nx, ny, pitch, kinds.data()}, scratch.data());
    EXPECT_EQ(found.low, Real(1005));
    EXPECT_EQ(found.high, Real(3959));
    const std::vector<std::int8_t> solid(cells.size(), -1);
    kinds.upload(solid.data());
    const auto none = find_extremes(cpu, FieldView<Real>{field.data(), nx, ny, pitch, kinds.data()}, scratch.data());
    EXPECT_GT(none.low, none.high);
  }
}

template <class Real>
void expect_same_extremes(const Executor& executor) {
  std::mt19937 random(11);
  for (const auto& [nx, ny] : {std::pair{513, 300}, {3, 5000}, {5000, 3}}) {
    std::vector<Real> values(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny));
    for (Real& value : values) value = static_cast<Real>(random()) - Real(2e9);
    values[values.size() / 2] = std::numeric_limits<Real>::quiet_NaN();
    const auto found = extremes(executor, values, nx, static_cast<std::size_t>(nx));
    values[values.size() / 2] = values[0];
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    EXPECT_EQ(found.low, *low);
    EXPECT_EQ(found.high, *high);
  }
}

TEST(FindExtremes, AreTheSameOnEveryExecutor) {
  for (const Executor& executor : test::executors()) {
    expect_same_extremes<float>(executor);
    expect_same_extremes<double>(executor);
  }
}

}  // namespace
}  // namespace simreel
