// A rasterizer with [figure]: the same bits on every executor, frames that do not depend on those before, and what lies
// over the picture.

#include "figure/figure.h"

#include <fmt/format.h>

#include "base/error.h"
#include "figure/contour_labels.h"
#include "figure/style.h"
#include "picture/rasterizer.h"
#include "raster/color/colormap.h"
#include "tests/support/backends.h"
#include "tests/support/draw_context.h"
#include "tests/support/page.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

constexpr int nx = 64, ny = 32;
constexpr Size size{320, 180};

// A ramp along x from 0 to 1 over the cells' centres, and `turn` times y.
std::vector<float> ramp(double turn = 0) {
  std::vector<float> values;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) values.push_back(static_cast<float>(x / (nx - 1.0) + turn * y));
  return values;
}

struct Scenery {
  ViewOptions view;
  DrawContext stage;

  Scenery() {
    view.size = size;
    view.colormap = "viridis";
    view.range = RangeMode::fixed;
    view.low = 0, view.high = 1;
    stage.interval = 0.25;
    stage.animation.frames = 41;
    stage.animation.steps_per_frame = 1;
    stage.figure.field = "height";
    stage.figure.grid = {nx, ny};
    stage.figure.diagnostics = {"energy"};
    FigureOptions& options = stage.figure.options;
    options.given = true;
    options.title = "Ramp";
    options.time = "t = {time:.2f}, E = {energy:.2e}";
    options.axes = FigureOptions::Axes::ticks;
    options.colorbar = FigureOptions::Bar::right;
    options.scale_bar = "auto";
  }
  FigureOptions& options() { return stage.figure.options; }
};

template <class Pixel>
constexpr PixelLayout layout = std::is_same_v<Pixel, Color> ? PixelLayout::rgba : PixelLayout::rgba16;

struct Show {
  std::vector<float> values;
  double time = 0, energy = 0;
};

// The last of some frames.
template <class Pixel = Color>
std::vector<std::byte> picture(const Executor& executor, const Scenery& s, const std::vector<Show>& frames) {
  Rasterizer rasterizer(executor, s.view, s.stage);
  rasterizer.set_layouts({layout<Pixel>});
  Buffer<float> field(executor, nx * ny);
  std::int64_t frame = 0;
  for (const Show& show : frames) {
    field.upload(show.values.data());
    const FieldView<float> view{field.data(), nx, ny, nx};
    rasterizer.draw(view, frame);
    if (rasterizer.figure_wants_vectors())
      for (const int part : {0, 1}) rasterizer.take_vectors(part, view, frame);
    rasterizer.write_figure(view, {frame, frame, show.time, std::span(&show.energy, 1)});
    ++frame;
  }
  Buffer<std::byte> bytes(executor, frame_bytes(s.view.size, layout<Pixel>));
  rasterizer.convert(layout<Pixel>, bytes.data());
  return bytes.download();
}

std::vector<Color> colors_of(const std::vector<std::byte>& bytes) {
  std::vector<Color> colors(bytes.size() / sizeof(Color));
  std::memcpy(static_cast<void*>(colors.data()), bytes.data(), bytes.size());
  return colors;
}

TEST(Figure, DrawsOneRowAsALineOverItsRange) {
  Scenery s;
  s.stage.figure.grid = {nx, 1};
  s.options().curve = true;
  s.options().aspect = FigureOptions::Aspect::automatic;
  s.options().colorbar = FigureOptions::Bar::none;
  s.options().scale_bar = "";
  s.options().time = "";
  const Executor executor = Executor::cpu(2);
  const auto drawn = [&](double value) {
    return colors_of(picture(executor, s, {{std::vector<float>(nx * ny, static_cast<float>(value))}}));
  };
  const std::vector<Color> empty = drawn(std::nan(""));
  // In the middle column, where the line is not what is there without it.
  const auto row = [&](double value) {
    const std::vector<Color> shown = drawn(value);
    double sum = 0, weights = 0;
    for (int y = 0; y < size.height; ++y) {
      const auto at = static_cast<std::size_t>(y * size.width + size.width / 2);
      const double weight = std::abs(shown[at].r - empty[at].r);
      sum += weight * y, weights += weight;
    }
    EXPECT_GT(weights, 100) << value;
    return sum / weights;
  };
  EXPECT_LT(row(0.75), row(0.5));
  EXPECT_NEAR(row(0.25) - row(0.5), row(0.5) - row(0.75), 0.3);
  EXPECT_GT(row(0.25) - row(0.75), size.height / 4.0);
  EXPECT_TRUE(drawn(5) == empty) << "beyond the range there is no line";
}

