// Ticks: tables of what is expected, and for any range that they lie inside, are distinct and do not overlap.

#include "figure/ticks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

constexpr double letter = 10;

double extent(const std::string& label) { return letter * static_cast<double>(label.size()); }

std::string ticks_of(const AxisRange& range, double length = 1000) {
  const Ticks ticks = find_ticks(range, {length, 10}, extent);
  std::string text;
  for (const Tick& tick : ticks.ticks) text += (text.empty() ? "" : " ") + tick.label;
  if (ticks.factor != 0) text += fmt::format(" x10^{}", ticks.factor);
  return ticks.offset.digits == 0 ? text : text + " " + ticks.offset_text();
}

TEST(Ticks, AreThoseOfTheExtendedAlgorithm) {
  const struct {
    double low, high;
    const char* expected;
  } table[] = {{-0.9, 0.9, "−0.75 −0.50 −0.25 0 0.25 0.50 0.75"},
               {0.98, 1.0021, "0.980 0.985 0.990 0.995 1.000"},
               {0, 64, "0 20 40 60"},
               {-0.07, 0.07, "−0.06 −0.04 −0.02 0 0.02 0.04 0.06"},
               {0, 1, "0 0.25 0.50 0.75 1.00"},
               {0, 100, "0 25 50 75 100"},
               {-6.5e-3, 6.5e-3, "−0.006 −0.004 −0.002 0 0.002 0.004 0.006"},
               {0, 1e-5, "0 2.5 5.0 7.5 10.0 x10^-6"},
               {0, 123456, "0 20 40 60 80 100 120 x10^3"},
               {-1e300, 1e300, "−1.0 −0.5 0 0.5 1.0 x10^300"}};
  for (const auto& [low, high, expected] : table) EXPECT_EQ(ticks_of({low, high}), expected) << low << ", " << high;
}

// What long numbers share is their offset; short ones keep it.
TEST(Ticks, OfNarrowRangesHaveAnOffset) {
  const struct {
    double low, high;
    const char* expected;
  } table[] = {{1e5, 1e5 + 0.01, "0 2.5 5.0 7.5 10.0 x10^-3 +1e5"},
               {-1e5, -1e5 + 0.01, "0 2.5 5.0 7.5 10.0 x10^-3 −1e5"},
               {101325.2, 101325.9, "0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 +101325"},
               {-273.1502, -273.1498, "0.8 0.9 1.0 1.1 1.2 x10^-3 −273.151"},
               {1e-3, 1.00001e-3, "0 2.5 5.0 7.5 10.0 x10^-9 +1e-3"},
               {6.022e23, 6.0220001e23, "0 2.5 5.0 7.5 10.0 x10^15 +6.022e23"},
               {1000, 1000.5, "1000.0 1000.1 1000.2 1000.3 1000.4 1000.5"},
               {-0.01, 1e5, "0 25 50 75 100 x10^3"}};
  for (const auto& [low, high, expected] : table) EXPECT_EQ(ticks_of({low, high}), expected) << low << ", " << high;
}

TEST(Ticks, StandAtGivenValuesAsFarAsThereIsRoom) {
  const auto labels = [](const std::vector<double>& values, double length = 1000, Curve curve = Curve::linear) {
    std::string text;
    const Ticks ticks = ticks_at({values.front(), values.back(), curve}, values, {length, 10}, extent);
    for (const Tick& tick : ticks.ticks) text += (text.empty() ? "" : " ") + tick.label;
    return text + ticks.offset_text();
  };
  EXPECT_EQ(labels({-2, 0, 0.5, 10}), "−2.0 0 0.5 10.0");
  EXPECT_EQ(labels({0, 1, 2, 3, 4}, 60), "0 2 4");
  EXPECT_EQ(labels({1e5, 1e5 + 0.25, 1e5 + 1}), "0 0.25 1.00+1e5");
  // Without zeros that nobody gave, and without more digits than 64 bits hold.
  EXPECT_EQ(labels({1e-20, 1e-16, 1e-8, 1}, 2000, Curve::log), "$10^{-20}$ $10^{-16}$ $10^{-8}$ $10^{0}$");
  EXPECT_EQ(labels({1e-6, 1e-4, 1e-2, 1}, 2000, Curve::log), "$10^{-6}$ $10^{-4}$ $10^{-2}$ $10^{0}$");
  EXPECT_EQ(labels({0.03, 0.1, 1, 20}, 1000, Curve::log), "0.03 0.1 1 20");
  EXPECT_EQ(labels({-987654321, 1e-9, 987654321}), "−987654321 0.000000001 987654321");
}

