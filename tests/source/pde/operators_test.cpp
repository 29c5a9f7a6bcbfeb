// The operators of formulas over a grid, against their definitions.

#include "tests/support/pde_scene.h"

namespace simreel {
namespace {

constexpr int nx = 11, ny = 8;
constexpr double h = 0.5;

double field_u(int x, int y) {
  return std::sin(1.1 * ((x + nx) % nx)) + 0.3 * std::cos(0.9 * ((y + ny) % ny)) * ((x + nx) % nx);
}
double field_v(int x, int y) { return 0.5 * std::cos(0.7 * ((x + nx) % nx) + 1.3 * ((y + ny) % ny)); }

using Function = std::function<double(int x, int y)>;

double lap(const Function& u, int x, int y) {
  return (u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1) - 4 * u(x, y)) / (h * h);
}
double nine(const Function& u, int x, int y) {
  return (4 * (u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1)) + u(x - 1, y - 1) + u(x + 1, y - 1) +
          u(x - 1, y + 1) + u(x + 1, y + 1) - 20 * u(x, y)) /
         (6 * h * h);
}
double dx(const Function& u, int x, int y) { return (u(x + 1, y) - u(x - 1, y)) / (2 * h); }
double dy(const Function& u, int x, int y) { return (u(x, y + 1) - u(x, y - 1)) / (2 * h); }
double diffuse(const Function& d, const Function& u, int x, int y) {
  double sum = 0;
  for (const auto& [ox, oy] : {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}})
    sum += 0.5 * (d(x, y) + d(x + ox, y + oy)) * (u(x + ox, y + oy) - u(x, y));
  return sum / (h * h);
}

TEST(PdeOperators, AreTheirStencils) {
  const Function u = field_u, v = field_v;
  const Function uv = [](int x, int y) { return field_u(x, y) * field_v(x, y); };
  const Function lap_u = [&](int x, int y) { return lap(u, x, y); };
  const std::pair<std::string, Function> cases[] = {
      {"lap(u)", lap_u},
      {"lap9(u)", [&](int x, int y) { return nine(u, x, y); }},
      {"bilap(u)", [&](int x, int y) { return lap(lap_u, x, y); }},
      {"dx(u)", [&](int x, int y) { return dx(u, x, y); }},
      {"dy(u)", [&](int x, int y) { return dy(u, x, y); }},
      {"dxx(u)", [&](int x, int y) { return (u(x + 1, y) + u(x - 1, y) - 2 * u(x, y)) / (h * h); }},
      {"dyy(u)", [&](int x, int y) { return (u(x, y + 1) + u(x, y - 1) - 2 * u(x, y)) / (h * h); }},
      {"dxy(u)",
       [&](int x, int y) {
         return (u(x + 1, y + 1) + u(x - 1, y - 1) - u(x - 1, y + 1) - u(x + 1, y - 1)) / (4 * h * h);
       }},
      {"grad2(u)", [&](int x, int y) { return dx(u, x, y) * dx(u, x, y) + dy(u, x, y) * dy(u, x, y); }},
      {"diffuse(v, u)", [&](int x, int y) { return diffuse(v, u, x, y); }},
      {"diffuse(3, u)", [&](int x, int y) { return 3 * lap(u, x, y); }},
      {"advect(v, u, u)",
       [&](int x, int y) {
         const auto along = [&](double speed, int ox, int oy) {
           return speed > 0 ? speed * (u(x, y) - u(x - ox, y - oy)) / h : speed * (u(x + ox, y + oy) - u(x, y)) / h;
         };
         return along(v(x, y), 1, 0) + along(u(x, y), 0, 1);
       }},
      {"lap(u*v)", [&](int x, int y) { return lap(uv, x, y); }},
      {"lap(2*u) - lap(u*3)/3", lap_u},
      {"lap(-u) + 2*lap(u)", lap_u},
      {"dx(lap(u)) + lap(u)", [&](int x, int y) { return dx(lap_u, x, y) + lap(u, x, y); }},
      {"lap(k*u) + lap(7) + k*0",
       [&](int x, int y) { return lap([](int a, int b) { return ((a + nx) % nx) * field_u(a, b); }, x, y); }},
      {"lap(s*u)", [&](int x, int y) { return 2.5 * lap(u, x, y); }},
      {"re(lap((1 + 2i)*u)/(1 + 2i))", lap_u},
  };
  std::string keys =
      "grid = [11, 8]\nspacing = 0.5\nprecision = \"double\"\ntimestep = 1\nunchecked = true\n[solver.parameters]\n"
      "k = \"= x\"\ns = \"= 2.5 + t\"\n[solver.fields.u]\ninitial = \"= sin(1.1*x) + 0.3*cos(0.9*y)*x\"\nrate = \"= "
      "0\"\n"
      "[solver.fields.v]\ninitial = \"= 0.5*cos(0.7*x + 1.3*y)\"\nrate = \"= 0\"\n";
  int number = 0;
  for (const auto& [text, function] : cases)
    keys += fmt::format("[solver.fields.a{}]\nvalue = \"= {}\"\n", number++, text);
  const Executor executor = Executor::cpu(2);
  const std::unique_ptr<Solver> solver = plan_solver(test::pde_scene(keys)).create(executor);
  number = 0;
  for (const auto& [text, function] : cases) {
    const std::vector<double> values = test::shown<double>(executor, *solver, fmt::format("a{}", number++));
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        ASSERT_NEAR(values[y * nx + x], function(x, y), 2e-10) << text << " " << x << " " << y;
  }
}

TEST(PdeOperators, ComplexNumbersCompute) {
  const std::pair<std::string, std::array<double, 2>> cases[] = {{"z*z", {-3, 4}},
                                                                 {"z/(2 - 1i)", {0, 1}},
                                                                 {"conj(z) + abs2(z)", {6, -2}},
                                                                 {"z^3", {-11, -2}},
                                                                 {"abs(3*z + 2i*z)*1i", {0, std::sqrt(65)}},
                                                                 {"re(z) - im(z)*2i", {1, -4}},
                                                                 {"-z - (1 - 1i)", {-2, -1}},
                                                                 {"exp(1i*pi*re(z))", {-1, 0}},
                                                                 {"2.5i*z", {-5, 2.5}}};
  std::string keys =
      "grid = [3, 2]\nprecision = \"double\"\ntimestep = 1\nunchecked = true\n[solver.fields.z]\ntype = \"complex\"\n"
      "initial = \"= 1 + 2i\"\nrate = \"= 0\"\n";
  int number = 0;
  for (const auto& [text, value] : cases)
    keys += fmt::format("[solver.fields.a{}]\ntype = \"complex\"\nvalue = \"= {}\"\n", number++, text);
  const Executor executor = Executor::cpu(1);
  const std::unique_ptr<Solver> solver = plan_solver(test::pde_scene(keys)).create(executor);
  number = 0;
  for (const auto& [text, value] : cases) {
    EXPECT_NEAR(test::shown<double>(executor, *solver, fmt::format("a{}.re", number))[0], value[0], 1e-14) << text;
    EXPECT_NEAR(test::shown<double>(executor, *solver, fmt::format("a{}.im", number++))[0], value[1], 1e-14) << text;
  }
}

}  // namespace
}  // namespace simreel
