// Layouts of figures: for any size, text and range nothing overlaps and nothing leaves the picture, or the message says
// what to change.

#include "figure/layout.h"

#include <fmt/format.h>

#include "figure/space.h"
#include "figure/style.h"
#include "tests/support/page.h"
#include "tests/support/scenery.h"

namespace simreel {
namespace {

using Bar = FigureOptions::Bar;
using Axes = FigureOptions::Axes;
using test::mistake, test::Scenery;

bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

std::string text_of(const Rectangle& r) { return fmt::format("{} {} {}x{}", r.x, r.y, r.width, r.height); }

// What stands next to the picture must not overlap it, and labels no other mark but the plate they lie on.
void expect_in_order(const FigureLayout& layout, Size size, const std::string& where) {
  struct Placed {
    std::string key;
    Rectangle box;
    bool label;
  };
  std::vector<Placed> marks;
  bool plates = false;
  for (const Mark& mark : layout.marks) {
    const Rectangle box = extent_of(mark);
    if (box.width == 0) continue;
    ASSERT_TRUE(box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height)
        << where << ": " << mark.key << " at " << text_of(box) << " leaves the picture";
    if (mark.key == "plate") {
      plates = true;
      continue;
    }
    marks.push_back({std::string(mark.key), box, std::holds_alternative<Label>(mark.what)});
  }
  for (const NumberPlace& number : layout.numbers) {
    const Rectangle& box = number.box;
    ASSERT_TRUE(box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height)
        << where;
    // The room of a digit, without that of accents and descenders.
    const int size_px = number.size / fine;
    marks.push_back(
        {"number", {box.x, box.y + number.baseline - size_px * 73 / 100, box.width, size_px * 73 / 100}, true});
  }
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!plates && marks[i].key != "axes") {
      ASSERT_FALSE(overlap(marks[i].box, layout.field)) << where << ": " << marks[i].key << " lies on the picture";
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (!marks[i].label && !marks[k].label) continue;
      ASSERT_FALSE(overlap(marks[i].box, marks[k].box)) << where << ": " << marks[i].key << " " << text_of(marks[i].box)
                                                        << " over " << marks[k].key << " " << text_of(marks[k].box);
    }
  }
  ASSERT_TRUE(layout.field.x >= 0 && layout.field.y >= 0 && layout.field.width >= 16 && layout.field.height >= 16 &&
              layout.field.x + layout.field.width <= size.width && layout.field.y + layout.field.height <= size.height)
      << where << ": the picture at " << text_of(layout.field);
}