TEST(Ticks, AreDecadesOnALogarithmAndItsHalvesUnderTwo) {
  EXPECT_EQ(ticks_of({1, 1000, Curve::log}), "1 10 100 1000");
  EXPECT_EQ(ticks_of({1e-3, 1e3, Curve::log}), "0.001 0.01 0.1 1 10 100 1000");
  EXPECT_EQ(ticks_of({1, 1e6, Curve::log}, 2000), "$10^{0}$ $10^{1}$ $10^{2}$ $10^{3}$ $10^{4}$ $10^{5}$ $10^{6}$");
  EXPECT_EQ(ticks_of({3, 50, Curve::log}), "5 10 20 50");
  EXPECT_EQ(ticks_of({3, 7, Curve::log}), "3 4 5 6 7") << "under one decade as on a line";
}

TEST(Ticks, OfASymmetricLogarithmGoOutwardsFromZero) {
  EXPECT_EQ(ticks_of({-10, 10, Curve::symlog, 0.1}), "−10 −1 −0.1 0 0.1 1 10");
  EXPECT_EQ(ticks_of({-1, 1, Curve::asinh, 0.02}), "−1 −0.1 0 0.1 1");
  EXPECT_EQ(ticks_of({0, 100, Curve::sqrt}), "0 25 50 75 100");
}

TEST(Ticks, NumbersAreExact) {
  EXPECT_EQ((Decimal{3, -1}).text(), "0.3");
  EXPECT_EQ((Decimal{-25, -3}).text(), "−0.025");
  EXPECT_EQ((Decimal{7, 3}).text(), "7000");
  EXPECT_EQ((Decimal{0, 5}).text(), "0");
  EXPECT_EQ(fixed_number(-0.001, 2), "0.00") << "no minus before a zero";
  EXPECT_EQ(fixed_number(-2.5, 1), "−2.5");
  for (const auto& [limit, expected] : {std::pair{4.9, "2"}, {5.0, "5"}, {0.099, "0.05"}, {1999.0, "1000"}})
    EXPECT_EQ(round_length(limit).text(), expected) << limit;
}

// Any range, scale and length.
TEST(Ticks, LieInsideAreDistinctAndDoNotOverlap) {
  std::mt19937_64 random(1);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution(a, b)(random); };
  int axes = 0, with_two = 0;
  for (int i = 0; i < 4000; ++i) {
    AxisRange range;
    range.curve = static_cast<Curve>(random() % 5);
    const double middle = uniform(-1, 1) * std::pow(10, uniform(-12, 12));
    const double span = std::fabs(middle) * std::pow(10, uniform(-5, 4));
    range.low = range.curve == Curve::log ? std::fabs(middle) : middle;
    range.high = range.low + span;
    if (range.curve == Curve::log) range.high = range.low * std::pow(10, uniform(0.001, 20));
    range.linear_width = (range.high - range.low) * std::pow(10, uniform(-4, 0));
    const double length = uniform(30, 2000), gap = 8;
    const Ticks ticks = find_ticks(range, {length, gap, 2 + static_cast<int>(random() % 6)}, extent);
    std::set<std::string> labels;
    double reached = -1e9;
    for (const Tick& tick : ticks.ticks) {
      const std::string where = fmt::format("[{}, {}] curve {} length {}: {} at {}", range.low, range.high,
                                            static_cast<int>(range.curve), length, tick.label, tick.place);
      ASSERT_GE(tick.place, 0) << where;
      ASSERT_LE(tick.place, 1) << where;
      ASSERT_TRUE(labels.insert(tick.label).second) << where;
      ASSERT_GE(tick.place * length - extent(tick.label) / 2, reached + gap - 1e-9) << where;
      reached = tick.place * length + extent(tick.label) / 2;
    }
    ++axes;
    with_two += ticks.ticks.size() >= 2;
    ASSERT_LE(ticks.ticks.size(), 16u);
  }
  EXPECT_GT(with_two, axes * 3 / 4);
}

