#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.h"
#include "tests/support/backends.h"
#include "tests/support/nbody_fixture.h"
#include "tests/support/places.h"
#include "tests/support/shown.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

using test::CsvFile, test::nbody_scene, test::make_nbody, test::numbers_of;

std::string error_of(const std::string& keys) {
  return test::thrown([&] { plan_solver(nbody_scene(keys)); });
}

template <class Real = float>
std::vector<Real> run(const Executor& executor, const std::string& keys, const std::vector<std::int64_t>& portions) {
  const auto solver = make_nbody(executor, keys);
  for (const std::int64_t steps : portions) solver->step(steps);
  return numbers_of<Real>(executor, *solver);
}

const std::string cloud = "initial = \"plummer\"\nbodies = 601\ntimestep = 0.01\nvelocity_factor = 0.999\n";

TEST(NbodySolver, GroupingOfStepsKernelsAndMachinesDoNotChangeTheBits) {
  for (const char* integrator : {"leapfrog", "euler", "rk4"}) {
    const std::string keys = cloud + fmt::format("integrator = \"{}\"\n", integrator);
    const std::vector<float> expected = run(Executor::cpu(1), keys + "kernel = \"naive\"\n", {20});
    for (const char* kernel : {"auto", "naive", "tiled", "symmetric"})
      for (const Executor& executor : test::executors())
        EXPECT_EQ(run(executor, keys + fmt::format("kernel = \"{}\"\n", kernel), {0, 1, 7, 1, 11}), expected)
            << integrator << ' ' << kernel;
    const std::string twice = keys + "precision = \"double\"\n";
    const std::vector<double> plain = run<double>(Executor::cpu(1), twice + "kernel = \"naive\"\n", {20});
    for (const Executor& executor : test::executors())
      EXPECT_EQ(run<double>(executor, twice, {1, 19}), plain) << integrator;
  }
  std::vector<double> measured;
  for (const Executor& executor : test::executors()) {
    const auto solver = make_nbody(executor, cloud);
    solver->step(5);
    if (measured.empty()) measured = solver->diagnose();
    EXPECT_EQ(solver->diagnose(), measured);
  }
}

TEST(NbodySolver, VelocityFactorHasAnOlderName) {
  const std::string keys = "initial = \"plummer\"\nbodies = 50\ntimestep = 0.01\n";
  const std::string factor = keys + "velocity_factor = 0.97\n", older = keys + "damping = 0.97\n";
  EXPECT_EQ(run(Executor::cpu(1), older, {9}), run(Executor::cpu(1), factor, {9}));
  EXPECT_NE(run(Executor::cpu(1), keys, {9}), run(Executor::cpu(1), factor, {9}));
  EXPECT_TRUE(plan_solver(nbody_scene(factor)).texts.remarks.empty());
  EXPECT_EQ(plan_solver(nbody_scene(older)).texts.remarks,
            std::vector<std::string>{
                "nbody.toml:7:1: \"damping\" is the older name of \"velocity_factor\"; it is the same factor"});
  EXPECT_EQ(error_of(factor + "damping = 0.97\n"),
            "nbody.toml:8:1: \"damping\" is the older name of \"velocity_factor\", and both are given; leave "
            "\"damping\" out");
  EXPECT_TRUE(test::says(error_of(keys + "damping = 1.5\n"), "between 0 and 1"));
}

TEST(Gpu, TwentyRunsGiveTheSameBits) {
  SKIP_WITHOUT_GPU();
  const Executor gpu = Executor::cuda();
  const std::string keys = "initial = \"collision\"\nbodies = 9000\ntimestep = 0.01\n";
  const std::vector<float> expected = run(gpu, keys, {10});
  for (int repetition = 0; repetition < 19; ++repetition) ASSERT_EQ(run(gpu, keys, {10}), expected);
}

TEST(Gpu, FastNbodySolverStaysNearTheExactOne) {
  SKIP_WITHOUT_GPU();
  const Executor gpu = Executor::cuda();
  const std::vector<float> exact = run(gpu, cloud, {20}), fast = run(gpu, cloud + "precision = \"fast\"\n", {20});
  for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(fast[i], exact[i], 1e-4 * (1 + std::abs(exact[i])));
}

