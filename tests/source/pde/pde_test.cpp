#include "source/pde/passes.h"

#include "kernels/base/elementary.h"
#include "tests/support/backends.h"
#include "tests/support/npy.h"
#include "tests/support/pde_scene.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

using test::pde_error, test::pde_run, test::pde_scene;

const std::string all_kinds =
    "grid = [70, 150]\ntimestep = 0.2\nunchecked = true\nscheme = \"SCHEME\"\nboundary = SIDES\n[solver.parameters]\nD "
    "= \"= 0.3 + 0.1*x/nx\"\n"
    "w = \"= sin(0.1*t)\"\nk = \"= 0.01*cos(t + 0.05*y)\"\n[solver.fields.u]\ninitial = \"= noise(x/5, y/5)\"\n"
    "rate = \"= diffuse(D, u) + w*q - u^3 + k\"\n[solver.fields.A]\ntype = \"complex\"\ninitial = \"= 0.5 + "
    "0.5i*noise(x/7, y/7)\"\nrate = \"= 0.2*(1 + 1i)*lap(A) - abs2(A)*A + u\"\n[solver.fields.q]\nvalue = \"= lap(u) - "
    "re(A)\"\nOWN\n[[solver.measure]]\nname = \"power\"\nintegral = \"= abs2(A) + q\"\n";

std::string with(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
  return text;
}

TEST(PdeSolver, ThreadsAndRanksDoNotChangeTheBits) {
  for (const std::string scheme : {"euler", "heun", "rk4", "rkc2"})
    for (const bool periodic : {true, false}) {
      std::string keys = with(all_kinds, "SCHEME", scheme);
      keys = with(keys, "SIDES", periodic ? "\"periodic\"" : "\"free\"");
      keys = with(keys, "OWN",
                  periodic ? "" : "boundary.left = { value = \"= 0.01*y*cos(t)\" }\nboundary.top = { slope = 1 }");
      const Scene scene = pde_scene(keys);
      std::vector<float> expected;
      std::vector<double> measured;
      for (const int ranks : {1, 2, 3, 5}) {
        const SolverPlan plan = plan_solver(scene, Ranks{ranks, "--ranks"});
        for (const int threads : {1, 3}) {
          const Executor executor = Executor::cpu(threads);
          const std::unique_ptr<Solver> solver = plan.create(executor);
          solver->step(7);
          solver->step(4);
          std::vector<float> values;
          for (const char* field : {"u", "A.im", "A.arg", "q"}) {
            const std::vector<float> more = test::shown<float>(executor, *solver, field);
            values.insert(values.end(), more.begin(), more.end());
          }
          if (expected.empty()) expected = values, measured = solver->diagnose();
          EXPECT_TRUE(solver->finite());
          EXPECT_TRUE(values == expected) << scheme << " " << ranks << " ranks, " << threads << " threads";
          EXPECT_EQ(solver->diagnose(), measured);
        }
      }
    }
}

// The systems of the run, of its pilot and of a measured speed have the file from the first that read it.
TEST(PdeSolver, ReadsAFileOnce) {
  const std::string name = testing::TempDir() + "pde_once.npy";
  std::ofstream(name, std::ios::binary) << test::npy({4, 6}, std::vector<float>(24, 0.5f));
  const SolverPlan plan =
      plan_solver(pde_scene("grid = [6, 4]\n[solver.parameters]\nk = \"" + name +
                            "\"\n[solver.fields.u]\ninitial = \"" + name + "\"\nrate = \"= k*lap(u)\"\n"));
  std::filesystem::remove(name);
  EXPECT_TRUE(plan.create(Executor::cpu(1))->finite());
  EXPECT_TRUE(plan.smaller(8).create(Executor::cpu(1))->finite());
}

TEST(PdeSolver, TellsThatEveryGpuInterpretsLongEquations) {
  const auto facts = [](const std::string& rate) {
    const std::string keys = "grid = [64, 64]\ntimestep = 1e-9\nunchecked = true\n[solver.fields.u]\ninitial = 1\n";
    return fmt::format("{}", fmt::join(plan_solver(pde_scene(keys + "rate = \"= " + rate + "\"\n")).texts.facts, "\n"));
  };
  std::string deep = "0";
  for (int i = 1; i < 20; ++i) deep += fmt::format(" + bilap(bilap(bilap(bilap(u^2 + {})^2)^2)^2)", i);
  EXPECT_TRUE(
      test::says(facts(deep), "gpu        interprets the equations, which is slow: they are too long for a kernel"));
  EXPECT_EQ(facts("bilap(u)").find("gpu"), std::string::npos);
}