// Every pair of ends, of which many have no axis between them: an end to the search, and ticks in order, inside.
TEST(Ticks, OfAnyEndsAreFew) {
  constexpr double inf = HUGE_VAL, max = std::numeric_limits<double>::max(), denormal = 5e-324;
  const double ends[] = {-inf,  -max,    -8.9e307, -1,  -denormal,   0, denormal, 1e-308, 1, std::nextafter(1, 2),
                         1e300, 8.9e307, max,      inf, std::nan("")};
  int axes = 0, calls = 0, most_calls = 0;
  const auto counted = [&](const std::string& label) { return ++calls, extent(label); };
  for (const double low : ends)
    for (const double high : ends)
      for (int i = 0; i < 5; ++i) {
        const AxisRange range{low, high, static_cast<Curve>(i), axes % 2 == 0 ? 1 : (high - low) / 100};
        calls = 0;
        const Ticks ticks = find_ticks(range, {axes % 2 == 0 ? 300.0 : 3000.0, 10, 2 + i}, counted);
        const Ticks given = ticks_at(range, {low, low / 2 + high / 2, high}, {300, 10}, extent);
        const std::string where = fmt::format("[{}, {}] curve {}", low, high, i);
        most_calls = std::max(most_calls, calls);
        axes += range.has_places();
        ASSERT_LE(ticks.ticks.size(), static_cast<std::size_t>(3 * (2 + i))) << where;
        double last = 0;
        for (const Tick& tick : ticks.ticks) {
          ASSERT_TRUE(tick.place >= last && tick.place <= 1) << where << ": " << tick.place;
          last = tick.place;
        }
        const bool sound = low < high && std::isfinite(high - low) && (i != 1 || low > 0);
        ASSERT_TRUE(sound || !range.has_places()) << where;
        ASSERT_TRUE(range.has_places() || (ticks.ticks.empty() && given.ticks.empty())) << where;
      }
  EXPECT_GT(axes, 200);
  EXPECT_LT(most_calls, 2000);
  EXPECT_EQ(ticks_of({1e-308, 1e308, Curve::log}, 1000),
            "$10^{-296}$ $10^{-222}$ $10^{-148}$ $10^{-74}$ $10^{0}$ $10^{74}$ $10^{148}$ $10^{222}$ $10^{296}$");
  EXPECT_EQ(ticks_of({-8e307, 8e307}), "−80 −60 −40 −20 0 20 40 60 80 x10^306");
  EXPECT_EQ(round_length(max).value(), 1e308);
  const std::string error = test::thrown([] { AxisRange{-1e308, 1e308}.check_places("the x axis"); });
  EXPECT_TRUE(error.starts_with("the x axis goes from -1e+308 to 1e+308: ")) << error;
}

// 273.15 is not 273: as many digits as a value has, and neighbours never look alike.
TEST(Ticks, NumbersAloneKeepTheirDigits) {
  const struct {
    std::vector<double> values;
    std::vector<std::string> texts;
  } table[] = {{{273.15}, {"273.15"}},
               {{285.2, 285.4}, {"285.2", "285.4"}},
               {{240, 273.15, 273.4}, {"240", "273.15", "273.4"}},
               {{101325, 101325.25}, {"101325", "101325.25"}},
               {{0.1 * 3, 0.7 * 0.1}, {"0.3", "0.07"}},
               {{-0.0001, -0.00001, 1.5e-7}, {"−0.0001", "$-10^{-5}$", "$1.5\\times10^{-7}$"}},
               {{1e6, -2.5e6, 1234567.8}, {"$10^{6}$", "$-2.5\\times10^{6}$", "1234567.8"}},
               {{1.0 / 3, 2.0 / 3}, {"0.333333", "0.666667"}},
               {{1.0 / 3, 1.0 / 3 + 1e-9}, {"0.333333333", "0.333333334"}},
               {{1, 1 + 1e-13, 1 + 2e-16}, {"1", "1.0000000000001", "1.0000000000000002"}},
               {{0, 1e300, 5e-324}, {"0", "$10^{300}$", "$4.94065645841\\times10^{-324}$"}}};
  for (const auto& [values, texts] : table) EXPECT_EQ(number_texts(values), texts) << values.front();
}

TEST(Ticks, AreAtLeastSoManyWhereTheyFit) {
  for (const AxisRange& range : {AxisRange{0, 100}, AxisRange{-0.7, 0.9}, AxisRange{0, 6.1}, AxisRange{3, 3.7}}) {
    const Ticks few = find_ticks(range, {1000, 10, 2, 4}, extent);
    EXPECT_GE(few.ticks.size(), 4u) << range.low << " " << range.high;
  }
  EXPECT_LT(find_ticks({0, 100}, {70, 10, 2, 4}, extent).ticks.size(), 4u) << "there is no room";
  const Ticks degrees = find_ticks({-180, 180}, {640, 24, 4, 4}, [](const std::string&) { return 80.0; });
  ASSERT_EQ(degrees.ticks.size(), 5u) << "50 has no room, 100 three ticks";
  EXPECT_EQ(degrees.ticks.back().label, "180");
}

