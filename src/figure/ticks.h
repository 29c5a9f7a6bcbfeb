#pragma once
// Where an axis has ticks, and their numbers.
//
// Linear axes: Talbot, Lin and Hanrahan 2010, "An extension of Wilkinson's algorithm for positioning tick labels on
// axes" (IEEE TVCG 16, 1036), with all ticks inside the range and numbers that do not overlap. Steps are integers times
// a power of ten, so no number has a rounding error. Logarithmic axes: decades; 1, 2, 5 under two decades; the linear
// rule under one. symlog and asinh: 0 and decades outwards.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/raster/field.h"

namespace simreel {

// What an axis shows, low < high, both finite; above 0 for a logarithm.
struct AxisRange {
  double low = 0, high = 1;
  Curve curve = Curve::linear;
  double linear_width = 1;  // symlog and asinh
  double shift = 0;         // added to values before the curve, for a logarithm that begins at 0

  double place(double value) const;  // 0 at the low end, 1 at the high one
};

// digits * 10^exponent, exactly.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;

  double value() const;  // the nearest
  // With the sign U+2212 and without an exponent: "0.25", "−300", "0".
  std::string text() const;
};

struct Tick {
  double place;       // along the axis, 0 to 1
  std::string label;  // text for set_text
};

// A value is offset + number * 10^factor.
struct Ticks {
  std::vector<Tick> ticks;  // upwards, no label twice
  int factor = 0;
  Decimal offset = {};

  std::string offset_text() const;  // "+1e5"; empty for none
};

// Ticks for an axis of `length`, with about `wanted` of them. Two neighbouring labels have a distance of at least `gap`
// between them; `extent` is the size of a label along the axis, all in one unit. Where numbers of a narrow range would
// have more than `longest` characters, what they share is their offset.
Ticks find_ticks(const AxisRange&, double length, int wanted, double gap,
                 const std::function<double(const std::string&)>& extent, std::size_t longest = 7);

// The same at some of these values, as many as there is room for.
Ticks ticks_at(const AxisRange&, const std::vector<double>& values, double length, double gap,
               const std::function<double(const std::string&)>& extent, std::size_t longest = 7);

// The most characters of a number at a tick, without its sign, unless a range so narrow needs more.
inline constexpr std::size_t max_tick_characters = 5;

// The largest of 1, 2, 5 times a power of ten that is at most `limit`, which is positive and finite.
Decimal round_length(double limit);

// v with so many decimals, and U+2212 as minus. Never "−0".
std::string fixed_number(double v, int decimals);

double power_of_ten(int exponent);

}  // namespace simreel
