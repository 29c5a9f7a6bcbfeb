// What of a field is the picture: crop, fit and the keys of [view].

#include <fmt/format.h>

#include "base/error.h"
#include "figure/space.h"
#include "raster/window.h"
#include "run/plan.h"
#include "run/render_loop.h"
#include "source/solver.h"
#include "tests/support/recorder.h"

namespace simreel {
namespace {

const std::string drop = "kind = \"wave\"\ngrid = [64, 32]\n[[solver.droplet]]\nposition = [30, 14]\nradius = 3\n";
const std::string wake =
    "kind = \"lbm\"\ngrid = [64, 32]\n[solver.boundary]\nleft = \"inlet\"\nright = \"outlet\"\n[[solver.obstacle]]\n"
    "shape = \"circle\"\ncenter = [30, 16]\nradius = 5\n[[solver.particles]]\nfrom = [4, 4]\nto = [4, 28]\ncount = 9\n";

struct Film {
  Size size;
  std::vector<std::vector<std::byte>> frames;

  Film(const std::string& solver, Size picture, const std::string& view, const std::string& rest = "") : size(picture) {
    Scene scene = parse_scene(fmt::format("[solver]\n{}[view]\nrange = [-0.1, 0.1]\nsize = [{}, {}]\n{}[animation]\n"
                                          "frames = 3\nsteps_per_frame = 12\n{}",
                                          solver, size.width, size.height, view, rest),
                              "x.toml");
    complete_scene(scene);
    test::Recorder::Record record;
    const Executor executor = Executor::cpu(2);
    PreparedRun run(scene, plan_solver(scene), executor, test::Recorder::into(record, size));
    render({.run = run});
    frames = std::move(record.frames);
  }