TEST(Layout, KeepsTheOrderForAnySizeTextAndRange) {
  std::mt19937_64 random(11);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution(a, b)(random); };
  const auto one_of = [&](auto... choices) {
    const std::vector<std::common_type_t<decltype(choices)...>> list = {choices...};
    return list[random() % list.size()];
  };
  const char* const titles[] = {
      "", "Re = 120", "Vortex street behind a cylinder, Re = 120, $\\nu$ = 0.02",
      "A title that is so long that it needs the whole width of a picture and then some more"};
  const char* const labels[] = {"", "height", "$\\omega_z$ (s$^{-1}$)",
                                "a label with many words in it (m$^2$ s$^{-3}$)"};
  const char* const times[] = {"", "auto", "t = {time:.2f} ms", "step {step}, E = {energy:.3e}"};
  int laid = 0, refused = 0;
  for (int i = 0; i < 500; ++i) {
    Scenery s;
    const Size sizes[] = {{160, 90},    {320, 180},   {640, 360}, {1920, 1080}, {3840, 2160},
                          {7680, 4320}, {1080, 1920}, {300, 900}, {2000, 200},  {97, 401}};
    s.view.size = sizes[random() % (i % 20 == 0 ? 10 : 4)];
    if (i % 5 == 0) s.view.size = sizes[6 + random() % 4];
    s.options().axes = static_cast<Axes>(random() % 3);
    s.options().colorbar = static_cast<Bar>(random() % 6);
    s.options().title = titles[random() % 4];
    if (random() % 2) s.options().label = labels[random() % 4];
    s.options().time = times[random() % 4];
    if (random() % 2) s.options().scale_bar = "auto";
    if (random() % 3 == 0) s.options().font_share = uniform(0.01, 0.06);
    s.stage.figure.grid = {std::floor(uniform(8, 800)), std::floor(uniform(8, 800))};
    if (random() % 2) s.options().units = {"mm", std::pow(10, uniform(-6, 6)), "ms", uniform(1e-4, 10), "1/s", 1};
    if (random() % 4 == 0) s.colors.nan = Color{255, 0, 255, 255};
    if (random() % 2) s.colors.under = s.colors.over = {};
    AxisRange range;
    range.curve = one_of(Curve::linear, Curve::linear, Curve::log, Curve::symlog, Curve::asinh, Curve::sqrt);
    range.low =
        range.curve == Curve::log ? std::pow(10, uniform(-9, 9)) : uniform(-1, 1) * std::pow(10, uniform(-9, 9));
    s.colors.has_powers = range.curve != Curve::linear && range.curve != Curve::sqrt;
    s.colors.both_signs = range.low < 0;
    range.high = range.curve == Curve::log ? range.low * std::pow(10, uniform(0.1, 12))
                                           : range.low + std::fabs(range.low) * std::pow(10, uniform(-3, 2));
    range.linear_width = (range.high - range.low) / 100;
    s.colors.range_is_fixed = random() % 2;
    if (i % 4 == 1) s.stage.figure.inside = true;
    const std::string where = fmt::format(
        "case {}: {} x {}, axes {}, bar {}, inside {}, title \"{}\", label \"{}\", time \"{}\", grid {} x {}, range "
        "[{}, {}]",
        i, s.view.size.width, s.view.size.height, static_cast<int>(s.options().axes),
        static_cast<int>(s.options().colorbar), s.stage.figure.inside, s.options().title,
        s.options().label.value_or("-"), s.options().time, s.stage.figure.grid[0], s.stage.figure.grid[1], range.low,
        range.high);
    try {
      const FigureLayout layout = s.layout(range);
      expect_in_order(layout, s.view.size, where);
      if (testing::Test::HasFatalFailure()) return;
      if (!s.colors.range_is_fixed) {
        ASSERT_EQ(s.layout({}).field, layout.field) << where << ": the range moves the picture";
      }
      ++laid;
    } catch (const UsageError& error) {
      const std::string message = error.what();
      ASSERT_TRUE(message.find("[figure]") != std::string::npos || message.find("colour bar") != std::string::npos ||
                  message.find("scale bar") != std::string::npos)
          << where << ": " << message;
      ++refused;
    }
  }
  EXPECT_GT(laid, 230) << refused << " were refused";
}

// What most people write fits from the smallest size on.
TEST(Layout, UsualFiguresFitEverySize) {
  for (const Size size : {Size{160, 90},
                          {320, 180},
                          {640, 360},
                          {1280, 720},
                          {1920, 1080},
                          {3840, 2160},
                          {7680, 4320},
                          {1080, 1920},
                          {1000, 1000}}) {
    for (const Bar bar : {Bar::left, Bar::right, Bar::top, Bar::bottom, Bar::inside, Bar::none})
      for (const Axes axes : {Axes::none, Axes::frame, Axes::ticks}) {
        if (size.width == 160 && bar == Bar::inside && axes != Axes::none) continue;
        if (size.width == 160 && axes == Axes::ticks && (bar == Bar::top || bar == Bar::bottom)) continue;
        Scenery s;
        s.view.size = size;
        s.options().axes = axes;
        s.options().colorbar = bar;
        s.options().time = "auto";
        s.options().label = "$u$";
        const std::string where = fmt::format("{} x {}, bar {}, axes {}", size.width, size.height,
                                              static_cast<int>(bar), static_cast<int>(axes));
        FigureLayout layout;
        ASSERT_NO_THROW(layout = s.layout()) << where;
        expect_in_order(layout, size, where);
        const double part = static_cast<double>(layout.field.width) * layout.field.height / size.width / size.height;
        EXPECT_GT(part, size.width < 320 || size.height >= size.width ? 0.1 : 0.3) << where;
      }
  }
}

