#include "base/cf_time.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/text.h"

namespace simreel {
namespace {

constexpr double day = 86400;

std::optional<double> seconds_in(std::string unit, std::string_view calendar) {
  if (unit.size() > 1 && unit.ends_with('s') && unit != "ms") unit.pop_back();
  if (unit == "s" || unit == "sec" || unit == "second") return 1;
  if (unit == "min" || unit == "minute") return 60;
  if (unit == "h" || unit == "hr" || unit == "hour") return 3600;
  if (unit == "d" || unit == "day") return day;
  if (calendar == "360_day" && (unit == "month" || unit == "year")) return day * (unit == "month" ? 30 : 360);
  if (unit == "ms" || unit == "msec" || unit == "millisecond") return 1e-3;
  return {};
}

// Names of one calendar.
std::string plain_calendar(std::string_view name) {
  std::string lower = lower_case(std::string(name));
  if (lower.empty() || lower == "gregorian") return "standard";
  if (lower == "365_day") return "noleap";
  if (lower == "366_day") return "all_leap";
  return lower;
}

constexpr std::array<int, 13> before_month = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

// Days of the Gregorian calendar from 0000-01-01 on.
std::int64_t gregorian_days(std::int64_t year, std::int64_t month, std::int64_t date) {
  using namespace std::chrono;
  const auto days = [](std::int64_t y, std::int64_t mo, std::int64_t d) {
    return sys_days(std::chrono::year(static_cast<int>(y)) / std::chrono::month(static_cast<unsigned>(mo)) /
                    static_cast<int>(d));
  };
  return (days(year, month, date) - days(0, 1, 1)).count();
}

// 0000-01-01 of the Julian calendar lies two days before that of the Gregorian one.
constexpr std::int64_t julian_shift = 2;
const std::int64_t reform = gregorian_days(1582, 10, 15);

// `day`: of the year, from 0.
CfDate date_in(std::int64_t year, std::int64_t day, bool leap) {
  CfDate date{year, 1, 0, day + 1};
  const auto starts = [&](std::int64_t month) {
    return before_month[static_cast<std::size_t>(month)] + (leap && month > 1 ? 1 : 0);
  };
  while (date.month < 12 && day >= starts(date.month)) ++date.month;
  date.day = day - starts(date.month - 1) + 1;
  return date;
}

std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Takes a number, and the separator after it if one of `ends` is there.
std::optional<double> take_number(std::string_view& text, std::string_view ends) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (result.ec != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  if (!text.empty() && ends.find(text[0]) != std::string_view::npos) text.remove_prefix(1);
  return value;
}

}  // namespace

std::optional<std::int64_t> cf_day(std::int64_t year, std::int64_t month, std::int64_t date,
                                   std::string_view calendar) {
  if (month < 1 || month > 12 || date < 1 || date > 31 || year < 0 || year > 30000) return {};
  const std::int64_t before = before_month[static_cast<std::size_t>(month - 1)] + date - 1;
  const bool julian = std::array{year, month, date} < std::array<std::int64_t, 3>{1582, 10, 15};
  std::int64_t day = 0;
  if (calendar == "360_day")
    day = year * 360 + (month - 1) * 30 + date - 1;
  else if (calendar == "noleap")
    day = year * 365 + before;
  else if (calendar == "all_leap")
    day = year * 366 + before + (month > 2 ? 1 : 0);
  else if (calendar == "standard" && julian)
    day = year * 365 + (year + 3) / 4 + before + (month > 2 && year % 4 == 0 ? 1 : 0) - julian_shift;
  else if (calendar == "proleptic_gregorian" || calendar == "standard")
    day = gregorian_days(year, month, date);
  else
    return {};
  return cf_date(day, calendar).day == date ? std::optional(day) : std::nullopt;  // no 30 February
}

CfDate cf_date(std::int64_t days, std::string_view calendar) {
  const auto equal_years = [&](std::int64_t length) {
    const std::int64_t year = floor_of(days, length);
    return std::pair(year, days - year * length);
  };
  if (calendar == "360_day") {
    const auto [year, day] = equal_years(360);
    return {year, day / 30 + 1, day % 30 + 1, day + 1};
  }
  if (calendar == "noleap" || calendar == "all_leap") {
    const bool leap = calendar == "all_leap";
    const auto [year, day] = equal_years(leap ? 366 : 365);
    return date_in(year, day, leap);
  }
  if (calendar == "standard" && days < reform) {
    const std::int64_t julian = days + julian_shift, four = floor_of(julian, 1461), rest = julian - four * 1461;
    if (rest < 366) return date_in(4 * four, rest, true);
    return date_in(4 * four + 1 + (rest - 366) / 365, (rest - 366) % 365, false);
  }
  using namespace std::chrono;
  const year_month_day date(sys_days(year(0) / 1 / 1) + std::chrono::days(days));
  const auto y = static_cast<int>(date.year());
  return date_in(y, (sys_days(date) - sys_days(date.year() / 1 / 1)).count(), date.year().is_leap());
}

bool is_same_calendar(std::string_view a, std::string_view b) { return plain_calendar(a) == plain_calendar(b); }

std::optional<CfTime> parse_cf_time(std::string_view text, std::string_view calendar) {
  const std::size_t since = text.find(" since ");
  if (since == std::string_view::npos) return {};
  const std::string own = plain_calendar(calendar);
  const std::optional<double> unit = seconds_in(lower_case(std::string(trim(text.substr(0, since)))), own);
  std::string_view rest = trim(text.substr(since + 7));
  std::array<double, 3> date{}, clock{};
  for (double& part : date) {
    const std::optional<double> value = take_number(rest, "-T ");
    if (!value || !(*value >= 0 && *value < 1e6)) return {};
    part = *value;
  }
  rest = trim(rest);
  for (double& part : clock) {
    if (rest.empty() || rest[0] < '0' || rest[0] > '9') break;
    part = take_number(rest, ":").value_or(0);
  }
  rest = trim(rest);
  if (!(clock[0] < 24 && clock[1] < 60 && clock[2] < 61) || date[1] != std::floor(date[1]) ||
      date[2] != std::floor(date[2]))
    return {};
  for (const std::string_view universal : {"Z", "UTC", "GMT", "+00:00", "+0:00", "00:00"})
    if (rest == universal) rest = {};
  const std::optional<std::int64_t> days = cf_day(
      static_cast<std::int64_t>(date[0]), static_cast<std::int64_t>(date[1]), static_cast<std::int64_t>(date[2]), own);
  if (!unit || !days || !rest.empty()) return {};
  return CfTime{*unit, static_cast<double>(*days) * day + clock[0] * 3600 + clock[1] * 60 + clock[2], own};
}

std::optional<std::string> format_cf_date(double seconds, std::string_view calendar, std::string_view format) {
  constexpr double max = 1e15;
  if (!(std::abs(seconds) < max)) return "nan";
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const std::int64_t days = floor_of(whole, 86400), rest = whole - days * 86400;
  const CfDate date = cf_date(days, plain_calendar(calendar));
  std::string text;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    switch (++i < format.size() ? format[i] : '\0') {
      case 'Y': text += fmt::format("{:04}", date.year); break;
      case 'm': text += fmt::format("{:02}", date.month); break;
      case 'd': text += fmt::format("{:02}", date.day); break;
      case 'H': text += fmt::format("{:02}", rest / 3600); break;
      case 'M': text += fmt::format("{:02}", rest / 60 % 60); break;
      case 'S': text += fmt::format("{:02}", rest % 60); break;
      case 'j': text += fmt::format("{:03}", date.day_of_year); break;
      case 'b': text += months.substr(static_cast<std::size_t>(3 * (date.month - 1)), 3); break;
      case '%': text += '%'; break;
      default: return {};
    }
  }
  return text;
}

std::string with_year_first(std::string_view date) {
  const std::size_t separator = date.find_first_of("./-");
  if (separator == date.npos) return "";
  std::vector<int> parts;
  for (const std::string_view part : words_in(date, date.substr(separator, 1)))
    if (const auto number = parse_number<int>(part))
      parts.push_back(*number);
    else
      return "";
  if (parts.size() != 3 || parts[2] < 1000) return "";
  if (parts[1] > 12) std::swap(parts[0], parts[1]);
  if (parts[1] > 12) return "";
  return fmt::format("{:04}-{:02}-{:02}", parts[2], parts[1], parts[0]);
}

}  // namespace simreel
