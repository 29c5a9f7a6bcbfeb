#include "kernels/base/half.h"

#include "tests/support/half_f16c.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

// Every half is a float and comes back; between two neighbours the nearer one is taken, and the even one from the
// middle.
TEST(Half, RoundsToNearestEven) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const float value = half_to_float(half);
    if ((bits & 0x7fff) > 0x7c00) {
      EXPECT_TRUE(std::isnan(value));
      continue;
    }
    EXPECT_EQ(float_to_half(value).bits, bits);
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const float expected =
        exponent == 31
            ? INFINITY
            : std::ldexp(static_cast<float>(bits & 1023) + (exponent > 0 ? 1024.0f : 0.0f), std::max(exponent, 1) - 25);
    EXPECT_EQ(std::abs(value), expected);
    if ((bits & 0x7fff) >= 0x7bff) continue;
    const float next = half_to_float({static_cast<std::uint16_t>(bits + 1)}), middle = 0.5f * (value + next);
    EXPECT_EQ(float_to_half(middle).bits, bits % 2 == 0 ? bits : bits + 1);
    EXPECT_EQ(float_to_half(std::nextafter(middle, value)).bits, bits);
    EXPECT_EQ(float_to_half(std::nextafter(middle, next)).bits, bits + 1);
  }
  EXPECT_EQ(float_to_half(65519.9f).bits, 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(float_to_half(-1e30f).bits, 0xfc00);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(NAN))));
}

// Files compiled for CPUs with and without F16C are linked into one program here, as they are in simreel: neither may
// replace the conversions of the other, and both give the same bits.
TEST(Half, ConversionsOfBothTargetsStandSideBySide) {
#if defined(__x86_64__) && !defined(__F16C__)
  EXPECT_NE(test::f16c_conversion(), &half_to_float);
#endif
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const float value = half_to_float(half), other = test::f16c_half_to_float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(other));
      continue;
    }
    EXPECT_EQ(value, other);
    for (const float near : {value, value * 1.0003f, value * 1.00048828125f})
      EXPECT_EQ(float_to_half(near).bits, test::f16c_float_to_half(near).bits) << near;
  }
}

}  // namespace
}  // namespace simreel