// From cells [1, 1] to [21, 11] of a ramp, beside a cell that is not a number: bilinear values are those of the line.
TEST(Figure, AProfileHasTheValuesAlongItsLine) {
  const Executor executor = Executor::cpu(2);
  std::vector<float> values;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) values.push_back(static_cast<float>(x + 4 * y));
  values[5 * nx + 9] = NAN;
  Buffer<float> memory(executor, values.size());
  memory.upload(values.data());
  FieldView<float> view{memory.data(), nx, ny, nx};
  const std::array<double, 4> line = {1.5, 1.5, 21.5, 11.5};
  const HostField row = along(executor, view, line, 40, Interpolation::linear);
  EXPECT_EQ(row.nx, 40);
  EXPECT_EQ(row.ny, 1);
  for (int i = 0; i < 40; ++i) {
    const double part = (i + 0.5) / 40, x = 1 + 20 * part, y = 1 + 10 * part;
    const bool beside = std::fabs(x - 9) < 1 && std::fabs(y - 5) < 1;
    if (beside)
      EXPECT_TRUE(std::isnan(row.at(i, 0))) << i;
    else
      EXPECT_NEAR(row.at(i, 0), x + 4 * y, 1e-12) << i;
  }
  const HostField nearest = along(executor, view, line, 40, Interpolation::nearest);
  for (const int i : {0, 9, 30})
    EXPECT_EQ(nearest.at(i, 0), std::floor(1.75 + 0.5 * i) + 4 * std::floor(1.625 + 0.25 * i)) << i;
  // Of a part of the field that holds the line, in the cells of the whole.
  FieldPart part({1, 1, 22, 12});
  const HostField same = along(executor, part.of(view), line, 40, Interpolation::linear);
  EXPECT_EQ(std::memcmp(same.values.data(), row.values.data(), row.values.size() * sizeof(double)), 0);
}

TEST(Figure, RowsOverTimeFillThePictureFromBelow) {
  Scenery s;
  s.view.interpolation = Interpolation::nearest;
  s.view.nan = s.view.background;
  s.stage.animation.frames = 3;
  s.stage.figure.grid = {nx, 1};
  s.options().space_time = true;
  s.options().colorbar = FigureOptions::Bar::none;
  s.options().scale_bar = "", s.options().time = "", s.options().title = "";
  Rasterizer::aim(s.stage, s.view);
  EXPECT_EQ(s.stage.figure.grid, (std::array{1.0 * nx, 3.0}));
  EXPECT_EQ(s.stage.figure.axes[1]->step, 0.25);
  const std::vector<Color> map = load_colormap("viridis");
  // The pixels of the middle column that show the value: how many, and where on average.
  using Rows = std::pair<int, double>;
  const auto rows_of = [&](const std::vector<Color>& shown, double value) {
    Rows rows;
    for (int y = 0; y < size.height; ++y)
      if (shown[static_cast<std::size_t>(y * size.width + size.width / 2)] ==
          map[static_cast<std::size_t>(value * 255)])
        ++rows.first, rows.second += y;
    return rows.first > 0 ? Rows{rows.first, rows.second / rows.first} : rows;
  };
  const Executor executor = Executor::cpu(2);
  std::vector<Show> frames;
  for (const double value : {0.2, 0.4}) frames.push_back({std::vector<float>(nx * ny, static_cast<float>(value))});
  const std::vector<Color> two = colors_of(picture(executor, s, frames));
  frames.push_back({std::vector<float>(nx * ny, 0.8F)});
  const std::vector<Color> three = colors_of(picture(executor, s, frames));
  EXPECT_EQ(rows_of(two, 0.8).first, 0);
  const Rows first = rows_of(three, 0.2), second = rows_of(three, 0.4), third = rows_of(three, 0.8);
  EXPECT_GT(first.first, size.height / 6);
  EXPECT_NEAR(first.first, third.first, 1);
  EXPECT_GT(first.second, second.second);
  EXPECT_NEAR(first.second - second.second, second.second - third.second, 1);
  EXPECT_EQ(rows_of(two, 0.2), first);
  EXPECT_EQ(rows_of(two, 0.4), second);
}

