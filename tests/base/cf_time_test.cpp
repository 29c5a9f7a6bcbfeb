#include "base/cf_time.h"

#include "tests/support/test.h"

namespace simreel {
namespace {

std::string date(double value, const char* unit, const char* calendar, const char* format = "%Y-%m-%d %H:%M:%S") {
  const std::optional<CfTime> since = parse_cf_time(unit, calendar);
  return since ? format_cf_date(value * since->unit + since->start, calendar, format).value_or("none") : "unknown";
}

// The dates are those of cftime 1.6 (num2date), with a year 0 in every
// calendar.
TEST(CfTime, DatesAreThoseOfTheirCalendars) {
  EXPECT_EQ(date(58, "days since 0001-01-01", "noleap"), "0001-02-28 00:00:00");
  EXPECT_EQ(date(59, "days since 0001-01-01", "noleap"), "0001-03-01 00:00:00");
  EXPECT_EQ(date(59, "days since 2000-01-01", ""), "2000-02-29 00:00:00");
  EXPECT_EQ(date(59, "days since 2000-01-01", "all_leap"), "2000-02-29 00:00:00");
  EXPECT_EQ(date(59, "days since 2001-01-01", "366_day"), "2001-02-29 00:00:00");
  EXPECT_EQ(date(59, "days since 2000-01-01", "360_day"), "2000-02-30 00:00:00");
  EXPECT_EQ(date(14, "months since 1960-01-01", "360_day"), "1961-03-01 00:00:00");
  EXPECT_EQ(date(14, "months since 1960-01-01", "standard"), "unknown");
  EXPECT_EQ(date(876576, "hours since 1900-01-01 00:00:0.0", "gregorian"), "2000-01-01 00:00:00");
  EXPECT_EQ(date(0.1, "hours since 1999-12-31 23:54", "standard"), "2000-01-01 00:00:00") << "to the second";
  EXPECT_EQ(date(0, "days since 1582-10-15", "standard"), "1582-10-15 00:00:00");
  EXPECT_EQ(date(-1, "days since 1582-10-15", "standard"), "1582-10-04 00:00:00");
  EXPECT_EQ(date(-1, "days since 1582-10-15", "proleptic_gregorian"), "1582-10-14 00:00:00");
  EXPECT_EQ(date(730121, "days since 0001-01-01", "standard"), "2000-01-01 00:00:00");
  EXPECT_EQ(date(730119, "days since 0001-01-01", "proleptic_gregorian"), "2000-01-01 00:00:00");
  EXPECT_EQ(date(0, "days since 0000-01-01", "noleap"), "0000-01-01 00:00:00");
  EXPECT_EQ(date(60, "days since 0000-01-01", "standard"), "0000-03-01 00:00:00") << "a leap year";
  EXPECT_EQ(date(-1, "days since 0000-01-01", "360_day"), "-001-12-30 00:00:00");
  EXPECT_EQ(date(36, "hours since 2004-02-28", "", "%d %b %Y %H h, day %j, %%"), "29 Feb 2004 12 h, day 060, %");
  EXPECT_EQ(date(0, "days since 2000-01-01", "", "%Q"), "none");
}

TEST(CfTime, NoDayIsOfAnotherMonth) {
  for (const char* calendar : {"standard", "proleptic_gregorian", "noleap", "all_leap"})
    EXPECT_FALSE(parse_cf_time("days since 2000-02-30", calendar)) << calendar;
  EXPECT_TRUE(parse_cf_time("days since 2000-02-30", "360_day"));
  EXPECT_FALSE(parse_cf_time("days since 2001-02-29", "standard"));
  EXPECT_FALSE(parse_cf_time("days since 2000-02-29", "noleap"));
  EXPECT_FALSE(parse_cf_time("days since 1582-10-10", "standard")) << "between the calendars";
}

TEST(CfTime, EveryDayHasItsDate) {
  for (const char* calendar : {"standard", "proleptic_gregorian", "noleap", "all_leap", "360_day"}) {
    std::string before = "0000-00-00";
    for (int day = 0; day < 800000; day += day % 4000 < 800 ? 1 : 97) {
      const std::string now = date(day, "days since 0000-01-01", calendar, "%Y-%m-%d");
      ASSERT_LT(before, now) << calendar << day;
      const std::optional<CfTime> again = parse_cf_time("days since " + now, calendar);
      ASSERT_TRUE(again) << now;
      ASSERT_EQ(again->start - parse_cf_time("days since 0000-01-01", calendar)->start, day * 86400.0) << now;
      before = now;
    }
  }
}

}  // namespace
}  // namespace simreel
