// Solvers on several ranks have the bits of one rank: what they show, measure and save.

#include "source/ranked.h"

#include <fmt/format.h>

#include "base/error.h"
#include "kernels/base/pack.h"
#include "source/rank_memory.h"
#include "tests/support/backends.h"
#include "tests/support/shown.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

Scene scene_of(const std::string& solver) { return parse_scene("seed = 5\n[solver]\n" + solver, "ranks.toml"); }

// All that can be seen of a solver.
struct Seen {
  std::vector<std::vector<std::byte>> views;  // of each field, and the map of solid cells
  std::vector<double> diagnostics;
  std::vector<std::byte> saved;

  bool operator==(const Seen&) const = default;
};

Seen look(const Executor& executor, Solver& solver) {
  Seen seen;
  for (const FieldInfo& field : solver.fields()) {
    const View view = solver.view(field.name);
    seen.views.push_back(test::packed(executor, view));
    Buffer<std::byte> solid(executor, state_layout(view).bytes());
    solid.clear();
    if (pack_solid(executor, view, solid.data())) seen.views.push_back(solid.download());
  }
  EXPECT_TRUE(solver.finite());
  seen.diagnostics = solver.diagnose();
  seen.saved = test::saved(solver);
  return seen;
}

using Portions = std::vector<std::int64_t>;
const Portions many = {1, 12, 13, 1, 5, 30}, few = {1, 3};

std::vector<Seen> run(const Executor& executor, Solver& solver, const Portions& portions) {
  std::vector<Seen> seen = {look(executor, solver)};
  for (const std::int64_t steps : portions) {
    solver.step(steps);
    seen.push_back(look(executor, solver));
  }
  return seen;
}

void expect_same(const std::vector<Seen>& seen, const std::vector<Seen>& expected, int ranks) {
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_TRUE(seen[i].views == expected[i].views) << ranks << " ranks, look " << i;
    EXPECT_EQ(seen[i].diagnostics, expected[i].diagnostics) << ranks << " ranks, look " << i;
    EXPECT_TRUE(seen[i].saved == expected[i].saved) << ranks << " ranks, look " << i;
  }
}

// Runs on these numbers of ranks, each then saved and loaded on another number.
void expect_same_bits_on(const std::vector<int>& counts, const std::string& solver, const Portions& portions = many) {
  SCOPED_TRACE(solver);
  const Scene scene = scene_of(solver);
  const Executor executor = Executor::cpu(2);
  const std::vector<Seen> expected = run(executor, *plan_solver(scene).create(executor), portions);
  ASSERT_FALSE(expected.front() == expected.back());
  std::vector<Checkpoint> saved;
  for (const int count : counts) {
    const std::unique_ptr<Solver> ranked = plan_solver(scene, {count}).create(executor);
    expect_same(run(executor, *ranked, portions), expected, count);
    ranked->save(saved.emplace_back());
    ranked->step(portions.back());
    if (count > 1) {
      const std::unique_ptr<Solver> other = plan_solver(scene, {count == 2 ? counts.back() : 2}).create(executor);
      other->step(3);
      other->load(saved.front());
      other->step(portions.back());
      EXPECT_TRUE(look(executor, *other) == look(executor, *ranked)) << "loaded after " << count << " ranks";
    }
  }
}

void expect_same_bits(const std::string& solver) { expect_same_bits_on({1, 2, 3, 5}, solver); }

// 161 rows are five units of 32 and one row more, so the last of five ranks has 33 and borders lie on odd places; 67
// columns are no multiple of what kernels take at once.
const std::string wave = "kind = \"wave\"\ngrid = [67, 161]\n";
const std::string rain =
    "[solver.rain]\nrate = 3\n[[solver.droplet]]\nposition = [3, 159]\nradius = 9\n[[solver.droplet]]\ntime = "
    "0.3\nposition = [40, 64]\nradius = 40\nstart = \"kick\"\n";

TEST(RankedWave, PlainTanks) {
  for (const char* kernel : {"naive", "tiled"})
    for (const char* boundary : {"fixed", "free", "periodic", "absorbing"})
      expect_same_bits(wave + fmt::format("kernel = \"{}\"\nboundary = \"{}\"\n", kernel, boundary) + rain);
}