std::string dates_of(const Ticks& ticks) {
  std::string text;
  for (const Tick& tick : ticks.ticks) text += (text.empty() ? "" : " ") + tick.label;
  return ticks.date.empty() ? text : text + " | " + ticks.date;
}

// The labels are those that ConciseDateFormatter of matplotlib 3.11 writes at these dates, which AutoDateLocator can
// choose; calendars that it does not know have the dates of cftime. What is left out is what all dates share, where
// matplotlib names the month and day of the last one; a new year is named at the tick where it begins.
TEST(Ticks, OfDatesSayWhatChanges) {
  const struct {
    const char *unit, *calendar;
    double low, high;
    const char* expected;
  } table[] = {
      {"days since 1850-01-01", "", 0, 63000, "1850 1900 1950 2000"},
      {"days since 2001-01-01", "", 0, 730, "2001 Jul 2002 Jul 2003"},
      {"days since 2001-01-01", "", 0, 365, "2001 Apr Jul Oct 2002"},
      {"days since 2001-02-10", "", 0, 200, "Mar Apr May Jun Jul Aug | 2001"},
      {"days since 2001-01-01", "", 0, 20, "Jan 05 09 13 17 21 | Jan 2001"},
      {"days since 2000-12-14", "", 0, 30, "15 22 Jan 2001 08"},
      {"days since 2001-02-03", "", 0, 100, "15 Mar 15 Apr 15 May | 2001"},
      {"hours since 2001-01-01", "", 0, 30, "Jan-01 06:00 12:00 18:00 Jan-02 06:00 | Jan 2001"},
      {"hours since 2001-01-01 00:00", "", 5, 8, "05:00 06:00 07:00 08:00 | 01 Jan 2001"},
      {"hours since 2000-12-31", "", 13, 35, "18:00 01 Jan 2001 06:00"},
      {"minutes since 2001-02-28", "", 1438, 1442, "23:58 23:59 Mar-01 00:01 00:02 | 2001"},
      {"minutes since 2001-01-01", "", 58, 62, "00:58 00:59 01:00 01:01 01:02 | 01 Jan 2001"},
      {"seconds since 2001-01-01 12:30", "", 0, 2, "12:30 00.5 01.0 01.5 02.0 | 01 Jan 2001 12:30"},
      {"seconds since 2001-01-01 12:30", "", 59.7, 59.9, "59.70 59.75 59.80 59.85 59.90 | 01 Jan 2001 12:30"},
      {"seconds since 2001-01-01 12:30", "", 57, 62, "57 58 59 12:31 01 02 | 01 Jan 2001"},
      {"days since 2001-02-01", "360_day", 0, 30, "Feb 08 15 22 Mar | 2001"},
      {"days since 2001-02-25", "noleap", 0, 6, "25 27 Mar 03 | 2001"},
      {"days since 2001-02-25", "all_leap", 0, 6, "25 26 27 28 29 Mar 02 | 2001"},
      {"days since 1582-10-02", "standard", 0, 6, "02 03 04 15 16 17 18 | Oct 1582"},
      {"days since 1582-10-02", "proleptic_gregorian", 0, 6, "02 03 04 05 06 07 08 | Oct 1582"},
      {"days since 0001-01-01", "noleap", 0, 700000, "0500 1000 1500"},
  };
  const auto narrow = [](const std::string& label) { return 6.0 * static_cast<double>(label.size()); };
  for (const auto& [unit, calendar, low, high, expected] : table) {
    AxisRange range{low, high};
    range.set_dates(parse_cf_time(unit, calendar));
    ASSERT_TRUE(range.dates) << unit;
    EXPECT_EQ(dates_of(find_ticks(range, {300, 10, 5, 4}, narrow)), expected) << unit << " " << calendar;
  }
}

TEST(Ticks, OfAnyDatesLieInsideAndTellThemApart) {
  std::minstd_rand random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 3000; ++i) {
    const char* const calendar[] = {"standard", "proleptic_gregorian", "noleap", "all_leap", "360_day"};
    AxisRange range{std::floor(6e10 * unit(random)), 0};
    range.high = range.low + std::pow(10, -2 + 13 * unit(random));
    range.set_dates(parse_cf_time("seconds since 0001-01-01", calendar[i % 5]));
    ASSERT_EQ(range.dates.has_value(), range.high < 30000.0 * 360 * 86400 - 366 * 86400);
    if (!range.dates) continue;
    const TickRoom room{100 + 900 * unit(random), 10, 5, 3};
    const Ticks ticks = find_ticks(range, room, extent);
    ASSERT_GE(ticks.ticks.size(), room.length < 400 ? 1u : 2u)
        << range.low << " " << range.high << " " << calendar[i % 5];
    EXPECT_TRUE(fits(ticks, room, extent));
    for (std::size_t k = 0; k < ticks.ticks.size(); ++k) {
      EXPECT_GE(ticks.ticks[k].value, range.low - 1e-5 * (range.high - range.low));
      EXPECT_LE(ticks.ticks[k].value, range.high + 1e-5 * (range.high - range.low));
      if (k > 0) {
        EXPECT_GT(ticks.ticks[k].value, ticks.ticks[k - 1].value);
      }
    }
  }
}

