#include "kernels/base/math.h"

#include "kernels/base/random.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

// The distance of `value` from the true result in units of its last place.
double ulps(double value, long double truth) {
  const double nearest = static_cast<double>(truth);
  const double unit = std::nextafter(std::abs(nearest), INFINITY) - std::abs(nearest);
  return static_cast<double>(std::abs(static_cast<long double>(value) - truth)) / unit;
}

TEST(Math, ExpIsWithinTwoUnits) {
  for (int i = 0; i < 200000; ++i) {
    const double x = (random_unit(1, 0, static_cast<std::uint64_t>(i)) - 0.5) * 1400;
    ASSERT_LT(ulps(exact::exp(x), std::exp(static_cast<long double>(x))), 2.0) << x;
  }
  EXPECT_EQ(exact::exp(0.0), 1.0);
  EXPECT_EQ(exact::exp(-1000.0), 0.0);
  EXPECT_EQ(exact::exp(1000.0), INFINITY);
  EXPECT_TRUE(std::isnan(exact::exp(NAN)));
}

TEST(Math, LogIsWithinTwoUnits) {
  for (int i = 0; i < 200000; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const double x =
        std::ldexp(0.5 + random_unit(2, 0, index), static_cast<int>(random_unit(2, 1, index) * 2000) - 1000);
    ASSERT_LT(ulps(exact::log(x), std::log(static_cast<long double>(x))), 2.0) << x;
    const double near_one = 1 + (random_unit(2, 2, index) - 0.5) * 0.1;
    ASSERT_LT(ulps(exact::log(near_one), std::log(static_cast<long double>(near_one))), 2.0) << near_one;
  }
  EXPECT_EQ(exact::log(1.0), 0.0);
  EXPECT_EQ(exact::log(0.0), -INFINITY);
  EXPECT_EQ(exact::log(INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(exact::log(-1.0)));
  EXPECT_LT(ulps(exact::log(5e-324), std::log(static_cast<long double>(5e-324))), 2.0);
}

TEST(Math, SineOfPiIsWithinTwoUnits) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  for (int i = 0; i < 200000; ++i) {
    const double x = (random_unit(3, 0, static_cast<std::uint64_t>(i)) - 0.5) * 2;
    const long double turn = x - std::round(static_cast<long double>(x));
    const long double truth = std::sin(pi * turn) * (std::abs(std::fmod(std::round(x), 2.0)) > 0.5 ? -1 : 1);
    ASSERT_LT(std::abs(static_cast<double>(exact::sinpi(x) - truth)), 2.3e-16) << x;
  }
  for (const double x : {0.0, 1.0, 2.0, -3.0, 1e15}) EXPECT_EQ(std::abs(exact::sinpi(x)), 0.0) << x;
  EXPECT_EQ(exact::sinpi(0.5), 1.0);
  EXPECT_EQ(exact::sinpi(1.5), -1.0);
  EXPECT_EQ(exact::sinpi(-0.5), -1.0);
}

TEST(Math, AsinhIsWithinFourUnitsAndOdd) {
  for (int i = 0; i < 200000; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const double x = std::ldexp(0.5 + random_unit(4, 0, index), static_cast<int>(random_unit(4, 1, index) * 120) - 60);
    ASSERT_LT(ulps(exact::asinh(x), std::asinh(static_cast<long double>(x))), 4.0) << x;
    ASSERT_EQ(exact::asinh(-x), -exact::asinh(x));
  }
  EXPECT_EQ(exact::asinh(0.0), 0.0);
  EXPECT_EQ(exact::asinh(INFINITY), INFINITY);
}

TEST(Random, IsUniformAndKeyed) {
  // The first value of SplitMix64 seeded with 0, as its authors publish it.
  EXPECT_EQ(mix_bits(0), 0xe220a8397b1dcdafu);
  constexpr int count = 100000;
  double sum = 0, square = 0, product = 0;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const double a = random_unit(5, 0, index), b = random_unit(5, 1, index);
    ASSERT_GE(a, 0);
    ASSERT_LT(a, 1);
    sum += a;
    square += a * a;
    product += a * b;
  }
  EXPECT_NEAR(sum / count, 0.5, 0.005);  // five standard errors
  EXPECT_NEAR(square / count, 1.0 / 3, 0.005);
  EXPECT_NEAR(product / count, 0.25, 0.005);  // streams do not follow each other
  EXPECT_NE(random_bits(5, 0, 1), random_bits(6, 0, 1));
}

}  // namespace
}  // namespace simreel