TEST(Figure, HasTheSameBitsOnEveryExecutor) {
  Scenery s;
  s.options().contours = {0.3, 0.7};
  s.options().arrows = 12;
  s.options().inset = FigureOptions::Inset{{8, 4, 24, 12}, {}, FigureOptions::Inset::At::lower_left};
  s.stage.figure.has_vectors = true;
  const std::vector<Show> frames = {{ramp(), 0.25, 1}, {ramp(0.01), 3, -2e-5}};
  const Executor one = Executor::cpu(1);
  const auto shallow = picture<Color>(one, s, frames);
  const auto deep = picture<DeepColor>(one, s, frames);
  for (const Executor& executor : test::executors()) {
    EXPECT_TRUE(picture<Color>(executor, s, frames) == shallow) << executor.name();
    EXPECT_TRUE(picture<DeepColor>(executor, s, frames) == deep) << executor.name();
  }
}

// Numbers of earlier frames leave nothing behind, and edges do not become bolder.
TEST(Figure, AFrameDoesNotDependOnThoseBefore) {
  for (const FigureOptions::Bar bar : {FigureOptions::Bar::right, FigureOptions::Bar::inside})
    for (const Color background : {Color{0, 0, 0, 255}, Color{250, 250, 250, 60}}) {
      Scenery s;
      s.options().colorbar = bar;
      s.options().time = "t = {time:.2f}, E = {energy:.0f} J";  // of more and less digits
      s.view.background = background;
      const Executor cpu = Executor::cpu(2);
      const Show last{ramp(), 1.75, 2};
      const auto alone = picture(cpu, s, {last});
      EXPECT_TRUE(picture(cpu, s, {{ramp(0.1), 10, -3e-4}, {ramp(0.2), 8.88, 8.88e8}, last}) == alone)
          << static_cast<int>(bar) << ", " << static_cast<int>(background.a);
      EXPECT_FALSE(picture(cpu, s, {{ramp(), 1.5, 2}}) == alone) << "the time is another";
    }
}

// The label of a narrow range is longer than those that nobody knew before it was found.
TEST(Figure, TheTimeMakesRoomForTheOffsetOfARange) {
  for (const char* title : {"", "A title"}) {
    Scenery s;
    s.view.range = RangeMode::first;
    s.options().title = title;
    s.options().time = "t = {time:.2f}";
    s.options().label = "$p$ (Pa)";
    const Executor cpu = Executor::cpu(1);
    Rasterizer rasterizer(cpu, s.view, s.stage);
    rasterizer.set_range({101325, 101325.01});
    Buffer<float> field(cpu, nx * ny);
    field.upload(ramp().data());
    const FieldView<float> view{field.data(), nx, ny, nx};
    rasterizer.draw(view, 0);
    const Page page = rasterizer.write_page(view, {0, 0, 0.25, {}});
    int label = 0, end = 0, numbers = 0;
    for (const Mark& mark : page.marks) {
      const Rectangle box = extent_of(mark);
      if (mark.key == "label") label = box.x;
      if (mark.key == "time") end = std::max(end, box.x + box.width), ++numbers;
    }
    EXPECT_EQ(numbers, 2) << "t = and its number";
    EXPECT_GT(label, end) << title;
  }
}

// In the unit of the bar, as they were written.
TEST(Figure, ContoursAreLabelledWithTheirOwnValues) {
  using Texts = std::set<std::string>;
  const struct {
    std::vector<double> contours;
    int count;
    double factor;
    Texts texts;
  } table[] = {{{0.3, 0.7015}, 0, 1, {"0.3", "0.7015"}},
               {{273.15, 273.4}, 0, 546.3, {"273.15", "273.4"}},
               {{}, 3, 1, {"0", "0.5", "1"}},
               {{}, 4, 0.3, {"0.1", "0.2"}}};
  for (const auto& [contours, count, factor, expected] : table) {
    Scenery s;
    s.view.size = {1280, 720};
    s.options().contours = contours, s.options().contour_count = count;
    s.options().contour_labels = true;
    s.options().time = "";
    s.options().units.factor = factor;
    const Executor cpu = Executor::cpu(1);
    Rasterizer rasterizer(cpu, s.view, s.stage);
    Buffer<float> field(cpu, nx * ny);
    field.upload(ramp().data());
    const FieldView<float> view{field.data(), nx, ny, nx};
    rasterizer.draw(view, 0);
    const Page page = rasterizer.write_page(view, {0, 0, 0.25, {}});
    Texts found;
    for (const Mark& mark : page.marks)
      if (const auto* const label = std::get_if<Label>(&mark.what); label && mark.key == "contours") {
        found.insert(test::text_of(label->run));
        EXPECT_EQ(label->along, upwards) << "along lines that are upright";
      }
    EXPECT_TRUE(std::ranges::includes(expected, found) && found.size() >= std::max<std::size_t>(1, contours.size()))
        << factor << ": " << testing::PrintToString(found);
  }
}

