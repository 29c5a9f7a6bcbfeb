#include "run/render_loop.h"

#include <new>

#include "base/error.h"
#include "run/memory.h"
#include "source/solver.h"
#include "tests/support/backends.h"
#include "tests/support/forwarded_source.h"
#include "tests/support/places.h"
#include "tests/support/recorder.h"

namespace simreel {
namespace {

struct Rendered {
  test::Recorder::Record record;
  RenderResult result;
};

Rendered run(
    const Scene& scene, const Executor& executor, const std::function<int()>& interrupted = [] { return 0; },
    test::Recorder::Asks asks = test::Recorder::Asks::pixels) {
  Rendered run;
  PreparedRun prepared(scene, plan_solver(scene), executor, test::Recorder::into(run.record, scene.view.size, asks));
  run.result = render({.run = prepared, .interrupted = interrupted});
  return run;
}

Rendered run(const Scene& scene) {
  Executor executor = Executor::cpu(2);
  return run(scene, executor);
}

Scene small_scene(const std::string& rest) {
  return parse_scene("[solver]\nkind = \"wave\"\ngrid = [32, 18]\ntimestep = 0.5\n[view]\nsize = [32, 18]\n" + rest,
                     "small.toml");
}

TEST(Render, ShowsTheStateAtStartAndThenEveryFewSteps) {
  const Rendered rendered =
      run(small_scene("range = [-1, 1]\n[animation]\nframes = 4\nsteps_per_frame = 3\nstart = 5\n"));
  ASSERT_EQ(rendered.record.frames.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(rendered.record.diagnostics[i][0], 5.0 + 3.0 * static_cast<double>(i));
  EXPECT_TRUE(rendered.record.finished);
  EXPECT_EQ(rendered.result.frames, 4);
  EXPECT_EQ(rendered.result.steps, 14);
  EXPECT_FALSE(rendered.result.diverged);
}

TEST(Render, FindsTheRangeOfTheFirstFrameAndOfAll) {
  const std::string animation =
      "[animation]\nframes = 20\nsteps_per_frame = 4\n[solver.rain]\nrate = 1\namplitude = 0.5\n";
  const Interval first = run(small_scene("range = \"first\"\n" + animation)).result.range;
  const Interval global = run(small_scene("range = \"global\"\n" + animation)).result.range;
  EXPECT_LT(first.low, 0);  // at rest the range has no extent and is widened about 0
  EXPECT_GT(first.high, 0);
  EXPECT_EQ(-first.low, first.high);
  double highest = 0;
  for (const auto& row : run(small_scene("range = [-1, 1]\n" + animation)).record.diagnostics)
    highest = std::max(highest, row[3]);
  EXPECT_EQ(std::max(-global.low, global.high), highest);
}

// Forces between many bodies on the CPU take seconds: an interrupt during them ends the run before the step is done.
TEST(Render, AnInterruptEndsAStepThatTakesLong) {
  const Executor executor = Executor::cpu(2);
  const Scene scene = parse_scene(
      "[solver]\nkind = \"nbody\"\nbodies = 8192\n[view]\nsize = [32, 18]\n[animation]\nframes = 3\n", "b.toml");
  std::atomic<int> asked = 0;
  const Rendered rendered = run(scene, executor, [&] { return ++asked > 10 ? 2 : 0; });
  EXPECT_EQ(rendered.result.signal, 2);
  EXPECT_EQ(rendered.result.steps, 0);
  EXPECT_LE(rendered.result.frames, 1);
}

// Not that of the frames whose values grow without end.
TEST(Render, AGlobalRangeIsThatOfTheFramesBeforeADivergence) {
  const std::string diverging =
      "[animation]\nframes = 30\n[[solver.droplet]]\n[[solver.droplet]]\ntime = 20\namplitude = 3e38\n";
  const Rendered whole = run(small_scene("range = \"global\"\n" + diverging));
  EXPECT_TRUE(whole.result.diverged);
  double highest = 0, beyond = 0;
  for (const auto& row : whole.record.diagnostics) (row[3] < 1e30 ? highest : beyond) = std::max(highest, row[3]);
  EXPECT_EQ(std::max(-whole.result.range.low, whole.result.range.high), highest);
  EXPECT_GT(beyond, 1e38);
}

TEST(Render, StopsBeforeTheFrameThatDiverged) {
  const Rendered stopped =
      run(small_scene("range = [-1, 1]\n[animation]\nframes = 100\n[[solver.droplet]]\namplitude = "
                      "1e30\n[[solver.droplet]]\ntime = 20\namplitude = 3e38\n"));
  EXPECT_TRUE(stopped.result.diverged);
  EXPECT_TRUE(stopped.record.finished);
  EXPECT_EQ(stopped.result.frames, static_cast<std::int64_t>(stopped.record.frames.size()));
  EXPECT_NEAR(static_cast<double>(stopped.result.frames), 11, 1);  // the second droplet falls at step 40, frame 10
  for (const auto& row : stopped.record.diagnostics) EXPECT_LT(row[3], INFINITY);
}

// Fails in one of its functions once it has advanced to frame 2.
class Failing final : public test::ForwardedSource {
 public:
  Failing(std::unique_ptr<Source> source, std::string_view where, bool of_memory)
      : ForwardedSource(std::move(source)), where_(where), of_memory_(of_memory) {}

  View view(std::string_view field) override { return fail_in("view"), ForwardedSource::view(field); }
  std::vector<double> diagnose() override { return fail_in("diagnose"), ForwardedSource::diagnose(); }
  bool finite() override { return fail_in("finite"), ForwardedSource::finite(); }

 private:
  void fail_in(std::string_view function) const {
    if (function != where_ || work_to(2) > 0) return;
    if (of_memory_) throw std::bad_alloc();
    throw RuntimeError("the device failed");
  }
  std::string_view where_;
  bool of_memory_;
};

TEST(Render, FinishesTheFramesBeforeAFailureOfTheSource) {
  const Scene scene = small_scene("range = [-1, 1]\n[animation]\nframes = 9\nsteps_per_frame = 3\n");
  const Executor executor = Executor::cpu(2);
  for (const auto& [where, of_memory] :
       {std::pair{"view", false}, {"diagnose", false}, {"finite", false}, {"view", true}}) {
    SolverPlan plan = plan_solver(scene);
    plan.open = [&, open = plan.open](const Executor& on) {
      return std::make_unique<Failing>(open(on), where, of_memory);
    };
    test::Recorder::Record record;
    PreparedRun run(scene, plan, executor, test::Recorder::into(record, scene.view.size));
    try {
      render({.run = run});
      ADD_FAILURE() << where;
    } catch (const RuntimeError& error) {
      EXPECT_STREQ(error.what(), "the device failed") << where;
    } catch (const std::bad_alloc&) {
      EXPECT_TRUE(of_memory);
    }
    EXPECT_EQ(record.frames.size(), 2u) << where;
    EXPECT_TRUE(record.finished) << where;
  }
}

TEST(Render, ASignalEndsItAfterAFinishedFrame) {
  int asked = 0;
  Executor executor = Executor::cpu(1);
  const Rendered ended = run(small_scene("range = [-1, 1]\n[animation]\nframes = 100000\n"), executor,
                             [&] { return ++asked > 50 ? 15 : 0; });
  EXPECT_EQ(ended.result.signal, 15);
  EXPECT_TRUE(ended.record.finished);
  EXPECT_GT(ended.record.frames.size(), 0u);
  EXPECT_EQ(ended.result.frames, static_cast<std::int64_t>(ended.record.frames.size()));
}

// Only there a deadline may end the process (commands/interrupt.h).
TEST(Render, TellsWhenItsSourceWorks) {
  bool in_step = true;  // before the first step nothing waits for the end of the process, either
  struct Watched : test::ForwardedSource {
    Watched(std::unique_ptr<Source> source, const bool& in_step)
        : ForwardedSource(std::move(source)), in_step_(in_step) {}
    void advance_towards(std::int64_t frame) override {
      EXPECT_TRUE(in_step_);
      ForwardedSource::advance_towards(frame);
    }
    View view(std::string_view field) override {
      EXPECT_TRUE(in_step_);
      return ForwardedSource::view(field);
    }
    std::vector<double> diagnose() override {
      EXPECT_TRUE(in_step_);
      return ForwardedSource::diagnose();
    }
    const bool& in_step_;
  };
  const Scene scene = small_scene("range = \"global\"\n[animation]\nframes = 3\n");
  SolverPlan plan = plan_solver(scene);
  int opened = 0;
  plan.open = [&, open = plan.open](const Executor& on) -> std::unique_ptr<Source> {
    EXPECT_TRUE(in_step);
    ++opened;
    return std::make_unique<Watched>(open(on), in_step);
  };
  const Executor executor = Executor::cpu(1);
  test::Recorder::Record record;
  PreparedRun run(scene, plan, executor, test::Recorder::into(record, scene.view.size));
  render({.run = run,
          .report = [&](const RenderProgress&) { EXPECT_FALSE(in_step); },
          .in_step = [&](bool now) { return std::exchange(in_step, now); }});
  EXPECT_EQ(opened, 2);  // of the range, and of the frames
  EXPECT_FALSE(in_step);
}

TEST(Render, ALogScaleIsRefusedAtTheFirstFrameThatDoesNotFitIt) {
  Scene scene = small_scene("range = \"global\"\n[animation]\nframes = 100\n");
  const SolverPlan plan = plan_solver(scene);
  scene.view.scale = Scale::log;  // plan_solver would refuse it for fields with both signs
  const Executor executor = Executor::cpu(1);
  test::Recorder::Record record;
  int frames_looked_at = 0;
  const auto count = [&](const RenderProgress&) { ++frames_looked_at; };
  PreparedRun run(scene, plan, executor, test::Recorder::into(record, scene.view.size));
  EXPECT_THROW(render({.run = run, .report = count}), UsageError);
  EXPECT_LE(frames_looked_at, 1);
}

TEST(Render, EstimatesItsMemory) {
  const Scene scene = small_scene("");
  const SolverPlan plan = plan_solver(scene);
  const Executor two = Executor::cpu(2), four = Executor::cpu(4);
  const RenderMemory memory = render_memory(scene, plan, two, {{PixelLayout::rgb}, 1000});
  EXPECT_GE(memory.executor, 1000 + 4u * 32 * 18 * 4 + 5u * 32 * 18 * 3);
  EXPECT_EQ(memory.host, 0u);
  EXPECT_GT(render_memory(scene, plan, four, {{PixelLayout::rgb}, 1000}).executor,
            memory.executor);  // scratch a thread
  SolverPlan outlined = plan;
  outlined.grid.outlined = true;
  EXPECT_EQ(render_memory(scene, outlined, two, {{PixelLayout::rgb}, 1000}).executor, memory.executor + 32 * 18);
}

TEST(Gpu, MemoryIsThatOfTheDeviceAndOfTheHost) {
  SKIP_WITHOUT_GPU();
  const Scene scene = small_scene("");
  const RenderMemory memory = render_memory(scene, plan_solver(scene), Executor::cuda(), {{PixelLayout::rgb}, 1000});
  EXPECT_GE(memory.executor, 4u * 32 * 18 * 4 + 4u * 32 * 18 * 3);
  EXPECT_GE(memory.host, 1000 + 4u * 32 * 18 * 3);
}

class CountedViews final : public test::ForwardedSource {
 public:
  CountedViews(std::unique_ptr<Source> source, std::map<std::string, int>& counts)
      : ForwardedSource(std::move(source)), counts_(counts) {}

  View view(std::string_view field) override { return ++counts_[std::string(field)], ForwardedSource::view(field); }

 private:
  std::map<std::string, int>& counts_;
};

// On several ranks each view is gathered.
TEST(Render, FetchesEachViewOnceAFrame) {
  using Counts = std::map<std::string, int>;
  const std::string flow =
      "[solver]\nkind = \"lbm\"\ngrid = [96, 64]\nviscosity = 0.02\n[[solver.obstacle]]\nradius = 6\n"
      "[animation]\nframes = 3\n[output]\nfields = [\"ux\", \"speed\", \"vorticity\"]\n"
      "[view]\nrange = \"first\"\nfield = \"speed\"\n";
  const std::string large = "size = [240, 160]\n", small = "size = [48, 32]\n", arrows = "[figure]\narrows = 8\n";
  const Executor executor = Executor::cpu(2);
  const auto run = [&](const std::string& view, int ranks, const std::vector<std::string>& names) {
    const test::Folder folder;
    Scene scene = parse_scene(flow + view, "flow.toml");
    complete_scene(scene);
    SolverPlan plan = plan_solver(scene, {.count = ranks, .option = "--ranks 2"});
    Counts counts;
    plan.open = [&, open = plan.open](const Executor& on) { return std::make_unique<CountedViews>(open(on), counts); };
    std::vector<std::string> outputs;
    for (const std::string& name : names) outputs.push_back(folder / name);
    PreparedRun prepared(scene, plan, executor, {.outputs = outputs});
    prepared.open_outputs();
    render({.run = prepared});
    return counts;
  };
  const std::vector<std::string> picture = {"x.hashes"}, state = {"%d.npz"}, both = {"x.hashes", "%d.npz"};
  const Counts fields = {{"ux", 3}, {"speed", 3}, {"vorticity", 3}};
  const Counts all = {{"ux", 3}, {"uy", 3}, {"speed", 3}, {"vorticity", 3}};
  for (const int ranks : {1, 2}) {
    EXPECT_EQ(run(large + arrows, ranks, both), all) << ranks;
    EXPECT_EQ(run(large, ranks, picture), (Counts{{"speed", 3}})) << ranks;
    EXPECT_EQ(run(small, ranks, both), fields) << ranks;
    EXPECT_EQ(run(small, ranks, state), fields) << ranks;
  }
  EXPECT_EQ(run(small, 2, picture), Counts()) << "ranks draw their parts";
}

// The hashes of a scene's frames, as a .hashes file says them.
std::string hashes(const std::filesystem::path& file, Executor& executor,
                   const std::vector<std::string>& overrides = {}) {
  const test::Folder folder;
  Scene scene = load_complete_scene(file, overrides);
  SolverPlan plan = plan_run(scene);
  PreparedRun run(scene, std::move(plan), executor, {.outputs = {folder / "x.hashes"}});
  run.open_outputs();
  const RenderResult result = render({.run = run});
  EXPECT_EQ(result.frames, scene.animation.frames) << file;
  std::ostringstream text;
  text << std::ifstream(folder / "x.hashes").rdbuf();
  return text.str();
}

// Three frames of every scene, small, so that the CPU takes a moment.
std::vector<std::string> few_frames(const std::filesystem::path& scene) {
  std::vector<std::string> overrides = test::few_bodies(scene);
  overrides.insert(overrides.end(), {"animation.frames=3", "view.size=[320, 180]"});
  return overrides;
}

TEST(Scenes, RenderAlikeOnEveryExecutor) {
  const auto scenes = test::scenes_in("scenes");
  ASSERT_GE(scenes.size(), 5u);
  std::vector<Executor> executors = test::executors();
  for (const auto& scene : scenes) {
    const std::string expected = hashes(scene, executors[0], few_frames(scene));
    EXPECT_EQ(std::ranges::count(expected, '\n'), 3) << scene;
    for (std::size_t i = 1; i < executors.size(); ++i)
      EXPECT_EQ(hashes(scene, executors[i], few_frames(scene)), expected) << scene << " on " << executors[i].name();
  }
}

// Also without pixels on the host. Packets are no pictures: frames that are skipped have packets that differ, and
// pictures that differ may be skipped.
TEST(Render, WarnsWhereEveryFrameIsTheSame) {
  const std::string drawn = "range = [-1, 1]\n[animation]\nframes = 4\nsteps_per_frame = 4\n";
  for (const Executor& executor : test::executors())
    for (const auto asks : {test::Recorder::Asks::pixels, test::Recorder::Asks::packets}) {
      const auto warnings = [&](const std::string& scene) {
        return run(
                   small_scene(scene), executor, [] { return 0; }, asks)
            .result.warnings;
      };
      const std::vector<std::string> still = warnings(drawn + "[solver.rain]\nrate = 0\n");
      ASSERT_EQ(still.size(), 1u) << executor.name();
      EXPECT_EQ(still[0].find("small.toml: all 4 frames are the same picture"), 0u) << still[0];
      EXPECT_EQ(warnings(drawn + "[[solver.droplet]]\n").size(), 0u);
      EXPECT_EQ(warnings(drawn + "[[solver.droplet]]\ntime = 6\n").size(), 0u) << "the last frame shows something";
      EXPECT_EQ(warnings("range = [-1, 1]\n[animation]\nframes = 1\n").size(), 0u);
    }
  Scene labels = small_scene(drawn + "[figure]\naxes = \"frame\"\nonly = \"chrome\"\n[[solver.droplet]]\n");
  labels.view.size = {96, 64};
  EXPECT_EQ(run(labels).result.warnings.size(), 0u) << "labels stand still";
}

TEST(Render, WarnsWhereTheFirstFrameSaysNothingOfTheRange) {
  const std::string rest =
      "range = \"first\"\n[animation]\nframes = 4\nsteps_per_frame = 4\n[[solver.droplet]]\ntime = 3\n";
  const std::vector<std::string> warnings = run(small_scene(rest)).result.warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].find(
                "small.toml:7:1: range = \"first\" takes the range of the colours from the first frame, which is 0 "
                "everywhere: it is [-0.5, 0.5] now; set range = [low, high]"),
            0u)
      << warnings[0];
  const std::string moving =
      "range = \"first\"\n[animation]\nframes = 4\nstart = 9\nsteps_per_frame = 4\n[[solver.droplet]]\n";
  EXPECT_EQ(run(small_scene(moving)).result.warnings.size(), 0u);
}

// With the camera that the warning proposes the bodies are seen.
TEST(Render, WarnsWhereNoBodyIsSeenAndSaysWhereTheyAre) {
  for (const std::string camera :
       {"position = [0, 0, 5]\ntarget = [0, 0, 9]\n", "position = [0, 40, 5]\ntarget = [30, 40, 9]\nup = [0, 0, 1]\n",
        "projection = \"orthographic\"\nextent = 0.01\nposition = [3, 3, 3]\ntarget = [3, 2, 3]\nup = [1, 0, 0]\n"}) {
    const std::string scene =
        "[solver]\nkind = \"nbody\"\ninitial = \"figure_eight\"\ntimestep = 0.02\n[view]\nsize = [32, 48]\n"
        "[animation]\nframes = 3\nsteps_per_frame = 4\n[camera]\n";
    const std::vector<std::string> warnings = run(parse_scene(scene + camera, "x.toml")).result.warnings;
    ASSERT_EQ(warnings.size(), 3u) << camera;
    EXPECT_EQ(warnings[0].find("x.toml:10:1: no body is in the picture of the first frame: "), 0u) << warnings[0];
    EXPECT_EQ(warnings[1].find("x.toml:10:1: no body is in the picture of the last frame: "), 0u) << warnings[1];
    const std::size_t from = warnings[0].find("position = "), to = warnings[0].find(" in [camera]");
    ASSERT_NE(from, std::string::npos) << warnings[0];
    std::string better = warnings[0].substr(from, to - from) + "\n";
    for (const char* key : {", target", ", extent"})
      if (const std::size_t at = better.find(key); at != std::string::npos) better.replace(at, 2, "\n");
    for (const char* key : {"projection", "up"})
      if (const std::size_t at = camera.find(key); at != std::string::npos)
        better += camera.substr(at, camera.find('\n', at) + 1 - at);
    EXPECT_EQ(run(parse_scene(scene + better, "x.toml")).result.warnings, std::vector<std::string>()) << better;
  }
}

}  // namespace
}  // namespace simreel
