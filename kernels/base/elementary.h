#pragma once
// More elementary functions that give the same bits on every machine, as math.h has them: + - * /, sqrt, fma and bit
// operations only. Double precision. They select between values instead of branching, so that loops over them
// vectorise, except pow and noise. Errors are in units in the last place of the result, over the ranges given;
// tests/kernels/base/elementary_test.cpp measures them against long double.

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/base/math.h"
#include "kernels/base/random.h"

namespace simreel::exact {

namespace detail {

inline constexpr double round_magic =
    0x1.8p52;  // added to |x| < 2^51: the low bits of the sum are x rounded to a whole number
inline constexpr double half_pi_high = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54;

// x = quarters pi / 2 + high + low, |high| at most pi / 4 and a hair. For |x| <= 2^30.
struct Turn {
  std::int64_t quarters;
  double high, low;
};
HD inline Turn turn(double x) {
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1, half_pi_third = -0x1.f1976b7ed8fbcp-110;
  const double shifted = std::fma(x, two_over_pi, round_magic), k = shifted - round_magic;
  const double first = std::fma(-k, half_pi_high, x);  // exact: a multiple of 2^-53 below 1
  const double second = k * half_pi_low, rest = std::fma(k, half_pi_low, -second);
  const double high = first - second, back = high - first;
  const double low = (first - (high - back)) - (second + back);  // the error of that difference
  return {to_bits(shifted) & 3, high, low - rest - k * half_pi_third};
}

// The sine and the cosine of such a rest: Taylor series up to the 17th and 16th power.
HD inline double sine_of_rest(double x, double low) {
  const double z = x * x;
  const double sum = sine_series(z, std::fma(1.0 / 355687428096000.0, z, -1.0 / 1307674368000.0));
  return x + std::fma(x * z, sum, low * std::fma(-0.5, z, 1.0));
}
HD inline double cosine_of_rest(double x, double low) {
  const double z = x * x;
  return std::fma(cosine_series(z), z, std::fma(-x, low, 1.0));
}

HD inline double not_a_number_if(bool condition, double value) {
  return condition ? std::numeric_limits<double>::quiet_NaN() : value;
}

// atan q for 0 <= q <= 1: that of 0, 1/2 or 1, and of the rest t, |t| <= 0.3; series up to t^33.
HD inline double atan_unit(double q) {
  const bool low = q < 0.3, high = q >= 0.75;
  const double from = low ? 0.0 : high ? 1.0 : 0.5;
  const double base = low ? 0.0 : high ? 0x1.921fb54442d18p-1 : 0x1.dac670561bb4fp-2;
  const double base_rest = low ? 0.0 : high ? 0x1.1a62633145c07p-55 : 0x1.a2b7f222f65e2p-56;
  const double t = (q - from) / std::fma(q, from, 1.0), z = t * t;
  const double sum =
      polynomial(z, 1.0 / 33.0, -1.0 / 31.0, 1.0 / 29.0, -1.0 / 27.0, 1.0 / 25.0, -1.0 / 23.0, 1.0 / 21.0, -1.0 / 19.0,
                 1.0 / 17.0, -1.0 / 15.0, 1.0 / 13.0, -1.0 / 11.0, 1.0 / 9.0, -1.0 / 7.0, 1.0 / 5.0, -1.0 / 3.0);
  return base + (t + std::fma(z * t, sum, base_rest));
}

}  // namespace detail

// sin, cos: within 1.3 units, tan: within 3, for |x| <= 2^30; NaN beyond.
HD inline double sin(double x) {
  const detail::Turn turn = detail::turn(x);
  const double value = (turn.quarters & 1) == 0 ? detail::sine_of_rest(turn.high, turn.low)
                                                : detail::cosine_of_rest(turn.high, turn.low);
  return detail::not_a_number_if(!(std::fabs(x) <= 0x1p30), (turn.quarters & 2) == 0 ? value : -value);
}
HD inline double cos(double x) {
  const detail::Turn turn = detail::turn(x);
  const double value = (turn.quarters & 1) == 0 ? detail::cosine_of_rest(turn.high, turn.low)
                                                : detail::sine_of_rest(turn.high, turn.low);
  return detail::not_a_number_if(!(std::fabs(x) <= 0x1p30), ((turn.quarters + 1) & 2) == 0 ? value : -value);
}
HD inline double tan(double x) {
  const detail::Turn turn = detail::turn(x);
  const double sine = detail::sine_of_rest(turn.high, turn.low), cosine = detail::cosine_of_rest(turn.high, turn.low);
  const double value = (turn.quarters & 1) == 0 ? sine / cosine : -cosine / sine;
  return detail::not_a_number_if(!(std::fabs(x) <= 0x1p30), value);
}

// The angle of the point (x, y) to the x axis, in [-pi, pi]; 0 or pi at the origin. Within 3 units.
HD inline double atan2(double y, double x) {
  constexpr double pi_high = 2 * detail::half_pi_high, pi_low = 2 * detail::half_pi_low;
  const double across = std::fabs(x), up = std::fabs(y);
  const bool steep = up > across;
  const double larger = steep ? up : across, smaller = steep ? across : up;
  const double quotient = larger == 0.0 ? 0.0 : smaller == larger ? 1.0 : smaller / larger;
  const double angle = detail::atan_unit(quotient), signed_angle = x < 0 ? -angle : angle;
  const double from_up = (detail::half_pi_high - signed_angle) + detail::half_pi_low;
  const double from_left = (pi_high - angle) + pi_low;
  const double value = steep ? from_up : x < 0 ? from_left : angle;
  const double known = y < 0 ? -value : value;
  return detail::not_a_number_if(x != x || y != y, known);
}
// atan: within 2 units; asin, acos: within 3, NaN outside of [-1, 1].
HD inline double atan(double x) { return atan2(x, 1.0); }
HD inline double asin(double x) { return atan2(x, std::sqrt((1.0 - x) * (1.0 + x))); }
HD inline double acos(double x) { return atan2(std::sqrt((1.0 - x) * (1.0 + x)), x); }

// Within 3 units.
HD inline double tanh(double x) {
  constexpr double log2_e = 0x1.71547652b82fep+0, ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
  const double a = std::fabs(x), y = a < 22.0 ? 2.0 * a : 44.0;  // beyond, it rounds to 1
  const double shifted = std::fma(y, log2_e, detail::round_magic), k = shifted - detail::round_magic;
  const double r = std::fma(-k, ln2_low, std::fma(-k, ln2_high, y));
  const double scale = from_bits((to_bits(shifted) << 52) + to_bits(1.0));               // 2^k
  const double rise = std::fma(scale, detail::exp_minus_one_near_zero(r), scale - 1.0);  // e^y - 1
  const double value = a < 22.0 ? rise / (rise + 2.0) : 1.0;
  return detail::not_a_number_if(x != x, x < 0 ? -value : x == 0 ? x : value);
}

// sqrt(x^2 + y^2) without overflow or underflow of the squares; symmetric in x and y. Within 2 units.
HD inline double hypot(double x, double y) {
  const double a = std::fabs(x), b = std::fabs(y), larger = a > b ? a : b, smaller = a > b ? b : a;
  const double scale = larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-500 ? 0x1p600 : 1.0;
  const double back = larger > 0x1p500 ? 0x1p600 : larger < 0x1p-500 ? 0x1p-600 : 1.0;
  const double p = larger * scale, q = smaller * scale;
  return back * std::sqrt(std::fma(p, p, q * q));
}

// x - y floor(x / y): the rest has the sign of y, and is below it. NaN for y = 0. Within 1 unit while |x / y| < 2^52.
HD inline double mod(double x, double y) {
  const double rest = std::fma(-y, std::floor(x / y), x);
  // The quotient may have rounded up or down to a whole number.
  const double raised = rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  return std::fabs(raised) >= std::fabs(y) ? raised - y : raised;
}

// The nearest whole number, halves away from 0.
HD inline double round(double x) {
  const double whole = std::floor(std::fabs(x)), value = std::fabs(x) - whole >= 0.5 ? whole + 1.0 : whole;
  return x < 0 ? -value : value;
}

HD inline double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }

namespace detail {

// exp(y log x) for normal x > 0: the logarithm in two parts, so that y may be large.
HD inline double pow_of_normal(double x, double y) {
  constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
  const Split part = split(x);
  const double f = part.f, k = part.exponent;
  const double under = 2.0 + f, under_rest = f - (under - 2.0);
  const double s = f / under, s_rest = (std::fma(-s, under, f) - s * under_rest) / under, z = s * s;
  const double sum = atanh_series(z, std::fma(1.0 / 23.0, z, 1.0 / 21.0));
  const double a = k * ln2_high, b = 2.0 * s, high = a + b, back = high - a;
  const double lost = (a - (high - back)) + (b - back);
  const double low = lost + std::fma(k, ln2_low, std::fma(2.0 * s * z, sum, 2.0 * s_rest));
  const double log_high = high + low, log_low = low - (log_high - high);
  const double product = y * log_high;
  if (product > 709.7) return std::numeric_limits<double>::infinity();
  if (product < -708.0) return 0.0;
  const double power = exp(product);
  return std::fma(power, std::fma(y, log_high, -product) + y * log_low, power);
}

}  // namespace detail

// x^y as C has it: 1 for y = 0, NaN for x < 0 unless y is whole. 0 below e^-708 and infinity above e^709.7. Within 20
// units, within 3 while the result lies between e^-100 and e^100.
HD inline double pow(double x, double y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return x + y;
  const bool whole = std::floor(y) == y, odd = whole && std::fabs(y) < 0x1p53 && std::floor(0.5 * y) != 0.5 * y;
  const double a = std::fabs(x);
  if (std::fabs(y) == infinity) return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0) ? infinity : 0.0;
  double value = 0;
  if (a == 0.0 || a == infinity)
    value = (a == 0.0) == (y > 0) ? 0.0 : infinity;
  else if (x < 0 && !whole)
    return std::numeric_limits<double>::quiet_NaN();
  else if (a < std::numeric_limits<double>::min())
    value = detail::pow_of_normal(a * 0x1p54, y) * detail::pow_of_normal(0x1p-54, y);
  else
    value = detail::pow_of_normal(a, y);
  return x < 0 && odd ? -value : value;
}