// The painter draws what it would draw in a picture of the size of the viewport.
TEST(Figure, ThePictureInsideIsThatOfItsOwnSize) {
  Scenery s;
  const Executor cpu = Executor::cpu(2);
  const Figure figure(cpu, s.view, s.stage, std::vector<Color>(5, Color{1, 2, 3, 255}));
  const Rectangle place = figure.viewport().area;
  ASSERT_GT(place.width, 150);
  const std::vector<Color> whole = colors_of(picture(cpu, s, {{ramp(), 0, 0}}));
  Scenery plain;
  plain.stage.figure = {};
  plain.view.size = {place.width, place.height};
  const std::vector<Color> alone = colors_of(picture(cpu, plain, {{ramp(), 0, 0}}));
  for (int y = 0; y < place.height; ++y)
    for (int x = 0; x < place.width; ++x)
      ASSERT_EQ(whole[(place.y + y) * size.width + place.x + x], alone[y * place.width + x]) << x << ", " << y;
}

TEST(Figure, AnInsetIsAPictureOfItsPart) {
  Scenery s;
  s.options().inset = FigureOptions::Inset{{8, 4, 24, 12}, {}, FigureOptions::Inset::At::upper_left};
  const Executor cpu = Executor::cpu(1);
  const Figure figure(cpu, s.view, s.stage, std::vector<Color>(5, Color{1, 2, 3, 255}));
  ASSERT_TRUE(figure.inset());
  const Rectangle place = *figure.inset();
  const std::vector<Color> whole = colors_of(picture(cpu, s, {{ramp(0.01), 0, 0}}));
  ViewOptions view = s.view;
  view.size = {place.width, place.height};
  Rasterizer part(cpu, view);
  Buffer<float> field(cpu, nx * ny);
  const std::vector<float> values = ramp(0.01);
  field.upload(values.data());
  part.draw(FieldView<float>{field.data() + 4 * nx + 8, 16, 8, nx}, 0);
  const std::vector<Color> expected = test::canvas_of(cpu, part, view.size);
  for (int y = 0; y < place.height; ++y)
    for (int x = 0; x < place.width; ++x)
      ASSERT_EQ(whole[(place.y + y) * size.width + place.x + x], expected[y * place.width + x]) << x << ", " << y;
}

// The other lines of the picture are hidden there.
TEST(Figure, AnInsetHasTheLinesOfItsPart) {
  Scenery s;
  s.options().inset = FigureOptions::Inset{{8, 4, 24, 12}, {}, FigureOptions::Inset::At::upper_left};
  s.stage.figure.has_vectors = true;
  const Executor cpu = Executor::cpu(1);
  const Rectangle place = *Figure(cpu, s.view, s.stage, std::vector<Color>(5, Color{1, 2, 3, 255})).inset();
  const std::vector<Color> bare = colors_of(picture(cpu, s, {{ramp()}}));
  // The columns of the inset in which pixels are others.
  const auto lined = [&](const Scenery& scenery) {
    std::vector<int> columns;
    const std::vector<Color> drawn = colors_of(picture(cpu, scenery, {{ramp()}, {ramp()}}));
    for (int y = place.y + 1; y < place.y + place.height - 1; ++y)
      for (int x = 0; x < place.width; ++x)
        if (const std::size_t at = y * size.width + place.x + x; drawn[at] != bare[at]) columns.push_back(x);
    return columns;
  };
  Scenery contoured = s, arrowed = s, streaming = s;
  contoured.options().contours = {0.25};
  arrowed.options().arrows = 20;
  streaming.options().streamlines = true;
  const std::vector<int> contour = lined(contoured);
  EXPECT_GE(contour.size(), place.height - 2u) << "from edge to edge";
  const double middle = (0.25 * (nx - 1) + 0.5 - 8) / 16 * place.width;
  for (const int x : contour) EXPECT_NEAR(x + 0.5, middle, 2);
  contoured.options().contour_labels = true;
  const std::vector<int> labelled = lined(contoured);
  EXPECT_GT(std::ranges::count_if(labelled, [&](int x) { return std::abs(x + 0.5 - middle) > 2; }), 10) << "a label";
  for (const Scenery& lines : {arrowed, streaming}) {
    const std::vector<int> columns = lined(lines);
    EXPECT_GT(std::ranges::max(columns) - std::ranges::min(columns), place.width / 2);
  }
}

