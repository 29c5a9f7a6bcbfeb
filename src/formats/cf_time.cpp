#include "formats/cf_time.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>

#include "base/text.h"

namespace simreel {
namespace {

constexpr double day = 86400;

std::optional<double> seconds_in(std::string unit) {
  if (unit.size() > 1 && unit.ends_with('s') && unit != "ms") unit.pop_back();
  if (unit == "s" || unit == "sec" || unit == "second") return 1;
  if (unit == "min" || unit == "minute") return 60;
  if (unit == "h" || unit == "hr" || unit == "hour") return 3600;
  if (unit == "d" || unit == "day") return day;
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

// Days from the beginning of the year 0.
std::optional<double> days_to(std::int64_t year, std::int64_t month, std::int64_t date, std::string_view calendar) {
  if (month < 1 || month > 12 || date < 1 || date > 31 || year < 0 || year > 30000) return {};
  constexpr std::array<int, 12> before = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  const auto m = static_cast<std::size_t>(month - 1);
  if (calendar == "360_day") return static_cast<double>(year * 360 + (month - 1) * 30 + date - 1);
  if (calendar == "noleap") return static_cast<double>(year * 365 + before[m] + date - 1);
  if (calendar == "all_leap") return static_cast<double>(year * 366 + before[m] + (month > 2 ? 1 : 0) + date - 1);
  const bool julian = std::array{year, month, date} < std::array<std::int64_t, 3>{1582, 10, 15};
  if (calendar != "proleptic_gregorian" && (calendar != "standard" || julian)) return {};
  using namespace std::chrono;
  const auto days = [](int y, std::int64_t mo, std::int64_t d) {
    return sys_days(std::chrono::year(y) / std::chrono::month(static_cast<unsigned>(mo)) / static_cast<int>(d));
  };
  return static_cast<double>((days(static_cast<int>(year), month, date) - days(0, 1, 1)).count());
}

// Takes a number, and the separator behind it if one of `ends` is there.
std::optional<double> take_number(std::string_view& text, std::string_view ends) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (result.ec != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  if (!text.empty() && ends.find(text[0]) != std::string_view::npos) text.remove_prefix(1);
  return value;
}

}  // namespace

bool is_same_calendar(std::string_view a, std::string_view b) { return plain_calendar(a) == plain_calendar(b); }

std::optional<CfTime> parse_cf_time(std::string_view text, std::string_view calendar) {
  const std::size_t since = text.find(" since ");
  if (since == std::string_view::npos) return {};
  const std::optional<double> unit = seconds_in(lower_case(std::string(trim(text.substr(0, since)))));
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
  for (const std::string_view universal : {"Z", "UTC", "GMT", "+00:00", "+0:00", "00:00"})
    if (rest == universal) rest = {};
  const std::optional<double> days = days_to(static_cast<std::int64_t>(date[0]), static_cast<std::int64_t>(date[1]),
                                             static_cast<std::int64_t>(date[2]), plain_calendar(calendar));
  if (!unit || !days || !rest.empty()) return {};
  return CfTime{*unit, *days * day + clock[0] * 3600 + clock[1] * 60 + clock[2]};
}

}  // namespace simreel