TEST(NbodySolver, DiagnosticsAreThoseOfThreeBodies) {
  // By hand: masses 1 at (+-1, 0, 0) and at rest, and 2 at the origin, moving upwards with speed 3.
  const Executor executor = Executor::cpu(1);
  const CsvFile file("1,0,0,0,0,0,1\n-1,0,0,0,0,0,1\n0,0,0,0,3,0,2\n");
  for (const char* precision : {"exact", "double"}) {
    const auto solver = make_nbody(executor, file.keys() + fmt::format("G = 2\nsoftening = 0\ntimestep = 0.5\n"
                                                                       "integrator = \"euler\"\nprecision = \"{}\"\n",
                                                                       precision));
    const std::vector<double> d = solver->diagnose();
    ASSERT_EQ(d.size(), solver_kind(nbody_scene("")).diagnostics.size());
    const double expected[] = {0, 0, 9, -2 * (2 + 2 + 0.5), 0, 0, 6, 0, 0, 0, 0};
    for (std::size_t i = 0; i < d.size(); ++i) EXPECT_NEAR(d[i], i == 4 ? 0 : expected[i], 1e-12) << i;
    // One step: a = G (2 / 1 + 1 / 4) towards the middle for the outer two.
    solver->step(1);
    const std::vector<double> after = solver->diagnose();
    EXPECT_EQ(after[0], 1);
    EXPECT_EQ(after[1], 0.5);
    EXPECT_NEAR(after[2], 9 + 2 * 0.5 * 2.25 * 2.25, 1e-5);
    EXPECT_NEAR(after[6], 6, 1e-6);
    if (precision == std::string("double")) {
      const test::BodyState<double> state = test::bodies_of<double>(executor, *solver);
      EXPECT_NEAR(state.position[0].x, 1 - 4.5 * 0.25, 1e-12);
      EXPECT_NEAR(state.velocity[1].x, 2.25, 1e-12);
      EXPECT_NEAR(state.position[2].y, 1.5, 1e-12);
    }
  }
}

// Two of them at the same place: with softening that is a pair like any other, without it is none.
TEST(NbodySolver, BodiesAtOnePlaceHaveTheEnergyThatSofteningLeavesThem) {
  const Executor executor = Executor::cpu(1);
  const CsvFile file("1,0,0,0,0,0,1\n1,0,0,0,0,0,1\n-1,0,0,0,0,0,1\n");
  for (const auto& [softening, potential] : {std::pair{0.0, -1.0}, {1.5, -1 / 1.5 - 2 / 2.5}}) {
    const auto solver = make_nbody(executor, file.keys() + fmt::format("softening = {}\n", softening));
    EXPECT_NEAR(solver->diagnose()[3], potential, 1e-7);
  }
}

TEST(NbodySolver, SofteningIsInTheForceAndInTheEnergy) {
  const Executor executor = Executor::cpu(1);
  const auto solver =
      make_nbody(executor, "initial = \"kepler\"\nsoftening = 0.75\ntimestep = 0.001\n[[solver.planet]]\nmass = 1\n");
  EXPECT_NEAR(solver->diagnose()[3], -1 / std::sqrt(1 + 0.75 * 0.75), 1e-7);
  const double energy = solver->diagnose()[4];
  solver->step(500);
  EXPECT_NEAR(solver->diagnose()[4], energy, 1e-5);  // without softening there would be 0.4 more
}

TEST(NbodySolver, NoticesWhatIsNoLongerFinite) {
  const Executor executor = Executor::cpu(1);
  const auto solver =
      make_nbody(executor, "initial = \"cube\"\nbodies = 300\nG = 1e30\ntimestep = 1e20\nsoftening = 0.1\n");
  EXPECT_TRUE(solver->finite());
  solver->step(3);
  EXPECT_FALSE(solver->finite());
}

// Without softening, two bodies in one spot pull harder than fixed-point sums can hold: the run must end, not go on
// with a wrong force.
TEST(NbodySolver, NoticesThatTwoBodiesCameTooClose) {
  const Executor executor = Executor::cpu(1);
  const CsvFile file("1,0,0,0,0,0,1\n-1,0,0,0,0,0,1\n0,1e-9,0,0,0,0,1\n0,-1e-9,0,0,0,0,1\n");
  for (const auto& [softening, close] : {std::pair{0.0, true}, {0.01, false}}) {
    const auto solver =
        make_nbody(executor, file.keys() + fmt::format("precision = \"exact\"\nsoftening = {}\n", softening));
    EXPECT_EQ(solver->finite(), !close);
    EXPECT_EQ(solver->divergence().find("two bodies came so close") == 0, close);
  }
}

TEST(NbodySolver, ATinySofteningIsHonouredInDouble) {
  const Executor executor = Executor::cpu(1);
  const CsvFile file("1,0,0,0,0,0,2\n1,0,0,0,0,0,3\n0,0,0,0,0,0,0\n");
  for (const double softening : {1e-6, 1e-13, 1e-60, 1e-100}) {
    const SolverPlan plan =
        plan_solver(nbody_scene(file.keys() + fmt::format("precision = \"double\"\nsoftening = {}\n", softening)));
    EXPECT_TRUE(plan.texts.warnings.empty());
    EXPECT_NEAR(plan.create(executor)->diagnose()[3] * softening / -6, 1, 1e-12) << softening;
  }
  for (const auto& [precision, softening, acts] :
       {std::tuple{"double", 1e-110, "acts as 5.71e-101"}, {"exact", 1e-13, "acts as 9.09e-13"}}) {
    const std::vector<std::string> warnings =
        plan_solver(
            nbody_scene(file.keys() + fmt::format("precision = \"{}\"\nsoftening = {}\n", precision, softening)))
            .texts.warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_TRUE(test::says(warnings[0], acts));
  }
}

