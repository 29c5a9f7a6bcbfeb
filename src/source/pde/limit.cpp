#include "source/pde/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <variant>

#include "exec/executor.h"
#include "kernels/base/random.h"
#include "kernels/base/view.h"

namespace simreel {

std::shared_ptr<PdeProblem> make_problem(const PdeOptions& options, int nx, int ny, const Scene* scene, bool middle) {
  auto problem = std::make_shared<PdeProblem>();
  problem->options = options;
  problem->system = std::make_unique<PdeSystem>(problem->options, nx, ny, scene, middle);
  for (const PdeSystem::Shown& shown : problem->system->shown) {
    FieldInfo info;
    info.name = shown.name;
    if (shown.angle) info.unit = "rad", info.colormap = "phase";
    info.has_sign = shown.has_sign;
    problem->infos.push_back(info);
  }
  return problem;
}

void PdeProblem::set_step(double step) {
  timestep = step;
  scheme = make_scheme(*system, step);
  halo = scheme.deepest();
  exchange = std::max(1, scheme.reach());
  const auto look = [&](int node) {
    const PdeStage stage = make_stage(*system, 0, 0, {node});
    halo = std::max(halo, stage.deepest());
    exchange = std::max(exchange, stage.reach());
  };
  for (const PdeSystem::Shown& shown : system->shown) look(shown.node);
  for (const int node : system->measures) look(node);
}

namespace {

constexpr int pilot_cells = 64, pilot_tries = 4;                     // cells along x and y, at max
constexpr double pilot_steps = 2000, pilot_work = 1e8, share = 0.4;  // of the limit, as the step
constexpr int small_cells = 64;                                      // of a pilot whose step adapts itself, at max,
constexpr double small_steps = 20000, small_work = 3e7;
constexpr double tolerance = 1e-3;  // of such a step, of the value of each cell
constexpr int max_samples = 200;    // cells at random, of a system of up to 8 values a cell; fewer of larger ones
constexpr double counts = 0.9;      // a state on the way counts if its limit is below this share of the known one
constexpr double told_cells = 4e6;  // of a grid whose cells are searched for a rate that is not finite, at max
constexpr int later_times = 8;      // of the run, at which coefficients that change in time are looked at

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
      if (place >= 0 && place < cells) return place;  // nearly all, and divisions take long
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
};

bool changes_in_time(const PdeSystem& system) {
  for (std::size_t n = 0; n < system.expressions.size(); ++n) {
    const Expressions::Node& node = system.expressions.node(static_cast<int>(n));
    if (node.kind == Expressions::Kind::variable && node.variable == Expressions::Variable::t) return true;
  }
  return false;
}

// A small run on a part of the grid: of cells that are spread over it, or those of its middle.
class Pilot {
 public:
  Pilot(const PdeOptions& options, const Scene& scene, std::array<int, 2> cells, bool middle)
      : options_(options),
        scene_(scene),
        problem_(make_problem(options, cells[0], cells[1], &scene, middle)),
        system_(*problem_->system),
        symbol_(system_),
        now_(system_) {}

  bool whole() const { return system_.nx() == options_.grid[0] && system_.ny() == options_.grid[1]; }
  // Operations that all formulas take at a cell, about.
  double formulas() const { return 20.0 * static_cast<double>(system_.expressions.size()); }
  // Whether all states have the same waves.
  bool simple() const { return symbol_.linear() && !changes_in_time(system_); }

  // Adds the waves of cells at random. A rate that is not finite there is a UsageError if they are cells of the whole
  // grid; else the rest of the waves is left out, and the result is false.
  bool add_random(double time, PdeSpectrum& spectrum) {
    const std::size_t n = system_.parts.size();
    const int samples = std::min(max_samples, static_cast<int>(max_samples * 512 / (n * n * n)));
    for (int sample = 0; sample < std::max(4, std::min(samples, fit(2e7))); ++sample) {
      const auto [x, y] = random_cell(static_cast<std::uint64_t>(sample));
      if (std::isfinite(symbol_.differentiate(state(), time, x, y))) {
        symbol_.add_waves(spectrum);
        continue;
      }
      if (!whole()) return false;
      for (std::size_t f = 0; f < n; ++f)
        if (const double rate = symbol_.rate(f); !std::isfinite(rate))
          fail_in(system_.parts[f].field->rate,
                  fmt::format("the rate of {} is {} at the cell [{}, {}] at time {:.4g}; keep divisors from 0, and "
                              "roots and logarithms from what is below it",
                              system_.parts[f].field->name, rate, x, y, time));
    }
    return true;
  }