TEST(RankedWave, DoubleAndInitialStates) {
  expect_same_bits(wave + "precision = \"double\"\ninitial = \"mode\"\nmode = [3, 5]\n");
  expect_same_bits(wave + "precision = \"double\"\ninitial = \"noise\"\nboundary = \"periodic\"\n");
  expect_same_bits(wave + "initial = \"= sin(x / 5) * cos(y / 7)\"\ninitial_velocity = \"= exp(-r^2 / 50)\"\n");
  expect_same_bits(wave +
                   "initial = \"= noise(x / 5, y / 7)\"\n[solver.boundary]\nbottom = \"periodic\"\ntop = "
                   "\"periodic\"\n");
}

const std::string obstacles =
    "[[solver.obstacle]]\ncenter = [30, 96]\nradius = 20.5\nwall = \"free\"\n"
    "[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [10, 30]\nmax = [12, 70]\n"
    "[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [50, 0]\nmax = [52, 4]\nwall = \"free\"\n";
const std::string sources =
    "[[solver.source]]\nposition = [22.3, 63.6]\nfrequency = 0.08\n"
    "[[solver.source]]\nshape = \"line\"\npoints = [[55, 20], [60, 140]]\nmode = \"hard\"\nfrequency = 0.05\n"
    "[[solver.source]]\nshape = \"disk\"\nposition = [40, 128]\nradius = 5\nsignal = \"= cos(t / 3)\"\n";

TEST(RankedWave, Media) {
  for (const char* kernel : {"naive", "tiled"}) {
    const std::string keys = wave + fmt::format("kernel = \"{}\"\n", kernel);
    expect_same_bits(keys + rain + obstacles + sources);
    expect_same_bits(keys + "speed = \"= if(y > 70, 0.6, 1)\"\nboundary = \"periodic\"\n" + rain + obstacles + sources);
    // Layers that are wider than the slab of the last rank, and cross borders.
    expect_same_bits(keys + "boundary = \"absorbing\"\n[solver.absorber]\nwidth = 30\n" + rain + obstacles + sources);
    expect_same_bits(keys + rain +
                     "[solver.boundary]\nleft = \"absorbing\"\nbottom = \"free\"\ntop = \"absorbing\"\n"
                     "[solver.absorber]\nwidth = 40\n");
  }
}

// The scratch memory of a rank has room for as many threads as the executor has.
TEST(RankedWave, OnOneThread) {
  const Scene scene = scene_of(wave + rain + obstacles + sources);
  const Executor executor = Executor::cpu(1);
  const std::vector<Seen> expected = run(executor, *plan_solver(scene).create(executor), many);
  for (const int count : {2, 5})
    expect_same(run(executor, *plan_solver(scene, {count}).create(executor), many), expected, count);
}

// Slabs of few rows, thinner than what a pass of several steps reads. In a ring of two both neighbours of a rank are
// the same one.
TEST(RankedWave, ThinSlabs) {
  for (const char* boundary : {"fixed", "periodic"}) {
    const std::string keys = fmt::format("kind = \"wave\"\nboundary = \"{}\"\n", boundary);
    const std::string drops = "[solver.rain]\nrate = 5\n[[solver.droplet]]\nposition = [9, 32]\nradius = 8\n";
    expect_same_bits_on({1, 2}, keys + "grid = [67, 33]\n" + drops);
    expect_same_bits_on({1, 2, 3}, keys + "grid = [67, 65]\n" + drops);
  }
}

TEST(RankedWave, ATallTank) {
  expect_same_bits_on({1, 2, 3, 5}, "kind = \"wave\"\ngrid = [67, 1001]\nboundary = \"periodic\"\n" + rain, {12, 30});
  // Slabs that are tall enough for a halo of two passes.
  expect_same_bits_on({1, 2}, "kind = \"wave\"\ngrid = [35, 6241]\nboundary = \"absorbing\"\n" + rain, {12, 12, 30});
}

TEST(RankedWave, MovingSources) {
  expect_same_bits(wave +
                   "[[solver.source]]\nshape = \"disk\"\nradius = 6\nx = \"= 30 + 8 * sin(t)\"\ny = \"= 90 - 2 "
                   "* t\"\nfrequency = 0.1\n");
}

const std::string flow = "kind = \"lbm\"\ngrid = [67, 161]\nvelocity = 0.08\nviscosity = 0.02\n";
const std::string channel =
    "[solver.boundary]\nleft = \"inlet\"\nright = \"outlet\"\nbottom = \"wall\"\ntop = \"slip\"\n";
