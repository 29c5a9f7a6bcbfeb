#include "figure/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "base/error.h"

namespace simreel {
namespace {

constexpr std::string_view minus = "\u2212";

// floor(log10(v)) of v > 0, without a logarithm; of what is no finite number any in the range of double.
int magnitude(double v) {
  int exponent = 0;
  std::frexp(v, &exponent);
  constexpr int most = std::numeric_limits<double>::max_exponent10, least = -324;
  int decade = std::clamp(static_cast<int>(std::floor((exponent - 1) * 0.30103)), least, most);
  while (decade < most && power_of_ten(decade + 1) <= v) ++decade;
  while (decade > least && power_of_ten(decade) > v) --decade;
  return decade;
}

std::size_t characters(const std::string& number) {  // without the sign
  return number.starts_with(minus) ? number.size() - minus.size() : number.size();
}

// The numbers of some ticks, with a common factor where that makes them short.
struct Numbers {
  std::vector<std::string> labels;
  int factor = 0;
  Decimal offset = {};
  std::size_t longest = 0;

  // `uniform`: all have as many decimals.
  Numbers(const std::vector<Decimal>& values, int common, bool uniform = true) : factor(common) {
    int decimals = 0;
    for (const Decimal& value : values)
      if (uniform && value.digits != 0) decimals = std::max(decimals, common - value.exponent);
    for (Decimal value : values) {
      value.exponent -= common;
      for (; value.digits != 0 && value.exponent <= 0 && value.exponent > -decimals; --value.exponent)
        value.digits *= 10;
      labels.push_back(value.text());
      longest = std::max(longest, characters(labels.back()));
    }
  }
};

Numbers numbers_of(const std::vector<Decimal>& values, bool uniform = true, std::size_t most = max_tick_characters) {
  Numbers plain(values, 0, uniform);
  if (plain.longest <= most) return plain;
  double largest = 0;
  for (const Decimal& value : values) largest = std::max(largest, std::fabs(value.value()));
  const int decade = magnitude(largest);
  const int thousands = 3 * (decade >= 0 ? decade / 3 : -((2 - decade) / 3));
  Numbers best = std::move(plain);
  for (const int factor : {thousands, decade}) {
    Numbers shorter(values, factor, uniform);
    if (shorter.longest <= most) return shorter;
    if (shorter.longest < best.longest) best = std::move(shorter);
  }
  return best;
}

// The same, without what all have in common where one would be longer than so many characters. Tried on numbers of one
// exponent, as those of `multiples`.
Numbers short_numbers_of(const std::vector<Decimal>& values, std::size_t longest) {
  const std::size_t most = std::min(longest, max_tick_characters);
  Numbers whole = numbers_of(values, true, most);
  if (whole.longest <= longest) return whole;
  std::int64_t unit = 1;  // a power of ten that is no less than all of the range
  while (unit < values.back().digits - values.front().digits) unit *= 10;
  const std::int64_t first = values.front().digits, down = first < 0 && first % unit != 0 ? 1 : 0;
  Decimal offset{(first / unit - down) * unit, values.front().exponent};
  std::vector<Decimal> rest;
  for (const Decimal& value : values) rest.push_back({value.digits - offset.digits, offset.exponent});
  for (Decimal& value : rest)
    if (value.digits == 0) value.exponent = 0;
  Numbers shorter = numbers_of(rest, true, most);
  if (offset.digits == 0 || shorter.longest >= whole.longest) return whole;
  for (; offset.digits % 10 == 0; ++offset.exponent) offset.digits /= 10;
  shorter.offset = offset;
  return shorter;
}

// Powers of ten as "10^k".
Numbers powers_of(const std::vector<Decimal>& values) {
  Numbers numbers(values, 0, false);
  if (numbers.longest <= max_tick_characters) return numbers;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].digits != 0)
      numbers.labels[i] = fmt::format("${}10^{{{}}}$", values[i].digits < 0 ? "-" : "", values[i].exponent);
  return numbers;
}

Ticks placed(const AxisRange& range, const std::vector<Decimal>& values, Numbers numbers) {
  Ticks ticks;
  ticks.factor = numbers.factor;
  ticks.offset = numbers.offset;
  for (std::size_t i = 0; i < values.size(); ++i)
    ticks.ticks.push_back(
        {std::clamp(range.place(values[i].value()), 0.0, 1.0), std::move(numbers.labels[i]), values[i].value()});
  return ticks;
}

