#include "kernels/base/elementary.h"

#include "kernels/base/random.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

// The distance of `value` from the true result in units of its last place.
double ulps(double value, long double truth) {
  const double nearest = std::abs(static_cast<double>(truth));
  const double unit = std::nextafter(nearest, INFINITY) - nearest;
  return static_cast<double>(std::abs(static_cast<long double>(value) - truth)) / unit;
}

double unit(std::uint64_t stream, int i) { return random_unit(21, stream, static_cast<std::uint64_t>(i)); }
// Of either sign, spread evenly over the exponents `min` to `max` of 2.
double spread(int i, double min, double max) {
  const double size = std::exp2(min + (max - min) * unit(0, i)) * (1 + unit(1, i));
  return unit(2, i) < 0.5 ? -size : size;
}

constexpr int count = 100000;

// The largest error over numbers of 2^least to 2^most, in units.
template <class Ours, class Theirs>
double largest_error(Ours ours, Theirs theirs, double min, double max) {
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    const double x = spread(i, min, max);
    worst = std::max(worst, ulps(ours(x), theirs(static_cast<long double>(x))));
  }
  return worst;
}

TEST(Elementary, SineCosineAndTangentAreWithinTheirUnits) {
  const auto sine = [](long double x) { return std::sin(x); };
  const auto cosine = [](long double x) { return std::cos(x); };
  const auto tangent = [](long double x) { return std::tan(x); };
  for (const auto& [min, max] : {std::pair(-60.0, 3.0), std::pair(3.0, 29.0)}) {
    EXPECT_LT(largest_error([](double x) { return exact::sin(x); }, sine, min, max), 1.3) << min;
    EXPECT_LT(largest_error([](double x) { return exact::cos(x); }, cosine, min, max), 1.3) << min;
    EXPECT_LT(largest_error([](double x) { return exact::tan(x); }, tangent, min, max), 3.0) << min;
  }
  // Next to the zeros, where all of x but the last bits cancels.
  constexpr long double half_pi = 1.57079632679489661923132169163975144L;
  for (int k = 1; k < 3000; ++k) {
    const auto x = static_cast<double>(k * half_pi);
    const double value = k % 2 == 0 ? exact::sin(x) : exact::cos(x);
    const long double truth =
        k % 2 == 0 ? std::sin(static_cast<long double>(x)) : std::cos(static_cast<long double>(x));
    ASSERT_LT(ulps(value, truth), 1.3) << k;
  }
  EXPECT_EQ(exact::sin(0.0), 0.0);
  EXPECT_EQ(exact::cos(0.0), 1.0);
  for (const double x : {0x1.8p30, -1e300, double{INFINITY}, double{NAN}}) {
    EXPECT_TRUE(std::isnan(exact::sin(x))) << x;
    EXPECT_TRUE(std::isnan(exact::cos(x))) << x;
    EXPECT_TRUE(std::isnan(exact::tan(x))) << x;
  }
}

TEST(Elementary, ArcusFunctionsAreWithinTheirUnits) {
  EXPECT_LT(largest_error([](double x) { return exact::atan(x); }, [](long double x) { return std::atan(x); }, -60, 60),
            2.0);
  EXPECT_LT(largest_error([](double x) { return exact::asin(x); }, [](long double x) { return std::asin(x); }, -60, -1),
            3.0);
  EXPECT_LT(largest_error([](double x) { return exact::acos(x); }, [](long double x) { return std::acos(x); }, -60, -1),
            3.0);
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    const double x = spread(i, -5, 5), y = spread(i + count, -5, 5);
    worst =
        std::max(worst, ulps(exact::atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 3.0);
  EXPECT_EQ(exact::atan2(0.0, 0.0), 0.0);
  EXPECT_EQ(exact::atan2(0.0, -1.0), 3.141592653589793);
  EXPECT_EQ(exact::atan2(-2.0, 0.0), -1.5707963267948966);
  EXPECT_EQ(exact::atan(INFINITY), 1.5707963267948966);
  EXPECT_TRUE(std::isnan(exact::asin(1.5)));
  EXPECT_TRUE(std::isnan(exact::atan(NAN)));
}

TEST(Elementary, TanhAndHypotAreWithinTheirUnits) {
  EXPECT_LT(largest_error([](double x) { return exact::tanh(x); }, [](long double x) { return std::tanh(x); }, -60, 6),
            3.0);
  EXPECT_EQ(exact::tanh(-0.0), 0.0);
  EXPECT_EQ(exact::tanh(-INFINITY), -1.0);
  EXPECT_TRUE(std::isnan(exact::tanh(NAN)));
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    const double x = spread(i, -1000, 1000), y = x * spread(i + count, -5, 5);
    ASSERT_EQ(exact::hypot(x, y), exact::hypot(-y, x));
    worst =
        std::max(worst, ulps(exact::hypot(x, y), std::hypot(static_cast<long double>(x), static_cast<long double>(y))));
  }
  EXPECT_LT(worst, 2.0);
  EXPECT_EQ(exact::hypot(3.0, -4.0), 5.0);
  EXPECT_EQ(exact::hypot(0.0, 0.0), 0.0);
}

