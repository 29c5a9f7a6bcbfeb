// Plots of columns: tables that are read, and what a plot shows.

#include "plot/plot.h"

#include <fmt/format.h>

#include "base/error.h"
#include "plot/read_csv.h"
#include "sink/page/document.h"
#include "tests/support/page.h"
#include "tests/support/places.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

using test::thrown;

class PlotTest : public testing::Test {
 protected:
  CsvTable table(const std::string& text) {
    std::ofstream(folder_ / "a.csv", std::ios::binary) << text;
    return read_csv(folder_ / "a.csv");
  }
  test::Folder folder_;
};

std::vector<std::string> texts_of(const Page& page) {
  std::vector<std::string> texts;
  for (const Mark& mark : page.marks)
    if (const auto* label = std::get_if<Label>(&mark.what)) texts.push_back(test::text_of(label->run));
  return texts;
}
bool shows(const Page& page, const std::string& text) {
  const auto texts = texts_of(page);
  return std::ranges::find(texts, text) != texts.end();
}

TEST_F(PlotTest, WhatCannotBeReadIsNoShortTable) {
  EXPECT_EQ(thrown([] { read_csv("/proc/self/mem"); }), "/proc/self/mem: cannot be read");
}

TEST_F(PlotTest, SecondAxesShowTheSamePlacesInOtherUnits) {
  PlotOptions options;
  options.x2 = SecondAxis{1000, "t (ms)"};
  options.y2 = SecondAxis{0.01, "h (m)"};
  options.title = "Title";
  const Page page = draw_plot({{"a", {0, 1, 2}, {0, 50, 100}, {}, PlotStyle::line}}, options);
  const auto place = [&](const std::string& wanted, bool last) {
    Spot found{-1, -1};
    for (const Mark& mark : page.marks)
      if (const auto* label = std::get_if<Label>(&mark.what);
          label && test::text_of(label->run) == wanted && (found.x < 0 || last))
        found = {label->origin.x + label->run.width / 2, label->origin.y};
    EXPECT_GE(found.x, 0) << wanted;
    return found;
  };
  EXPECT_NEAR(place("1.0", false).x, place("1000", true).x, 2 * fine) << "x, below and above";
  EXPECT_GT(place("1.0", false).y, (page.field.y + page.field.height) * fine);
  EXPECT_LT(place("1000", true).y, page.field.y * fine);
  EXPECT_NEAR(place("50", false).y, place("0.50", true).y, fine) << "y, left and right";
  EXPECT_LT(place("50", false).x, page.field.x * fine);
  EXPECT_GT(place("0.50", true).x, (page.field.x + page.field.width) * fine);
  for (const char* label : {"t (ms)", "h (m)", "Title"}) EXPECT_TRUE(shows(page, label)) << label;
  for (const Mark& mark : page.marks) {
    const Rectangle box = extent_of(mark);
    EXPECT_GE(box.x, 0);
    EXPECT_GE(box.y, 0);
    EXPECT_LE(box.x + box.width, page.size.width);
    EXPECT_LE(box.y + box.height, page.size.height);
  }
}

TEST_F(PlotTest, RatiosCompareWithTheFirstLine) {
  const std::vector<PlotSeries> lines = {{"a", {1, 2, 4}, {10, 20, 40}, {}, PlotStyle::line},
                                         {"b", {4, 2, 3}, {20, 40, 1}, {}, PlotStyle::points}};
  const std::vector<PlotSeries> over = ratios(lines, PlotRatio::over_first, {});
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].label, "b");
  EXPECT_EQ(over[0].x, (std::vector<double>{4, 2})) << "the first has no 3";
  EXPECT_EQ(over[0].y, (std::vector<double>{0.5, 2}));
  EXPECT_EQ(ratios(lines, PlotRatio::first_over, {})[0].y, (std::vector<double>{2, 0.5}));
  EXPECT_NE(thrown([&] { ratios({lines[0]}, PlotRatio::over_first, {}); }), "");
  EXPECT_TRUE(test::says(thrown([&] {
                           ratios({lines[0], {"c", {9}, {1}, {}, PlotStyle::line}}, PlotRatio::over_first, {});
                         }),
                         "no x in common"));
}