TEST(Lines, AreCutAtABox) {
  const auto spots = [](const Strokes& strokes) {
    std::string text;
    for (const Stroke& stroke : strokes) {
      for (const Path::Point& p : stroke.points)
        text += fmt::format("{},{} ", p.x / Path::per_pixel, p.y / Path::per_pixel);
      text += stroke.filled ? "filled; " : "; ";
    }
    return text;
  };
  const auto line = [](std::initializer_list<std::array<int, 2>> points, bool filled = false) {
    Stroke stroke{{}, filled};
    for (const auto& [x, y] : points) stroke.points.push_back(path_point(x, y));
    return Strokes{stroke};
  };
  const Rectangle box{0, 0, 16, 10};
  EXPECT_EQ(spots(clipped(line({{-10, 5}, {20, 5}, {20, 2}, {8, 2}}), box)), "0,5 16,5 ; 16,2 8,2 ; ");
  EXPECT_EQ(spots(clipped(line({{1, 1}, {9, 9}, {2, 3}}), box)), "1,1 9,9 2,3 ; ") << "all lies inside";
  EXPECT_EQ(spots(clipped(line({{12, 2}, {20, 6}, {12, 8}}, true), box)), "12,2 16,4 16,7 12,8 filled; ");
  EXPECT_EQ(spots(clipped(line({{-9, 2}, {-2, 6}, {-4, 8}}, true), box)), "");
}

// The pixels that a path covers, as a set of columns per row.
std::vector<std::pair<int, int>> covered(const Path& path) {
  std::vector<std::pair<int, int>> pixels;
  path.cover(0, 0, 1000, 1000, [&](int y, int x, std::span<const std::uint8_t> levels) {
    for (const std::uint8_t level : levels) {
      if (level > 0) pixels.emplace_back(x, y);
      ++x;
    }
  });
  return pixels;
}

HostField host(double (*value)(int, int)) {
  HostField field{nx, ny, {}};
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) field.values.push_back(value(x, y));
  return field;
}

Strokes strokes(const std::vector<std::vector<Path::Point>>& lines) {
  Strokes all;
  for (const auto& line : lines) all.push_back({line});
  return all;
}

TEST(Contours, LieWhereTheInterpolatedFieldHasTheValue) {
  const Rectangle place{100, 50, 640, 320};  // ten pixels a cell
  const auto line = covered(
      path_of(strokes(contour_lines(host([](int x, int) { return static_cast<double>(x); }), 20.25, place)), 512));
  ASSERT_FALSE(line.empty());
  for (const auto& [x, y] : line) {
    EXPECT_NEAR(x + 0.5, 100 + 10 * (20.25 + 0.5), 1.5);
    EXPECT_GE(y, 50 - 1);
    EXPECT_LE(y, 50 + 320 + 1);
  }
  EXPECT_GE(line.size(), 2 * 320u) << "from edge to edge";
}

TEST(Contours, OfARadiusAreCirclesAndKeepAwayFromSolidCells) {
  const Rectangle place{0, 0, 640, 320};
  HostField field = host([](int x, int y) { return std::hypot(x - 30.0, y - 16.0); });
  const auto line = covered(path_of(strokes(contour_lines(field, 10, place)), 256));
  ASSERT_GT(line.size(), 300u);
  for (const auto& [x, y] : line) EXPECT_NEAR(std::hypot((x + 0.5) / 10 - 30.5, 32 - (y + 0.5) / 10 - 16.5), 10, 0.2);
  for (double& value : field.values)
    if (value > 8) value = std::nan("");
  EXPECT_TRUE(contour_lines(field, 10, place).empty());
}