// Degrees with their side: "30°W", "0°", "180°".
Numbers degrees_of(std::vector<Decimal> values, char kind) {
  std::vector<const char*> sides;
  for (Decimal& value : values) {
    for (; value.exponent > 0; --value.exponent) value.digits *= 10;
    const auto half = static_cast<std::int64_t>(180 * power_of_ten(-value.exponent));
    if (kind == 'E') value.digits = ((value.digits + half) % (2 * half) + 2 * half) % (2 * half) - half;
    const bool sideless = value.digits == 0 || std::llabs(value.digits) == half;
    sides.push_back(sideless ? "" : kind == 'E' ? (value.digits < 0 ? "W" : "E") : value.digits < 0 ? "S" : "N");
    value.digits = std::llabs(value.digits);
  }
  Numbers numbers(values, 0);
  for (std::size_t i = 0; i < sides.size(); ++i) numbers.labels[i] += std::string("\u00B0") + sides[i];
  return numbers;
}

Numbers linear_numbers_of(const AxisRange& range, const std::vector<Decimal>& values, std::size_t longest) {
  return range.degrees != 0 ? degrees_of(values, range.degrees) : short_numbers_of(values, longest);
}

// The value itself if 12 digits are enough, otherwise the nearest with so many.
Decimal decimal_of(double value, int digits) {
  Decimal decimal;
  for (const int written : {std::max(12, digits), digits}) {
    const std::string text = fmt::format("{:.{}e}", value, written - 1);
    const std::size_t e = text.find('e');
    decimal = {0, std::stoi(text.substr(e + 1)) - (written - 1)};
    for (const char c : text.substr(0, e))
      if (c >= '0' && c <= '9') decimal.digits = 10 * decimal.digits + (c - '0');
    for (; decimal.digits != 0 && decimal.digits % 10 == 0; ++decimal.exponent) decimal.digits /= 10;
    if (value < 0) decimal.digits = -decimal.digits;
    constexpr double rounding = 1e-15;  // of a value that was computed from decimals
    if (std::fabs(decimal.value() - value) <= rounding * std::fabs(value)) break;
  }
  return decimal;
}

// "101325", or "$2.5\\times10^{6}$" where many zeros would fill it.
std::string text_alone(const Decimal& number) {
  std::string text = number.text();
  const std::string digits = fmt::format("{}", std::llabs(number.digits));
  constexpr std::size_t longest = 6, zeros = 4;
  const std::size_t point = number.exponent < 0 ? 1 : 0;
  if (characters(text) <= longest || characters(text) <= digits.size() + point + zeros) return text;
  const int power = number.exponent + static_cast<int>(digits.size()) - 1;
  const std::string sign = number.digits < 0 ? "-" : "";
  if (digits == "1") return fmt::format("${}10^{{{}}}$", sign, power);
  return fmt::format("${}{}\\times10^{{{}}}$", sign,
                     Decimal{std::llabs(number.digits), 1 - static_cast<int>(digits.size())}.text(), power);
}

// The multiples of step.digits * 10^step.exponent in the range; nullopt if they are too many.
std::optional<std::vector<Decimal>> multiples(const AxisRange& range, Decimal step, std::size_t max) {
  const double size = step.value(), slack = 1e-9;
  if (!(size > 0 && std::isfinite(size))) return {};
  const double first = std::ceil(range.low / size - slack), last = std::floor(range.high / size + slack);
  if (!(std::fabs(first) < 1e15 && std::fabs(last) < 1e15)) return {};
  if (last - first + 1 > static_cast<double>(max)) return {};
  std::vector<Decimal> values;
  for (std::int64_t i = static_cast<std::int64_t>(first); i <= static_cast<std::int64_t>(last); ++i)
    values.push_back({i * step.digits, i == 0 ? 0 : step.exponent});
  return values;
}

// In the paper's order of preference, with 2.5 as 25 tenths.
constexpr Decimal steps[] = {{1, 0}, {5, 0}, {2, 0}, {25, -1}};
// Behind them, those with which an axis has ticks enough where it has not with the ones before: 300, then 150.
constexpr Decimal odd_steps[] = {{4, 0}, {3, 0}}, more_steps[] = {{15, -1}, {6, 0}, {9, 0}};
constexpr Decimal degree_steps[] = {{3, 0}, {6, 0}, {9, 0}, {1, 0}, {45, -1}, {2, 0}, {15, -1}, {5, 0}};

