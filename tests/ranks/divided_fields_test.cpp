// What ranks find out about a field together has the bits of one rank that has the whole.

#include "ranks/divided_fields.h"

#include <fmt/format.h>

#include "raster/field/field_part.h"
#include "source/solver.h"
#include "tests/support/backends.h"
#include "tests/support/field_fixture.h"

namespace simreel {
namespace {

Scene scene_of(const std::string& solver) { return parse_scene("seed = 5\n[solver]\n" + solver, "divided.toml"); }

// Pixels in which a small difference of a value shows: between two of many unlike colours.
std::vector<Color> unlike_colors(int seed) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  std::vector<Color> colors(4096 + 3);
  for (Color& color : colors)
    color = {std::uint8_t(random()), std::uint8_t(random()), std::uint8_t(random()), std::uint8_t(random())};
  return colors;
}

ColorScale scale_of(Curve curve, const Color* colors, int count) {
  ColorScale scale = color_scale(curve, 0.01, -1.0 / 3, 1.0 / 3, colors, count);
  scale.obstacle = {1, 20, 100, 200};
  return scale;
}

struct Picture {
  std::vector<Color> shallow;
  std::vector<DeepColor> deep;

  Picture(const Executor& executor, const FieldRows& rows) {
    const std::size_t count = static_cast<std::size_t>(rows.size.width) * static_cast<std::size_t>(rows.size.height);
    const auto take = [&]<class Pixel>(std::vector<Pixel>& pixels, const Pixel* from) {
      if (!from) return;
      pixels.resize(count);
      executor.copy(pixels.data(), from, count * sizeof(Pixel));
    };
    take(shallow, rows.shallow);
    take(deep, rows.deep);
  }
  bool operator==(const Picture&) const = default;
};

// As one rank draws it from a view.
struct Whole {
  const std::vector<Color>& colors;
  Curve curve;
  Size size;
  Rectangle part;