// Several steps at once, steps left over, and a graph of steps that are alike, in calls that begin with either slot.
TEST(PdeSolver, LaunchesOfManyStepsGiveTheBitsOfTheCpu) {
  SKIP_WITHOUT_GPU();
  for (const char* const sides : {"\"periodic\"", "\"free\"", "{ left = { value = 0.3 }, top = { slope = 0.1 } }"})
    for (const char* const scheme : {"euler", "rk4"}) {
      const std::string keys =
          fmt::format("grid = [1100, 1000]\ntimestep = 0.2\nunchecked = true\nscheme = \"{}\"\nboundary = {}\n", scheme,
                      sides) +
          "[solver.parameters]\nF = \"= 0.03 + 0.01*x/nx\"\n[solver.fields.u]\ninitial = \"= noise(x/5, y/5)\"\n"
          "rate = \"= lap(u) - u*v^2 + F*(1 - u)\"\n[solver.fields.v]\ninitial = 0.2\nrate = \"= 0.5*lap(v) + u*v^2 - "
          "F*v\"\n";
      const SolverPlan plan = plan_solver(pde_scene(keys));
      std::vector<std::vector<float>> results;
      for (const Executor& executor : {Executor::cpu(2), Executor::cuda()}) {
        const std::unique_ptr<Solver> solver = plan.create(executor);
        for (const int steps : {1, 24, 11, 17, 40}) solver->step(steps);
        results.push_back(test::shown<float>(executor, *solver, "v"));
      }
      EXPECT_EQ(results[0], results[1]) << scheme << " " << sides;
    }
}

TEST(PdeSolver, AFieldWithoutSidesOfItsOwnIsWhatItsFormulaIs) {
  const std::string keys =
      "grid = [40, 24]\nscheme = \"euler\"\ntimestep = 0.01\nunchecked = true\n[solver.fields.c]\ninitial = \"= "
      "noise(x/3, y/3)\"\nrate = \"= lap(MU)\"\n";
  const std::vector<float> direct = pde_run<float>(with(keys, "MU", "c^3 - c - 0.5*lap(c)"), 20, "c");
  const std::string mu = with(keys, "MU", "mu") + "[solver.fields.mu]\nvalue = \"= c^3 - c - 0.5*lap(c)\"\n";
  EXPECT_EQ(pde_run<float>(mu, 20, "c"), direct);
  // As an array of its own, which is computed before each pass.
  EXPECT_EQ(pde_run<float>(mu + "boundary = \"periodic\"\n", 20, "c"), direct);
}

TEST(PdeSolver, SidesThatNobodyNamesAreFreeBesideOthers) {
  const std::string keys =
      "grid = [20, 20]\nscheme = \"euler\"\ntimestep = 0.2\nSIDES[solver.fields.u]\ninitial = \"= x*y\"\n"
      "rate = \"= lap(u)\"\nboundary.left = { value = 1 }\n";
  const std::string all = "boundary = { left = \"free\", bottom = \"periodic\", top = \"periodic\" }\n";
  EXPECT_EQ(pde_run<float>(with(keys, "SIDES", ""), 20), pde_run<float>(with(keys, "SIDES", all), 20));
  const std::string others = "boundary.left = { value = 1 }\nboundary.right = { value = 2 }\n";  // of all fields
  EXPECT_NE(pde_run<float>(with(keys, "SIDES", others), 20), pde_run<float>(with(keys, "SIDES", ""), 20));
}

TEST(PdeSolver, WavesThatGrowFasterTheShorterTheyAreAreWarnedOf) {
  const auto warnings = [](const std::string& rate) {
    const Scene scene = pde_scene(
        "grid = [32, 32]\ntimestep = 0.01\n[solver.fields.u]\ninitial = \"= noise(x, y)\"\nrate = \"" + rate + "\"\n");
    return plan_solver(scene).texts.warnings;
  };
  EXPECT_EQ(warnings("= -lap(u)").size(), 1u);
  EXPECT_EQ(warnings("= lap(u) + u - u^3").size(), 0u);
}