TEST(Contours, AreJoinedAsFarAsTheyGo) {
  const Rectangle place{0, 0, 640, 320};
  const HostField field = host([](int x, int y) { return std::hypot(x - 30.0, y - 16.0); });
  const auto circle = contour_lines(field, 10, place);
  ASSERT_EQ(circle.size(), 1u) << "a circle is one line";
  EXPECT_TRUE(circle[0].front() == circle[0].back()) << "and closed";
  EXPECT_EQ(contour_lines(field, 25, place).size(), 2u) << "beyond the lower and the upper side it is open: two lines";
  const auto straight = contour_lines(host([](int x, int) { return static_cast<double>(x); }), 20.25, place);
  ASSERT_EQ(straight.size(), 1u);
  EXPECT_EQ(straight[0].size(), 2u) << "no point lies on the line of others";
  // A saddle has two lines that do not meet.
  EXPECT_EQ(contour_lines(host([](int x, int y) { return (x - 31.5) * (y - 15.5); }), 3, place).size(), 2u);
}

TEST(Contours, InDashesHaveTheLengthOfTheLine) {
  const std::vector<Path::Point> line = {{0, 0}, {1000, 0}, {1000, 1000}};
  double length = 0;
  const Strokes dashes = dashed(line, 300, 100);
  EXPECT_EQ(dashes.size(), 5u);
  for (const Stroke& dash : dashes)
    for (std::size_t i = 1; i < dash.points.size(); ++i)
      length += std::abs(dash.points[i].x - dash.points[i - 1].x) + std::abs(dash.points[i].y - dash.points[i - 1].y);
  EXPECT_EQ(length, 5 * 300);
  EXPECT_EQ(dashes[2].points.size(), 3u) << "one goes round the corner";
}

TEST(Contours, HaveTheirValueInAGap) {
  Scenery s;
  const Rectangle place{0, 0, 640, 320};
  const HostField field = host([](int x, int y) { return std::hypot(x - 30.0, y - 16.0); });
  const FigureStyle style = style_of(s.view, s.options());
  std::vector<Rectangle> taken;
  Marks labels;
  const auto lines = contour_lines(field, 10, place);
  const auto gap = labelled(lines, set_text(number_text(-0.5), style.em), style, false, place, taken, {}, labels);
  ASSERT_EQ(labels.size(), 1u);
  const Label& label = std::get<Label>(labels[0].what);
  EXPECT_EQ(label.run.items.front().size, style.em) << "as large as all letters";
  ASSERT_EQ(taken.size(), 1u);
  for (const auto& line : gap)
    for (const Path::Point& p : line) {
      const double x = p.x / 256.0 - 1.0 * label.origin.x / fine, y = p.y / 256.0 - 1.0 * label.origin.y / fine,
                   cosine = 1.0 * label.along.x / Direction::unit, sine = 1.0 * label.along.y / Direction::unit,
                   along = x * cosine + y * sine, above = x * sine - y * cosine;
      EXPECT_FALSE(along > 0 && along < 1.0 * label.run.width / fine && above > 0 && above < style.capital);
    }
  labelled(lines, set_text("10", style.em), style, false, place, taken, {}, labels);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_TRUE(taken[0].x + taken[0].width <= taken[1].x || taken[1].x + taken[1].width <= taken[0].x ||
              taken[0].y + taken[0].height <= taken[1].y || taken[1].y + taken[1].height <= taken[0].y)
      << "two values do not overlap";
}

// Otherwise a dash beside the minus of a label reads as a part of it.
TEST(Contours, KeepTheirDashesFromTheirValue) {
  Scenery s;
  const Rectangle place{0, 0, 640, 320};
  const HostField field = host([](int, int y) { return y - 16.3; });  // level lines
  const FigureStyle style = style_of(s.view, s.options());
  const GlyphRun value = set_text(number_text(-0.5), style.em);
  for (const bool dashed : {false, true}) {
    std::vector<Rectangle> taken;
    Marks labels;
    const auto pieces = labelled(contour_lines(field, -0.5, place), value, style, dashed, place, taken, {}, labels);
    ASSERT_EQ(pieces.size(), 2u);
    const double gap =
        (std::max(pieces[0].front().x, pieces[1].front().x) - std::min(pieces[0].back().x, pieces[1].back().x)) / 256.0;
    EXPECT_NEAR(gap - 1.0 * value.width / fine, (dashed ? 1.6 : 0.5) * style.em / fine, 2);
  }
}