// Bodies that are too far apart for float give the true reason, before the first step where they start so.
TEST(NbodySolver, SaysThatBodiesAreTooFarApartForFloat) {
  const CsvFile file("0,0,0,0,0,0,1\n0,1e30,0,0,0,0,1\n");
  const std::string error = error_of(file.keys());
  EXPECT_EQ(error.find("nbody.toml:5:1: bodies lie up to 1e+30 from the origin"), 0u) << error;
  EXPECT_TRUE(test::says(error, "precision = \"double\""));
  EXPECT_EQ(error_of(file.keys() + "precision = \"double\"\n"), "");
  EXPECT_TRUE(
      test::says(error_of("bodies = 9\ninitial = \"plummer\"\nradius = 1e15\ncut = 1e5\n"), "nbody.toml:6:1: "));

  const Executor executor = Executor::cpu(1);
  const CsvFile leaving("-1e18,0,0,-1e18,0,0,1\n1e18,0,0,1e18,0,0,1\n");
  for (const char* method : {"direct", "tree"}) {
    const auto solver = make_nbody(executor, leaving.keys() + fmt::format("timestep = 1\nmethod = \"{}\"\n", method));
    EXPECT_TRUE(solver->finite());
    solver->step(10);
    EXPECT_FALSE(solver->finite());
    EXPECT_EQ(solver->divergence().find("a body is farther than 5e+18 from the origin"), 0u) << solver->divergence();
  }
}

// Asked during the forces, a step ends at once and leaves the state as it was; what follows has the bits of a run that
// nobody stopped.
TEST(NbodySolver, AStepThatIsStoppedLeavesTheStateBeforeIt) {
  const std::string bodies = "initial = \"plummer\"\nbodies = 4100\ntimestep = 0.01\n";
  for (const char* keys :
       {"kernel = \"symmetric\"\n", "kernel = \"tiled\"\n", "kernel = \"naive\"\n", "integrator = \"rk4\"\n",
        "integrator = \"euler\"\ndamping = 0.9\n", "precision = \"double\"\n",
        "precision = \"double\"\nkernel = \"naive\"\n", "method = \"tree\"\n"}) {
    const Executor executor = Executor::cpu(2);
    const SolverPlan plan = plan_solver(nbody_scene(bodies + keys));
    const auto whole = plan.create(executor), stopped = plan.create(executor);
    whole->step(1);
    const std::vector<std::byte> first = test::saved(*whole);
    std::atomic<int> asked = 0;
    int stop_at = 0;
    stopped->stop_when([&] { return ++asked >= stop_at; });
    const auto expect_stop = [&](int after, int step) {
      asked = 0;
      stop_at = after;
      stopped->step(2);
      EXPECT_EQ(stopped->steps_done(), step) << keys;
      EXPECT_GE(asked, after) << keys;
      EXPECT_LE(asked, after + executor.threads()) << keys;
    };
    expect_stop(1, 0);  // in the forces at the start
    stop_at = 1 << 30;
    stopped->step(1);
    EXPECT_TRUE(test::saved(*stopped) == first) << keys;
    expect_stop(3, 1);
    expect_stop(40, 1);
    EXPECT_TRUE(test::saved(*stopped) == first) << keys;
    EXPECT_TRUE(stopped->finite());
    whole->step(1);
    stopped->stop_when({});
    stopped->step(1);
    EXPECT_TRUE(test::saved(*stopped) == test::saved(*whole)) << keys;
  }
}

TEST(NbodySolver, CountsItsInteractionsAndMemory) {
  const SolverPlan plan = plan_solver(nbody_scene("bodies = 1000\n"));
  EXPECT_EQ(plan.updates_per_step, 1e6);
  EXPECT_EQ(plan.updated, "interaction");
  EXPECT_EQ(plan_solver(nbody_scene("bodies = 1000\nintegrator = \"rk4\"\n")).updates_per_step, 4e6);
  const std::size_t bytes = plan.bytes(Executor::cpu(1));
  EXPECT_GT(bytes, 1000u * (32 + 24 + 1 + 24 + 8));
  EXPECT_LT(bytes, 1024u * 122);
}

TEST(NbodySolver, DoesNotWaitForAPipe) {
  const test::Folder folder;
  const std::string pipe = folder / "bodies.csv";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string error = error_of(fmt::format("initial = \"file\"\nfile = \"{}\"\n", pipe));
  EXPECT_EQ(error.find("nbody.toml:5:1: \"file\" in [solver]"), 0u) << error;
}

}  // namespace
}  // namespace simreel