TEST(PdeSolver, AParameterOfXIsComputedInDouble) {
  const std::string keys =
      "grid = [64, 3]\nscheme = \"euler\"\ntimestep = 1\nunchecked = true\n[solver.parameters]\nk = \"= "
      "exp(-x/9)*1.1\"\n"
      "[solver.fields.u]\ninitial = 0\nrate = \"= k\"\n";
  const std::vector<float> u = pde_run<float>(keys, 1);
  const std::vector<double> exact = pde_run("precision = \"double\"\n" + keys, 1);
  for (std::size_t x = 0; x < 64; ++x) EXPECT_EQ(u[x], static_cast<float>(exact[x])) << x;
}

TEST(PdeSolver, NoiseComesFromTheSeedOfTheScene) {
  const std::vector<double> u = pde_run(
      "grid = [9, 4]\nprecision = \"double\"\ntimestep = 1\nunchecked = true\n[solver.fields.u]\ninitial = \"= "
      "noise(x/5, y/3)\"\nrate = \"= 0\"\n",
      0);
  for (int i = 0; i < 36; ++i) EXPECT_EQ(u[i], exact::noise(i % 9 / 5.0, i / 9 / 3.0, 5)) << i;
}

// One sum takes in a product that nothing else uses, the left one first.
TEST(PdePasses, ProductsAreFusedByOneRule) {
  const auto functions = [](const auto& make) {
    Expressions e;
    const int u = e.array(0), v = e.array(1), w = e.array(2);
    const std::vector<int> roots = make(e, u, v, w);
    std::vector<FormulaOp> found;
    for (const PdeNode& node : make_work(e, roots).pass.nodes)
      if (node.kind == PdeKind::apply) found.push_back(node.function);
    return found;
  };
  using Op = FormulaOp;
  const auto times = [](Expressions& e, int a, int b) { return e.apply(Op::multiply, a, b); };
  EXPECT_EQ(functions([&](Expressions& e, int u, int v, int w) {
              return std::vector{e.apply(Op::add, times(e, u, v), times(e, v, w))};
            }),
            (std::vector{Op::multiply, Op::multiply_add}));
  EXPECT_EQ(functions([&](Expressions& e, int u, int v, int w) {
              return std::vector{e.apply(Op::subtract, u, times(e, v, w))};
            }),
            std::vector{Op::subtract_product});
  EXPECT_EQ(functions([&](Expressions& e, int u, int v, int w) {
              return std::vector{e.apply(Op::subtract, times(e, v, w), u)};
            }),
            std::vector{Op::multiply_subtract});
  EXPECT_EQ(functions([&](Expressions& e, int u, int v, int) {
              const int product = times(e, u, v);  // used twice
              return std::vector{e.apply(Op::add, product, u), e.apply(Op::add, product, v)};
            }),
            (std::vector{Op::multiply, Op::add, Op::add}));
}

TEST(PdeLimit, IsThatOfTheory) {
  const std::string heat = "grid = [32, 32]\nspacing = 0.5\n[solver.fields.u]\ninitial = 0\nrate = \"= 2*lap(u)\"\n";
  const auto step = [](const std::string& keys) { return plan_solver(pde_scene(keys)).timestep; };
  const double euler = 0.25 * 0.25 / 2;  // h^2 / (4 D)
  EXPECT_NEAR(step("scheme = \"euler\"\n" + heat), 0.8 * euler, 1e-3 * euler);
  EXPECT_NEAR(step("scheme = \"rk4\"\n" + heat), 0.8 * euler * 2.7853 / 2, 2e-3 * euler);
  EXPECT_NEAR(step("scheme = \"rkc2\"\nstages = 10\n" + heat), 0.8 * 0.87 * euler * 0.653 * 99 / 2, euler);
  const std::string wave =
      "grid = [32, 32]\n[solver.fields.u]\ninitial = 0\nrate = \"= v\"\n[solver.fields.v]\ninitial = 0\nrate = \"= "
      "lap(u)\"\n";
  EXPECT_NEAR(step(wave), 0.8 * 2.8284 / std::sqrt(8.0), 2e-3);
}

TEST(PdeLimit, HeedsCoefficientsThatGrowLater) {
  // Diffusion of 1 + t up to the last of 60 steps or so of a run.
  const auto step = [](const std::string& rate) {
    return plan_solver(pde_scene("scheme = \"euler\"\ngrid = [32, 32]\n[solver.fields.u]\ninitial = 0\nrate = \"= " +
                                 rate + "\"\n[animation]\nframes = 61\nsteps_per_frame = 1\n"))
        .timestep;
  };
  EXPECT_NEAR(step("lap(u)"), 0.2, 1e-3);
  EXPECT_NEAR(step("(1 + t)*lap(u)"), 0.045, 0.005);  // t comes to 60 steps
}

