// What the loop may ask of every source.

#include "source/source.h"

#include "base/error.h"
#include "source/solver.h"
#include "tests/support/backends.h"
#include "tests/support/shown.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

Scene scene_of(const std::string& keys, const std::string& field = "") {
  return parse_scene("[solver]\n" + keys + (field.empty() ? "" : "[view]\nfield = \"" + field + "\"\n") +
                         "[animation]\nframes = 10\nsteps_per_frame = 7\nstart = 100\n",
                     "x.toml");
}

const std::string wave = "kind = \"wave\"\ngrid = [48, 27]\ntimestep = 0.25\n[[solver.droplet]]\n";
const std::string flow =
    "kind = \"lbm\"\ngrid = [64, 32]\ninitial = \"taylor_green\"\nvelocity = 0.05\n[solver.boundary]\nbottom = "
    "\"periodic\"\ntop = \"periodic\"\n";
const std::string bodies = "kind = \"nbody\"\nbodies = 100\ntimestep = 0.125\n";

std::vector<std::byte> shown(const Executor& executor, Source& source, std::string_view field) {
  return test::packed(executor, source.view(field));
}

void go_to(Source& source, std::int64_t frame) {
  while (source.work_to(frame) > 0) source.advance_towards(frame);
}

TEST(Source, GoesToTheStepsOfTheFrames) {
  const Executor executor = Executor::cpu(2);
  for (const std::string& keys : {wave, flow, bodies}) {
    const SolverPlan plan = plan_solver(scene_of(keys));
    const std::unique_ptr<Source> source = plan.open(executor);
    EXPECT_EQ(source->work_to(0), 100);
    for (const std::int64_t frame : {0, 1, 4}) {
      go_to(*source, frame);
      EXPECT_EQ(source->work_to(frame), 0);
      EXPECT_EQ(source->steps_done(), 100 + 7 * frame);
      EXPECT_EQ(source->time(), static_cast<double>(source->steps_done()) * plan.timestep);
    }
    EXPECT_EQ(source->work_to(5), 7);
    EXPECT_EQ(plan.frame_interval, 7 * plan.timestep);
    EXPECT_EQ(source->diagnose().size(), plan.diagnostics.size());
    EXPECT_TRUE(source->resumable());
    EXPECT_FALSE(source->frames());
  }
}

TEST(Source, ListsNoTimesOfASolver) {
  const std::string frames = "[animation]\nframes = 100\nspeed = [[0, 1], [2, 0.5]]\n";
  for (const std::string& keys : {wave, flow, bodies})
    EXPECT_TRUE(plan_solver(parse_scene("[solver]\n" + keys + frames, "x.toml")).times.empty());
}

// Every field can be shown at any time, whatever [view] names, and the bits are those of a run that shows it alone.
TEST(Source, ShowsEveryFieldAtAnyTime) {
  const Executor executor = Executor::cpu(2);
  for (const std::string& keys : {wave, flow + "[solver.tracer]\nbands = 2\n"}) {
    const std::string viewed = keys == wave ? "height" : "tracer";
    const std::unique_ptr<Source> all = plan_solver(scene_of(keys, viewed)).open(executor);
    for (const std::int64_t frame : {0, 2}) {
      go_to(*all, frame);
      for (const FieldInfo& field : all->fields()) {
        const std::unique_ptr<Source> one = plan_solver(scene_of(keys, std::string(field.name))).open(executor);
        go_to(*one, frame);
        EXPECT_TRUE(shown(executor, *all, field.name) == shown(executor, *one, field.name)) << field.name;
      }
    }
  }
}

TEST(Source, NamesItsFields) {
  const Executor executor = Executor::cpu(1);
  const auto names = [&](const std::string& keys, const std::string& field) {
    std::vector<std::string_view> found;
    const auto source = plan_solver(scene_of(keys, field)).open(executor);
    for (const FieldInfo& info : source->fields()) found.push_back(info.name);
    return found;
  };
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(names(wave, "velocity"), (Names{"height", "velocity"}));
  EXPECT_EQ(names(flow, ""), (Names{"speed", "ux", "uy", "vorticity", "density"})) << "no dye is carried along";
  EXPECT_EQ(names(flow, "tracer"), (Names{"speed", "ux", "uy", "vorticity", "density", "tracer"}));
  EXPECT_EQ(names(bodies, ""), (Names{"density", "speed", "mass", "group"}));
  EXPECT_EQ(plan_solver(scene_of(flow)).field, "speed");
  EXPECT_EQ(plan_solver(scene_of(flow, "uy")).field, "uy");
}

TEST(Source, StatesHoldTheNamedFields) {
  const auto plan = [](const std::string& keys, const std::string& fields) {
    return plan_solver(parse_scene("[solver]\n" + keys + "[output]\nfields = " + fields + "\n", "x.toml"));
  };
  EXPECT_EQ(plan_solver(scene_of(flow, "uy")).state_fields, std::vector<std::string>{"uy"});
  const SolverPlan named = plan(flow, "[\"density\", \"ux\"]");
  EXPECT_EQ(named.state_fields, (std::vector<std::string>{"density", "ux"}));
  EXPECT_EQ(named.field, "speed");
  const Executor executor = Executor::cpu(1);
  const std::unique_ptr<Source> dyed = plan(flow, "[\"tracer\"]").open(executor);
  EXPECT_EQ(dyed->fields().back().name, "tracer") << "dye is carried along for a state, too";
  const auto error = [&](const std::string& keys, const std::string& fields) -> std::string {
    return test::thrown([&] { plan(keys, fields); });
  };
  EXPECT_TRUE(test::says(error(flow, "[\"ux\", \"desnity\"]"), "did you mean \"density\"?"));
  EXPECT_TRUE(error(flow, "[\"ux\", \"desnity\"]").starts_with("x.toml:")) << error(flow, "[\"desnity\"]");
  EXPECT_TRUE(test::says(error(flow, "[]"), "empty"));
  EXPECT_TRUE(test::says(error(flow, "[\"ux\", \"ux\"]"), "twice"));
  EXPECT_TRUE(test::says(error(flow, "\"ux\""), "array of texts"));
  EXPECT_TRUE(test::says(error(flow, "[\"ux\", 1]"), "array of texts"));
  EXPECT_TRUE(test::says(error(bodies, "[\"speed\"]"), "leave the key out"));
}

TEST(Source, RefusesAFieldThatItHasNot) {
  const Executor executor = Executor::cpu(1);
  const auto error = [&](const std::string& keys, std::string_view field) -> std::string {
    return test::thrown([&] { plan_solver(scene_of(keys)).open(executor)->view(field); });
  };
  EXPECT_EQ(error(wave, "velocty"),
            "there is no field \"velocty\"; choose from: height, velocity; did you mean \"velocity\"?");
  EXPECT_TRUE(test::says(error(flow, "tracer"), "vorticity"));
  EXPECT_TRUE(test::says(error(bodies, "density2"), "group"));
  EXPECT_EQ(error(bodies, "density"), "");
}

}  // namespace
}  // namespace simreel
