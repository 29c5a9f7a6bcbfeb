// Solid cells, which hold fields at values or let nothing through.

#include "kernels/pde/compiled.h"
#include "kernels/pde/ptx.h"
#include "source/pde/limit.h"
#include "tests/support/pde_arrays.h"
#include "tests/support/pde_scene.h"
#include "tests/support/ptx_machine.h"

namespace simreel {
namespace {

using test::pde_run, test::pde_scene;

TEST(PdeObstacles, AWallIsWhatAFreeSideIs) {
  for (const std::string rate : {"lap(u)", "lap9(u)", "diffuse(1 + 0.1*u, u)", "-bilap(u)", "dx(u) + dy(u)", "grad2(u)",
                                 "dxx(u) + dyy(u)", "dxy(u)", "advect(1, u, u)", "lap(u^3 - u - 0.2*lap(u))"}) {
    const std::string keys = fmt::format(
        "precision = \"double\"\ntimestep = 0.01\nunchecked = true\nboundary = \"free\"\n[solver.fields.u]\n"
        "initial = \"= noise(x/3, y/3)\"\nrate = \"= {}\"\n",
        rate);
    const std::vector<double> sides = pde_run("grid = [14, 11]\n" + keys, 20);
    const std::vector<double> walls = pde_run("grid = [20, 16]\n" + keys +
                                                  "[[solver.obstacle]]\nshape = \"formula\"\nsolid = \"= x > 13.5 or y "
                                                  "> 10.5\"\n",
                                              20);
    for (std::size_t y = 0; y < 11; ++y)
      for (std::size_t x = 0; x < 14; ++x)
        EXPECT_NEAR(walls[y * 20 + x], sides[y * 14 + x], 1e-12) << rate << " at " << x << ", " << y;
  }
}

TEST(PdeObstacles, HeldValuesAreThoseOfTheirTimeInEveryScheme) {
  // u = 2 + 0.3 x + 0.5 t between two plates; du/dt = lap u + 0.5.
  for (const char* scheme : {"euler", "heun", "rk4", "rkc2"}) {
    const std::string keys = fmt::format(
        "grid = [30, 5]\nprecision = \"double\"\nscheme = \"{}\"\ntimestep = 0.1\nunchecked = true\nboundary = "
        "\"free\"\n"
        "[solver.parameters]\nslope = 0.3\n[solver.fields.u]\ninitial = \"= if(x > 5 and x < 24, 2 + 0.3*x, 99)\"\n"
        "rate = \"= lap(u) + 0.5\"\n"
        "[[solver.obstacle]]\nshape = \"rectangle\"\nmax = [5, 4]\nhold = {{ u = \"= 2 + slope*x + 0.5*t\" }}\n"
        "[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [24, 0]\nhold = {{ u = \"= 2 + slope*x + 0.5*t\" }}\n",
        scheme);
    const std::vector<double> u = pde_run(keys, 50);
    for (std::size_t x = 0; x < 30; ++x)
      EXPECT_NEAR(u[60 + x], 2 + 0.3 * static_cast<double>(x) + 0.5 * 5, 1e-11) << scheme << " at " << x;
  }
}

const std::string porous =
    "grid = [48, 100]\nprecision = \"double\"\nscheme = \"euler\"\ntimestep = 0.1\nunchecked = "
    "true\n[solver.fields.c]\n"
    "initial = \"= noise(x/4, y/4)\"\nrate = \"= diffuse(1 + 0.5*c, c)\"\n[solver.fields.A]\ntype = \"complex\"\n"
    "initial = 1\nrate = \"= (1 + 0.1i)*lap9(A) + c*A\"\n[[solver.obstacle]]\nshape = \"porous\"\nporosity = 0.7\n"
    "[[solver.obstacle]]\nshape = \"circle\"\nradius = 5\nhold = { A = \"= 1i*cos(t)\" }\n"
    "[[solver.measure]]\nname = \"mass\"\nintegral = \"= c\"\n[[solver.measure]]\nname = \"cells\"\nintegral = \"= 1 + "
    "0*c\"\n[[solver.measure]]\nname = \"mean\"\nmean = \"= c\"\n[[solver.measure]]\nname = \"low\"\nmin = \"= 2 + "
    "c\"\n";

TEST(PdeObstacles, NothingFlowsThroughThem) {
  const SolverPlan plan = plan_solver(pde_scene(porous));
  const Executor executor = Executor::cpu(1);
  const std::unique_ptr<Solver> solver = plan.create(executor);
  const std::vector<double> before = solver->diagnose();
  solver->step(300);
  const std::vector<double> after = solver->diagnose();
  EXPECT_NEAR(after[2], before[2], 1e-10);
  EXPECT_LT(before[3], 0.75 * 48 * 100);  // the fluid alone is measured
  EXPECT_NEAR(before[4], before[2] / before[3], 1e-12);
  EXPECT_GT(after[5], 1.5);  // solid cells have 0
  const FieldView<double> view = std::get<FieldView<double>>(solver->view("c"));
  ASSERT_NE(view.cell, nullptr);
  EXPECT_NE(view.outline, nullptr);
  std::size_t fluid = 0;
  for (int y = 0; y < 100; ++y)
    for (std::size_t x = 0; x < 48; ++x) fluid += view.cell[y * view.pitch + x] >= 0 ? 1 : 0;
  EXPECT_EQ(static_cast<double>(fluid), before[3]);
}

TEST(PdeObstacles, ThreadsAndRanksDoNotChangeTheBits) {
  std::vector<double> expected;
  for (const int ranks : {1, 2, 3}) {
    const SolverPlan plan = plan_solver(pde_scene(porous), Ranks{ranks, "--ranks"});
    const Executor executor = Executor::cpu(ranks);
    const std::unique_ptr<Solver> solver = plan.create(executor);
    solver->step(11);
    std::vector<double> values = test::shown<double>(executor, *solver, "A.im");
    for (const double value : solver->diagnose()) values.push_back(value);
    if (expected.empty()) expected = values;
    EXPECT_EQ(values, expected) << ranks;
  }
}

// Of a pass with masks: the CPU, the interpreter, and the text for GPUs, run on the host.
TEST(PdeObstacles, EnginesGiveTheSameBits) {
  const Scene scene = pde_scene(porous);
  Table keys = scene.solver;
  const auto problem = make_problem(read_pde_options(keys), 48, 40, nullptr);
  problem->set_step(0.1);
  const PdeWork& work = problem->scheme.stages[0].work;
  const auto count = static_cast<int>(work.arrays.size()), uniforms = static_cast<int>(work.uniforms.size());
  const Executor executor = Executor::cpu(1);
  const PdeGrid grid = pde_grid(48, 40, problem->halo, sizeof(double));
  const auto cells = [&](auto& engine) {
    test::PdeArrays<double> arrays(executor, grid, count + static_cast<int>(work.pass.outputs.size()));
    std::mt19937 dice(7);
    std::vector<int> from, to;
    for (int i = 0; i < count; ++i) {
      std::vector<double> memory(grid.memory());
      for (double& value : memory) value = work.arrays[i] >= pde_coefficients ? dice() % 2 : dice() / 4e9;
      arrays.buffer(i).upload(memory.data());
      from.push_back(i);
    }
    for (std::size_t o = 0; o < work.pass.outputs.size(); ++o) to.push_back(count + static_cast<int>(o));
    arrays.run(engine, from, to, 0, grid.ny, std::vector<double>(work.uniforms.size(), 0.7));
    std::vector<double> values;
    for (const int o : to)
      for (int y = 0; y < grid.ny; ++y)
        for (int x = 0; x < grid.nx; ++x) values.push_back(arrays[o][y * static_cast<std::ptrdiff_t>(grid.pitch) + x]);
    return values;
  };
  PdeEngine<double> cpu(executor, work.pass), interpreter(executor, work.pass, PdeMachine::interpreter);
  const std::vector<double> expected = cells(cpu);
  EXPECT_EQ(cells(interpreter), expected);
  struct Emulated {
    const Executor& executor;
    int uniforms;
    test::PtxMachine kernel, rest;
    void run(const PdeGrid& of, const PdeRun<double>& what) {
      pde_launch<double>(executor, 2, uniforms, of, what, [&](const PdeLaunch& launch) {
        (launch.rest ? rest : kernel)
            .launch(launch.blocks_x, launch.blocks_y, pde_block_x, pde_block_y, launch.arguments);
      });
    }
  };
  Emulated gpu{executor,
               uniforms,
               {*pde_ptx<double>(work.pass, uniforms, 2, "pass"), "pass"},
               {*pde_ptx<double>(work.pass, uniforms, 1, "rest"), "rest"}};
  EXPECT_EQ(cells(gpu), expected);
}

}  // namespace
}  // namespace simreel