const std::string column =
    "[solver.boundary]\nleft = \"wall\"\nright = \"slip\"\nbottom = \"inlet\"\ntop = \"outlet\"\n";
const std::string bodies =
    "[[solver.obstacle]]\ncenter = [20, 96.3]\nradius = 11.4\n"
    "[[solver.obstacle]]\nshape = \"polygon\"\npoints = [[40, 20], [50, 70], [44, 68]]\n";
const std::string wheel = "[[solver.obstacle]]\ncenter = [33, 66]\nradius = 9.5\nrotation = 0.004\n";

TEST(RankedFlow, Channels) {
  for (const char* kernel : {"single", "auto"})
    for (const char* precision : {"float", "half", "double"}) {
      const std::string keys = flow + fmt::format("kernel = \"{}\"\nprecision = \"{}\"\n", kernel, precision);
      expect_same_bits(keys + "profile = \"parabolic\"\n" + channel + bodies);
    }
  expect_same_bits(flow + "collision = \"central\"\noutlet_layer = 40\n" + column + bodies + wheel);
  expect_same_bits(flow + "collision = \"mrt\"\noutlet = \"pressure\"\nprofile = \"parabolic\"\n" + column + wheel);
  expect_same_bits(flow + "kernel = \"split\"\ncollision = \"trt\"\ninitial = \"stream\"\n" + channel + bodies);
}

TEST(RankedFlow, PeriodicFlows) {
  expect_same_bits(flow + "initial = \"taylor_green\"\nforce = [1e-5, 2e-5]\n");
  expect_same_bits(flow + "initial = \"shear_layer\"\nprecision = \"half\"\ncollision = \"trt\"\n");
  expect_same_bits(flow + "force = [1e-5, 2e-5]\n[solver.boundary]\nbottom = \"periodic\"\ntop = \"periodic\"\n" +
                   bodies + "[[solver.obstacle]]\ncenter = [50, 0]\nradius = 8\nrotation = 0.003\n");
  // A curved wall between the rows 0 and 1: what lies on the other side of row 0 is beyond the side of the grid.
  expect_same_bits(flow + "initial = \"shear_layer\"\n[[solver.obstacle]]\ncenter = [30, 3.7]\nradius = 2.9\n");
  expect_same_bits(flow +
                   "[solver.boundary]\nleft = \"wall\"\nright = \"wall\"\nbottom = \"wall\"\ntop = "
                   "\"moving\"\n");
}

TEST(RankedFlow, ThinSlabs) {
  const std::string dye =
      "[solver.tracer]\ndiffusivity = 0.01\n[[solver.tracer.spot]]\nposition = [30, 32]\nradius = 6\n";
  for (const std::string& sides : {channel, std::string("initial = \"taylor_green\"\n")})
    for (const std::string& more : {std::string(), dye}) {
      const std::string keys = "kind = \"lbm\"\nvelocity = 0.05\nviscosity = 0.02\n";
      expect_same_bits_on({1, 2}, keys + "grid = [67, 33]\n" + sides + more);
      expect_same_bits_on({1, 2, 3}, keys + "grid = [67, 65]\n" + sides + more);
    }
}

// Saved with all that they know; they go from rank to rank, through periodic sides too, and begin on other ranks.
TEST(RankedFlow, Particles) {
  const std::string particles =
      "[[solver.particles]]\ncount = 400\nlife = 50\n[[solver.particles]]\nfrom = [1, 2]\nto = [60, 150]\ncount = 9\n"
      "every = 7\nlife = 30\n";
  expect_same_bits(flow + channel + bodies + particles);
  expect_same_bits(flow + "kernel = \"single\"\n" + column + bodies + particles);
  expect_same_bits(flow + "initial = \"taylor_green\"\nforce = [1e-5, 1e-3]\n" + particles);
}

