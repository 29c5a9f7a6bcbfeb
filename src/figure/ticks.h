#pragma once
// Where an axis has ticks, and their numbers.
//
// Linear axes: Talbot, Lin and Hanrahan 2010, "An extension of Wilkinson's algorithm for positioning tick labels on
// axes" (IEEE TVCG 16, 1036), with all ticks inside the range and numbers that do not overlap. Steps are integers times
// a power of ten, so no number has a rounding error. Logarithmic axes: decades; 1, 2, 5 under two decades; the linear
// rule under one. symlog and asinh: 0 and decades outwards. Dates: those of a calendar's years to seconds, written as
// matplotlib's ConciseDateFormatter does. Degrees: divisors of a half turn.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cf_time.h"
#include "kernels/raster/field.h"

namespace simreel {

// What an axis shows.
struct AxisRange {
  double low = 0, high = 1;
  Curve curve = Curve::linear;
  double linear_width = 1;           // symlog and asinh
  double shift = 0;                  // added to values before the curve, for a logarithm that begins at 0
  std::optional<CfTime> dates = {};  // values count from a date; on a linear axis
  char degrees = 0;                  // E, N: values are degrees of longitude, of latitude; on a linear axis

  double place(double value) const;  // 0 at the low end, 1 at the high one
  // Whether low < high, above 0 for a logarithm, and both ends and the distance between them are finite. Otherwise
  // there are no ticks.
  bool has_places() const;
  // Otherwise throws UsageError: `what`, as "the x axis", then the range and a way out.
  void check_places(const std::string& what) const;
  // Counts from the date that a unit names, "days since 1850-01-01", if the axis is linear, shows a millisecond at
  // least and lies in the years 0 to 30000; otherwise values are numbers.
  void set_dates(const std::optional<CfTime>&);
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
  double value;
};

// A value is offset + number * 10^factor.
struct Ticks {
  std::vector<Tick> ticks;  // upwards, no label twice
  int factor = 0;
  Decimal offset = {};
  std::optional<Decimal> step = {};  // of linear ticks
  std::string date = {};             // what the labels of dates leave out, as "Jan 2001"; that of the last one

  std::string offset_text() const;  // "+1e5"; empty for none
};

// What stands along an axis.
struct TickRoom {
  double length = 0, gap = 0;  // of the axis, and at least between two labels
  int wanted = 5, least = 2;   // ticks; the least where they fit
  std::size_t longest = 7;  // characters, without a sign: what longer numbers of a narrow range share is their offset
};

// `extent` is the size of a label along the axis, in the unit of the room.
using LabelExtent = std::function<double(const std::string&)>;
Ticks find_ticks(const AxisRange&, const TickRoom&, const LabelExtent&);

// Ticks of one step on both axes, the largest of 1, 2, 2.5, 5 times a power of ten (of degrees, as find_ticks has them)
// with which both have their least number; nullopt if there is none.
std::optional<std::array<Ticks, 2>> ticks_of_one_step(const std::array<AxisRange, 2>&, const std::array<TickRoom, 2>&,
                                                      const std::array<LabelExtent, 2>&);

// Ticks at some of these values, as many as there is room for.
Ticks ticks_at(const AxisRange&, const std::vector<double>& values, const TickRoom&, const LabelExtent&);

// Whether the labels have room, and neighbours differ.
bool fits(const Ticks&, const TickRoom&, const LabelExtent&);

// Of an axis with dates. date_ticks.cpp
Ticks date_ticks(const AxisRange&, const TickRoom&, const LabelExtent&);

// The most characters of a number at a tick, without its sign, unless a range so narrow needs more.
inline constexpr std::size_t max_tick_characters = 5;

// The largest of 1, 2, 5 times a power of ten that is at most `limit`, which is positive and finite.
Decimal round_length(double limit);

// Numbers that stand alone, as texts for set_text: with all their digits if they have up to 12, and otherwise with 6,
// or as many as tell them apart: "273.15", "−0.333333", "$2.5\times10^{6}$".
std::vector<std::string> number_texts(const std::vector<double>&);
inline std::string number_text(double value) { return number_texts({value}).front(); }

// v with so many decimals, and U+2212 as minus. Never "−0".
std::string fixed_number(double v, int decimals);

double power_of_ten(int exponent);

}  // namespace simreel