  // A rectangle of each frame.
  std::vector<std::vector<std::byte>> cut(const Rectangle& box) const {
    std::vector<std::vector<std::byte>> parts;
    for (const std::vector<std::byte>& frame : frames) {
      std::vector<std::byte>& part = parts.emplace_back();
      for (int y = box.y; y < box.y + box.height; ++y) {
        const auto row = frame.begin() + std::ptrdiff_t{3} * (y * size.width + box.x);
        part.insert(part.end(), row, row + std::ptrdiff_t{3} * box.width);
      }
    }
    return parts;
  }
};

// How many bytes of the last frames differ by more than `most`.
int far_off(const std::vector<std::vector<std::byte>>& a, const std::vector<std::vector<std::byte>>& b, int most) {
  int count = 0;
  for (std::size_t i = 0; i < a.back().size(); ++i)
    count += std::abs(std::to_integer<int>(a.back()[i]) - std::to_integer<int>(b.back().at(i))) > most;
  return count;
}

TEST(Crop, TheWholeDomainIsNoCrop) {
  const std::string layers = "kind = \"wave\"\ngrid = [64, 36]\n[solver.absorber]\nwidth = 4\n";
  const std::string ticks = "[figure]\naxes = \"ticks\"\ncolorbar = \"right\"\n";
  EXPECT_EQ(Film(drop, {96, 64}, "crop = [0, 0, 64, 32]\n").frames, Film(drop, {96, 64}, "").frames);
  EXPECT_EQ(Film(wake, {48, 32}, "crop = [0, 0, 64, 32]\n").frames, Film(wake, {48, 32}, "").frames);
  EXPECT_EQ(Film(drop, {480, 270}, "crop = [0, 0, 64, 32]\n", ticks).frames, Film(drop, {480, 270}, "", ticks).frames);
  EXPECT_EQ(Film(layers, {128, 72}, "crop = [4, 4, 60, 32]\n").frames, Film(layers, {128, 72}, "").frames);
}

std::vector<std::string> remarks(const std::string& solver, const std::string& view) {
  Scene scene = parse_scene("[solver]\n" + solver + "[view]\n" + view, "x.toml");
  complete_scene(scene);
  test::Recorder::Record record;
  const Executor executor = Executor::cpu(1);
  return picture_remarks(
      PreparedRun(scene, plan_solver(scene), executor, test::Recorder::into(record, scene.view.size)));
}

TEST(Crop, WhatReachesBeyondTheFieldIsMovedIntoIt) {
  const auto shown = [](const std::string& view) { return Film(drop, {96, 64}, view).frames; };
  EXPECT_EQ(shown("crop = [-10, 20, 30, 40]\n"), shown("crop = [0, 12, 40, 32]\n"));
  EXPECT_EQ(shown("crop = [-5, -5, 640, 320]\n"), shown(""));
  EXPECT_EQ(remarks(drop, "crop = [-10, 20, 30, 40]\n").size(), 1u);
  EXPECT_TRUE(remarks(drop, "crop = [0, 12, 40, 32]\n").empty());
  for (const char* nowhere : {"[-9, 0, 0, 9]", "[64, 0, 70, 9]", "[9, -5, 20, -1]"})
    EXPECT_THROW(Film(drop, {96, 64}, fmt::format("crop = {}\n", nowhere)), UsageError) << nowhere;
}

TEST(Crop, WhatLiesBesideThePictureIsSaid) {
  const std::string square = "size = [96, 48]\n";
  EXPECT_TRUE(remarks(drop, square + "crop = [20, 4, 44, 16]\n").empty());
  ASSERT_EQ(remarks(drop, square + "crop = [40, 4, 64, 16]\n").size(), 1u);
  EXPECT_TRUE(test::says(remarks(drop, square + "crop = [40, 4, 64, 16]\n")[0], "this droplet"));
  const auto source = [&](int x, const std::string& view) {
    return remarks(
               fmt::format("kind = \"wave\"\ngrid = [64, 32]\nboundary = \"absorbing\"\n[solver.absorber]\nwidth = 6\n"
                           "[[solver.source]]\nposition = [{}, 16]\n",
                           x),
               square + view)
        .size();
  };
  EXPECT_EQ(source(5, ""), 1u) << "in the layer";
  EXPECT_EQ(source(6, ""), 0u);
  EXPECT_EQ(source(5, "layers = true\n"), 0u);
  EXPECT_EQ(source(900, ""), 0u) << "another warning is for that";
}

TEST(Fit, ARemarkNamesASizeWithoutLargeBars) {
  const auto said = remarks(drop, "size = [108, 192]\n");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(test::says(said[0], "28 % of the picture"));
  EXPECT_TRUE(test::says(said[0], "size = [108, 54]"));
  for (const char* view : {"size = [108, 54]\n", "size = [100, 100]\n", "size = [108, 192]\nfit = \"cover\"\n"})
    EXPECT_TRUE(remarks(drop, view).empty()) << view;
}

TEST(Crop, ByWholeCellsIsACutOfThePicture) {
  const std::string equation =
      "kind = \"pde\"\ngrid = [64, 32]\n[solver.fields.u]\ninitial = \"= 0.1 * sin(x * y / 9)\"\nrate = \"= "
      "lap(u)\"\n";
  for (const std::string& solver : {drop, equation}) {
    for (const char* shown : {"", "interpolation = \"nearest\"\n"}) {
      const std::string crop = "crop = [16, 8, 48, 24]\n";
      EXPECT_EQ(Film(solver, {128, 64}, shown + crop).frames, Film(solver, {256, 128}, shown).cut({64, 32, 128, 64}))
          << "four pixels a cell";
      EXPECT_EQ(Film(solver, {32, 16}, shown + crop).frames, Film(solver, {64, 32}, shown).cut({16, 8, 32, 16}))
          << "a pixel a cell";
    }
    EXPECT_EQ(Film(solver, {16, 16}, "crop = [16, 0, 48, 32]\n").frames, Film(solver, {32, 16}, "").cut({8, 0, 16, 16}))
        << "four cells a pixel";
    EXPECT_EQ(Film(solver, {128, 64}, "crop = [16.25, 8.5, 48.25, 24.5]\n").frames,
              Film(solver, {256, 128}, "").cut({65, 30, 128, 64}))
        << "within cells";
  }
}

// Shapes, particles and lines are drawn in other numbers, so that pixels at their edges may be rounded otherwise.
TEST(Crop, MovesEverythingThatLiesOverTheField) {
  const std::string crop = "crop = [16, 8, 48, 24]\n", field = "field = \"ux\"\n";
  EXPECT_LE(
      far_off(Film(wake, {256, 128}, field + crop).frames, Film(wake, {512, 256}, field).cut({128, 64, 256, 128}), 2),
      20);
  const std::string lines =
      "[figure]\ncontours = [0.02, 0.04]\nline_width = \"2px\"\nline_color = \"#ffffff\"\n[[overlay]]\nshape = "
      "\"box\"\nposition = [20, 10]\nto = [40, 20]\nline_width = \"2px\"\n";
  EXPECT_LE(far_off(Film(wake, {256, 128}, field + crop, lines).frames,
                    Film(wake, {512, 256}, field, lines).cut({128, 64, 256, 128}), 60),
            200);
  const Scene scene =
      parse_scene("[solver]\n" + drop + "[view]\n" + crop + "[figure.units]\nlength = \"mm\"\ncell = 0.5\n", "x.toml");
  EXPECT_EQ(draw_context(scene, plan_solver(scene)).figure.remarks.size(), 1u) << "the domain has 32 x 16 mm";
  const Scene cells = parse_scene("[solver]\n" + drop + "[view]\n" + crop, "x.toml");
  const DrawContext stage = draw_context(cells, plan_solver(cells));
  const FigureSpace space(stage);
  EXPECT_EQ(space.x({}).low, 16);
  EXPECT_EQ(space.x({}).high, 48);
  EXPECT_EQ(space.y({}).low, 8);
  EXPECT_EQ(space.y({}).high, 24);
}

// What a picture of a scene shows of its grid.
FieldWindow seen_cells(const std::string& view, Size picture, std::int64_t frame = 0) {
  const Scene scene = parse_scene("[solver]\n" + drop + "[view]\n" + view, "x.toml");
  const DrawContext stage = draw_context(scene, plan_solver(scene));
  return window_of(stage.figure, stage.cell_aspect, picture, frame);
}
using CellPair = std::array<double, 2>;

TEST(Fit, CoverIsACropOfTheMiddle) {
  const std::string cover = "fit = \"cover\"\n";
  EXPECT_EQ(Film(drop, {64, 64}, cover).frames, Film(drop, {64, 64}, "crop = [16, 0, 48, 32]\n").frames);
  EXPECT_EQ(Film(drop, {256, 32}, cover).frames, Film(drop, {256, 32}, "crop = [0, 12, 64, 20]\n").frames);
  EXPECT_EQ(Film(wake, {24, 24}, cover).frames, Film(wake, {24, 24}, "crop = [16, 0, 48, 32]\n").frames);
  EXPECT_EQ(seen_cells(cover + "crop = [10, 0, 40, 10]\n", {90, 160}).count, (CellPair{5.625, 10}));
  EXPECT_EQ(seen_cells(cover + "crop = [10, 0, 40, 10]\n", {90, 160}).first, (CellPair{22.1875, 0}));
}

TEST(Fit, StretchFillsAndContainLeavesBars) {
  const std::string automatic = "[figure]\naspect = \"auto\"\n";
  EXPECT_EQ(Film(drop, {64, 64}, "fit = \"stretch\"\n").frames, Film(drop, {64, 64}, "", automatic).frames);
  EXPECT_EQ(Film(drop, {64, 64}, "fit = \"contain\"\n").frames, Film(drop, {64, 64}, "").frames);
}

TEST(ViewKeys, RestOutsideAndMoveBetween) {
  const std::string view =
      "fit = \"cover\"\n[[view.key]]\ntime = 1\ncrop = [0, 0, 64, 32]\n[[view.key]]\ntime = 2\ncrop = [32, 0, 64, "
      "16]\n";
  const Size size{128, 64};
  for (const int frame : {0, 30, 60}) EXPECT_EQ(seen_cells(view, size, frame).count, (CellPair{64, 32})) << frame;
  for (const int frame : {120, 121, 500}) {
    EXPECT_EQ(seen_cells(view, size, frame).count, (CellPair{32, 16})) << frame;
    EXPECT_EQ(seen_cells(view, size, frame).first, (CellPair{32, 0})) << frame;
  }
  const FieldWindow half = seen_cells(view, size, 90);
  EXPECT_NEAR(half.count[0], 64 / std::sqrt(2), 1e-4) << "half of the zoom";
  EXPECT_NEAR(half.count[1], 32 / std::sqrt(2), 1e-4);
  double before = 64;
  for (int frame = 61; frame < 120; ++frame) {
    const FieldWindow now = seen_cells(view, size, frame);
    EXPECT_LT(now.count[0], before);
    EXPECT_EQ(now.first[0] + now.count[0], 64) << "what both keys have at their edge stands still";
    EXPECT_EQ(now.first[1], 0);
    before = now.count[0];
  }
}

TEST(ViewKeys, KeepTheProportionsOfThePicture) {
  const auto key = [](const std::string& what) { return "[[view.key]]\ntime = 0\n" + what; };
  const std::string cover = "fit = \"cover\"\n", stretch = "fit = \"stretch\"\n";
  EXPECT_EQ(seen_cells(key("crop = [4, 0, 12, 8]\n"), {64, 64}).count, (CellPair{16, 8})) << "those of the field";
  EXPECT_EQ(seen_cells(key("crop = [4, 0, 12, 8]\n"), {64, 64}).first, (CellPair{0, 0}));
  EXPECT_EQ(seen_cells(key("crop = [0, 0, 8, 8]\n"), {64, 64}).first, (CellPair{0, 0})) << "and not -4";
  EXPECT_EQ(seen_cells(cover + key("crop = [4, 0, 20, 8]\n"), {64, 64}).count, (CellPair{8, 8}));
  EXPECT_EQ(seen_cells(stretch + key("crop = [4, 0, 20, 8]\n"), {64, 64}).count, (CellPair{16, 8}));
  EXPECT_EQ(seen_cells(cover + key("center = [32, 16]\nwidth = 10\n"), {64, 32}).first, (CellPair{27, 13.5}));
  EXPECT_EQ(seen_cells(cover + key("center = [0, 32]\nwidth = 10\n"), {64, 32}).first, (CellPair{0, 27})) << "moved in";
  EXPECT_EQ(seen_cells(cover + key("center = [32, 16]\nwidth = 40\n"), {32, 64}).count, (CellPair{16, 32}))
      << "as far as it goes";
}

TEST(ViewKeys, ShowWhatACropShows) {
  const std::string keys =
      "[[view.key]]\ntime = 0\ncrop = [0, 0, 64, 32]\n[[view.key]]\ntime = 0.0333333\ncrop = [16, 8, 48, 24]\n";
  for (const std::string& solver : {drop, wake}) {
    const std::string lines =
        "[figure]\ncontours = 3\n[[overlay]]\nshape = \"box\"\nposition = [20, 10]\nto = [40, 20]\n";
    const auto moved = Film(solver, {128, 64}, keys, lines).frames;
    EXPECT_EQ(moved[0], Film(solver, {128, 64}, "", lines).frames[0]);
    EXPECT_EQ(moved[2], Film(solver, {128, 64}, "crop = [16, 8, 48, 24]\n", lines).frames[2]);
    EXPECT_NE(moved[1], moved[2]);
  }
  // By whole cells, so that only the outline of the obstacle tells one frame from the next.
  const std::string pan =
      "[[view.key]]\ntime = 0\ncrop = [8, 8, 40, 24]\n[[view.key]]\ntime = 0.0333333\ncrop = [16, 8, 48, 24]\n";
  EXPECT_EQ(Film(wake, {128, 64}, pan).frames[2], Film(wake, {128, 64}, "crop = [16, 8, 48, 24]\n").frames[2]);
}

}  // namespace
}  // namespace simreel