// With few ticks the factor can be longer than with any usual number of them.
TEST(Layout, TheLabelOfABarStaysInThePicture) {
  for (const Curve curve : {Curve::linear, Curve::sqrt, Curve::symlog, Curve::asinh, Curve::log})
    for (const bool fixed : {false, true}) {
      Scenery s;
      s.view.size = {160, 90};
      s.stage.figure.grid = {296, 73};
      s.options().colorbar = Bar::right;
      s.options().time = "t = {time:.2f} ms";
      s.colors.range_is_fixed = fixed;
      const AxisRange range{0.00106166926265235, 515277.2925269758, curve, 5152.77};
      expect_in_order(s.layout(range), s.view.size, fmt::format("curve {}, fixed {}", static_cast<int>(curve), fixed));
    }
}

// Also of ranges so narrow that their numbers have an offset, and wherever the range becomes known.
// Without the factor the numbers are others.
TEST(Layout, TheLabelOfABarNamesItsFactor) {
  for (const Bar bar : {Bar::left, Bar::right, Bar::top, Bar::bottom, Bar::inside})
    for (const bool fixed : {false, true}) {
      for (const auto& [range, factor] :
           {std::pair{AxisRange{-9.2e-6, 9.2e-6}, "(10$^{\u22126}$)"}, std::pair{AxisRange{100000, 100001}, "+1e5"}}) {
        Scenery s;
        s.options().colorbar = bar;
        s.colors.range_is_fixed = fixed;
        const Marks marks = s.layout(range).marks;
        const auto label = std::find_if(marks.rbegin(), marks.rend(), [](const Mark& m) { return m.key == "label"; });
        ASSERT_NE(label, marks.rend());
        const std::vector<GlyphRun::Item> end = set_text(factor, 64).items,
                                          all = std::get<Label>(label->what).run.items;
        ASSERT_GE(all.size(), end.size());
        EXPECT_TRUE(std::equal(end.rbegin(), end.rend(), all.rbegin(),
                               [](const auto& a, const auto& b) { return a.glyph == b.glyph; }))
            << static_cast<int>(bar) << ", " << fixed << ", " << factor;
      }
    }
}

TEST(Layout, NoTextIsSmallerThanItWasAsked) {
  for (const auto& [low, high] : {std::pair{1e5, 1e5 + 0.01},
                                  {-1e5, -1e5 + 0.01},
                                  {101325.2, 101325.9},
                                  {-0.9, 0.9},
                                  {0.98, 1.0021},
                                  {6.022e23, 6.0220001e23},
                                  {-1e300, 1e300}})
    for (const Bar bar : {Bar::left, Bar::right, Bar::top, Bar::bottom, Bar::inside})
      for (const bool fixed : {false, true}) {
        Scenery s;
        s.view.size = {1004, 700};
        s.options().colorbar = bar;
        s.options().axes = Axes::ticks;
        s.options().label = "$p$ (Pa)";
        s.options().title = "Pressure";
        s.colors.range_is_fixed = fixed;
        const AxisRange range{low, high};
        const FigureLayout layout = s.layout(range);
        const std::string where = fmt::format("[{}, {}], bar {}, fixed {}", low, high, static_cast<int>(bar), fixed);
        if (!fixed) {
          const Rectangle before = s.layout(std::nullopt).field;
          EXPECT_EQ(text_of(layout.field), text_of(before)) << where;
        }
        expect_in_order(layout, s.view.size, where);
        int labels = 0;
        for (const Mark& mark : layout.marks)
          if (const auto* const label = std::get_if<Label>(&mark.what)) {
            int largest = 0;
            for (const GlyphRun::Item& item : label->run.items) largest = std::max(largest, item.size);
            EXPECT_GE(largest, style_of(s.view, s.options()).em) << where << ": " << mark.key;
            labels += mark.key == "colorbar";
          }
        EXPECT_GE(labels, 2) << where;
      }
}

