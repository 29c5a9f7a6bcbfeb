// Figures in print: columns of all scenes that ship and pages of all samples have no empty strips, enough ticks, one
// step on axes of one scale, and letters of the size that was asked.

#include "figure/figure.h"
#include "panels/compose.h"
#include "raster/color/colormap.h"
#include "run/plan.h"
#include "source/solver.h"
#include "tests/support/page.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

constexpr double points = 7;

// What lies on a page: pictures with what stands around each, and what the measures need.
struct Printed {
  std::string name;
  double dpi = 0;
  int width = 0;  // of the page, pixels
  struct Part {
    Rectangle field;
    Marks marks;
    bool has_axes = false;
  };
  std::vector<Part> parts;
  double mm(int pixels) const { return pixels / (dpi / FigureOptions::mm_per_inch); }
};

// The scene as a column of 85 mm whose colours have such a range.
Printed column_of(const std::filesystem::path& file) {
  std::vector<std::string> set = test::few_bodies(file);
  set.insert(set.end(), {"figure.width=85mm", "figure.colorbar=right", "figure.time=t = {time}"});
  Scene scene = load_complete_scene(file, set);
  const SolverPlan plan = plan_solver(scene);
  if (plan.bodies == 0) scene.figure.axes = FigureOptions::Axes::ticks;
  fit_to_print(scene, plan);
  const DrawContext stage = draw_context(scene, plan);
  std::vector<Color> colors = load_colormap(scene.view.colormap, "");
  for (int i = 0; i < 3; ++i) colors.push_back({0, 0, 0, 255});
  const bool even = scene.view.range == RangeMode::symmetric;
  const Interval range = scene.view.range == RangeMode::fixed ? Interval{scene.view.low, scene.view.high}
                         : even                               ? Interval{-0.43, 0.43}
                                                              : Interval{0.02, 0.43};
  const FigureLayout layout = lay_out(scene.view, stage, TimeText(stage), axis_of(scene.view, stage, colors, range));
  EXPECT_LE(layout.unused_rows, 2) << file << ": strips above and below";
  if (plan.bodies == 0) {
    EXPECT_EQ(scene.view.background.r, scene.gives("view.background") ? scene.view.background.r : 255)
        << file << ": paper is white";
  }
  return {file.filename().string(),
          static_cast<double>(stage.figure.options.dpi),
          scene.view.size.width,
          {{layout.field, layout.marks, plan.bodies == 0}}};
}

// A figure of panels with the first frame of its scenes.
Printed page_of(const std::filesystem::path& path) {
  FigureFile file = load_figure_file(path);
  for (PanelOptions& panel : file.panels) {
    panel.time.reset();
    if (!panel.plot) panel.frame = 0;
  }
  PanelFigure figure(file);
  const PageGroup group = figure.draw(
      Executor::cpu(), [] { return false; }, [](std::int64_t, std::int64_t) {});
  Printed printed{path.filename().string(), figure.pixels_per_inch(), group.size.width, {}};
  for (std::size_t i = 0; i < group.parts.size(); ++i) {
    const bool panel = i < file.panels.size();
    printed.parts.push_back({group.parts[i].field, group.parts[i].marks, panel});
  }
  return printed;
}

// The numbers along an axis, and where they are: pixels from the left or from the top.
std::vector<std::pair<double, double>> numbers_of(const Printed::Part& part, bool below) {
  std::vector<std::pair<double, double>> found;
  const Rectangle& f = part.field;
  for (const Mark& mark : part.marks) {
    const auto* label = std::get_if<Label>(&mark.what);
    if (!label || mark.key != "axes" || label->along == upwards || label->run.items.empty()) continue;
    if ((label->origin.y > (f.y + f.height + 25) * fine) != below) continue;
    std::string text = test::text_of(label->run);
    std::ranges::replace(text, '*', '-');  // a minus is not ASCII
    found.emplace_back(std::stod(text), below ? label->origin.x + label->run.width / 2.0 : label->origin.y);
  }
  std::ranges::sort(found);
  return found;
}