TEST(Elementary, PowersAreWithinTheirUnits) {
  double worst_small = 0, worst = 0;
  for (int i = 0; i < count; ++i) {
    const double x = std::abs(spread(i, -1000, 1000)), reach = std::abs(std::log(x)) + 1e-3;
    const double small = (unit(3, i) - 0.5) * 200 / reach, large = (unit(3, i) - 0.5) * 1400 / reach;
    const long double precise = x;
    worst_small = std::max(worst_small, ulps(exact::pow(x, small), std::pow(precise, static_cast<long double>(small))));
    worst = std::max(worst, ulps(exact::pow(x, large), std::pow(precise, static_cast<long double>(large))));
  }
  EXPECT_LT(worst_small, 3.0);
  EXPECT_LT(worst, 20.0);
  const double values[] = {-INFINITY, -3, -2.5, -1, -0.0, 0.0, 0.5, 1, 2, INFINITY, NAN};
  for (const double x : values)
    for (const double y : values) {
      const double ours = exact::pow(x, y), theirs = std::pow(x, y);
      if (x == 0 && theirs == 0) continue;  // the sign of zero is not kept for odd exponents of -0
      if (std::isnan(theirs))
        EXPECT_TRUE(std::isnan(ours)) << x << " " << y;
      else
        EXPECT_LE(x == 0 ? std::abs(std::abs(ours) - std::abs(theirs)) > 0 : std::abs(ours - theirs) > 1e-15, 0)
            << x << " " << y;
    }
  EXPECT_LT(ulps(exact::pow(5e-324, 0.5), std::sqrt(static_cast<long double>(5e-324))), 4.0);
}

TEST(Elementary, RemaindersHaveTheSignOfTheDivisor) {
  for (int i = 0; i < count; ++i) {
    const double x = spread(i, -20, 20), y = spread(i + count, -5, 5), rest = exact::mod(x, y);
    ASSERT_TRUE(y > 0 ? rest >= 0 && rest < y : rest <= 0 && rest > y) << x << " mod " << y << " = " << rest;
    long double truth = std::fmod(static_cast<long double>(x), static_cast<long double>(y));
    if (truth != 0 && (truth < 0) != (y < 0)) truth += y;
    ASSERT_LE(std::abs(rest - truth), 1.2e-16L * std::abs(static_cast<long double>(y))) << x << " mod " << y;
  }
  EXPECT_EQ(exact::mod(-0.25, 1.0), 0.75);
  EXPECT_EQ(exact::mod(7.0, 7.0), 0.0);
  EXPECT_TRUE(std::isnan(exact::mod(1.0, 0.0)));
  EXPECT_EQ(exact::round(2.5), 3.0);
  EXPECT_EQ(exact::round(-0.5), -1.0);
  EXPECT_EQ(exact::round(0.49999999999999994), 0.0);
  EXPECT_EQ(exact::sign(-3.0), -1.0);
}

TEST(Elementary, NoiseIsSmoothAndKeyed) {
  double sum = 0, largest = 0, jump = 0;
  for (int i = 0; i < count; ++i) {
    const double x = (unit(0, i) - 0.5) * 1000, y = (unit(1, i) - 0.5) * 1000, value = exact::noise(x, y, 7);
    ASSERT_EQ(value, exact::noise(x, y, 7));
    sum += value;
    largest = std::max(largest, std::abs(value));
    jump = std::max(jump, std::abs(value - exact::noise(x + 1e-6, y, 7)));
  }
  EXPECT_LT(std::abs(sum / count), 0.01);
  EXPECT_LE(largest, 1.0);
  EXPECT_GT(largest, 0.5);
  EXPECT_LT(jump, 5e-6);
  EXPECT_EQ(exact::noise(3, -4, 7), 0.0);
  EXPECT_NE(exact::noise(0.5, 0.5, 7), exact::noise(0.5, 0.5, 8));
  EXPECT_TRUE(std::isnan(exact::noise(NAN, 0, 7)));
}

}  // namespace
}  // namespace simreel