// Temperatures of sides and obstacles, with dye, particles, a force over space, an inlet and an outlet.
TEST(RankedFlow, Heat) {
  const std::string layer = "kind = \"lbm\"\ngrid = [67, 161]\nvelocity = 0.08\n[solver.heat]\nrayleigh = 1e6\n";
  const std::string warm = "[[solver.obstacle]]\ncenter = [20, 96.3]\nradius = 11.4\ntemperature = 2\n";
  const std::string dye = "[solver.tracer]\ndiffusivity = 0.01\nbands = 5\n";
  expect_same_bits(layer);
  expect_same_bits(layer + "bottom_flux = 0.01\ntop = \"cold\"\n" + warm + dye + "[[solver.particles]]\ncount = 40\n");
  expect_same_bits(layer +
                   "initial = \"= noise(x / 9, y / 9)\"\n[solver.boundary]\nbottom = \"periodic\"\ntop = "
                   "\"periodic\"\n[solver.force]\nx = \"= 1e-5 * sin(y / 9)\"\n" +
                   warm);
  expect_same_bits(flow + "[solver.heat]\nrayleigh = 1e4\n" + channel + warm + wheel);
  expect_same_bits(flow + "precision = \"double\"\n[solver.heat]\nrayleigh = 1e4\n" + column + warm);
}

// Three rows of halo a step, over sides of every kind that two phases have.
TEST(RankedFlow, Phases) {
  const std::string drop =
      "gravity = 2e-5\ncontact_angle = 60\n[[solver.phases.drop]]\ncenter = [20, 96.3]\nradius = 15\nvelocity = [0.01, "
      "-0.03]\n";
  const std::string flow = "kind = \"lbm\"\ngrid = [67, 161]\n[solver.phases]\n", drops = flow + "level = 30\n" + drop;
  expect_same_bits(drops);
  expect_same_bits(flow + drop + "[solver.boundary]\nbottom = \"periodic\"\ntop = \"periodic\"\n");
  expect_same_bits(drops + "[solver.boundary]\nleft = \"slip\"\nright = \"wall\"\ntop = \"moving\"\n");
}

TEST(RankedFlow, ATallChannel) {
  expect_same_bits_on({1, 2, 3, 5},
                      "kind = \"lbm\"\ngrid = [67, 1001]\nvelocity = 0.08\nviscosity = 0.02\n" + channel + bodies,
                      {12, 30});
  expect_same_bits_on(
      {1, 2}, "kind = \"lbm\"\ngrid = [67, 2117]\nvelocity = 0.08\nviscosity = 0.02\n" + channel + bodies, {3, 30});
}

const std::string forces = "force = {x = \"= 1e-5 * sin(2*pi*t/17)\", y = \"= 1e-5 * sin(x / 9) * cos(y / 7)\"}\n";
const std::string drives = forces + "profile = \"= 1 + 0.3 * sin(2*pi*(t/13 + y/ny))\"\n";
const std::string swing = "[[solver.obstacle]]\ncenter = [33, 66]\nradius = 9.5\nrotation = 0.004\nperiod = 23\n";

// Grids whose slabs take two steps a pass, and what changes with every step.
TEST(RankedFlow, TwoStepsAPass) {
  const std::string wide = "kind = \"lbm\"\ngrid = [1531, 170]\nvelocity = 0.05\n";
  expect_same_bits_on({1, 2}, wide + "initial = \"uniform\"\n" + channel + bodies);
  expect_same_bits_on({1, 2}, wide + "viscosity = 0.02\nramp = 30\n" + drives + channel + bodies + swing);
}

// Forces over space and over time, a profile at an inlet that borders cut, a first state, circles that swing, curved
// walls.
TEST(RankedFlow, Drives) {
  const std::string initial = "initial_ux = \"= 0.02 * sin(y / 9)\"\ninitial_uy = \"= 0.02 * cos(x / 7 + y / 11)\"\n";
  for (const char* keys : {"precision = \"float\"\n", "precision = \"half\"\n", "kernel = \"split\"\n"}) {
    expect_same_bits(flow + keys + initial + forces);
    expect_same_bits(flow + keys + drives + channel + bodies + swing);
  }
  expect_same_bits(flow + "profile = \"= 1 - (x / nx - 0.5)^2\"\n" + initial + column + swing);
  expect_same_bits(flow + "walls = \"curved\"\ncollision = \"central\"\n" + drives + channel + bodies + swing);
}

TEST(RankedFlow, Dye) {
  const std::string view = "[view]\nfield = \"tracer\"\n";
  const std::string dye =
      "[solver.tracer]\ndiffusivity = 0.01\n[[solver.tracer.spot]]\nposition = [10, 64]\nradius "
      "= 5\n[[solver.tracer.spot]]\nposition = [50, 127]\nradius = 7\n";
  expect_same_bits(flow + channel + bodies + dye + view);
  expect_same_bits(flow + "initial = \"shear_layer\"\n" + dye + view);
  expect_same_bits(flow + "kernel = \"split\"\n" + channel + dye + view);
}

