#pragma once
// NetCDF's times: "hours since 2020-01-01 12:00", in the calendars of the climate and forecast conventions
// (CF 1.11, 4.4).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace simreel {

// value * unit + start: seconds since the beginning of the year 0 of the calendar.
struct CfTime {
  double unit = 1, start = 0;
  std::string calendar = "standard";  // as parse_cf_time calls it where it has two names

  double seconds(double value) const { return value * unit + start; }
};

struct CfDate {
  std::int64_t year = 0, month = 1, day = 1, day_of_year = 1;
};

// `calendar`: "standard" (also "gregorian" or empty), whose dates before 1582-10-15 are those of the Julian calendar,
// "proleptic_gregorian", "noleap" ("365_day"), "all_leap" ("366_day"), "360_day". All have a year 0. Nullopt for other
// calendars, for months and years, whose lengths vary unless a year has 360 days, and for what is no such text.
std::optional<CfTime> parse_cf_time(std::string_view text, std::string_view calendar);

// The date of a day since 0000-01-01 of a calendar that parse_cf_time knows, and the day of a date; nullopt for a month
// or a day that the calendar has not, and beyond the years 0 to 30000.
CfDate cf_date(std::int64_t day, std::string_view calendar);
std::optional<std::int64_t> cf_day(std::int64_t year, std::int64_t month, std::int64_t date, std::string_view calendar);

// Whether two names mean one calendar.
bool is_same_calendar(std::string_view a, std::string_view b);

// A date as strftime writes it, to the nearest second, in the calendar that parse_cf_time knows. Of %: Y, m, d, H, M,
// S, j (the day of the year), b ("Jan"), and %% itself. Nullopt for another letter.
std::optional<std::string> format_cf_date(double seconds, std::string_view calendar, std::string_view format);

// "05.03.2001" and "5/3/2001" as "2001-03-05"; "12/31/2001", which can be read in one way only, as "2001-12-31". Empty
// for what is no such date.
std::string with_year_first(std::string_view date);

}  // namespace simreel
