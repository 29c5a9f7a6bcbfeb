#pragma once
// NetCDF's times: "hours since 2020-01-01 12:00", in the calendars of the climate and forecast conventions
// (CF 1.11, 4.4).

#include <optional>
#include <string_view>

namespace simreel {

// value * unit + start: seconds since the beginning of the year 0 of the calendar.
struct CfTime {
  double unit = 1, start = 0;
};

// `calendar`: "standard" (also "gregorian" or empty), "proleptic_gregorian", "noleap" ("365_day"), "all_leap"
// ("366_day"), "360_day". Nullopt for other calendars, for months and years, whose lengths vary, for dates of
// "standard" before 1582-10-15, which are those of the Julian calendar, and for what is no such text.
std::optional<CfTime> parse_cf_time(std::string_view text, std::string_view calendar);

// Whether two names mean one calendar.
bool is_same_calendar(std::string_view a, std::string_view b);

}  // namespace simreel
