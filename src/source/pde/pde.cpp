#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "formula/formula.h"
#include "ranks/slab.h"
#include "source/grid_plan.h"
#include "source/grid_values.h"
#include "source/pde/limit.h"
#include "source/pde/pace.h"
#include "source/pde/sides.h"
#include "source/solvers.h"

namespace simreel {
namespace {

constexpr std::string_view diagnostics[] = {"step", "time"};
constexpr double margin = 0.8;           // of the largest stable step
constexpr double usual_operations = 20;  // of a step on a cell: Gray-Scott with Euler's method

// The largest number of four digits that is not above a value, and is what its text says to the bit.
double rounded_down(double value) {
  double scale = 1, unit = 1;
  while (value * scale < 1000) scale *= 10;
  while (value / unit >= 10000) unit *= 10;
  return scale > 1 ? std::floor(value * scale) / scale : std::floor(value / unit) * unit;
}

std::string reason(const PdeOptions& o, const PdeLimit& limit) {
  const PdeSpectrum& s = limit.spectrum;
  const double fastest = std::max(s.decay, s.frequency);
  return fmt::format("{} at up to {:.4g} per unit of time, and {} bears {:.3g} a step",
                     s.frequency > s.decay ? "waves oscillate" : "small waves decay", fastest,
                     pde_schemes[static_cast<std::size_t>(o.scheme)], fastest * limit.step);
}

void check_size(const PdeOptions& o, const PdeSystem& system) {
  const std::size_t cells = static_cast<std::size_t>(o.grid[0]) * static_cast<std::size_t>(o.grid[1]);
  const std::size_t real = o.precision == Precision::float32 ? sizeof(float) : sizeof(double);
  check_grid_memory(o.keys, 2 * cells * real * system.parts.size(), cells * real, "the initial state");
}

void paint(PdeOptions& o, const Scene& scene) {
  const auto [nx, ny] = o.grid;
  const std::size_t cells = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
  check_grid_memory(o.keys, 4 * cells, cells, "the map of solid cells");
  open_obstacles(o.shapes, scene, nx, ny);
  if (!bears_painting(o.shapes, nx, ny, scene))
    o.keys.fail("grid",
                "the grid is too large for `check` to look at its obstacles; check it on a smaller one, as with "
                "--set \"solver.grid=[1000, 1000]\"");
  o.solids = std::make_shared<LbmGeometry>(paint_obstacles(o.shapes, nx, ny, static_cast<std::size_t>(nx), scene.seed));
}

// The equations, without files where there is no scene; null where mistakes were found before.
std::shared_ptr<PdeProblem> read_problem(Table& keys, const Scene* scene) {
  PdeOptions options = read_pde_options(keys);
  if (!keys.has_table("fields")) return nullptr;
  if (scene != nullptr && !options.shapes.empty()) paint(options, *scene);
  auto problem = make_problem(options, options.grid[0], options.grid[1], scene);
  const PdeSystem& system = *problem->system;
  if (system.parts.empty()) keys.fail("fields", "no field has a rate, so that nothing changes");
  for (const PdeField& field : problem->options.fields)
    for (std::size_t side = 0; side < 4; ++side) keys.note([&] { check_pde_side(system, field, side, scene); });
  if (scene == nullptr) return problem;  // which names mistakes in formulas first
  for (const PdeParameter& parameter : problem->options.parameters)
    if (!parameter.used)
      parameter.value.keys.fail(parameter.name, "no formula uses the parameter {}; leave it out, or use it",
                                quote(parameter.name));
  return problem;
}

// What look_of_pde finds out in small runs, for the plan (Scene::found).
struct Found {
  std::optional<PdeLimit> limit;
  double longest = 0;  // 0: steps are not made smaller for a frame, or for a state that comes
  std::string pace;    // why it is so
};

PdeLimit search_limit(PdeProblem& problem, const Scene& scene) {
  const PdeOptions& o = problem.options;
  // So many operations the search takes for its runs at least.
  problem.set_step(o.timestep.value_or(1));
  constexpr double cells = 64, steps = 20, most = 2.5e9;
  const auto [nx, ny] = o.grid;
  const double operations = problem.scheme.operations(),
               runs = nx <= cells && ny <= cells ? 1 : 2;  // of the whole grid, or of two parts
  if (operations * std::min<double>(nx, cells) * std::min<double>(ny, cells) * steps * runs > most)
    o.keys.fail(o.timestep ? "timestep" : "scheme",
                "to look for the largest stable step takes too long with {:.3g} operations a step on each cell; take "
                "shorter equations, fewer stages, or a timestep with unchecked = true",
                operations);
  return find_limit(o, scene);
}

// A step that is to follow what grows; much smaller where nothing else is known.
double largest_accurate(const PdeLimit& limit) {
  const double follows = 2 / limit.growth;
  return std::isfinite(limit.step) ? std::min(limit.step, follows) : follows / 8;
}

// Finds the step, and checks a given one.
void settle_step(PdeProblem& problem, const Scene& scene, PlanTexts& texts) {
  const PdeOptions& o = problem.options;
  const auto* const found = static_cast<const Found*>(scene.found.get());
  if (found && !found->pace.empty())
    texts.facts.push_back(fmt::format("steps_per_frame {}: {}", scene.animation.steps_per_frame, found->pace));
  if (o.unchecked) {
    problem.set_step(*o.timestep);
    texts.facts.push_back(fmt::format("step       {:.6g}, unchecked", *o.timestep));
    return;
  }
  const PdeLimit limit = found && found->limit ? *found->limit : search_limit(problem, scene);
  const std::string name(pde_schemes[static_cast<std::size_t>(o.scheme)]);
  // Euler's method lets waves that only oscillate grow a little in every step.
  if (limit.step * limit.spectrum.frequency < 0.01 && limit.spectrum.frequency > limit.spectrum.decay)
    o.keys.fail(o.timestep ? "timestep" : "scheme",
                "no step is stable with {}: waves that should only oscillate grow in any; take scheme = \"rk4\", or "
                "a timestep with unchecked = true",
                name);
  if (limit.step == 0)
    o.keys.fail("scheme", "no step is stable with {}; take a smaller one with unchecked = true", name);
  double fine = 0, coarse = 0;
  for (const PdeSpectrum::Wave& wave : limit.spectrum.waves)
    (wave.fine ? fine : coarse) = std::max(wave.fine ? fine : coarse, wave.rate.real());
  const bool ill_posed = fine > 2 * coarse && fine > 1e-3 * std::max(limit.spectrum.decay, limit.spectrum.frequency);
  if (ill_posed) {
    const std::string ill = fmt::format(
        "waves of a few cells grow the fastest, by {:.3g} per unit of time, and the faster the finer the grid: no "
        "solution belongs to such equations; look for a wrong sign before a derivative",
        fine);
    if (!o.timestep) o.keys.fail("fields", ill);
    texts.warnings.push_back(ill);
  }
  if (o.timestep && *o.timestep > limit.step)
    o.keys.fail("timestep",
                "the time step {:.6g} is unstable with {}: the largest is about {:.4g} ({}); take that, or leave "
                "timestep out, or set unchecked = true",
                *o.timestep, name, rounded_down(limit.step), reason(o, limit));
  const double follows = 2 / limit.growth, largest = largest_accurate(limit);
  if (!o.timestep && !std::isfinite(largest) && !std::ranges::all_of(o.fields, &PdeField::has_constant_rate))
    o.keys.fail(
        "timestep",
        "no step is too large for these equations, so none can be chosen; give one, timestep = 0.1 in [solver]");
  problem.limit = limit.step;
  problem.spectrum.decay = limit.spectrum.decay;
  problem.spectrum.growth = limit.spectrum.growth;
  problem.spectrum.frequency = limit.spectrum.frequency;
  double step = o.timestep ? *o.timestep : std::isfinite(largest) ? rounded_down(margin * largest) : 1;
  if (found && found->longest > 0) step = std::min(step, found->longest);
  problem.set_step(step);
  const std::string automatic = o.timestep ? "" : " (auto)";
  const std::string grows = fmt::format("waves grow at up to {:.3g} per unit of time", limit.growth);
  if (std::isfinite(limit.step))
    texts.facts.push_back(fmt::format("step       {:.6g}{}{}; the largest stable one is about {:.4g}: {}",
                                      problem.timestep, automatic, largest < limit.step ? ", since " + grows : "",
                                      limit.step, reason(o, limit)));
  else if (std::isfinite(follows) && !ill_posed)
    texts.warnings.push_back(
        fmt::format("no limit of the step was found: {}, and none decay so fast; the step is {:.6g}{}; "
                    "the run ends if it comes to a state for which that is too large",
                    grows, problem.timestep, automatic));
  if (problem.timestep > follows && !ill_posed)
    texts.warnings.push_back(
        fmt::format("{}, and a step of {:.6g} does not follow that: what comes of it is inexact; "
                    "take {:.4g} or less",
                    grows, problem.timestep, rounded_down(follows / 2)));
  if (limit.lost)
    texts.warnings.push_back("the equations seem to grow without bound in finite time: a small run of them did");
}

template <class Real>
SolverPlan make_plan(const std::shared_ptr<PdeProblem>& problem) {
  const PdeSystem& system = *problem->system;
  const PdeOptions& o = problem->options;
  const int nx = system.nx(), ny = system.ny();
  const std::size_t pitch = pde_grid(nx, 1, problem->halo, sizeof(Real)).pitch;
  SolverPlan plan;
  plan.part_bytes = [problem](const Executor& executor, int rank, int ranks) {
    return pde_part_bytes<Real>(executor, rank, ranks, *problem);
  };
  plan.saved_bytes = system.parts.size() * pitch * static_cast<std::size_t>(ny) * sizeof(Real);
  plan.made_bytes = system.host_bytes() + pitch * static_cast<std::size_t>(ny) * sizeof(Real);
  plan.inputs = system.files();
  plan_grid(plan, {nx, ny}, pitch, sizeof(Real), o.solids != nullptr);
  std::ranges::move(files_of(o.shapes), std::back_inserter(plan.inputs));
  plan.grid.spacing = o.spacing;
  plan.timestep = problem->timestep;
  plan.update_work = problem->scheme.operations() / usual_operations;
  plan.bytes_per_update = 2.0 * static_cast<double>(system.parts.size() * sizeof(Real));
  plan.fields = problem->infos;
  plan.diagnostics.assign(std::begin(diagnostics), std::end(diagnostics));
  for (const PdeMeasure& measure : o.measures) plan.diagnostics.push_back(measure.name);
  plan.texts.summary = fmt::format("pde, {} x {} cells, {}, {} of {} field{}, step {:.6g}", nx, ny,
                                   precision_names[static_cast<std::size_t>(o.precision)],
                                   pde_schemes[static_cast<std::size_t>(o.scheme)], o.fields.size(),
                                   o.fields.size() == 1 ? "" : "s", problem->timestep);
  plan.create_rank = [problem](const Executor& executor, const Communicator& ranks) {
    return make_pde_solver<Real>(executor, ranks, problem);
  };
  create_alone(plan);
  std::size_t longest = 0;  // of the passes that were looked at
  for (const PdeStage& stage : problem->scheme.stages)
    if (const std::size_t length = stage.work.pass.nodes.size();
        length <= std::exchange(longest, std::max(longest, length)))
      continue;
    else if (const std::string why = pde_why_interpreted<Real>(stage.work.pass); !why.empty()) {
      plan.texts.facts.push_back("gpu        interprets the equations, which is slow: " + why);
      break;
    }
  return plan;
}

SolverPlan plan_of(const std::shared_ptr<PdeProblem>& problem) {
  return problem->options.precision == Precision::float32 ? make_plan<float>(problem) : make_plan<double>(problem);
}

SolverPlan plan_pde(Table& keys, const Scene& scene) {
  const std::shared_ptr<PdeProblem> problem = read_problem(keys, &scene);
  check_size(problem->options, *problem->system);
  problem->system->check_values(*scene.effort);
  PlanTexts texts;
  settle_step(*problem, scene, texts);
  SolverPlan plan = plan_of(problem);
  plan.texts.facts.insert(plan.texts.facts.begin(), texts.facts.begin(), texts.facts.end());
  plan.texts.warnings = texts.warnings;
  std::ranges::move(cut_obstacles(problem->options.shapes, problem->options.grid[0], problem->options.grid[1]),
                    std::back_inserter(plan.texts.warnings));
  plan.smaller = [problem, scene](double updates) {
    const std::array<int, 2> grid = smaller_grid(problem->options.grid, updates);
    const auto small = make_problem(problem->options, grid[0], grid[1], &scene);
    small->set_step(problem->timestep);
    return plan_of(small);
  };
  return plan;
}

// Pace and range, where the scene leaves them open.
void look_at_runs(const PdeOptions& given, const Scene& shown, ViewDefaults& look) {
  const bool paces = !shown.gives("animation.steps_per_frame");
  if (!look.shown) return;
  const bool angle = look.shown->unit == "rad", ranges = !shown.view.range_given && !angle;
  if (!paces && !ranges) return;
  const auto found = std::make_shared<Found>();
  look.found = found;
  constexpr double painted = 4e6;  // cells of a grid with obstacles, at max
  const double cells = static_cast<double>(given.grid[0]) * given.grid[1];
  if (given.unchecked || (!given.shapes.empty() && cells > painted)) {
    if (paces)
      found->pace = given.unchecked ? "the timestep is unchecked, so that no small run tells a better number"
                                    : "the grid is too large for small runs to know its obstacles";
    return;
  }
  Scene scene = shown;
  scene.effort = std::make_shared<Effort>();  // what is found is the same for `check` and `render`
  const std::shared_ptr<PdeProblem> problem = read_problem(scene.solver, &scene);
  const PdeOptions& o = problem->options;
  found->limit = search_limit(*problem, scene);
  const double step = o.timestep ? *o.timestep : rounded_down(margin * largest_accurate(*found->limit));
  if (!(step > 0) || !std::isfinite(step) || step > found->limit->step) return;  // which the plan refuses
  problem->set_step(step);
  // So many steps keep a core busy for about twenty seconds, or are those that other solvers have.
  constexpr double most = 1e10, usual = 240, video = 10;
  const double operations = cells * problem->scheme.operations() / usual_operations,
               longest = step * std::max(most / operations, usual * video);
  std::string field(look.shown->name);
  if (angle || !look.hue.empty()) field.replace(field.size() - 3, 3, "re");
  const PdePace pace = find_pace(o, scene, *found->limit, step, field,
                                 paces ? longest : static_cast<double>(scene.animation.last_step()) * step);
  if (ranges && pace.drifts)
    look.range = RangeMode::follow;
  else if (ranges && pace.both_signs && !look.curve && look.hue.empty() && scene.view.scale != Scale::log)
    look.shown->has_sign = true;
  if (!paces) return;
  found->pace = pace.reason;
  if (pace.time == 0) return;
  const double time = std::min(pace.time, longest), frame = time / video / scene.animation.fps();
  double own = step;
  if (!o.timestep && margin * pace.bears < own)
    own = found->longest = rounded_down(std::max(margin * pace.bears, step / 4));
  if (!o.timestep && frame < 0.75 * own) own = found->longest = rounded_down(frame);
  look.steps_per_second = time / video / own;
  found->pace = fmt::format("ten seconds show time {:.3g}, since {}{}", time, pace.reason,
                            time < pace.time ? fmt::format("; time {:.3g} would take too many steps", pace.time) : "");
}

ViewDefaults look_of_pde(Table& keys, const Scene& scene) {
  const std::shared_ptr<PdeProblem> problem = read_problem(keys, nullptr);
  ViewDefaults look;
  if (const auto shown = find_field(problem->infos, scene.view.field)) look.shown = problem->infos[*shown];
  look.owner = problem;
  look.field = problem->infos.front().name;
  const auto complex = std::ranges::find(problem->options.fields, scene.view.field, &PdeField::name);
  if (complex != problem->options.fields.end() && complex->complex && scene.view.hue.empty()) {
    look.field = complex->name + ".abs";
    look.hue = {complex->name + ".re", complex->name + ".im"};
    look.shown = problem->infos[*find_field(problem->infos, look.field)];
  }
  look.curve = problem->options.grid[1] == 1 && !scene.figure.space_time;  // whose axis has room for all
  look.range = look.curve ? RangeMode::global : RangeMode::robust;
  try {
    look_at_runs(problem->options, scene, look);
  } catch (const UsageError&) {
    // The plan says it, after what comes before.
  }
  return look;
}

}  // namespace

SolverKind pde_solver() {
  return {"pde",       "equations of your own, du/dt = a formula of fields and their derivatives: docs/solvers/pde.md",
          {},          diagnostics,
          {},          plan_pde,
          look_of_pde, [](Table& keys) { read_problem(keys, nullptr); }};
}

}  // namespace simreel