// On paper a label that is wider than its bar turns, and wraps where it is longer than that, too.
TEST(Layout, LongLabelsOfABarTurnAndWrap) {
  const std::string words = "normalised velocity fluctuation $u_x' / U$ of";
  for (const Bar bar : {Bar::right, Bar::left, Bar::top, Bar::bottom, Bar::inside})
    for (const bool panels : {false, true}) {
      if (panels && bar == Bar::inside) continue;
      Scenery s;
      s.view.size = {1004, 600};
      s.options().font_points = 7;
      s.options().axes = Axes::ticks;
      s.options().colorbar = bar;
      s.options().label = bar == Bar::bottom || bar == Bar::top
                              ? words + " the flow in a channel with ribs, relative to its mean over the whole length"
                              : words + " the flow";
      s.stage.figure.beside_panels = panels;
      const std::string where = fmt::format("bar {}", static_cast<int>(bar));
      const FigureLayout layout = s.layout();
      expect_in_order(layout, s.view.size, where);
      int lines = 0;
      for (const Mark& mark : layout.marks) {
        const auto* const label = std::get_if<Label>(&mark.what);
        if (!label || mark.key != "label") continue;
        ++lines;
        EXPECT_EQ(label->along == upwards, bar == Bar::right || bar == Bar::left) << where;
      }
      EXPECT_GE(lines, 2) << where;
      EXPECT_EQ(text_of(s.layout(std::nullopt).field), text_of(layout.field)) << where;
    }
  Scenery s;
  s.options().colorbar = Bar::right;
  s.options().font_points = 7;
  s.options().label = "$p$";
  for (const Mark& mark : s.layout().marks)
    if (const auto* const label = std::get_if<Label>(&mark.what); label && mark.key == "label") {
      EXPECT_EQ(label->along, rightwards) << "a short one stands over the bar";
    }
  s.options().label = "normalised streamwise velocity fluctuation of the flow in a channel";
  s.view.size = {1004, 400};
  s.stage.figure.grid = {200, 50};
  EXPECT_TRUE(test::says(mistake(s), "\"label\" in [figure] is ")) << "a part of it would be no label";
  s.options().label = std::string(400, 'x');
  s.stage.figure.beside_panels = true;
  EXPECT_TRUE(test::says(mistake(s), "\"label\" in [figure] is "));
}

std::string text_of(const FigureLayout& layout, std::string_view key) {
  std::string text;
  for (const Mark& mark : layout.marks)
    if (const auto* const label = std::get_if<Label>(&mark.what); label && mark.key == key) {
      text += (text.empty() ? "" : "|") + test::text_of(label->run);
    }
  return text;
}

// What nobody wrote is no reason to refuse a figure.
TEST(Layout, OwnLabelsGetShorterUntilTheyFit) {
  Scenery s;
  s.options().axes = Axes::ticks;
  s.stage.figure.axes[0] = GridAxis{0, 1, "longitude", "degrees_east"};
  s.stage.figure.axes[1] = GridAxis{0, 0.4, "time", "years since 2001-01-01 00:00:00"};
  const struct {
    int height;
    const char* label;
  } heights[] = {{600, "time (years since 2001-01-01 00:00:00)"},
                 {270, "time (years since 2001-01-01)"},
                 {190, "time (years)"},
                 {100, "time"}};
  s.options().font_pixels = 12;
  s.options().aspect = FigureOptions::Aspect::automatic;
  for (const auto& [height, label] : heights) {
    s.view.size = {640, height};
    const FigureLayout layout = s.layout();
    EXPECT_EQ(text_of(layout, "ylabel"), label) << layout.field.height;
    expect_in_order(layout, s.view.size, label);
  }
  s.options().ylabel = "a long label that somebody wrote";
  EXPECT_TRUE(test::says(mistake(s), "\"ylabel\" in [figure] is longer than the axis; shorten it"));
  s = Scenery();
  s.view.size = {320, 200};
  s.options().font_pixels = 12;
  s.options().colorbar = Bar::right;
  s.stage.figure.field = "geopotential_height_anomaly_relative_to_the_mean_of_thirty_years";
  s.stage.figure.unit = "m";
  EXPECT_EQ(text_of(s.layout(), "label"), "geopotential...");
  s.options().label = s.stage.figure.field;
  EXPECT_TRUE(test::says(mistake(s), "\"label\" in [figure] is "));
}