  // Looks at all cells of a state, or as many as can be, and takes its limit if it is well below the known one. The
  // result is that of the state.
  double look(double time, PdeLimit& limit) {
    std::vector<std::array<int, 2>> cells;
    const int all = system_.nx() * system_.ny(), step = 1 + all / fit(4e6);
    for (int i = 0; i < all; i += step) cells.push_back({i % system_.nx(), i / system_.nx()});
    PdeSpectrum there = {{}, limit.spectrum.decay, limit.spectrum.growth, limit.spectrum.frequency, {}};
    const double here = limit_of_state(options_, symbol_, state(), time, cells, there);
    limit.growth = std::max(limit.growth, there.growth);
    if (here >= counts * limit.step) return here;
    limit.step = here;
    std::ranges::move(limit.spectrum.waves, std::back_inserter(there.waves));
    there.seen.merge(limit.spectrum.seen);
    limit.spectrum = std::move(there);
    return here;
  }

  double look_at(Solver& solver, double time) {
    now_.read(solver);
    PdeLimit limit;
    return look(time, limit);
  }

  // Follows the solution with steps that adapt themselves (Bogacki and Shampine 1989, "A 3(2) pair of Runge-Kutta
  // formulas"), so with what stiffness there is, and looks at states stiffer than those before. False where it cannot
  // be followed: what was seen on the way to infinity does not count.
  bool adapt(PdeLimit& limit) {
    std::array<double, 2> stiffest = stiffness(0);
    double time = 0, step = 1e-6 / (stiffest[0] + 1);
    const double first = largest();
    // A whole grid has one such pilot, and a larger one two.
    const double work = static_cast<double>(symbol_.work()) * cells();
    double left = std::min(small_steps, (whole() ? 2 : 1) * small_work / work);
    State start = now_.parts, k1 = rates(0), k2, k3, k4;
    for (int accepted = 0; left > 0 && time < end(limit) * (1 - 1e-12); --left) {
      step = std::min({step, end(limit) - time, end(limit) / 64});
      k2 = go(start, time, step / 2, {{1, &k1}});
      k3 = go(start, time, step * 0.75, {{1, &k2}});
      k4 = go(start, time, step, {{2.0 / 9, &k1}, {1.0 / 3, &k2}, {4.0 / 9, &k3}});
      double worst = 0;  // error, in tolerances
      for (std::size_t f = 0; f < start.size(); ++f) {
        const double scale =
            1e-2 * std::fabs(*std::ranges::max_element(now_.parts[f], {}, [](double v) { return std::fabs(v); }));
        for (std::size_t i = 0; i < start[f].size(); ++i) {
          const double wrong = step * (5 * k1[f][i] - 6 * k2[f][i] - 8 * k3[f][i] + 9 * k4[f][i]) / 72;
          const double one = std::fabs(wrong) / (tolerance * (std::fabs(now_.parts[f][i]) + scale) + 1e-30);
          if (!(one <= worst)) worst = std::isnan(one) ? 1e30 : one;
        }
      }
      if (worst <= 1) {
        start = now_.parts, k1 = k4, time += step;
        if (++accepted % 4 == 0) {
          const std::array<double, 2> now = stiffness(time);
          if (now[0] > 1.05 * stiffest[0] || now[1] > 1.05 * stiffest[1]) {
            look(time, limit);
            for (std::size_t i = 0; i < 2; ++i) stiffest[i] = std::max(stiffest[i], now[i]);
          }
        }
      }
      now_.parts = start;
      const double last = step;
      step *= std::clamp(0.9 / std::cbrt(worst + 1e-9), 0.2, 5.0);
      if (!(last > 1e-14 * time) || largest() > 1e3 * (1 + first)) return false;
    }
    return true;
  }

