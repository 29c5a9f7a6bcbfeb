// Operators that read beyond the corners of a grid: a solution that is linear along each axis stays what it is, and on
// a periodic axis the place of the first column means nothing.

#include "tests/support/pde_scene.h"

namespace simreel {
namespace {

// u = 0.7 + 0.3 (x + 0.5) - 0.2 (y + 0.5) + b (x + 0.5) (y + 0.5), on cells of 1; each side by a value, a slope and a
// mixture u_n = a - 0.4 u of it. sides[side][kind], with b = B.
constexpr std::string_view bilinear = "0.7 + 0.3*(x + 0.5) - 0.2*(y + 0.5) + B*(x + 0.5)*(y + 0.5)";
constexpr const char* sides[4][3] = {
    {"{ value = \"= 0.7 - 0.2*(y + 0.5)\" }", "{ slope = \"= -0.3 - B*(y + 0.5)\" }",
     "{ mixed = { a = \"= -0.3 - B*(y + 0.5) + 0.4*(0.7 - 0.2*(y + 0.5))\", b = 0.4 } }"},
    {"{ value = \"= 0.7 + 0.3*nx - 0.2*(y + 0.5) + B*nx*(y + 0.5)\" }", "{ slope = \"= 0.3 + B*(y + 0.5)\" }",
     "{ mixed = { a = \"= 0.3 + B*(y + 0.5) + 0.4*(0.7 + 0.3*nx - 0.2*(y + 0.5) + B*nx*(y + 0.5))\", b = 0.4 } }"},
    {"{ value = \"= 0.7 + 0.3*(x + 0.5)\" }", "{ slope = \"= 0.2 - B*(x + 0.5)\" }",
     "{ mixed = { a = \"= 0.2 - B*(x + 0.5) + 0.4*(0.7 + 0.3*(x + 0.5))\", b = 0.4 } }"},
    {"{ value = \"= 0.7 + 0.3*(x + 0.5) - 0.2*ny + B*(x + 0.5)*ny\" }", "{ slope = \"= -0.2 + B*(x + 0.5)\" }",
     "{ mixed = { a = \"= -0.2 + B*(x + 0.5) + 0.4*(0.7 + 0.3*(x + 0.5) - 0.2*ny + B*(x + 0.5)*ny)\", b = 0.4 } }"}};
constexpr std::string_view names[] = {"left", "right", "bottom", "top"};

// An operator, and what it is of that function.
const std::pair<std::string, std::string> operators[] = {{"lap(u)", "0"},
                                                         {"lap9(u)", "0"},
                                                         {"bilap(u)", "0"},
                                                         {"lap9(lap9(u))", "0"},
                                                         {"dxx(u)", "0"},
                                                         {"dyy(u)", "0"},
                                                         {"dx(u)", "0.3 + B*(y + 0.5)"},
                                                         {"dy(u)", "-0.2 + B*(x + 0.5)"},
                                                         {"dxy(u)", "B"},
                                                         {"dx(dy(u))", "B"},
                                                         {"dxy(lap(u))", "0"},
                                                         {"grad2(u)", "(0.3 + B*(y + 0.5))^2 + (-0.2 + B*(x + 0.5))^2"},
                                                         {"diffuse(2, u)", "0"}};

TEST(PdeCorners, LinearAndBilinearSolutionsHoldBesideAllSides) {
  const Executor executor = Executor::cpu(1);
  for (const auto& [grid, b] : {std::pair{"[7, 6]", 0.0}, {"[5, 9]", 0.05}, {"[2, 3]", 0.05}})
    for (int kinds = 0; kinds < 81; kinds += b == 0 ? 7 : 4) {
      std::string keys = fmt::format(
          "grid = {}\nscheme = \"euler\"\ntimestep = 0.01\nunchecked = true\nprecision = "
          "\"double\"\n[solver.parameters]\n"
          "B = {}\n[solver.fields.u]\ninitial = \"= {}\"\nrate = \"= lap9(u) + dxy(u) - B - 0.1*bilap(u)\"\n",
          grid, b, bilinear);
      for (int side = 0, rest = kinds; side < 4; ++side, rest /= 3)
        keys += fmt::format("boundary.{} = {}\n", names[side], sides[side][rest % 3]);
      for (const auto& [text, value] : operators)
        keys += fmt::format("[[solver.measure]]\nmax = \"= abs({} - ({}))\"\n", text, value);
      const std::unique_ptr<Solver> solver = plan_solver(test::pde_scene(keys)).create(executor);
      for (const int step : {0, 10}) {
        solver->step(step);
        const std::vector<double> measured = solver->diagnose();
        for (std::size_t m = 2; m < measured.size(); ++m)
          ASSERT_LT(measured[m], 1e-12) << keys << operators[m - 2].first << " after " << step;
      }
    }
}

// Values along the top that differ; the same shifted by some columns.
TEST(PdeCorners, APeriodicAxisHasNoSeam) {
  constexpr int nx = 16, ny = 12, shift = 5;
  for (const std::string_view side : {"value", "slope", "mixed"})
    for (const std::string_view rate :
         {"lap(u)", "lap9(u)", "-0.1*bilap(u)", "lap(u) + 0.3*dxy(u)", "lap9(u) - 0.02*lap9(lap9(u))"})
      for (const bool along_x : {true, false}) {
        const auto run = [&](int s) {
          const std::string a = fmt::format("\"= sin(2*pi*mod({0} + {1}, {2})/{2})\"", along_x ? "x" : "y", s, nx);
          const std::string rule = side == "mixed" ? fmt::format("{{ mixed = {{ a = {}, b = 0.5 }} }}", a)
                                                   : fmt::format("{{ {} = {} }}", side, a);
          return test::pde_run<double>(
              fmt::format("grid = [{}, {}]\nscheme = \"euler\"\ntimestep = 0.05\nunchecked = true\nprecision = "
                          "\"double\"\n[solver.fields.u]\ninitial = 0\nrate = \"= {}\"\n[solver.fields.u.boundary]\n{}",
                          along_x ? nx : ny, along_x ? ny : nx, rate,
                          (along_x ? "left = \"periodic\"\nright = \"periodic\"\ntop = "
                                   : "bottom = \"periodic\"\ntop = \"periodic\"\nright = ") +
                              rule),
              50);
        };
        const std::vector<double> here = run(0), there = run(shift);
        double largest = 0;
        for (int k = 0; k < nx; ++k)
          for (int j = 0; j < ny; ++j) {
            const auto at = [&](int place) {
              return static_cast<std::size_t>(along_x ? j * nx + place : place * ny + j);
            };
            largest = std::max(largest, std::abs(here[at(k)]));
            ASSERT_NEAR(here[at((k + shift) % nx)], there[at(k)], 1e-15) << rate << " " << side << " " << along_x;
          }
        EXPECT_GT(largest, 0.01);
      }
}

// Where a formula has no value beyond the grid, that of the nearest place serves.
TEST(PdeCorners, AFormulaThatEndsAtTheGridServes) {
  const std::vector<double> u = test::pde_run<double>(
      "grid = [8, 8]\ntimestep = 0.01\nunchecked = true\nprecision = \"double\"\n[solver.fields.u]\ninitial = 0\n"
      "rate = \"= lap9(u)\"\nboundary.top = { value = \"= sqrt(x) + sqrt(nx - 1 - x)\" }\n",
      20);
  for (const double value : u) ASSERT_TRUE(std::isfinite(value));
  EXPECT_GT(u.back(), 0.01);
}

}  // namespace
}  // namespace simreel
