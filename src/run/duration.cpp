#include "run/duration.h"

#include <fmt/format.h>

#include <algorithm>

#include "exec/machine.h"
#include "run/prepared_run.h"

namespace simreel {
Work::Work(const Scene& scene, const SolverPlan& plan, bool shows, int of_passes, bool measures)
    : passes(of_passes),
      first_steps(measures ? static_cast<double>(scene.animation.last_step()) : 0),
      measured(measures ? static_cast<double>(scene.animation.frames) : 0),
      steps(first_steps +
            (passes > 1 || !measures ? static_cast<double>(scene.animation.step_at(scene.animation.end() - 1)) : 0)),
      updates(plan.updates_per_step * steps),
      frames(shows ? static_cast<double>(scene.animation.pictures()) : 0),
      written(static_cast<double>(scene.animation.end() - scene.animation.first)) {
  drawn = !shows ? 0 : plan.bodies > 0 ? static_cast<double>(scene.animation.end()) : written;
}

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
  const bool gpu = executor.backend() == Backend::cuda;
  const double pixels = work.frames * scene.view.size.width * scene.view.size.height;
  const double drawing = pixels * (gpu ? 1e-10 : 1.5e-8 / executor.threads()),
               encoding = pixels * 2.5e-8 / usable_cores();
  const double pictures = gpu ? std::max(drawing, encoding) : drawing + encoding;
  return work.updates / typical_speed(scene, plan, executor) + work.steps * step + pictures;
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

std::optional<std::string> long_run(const Scene& scene, const SolverPlan& plan, const Executor& executor, bool twice) {
  if (!plan.create) return {};
  const Work work(scene, plan, true, twice ? 2 : 1, twice);
  return long_run(scene, plan, work.updates / typical_speed(scene, plan, executor),
                  usual_speed_in_words(scene, plan, executor));
}

std::optional<std::string> long_run(PreparedRun& run) {
  if (!run.plan.create) return {};
  const Work work(run.scene, run.plan, run.needs.drawn(), run.passes(), run.has_first_pass());
  return long_run(run.scene, run.plan, usual_seconds(run.scene, run.plan, run.executor, work),
                  usual_speed_in_words(run.scene, run.plan, run.executor));
}

}  // namespace simreel