// 1, 2, 2.5 or 5 times a power of ten.
bool is_round(double step) {
  const double digits = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
  return std::ranges::any_of(std::array{1.0, 2.0, 2.5, 5.0}, [&](double d) { return std::fabs(digits - d) < 1e-6; });
}

void expect_printable(const Printed& one) {
  SCOPED_TRACE(one.name);
  int left = one.width, right = 0;
  for (const Printed::Part& part : one.parts) {
    const auto add = [&](const Rectangle& box) {
      if (box.width <= 0) return;
      left = std::min(left, box.x), right = std::max(right, box.x + box.width);
    };
    add(part.field);
    for (const Mark& mark : part.marks) {
      add(extent_of(mark));
      const auto* label = std::get_if<Label>(&mark.what);
      if (!label) continue;
      for (const GlyphRun::Item& item : label->run.items) {
        const double size = item.size / 64.0 / one.dpi * 72;
        EXPECT_TRUE(std::fabs(size - points) < 0.05 || std::fabs(size - 0.7 * points) < 0.05)
            << mark.key << " has letters of " << size << " points";
      }
    }
    if (!part.has_axes) continue;
    const auto x = numbers_of(part, true), y = numbers_of(part, false);
    if (x.empty() && y.empty()) continue;
    EXPECT_GE(x.size(), one.mm(part.field.width) > 25 ? 4u : 3u) << "ticks along x";
    EXPECT_GE(y.size(), one.mm(part.field.height) > 25 ? 4u : 3u) << "ticks along y";
    if (x.size() < 2 || y.size() < 2) continue;
    EXPECT_TRUE(is_round(x[1].first - x[0].first)) << x[1].first - x[0].first;
    EXPECT_TRUE(is_round(y[1].first - y[0].first)) << y[1].first - y[0].first;
  }
  EXPECT_LE(left, 0.03 * one.width) << one.mm(left) << " mm of white space at the left";
  EXPECT_LE(one.width - right, 0.03 * one.width) << one.mm(one.width - right) << " mm of white space at the right";
}

TEST(Printed, ScenesFillAColumn) {
  int scenes = 0;
  for (const std::filesystem::path& scene : test::scenes_in("scenes")) {
    // The steps of these take seconds to plan.
    const bool slow =
        std::ranges::any_of(std::array{"heat", "turing_map", "cahn_hilliard", "swift_hohenberg", "kuramoto"},
                            [&](const char* name) { return scene.filename().string().starts_with(name); });
    if (slow) continue;
    ++scenes;
    expect_printable(column_of(scene));
  }
  EXPECT_GT(scenes, 20);
}

// Degrees and kilometres have no common scale, and a section of the atmosphere would be a strip.
TEST(Printed, AxesOfDifferentUnitsFillTheirRoom) {
  const auto aspect = [](const char* x, const char* y, const std::vector<std::string>& set = {}) {
    Scene scene = load_complete_scene(test::root() / "scenes" / "cavity.toml", set);
    SolverPlan plan = plan_solver(scene);
    plan.grid.axes = {GridAxis{0, 1, "a", x}, GridAxis{0, 1, "b", y}};
    return draw_context(scene, plan).figure.options.aspect;
  };
  using Aspect = FigureOptions::Aspect;
  EXPECT_EQ(aspect("\u00B0N", "km"), Aspect::automatic);
  EXPECT_EQ(aspect("\u00B0E", "\u00B0N"), Aspect::equal);
  EXPECT_EQ(aspect("m", "m"), Aspect::equal);
  EXPECT_EQ(aspect("m", ""), Aspect::equal);
  EXPECT_EQ(aspect("\u00B0N", "km", {"figure.aspect=equal"}), Aspect::equal);
  EXPECT_EQ(aspect("s", "m", {"figure.units.length=mm"}), Aspect::equal);
}

TEST(Printed, FiguresOfPanelsFillTheirPage) {
  for (const char* name : {"wake", "collision", "cavity"})
    expect_printable(page_of(test::root() / "samples" / "figures" / (std::string(name) + ".toml")));
}

}  // namespace
}  // namespace simreel
