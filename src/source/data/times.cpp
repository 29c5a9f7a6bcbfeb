#include "source/data/times.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/input_file.h"
#include "base/text.h"

namespace simreel {
namespace {

// NetCDF's times: "hours since 2020-01-01 12:00", in the calendars of the climate and forecast conventions
// (CF 1.11, 4.4).

// value * unit + start: seconds since the beginning of the year 0 of the calendar.
struct CfTime {
  double unit = 1, start = 0;
};

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

// Whether two names mean one calendar.
bool is_same_calendar(std::string_view a, std::string_view b) { return plain_calendar(a) == plain_calendar(b); }

// `calendar`: "standard" (also "gregorian" or empty), "proleptic_gregorian", "noleap" ("365_day"), "all_leap"
// ("366_day"), "360_day". Nullopt for other calendars, for months and years, whose lengths vary, for dates of
// "standard" before 1582-10-15, which are those of the Julian calendar, and for what is no such text.
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

}  // namespace

std::vector<double> numbers_in(const std::string& file) {
  if (const std::string why = refusal_to_read(file); !why.empty()) throw RuntimeError("{}: {}", file, why);
  std::ifstream in(file);
  if (!in.is_open()) throw RuntimeError("{}: cannot be read", file);
  std::vector<double> values;
  std::int64_t line = 0;
  for (std::string text; std::getline(in, text);) {
    ++line;
    std::string_view cell = trim(text);
    if (cell.empty() || cell.starts_with('#')) continue;
    cell = trim(cell.substr(0, cell.find_first_of(",;\t ")));
    double value = 0;
    const auto result = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (result.ec == std::errc() && result.ptr == cell.data() + cell.size())
      values.push_back(value);
    else if (!values.empty() || line > 1)  // the first line may name the column
      throw RuntimeError("{}:{}: {} is no number", file, line,
                         values.empty() ? "what stands there" : quote(shorten(cell, 40)));
    if (values.size() > most_times) throw RuntimeError("{}: more than {} lines", file, most_times);
  }
  if (in.bad()) throw RuntimeError("{}: cannot be read", file);
  return values;
}

std::vector<double> times_in(const ArrayFile& file, const ArrayInfo& array, const DataLayout& layout) {
  std::vector<double> times = file.values(array, most_times);
  const std::string calendar = file.text(array.name + "/calendar").value_or("");
  const bool alike = is_same_calendar(calendar, layout.calendar);
  if (array.unit == layout.time_unit && alike) return times;
  const std::optional<CfTime> first = parse_cf_time(layout.time_unit, layout.calendar),
                              own = parse_cf_time(array.unit, calendar);
  if (!first || !own || !alike)
    throw RuntimeError(
        "{}: its times are in {}, and those of the first file in {}, which simreel does not convert; give the time of "
        "a step as timestep in [solver]",
        place_of(file.path(), array.name), quote(shorten(array.unit, 60)), quote(shorten(layout.time_unit, 60)));
  for (double& time : times) time = (time * own->unit + (own->start - first->start)) / first->unit;
  return times;
}

}  // namespace simreel
