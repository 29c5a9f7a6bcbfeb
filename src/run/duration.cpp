#include "run/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "exec/buffer.h"
#include "picture/rasterizer.h"
#include "run/frame_view.h"
#include "run/plan.h"
#include "run/prepared_run.h"

namespace simreel {
namespace {

// Seconds since the start of the measurement at which its parts end. Drawing needs the rest of the two seconds.
constexpr double last_growth = 1.1, stop_stepping = 1.4, stop_drawing = 1.7;
constexpr std::size_t max_bodies_to_draw = 1 << 18;  // that are made for it, though a step takes too long
constexpr double first_updates = 1e6;                // of the smallest solver that is measured: moments on any machine

class Watch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// Whether the solver took `count` steps; not if it was stopped meanwhile.
bool steps_taken(const Executor& executor, Solver& solver, std::int64_t count) {
  const std::int64_t before = solver.steps_done();
  solver.step(count);
  executor.wait();
  return solver.steps_done() == before + count;
}

// Seconds of a step, over up to `max` seconds of them; 0 if not one step was done in time. Steps are grouped as the
// run groups them.
double time_steps(const Executor& executor, Solver& solver, std::int64_t steps_per_frame, double max) {
  solver.finite();  // finds what only the first step needs, and warms up
  Watch watch;
  if (!steps_taken(executor, solver, 1)) return 0;
  const double first = std::max(watch.seconds(), 1e-9);
  const auto group = std::clamp<std::int64_t>(static_cast<std::int64_t>(max / 4 / first), 1, steps_per_frame);
  if (first > max / 2) return first;
  double done = 0;
  for (watch = Watch(); watch.seconds() < max; done += static_cast<double>(group))
    if (!steps_taken(executor, solver, group)) break;
  return done > 0 ? watch.seconds() / done : first;
}

// At most about 8 million pixels, more than those of a film in 4K.
Size shown_size(Size size) {
  while (std::int64_t{size.width} * size.height > std::int64_t{1} << 23)
    size = {std::max(size.width / 4 * 2, 2), std::max(size.height / 4 * 2, 2)};
  return size;
}

// Seconds to draw a frame of the state and convert it for the outputs.
double time_frames(const Scene& scene, const SolverPlan& plan, const Executor& executor, Solver& solver,
                   const std::vector<PixelLayout>& layouts, int max, const Watch& whole) {
  ViewOptions view = scene.view;
  view.size = shown_size(view.size);
  Rasterizer rasterizer(executor, view, draw_context(scene, plan));
  rasterizer.set_layouts(layouts);
  rasterizer.set_range({1, 2});  // fits every scale
  FrameView shown(solver, plan, rasterizer);
  std::vector<Buffer<std::byte>> pictures;
  pictures.reserve(layouts.size());
  for (const PixelLayout layout : layouts) pictures.emplace_back(executor, frame_bytes(view.size, layout));
  double seconds = 0;
  int frames = 0;
  do {
    const Watch watch;
    shown.draw(shown.view(), frames);
    for (std::size_t i = 0; i < layouts.size(); ++i) rasterizer.convert(layouts[i], pictures[i].data());
    executor.wait();
    seconds = frames == 0 ? watch.seconds() : std::min(seconds, watch.seconds());  // the first one warms up
    ++frames;
  } while (frames < std::min<std::int64_t>(max, scene.animation.frames) && whole.seconds() < stop_drawing);
  const auto pixels = [](Size size) { return static_cast<double>(size.width) * size.height; };
  return seconds * pixels(scene.view.size) / pixels(view.size);
}

}  // namespace

Work::Work(const Scene& scene, const SolverPlan& plan, bool drawn, int of_passes, bool measured)
    : passes(of_passes),
      steps(static_cast<double>(measured ? scene.animation.last_step() : 0) +
            static_cast<double>(passes > 1 || !measured ? scene.animation.step_at(scene.animation.end() - 1) : 0)),
      frames(drawn ? static_cast<double>(scene.animation.pictures()) : 0),
      updates(plan.updates_per_step * steps) {}

double typical_speed(const Scene& scene, const SolverPlan& plan, const Executor& executor) {
  struct Typical {
    std::string_view kind, updated;
    double core, gpu;
  };
  constexpr Typical all[] = {{"wave", "cell", 5e8, 1e12},
                             {"lbm", "cell", 5e7, 5e10},
                             {"pde", "cell", 6e8, 1.5e11},
                             {"nbody", "interaction", 1e9, 1e12},
                             {"nbody", "force", 5e5, 4e8}};
  const Typical* const typical = std::ranges::find_if(
      all, [&](const Typical& t) { return t.kind == scene.solver_kind && t.updated == plan.updated; });
  if (typical == std::end(all)) return 1e9;
  return plan.ranks.machines() *
         (executor.backend() == Backend::cuda ? typical->gpu : typical->core * executor.threads()) / plan.update_work;
}

double usual_seconds(const Scene& scene, const SolverPlan& plan, const Executor& executor, const Work& work) {
  const double step = executor.backend() == Backend::cuda ? 5e-6 : 1e-6;  // of 3 to 10 bodies
  return work.updates / typical_speed(scene, plan, executor) + work.steps * step;
}

double MeasuredSpeed::seconds(const Work& work) const {
  return work.steps / steps_per_second + (frames_per_second > 0 ? work.frames / frames_per_second : 0);
}

MeasuredSpeed measure_speed(const Scene& scene, const SolverPlan& plan, const Executor& executor,
                            const std::vector<PixelLayout>& layouts) {
  const Watch whole;
  MeasuredSpeed speed;
  SolverPlan measured;
  std::unique_ptr<Solver> solver;  // one at a time, see SolverPlan::create
  const auto make = [&](const SolverPlan& of) {
    solver.reset();
    solver = of.create(executor);
  };
  for (double updates = first_updates;;) {
    const bool all = updates >= plan.updates_per_step;
    SolverPlan part = all ? plan : plan.smaller(updates);
    part.field = plan.field;
    const Watch watch;
    const bool first = !solver;
    make(part);
    if (!first) solver->stop_when([&whole] { return whole.seconds() > stop_stepping; });
    const double max = all ? 0.4 : 0.1;
    const double seconds = time_steps(executor, *solver, scene.animation.steps_per_frame, max);
    if (seconds == 0) {
      if (!layouts.empty()) make(measured);
      break;
    }
    speed.part = part.updates_per_step / plan.updates_per_step;
    speed.steps_per_second = speed.part / seconds;
    const double cost = watch.seconds() - max + seconds;
    solver->stop_when({});
    measured = std::move(part);
    const double growth = (last_growth - whole.seconds()) / 2 / std::max(cost, 1e-3);
    if (speed.part >= 1 || growth < 2) break;
    updates = measured.updates_per_step * std::min(growth, 1000.0);
  }
  if (layouts.empty()) return speed;
  // Of more bodies or cells a part is drawn sooner than all.
  const bool all = speed.part >= 1;
  Scene drawn = scene;
  if (!all) drawn.view.crop.reset(), drawn.view.keys.clear(), drawn.figure.inset.reset();  // may lie beyond the part
  speed.drawn_part = static_cast<double>(measured.view_bytes) / static_cast<double>(plan.view_bytes);
  double seconds = time_frames(drawn, measured, executor, *solver, layouts, all ? 30 : 2, whole) / speed.drawn_part;
  if (!all && plan.bodies > 0 && plan.bodies <= max_bodies_to_draw && 3 * seconds < stop_drawing - whole.seconds()) {
    make(plan);
    seconds = time_frames(scene, plan, executor, *solver, layouts, 3, whole);
    speed.drawn_part = 1;
  }
  speed.frames_per_second = 1 / seconds;
  return speed;
}

std::string in_words(double seconds) {
  struct Unit {
    double seconds;
    std::string_view name;
  };
  constexpr double minute = 60, hour = 3600, day = 86400, year = 365.25 * day;
  constexpr Unit units[] = {{year, "years"}, {day, "days"}, {hour, "h"}, {minute, "min"}};
  for (const auto& [unit, name] : units) {
    const double count = seconds / unit;
    if (count < (unit >= day ? 1.95 : 1)) continue;
    return count < 9.95 ? fmt::format("{:.2g} {}", count, name) : fmt::format("{:.0f} {}", count, name);
  }
  return fmt::format("{:.2g} s", std::max(seconds, 0.01));
}

std::string_view updates_in_words(const SolverPlan& plan) {
  return plan.updated == "cell" ? "cell updates" : plan.updated == "force" ? "forces" : "interactions";
}

std::string speed_in_words(const SolverPlan& plan, double updates_per_second) {
  return fmt::format("{:.2g} {}/s", updates_per_second, updates_in_words(plan));
}

std::string usual_speed_in_words(const Scene& scene, const SolverPlan& plan, const Executor& executor) {
  const bool gpu = executor.backend() == Backend::cuda;
  const int count = plan.ranks.machines() * (gpu ? 1 : executor.threads());
  const std::string machine = count > 1 ? fmt::format("{} {}", count, gpu ? "NVIDIA H200" : "CPU cores")
                                        : (gpu ? "one NVIDIA H200" : "a CPU core");
  return fmt::format("at {}, usual for {}", speed_in_words(plan, typical_speed(scene, plan, executor)), machine);
}

std::optional<std::string> long_run(const Scene& scene, const SolverPlan& plan, double seconds,
                                    const std::string& basis) {
  constexpr double day = 86400;
  if (seconds <= day) return {};
  return fmt::format(
      "{}this run takes about {} {}; fewer {}, frames or steps_per_frame make it shorter, a smaller run first shows "
      "what it will be",
      scene.solver.position(plan.size_key).before(), in_words(seconds), basis,
      plan.updated == "cell" ? "cells in grid" : "bodies");
}

std::optional<std::string> long_run(PreparedRun& run) {
  if (!run.plan.create) return {};
  const Work work(run.scene, run.plan, run.needs.drawn(), run.passes(), run.has_first_pass());
  return long_run(run.scene, run.plan, usual_seconds(run.scene, run.plan, run.executor, work),
                  usual_speed_in_words(run.scene, run.plan, run.executor));
}

}  // namespace simreel