  Picture operator()(const Executor& executor, const View& view) const {
    return std::visit(
        [&]<class Shown>(const Shown& shown) {
          if constexpr (requires { shown.cell; })
            return drawn(executor, FieldPart(part).of(shown));
          else
            return drawn(executor, shown);
        },
        view);
  }
  template <class Real>
  Picture drawn(const Executor& executor, const FieldView<Real>& field) const {
    const test::AxisTables axes(executor, field.nx, field.ny, size.width, size.height);
    const ColorScale scale = scale_of(curve, colors.data(), static_cast<int>(colors.size()) - 3);
    const std::size_t count = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
    Buffer<Color> shallow(executor, count);
    Buffer<DeepColor> deep(executor, count);
    Buffer<std::byte> scratch(executor, means_scratch_bytes(field.nx));
    const auto draw_on = [&]<class Pixel>(Buffer<Pixel>& pixels) {
      draw_field(executor, field, axes.columns, axes.rows, scale, {0, 0, size.width, size.height}, {},
                 Canvas<Pixel>{pixels.data(), size, size.width}, scratch.data());
    };
    draw_on(shallow);
    draw_on(deep);
    return {executor, {size, shallow.data(), deep.data()}};
  }
  template <class Real>
  Picture drawn(const Executor& executor, const ParticlesView<Real>&) const {
    return {executor, {}};
  }
};

// Sizes of pictures whose rows of pixels have cells of one, of two and of all ranks; a rank may own none of them.
constexpr Rectangle whole{0, 0, 67, 161};
constexpr Size sizes[] = {{66, 160}, {61, 83}, {13, 31}, {40, 6}, {5, 3}, {3, 2}, {1, 1}};

void expect_same(const Executor& executor, const std::string& solver, const Ranks& ranks) {
  SCOPED_TRACE(fmt::format("{}{} ranks", solver, ranks.count));
  const Scene scene = scene_of(solver);
  const Executor cpu = Executor::cpu(2);
  const std::unique_ptr<Solver> alone = plan_solver(scene).create(cpu);
  const std::unique_ptr<Solver> ranked = plan_solver(scene, ranks).create(executor);
  EXPECT_EQ(alone->divided(), nullptr);
  ASSERT_NE(ranked->divided(), nullptr);
  for (const int steps : {0, 1, 30}) {
    for (Solver* solver_of : {alone.get(), ranked.get()}) solver_of->step(steps);
    const std::vector<Color> colors = unlike_colors(steps);
    ranked->divided()->set_colors(colors);
    for (const FieldInfo& field : alone->fields()) {
      for (const Rectangle& part : {whole, Rectangle{3, 41, 62, 85}})
        for (const Size size : sizes)
          for (const Curve curve : {Curve::linear, Curve::asinh}) {
            if (size.width >= part.width || size.height >= part.height) continue;
            const Picture expected = Whole{colors, curve, size, part}(cpu, alone->view(field.name));
            const ColorScale scale = scale_of(curve, nullptr, static_cast<int>(colors.size()) - 3);
            EXPECT_TRUE(Picture(executor, ranked->divided()->draw(field.name, {size, part, part.width, part.height,
                                                                               scale, true, true})) == expected)
                << field.name << " after " << steps << " steps, " << size.width << " x " << size.height << " of row "
                << part.y;
          }
      const int count = static_cast<int>(colors.size()) - 3;
      const Picture both = Whole{colors, Curve::linear, sizes[0], whole}(cpu, alone->view(field.name));
      for (const bool deep : {true, false}) {
        const FieldPicture one{sizes[0], whole, whole.width, whole.height, scale_of(Curve::linear, nullptr, count),
                               !deep,    deep};
        const Picture drawn(executor, ranked->divided()->draw(field.name, one));
        EXPECT_TRUE(drawn.deep == (deep ? both.deep : std::vector<DeepColor>())) << field.name;
        EXPECT_TRUE(drawn.shallow == (deep ? std::vector<Color>() : both.shallow)) << field.name;
      }
      std::visit(
          [&]<class Shown>(const Shown& shown) {
            if constexpr (requires { shown.cell; }) {
              Buffer<std::byte> scratch(cpu, spread_scratch_bytes(shown.nx, shown.ny));
              const auto extremes = find_extremes(cpu, shown, scratch.data());
              const Extremes<double> found = ranked->divided()->extremes(field.name);
              EXPECT_EQ(found.low, extremes.low) << field.name;
              EXPECT_EQ(found.high, extremes.high) << field.name;
              const Spread spread = find_spread(cpu, shown, scratch.data());
              const Spread of_ranks = ranked->divided()->spread(field.name);
              EXPECT_EQ(of_ranks.sum, spread.sum) << field.name;
              EXPECT_EQ(of_ranks.squares, spread.squares) << field.name;
              EXPECT_EQ(of_ranks.largest, spread.largest) << field.name;
            }
          },
          alone->view(field.name));
    }
  }
}

const std::string grid = "grid = [67, 161]\n";
const std::vector<std::string> solvers = {
    "kind = \"wave\"\n" + grid + "boundary = \"periodic\"\n[solver.rain]\nrate = 20\n",
    "kind = \"wave\"\nprecision = \"double\"\n" + grid +
        "initial = \"= sin(x / 5) * cos(y / 7)\"\n[[solver.obstacle]]\ncenter = [30, 96]\nradius = 20.5\n",
    "kind = \"lbm\"\nvelocity = 0.08\nviscosity = 0.02\n" + grid + "initial = \"taylor_green\"\n",
    "kind = \"lbm\"\nvelocity = 0.08\nviscosity = 0.02\n" + grid +
        "[solver.boundary]\nleft = \"inlet\"\nright = \"outlet\"\nbottom = \"wall\"\ntop = \"slip\"\n"
        "[[solver.obstacle]]\ncenter = [20, 96.3]\nradius = 11.4\n[[solver.obstacle]]\ncenter = [40, 30]\nradius = 9\n",
};

TEST(DividedFields, HaveTheBitsOfOneRank) {
  const Executor executor = Executor::cpu(2);
  for (const std::string& solver : solvers)
    for (const int count : {2, 3, 5}) expect_same(executor, solver, {count});
}

TEST(DividedFields, HaveTheBitsOfOneRankOnAGpu) {
  SKIP_WITHOUT_GPU();
  const Executor executor = Executor::cuda();
  const int devices = static_cast<int>(cuda_devices().size());
  for (const std::string& solver : solvers)
    for (const int count : {2, 3}) {
      std::vector<int> on;
      for (int rank = 0; rank < count; ++rank) on.push_back(rank % devices);
      expect_same(executor, solver, {count, "", on});
    }
}

TEST(DividedFields, AreOfGridsOnly) {
  const Executor executor = Executor::cpu(2);
  const Scene scene = scene_of("kind = \"nbody\"\nbodies = 650\n");
  EXPECT_EQ(plan_solver(scene, {3}).create(executor)->divided(), nullptr);
}

}  // namespace
}  // namespace simreel
