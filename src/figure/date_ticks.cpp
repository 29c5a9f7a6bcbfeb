// Ticks at dates, where matplotlib's AutoDateLocator has them, with what its ConciseDateFormatter writes: the part that
// changes from tick to tick, and the larger part where one begins. What is left out reads as a date, "29 Feb 2024", as
// far as all ticks share it; a year that begins among them is named there.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "figure/ticks.h"

namespace simreel {
namespace {

enum Part { year, month, day, hour, minute, second };
constexpr double seconds_in[] = {365.25 * 86400, 30.4 * 86400, 86400, 3600, 60, 1};
// How the label of a tick is written, and that of one where the larger part begins.
constexpr const char *usual[] = {"%Y", "%b", "%d", "%H:%M", "%H:%M", "%S"},
                     *begins[] = {"%Y", "%Y", "%b", "%b-%d", "%H:%M", "%H:%M"};
// What labels can leave out, and where those of a part begin in that list.
constexpr const char* left_out[] = {"%d %b %Y %H:%M", "%d %b %Y", "%b %Y", "%Y", ""};
constexpr std::size_t first_left_out[] = {4, 3, 2, 1, 1, 0};

// Every `count` of a part, counted from where the larger one begins.
struct Every {
  Part part;
  double count;
};
constexpr Every steps[] = {
    {second, 1e-4}, {second, 2e-4}, {second, 5e-4}, {second, 1e-3}, {second, 2e-3}, {second, 5e-3}, {second, 0.01},
    {second, 0.02}, {second, 0.05}, {second, 0.1},  {second, 0.2},  {second, 0.5},  {second, 1},    {second, 2},
    {second, 5},    {second, 10},   {second, 15},   {second, 30},   {minute, 1},    {minute, 2},    {minute, 5},
    {minute, 10},   {minute, 15},   {minute, 30},   {hour, 1},      {hour, 2},      {hour, 3},      {hour, 4},
    {hour, 6},      {hour, 12},     {day, 1},       {day, 2},       {day, 4},       {day, 7},       {day, 14},
    {month, 1},     {month, 2},     {month, 3},     {month, 4},     {month, 6},     {year, 1},      {year, 2},
    {year, 5},      {year, 10},     {year, 20},     {year, 50},     {year, 100},    {year, 200},    {year, 500},
    {year, 1000},   {year, 2000},   {year, 5000},   {year, 10000}};

// In seconds since the year 0, from `low` to `high`.
std::vector<double> places_of(const Every& every, double low, double high, const std::string& calendar) {
  std::vector<double> places;
  if (every.part >= day) {
    const double step = every.part == day ? 86400 : every.count * seconds_in[every.part];
    for (double i = std::ceil(low / step); i * step <= high; ++i) {
      if (every.part == day) {  // none close to the first of the next month
        const auto at = static_cast<std::int64_t>(i), count = static_cast<std::int64_t>(every.count);
        const std::int64_t date = cf_date(at, calendar).day;
        if ((date - 1) % count != 0 || cf_date(at + count / 2, calendar).day < date) continue;
      }
      places.push_back(i * step);
    }
    return places;
  }
  const auto stride = static_cast<std::int64_t>(every.count) * (every.part == year ? 12 : 1);
  const CfDate first = cf_date(static_cast<std::int64_t>(low / 86400), calendar);
  for (std::int64_t at = (12 * first.year + first.month - 1) / stride * stride;; at += stride) {
    const auto begin = cf_day(at / 12, at % 12 + 1, 1, calendar);
    const double seconds = begin ? static_cast<double>(*begin) * 86400 : HUGE_VAL;
    if (seconds > high) return places;
    if (seconds >= low) places.push_back(seconds);
  }
}

Ticks ticks_every(const Every& every, const AxisRange& range) {
  Ticks ticks;
  const CfTime& since = *range.dates;
  const double low = since.seconds(range.low), high = since.seconds(range.high), slack = 1e-6 * (high - low);
  const std::vector<double> places = places_of(every, low - slack, high + slack, since.calendar);
  if (places.empty()) return ticks;
  const auto written = [&](double at, const char* form) {
    constexpr double rounding = 5e-5;  // of a double so large
    return *format_cf_date(std::floor(at + rounding), since.calendar, form);
  };
  const auto shared = [&](const char* form) { return written(places.front(), form) == written(places.back(), form); };
  const bool one_day = shared(left_out[1]), one_year = shared("%Y");
  for (std::size_t i = first_left_out[every.part]; ticks.date.empty() && i < std::size(left_out); ++i)
    if (shared(left_out[i])) ticks.date = written(places.back(), left_out[i]);
  for (const double at : places) {
    const bool midnight = written(at, "%H:%M") == "00:00", new_year = midnight && written(at, "%m-%d") == "01-01",
               begin = every.part == second  ? std::fabs(std::remainder(at, 60)) < every.count / 2
                       : every.part >= hour  ? midnight
                       : every.part == month ? new_year
                                             : written(at, "%d") == "01";
    const char* form = (begin ? begins : usual)[every.part];
    if (begin && every.part > hour && midnight && !one_day) form = begins[hour];
    if (begin && every.part > month && new_year && !one_year) form = every.part == day ? "%b %Y" : "%d %b %Y";
    std::string label = written(at, form);
    if (every.part == second && every.count < 1 && !begin) {
      const int decimals = static_cast<int>(std::ceil(-std::log10(every.count) - 1e-9));
      label = fmt::format("{:0{}.{}f}", std::fmod(at, 60), decimals + 3, decimals);
    }
    if (every.part == month && begin) ticks.date.clear();
    const double value = (at - since.start) / since.unit;
    ticks.ticks.push_back({std::clamp(range.place(value), 0.0, 1.0), std::move(label), value});
  }
  return ticks;
}

}  // namespace

Ticks date_ticks(const AxisRange& range, const TickRoom& room, const LabelExtent& extent) {
  Ticks best;
  double worst = HUGE_VAL;
  for (const Every& every : steps) {
    const double about = (range.high - range.low) * range.dates->unit / (every.count * seconds_in[every.part]);
    if (about > 3 * room.wanted) continue;
    Ticks ticks = ticks_every(every, range);
    const double count = static_cast<double>(ticks.ticks.size()),
                 off = std::max(count / room.wanted, room.wanted / count) + 2 * std::max(0.0, room.least - count);
    if (!(off < worst) || !fits(ticks, room, extent)) continue;
    best = std::move(ticks);
    worst = off;
  }
  return best;
}

}  // namespace simreel