  // Runs with a share of the limit, a step of the scene's scheme, and looks at states on the way. What comes to a state
  // that does not bear the step, or is not finite, is tried with half of it.
  void run(PdeLimit& limit) {
    double step = share * std::min(limit.step, 2 / limit.growth);
    for (int attempt = 0; attempt < pilot_tries; ++attempt, step *= 0.5) {
      if (!std::isfinite(step) || step == 0) return;
      problem_->set_step(step);
      const double work = problem_->scheme.operations() * cells();
      double max = pilot_steps;  // to the end of the run, where it is known or matters
      if (options_.timestep || changes_in_time(system_)) max = std::clamp(end(limit) / step, 1.0, max);
      const auto steps = static_cast<std::int64_t>(std::min(std::clamp(pilot_work / work, 20.0, pilot_steps), max));
      const std::unique_ptr<Solver> solver = options_.precision == Precision::float32
                                                 ? make_pde_solver<float>(executor_, alone_, problem_)
                                                 : make_pde_solver<double>(executor_, alone_, problem_);
      PdeLimit found = limit;
      bool borne = true;
      for (std::int64_t part = 1; part <= 8 && borne; ++part) {
        solver->step(part * steps / 8 - solver->steps_done());
        now_.read(*solver);
        borne = solver->finite() && look(static_cast<double>(solver->steps_done()) * step, found) >= step;
      }
      if (!borne) continue;
      limit = std::move(found);
      return look_at_end(static_cast<double>(steps) * step, limit);
    }
  }

 private:
  using State = std::vector<std::vector<double>>;  // of each part

  // Looks at cells at random of the state that the run came to; at later times too, where the rates depend on them.
  void look_at_end(double end, PdeLimit& limit) {
    const auto add = [&](double time) { add_random(time, limit.spectrum); };
    const auto settle = [&] {
      limit.step = largest_step(options_, limit.spectrum);
      limit.growth = std::max(limit.growth, limit.spectrum.growth);
    };
    add(end), settle();
    if (!changes_in_time(system_) || !std::isfinite(limit.step)) return;
    const double last = static_cast<double>(scene_.animation.last_step()) * options_.timestep.value_or(limit.step);
    for (int i = 0; i < later_times; ++i) add(last * (i + 0.5) / later_times);
    settle();
  }

  PdeState state() const {
    return [this](int array, int x, int y) { return now_.at(array, x, y); };
  }
  // How many cells can be looked at in so many operations.
  int fit(double operations) const { return 1 + static_cast<int>(operations / static_cast<double>(symbol_.work())); }
  std::array<int, 2> random_cell(std::uint64_t number) const {
    return {static_cast<int>(random_unit(5, 1, 2 * number) * system_.nx()),
            static_cast<int>(random_unit(5, 1, 2 * number + 1) * system_.ny())};
  }
  int cells() const { return system_.nx() * system_.ny(); }
  double largest() const {
    double most = 0;
    for (const std::vector<double>& part : now_.parts)
      for (const double value : part) most = std::max(most, std::fabs(value));
    return most;
  }
  template <class Use>
  void for_cells(const Use& use) const {
    for (int y = 0, i = 0; y < system_.ny(); ++y)
      for (int x = 0; x < system_.nx(); ++x, ++i) use(static_cast<std::size_t>(i), x, y);
  }
  // The norms of the derivatives, and what decays by itself: the norm is large in a jump, and small where it ends.
  std::array<double, 2> stiffness(double time) {
    std::array<double, 2> most = {};
    const auto every = static_cast<std::size_t>(1 + cells() / fit(1e6));
    for_cells([&](std::size_t i, int x, int y) {
      if (i % every != 0 || !std::isfinite(symbol_.differentiate(state(), time, x, y))) return;
      most = {std::max(most[0], symbol_.norm()), std::max(most[1], symbol_.own())};
    });
    return most;
  }
  State rates(double time) {
    State rates = now_.parts;
    for_cells([&](std::size_t i, int x, int y) {
      symbol_.evaluate(state(), time, x, y);
      for (std::size_t f = 0; f < rates.size(); ++f) rates[f][i] = symbol_.rate(f);
    });
    return rates;
  }
  // The rates where a step with weighted ones leads to.
  State go(const State& start, double time, double step, std::initializer_list<std::pair<double, const State*>> by) {
    now_.parts = start;
    for (std::size_t f = 0; f < start.size(); ++f)
      for (const auto& [weight, rates] : by)
        for (std::size_t i = 0; i < start[f].size(); ++i) now_.parts[f][i] += step * weight * (*rates)[f][i];
    return rates(time + step);
  }
  double end(const PdeLimit& limit) const {  // of the scene's run
    return static_cast<double>(scene_.animation.last_step()) *
           options_.timestep.value_or(0.8 * std::min(limit.step, 2 / limit.growth));
  }