// Numbers that are dates need no unit; the part of them that stays is said once, as far as there is room.
TEST(Layout, DatesAndDegreesAreSaidOnce) {
  Scenery s;
  s.options().axes = Axes::ticks;
  s.options().font_pixels = 12;
  s.options().aspect = FigureOptions::Aspect::automatic;
  s.stage.figure.axes[0] = GridAxis{-30, 1, "lon", "\u00B0E"};
  s.stage.figure.axes[1] = GridAxis{0, 1, "time", "hours since 2001-01-01 00:00:00"};
  const struct {
    int height;
    const char* label;
  } heights[] = {{400, "time (Jan 2001)"}, {130, "Jan 2001"}, {97, ""}};
  for (const auto& [height, label] : heights) {
    s.view.size = {640, height};
    const FigureLayout layout = s.layout();
    EXPECT_EQ(text_of(layout, "ylabel"), label) << layout.field.height;
    EXPECT_EQ(text_of(layout, "xlabel"), "lon");
    EXPECT_TRUE(test::says(text_of(layout, "axes"), "0*W|"));
    EXPECT_TRUE(test::says(text_of(layout, "axes"), "|Jan|"));
    expect_in_order(layout, s.view.size, label);
  }
  s.view.size = {640, 400};
  s.options().ylabel = "t (UTC)";
  EXPECT_EQ(text_of(s.layout(), "ylabel"), "t (UTC) Jan 2001");
  s.options().units.length = "h";  // whoever names a unit means numbers
  EXPECT_EQ(text_of(s.layout(), "axes").find("Jan"), std::string::npos);
}

// Without it the numbers would be wrong by the factor.
TEST(Layout, EmptyLabelsKeepTheFactorOfTheNumbers) {
  Scenery s;
  s.options().axes = Axes::ticks;
  s.options().units.cell = 1e5;
  s.options().colorbar = Bar::right;
  s.options().label = s.options().xlabel = s.options().ylabel = "";
  for (const bool fixed : {true, false}) {
    s.colors.range_is_fixed = fixed;
    const FigureLayout layout = s.layout(AxisRange{0, 123456});
    expect_in_order(layout, s.view.size, "factors");
    for (const char* key : {"label", "xlabel", "ylabel"})
      EXPECT_EQ(text_of(layout, key), key == std::string("label") ? "* 103" : "* 106") << key;
  }
  s.options().units.cell.reset();
  EXPECT_EQ(text_of(s.layout(AxisRange{0, 1}), "label"), "");
  s.options().units.cell = 1e308;
  EXPECT_TRUE(test::says(mistake(s), "the x axis goes from 0 to inf"));
  s.options().axes = Axes::none;
  s.options().scale_bar = "auto";
  EXPECT_TRUE(test::says(mistake(s), "the picture goes from 0 to inf"));
}

TEST(Layout, NamesBelowABarKeepApart) {
  Scenery s;
  s.options().colorbar = Bar::bottom;
  s.options().label = "";
  s.colors.classes = {{"water", {}}, {"deciduous and mixed forest", {}}, {"grassland", {}}, {"urban", {}}};
  const FigureLayout layout = s.layout();
  expect_in_order(layout, s.view.size, "classes");
  s.colors.classes.resize(12, {"another kind of land", {}});
  EXPECT_TRUE(test::says(mistake(s), "set colorbar = \"right\""));
}

TEST(Layout, UnitsOfFilesAreRaised) {
  EXPECT_EQ(unit_text("m s-1"), "m s$^{-1}$");
  EXPECT_EQ(unit_text("kg m-2 s-1"), "kg m$^{-2}$ s$^{-1}$");
  EXPECT_EQ(unit_text("m2/s"), "m$^{2}$/s");
  EXPECT_EQ(unit_text("m**2 s**-2"), "m$^{2}$ s$^{-2}$") << "as ECMWF writes them";
  EXPECT_EQ(unit_text("K^4"), "K$^{4}$");
  for (const char* plain :
       {"", "K", "m/s", "$s^{-1}$", "1e-3", "ppm CO2", "10-6 m", "\u00B0N", "days since 1900-01-01"})
    EXPECT_EQ(unit_text(plain), plain);
}

