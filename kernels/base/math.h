#pragma once
// Elementary functions that give the same bits on every machine. They use + - * /, sqrt, fma and bit operations only,
// because library functions differ between CPU and GPU and between library versions. Double precision; the error is
// below 4 units in the last place over the ranges given.

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/base/launch.h"

#ifndef __CUDA_ARCH__
#include <bit>
#endif

namespace simreel::exact {

HD inline double from_bits(std::int64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(bits);
#else
  return std::bit_cast<double>(bits);
#endif
}

HD inline std::int64_t to_bits(double value) {
#ifdef __CUDA_ARCH__
  return __double_as_longlong(value);
#else
  return std::bit_cast<std::int64_t>(value);
#endif
}

// 2^k for -1022 <= k <= 1023.
HD inline double power_of_two(int k) { return from_bits(static_cast<std::int64_t>(k + 1023) << 52); }

namespace detail {

// The polynomial in x with these coefficients, that of the highest power first.
template <class... Coefficients>
HD inline double polynomial(double x, double first, Coefficients... rest) {
  return ((first = std::fma(first, x, rest)), ...);
}

// e^r - 1 for |r| <= ln(2) / 2: Taylor series up to r^13 / 13!.
HD inline double exp_minus_one_near_zero(double r) {
  const double sum =
      polynomial(r, 1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0,
                 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5);
  return std::fma(sum * r, r, r);
}

}  // namespace detail

// e^x. 0 below -708; infinity above 709.7, which is less than 0.1 below the limit of double; NaN for NaN.
HD inline double exp(double x) {
  if (x != x) return x;
  if (x < -708.0) return 0.0;
  if (x > 709.7) return std::numeric_limits<double>::infinity();
  constexpr double log2_e = 0x1.71547652b82fep+0, ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
  const double k = std::floor(x * log2_e + 0.5);
  const double r = std::fma(-k, ln2_low, std::fma(-k, ln2_high, x));  // |r| <= ln(2) / 2
  const double part = detail::exp_minus_one_near_zero(r);
  // Two factors, because 2^1024 alone is out of range.
  const int half = static_cast<int>(k) / 2;
  return (1.0 + part) * power_of_two(half) * power_of_two(static_cast<int>(k) - half);
}

namespace detail {

// (atanh s - s) / s^3 in z = s^2 from the power of s^18 on; `first`: what is summed up beyond.
HD inline double atanh_series(double z, double first) {
  return polynomial(z, first, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0,
                    1.0 / 5.0, 1.0 / 3.0);
}

// log(1 + f) - f for sqrt(1/2) - 1 <= f <= sqrt(2) - 1.
HD inline double log1p_tail(double f) {
  // log(1 + f) = 2 atanh s with s = f / (2 + f), |s| <= 0.1716; series up to s^21.
  const double s = f / (2.0 + f), z = s * s;
  const double sum = atanh_series(z, 1.0 / 21.0);
  return std::fma(2.0 * s * z, sum, -s * f);  // 2 s = f - s f, so the leading f stays exact
}

// x = 2^exponent (1 + f) with such an f.
struct Split {
  int exponent;
  double f;
};
// For normal numbers above 0.
HD inline Split split(double x) {
  const std::int64_t bits = to_bits(x);
  const double mantissa = from_bits((bits & 0xfffffffffffff) | 0x3ff0000000000000);  // in [1, 2)
  const bool high = mantissa > 1.4142135623730951;
  return {static_cast<int>(bits >> 52) - (high ? 1022 : 1023), (high ? 0.5 * mantissa : mantissa) - 1.0};
}

HD inline double log(Split x) {
  constexpr double ln2_high = 0x1.62e42fefa38p-1;  // times an exponent it is exact
  constexpr double ln2_low = 0x1.ef35793c7673p-45;
  const double k = x.exponent;
  return std::fma(k, ln2_high, x.f + std::fma(k, ln2_low, log1p_tail(x.f)));
}

}  // namespace detail

// log and asinh select between values instead of branching, so that compilers can vectorise loops over pixels.

// Natural logarithm of x > 0, subnormal numbers included. -infinity for 0, NaN below.
HD inline double log(double x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool subnormal = x < std::numeric_limits<double>::min();
  detail::Split scaled = detail::split(subnormal ? x * 0x1p54 : x);
  scaled.exponent -= subnormal ? 54 : 0;
  const double value = x == infinity ? x : detail::log(scaled);
  const double beside = x == 0.0 ? -infinity : std::numeric_limits<double>::quiet_NaN();
  return x > 0.0 ? value : beside;
}

namespace detail {

// (sin t - t) / t^3 and (cos t - 1) / t^2 in z = t^2: Taylor series up to t^16. `first`: the term of t^15, with what is
// summed up beyond.
HD inline double sine_series(double z, double first) {
  return polynomial(z, first, 1.0 / 6227020800.0, -1.0 / 39916800.0, 1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0,
                    -1.0 / 6.0);
}
HD inline double cosine_series(double z) {
  return polynomial(z, 1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0, 1.0 / 40320.0,
                    -1.0 / 720.0, 1.0 / 24.0, -0.5);
}

}  // namespace detail

// sin(pi x) for |x| <= 2^51 only; exactly 0 at integers.
HD inline double sinpi(double x) {
  const double half_turns = std::floor(2.0 * x + 0.5);  // x = half_turns / 2 + r, |r| <= 1/4
  const double r = std::fma(-0.5, half_turns, x);
  const double t = 3.14159265358979323846 * r, z = t * t;
  const auto quadrant = static_cast<std::int64_t>(half_turns) & 3;
  const double sine = std::fma(detail::sine_series(z, -1.0 / 1307674368000.0) * z, t, t);
  const double cosine = std::fma(detail::cosine_series(z), z, 1.0);
  const double value = quadrant % 2 == 0 ? sine : cosine;
  return quadrant < 2 ? value : -value;
}

// Inverse hyperbolic sine; odd, and accurate near 0.
HD inline double asinh(double x) {
  constexpr double ln2 = 0x1.62e42fefa39efp-1;
  const double a = std::fabs(x), root = std::sqrt(std::fma(a, a, 1.0));
  const bool near = a < 0.35;
  const bool far = a > 0x1p28;
  detail::Split sum = detail::split(far ? a : a + root);
  sum.exponent = near ? 0 : sum.exponent;
  sum.f = near ? std::fma(a, a / (1.0 + root), a) : sum.f;  // sqrt(a^2 + 1) + a - 1
  const double value = detail::log(sum) + (far ? ln2 : 0.0);
  const double known = a <= std::numeric_limits<double>::max() ? value : a;
  return x < 0 ? -known : known;
}

}  // namespace simreel::exact