TEST_F(PlotTest, ReadsColumnsByName) {
  const CsvTable csv = table("# made by hand\ntime,\"energy, total\",kind\n0,1.5,a\n1,,b\n\n2,-3e2,c\n");
  EXPECT_EQ(csv.names, (std::vector<std::string>{"time", "energy, total", "kind"}));
  EXPECT_EQ(csv.column("time"), (std::vector<double>{0, 1, 2}));
  EXPECT_TRUE(std::isnan(csv.column("energy, total")[1])) << "an empty cell";
  EXPECT_EQ(csv.column("energy, total")[2], -300);
}

TEST_F(PlotTest, SaysWhatIsWrongWithATable) {
  const CsvTable csv = table("time,energy,kind\n0,1,a\n");
  EXPECT_TRUE(test::says(thrown([&] { (void)csv.column("enrgy"); }),
                         "has no column \"enrgy\"; it has time, energy, kind; did you mean \"energy\"?"));
  EXPECT_TRUE(test::says(thrown([&] { (void)csv.column("kind"); }),
                         "a.csv:2: column \"kind\" holds \"a\", which is not a number"));
  EXPECT_TRUE(test::says(thrown([&] { table("a,b\n1\n"); }), "a.csv:2: has 1 cells, and the first line names 2"));
  EXPECT_TRUE(test::says(thrown([&] { table("root:x:0\ndaemon:x:1\n"); }), "a.csv: holds no numbers"));
  EXPECT_TRUE(test::says(thrown([&] { table("a,b\n"); }), "holds no rows"));
  EXPECT_TRUE(test::says(thrown([&] { read_csv(folder_ / "none.csv"); }), "there is no such file"));
}

