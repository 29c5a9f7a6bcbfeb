// The pass before a run with range = "global" or "symmetric": done only for pixels, and resumed where it was.

#include "run/range_pass.h"

#include <fmt/format.h>

#include "base/error.h"
#include "run/prepared_run.h"
#include "source/solver.h"
#include "tests/support/forwarded_source.h"
#include "tests/support/recorder.h"
#include "tests/support/sink_fixture.h"

namespace simreel {
namespace {

// A source that counts its steps for a test.
class Counted final : public test::ForwardedSource {
 public:
  Counted(std::unique_ptr<Source> source, std::int64_t& steps) : ForwardedSource(std::move(source)), steps_(steps) {}

  void advance_towards(std::int64_t frame) override {
    const std::int64_t before = steps_done();
    ForwardedSource::advance_towards(frame);
    steps_ += steps_done() - before;
  }

 private:
  std::int64_t& steps_;
};

class RangePassTest : public SinkTest {
 protected:
  struct Run {
    RenderResult result;
    std::int64_t steps = 0;  // that were done
    int sources = 0;         // that were opened
    std::vector<std::int64_t> looked_at, drawn;
  };
  enum class Way { plain, measured, fresh, resumed };  // measured: with a table of diagnostics

  // Runs a scene into x.hashes; `stop` is asked after every report.
  template <class Stop>
  Run run(const Scene& scene, Way way, const Stop& stop) {
    Run done;
    SolverPlan plan = plan_solver(scene);
    plan.open = [&, open = plan.open](const Executor& executor) -> std::unique_ptr<Source> {
      ++done.sources;
      return std::make_unique<Counted>(open(executor), done.steps);
    };
    const Executor executor = Executor::cpu(2);
    std::vector<std::string> outputs = {path(way == Way::plain ? "whole.hashes" : "x.hashes")};
    if (way == Way::measured) outputs.push_back(path("x.csv"));
    PreparedRun run(scene, plan, executor,
                    {.outputs = outputs,
                     .overwrite = true,
                     .resume = way == Way::resumed ? Resume::yes : Resume::no,
                     .checkpoints = {CheckpointInterval{0, 4}}});
    run.open_outputs();
    int signal = 0;
    const auto report = [&](const RenderProgress& progress) {
      if (progress.stage == RenderProgress::Stage::range) done.looked_at.push_back(progress.done);
      if (progress.stage == RenderProgress::Stage::render) done.drawn.push_back(progress.done);
      signal = stop(progress);
    };
    done.result = render({.run = run, .report = report, .interrupted = [&] { return signal; }});
    return done;
  }
  Run run(const Scene& scene, Way way = Way::plain) {
    return run(scene, way, [](const RenderProgress&) { return 0; });
  }