// Of degrees: a divisor of a half turn, 10 and more, or 1, 2, 5 times a power of ten.
bool is_step_of(const AxisRange& range, Decimal step) {
  if (range.degrees == 0) return true;
  const double degrees = step.value();
  return degrees >= 10 ? std::fmod(180, degrees) == 0 : step.digits == 1 || step.digits == 2 || step.digits == 5;
}

Ticks linear_ticks(const AxisRange& range, const TickRoom& room, const LabelExtent& extent) {
  const int wanted = room.wanted;
  const double span = range.high - range.low;
  const int top = magnitude(span);
  Ticks best;
  double best_score = -1e300;
  // Each with the place at which a step has lost all preference.
  std::vector<std::pair<std::span<const Decimal>, double>> groups = {{steps, 5}, {odd_steps, 1}, {more_steps, 2}};
  if (range.degrees != 0) groups = {{degree_steps, 7}, {more_steps, 2}};
  for (const auto& [factors, last_place] : groups) {
    if (best.ticks.size() >= static_cast<std::size_t>(room.least)) break;
    for (int decade = top + 1; decade >= top - 2; --decade)
      for (std::size_t q = 0; q < factors.size(); ++q) {
        const Decimal step{factors[q].digits, factors[q].exponent + decade};
        if (!is_step_of(range, step)) continue;
        const auto values = multiples(range, step, static_cast<std::size_t>(3 * wanted));
        if (!values || values->size() < 2) continue;
        const double low = values->front().value(), high = values->back().value();
        const bool zero = low <= 0 && high >= 0;
        const double simplicity = 1 - static_cast<double>(q) / last_place - 1 + (zero ? 1 : 0);
        const double over = range.high - high, under = range.low - low;
        const double coverage = 1 - 0.5 * (over * over + under * under) / (0.01 * span * span);
        const double density = static_cast<double>(values->size() - 1) / (high - low), aim = (wanted - 1) / span;
        constexpr double weight_of_missing = 2;
        const double missing = std::max(0.0, room.least - static_cast<double>(values->size()));
        const double score = 0.25 * simplicity + 0.2 * coverage + 0.5 * (2 - std::max(density / aim, aim / density)) -
                             weight_of_missing * missing;
        if (!(score > best_score)) continue;
        Ticks ticks = placed(range, *values, linear_numbers_of(range, *values, room.longest));
        if (!fits(ticks, room, extent)) continue;
        ticks.step = step;
        best = std::move(ticks);
        best_score = score;
      }
  }
  if (!best.ticks.empty()) return best;
  // Too little room for two: one.
  for (const Decimal step : {Decimal{1, top + 1}, Decimal{5, top}, Decimal{1, top}}) {
    auto values = multiples(range, step, 64);
    if (!values || values->empty()) continue;
    values->resize(1);
    return placed(range, *values, linear_numbers_of(range, *values, room.longest));
  }
  return best;
}

// The multiples 1, 2, 5 or powers of ten with a magnitude in [from, to], every `stride` decades; `sign` is 1 or -1.
void add_decades(std::vector<Decimal>& values, double from, double to, int sign, int stride, bool within) {
  if (!(to > 0) || !(from <= to)) return;
  for (int decade = magnitude(from); decade <= magnitude(to); ++decade) {
    if (((decade % stride) + stride) % stride != 0) continue;
    for (const int digit : {1, 2, 5}) {
      if (digit != 1 && !within) continue;
      const Decimal value{sign * digit, decade};
      const double size = std::fabs(value.value());
      if (size >= from * (1 - 1e-9) && size <= to * (1 + 1e-9)) values.push_back(value);
    }
  }
}

Ticks decade_ticks(const AxisRange& range, const TickRoom& room, const LabelExtent& extent) {
  const bool log = range.curve == Curve::log && range.shift == 0;
  const double min = log ? range.low : range.linear_width;
  const bool wide = log ? range.high / range.low >= 100 : std::max(-range.low, range.high) / min >= 100;
  // Fewer would be too many ticks.
  const int decades = log ? magnitude(range.high) - magnitude(range.low) : 0;
  constexpr int all_decades = 640;  // of double
  for (int stride = std::max(1, (decades - 1) / (2 * room.wanted + 1)); stride <= all_decades; ++stride)
    for (const bool within : {true, false}) {
      if (within && (stride > 1 || wide)) continue;
      std::vector<Decimal> values;
      if (log) {
        add_decades(values, range.low, range.high, 1, stride, within);
      } else {
        add_decades(values, std::max(min, -range.high), -range.low, -1, stride, within);
        std::ranges::reverse(values);
        if (range.low <= 0 && range.high >= 0) values.push_back({});
        add_decades(values, std::max(min, range.low), range.high, 1, stride, within);
      }
      if (values.size() > static_cast<std::size_t>(2 * room.wanted)) continue;
      Ticks ticks = placed(range, values, within ? numbers_of(values, false) : powers_of(values));
      if (fits(ticks, room, extent)) return ticks;
    }
  return {};
}