TEST(PdeLimit, HeedsTheRunAloneWhoseStepIsGiven) {
  for (const std::string rate : {"(1 + t)*lap(u)", "sqrt(10.5 - t)*lap(u)"}) {
    const Scene scene = pde_scene(
        "scheme = \"euler\"\ntimestep = 0.01\ngrid = [32, 32]\n[solver.fields.u]\ninitial = \"= noise(x/4, y/4)\"\n"
        "rate = \"= " +
        rate + "\"\n[animation]\nframes = 1001\nsteps_per_frame = 1\n");  // t comes to 10
    EXPECT_EQ(plan_solver(scene).timestep, 0.01) << rate;
  }
}

TEST(PdeLimit, IsThatOfManyFieldsToo) {
  // A ring of fields: lap(u) has -8 to 0, and the ring the roots of unity.
  std::string keys = "scheme = \"euler\"\ngrid = [32, 32]\n";
  constexpr int fields = 24;
  for (int i = 0; i < fields; ++i)
    keys += fmt::format("[solver.fields.u{}]\ninitial = 0\nrate = \"= lap(u{}) + u{}\"\n", i, i, (i + 1) % fields);
  EXPECT_NEAR(plan_solver(pde_scene(keys)).timestep, 0.8 * 2 / 9, 1e-3);
}

TEST(PdeLimit, HoldsForAnySpacing) {
  for (const double spacing : {1e-7, 1e6}) {
    const Scene scene = pde_scene(fmt::format(
        "scheme = \"euler\"\nspacing = {}\ngrid = [32, 32]\n[solver.fields.u]\ninitial = 0\nrate = \"= lap(u)\"\n",
        spacing));
    EXPECT_NEAR(plan_solver(scene).timestep / (spacing * spacing), 0.2, 1e-3);
  }
}

TEST(PdeLimit, CellsOfThePilotAloneRefuseNothing) {
  const Scene scene = pde_scene(
      "scheme = \"euler\"\ngrid = [255, 255]\n[solver.fields.u]\ninitial = \"= noise(x/4, y/4)\"\n"
      "rate = \"= lap(u)/abs(x - nx/2)\"\n");  // never 0, as nx is odd
  EXPECT_GT(plan_solver(scene).timestep, 0);
}

TEST(PdeLook, APhaseIsACircle) {
  Scene scene = pde_scene(
      "grid = [8, 8]\n[solver.fields.A]\ntype = \"complex\"\ninitial = 1\nrate = \"= lap(A)\"\n"
      "[view]\nfield = \"A.arg\"\n");
  complete_scene(scene);
  EXPECT_EQ(scene.view.colormap, "phase");
  EXPECT_EQ(scene.view.range, RangeMode::fixed);
  EXPECT_EQ(scene.view.low, -scene.view.high);
  EXPECT_EQ(static_cast<float>(scene.view.high), 3.14159265F);
  EXPECT_EQ(scene.view.interpolation, Interpolation::nearest);
}

TEST(PdeSolver, ImagesOfAnotherShapeAreNotedOnce) {
  const auto said = [](const std::string& grid) {
    PlanTexts texts = plan_solver(pde_scene(grid + "timestep = 0.1\n[solver.parameters]\nmap = \"" +
                                            (test::root() / "scenes/portrait.png").string() +
                                            "\"\n[solver.fields.u]\ninitial = 0\nrate = \"= lap(u) + map\"\n"))
                          .texts;
    std::ranges::move(texts.remarks, std::back_inserter(texts.warnings));
    return texts.warnings;
  };
  ASSERT_EQ(said("grid = [16, 16]\n").size(), 1u);
  EXPECT_TRUE(test::says(said("grid = [16, 16]\n")[0], "480 x 270 pixels and is stretched over 16 x 16 cells"));
  EXPECT_EQ(said("grid = [32, 18]\n").size(), 0u);
}