  static std::vector<Scene> scenes() {
    const std::string rest =
        "[view]\nsize = [32, 18]\n%VIEW%[animation]\nframes = 20\nsteps_per_frame = 3\nstart = 2\n";
    const auto scene = [&](const std::string& solver, const std::string& view) {
      std::string text = rest;
      return parse_scene("[solver]\n" + solver + text.replace(text.find("%VIEW%"), 6, view), "x.toml");
    };
    std::vector<Scene> all;
    const std::string wave = "kind = \"wave\"\ngrid = [32, 18]\ntimestep = 0.5\n[solver.rain]\nrate = 1\n";
    const std::string bodies = "kind = \"nbody\"\nbodies = 50\ntimestep = 0.05\n", global = "range = \"global\"\n";
    all.push_back(scene(wave, global));
    all.push_back(scene(wave, "range = \"symmetric\"\n"));
    all.push_back(scene(wave, "range = \"robust\"\n"));
    all.push_back(scene(bodies, global + "trails = 0.1\n"));
    all.push_back(scene(bodies, global + "field = \"speed\"\n"));
    all.push_back(scene(bodies, "trails = 0.1\n[camera]\nfit = \"all\"\nfollow = \"mass\"\n"));
    // Solid cells, rows that are padded, numbers of 64 bits, a part of a field.
    const std::string obstacle = "[[solver.obstacle]]\nradius = 3\ncenter = [8, 9]\n";
    all.push_back(
        scene("kind = \"lbm\"\ngrid = [33, 18]\nviscosity = 0.02\nvelocity = 0.05\nboundary = { left = "
              "\"inlet\", right = \"outlet\" }\n" +
                  obstacle,
              global + "field = \"vorticity\"\ncrop = [2, 2, 31, 16]\n"));
    all.push_back(
        scene("kind = \"pde\"\ngrid = [7, 18]\ntimestep = 0.1\nprecision = \"double\"\n[solver.fields.u]\n"
              "initial = \"= sin(x + y)\"\nrate = \"= lap(u)\"\n" +
                  obstacle,
              global));
    return all;
  }
};

constexpr std::int64_t all_steps = 2 + 19 * 3;  // of one pass

TEST_F(RangePassTest, ASignalInsideItKeepsWhatItFound) {
  for (const Scene& scene : scenes()) {
    SCOPED_TRACE(scene.text);
    std::filesystem::remove(path("x.hashes"));  // of the scene before
    const Run whole = run(scene);
    EXPECT_EQ(whole.steps, all_steps) << "its frames were kept";
    EXPECT_EQ(whole.sources, 1);
    const Run ended = run(scene, Way::fresh, [](const RenderProgress& progress) {
      return progress.stage == RenderProgress::Stage::range && progress.done == 13 ? 15 : 0;
    });
    EXPECT_EQ(ended.result.signal, 15);
    EXPECT_TRUE(ended.result.resumable);
    EXPECT_EQ(ended.result.frames, 0);
    EXPECT_EQ(ended.sources, 1);
    EXPECT_FALSE(std::filesystem::exists(path("x.hashes")));
    const Run resumed = run(scene, Way::resumed);
    EXPECT_EQ(resumed.looked_at.front(), 14);
    EXPECT_EQ(resumed.looked_at.size(), 7u);
    EXPECT_EQ(ended.steps + resumed.steps, 2 * all_steps) << "no step of a pass was done twice";
    EXPECT_EQ(resumed.result.range.low, whole.result.range.low);
    EXPECT_EQ(resumed.result.range.high, whole.result.range.high);
    EXPECT_EQ(contents(path("x.hashes")), contents(path("whole.hashes")));
    EXPECT_FALSE(std::filesystem::exists(path("x.hashes.checkpoint")));
  }
}

// The picture before the end is not black: what grew without end does not count.
TEST_F(RangePassTest, ARunThatDivergesIsScaledByWhatCameBefore) {
  for (const char* range : {"global", "robust", "symmetric"}) {
    const Scene scene =
        parse_scene(fmt::format("[solver]\nkind = \"pde\"\ngrid = [16, 16]\ntimestep = 0.01\nunchecked = "
                                "true\n[solver.fields.u]\ninitial = \"= sin(pi * x / 8)\"\nrate = "
                                "\"= (t > 1) * 9 * u\"\n[view]\nsize = [32, 32]\nrange = "
                                "\"{}\"\n[animation]\nframes = 1000\nsteps_per_frame = 4\n",
                                range),
                    "x.toml");
    const Run done = run(scene);
    EXPECT_TRUE(done.result.diverged);
    EXPECT_GT(done.result.frames, 100);
    EXPECT_GT(done.result.range.high, 0.5) << range;
    EXPECT_LT(done.result.range.high, 2.5) << range;
  }
}

TEST(RangePass, KeepsWhatItFoundBeforeValuesGrewWithoutEnd) {
  const auto after = [](std::int64_t frames, std::int64_t from, double factor) {
    RangePass pass;
    double value = 1;
    for (std::int64_t frame = 0; frame < frames; ++frame) {
      if (frame >= from) value *= factor;
      pass.range = {-value, value};
      ++pass.frames;
      pass.keep();
      if (value > 1e38) break;
    }
    pass.take_back();
    return pass.range.high;
  };
  for (const std::int64_t before : {1, 3, 40, 1000, 100000})
    for (const double factor : {1.5, 4.0, 1e10})
      EXPECT_LE(after(2 * before + 1000, before, factor), before == 1 ? 5 : 3) << before;
  EXPECT_EQ(after(1000, 2000, 2), 1) << "grew never";
}

// The first frames have a spike, or a few frames on the way.
TEST(RangePass, OddFramesDoNotCountInARobustRange) {
  const auto after = [](std::int64_t frames, std::int64_t from, std::int64_t odd, double size) {
    RangePass pass;
    for (; pass.frames < frames;) {
      const bool spike = pass.frames >= from && pass.frames < from + odd;
      pass.add(spike ? Interval{0, size} : Interval{0.01 * static_cast<double>(pass.frames % 7), 1});
      ++pass.frames;
      pass.keep();
    }
    return pass.robust();
  };
  for (const std::int64_t frames : {20, 63, 64, 65, 128, 600, 4000, 100000})
    for (const std::int64_t from : {std::int64_t{0}, frames / 2, frames - 1}) {
      EXPECT_EQ(after(frames, from, 1, 50).high, 1) << frames;
      EXPECT_NEAR(after(frames, from, 1, 50).low, 0, 0.07) << frames;
      EXPECT_EQ(after(frames, from, 1, 1.1).high, 1.1) << "is not worth cutting";
    }
  EXPECT_EQ(after(600, 0, 20, 50).high, 1);
  EXPECT_EQ(after(600, 0, 200, 50).high, 50) << "those are not odd";
  EXPECT_EQ(after(8, 0, 1, 100).high, 100) << "of few frames each counts";
  EXPECT_EQ(after(600, 0, 20, 1000).high, 1000) << "nothing happens in the others";
}

// A table of diagnostics needs every state again.
TEST_F(RangePassTest, KeptFramesShowWhatARunThatComputesThemAgainShows) {
  for (Scene scene : scenes())
    for (const std::int64_t first : {0, 7}) {
      SCOPED_TRACE(scene.text);
      scene.animation.first = first;
      EXPECT_EQ(run(scene).steps, all_steps);
      EXPECT_EQ(run(scene, Way::measured).steps, 2 * all_steps);
      EXPECT_EQ(contents(path("x.hashes")), contents(path("whole.hashes")));
    }
}

// What a crash leaves: the checkpoints taken by then.
TEST_F(RangePassTest, ACrashInsideItCostsTheFramesSinceTheLastCheckpoint) {
  for (const Scene& scene : scenes()) {
    SCOPED_TRACE(scene.text);
    const Run whole = run(scene);
    const auto crash = [](const RenderProgress& progress) {
      if (progress.stage == RenderProgress::Stage::range && progress.done == 13) throw std::runtime_error("crash");
      return 0;
    };
    EXPECT_THROW(run(scene, Way::fresh, crash), std::runtime_error);
    const Run resumed = run(scene, Way::resumed);
    EXPECT_GE(resumed.looked_at.front(), 5) << "one was taken after 4 frames";
    EXPECT_LE(resumed.looked_at.front(), 14);
    EXPECT_LE(resumed.steps, 2 * all_steps - 2 - 3 * 3);
    EXPECT_EQ(contents(path("x.hashes")), contents(path("whole.hashes")));
  }
}

TEST_F(RangePassTest, ASignalAfterItKeepsTheRange) {
  const Scene scene = scenes().front();
  const Run whole = run(scene);
  for (const std::int64_t frame : {1, 9}) {
    const Run ended = run(scene, Way::fresh, [&](const RenderProgress& progress) {
      return progress.stage == RenderProgress::Stage::render && progress.done == frame ? 2 : 0;
    });
    EXPECT_TRUE(ended.result.resumable);
    const Run resumed = run(scene, Way::resumed);
    EXPECT_TRUE(resumed.looked_at.empty());
    EXPECT_EQ(resumed.drawn.front(), frame + 1);
    EXPECT_EQ(ended.steps, all_steps);
    EXPECT_EQ(resumed.steps, all_steps) << "no state was saved, and no frame was drawn twice";
    EXPECT_EQ(contents(path("x.hashes")), contents(path("whole.hashes")));
  }
  // At its very end, before the run itself began.
  const Run ended = run(scene, Way::fresh, [&](const RenderProgress& progress) {
    return progress.stage == RenderProgress::Stage::range && progress.done == 20 ? 2 : 0;
  });
  EXPECT_TRUE(ended.result.resumable);
  const Run resumed = run(scene, Way::resumed);
  EXPECT_EQ(resumed.steps, all_steps);
  EXPECT_EQ(contents(path("x.hashes")), contents(path("whole.hashes")));
}

// Frames before the first that outputs get are drawn only where the pictures behind them depend on that.
TEST_F(RangePassTest, APartOfARunBeginsWithWhatItNeeds) {
  // Frame 4 has a checkpoint, and is not drawn.
  for (const auto& [range, first] : {std::pair("[-1, 1]", 4), {"\"global\"", 4}, {"\"first\"", 1}, {"\"follow\"", 1}}) {
    const Scene scene = parse_scene(
        fmt::format("[solver]\nkind = \"wave\"\ngrid = [32, 18]\n[[solver.droplet]]\n[view]\nsize = [32, 18]\nrange "
                    "= {}\n[animation]\nframes = 9\nfirst = 6\n",
                    range),
        "x.toml");
    const Run done = run(scene);
    EXPECT_EQ(done.drawn.front(), first) << range;
    EXPECT_EQ(done.result.frames, 3);
  }
}

// Of a field that is above 0, crosses it, lies below, and comes back.
TEST_F(RangePassTest, ARangeThatFollowsGivesAResumedRunItsBars) {
  Scene scene = parse_scene(
      "[solver]\nkind = \"pde\"\ngrid = [16, 16]\ntimestep = 0.05\n[solver.fields.u]\ninitial = \"= 1.5 + x / "
      "32\"\nrate "
      "= \"= -3 * sin(t)\"\n[view]\nsize = [48, 16]\nrange = \"follow\"\ncenter = 0\ncolormap = \"gray\"\n"
      "[animation]\nframes = 40\nfps = 8\nsteps_per_frame = 4\n",
      "x.toml");
  complete_scene(scene);
  ASSERT_TRUE(scene.view.bars_of_zero);
  run(scene);
  for (const std::int64_t frame : {3, 9, 16, 24, 33}) {
    const Run ended =
        run(scene, Way::fresh, [&](const RenderProgress& progress) { return progress.done == frame ? 2 : 0; });
    EXPECT_TRUE(ended.result.resumable);
    run(scene, Way::resumed);
    EXPECT_EQ(contents(path("x.hashes")), contents(path("whole.hashes"))) << frame;
  }
}

TEST_F(RangePassTest, IsLeftOutWhereNoOutputShowsPixels) {
  for (Scene scene : scenes()) {
    SCOPED_TRACE(scene.text);
    SolverPlan plan = plan_solver(scene);
    scene.view.scale = Scale::log;  // waves have no range that it takes, but no range is asked for
    std::int64_t steps = 0;
    plan.open = [&, open = plan.open](const Executor& executor) -> std::unique_ptr<Source> {
      return std::make_unique<Counted>(open(executor), steps);
    };
    const Executor executor = Executor::cpu(2);
    test::Recorder::Record record;
    std::vector<std::unique_ptr<Sink>> sinks;
    sinks.push_back(std::make_unique<test::Recorder>(scene.view.size, record, test::Recorder::Asks::diagnostics));
    sinks.push_back(open("null:"));
    const auto report = [](const RenderProgress& progress) { EXPECT_NE(progress.stage, RenderProgress::Stage::range); };
    PreparedRun run(scene, plan, executor, std::move(sinks));
    const RenderResult result = render({.run = run, .report = report});
    EXPECT_EQ(steps, all_steps);
    EXPECT_FALSE(result.drawn);
    EXPECT_EQ(record.diagnostics.size(), 20u);
    EXPECT_TRUE(record.finished);
  }
}

}  // namespace
}  // namespace simreel
