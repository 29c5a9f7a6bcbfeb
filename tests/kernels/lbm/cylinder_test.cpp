// Flows past cylinders, against the literature.

#include "tests/support/lbm_fixture.h"

namespace simreel {
namespace {

// The confined cylinder of Schaefer and Turek (1996, "Benchmark computations of laminar flow around a cylinder"), 2D-1
// and 2D-2: a channel of 22 x 4.1 diameters, its centre 2 diameters from inlet and lower wall, a parabolic inlet of
// mean speed 2/3 of the peak.
Flow<float> cylinder(int diameter, double reynolds, double peak) {
  Flow<float> f =
      flow<float>(22 * diameter, diameter * 41 / 10, LbmCollision::trt, 2.0 / 3 * peak * diameter / reynolds);
  walls(f.p);
  f.p.left = LbmSide::inlet;
  f.p.right = LbmSide::outlet;
  f.p.velocity = static_cast<float>(peak);
  f.p.parabolic = true;
  f.obstacles = {circle(2 * diameter - 0.5, 2 * diameter - 0.5, 0.5 * diameter)};
  return f;
}

TEST(Lbm, DragOfASteadyCylinderIsTheBenchmarks) {
  constexpr double peak = 0.1, mean = 2 * peak / 3;
  const Executor executor = Executor::cpu(2);
  Fluid<float> fluid(executor, cylinder(20, 20, peak));
  fluid.step(25000);
  const LbmForce force = fluid.force(0);
  EXPECT_NEAR(2 * force.x / (mean * mean * 20), 5.58, 0.06);      // the benchmark's interval: 5.57 to 5.59
  EXPECT_NEAR(2 * force.y / (mean * mean * 20), 0.0107, 0.0012);  // 0.0104 to 0.0110
}

TEST(Lbm, CylinderShedsVorticesAtTheBenchmarksStrouhalNumber) {
  constexpr double peak = 0.12, mean = 2 * peak / 3;
  constexpr int diameter = 20, sample = 10;
  const Executor executor = Executor::cpu(2);
  Fluid<float> fluid(executor, cylinder(diameter, 100, peak));
  fluid.step(18000);
  std::vector<double> lift;
  double drag = 0;
  for (int i = 0; i < 500; ++i) {
    fluid.step(sample);
    const LbmForce force = fluid.force(0);
    lift.push_back(force.y);
    drag = std::max(drag, 2 * force.x / (mean * mean * diameter));
  }
  std::vector<double> rising;  // steps at which the lift passes its mean upwards
  double middle = 0;
  for (const double value : lift) middle += value / static_cast<double>(lift.size());
  for (std::size_t i = 1; i < lift.size(); ++i)
    if (lift[i - 1] < middle && lift[i] >= middle)
      rising.push_back(sample * (static_cast<double>(i) - (lift[i] - middle) / (lift[i] - lift[i - 1])));
  ASSERT_GE(rising.size(), 4u);
  const double period = (rising.back() - rising.front()) / static_cast<double>(rising.size() - 1);
  EXPECT_NEAR(diameter / (mean * period), 0.30, 0.01);  // 0.295 to 0.305
  // The largest drag is 3.22 to 3.24. A staircase drags more, by an error of first order in the cell: 3.41, 3.36 and
  // 3.30 were found for 20, 30 and 40 cells a diameter.
  EXPECT_NEAR(drag, 3.41, 0.03);
}

// A square cylinder is made of whole cells, so its walls are where they should be. Behind one an eighth as wide as its
// channel the flow comes back within Lr = (-0.065 + 0.0554 Re) D, 5 < Re < 60 (Breuer, Bernsdorf, Zeiser, Durst 2000,
// Int. J. Heat Fluid Flow 21, 186).
TEST(Lbm, TheWakeOfASquareCylinderIsAsLongAsPublished) {
  constexpr int width = 10, nx = 300, ny = 80, first = 100;
  constexpr double peak = 0.1, reynolds = 40;
  const Executor executor = Executor::cpu(2);
  Flow<float> f = flow<float>(nx, ny, LbmCollision::trt, peak * width / reynolds);
  walls(f.p);
  f.p.left = LbmSide::inlet;
  f.p.right = LbmSide::outlet;
  f.p.velocity = static_cast<float>(peak);
  f.p.parabolic = true;
  ObstacleOptions square;
  square.shape = ObstacleShape::rectangle;
  square.min = {first, 35};
  square.max = {first + width - 1, 44};
  f.obstacles = {square};
  Fluid<float> fluid(executor, f);
  fluid.step(30000);
  const std::vector<float> ux = fluid.field(LbmField::ux);
  const auto on_axis = [&](int x) { return 0.5 * static_cast<double>(ux[39 * nx + x] + ux[40 * nx + x]); };
  int x = first + width;
  while (x < nx - 1 && on_axis(x) < 0) ++x;
  const double end = x - on_axis(x) / (on_axis(x) - on_axis(x - 1)), rear = first + width - 0.5;
  EXPECT_NEAR((end - rear) / width, -0.065 + 0.0554 * reynolds, 0.03 * 2.15);
}

}  // namespace
}  // namespace simreel
