#include "source/pde/limit.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "exec/executor.h"
#include "kernels/base/view.h"

namespace simreel {
namespace {

constexpr int pilot_cells = 64;       // along x and y, at max
constexpr double pilot_steps = 2000;  // at max,
constexpr double pilot_work = 1e8;    // and so many operations
constexpr int pilot_tries = 4;
constexpr int later_times = 8;  // of the run, at which coefficients that change in time are looked at

// The arrays of a state, with what lies beyond periodic sides; beyond others the nearest cell stands for it.
struct Arrays {
  const PdeSystem& system;
  std::vector<std::vector<double>> parts, coefficients;

  explicit Arrays(const PdeSystem& s) : system(s) {
    const auto nx = static_cast<std::size_t>(s.nx()), cells = nx * static_cast<std::size_t>(s.ny());
    parts.assign(s.parts.size(), std::vector<double>(cells));
    coefficients.assign(s.coefficients(), std::vector<double>(cells));
    for (int j = 0; j < s.ny(); ++j) {
      const auto row = [&](std::vector<double>& array) {
        return std::span(array).subspan(static_cast<std::size_t>(j) * nx, nx);
      };
      for (std::size_t f = 0; f < parts.size(); ++f) s.initial_row(f, j, row(parts[f]));
      for (std::size_t c = 0; c < coefficients.size(); ++c) s.coefficient_row(c, j, row(coefficients[c]));
    }
  }

  double at(int array, int x, int y) const {
    const auto inside = [](int place, int cells, bool wraps) {
      return wraps ? ((place % cells) + cells) % cells : std::clamp(place, 0, cells - 1);
    };
    const int column = inside(x, system.nx(), system.options().periodic_x()),
              row = inside(y, system.ny(), system.options().periodic_y());
    const std::vector<double>& values = array >= pde_coefficients
                                            ? coefficients[static_cast<std::size_t>(array - pde_coefficients)]
                                            : parts[static_cast<std::size_t>(array)];
    return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(system.nx()) +
                  static_cast<std::size_t>(column)];
  }

  // From a solver on the CPU.
  void read(Solver& solver) {
    for (std::size_t f = 0; f < parts.size(); ++f) {
      const PdeSystem::Part& part = system.parts[f];
      const std::string name =
          part.field->complex ? part.field->name + (part.imaginary ? ".im" : ".re") : part.field->name;
      std::visit(
          [&](const auto& view) {
            if constexpr (requires { view.pitch; })
              for (int y = 0; y < view.ny; ++y)
                for (int x = 0; x < view.nx; ++x)
                  parts[f][static_cast<std::size_t>(y * view.nx + x)] = static_cast<double>(
                      view.value[static_cast<std::size_t>(y) * view.pitch + static_cast<std::size_t>(x)]);
          },
          solver.view(name));
    }
  }

  bool add_to(PdeSpectrum& spectrum, double time, bool whole = false) const {
    return add_waves(
        system, [this](int array, int x, int y) { return at(array, x, y); }, time, whole, spectrum);
  }
};

bool changes_in_time(const PdeSystem& system) {
  for (std::size_t n = 0; n < system.expressions.size(); ++n) {
    const Expressions::Node& node = system.expressions.node(static_cast<int>(n));
    if (node.kind == Expressions::Kind::variable && node.variable == Expressions::Variable::t) return true;
  }
  return false;
}

// Adds the waves of the state at the end of a run of the pilot.
void add_pilot(const PdeOptions& options, const Scene& scene, const std::shared_ptr<PdeProblem>& pilot,
               PdeLimit& limit) {
  const Executor executor = Executor::cpu();
  double step = 0.4 * limit.step;
  for (int attempt = 0; attempt < pilot_tries; ++attempt, step *= 0.5) {
    pilot->set_step(step);
    const double work = pilot->scheme.operations() * pilot->system->nx() * pilot->system->ny();
    double max = pilot_steps;  // a given step is that of the run, whose end is known then
    if (options.timestep)
      max = std::clamp(static_cast<double>(scene.animation.last_step()) * *options.timestep / step, 1.0, max);
    const auto steps = static_cast<std::int64_t>(std::min(std::clamp(pilot_work / work, 20.0, pilot_steps), max));
    const Communicator alone;
    const std::unique_ptr<Solver> solver = options.precision == Precision::float32
                                               ? make_pde_solver<float>(executor, alone, pilot)
                                               : make_pde_solver<double>(executor, alone, pilot);
    solver->step(steps);
    if (!solver->finite()) continue;
    Arrays arrays(*pilot->system);
    arrays.read(*solver);
    arrays.add_to(limit.spectrum, static_cast<double>(steps) * step);
    limit.step = largest_step(options, limit.spectrum);
    if (!changes_in_time(*pilot->system)) return;
    const double end = static_cast<double>(scene.animation.last_step()) * options.timestep.value_or(limit.step);
    for (int i = 0; i < later_times; ++i) arrays.add_to(limit.spectrum, end * (i + 0.5) / later_times);
    limit.step = largest_step(options, limit.spectrum);
    return;
  }
}

}  // namespace

PdeLimit find_limit(const PdeOptions& options, const Scene& scene) {
  const int nx = std::min(options.grid[0], pilot_cells), ny = std::min(options.grid[1], pilot_cells);
  const bool whole = nx == options.grid[0] && ny == options.grid[1];
  PdeLimit limit;
  // Cells that are spread over the grid see its parts, and those of its middle small seeds and steep slopes.
  std::vector<std::shared_ptr<PdeProblem>> pilots = {make_problem(options, nx, ny, &scene)};
  if (!whole) pilots.push_back(make_problem(options, nx, ny, &scene, true));
  for (const auto& pilot : pilots)
    if (!Arrays(*pilot->system).add_to(limit.spectrum, 0, whole)) {
      const auto all = make_problem(options, options.grid[0], options.grid[1], &scene);  // which tells
      Arrays(*all->system).add_to(limit.spectrum, 0, true);
    }
  limit.step = largest_step(options, limit.spectrum);
  for (const auto& pilot : pilots) {
    if (!std::isfinite(limit.step) || limit.step == 0) break;
    add_pilot(options, scene, pilot, limit);
  }
  return limit;
}

}  // namespace simreel