// Ranks that share a GPU, and halos of several passes. A GPU leaves other numbers in the gaps between the rows of a
// checkpoint, so a run on the CPU goes on from that.
void expect_the_bits_of_the_cpu(const std::string& solver) {
  SCOPED_TRACE(solver);
  const Scene scene = scene_of(solver);
  const Executor cpu = Executor::cpu(2), gpu = Executor::cuda();
  const auto seen = [](const Executor& executor, Solver& of) {
    std::vector<Seen> all = run(executor, of, many);
    for (Seen& one : all) one.saved.clear();
    return all;
  };
  const std::unique_ptr<Solver> alone = plan_solver(scene).create(cpu);
  const std::vector<Seen> expected = seen(cpu, *alone);
  alone->step(many.back());
  for (const int count : {2, 3}) {
    const Ranks ranks{count, "", std::vector<int>(static_cast<std::size_t>(count), 0)};
    const std::unique_ptr<Solver> ranked = plan_solver(scene, ranks).create(gpu);
    expect_same(seen(gpu, *ranked), expected, count);
    Checkpoint saved;
    ranked->save(saved);
    const std::unique_ptr<Solver> resumed = plan_solver(scene).create(cpu);
    resumed->load(saved);
    resumed->step(many.back());
    EXPECT_TRUE(look(cpu, *resumed).views == look(cpu, *alone).views) << "loaded after " << count << " ranks";
  }
}
TEST(RankedOnAGpu, HasTheBitsOfTheCpu) {
  SKIP_WITHOUT_GPU();
  const std::string tank = "kind = \"wave\"\ngrid = [131, 1601]\n";
  for (const char* kernel : {"naive", "tiled"})
    expect_the_bits_of_the_cpu(tank + fmt::format("kernel = \"{}\"\n", kernel) + rain + obstacles + sources);
  expect_the_bits_of_the_cpu(tank + "boundary = \"periodic\"\n" + rain);
  expect_the_bits_of_the_cpu(tank + "boundary = \"absorbing\"\n" + rain);
  for (const char* precision : {"float", "half", "double"})
    expect_the_bits_of_the_cpu(
        fmt::format("kind = \"lbm\"\ngrid = [131, 1601]\nvelocity = 0.08\nviscosity = 0.02\nprecision = \"{}\"\n",
                    precision) +
        channel + bodies + wheel);
  expect_the_bits_of_the_cpu("kind = \"lbm\"\ngrid = [1531, 1601]\ninitial = \"shear_layer\"\nvelocity = 0.05\n");
  // Two steps a pass where all that drives a flow changes with every step.
  expect_the_bits_of_the_cpu("kind = \"lbm\"\ngrid = [1531, 1601]\nvelocity = 0.05\nviscosity = 0.02\nramp = 30\n" +
                             drives + channel + bodies + swing);
  expect_the_bits_of_the_cpu("kind = \"lbm\"\ngrid = [131, 1601]\nvelocity = 0.08\nviscosity = 0.02\n" + channel +
                             bodies + "[solver.tracer]\nstripes = 9\n[view]\nfield = \"tracer\"\n");
  expect_the_bits_of_the_cpu("kind = \"nbody\"\nbodies = 1000\ninitial = \"plummer\"\n");
}

TEST(RankedBodies, DirectSums) {
  const std::string cluster = "kind = \"nbody\"\nbodies = 650\ninitial = \"plummer\"\n";
  const auto expect_same = [&](const std::string& keys) { expect_same_bits_on({1, 2, 3, 5}, cluster + keys, few); };
  for (const char* kernel : {"naive", "tiled", "symmetric"}) expect_same(fmt::format("kernel = \"{}\"\n", kernel));
  for (const char* kernel : {"naive", "tiled"})
    expect_same(fmt::format("precision = \"double\"\nkernel = \"{}\"\n", kernel));
  expect_same("integrator = \"rk4\"\n");
  expect_same("integrator = \"euler\"\ndamping = 0.99\nprecision = \"fast\"\n");
}