TEST(PdeNames, ParametersAreParsedOnceAndNotForEver) {
  std::string twice = "[solver.parameters]\n", chain = twice;
  for (int i = 0; i < 40; ++i) twice += fmt::format("a{} = \"= a{}*a{}\"\n", i, i + 1, i + 1);
  for (int i = 0; i < 300; ++i) chain += fmt::format("a{} = \"= a{}\"\n", i, i + 1);
  const std::string field = "[solver.fields.u]\ninitial = 0\nrate = \"= a0*lap(u)\"\n";
  EXPECT_EQ(pde_error("grid = [16, 16]\ntimestep = 1e-9\nunchecked = true\n" + twice + "a40 = \"= 1 + t\"\n" + field),
            "");
  EXPECT_TRUE(test::says(pde_error("grid = [16, 16]\n" + chain + "a300 = \"= 1 + t\"\n" + field),
                         "more than 200 parentheses, operators and names"));
}

TEST(PdeSolver, NoiseOfASideIsFromTheSeed) {
  const std::string keys =
      "grid = [16, 16]\nscheme = \"euler\"\ntimestep = 0.1\n[solver.fields.u]\ninitial = 0\nrate = \"= lap(u)\"\n"
      "boundary.left = { value = \"= noise(y/3, t)\" }\n";
  const auto run = [&](std::uint64_t seed) {
    Scene scene = pde_scene(keys);
    scene.seed = seed;
    const Executor executor = Executor::cpu(1);
    const std::unique_ptr<Solver> solver = plan_solver(scene).create(executor);
    solver->step(3);
    return test::shown<float>(executor, *solver, "u");
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

// Decay at up to 100 where u is 1, and 8 of the finest wave.
TEST(PdeLimit, KnowsTheWholeGrid) {
  const std::string keys =
      "scheme = \"euler\"\ntimestep = 0.1\ngrid = [900, 600]\n[solver.fields.u]\ninitial = \"= PLACE\"\nrate = \"= "
      "lap(u) - RATE\"\n";
  const auto error = [&](const std::string& place, const std::string& rate) {
    return pde_error(with(with(keys, "PLACE", place), "RATE", rate));
  };
  for (const std::string part : {"x > 600 and y > 360", "r < 20"})
    EXPECT_TRUE(test::says(error(part, "50*u^2"), "the largest is about 0.0185")) << part;
  EXPECT_TRUE(test::says(error("1", "if(x > 600 and y > 360, 50, 0)*u^2"), "the largest is about 0.0185"));
}

// tests/messages/pde.txt has the shorter ones.
TEST(PdeMistakes, LongFormulasAndManyFieldsAreRefused) {
  const auto expect = [](const std::string& keys, const char* answer) {
    const std::string error = pde_error(keys);
    EXPECT_TRUE(test::says(error, answer)) << error.substr(0, 300);
  };
  const std::string field = "grid = [16, 16]\n[solver.fields.u]\ninitial = 0\nrate = \"= ";
  expect(field + std::string(5000, 'u') + "\"\n", "a formula has at most 4096 characters");
  expect(field + std::string(200, '(') + "\"\n", "more than 200 parentheses");
  std::string many = "grid = [8, 8]\n";
  for (int i = 0; i < 40; ++i) many += fmt::format("[solver.fields.u{}]\ninitial = 0\nrate = \"= 1\"\n", i);
  expect(many, "there are more than 32 fields");
}

// What docs/solvers/pde.md shows: whole scenes, and parts of one that has these fields.
TEST(PdeDocs, ExamplesAreScenes) {
  std::ifstream file(test::root() / "docs/solvers/pde.md");
  std::ostringstream text_of_page;
  text_of_page << file.rdbuf();
  const std::string page = text_of_page.str();
  int found = 0;
  for (std::size_t at = page.find("```toml\n"); at != std::string::npos; at = page.find("```toml\n", at), ++found) {
    at += 8;
    std::string text = page.substr(at, page.find("```", at) - at);
    if (text.find("kind") == std::string::npos)
      text =
          "[solver]\nkind = \"pde\"\ngrid = [64, 48]\n[solver.fields.u]\ninitial = 0\nrate = \"= lap(u)\"\n"
          "[solver.fields.c]\ninitial = 0\nrate = \"= lap(c)\"\n" +
          text;
    const Executor executor = Executor::cpu(1);
    const std::unique_ptr<Solver> solver = plan_solver(parse_scene(text, "pde.md", {}, check_solver)).create(executor);
    solver->step(2);
    EXPECT_TRUE(solver->finite()) << text;
  }
  EXPECT_GE(found, 4);
}

}  // namespace
}  // namespace simreel
