// Figures in print: of scenes that ship, a column of 85 mm has no empty strips, enough ticks, one step on axes of
// one scale, and letters of the size that was asked.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "figure/color_axis.h"
#include "figure/figure.h"
#include "figure/space.h"
#include "figure/style.h"
#include "raster/color/colormap.h"
#include "run/plan.h"
#include "source/solver.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

constexpr double points = 7;

struct Printed {
  std::string name;
  Scene scene;
  ParticleStage stage;
  FigureLayout layout;
  double mm(int pixels) const { return pixels / (stage.figure.options.dpi / FigureOptions::mm_per_inch); }
};

// The scene as a column of 85 mm whose colours have such a range.
Printed printed(const std::filesystem::path& file, Interval range) {
  Printed one{file.filename().string(),
              load_complete_scene(file, {"figure.width=85mm", "figure.axes=ticks", "figure.colorbar=right",
                                         "figure.time=t = {time}", "view.background=#ffffff"}),
              {},
              {}};
  const SolverPlan plan = plan_solver(one.scene);
  fit_to_print(one.scene, plan);
  one.stage = particle_stage(one.scene, plan);
  std::vector<Color> colors = load_colormap(one.scene.view.colormap, "");
  for (int i = 0; i < 3; ++i) colors.push_back({0, 0, 0, 255});
  one.layout =
      lay_out(one.scene.view, one.stage, TimeText(one.stage), axis_of(one.scene.view, one.stage, colors, range));
  return one;
}

std::vector<Printed> all_printed() {
  std::vector<Printed> all;
  for (const char* name : {"cavity", "karman", "porous"}) {
    const std::filesystem::path file = test::root() / "scenes" / (std::string(name) + ".toml");
    const Scene scene = load_complete_scene(file, {});
    const bool even = scene.view.range == RangeMode::symmetric;
    all.push_back(printed(file, even ? Interval{-0.43, 0.43} : Interval{0, 0.43}));
  }
  return all;
}

int right_end(const Printed& one) {
  int right = 0;
  for (const Mark& mark : one.layout.marks) {
    const Rectangle box = extent_of(mark);
    right = std::max(right, box.x + box.width);
  }
  return right;
}

TEST(Printed, ScenesFillAColumn) {
  const std::vector<Printed> all = all_printed();
  for (const Printed& one : all) {
    SCOPED_TRACE(one.name);
    EXPECT_LT(one.mm(one.scene.view.size.width - right_end(one)), 4) << "mm of white space at the right";
    EXPECT_LE(one.layout.unused_rows, 2) << "above and below";
    const FigureSpace space(one.stage);
    const Rectangle& f = one.layout.field;
    std::vector<double> at[2];  // of the numbers along each axis, pixels
    for (const Mark& mark : one.layout.marks) {
      const auto* label = std::get_if<Label>(&mark.what);
      if (!label) continue;
      for (const GlyphRun::Item& item : label->run.items)
        EXPECT_NEAR(item.size / 64.0 / one.stage.figure.options.dpi * 72, item.y == 0 ? points : 0.7 * points, 0.05)
            << mark.key;
      if (mark.key != "axes" || label->turned) continue;
      const bool below = label->origin.y > (f.y + f.height + 25) * fine;
      at[below ? 0 : 1].push_back(below ? label->origin.x + label->run.width / 2.0 : label->origin.y);
    }
    const int lengths[] = {f.width, f.height};
    for (const int axis : {0, 1}) {
      EXPECT_GE(at[axis].size(), one.mm(lengths[axis]) > 25 ? 4u : 3u) << "ticks on axis " << axis;
    }
    if (at[0].size() < 2 || at[1].size() < 2) continue;
    EXPECT_NEAR(at[0][1] - at[0][0], std::fabs(at[1][1] - at[1][0]), 2.5 * fine) << "one step on both axes";
  }
}

}  // namespace
}  // namespace simreel