// Eight tiles, the last one not full, on numbers of ranks that do not divide them.
TEST(RankedBodies, UnevenShares) {
  const std::string thousand = "kind = \"nbody\"\nbodies = 1000\ninitial = \"plummer\"\n";
  for (const char* kernel : {"tiled", "symmetric"})
    expect_same_bits_on({1, 2, 3, 5, 7, 8}, thousand + fmt::format("kernel = \"{}\"\n", kernel), {1});
}

// Groups of bodies are fewer than ranks at first, and many at last.
TEST(RankedBodies, Trees) {
  const std::string tree = "kind = \"nbody\"\nmethod = \"tree\"\ninitial = \"plummer\"\n";
  expect_same_bits_on({1, 2, 3, 5}, tree + "bodies = 650\n", few);
  expect_same_bits_on({1, 2, 3, 5}, tree + "bodies = 9000\nintegrator = \"rk4\"\naccuracy = \"coarse\"\n", few);
  expect_same_bits_on({1, 3}, tree + "bodies = 9000\naccuracy = \"fine\"\ndamping = 0.99\nprecision = \"fast\"\n", few);
}

// A step that is given up is given up by all ranks.
void expect_to_stop_together(const std::string& method) {
  const Scene scene = scene_of("kind = \"nbody\"\nbodies = 4500\nmethod = \"" + method + "\"\n");
  const Executor executor = Executor::cpu(2);
  const std::unique_ptr<Solver> one = plan_solver(scene).create(executor);
  const std::unique_ptr<Solver> ranked = plan_solver(scene, {3}).create(executor);
  for (Solver* solver : {one.get(), ranked.get()}) solver->step(1);
  ranked->stop_when([] { return true; });
  ranked->step(1);
  EXPECT_EQ(ranked->steps_done(), 1);
  ranked->stop_when({});
  for (Solver* solver : {one.get(), ranked.get()}) solver->step(1);
  EXPECT_EQ(ranked->steps_done(), 2);
  EXPECT_TRUE(test::packed(executor, ranked->view("")) == test::packed(executor, one->view("")));
}
TEST(RankedBodies, StopTogether) {
  for (const char* method : {"direct", "tree"}) expect_to_stop_together(method);
}

std::string error_of(const std::string& solver, const Ranks& ranks) {
  return test::thrown([&] { plan_solver(scene_of(solver), ranks); });
}

TEST(Ranked, SaysWhatItCannotDo) {
  EXPECT_EQ(
      error_of("kind = \"wave\"\ngrid = [500, 65]\n", {4, "--ranks 4"}),
      "--ranks 4: grids are divided at multiples of 32 rows, so this one of 500 x 65 runs on 3 ranks at most; take "
      "fewer");
  EXPECT_EQ(error_of("kind = \"wave\"\ngrid = [500, 65]\n", {3, "--ranks 3"}), "");
  EXPECT_EQ(error_of("kind = \"nbody\"\nbodies = 200\n", {3, "--ranks 3"}),
            "--ranks 3: bodies are divided in groups of 128, so 200 bodies run on 2 ranks at most; take fewer");
}

// Meets the other ranks in every step, and fails on one of them.
class Failing final : public Solver {
 public:
  Failing(const Communicator& ranks, int rank, std::int64_t at) : ranks_(ranks), fails_(ranks.rank() == rank), at_(at) {
    if (fails_ && at_ == 0) throw UsageError("no such file");
  }
  void step(std::int64_t count) override {
    for (std::int64_t i = 0; i < count; ++i) {
      if (fails_ && steps_done_ + 1 == at_) throw RuntimeError("the disk is full");
      ranks_.meet();
      ++steps_done_;
    }
  }
  std::span<const FieldInfo> fields() const override { return {}; }
  View view(std::string_view) override { return {}; }
  bool finite() override { return true; }
  void save(Checkpoint&) const override {}
  void load(const Checkpoint&) override {}

 private:
  const Communicator& ranks_;
  bool fails_;
  std::int64_t at_;
};