// Gradient noise (Perlin 2002, "Improving noise"): smooth, 0 at whole x and y, within [-1, 1] and of mean 0, with bumps
// about 1 across. The seed chooses the gradients. For |x|, |y| < 2^31; NaN beyond.
HD inline double noise(double x, double y, std::uint64_t seed) {
  constexpr std::uint64_t stream = 16;
  if (!(std::fabs(x) < 0x1p31) || !(std::fabs(y) < 0x1p31)) return std::numeric_limits<double>::quiet_NaN();
  const double left = std::floor(x), below = std::floor(y), u = x - left, v = y - below;
  double corner[2][2];
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 2; ++column) {
      const auto cell_x = static_cast<std::uint32_t>(static_cast<std::int64_t>(left) + column);
      const auto cell_y = static_cast<std::uint32_t>(static_cast<std::int64_t>(below) + row);
      const std::uint64_t bits = random_bits(seed, stream, std::uint64_t{cell_y} << 32 | cell_x);
      const double along_x = static_cast<double>(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits))) * 0x1p-31;
      const double along_y =
          static_cast<double>(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 32))) * 0x1p-31;
      corner[row][column] = along_x * (u - column) + along_y * (v - row);
    }
  }
  const double fade_u = u * u * u * std::fma(u, std::fma(u, 6.0, -15.0), 10.0);
  const double fade_v = v * v * v * std::fma(v, std::fma(v, 6.0, -15.0), 10.0);
  const double lower = std::fma(fade_u, corner[0][1] - corner[0][0], corner[0][0]);
  const double upper = std::fma(fade_u, corner[1][1] - corner[1][0], corner[1][0]);
  return std::fma(fade_v, upper - lower, lower);
}

}  // namespace simreel::exact