TEST(Layout, TheBarIsExactlyAsHighAsThePicture) {
  Scenery s;
  s.options().colorbar = Bar::right;
  const FigureLayout layout = s.layout();
  int top = 10000, bottom = 0;
  for (const Mark& mark : layout.marks) {
    const auto* shape = std::get_if<Shape>(&mark.what);
    if (mark.key != "colorbar" || !shape || !shape->filled || shape->points.size() != 3) continue;
    for (const Spot spot : shape->points) top = std::min(top, spot.y), bottom = std::max(bottom, spot.y);
  }
  EXPECT_EQ(top, layout.field.y * fine);
  EXPECT_EQ(bottom, (layout.field.y + layout.field.height) * fine);
}

TEST(Layout, LongTitlesWrap) {
  Scenery s;
  std::string words = "a title";
  std::size_t most = 0;
  int field = 0;
  for (std::size_t count = 0; count < 20; ++count, words += " of many words") {
    s.options().title = words;
    if (!mistake(s).empty()) break;
    const FigureLayout layout = s.layout();
    const auto lines = static_cast<std::size_t>(std::ranges::count(layout.marks, "title", &Mark::key));
    expect_in_order(layout, s.view.size, words);
    EXPECT_GE(lines, most);
    EXPECT_TRUE(lines == most || layout.field.y > field) << words;
    most = lines, field = layout.field.y;
  }
  EXPECT_EQ(most, 3u);
}

TEST(Layout, SaysWhichKeyToChange) {
  Scenery s;
  s.options().position = {"x.toml", 9, 1};
  s.options().given_keys["title"] = {"x.toml", 10, 1};
  s.options().given_keys["time"] = {"x.toml", 11, 1};
  s.options().given_keys["font_size"] = {"x.toml", 12, 1};
  s.options().title = std::string(200, 'x');
  EXPECT_EQ(mistake(s), "x.toml:10:1: \"title\" in [figure] is wider than the room over the picture");
  s.options().title = "$\\nix$";
  EXPECT_TRUE(
      mistake(s).starts_with("x.toml:10:1: \"title\" in [figure]: \\nix is not a known name of mathematics; ther"));
  s.options().title = "";
  s.options().time = std::string(300, 'i');
  EXPECT_EQ(mistake(s), "x.toml:11:1: \"time\" in [figure] is wider than the room over the picture");
  s.options().time = "";
  s.options().font_pixels = 100;
  s.options().axes = Axes::ticks;
  EXPECT_EQ(mistake(s).substr(0, 60), "x.toml:12:1: the labels of [figure] leave 0 x 0 of 640 x 360");
}

TEST(Layout, AxesOfBodiesNeedAnOrthographicViewThatStands) {
  Scenery s;
  s.stage.bodies = 10;
  s.options().axes = Axes::ticks;
  EXPECT_TRUE(test::says(mistake(s), "have no scale in perspective"));
  s.stage.camera.projection = Projection::orthographic;
  EXPECT_EQ(mistake(s), "");
  s.stage.camera.pose.orbit = 90;
  EXPECT_TRUE(test::says(mistake(s), "a camera that moves does not keep"));
}

// 40 x 20 cells that are twice as high as wide make a square.
TEST(Layout, CellsThatAreNotSquareKeepTheirProportions) {
  Scenery s;
  s.stage.figure.grid = {40, 20};
  s.stage.cell_aspect = 2;
  s.options().axes = Axes::ticks;
  s.options().inset = FigureOptions::Inset{{4, 4, 10, 10}, {}};
  const FigureLayout layout = s.layout();
  EXPECT_NEAR(layout.field.width, layout.field.height, 1);
  ASSERT_TRUE(layout.inset);
  EXPECT_NEAR(layout.inset->height, 2 * layout.inset->width, 2);
  const auto y = [&] { return FigureSpace(s.stage).y(layout.field).high; };
  EXPECT_EQ(y(), 20) << "cells";
  s.options().units.length = "mm";
  s.options().units.cell = 0.5;  // its width
  EXPECT_EQ(FigureSpace(s.stage).x(layout.field).high, 20) << "mm";
  EXPECT_EQ(y(), 20) << "mm";
  EXPECT_EQ(FigureSpace(s.stage).units_per_pixel(layout.field), 20.0 / layout.field.width);
}

}  // namespace
}  // namespace simreel