// The error of a rank ends the others, which wait for it, and reaches the caller with its kind and the rank's number.
TEST(Ranked, ErrorsOfARankReachTheCaller) {
  const Executor executor = Executor::cpu(2);
  const auto make = [&](int rank, std::int64_t at) {
    SolverPlan plan;
    plan.max_ranks = 3;
    plan.create_rank = [=](const Executor&, const Communicator& ranks) -> std::unique_ptr<Solver> {
      return std::make_unique<Failing>(ranks, rank, at);
    };
    spread(plan, Scene(), {3, "--ranks 3"});
    return plan.create(executor);
  };
  for (const int rank : {0, 1, 2}) {
    const std::string text = rank == 0 ? "the disk is full" : fmt::format("rank {}: the disk is full", rank);
    const std::unique_ptr<Solver> solver = make(rank, 5);
    solver->step(4);
    const auto error_in = [&](const auto& call) -> std::string { return test::thrown<RuntimeError>([&] { call(); }); };
    EXPECT_EQ(error_in([&] { solver->step(10); }), text);
    EXPECT_EQ(error_in([&] { solver->finite(); }), text);  // and stays
    EXPECT_THROW(make(rank, 0), UsageError);
  }
}

// The parts of all ranks take little more than the whole: halos, and the field where it is needed in one piece.
TEST(Ranked, PlansTheMemoryOfAllRanks) {
  const Scene scene = scene_of("kind = \"wave\"\ngrid = [1000, 3200]\nkernel = \"naive\"\n");
  const Executor executor = Executor::cpu(2);
  const double one = static_cast<double>(plan_solver(scene).bytes(executor));
  const SolverPlan plan = plan_solver(scene, {4});
  const double four = static_cast<double>(plan.bytes(executor));
  EXPECT_GT(four, 1.005 * one);
  EXPECT_LT(four, 1.05 * one);
  const auto shown = [&](const ViewRequirements& fields) {
    return static_cast<double>(plan.shown_bytes(executor, fields)) / one;
  };
  EXPECT_EQ(shown({}), 0);
  EXPECT_GT(shown({.whole = true}), 0.25);
  EXPECT_LT(shown({.whole = true}), 0.4);
  EXPECT_LT(shown({.picture = Size{16, 16}}), 4 * (means_scratch_bytes(1000) + (4 << 20)) / one);
  const ViewRequirements picture{.picture = Size{500, 1600}};  // of which the first has two
  EXPECT_GT(plan.part_shown_bytes(0, 4, picture), 2 * 500 * 1600 * (sizeof(Color) + sizeof(DeepColor)));
  EXPECT_LT(plan.part_shown_bytes(1, 4, picture), plan.part_shown_bytes(0, 4, picture) / 2);
  EXPECT_EQ(plan.shown_bytes(executor, {.whole = true}),
            plan.part_shown_bytes(0, 4, {.whole = true}) + 3 * plan.part_shown_bytes(1, 4, {.whole = true}));
  EXPECT_EQ(plan_solver(scene).shown_bytes(executor, {.whole = true}), 0u);
}

// Where rank 0 needs the whole field in addition to its part, a fifth of the memory is too little for any number of
// ranks.
TEST(Ranked, SaysOnHowManyRanksItFits) {
  const Scene scene = scene_of("kind = \"wave\"\ngrid = [10000, 3200]\nkernel = \"naive\"\n");
  const Executor executor = Executor::cpu(2);
  const SolverPlan plan = plan_solver(scene);
  const std::size_t whole = plan.bytes(executor);
  const ViewRequirements nothing, all{.whole = true}, picture{.picture = Size{1600, 512}};
  EXPECT_EQ(ranks_that_fit(plan, executor, nothing, whole, 0), 1);
  EXPECT_EQ(ranks_that_fit(plan, executor, nothing, whole, 1), 2);
  const std::size_t part = plan.part_bytes(executor, 0, 5) + plan.part_shown_bytes(0, 5, all) + 1000;
  EXPECT_EQ(ranks_that_fit(plan, executor, all, part, 1000), 5);
  EXPECT_EQ(ranks_that_fit(plan, executor, all, part, 0), 5);
  EXPECT_EQ(ranks_that_fit(plan, executor, all, part - 1, 1000), 6);
  EXPECT_EQ(ranks_that_fit(plan, executor, all, whole / 5, 0), 0);
  EXPECT_EQ(ranks_that_fit(plan, executor, picture, whole / 5, 0), 7);
  EXPECT_EQ(ranks_that_fit(plan_solver(scene, {3}), executor, all, part, 1000), 5);
  const SolverPlan cluster = plan_solver(scene_of("kind = \"nbody\"\nbodies = 5000\n"));
  EXPECT_EQ(ranks_that_fit(cluster, executor, all, cluster.bytes(executor) / 2, 0), 0);
}

}  // namespace
}  // namespace simreel