TEST(Arrows, PointAlongTheVectorAndUpIsUp) {
  const Rectangle place{0, 0, 640, 320};
  const HostField zero = host([](int, int) { return 0.0; }), one = host([](int, int) { return 1.0; });
  const auto up = covered(path_of(arrows_of(zero, one, arrow_scale(zero, one, 4, place), place), 256));
  ASSERT_FALSE(up.empty());
  // The head is wider than the shaft: the upper half of the first lattice cell, 160 pixels high, has more pixels.
  int upper = 0, lower = 0;
  for (const auto& [x, y] : up)
    if (x < 160 && y < 160) y < 80 ? ++upper : ++lower;
  EXPECT_GT(upper, lower * 3 / 2);
  EXPECT_TRUE(arrows_of(zero, zero, arrow_scale(zero, zero, 4, place), place).empty()) << "at rest there are none";
}

std::string mistake(const Scenery& s) {
  return test::thrown([&] { Rasterizer(Executor::cpu(1), s.view, s.stage); });
}

TEST(Arrows, OfTheKeyInsideLieOverItsPlate) {
  for (const bool light : {false, true}) {
    Scenery s;
    s.view.background = light ? Color{255, 255, 255, 255} : Color{0, 0, 0, 255};
    s.options().colorbar = FigureOptions::Bar::inside;
    s.options().arrows = 3;
    s.options().arrow_key = "auto";
    s.stage.figure.has_vectors = true;
    const std::vector<Color> drawn = colors_of(picture(Executor::cpu(1), s, {{ramp(), 0, 1}}));
    const FigureStyle style = style_of(s.view, s.options());
    const Rectangle field = Figure::viewport(s.view, s.stage, std::vector<Color>(256 + 3)).area;
    int inked = 0;
    for (int y = field.y + field.height - 3 * style.line; y < field.y + field.height; ++y)
      for (int x = field.x + field.width - style.px(1500); x < field.x + field.width; ++x)
        inked += drawn[y * size.width + x] == style.ink;
    EXPECT_GT(inked, 20) << light;
  }
}

// A map of two signs whose middle is dark has bright ends, and the field lies in its middle.
TEST(Lines, HaveTheOtherBrightnessThanMostOfTheField) {
  const auto is_bright = [](const std::string& map) { return line_color(load_colormap(map)).g > 128; };
  for (const char* dark : {"glow", "dusk", "inferno", "magma"}) EXPECT_TRUE(is_bright(dark)) << dark;
  for (const char* bright : {"RdBu", "coolwarm", "duo", "viridis", "turbo"}) EXPECT_FALSE(is_bright(bright)) << bright;
}

TEST(Figure, MistakesAreFoundBeforeTheFirstFrame) {
  Scenery s;
  s.options().arrows = 10;
  EXPECT_EQ(mistake(s),
            "\"arrows\" in [figure] needs a field of vectors, and this solver has none; name two fields with "
            "vector = [\"u\", \"v\"], or leave it out");
  s.options().arrows = 0;
  s.options().inset = FigureOptions::Inset{{0, 0, 100, 10}, {}};
  EXPECT_EQ(mistake(s), "\"inset\" in [figure] shows cells from [0, 0] to [100, 10], and the grid has 64 x 32");
  s.options().inset->view = {0, 0, 10, 10};
  s.options().colorbar = FigureOptions::Bar::inside;
  EXPECT_EQ(mistake(s).substr(0, 50), "\"inset\" in [figure] and colorbar = \"inside\" both l");
  s.options().inset = {};
  s.options().legend = {"a"};
  EXPECT_EQ(mistake(s).substr(0, 50), "\"legend\" in [figure] names groups of bodies, and t");
  s.options().legend = {};
  s.stage.figure.grid = {};
  EXPECT_EQ(mistake(s).substr(0, 40), "[figure] needs to know the grid before t");
}

}  // namespace
}  // namespace simreel