bool has_decades(const AxisRange& range) {
  if (range.curve == Curve::log) return range.high / range.low >= 10;
  return (range.curve == Curve::symlog || range.curve == Curve::asinh) &&
         std::max(std::fabs(range.low), std::fabs(range.high)) / range.linear_width >= 10;
}

}  // namespace

double power_of_ten(int exponent) {
  const std::string text = fmt::format("1e{}", exponent);
  double value = 0;
  // Out of range, `value` stays as it is.
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
    value = exponent > 0 ? HUGE_VAL : 0;
  return value;
}

double AxisRange::place(double value) const {
  const auto curved = [&](double v) { return curve_value(curve, linear_width, v + shift); };
  const double start = curved(low), extent = curved(high) - start;
  return extent > 0 ? (curved(value) - start) / extent : 0;  // a curve may have one value at both ends
}

bool AxisRange::has_places() const {
  const double extent = curve_value(curve, linear_width, high + shift) - curve_value(curve, linear_width, low + shift);
  return low < high && std::isfinite(high - low) && std::isfinite(extent) && (curve != Curve::log || low + shift > 0);
}

void AxisRange::check_places(const std::string& what) const {
  if (has_places()) return;
  const bool broken = curve == Curve::symlog || curve == Curve::asinh;
  throw UsageError(
      "{} goes from {} to {}{}: an axis needs two ends whose distance is above 0 and at most 1.8e308; take other "
      "limits, or another unit",
      what, low, high, broken ? fmt::format(" in units of linear_width = {}", linear_width) : "");
}

void AxisRange::set_dates(const std::optional<CfTime>& since) {
  constexpr double last = 30000.0 * 360 * 86400, least = 1e-3;  // s
  if (since && curve == Curve::linear && since->seconds(low) >= 0 && since->seconds(high) < last &&
      (high - low) * since->unit >= least)
    dates = since;
}

double Decimal::value() const {
  const std::string text = fmt::format("{}e{}", digits, exponent);
  double value = 0;  // out of range it stays so
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc() && exponent > 0)
    value = std::copysign(HUGE_VAL, static_cast<double>(digits));
  return value;
}

std::string Decimal::text() const {
  if (digits == 0) return "0";
  std::string text = fmt::format("{}", std::llabs(digits));
  if (exponent >= 0) {
    text.append(static_cast<std::size_t>(exponent), '0');
  } else {
    const std::size_t decimals = static_cast<std::size_t>(-exponent);
    if (text.size() <= decimals) text.insert(0, decimals + 1 - text.size(), '0');
    text.insert(text.size() - decimals, 1, '.');
  }
  return digits < 0 ? std::string(minus) + text : text;
}

bool fits(const Ticks& ticks, const TickRoom& room, const LabelExtent& extent) {
  double reached = -1e300;
  for (std::size_t i = 0; i < ticks.ticks.size(); ++i) {
    const Tick& tick = ticks.ticks[i];
    const double half = extent(tick.label) / 2, at = tick.place * room.length;
    if (i > 0 && (at - half < reached + room.gap || tick.label == ticks.ticks[i - 1].label)) return false;
    reached = at + half;
  }
  return true;
}

Ticks find_ticks(const AxisRange& range, const TickRoom& room, const LabelExtent& extent) {
  if (!range.has_places()) return {};
  if (range.dates) return date_ticks(range, room, extent);
  if (has_decades(range)) {
    Ticks ticks = decade_ticks(range, room, extent);
    if (ticks.ticks.size() >= 2) return ticks;
  }
  return linear_ticks(range, room, extent);
}