TEST_F(PlotTest, GuessesSeparatorsAndMissingNames) {
  EXPECT_EQ(table("time;drag\n0;1\n1;2\n").column("drag"), (std::vector<double>{1, 2}));
  EXPECT_EQ(table("time\tdrag\n0\t1\n").column("drag"), (std::vector<double>{1}));
  const CsvTable bare = table("0,1\n1,-2e3\n");
  EXPECT_EQ(bare.names, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(bare.column("2"), (std::vector<double>{1, -2000}));
}

TEST_F(PlotTest, ShowsNamesTicksAndLegend) {
  PlotOptions options;
  options.xlabel = "time", options.ylabel = "energy", options.title = "Run", options.legend = true;
  const Page page =
      draw_plot({{"one", {0, 1, 2}, {0, 1, 4}, {}}, {"two", {0, 1, 2}, {3, 2, 1}, {0.1, 0.1, 0.1}}}, options);
  for (const char* text : {"time", "energy", "Run", "one", "two", "0", "2", "4"})
    EXPECT_TRUE(shows(page, text)) << text;
  EXPECT_EQ(page.size.width, 1004) << "85 mm at 300 dpi";
  for (const Mark& mark : page.marks) {
    const Rectangle box = extent_of(mark);
    EXPECT_TRUE(box.x >= 0 && box.y >= 0 && box.x + box.width <= page.size.width &&
                box.y + box.height <= page.size.height)
        << box.x << " " << box.y << " " << box.width << "x" << box.height;
  }
}

TEST_F(PlotTest, ALogarithmicAxisHasDecadesAndLeavesOutWhatIsNotAbove0) {
  PlotOptions options;
  options.log_x = options.log_y = true;
  EXPECT_FALSE(has_place(options, 0, 1));
  EXPECT_FALSE(has_place(options, 1, -1));
  EXPECT_TRUE(has_place(options, 1e-9, 1e9));
  options.slopes = {{2, "N2"}};
  const Page page = draw_plot({{"one", {0, 1, 10, 100, 1000}, {1, 1, 100, 1e4, 1e6}, {}}}, options);
  EXPECT_TRUE(shows(page, "N2"));
  EXPECT_TRUE(shows(page, "102")) << "10 to the power of 2";
  EXPECT_TRUE(test::says(thrown([&] { draw_plot({{"one", {0, 0}, {1, 1}, {}}}, options); }), "nothing to plot"));
}

TEST_F(PlotTest, AReferenceSlopeIsParallelToItsPower) {
  PlotOptions options;
  options.log_x = options.log_y = true;
  options.style = PlotStyle::line;
  options.slopes = {{2, "s"}};
  const Page page = draw_plot({{"one", {1, 10, 100, 1000}, {1, 100, 1e4, 1e6}, {}}}, options);
  double series = 0;
  std::vector<double> dashes;
  for (const Mark& mark : page.marks) {
    const auto* shape = std::get_if<Shape>(&mark.what);
    if (!shape || shape->filled) continue;
    const auto& a = shape->points.front();
    const auto& b = shape->points.back();
    const double steep = static_cast<double>(b.y - a.y) / (b.x - a.x);
    if (shape->points.size() == 4)
      series = steep;
    else if (a.y != b.y)
      dashes.push_back(steep);
  }
  ASSERT_GT(dashes.size(), 3u);
  for (const double dash : dashes) EXPECT_NEAR(dash / series, 1, 0.02);
}

// Its long side has the power's slope, its right angle lies below, and all of it below the line.
TEST(Plot, ATriangleHasTheSlopeOfItsPower) {
  for (const double power : {2.0, -1.5}) {
    PlotOptions options;
    options.log_x = options.log_y = true;
    options.triangles = {{power, "-1.5"}};
    const std::vector<double> x = {1, 10, 100, 1000};
    std::vector<double> y;
    for (const double v : x) y.push_back(std::pow(v, power));
    const Page page = draw_plot({{"one", x, y, {}}}, options);
    std::vector<Spot> line, triangle;
    for (const Mark& mark : page.marks)
      if (const auto* shape = std::get_if<Shape>(&mark.what); shape && !shape->filled && shape->points.size() == 4)
        (shape->points.front().x == shape->points.back().x ? triangle : line) = shape->points;
    ASSERT_EQ(triangle.size(), 4u);
    ASSERT_EQ(line.size(), 4u);
    const auto slope = [](Spot a, Spot b) { return static_cast<double>(b.y - a.y) / (b.x - a.x); };
    EXPECT_NEAR(slope(triangle[1], triangle[2]) / slope(line[0], line[3]), 1, 0.02);
    EXPECT_EQ(triangle[0].x, triangle[1].x);
    EXPECT_EQ(triangle[0].y, triangle[2].y);
    EXPECT_GT(triangle[0].y, triangle[1].y);
    for (const Spot& corner : triangle)
      EXPECT_GT(corner.y, line[0].y + slope(line[0], line[3]) * (corner.x - line[0].x)) << power;
    EXPECT_TRUE(shows(page, "1") && shows(page, "*1.5")) << "with the sign U+2212";
  }
}

TEST_F(PlotTest, WhatDoesNotFitIsSaid) {
  PlotOptions options;
  options.width = 20, options.font_points = 40;
  EXPECT_TRUE(test::says(thrown([&] { draw_plot({{"one", {0, 1}, {0, 1}, {}}}, options); }), "smaller --font-size"));
  options = {};
  options.legend = true;
  EXPECT_TRUE(test::says(thrown([&] {
                           draw_plot({{std::string(200, 'm'), {0, 1}, {0, 1}, {}}}, options);
                         }),
                         "--legend"));
}

TEST_F(PlotTest, IsTheSameBytesAgain) {
  const auto pdf = [] {
    return pdf_of(draw_plot({{"one", {0, 1, 2}, {0, 1, 4}, {}}}, {}), {300, {{"version", "simreel"}}});
  };
  EXPECT_EQ(pdf(), pdf());
}

std::size_t shapes(const Page& page, const auto& counts) {
  return static_cast<std::size_t>(std::ranges::count_if(page.marks, [&](const Mark& mark) {
    const auto* shape = std::get_if<Shape>(&mark.what);
    return shape && counts(*shape);
  }));
}

TEST_F(PlotTest, EachLineHasItsStyle) {
  const std::vector<double> x = {0, 1, 2};
  const Page page =
      draw_plot({{"a", x, {0, 1, 4}, {}, PlotStyle::points}, {"b", x, {3, 2, 1}, {}, PlotStyle::line}}, {});
  EXPECT_EQ(shapes(page, [](const Shape& s) { return s.filled && s.points.size() == 16; }), 3u) << "disks";
  EXPECT_EQ(shapes(page, [](const Shape& s) { return !s.filled; }), 1u) << "the line of the second";
}

TEST_F(PlotTest, LogarithmicAxesHaveSmallTicksBetweenTheirNumbers) {
  PlotOptions options;
  const auto ticks = [&](bool log) {
    options.log_x = log;
    const Page page = draw_plot({{"a", {1, 10, 100}, {1, 2, 3}, {}}}, options);
    return shapes(page, [&](const Shape& s) {
      return s.filled && s.points.size() == 4 && s.points[1].x - s.points[0].x <= 3 * fine &&
             s.points[0].y >= (page.field.y + page.field.height) * fine;
    });
  };
  EXPECT_EQ(ticks(true), 3u + 18u) << "0.8, 0.9, 2 to 9 and 20 to 90 beside 1, 10 and 100";
  EXPECT_LT(ticks(false), 10u);
}

// 5 % of what the values reach over, as matplotlib has it: 1 / 22 of the axis.
TEST_F(PlotTest, MarginsAreTheSameShareOfAxesOfAnyKind) {
  for (const bool log : {true, false}) {
    PlotOptions options;
    options.log_x = options.log_y = log;
    const Page page = draw_plot({{"a", {1, 1e3}, {2, 2e5}, {}, PlotStyle::line}}, options);
    EXPECT_EQ(shapes(page,
                     [&](const Shape& s) {
                       if (s.filled || s.points.size() != 2) return false;
                       const Rectangle& box = page.field;
                       EXPECT_NEAR(s.points[0].x, (box.x + box.width / 22.0) * fine, 1);
                       EXPECT_NEAR(s.points[1].x, (box.x + box.width * 21 / 22.0) * fine, 1);
                       EXPECT_NEAR(s.points[0].y, (box.y + box.height * 21 / 22.0) * fine, 1);
                       EXPECT_NEAR(s.points[1].y, (box.y + box.height / 22.0) * fine, 1);
                       return true;
                     }),
              1u);
  }
}

TEST_F(PlotTest, TablesOfOtherProgramsAreRead) {
  const struct {
    const char *text, *column;
    std::vector<double> values;
  } cases[] = {
      {"# t  energy\n0   1.5\n1   2.5\n", "energy", {1.5, 2.5}},
      {"t energy\n 0   1.5 \n 1\t2.5\n", "energy", {1.5, 2.5}},
      {"Zeit;Wert\n0,5;1,25\n1,5;-2,5\n", "Wert", {1.25, -2.5}},
      {"t\tu\n0\t1,5\n1\t2\n", "u", {1.5, 2}},
      {"%x y\n1.5d0 2.5D-3\n2d0 +1\n", "y", {0.0025, 1}},
      {"\xEF\xBB\xBFt,u\n0,1\n1,NA\n2,3\n", "t", {0, 1, 2}},
      {"0 1\n2 3\n", "2", {1, 3}},
      {"date,u\n2024-02-28,1\n2024-02-29T12:00,2\n2024-03-01 00:00:36Z,3\n",
       "date",
       {19781, 19782.5, 19783 + 36 / 86400.0}},
  };
  for (const auto& [text, column, values] : cases) {
    const std::vector<double> found = table(text).column(column);
    ASSERT_EQ(found.size(), values.size()) << text;
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_DOUBLE_EQ(found[i], values[i]) << text;
  }
  EXPECT_TRUE(
      test::says(thrown([&] { return table("t,u\n1,1\n2,2024-13-01\n").column("u"); }), "which is not a number"));
}

// Each pair of cells, and the days between them; nothing: the second is refused.
TEST_F(PlotTest, DatesAreThoseOfIso8601) {
  const struct {
    const char *first, *second;
    std::optional<double> days;
  } table_of_dates[] = {
      {"1970-01-01", "1970-01-02", 1},
      {"1970-01-01T00:00Z", "1970-01-01 12:00", 0.5},
      {"1969-12-31", "1970-01-01", 1},
      {"2024-02-28 23:30", "2024-02-29T00:00:18", 1818 / 86400.0},
      {"2024-02-28", "2024-02-28 24:00", 1},
      {"2016-12-31", "2016-12-31 23:59:60Z", 1},
      {"2016-12-31 23:59:59.25", "2017-01-01T00:00:00,5", 1.25 / 86400},
      {"2024-02-29T00:00:00Z", "2024-02-29T01:30+01:30", 0},
      {"2024-02-29T00:00:00Z", "2024-02-28 19:00:00.000-0500", 0},
      {"2024-02-29T00:00:00Z", "2024-02-29 09:00 +09", 0},
      {"2024/02/28", "2024/3/1", 2},
      {"2024-01", "2024-03", 60},
      {"1000-01-01", "9999-12-31", 3287181},
      {"2024-02-29", "2023-02-29", {}},
      {"2024-02-29", "2024-02-29 25:00", {}},
      {"2024-02-29", "2024-02-29 24:01", {}},
      {"2024-02-29", "2024-02-29 12:60", {}},
      {"2024-02-29", "2024-02-29 12:30:60", {}},
      {"2024-02-29", "2024-02-29 999999999:00", {}},
      {"2024-02-29", "2024-02-29 12:30+15:00", {}},
      {"2024-02-29", "2024-02-29 12:30 yesterday", {}},
      {"2024-02-29", "2024-02-29 12:30:15.", {}},
      {"2024-02-29", "99999-01-01", {}},
      {"2024-02-29", "2147483648-01-01", {}},
      {"2024-02-29", "2023-W53-1", {}},
      {"2024-02-29", "2024-W01-7", {}},
      {"2024-02-29", "2024-00-10", {}},
      {"2024-02-29", "2024-2/29", {}},
      {"2024-02-29", "5", {}},
      {"2024-02-29", "2024", {}},
      {"3", "2024-02-29", {}},
  };
  for (const auto& [first, second, days] : table_of_dates) {
    const CsvTable csv = table(fmt::format("date;v\n{};1\n{};2\n", first, second));
    const std::string where = fmt::format("{} and {}", first, second);
    if (days) {
      EXPECT_EQ(thrown([&] { EXPECT_NEAR(csv.column("date")[1] - csv.column("date")[0], *days, 1e-9) << where; }), "");
    } else {
      const char* const what = std::string(first) == "3" ? "number" : "date";
      EXPECT_TRUE(
          test::says(thrown([&] { (void)csv.column("date"); }), fmt::format("{}\", which is not a {};", second, what)))
          << where;
    }
  }
  for (const char* text : {"29/02/2024", "29.02.2024", "02-29-2024", "29.02.24 12:30", "2024-02-30", "2024-W09-4"})
    EXPECT_TRUE(test::says(thrown([&] { (void)table(fmt::format("d;v\n{};1\n", text)).column("d"); }),
                           "dates are written as 2024-02-29"))
        << text;
  for (const auto& [first, days] :
       {std::pair{"1970-01-01", 0.0}, {"1969-12-31 12:00Z", -0.5}, {"2024-02-29T02:00+02:00", 19782}}) {
    const CsvTable csv = table(fmt::format("d;v\n;1\nNA;2\n{};1\n", first));
    EXPECT_TRUE(csv.has_dates("d") && !csv.has_dates("v") && !csv.has_dates("w"));
    EXPECT_EQ(csv.column("d")[2], days);
  }
}

TEST_F(PlotTest, DatesOfSeveralFilesShareAnAxis) {
  const CsvTable a = table("d;v\n2024-02-28;1\n2024-03-01;2\n"), b = table("d;v\n2024-03-10;1\n2024-03-20;2\n"),
                 numbers = table("d;v\n1;1\n2;2\n");
  EXPECT_EQ(b.column("d")[0] - a.column("d")[0], 11) << "not days since the first of each";
  EXPECT_TRUE(dates_along({{&a, "d"}, {&b, "d"}}));
  EXPECT_FALSE(dates_along({{&a, "v"}, {&numbers, "d"}}));
  EXPECT_TRUE(test::says(thrown([&] { dates_along({{&a, "d"}, {&numbers, "d"}}); }), "holds dates, and \"d\" of"));
  PlotOptions options;
  options.x_dates = dates_along({{&a, "d"}});
  options.xlabel = "d";
  const std::vector<PlotSeries> series = {{"a", a.column("d"), a.column("v"), {}},
                                          {"b", b.column("d"), b.column("v"), {}}};
  const std::string texts = fmt::format("{}", fmt::join(texts_of(draw_plot(series, options)), "|"));
  EXPECT_TRUE(test::says(texts, "Mar|05|09|13|17|"));
  EXPECT_TRUE(test::says(texts, "d (Mar 2024)"));
  options.log_x = true;
  EXPECT_TRUE(test::says(thrown([&] { draw_plot(series, options); }), "neither logarithmic nor"));
  options = {};
  options.y_dates = dates_along({{&a, "d"}});
  EXPECT_TRUE(test::says(thrown([&] { ratios(series, PlotRatio::over_first, options); }), "dates have no ratio"));
}

// Of CSV files and of options: quotes count at the start of a cell.
TEST_F(PlotTest, CellsMayHoldCommas) {
  using Cells = std::vector<std::string>;
  const std::pair<const char*, Cells> lines[] = {{"a,b", {"a", "b"}},
                                                 {"\"E, total\",W", {"E, total", "W"}},
                                                 {" \"a\"\"b\" , c ", {"a\"b", "c"}},
                                                 {"5\" pipe,6\" pipe", {"5\" pipe", "6\" pipe"}},
                                                 {"$a_{1,2}$", {"$a_{1", "2}$"}},
                                                 {"\"$a_{1,2}$\"", {"$a_{1,2}$"}},
                                                 {",", {"", ""}}};
  for (const auto& [line, cells] : lines) EXPECT_EQ(csv_cells(line, ','), cells) << line;
}

// Values and limits whose span is beyond double.
TEST_F(PlotTest, AxesEndWhereNumbersDo) {
  constexpr double max = std::numeric_limits<double>::max(), denormal = 5e-324;
  const struct {
    std::vector<double> y;
    bool log = false;
    const char* refusal = "";
    std::optional<SecondAxis> x2 = {}, y2 = {};
  } plots[] = {
      {{-1e308, 1e308}, false, "the y axis goes from -1e+308 to 1e+308"},
      {{0, max}},
      {{-8.9e307, 8.9e307}},
      {{max, max}},
      {{0, denormal}},
      {{1, std::nextafter(1, 2)}},
      {{denormal, max}, true},
      {{1, HUGE_VAL}},
      {{1, std::nan("")}},
      {{1, 2}, false, "the second x axis goes from", SecondAxis{1e308, "t"}},
      {{1, 2}, false, "", SecondAxis{denormal, "t"}},
      {{1e10, 2e10}, false, "the y axis at the right goes from", {}, SecondAxis{1e300, "h"}},
  };
  for (const auto& plot : plots) {
    PlotOptions options;
    options.log_y = plot.log;
    options.x2 = plot.x2, options.y2 = plot.y2;
    const std::string said = thrown([&] {
      const Page page = draw_plot({{"a", {1, 4}, plot.y, {0.5, HUGE_VAL}}}, options);
      for (const Mark& mark : page.marks) {
        const Rectangle box = extent_of(mark);
        EXPECT_TRUE(box.x >= 0 && box.x + box.width <= page.size.width) << plot.y[1];
      }
    });
    EXPECT_TRUE(said.starts_with(plot.refusal) && said.empty() == std::string(plot.refusal).empty()) << said;
  }
  PlotOptions narrow;
  narrow.ylim = {{0, 1e-300}};
  EXPECT_EQ(thrown([&] { draw_plot({{"a", {1, 2}, {0, 1e-301}, {1e300, 1}}}, narrow); }), "") << "a long error bar";
}

// The letters of a legend that covered a line would meet it.
TEST_F(PlotTest, TheLegendCoversNoLine) {
  std::vector<double> x, waves;
  for (int i = 0; i <= 400; ++i) x.push_back(i / 400.0), waves.push_back(std::sin(i / 4.0));
  PlotOptions options;
  options.legend = true;
  const Page busy = draw_plot({{"a long name of waves", x, waves, {}}}, options);
  options.legend_at = LegendAt::none;
  const Page without = draw_plot({{"a long name of waves", x, waves, {}}}, options);
  EXPECT_FALSE(shows(without, "a long name of waves"));
  EXPECT_TRUE(shows(busy, "a long name of waves"));
  EXPECT_GT(busy.field.y, without.field.y) << "it stands above the axes, as there is no room between the waves";
  options.legend_at = LegendAt::automatic;
  EXPECT_EQ(draw_plot({{"a", {0, 1}, {0, 1}, {}}}, options).field.y, without.field.y) << "here is room";
  options.legend_at = LegendAt::lower_left;
  const Page placed = draw_plot({{"waves", x, waves, {}}}, options);
  for (const Mark& mark : placed.marks)
    if (const auto* label = std::get_if<Label>(&mark.what); label && label->run.items.size() == 5) {
      EXPECT_GT(label->origin.y, (placed.field.y + placed.field.height / 2) * fine);
      EXPECT_LT(label->origin.x, (placed.field.x + placed.field.width / 2) * fine);
    }
}

TEST_F(PlotTest, LongTitlesWrapAndWideLegendsStandAbove) {
  PlotOptions options;
  options.width = 60;
  const std::vector<PlotSeries> line = {{"A first line with a name that is long", {0, 1}, {0, 1}, {}}};
  const Page plain = draw_plot(line, options);
  options.title = "a title that is";
  const Page one = draw_plot(line, options);
  options.title = "a title that is much longer than the page is wide, so that it takes one more line";
  const Page two = draw_plot(line, options);
  EXPECT_LT(plain.field.y, one.field.y);
  EXPECT_LT(one.field.y, two.field.y);
  EXPECT_FALSE(shows(two, options.title));
  options.title = "";
  options.legend = true;
  const Page legend = draw_plot(line, options);
  EXPECT_TRUE(shows(legend, line[0].label));
  for (const Mark& mark : legend.marks) {
    const auto* label = std::get_if<Label>(&mark.what);
    EXPECT_TRUE(!label || label->run.items.size() != line[0].label.size() || label->origin.y < legend.field.y * fine);
  }
}

TEST_F(PlotTest, LimitsAndAnAxisAtTheRight) {
  PlotOptions options;
  options.xlim = {{0, 50}};
  options.ylim = {{0, 1}};
  options.right_label = "work";
  const std::vector<double> x = {0, 25, 50, 75};
  const Page page = draw_plot(
      {{"a", x, {0.2, 0.4, 0.9, 7}, {}}, {"b", x, {0, 500, 1000, 2000}, {}, PlotStyle::line, {}, {}, true}}, options);
  EXPECT_TRUE(shows(page, "work") && shows(page, "1000") && shows(page, "50"));
  EXPECT_FALSE(shows(page, "75") || shows(page, "2000"));
  const Rectangle& f = page.field;
  for (const Mark& mark : page.marks)
    if (const auto* shape = std::get_if<Shape>(&mark.what); shape && !shape->filled) {
      for (const Spot& spot : shape->points)
        EXPECT_TRUE(spot.x >= f.x * fine && spot.x <= (f.x + f.width) * fine && spot.y >= f.y * fine &&
                    spot.y <= (f.y + f.height) * fine)
            << "a line leaves the axes";
    }
}

TEST_F(PlotTest, ABandLiesBetweenItsColumns) {
  PlotOptions options;
  options.ylim = {{0, 4}};
  options.xlim = {{0, 2}};
  const Page page =
      draw_plot({{"a", {0, 1, 2}, {1, 2, 3}, {}, PlotStyle::line, {0.5, 1.5, 2.5}, {1.5, 2.5, 3.5}}}, options);
  const Rectangle& f = page.field;
  bool found = false;
  for (const Mark& mark : page.marks) {
    const auto* shape = std::get_if<Shape>(&mark.what);
    if (!shape || !shape->filled || shape->points.size() != 6) continue;
    found = true;
    EXPECT_NEAR(shape->points[0].y / 64.0, f.y + f.height * (1 - 1.5 / 4), 1);
    EXPECT_NEAR(shape->points[5].y / 64.0, f.y + f.height * (1 - 0.5 / 4), 1);
    EXPECT_LT(shape->color.a, 100);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace simreel