  const PdeOptions& options_;
  const Scene& scene_;
  std::shared_ptr<PdeProblem> problem_;
  const PdeSystem& system_;
  PdeSymbol symbol_;
  Arrays now_;
  const Executor executor_ = Executor::cpu(1);  // so few cells would wait for threads longer than they take
  const Communicator alone_;
};

}  // namespace

double limit_of_state(const PdeOptions& options, PdeSymbol& symbol, const PdeState& state, double time,
                      std::span<const std::array<int, 2>> cells, PdeSpectrum& spectrum) {
  std::vector<std::pair<double, std::size_t>> decays;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (const double decay = symbol.differentiate(state, time, cells[i][0], cells[i][1]); std::isfinite(decay))
      decays.emplace_back(-decay, i);
  const std::size_t stiffest = std::min<std::size_t>(symbol.parts() <= 8 ? 4 : 1, decays.size());
  std::ranges::partial_sort(decays, decays.begin() + static_cast<std::ptrdiff_t>(stiffest));
  for (std::size_t k = 0; k < stiffest; ++k) {
    const auto [x, y] = cells[decays[k].second];
    symbol.differentiate(state, time, x, y);
    symbol.add_waves(spectrum);
  }
  const double step = largest_step(options, spectrum);
  return step > 0 ? step : std::numeric_limits<double>::infinity();
}

double limit_at_end(const PdeProblem& problem, const Scene& scene, bool middle, Solver& solver) {
  Pilot pilot(problem.options, scene, {problem.system->nx(), problem.system->ny()}, middle);
  return pilot.look_at(solver, static_cast<double>(solver.steps_done()) * problem.timestep);
}

PdeSpectrum spectrum_at_start(const PdeOptions& options, const Scene& scene, std::array<int, 2> cells) {
  PdeSpectrum spectrum;
  Pilot(options, scene, cells, false).add_random(0, spectrum);
  return spectrum;
}

PdeLimit find_limit(const PdeOptions& options, const Scene& scene) {
  PdeLimit limit;
  const auto [nx, ny] = options.grid;
  const auto pilot = [&](int x, int y, bool middle) {
    return std::make_unique<Pilot>(options, scene, std::array{std::min(nx, x), std::min(ny, y)}, middle);
  };
  // Cells that are spread over the grid see its parts, and those of its middle small seeds and steep slopes.
  std::vector<std::unique_ptr<Pilot>> pilots;
  pilots.push_back(pilot(pilot_cells, pilot_cells, false));
  if (!pilots[0]->whole()) pilots.push_back(pilot(pilot_cells, pilot_cells, true));
  for (const auto& one : pilots)
    if (const double all = static_cast<double>(nx) * ny;
        !one->add_random(0, limit.spectrum) && all <= told_cells && scene.effort->bears(all * one->formulas(), 0)) {
      PdeSpectrum unused;
      pilot(nx, ny, false)->add_random(0, unused);  // which tells
    }
  limit.step = largest_step(options, limit.spectrum);
  for (const auto& one : pilots) one->look(0, limit);
  if (pilots[0]->simple() || limit.step == 0) return limit;
  // Pilots with steps of their own first: one of the scheme that a later state does not bear comes to nonsense.
  PdeLimit careful = limit;
  for (const bool middle : {false, true}) {
    const int rows = std::clamp(small_cells / nx, 8, small_cells);
    const auto small = pilot(small_cells / std::min(rows, ny), rows, middle);
    PdeLimit found = careful;
    const bool followed = small->adapt(found);
    if (followed) careful = std::move(found);
    if (!followed && small->whole()) careful.lost = true;
    if (small->whole()) break;
  }
  if (careful.step < share * limit.step) limit = careful;
  for (const auto& one : pilots) one->run(limit);
  PdeLimit& least = careful.step < counts * limit.step ? careful : limit;
  least.growth = std::max(limit.growth, careful.growth);
  least.lost = careful.lost;
  return std::move(least);
}

}  // namespace simreel