std::optional<std::array<Ticks, 2>> ticks_of_one_step(const std::array<AxisRange, 2>& ranges,
                                                      const std::array<TickRoom, 2>& rooms,
                                                      const std::array<LabelExtent, 2>& extents) {
  if (!ranges[0].has_places() || !ranges[1].has_places() || ranges[0].dates || ranges[1].dates) return {};
  const int top = magnitude(std::min(ranges[0].high - ranges[0].low, ranges[1].high - ranges[1].low));
  std::vector<Decimal> factors = {{5, 0}, {25, -1}, {2, 0}, {1, 0}};
  if (ranges[0].degrees != 0) factors = {{9, 0}, {6, 0}, {5, 0}, {45, -1}, {3, 0}, {2, 0}, {15, -1}, {1, 0}};
  for (int decade = top; decade >= top - 2; --decade)
    for (const Decimal factor : factors) {
      const Decimal step{factor.digits, factor.exponent + decade};
      if (!is_step_of(ranges[0], step)) continue;
      std::array<Ticks, 2> both;
      bool good = true;
      for (std::size_t i = 0; i < 2 && good; ++i) {
        const auto values = multiples(ranges[i], step, static_cast<std::size_t>(3 * rooms[i].wanted));
        good = values && values->size() >= static_cast<std::size_t>(rooms[i].least);
        if (!good) break;
        both[i] = placed(ranges[i], *values, linear_numbers_of(ranges[i], *values, rooms[i].longest));
        good = fits(both[i], rooms[i], extents[i]);
      }
      if (good) return both;
    }
  return {};
}

std::string Ticks::offset_text() const {
  if (offset.digits == 0) return "";
  const std::string digits = fmt::format("{}", std::llabs(offset.digits)), rest = digits.substr(1);
  const int exponent = offset.exponent + static_cast<int>(rest.size());
  std::string plain = Decimal{std::llabs(offset.digits), offset.exponent}.text();
  const std::string power = fmt::format("{}{}{}e{}", digits[0], rest.empty() ? "" : ".", rest, exponent);
  return (offset.digits < 0 ? std::string(minus) : "+") + (power.size() < plain.size() ? power : plain);
}

Ticks ticks_at(const AxisRange& range, const std::vector<double>& values, const TickRoom& room,
               const LabelExtent& extent) {
  if (!range.has_places()) return {};
  for (std::size_t stride = 1; stride < values.size(); ++stride) {
    std::vector<Decimal> decimals;
    int least = 1000;  // exponent
    for (std::size_t i = 0; i < values.size(); i += stride) {
      constexpr int digits = 9;
      const Decimal& value = decimals.emplace_back(decimal_of(values[i], digits));
      if (value.digits != 0) least = std::min(least, value.exponent);
    }
    const auto fits_64_bits = [&](const Decimal& value) {  // with a power of ten above it, too
      return value.digits == 0 ||
             static_cast<double>(std::llabs(value.digits)) * power_of_ten(value.exponent - least) < 1e17;
    };
    const bool even = !has_decades(range) && std::ranges::all_of(decimals, fits_64_bits);
    for (Decimal& value : decimals)
      for (; even && value.digits != 0 && value.exponent > least; --value.exponent) value.digits *= 10;
    const bool powers = std::ranges::all_of(decimals, [](const Decimal& v) { return std::llabs(v.digits) <= 1; });
    Ticks ticks = placed(range, decimals,
                         even     ? short_numbers_of(decimals, room.longest)
                         : powers ? powers_of(decimals)
                                  : numbers_of(decimals, false));
    if (fits(ticks, room, extent)) return ticks;
  }
  return {};
}

Decimal round_length(double limit) {
  const int decade = magnitude(limit);
  for (const int digit : {5, 2})
    if (const Decimal length{digit, decade}; length.value() <= limit) return length;
  return {1, decade};
}

std::vector<std::string> number_texts(const std::vector<double>& values) {
  std::vector<double> sorted = values;  // only neighbours can have the same text
  std::ranges::sort(sorted);
  std::vector<std::string> texts;
  for (const double value : values) {
    const auto [first, last] = std::ranges::equal_range(sorted, value);
    for (int digits = 6;; ++digits) {
      const auto text_of = [&](double one) { return text_alone(decimal_of(one, digits)); };
      const std::string text = text_of(value);
      constexpr int all = 17;
      if (digits < all && ((first != sorted.begin() && text_of(*std::prev(first)) == text) ||
                           (last != sorted.end() && text_of(*last) == text)))
        continue;
      texts.push_back(text);
      break;
    }
  }
  return texts;
}

std::string fixed_number(double v, int decimals) {
  std::string text = fmt::format("{:.{}f}", std::fabs(v), decimals);
  if (v < 0 && text.find_first_not_of("0.") != std::string::npos) text.insert(0, minus);
  return text;
}

}  // namespace simreel
