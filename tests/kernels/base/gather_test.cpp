// kernels/base/gather.h: every type and stride, on every executor, against plain loops.

#include "kernels/base/gather.h"

#include "exec/buffer.h"
#include "kernels/base/finite.h"
#include "kernels/base/view.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

constexpr std::int64_t rows = 5, columns = 70;

// Bytes in executor memory.
Buffer<std::byte> uploaded(const Executor& executor, const void* from, std::size_t bytes) {
  Buffer<std::byte> memory(executor, bytes);
  memory.upload(static_cast<const std::byte*>(from));
  return memory;
}

template <class From>
void expect_gathered(const Executor& executor, Number type, const std::vector<From>& values) {
  const auto size = static_cast<std::int64_t>(sizeof(From));
  const Buffer<std::byte> memory = uploaded(executor, values.data(), values.size() * sizeof(From));
  struct Order {
    std::int64_t first, row, column;  // numbers
  };
  const Order orders[] = {
      {0, columns, 1}, {0, 1, rows},   {(rows - 1) * columns, -columns, 1}, {columns - 1, columns, -1},
      {0, 0, 1},       {0, columns, 0}};
  for (const Order& order : orders) {
    Buffer<double> to(executor, rows * columns);
    gather(executor, {memory.data() + order.first * size, type, rows, columns, order.row * size, order.column * size},
           to.data(), columns);
    const std::vector<double> got = to.download();
    for (std::int64_t y = 0; y < rows; ++y)
      for (std::int64_t x = 0; x < columns; ++x)
        ASSERT_EQ(got[y * columns + x], static_cast<double>(values[order.first + y * order.row + x * order.column]))
            << static_cast<int>(type) << " " << y << " " << x;
  }
}

template <class From>
std::vector<From> ramp(From first) {
  std::vector<From> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<From>(first + static_cast<From>(i % 97));
  return values;
}

TEST(Gather, EveryTypeAndStride) {
  for (const Executor& executor : test::executors()) {
    expect_gathered(executor, Number::float32, ramp(-3.5f));
    expect_gathered(executor, Number::float64, ramp(-3.25));
    expect_gathered(executor, Number::int8, ramp<std::int8_t>(-50));
    expect_gathered(executor, Number::int16, ramp<std::int16_t>(-30000));
    expect_gathered(executor, Number::int32, ramp<std::int32_t>(-2000000000));
    expect_gathered(executor, Number::int64, ramp<std::int64_t>(std::numeric_limits<std::int64_t>::min()));
    expect_gathered(executor, Number::uint8, ramp<std::uint8_t>(150));
    expect_gathered(executor, Number::uint16, ramp<std::uint16_t>(60000));
    expect_gathered(executor, Number::uint32, ramp<std::uint32_t>(4000000000u));
    expect_gathered(executor, Number::uint64, ramp<std::uint64_t>(18000000000000000000u));
  }
}

TEST(Gather, HalvesAndBools) {
  for (const Executor& executor : test::executors()) {
    const std::uint16_t halves[] = {0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00};
    const float numbers[] = {0.0f, -0.0f, 1.0f, -2.0f, 65504.0f, 0x1p-24f, std::numeric_limits<float>::infinity()};
    const Buffer<std::byte> memory = uploaded(executor, halves, sizeof halves);
    Buffer<float> to(executor, 7);
    gather(executor, {memory.data(), Number::float16, 1, 7, 14, 2}, to.data(), 7);
    EXPECT_EQ(std::memcmp(to.download().data(), numbers, sizeof numbers), 0);
    const std::uint8_t bytes[] = {0, 1, 255, 0, 2, 0, 0};
    const Buffer<std::byte> truths = uploaded(executor, bytes, sizeof bytes);
    gather(executor, {truths.data(), Number::boolean, 1, 7, 7, 1}, to.data(), 7);
    EXPECT_EQ(to.download(), (std::vector<float>{0, 1, 1, 0, 1, 0, 0}));
  }
}

TEST(Gather, ColumnsOfWiderRows) {
  for (const Executor& executor : test::executors()) {
    const float at[] = {1, 2, 3, 4, 5, 6};
    const Buffer<std::byte> memory = uploaded(executor, at, sizeof at);
    Buffer<float> to(executor, 8);
    to.clear();
    gather(executor, {memory.data(), Number::float32, 2, 3, 12, 4}, to.data(), 4);
    fill_column(executor, 7.0f, 2, to.data() + 3, 4);
    EXPECT_EQ(to.download(), (std::vector<float>{1, 2, 3, 7, 4, 5, 6, 7}));
  }
}

TEST(Gather, BodiesThatAreNotFinite) {
  for (const Executor& executor : test::executors()) {
    constexpr std::size_t count = 5000;
    Buffer<std::byte> scratch(executor, finite_scratch_bytes(count));
    const auto drawable = [&](std::size_t i, const Vec4<float>& body) {
      std::vector<Vec4<float>> all(count, {1, 2, 3, 0});
      all[i] = body;
      Buffer<Vec4<float>> memory(executor, count);
      memory.upload(all.data());
      return all_finite(executor, memory.data(), count, scratch.data());
    };
    EXPECT_TRUE(drawable(0, {-1, 0, 0, 4}));
    EXPECT_FALSE(drawable(4999, {std::nanf(""), 0, 0, 1}));
    EXPECT_FALSE(drawable(17, {0, std::numeric_limits<float>::infinity(), 0, 1}));
    EXPECT_FALSE(drawable(1024, {0, 0, 0, -1}));
  }
}

}  // namespace
}  // namespace simreel