// What has no dates keeps its numbers.
TEST(Ticks, OfOtherTimesAreNumbers) {
  const auto dated = [](const char* unit, double low, double high, Curve curve = Curve::linear) {
    AxisRange range{low, high, curve};
    range.set_dates(parse_cf_time(unit, ""));
    return range.dates.has_value();
  };
  EXPECT_TRUE(dated("days since 2001-01-01", 0, 1));
  EXPECT_FALSE(dated("months since 2001-01-01", 0, 1));
  EXPECT_FALSE(dated("days since 2001-01-01", 0, 1e-9)) << "a double has no such times";
  EXPECT_FALSE(dated("days since 2001-01-01", -1e6, 1)) << "before the year 0";
  EXPECT_FALSE(dated("days since 2001-01-01", 0, 1e300));
  EXPECT_FALSE(dated("days since 2001-01-01", 1, 10, Curve::log));
}

TEST(Ticks, OfDegreesNameTheirSide) {
  const struct {
    char kind;
    double low, high;
    const char* expected;
  } table[] = {{'E', -180, 180, "180° 90°W 0° 90°E 180°"},       {'E', 0, 360, "0° 90°E 180° 90°W 0°"},
               {'E', -60.5, 10.5, "60°W 40°W 20°W 0°"},          {'E', 170, 200, "170°E 180° 170°W 160°W"},
               {'E', 5.01, 5.04, "5.01°E 5.02°E 5.03°E 5.04°E"}, {'N', -90, 90, "90°S 45°S 0° 45°N 90°N"},
               {'N', 40, 44, "40°N 41°N 42°N 43°N 44°N"}};
  const auto narrow = [](const std::string& label) { return 5.0 * static_cast<double>(label.size()); };
  for (const auto& [kind, low, high, expected] : table) {
    AxisRange range{low, high};
    range.degrees = kind;
    EXPECT_EQ(dates_of(find_ticks(range, {300, 10, 5, 4}, narrow)), expected);
  }
  AxisRange lon{0, 360}, lat{-90, 90};
  lon.degrees = 'E', lat.degrees = 'N';
  const auto both = ticks_of_one_step({lon, lat}, {TickRoom{600, 10, 5, 4}, TickRoom{300, 10, 4, 4}}, {narrow, narrow});
  ASSERT_TRUE(both);
  EXPECT_EQ(dates_of((*both)[0]), "0° 45°E 90°E 135°E 180° 135°W 90°W 45°W 0°");
  EXPECT_EQ(dates_of((*both)[1]), "90°S 45°S 0° 45°N 90°N");
}

TEST(Ticks, OfOneStepSuitTheShorterAxisToo) {
  const AxisRange x{0, 400}, y{0, 150};
  const auto both = ticks_of_one_step({x, y}, {TickRoom{800, 10, 5, 4}, TickRoom{300, 10, 4, 4}}, {extent, extent});
  ASSERT_TRUE(both);
  EXPECT_EQ((*both)[0].ticks.back().label, "400");
  ASSERT_EQ((*both)[1].ticks.size(), 4u);
  EXPECT_EQ((*both)[1].ticks[1].label, "50");
  EXPECT_EQ((*both)[0].ticks[1].label, "50");
  EXPECT_FALSE(ticks_of_one_step({AxisRange{0, 960}, AxisRange{0, 540}},
                                 {TickRoom{700, 23, 4, 4}, TickRoom{394, 23, 4, 4}},
                                 {[](const std::string&) { return 80.0; }, extent}))
      << "with 200 there are three ticks, 100 has no room, and 150 is no step that a reader expects";
  EXPECT_FALSE(
      ticks_of_one_step({x, AxisRange{0, 1}}, {TickRoom{800, 10, 5, 4}, TickRoom{300, 10, 4, 4}}, {extent, extent}))
      << "a thousand ticks have no room";
}

}  // namespace
}  // namespace simreel
