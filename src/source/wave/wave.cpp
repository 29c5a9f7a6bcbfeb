#include "source/wave/wave.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "exec/buffer.h"
#include "source/wave/droplets.h"

namespace simreel {
namespace {

constexpr std::string_view fields[] = {"height", "velocity"};
constexpr std::string_view diagnostics[] = {"step", "time", "energy", "max_abs"};
constexpr std::string_view kernels[] = {"auto", "naive", "tiled"};
constexpr std::string_view boundaries[] = {"fixed", "free", "periodic", "absorbing"};
constexpr std::string_view initial_states[] = {"rest", "mode", "noise"};
constexpr std::string_view precisions[] = {"float", "double"};
enum class WaveKernel { automatic, naive, tiled };
enum class InitialState { rest, mode, noise };
enum class Precision { float32, float64 };

struct WaveOptions {
  std::array<int, 2> grid = {512, 512};
  double speed = 1, spacing = 1, timestep = 0.05, damping = 0.002;
  WaveBoundary boundary = WaveBoundary::fixed;
  InitialState initial = InitialState::rest;
  std::array<int, 2> mode = {1, 1};
  double amplitude = 1;
  Precision precision = Precision::float32;
  WaveKernel kernel = WaveKernel::automatic;
  std::vector<DropletOptions> droplets;
  RainOptions rain;
};

double courant_number(const WaveOptions& o) { return o.speed * o.timestep / o.spacing; }

// Von Neumann: with lambda = c dt / dx the scheme is stable while 8 lambda^2 <= 4 - 2 k dt, which without damping is
// lambda <= 1 / sqrt(2). The largest dt is the root of that quadratic.
double largest_timestep(const WaveOptions& o) {
  const double rate = o.speed / o.spacing, half_damping = o.damping / 4;
  return 1 / (half_damping + std::sqrt(half_damping * half_damping + 2 * rate * rate));
}

WaveOptions read_options(Table& keys) {
  const Range positive = Range::between(1e-30, 1e30);  // so that squares of ratios stay finite
  WaveOptions o;
  keys.require("grid", "grid = [512, 512]");
  keys.read("grid", o.grid, "cells along x and y", Range::between(1, 1 << 24));
  keys.read("speed", o.speed, "wave speed c", positive);
  keys.read("spacing", o.spacing, "distance of neighbouring cells, dx = dy", positive);
  keys.read("timestep", o.timestep, "dt; c dt / dx must be at most 1/sqrt(2), with damping less", Range::above(0));
  keys.read("damping", o.damping, "k, per unit of time", Range::between(0, 1e30));
  keys.choose("boundary", o.boundary, boundaries, "what lies beyond the sides");
  keys.choose("initial", o.initial, initial_states,
              "state at step 0: rest, a standing wave of the fixed grid, or random heights from the seed");
  keys.read("mode", o.mode, "initial = \"mode\": half waves along x and y", Range::between(1, 1 << 24));
  keys.read("amplitude", o.amplitude, "initial = \"mode\" or \"noise\": largest height");
  keys.choose("precision", o.precision, precisions, "of the state and the arithmetic");
  keys.choose("kernel", o.kernel, kernels,
              "naive is one step a pass over memory, tiled several; the bits are the same");
  for (Table& entry : keys.tables(
           "droplet",
           "Gaussian pulses -amplitude exp(-r^2 / radius^2) added to the height at one step and not at the one before, "
           "so each also pushes the surface, with the speed amplitude / timestep")) {
    DropletOptions droplet;
    std::array<double, 2> position = {(o.grid[0] - 1) / 2.0, (o.grid[1] - 1) / 2.0};
    entry.read("time", droplet.time, "simulated time at which it falls", Range::at_least(0));
    entry.read("position", position, "cells; the default is the middle of the grid");
    entry.read("radius", droplet.drop.radius, "cells; cut off beyond twice this along x or y", Range::above(0));
    entry.read("amplitude", droplet.drop.amplitude,
               "depth of the pulse; what it sets moving grows as amplitude / timestep");
    droplet.drop.center_x = position[0];
    droplet.drop.center_y = position[1];
    o.droplets.push_back(droplet);
  }
  Table rain = keys.table("rain", "random droplets, from the scene's seed; without this table there are none");
  double rate = 2;
  rain.read("rate", rate, "droplets per unit of simulated time", Range::at_least(0));
  if (keys.has("rain")) o.rain.rate = rate;
  rain.read("radius", o.rain.radius, "cells", Range::above(0));
  rain.read("amplitude", o.rain.amplitude, "depth of a pulse");
  return o;
}

void check_options(const Table& keys, const WaveOptions& o) {
  const double largest = largest_timestep(o);
  // A hair of tolerance: 1/sqrt(2) written with 16 digits may lie above the limit.
  if (o.timestep > largest * (1 + 1e-12)) {
    const double unit = std::pow(10, std::floor(std::log10(largest)) - 6);
    const double named = std::floor(largest / unit) * unit;  // rounded down, so that it is stable as it is printed
    keys.fail(
        "timestep",
        fmt::format(
            "the time step is unstable: c dt / dx = {:.6g}, but it must be at most 1/sqrt(2) = 0.707107{}; the largest "
            "timestep is {:.7g}",
            courant_number(o),
            o.damping > 0 ? fmt::format(", with this damping {:.6g}", o.speed * largest / o.spacing) : "", named));
  }
  constexpr double most_drops = 1000;  // a step; more would be noise, and a run that never ends
  if (o.rain.rate * o.timestep > most_drops)
    keys.fail("rain", fmt::format("rate = {:.6g} is more than {} droplets a step; the largest rate is {:.6g}",
                                  o.rain.rate, most_drops, most_drops / o.timestep));
  if (o.initial != InitialState::mode) keys.refuse_without("initial = \"mode\"", "mode");
  if (o.initial == InitialState::rest)
    keys.refuse_without("initial = \"mode\" or \"noise\"; droplets have their own", "amplitude");
  if (o.initial == InitialState::mode && o.boundary != WaveBoundary::fixed)
    keys.fail("initial",
              "a mode stands between fixed walls; use boundary = \"fixed\", or initial = \"rest\" with droplets");
  if (o.initial == InitialState::mode && (o.mode[0] > o.grid[0] || o.mode[1] > o.grid[1]))
    keys.fail("mode",
              fmt::format("a grid of {} x {} cells has no more than that many half waves", o.grid[0], o.grid[1]));
}

template <class Real>
WaveParams<Real> make_params(const WaveOptions& o) {
  return wave_params<Real>(o.grid[0], o.grid[1], o.boundary, courant_number(o), o.damping * o.timestep);
}

template <class Real>
class WaveSolver final : public Solver {
 public:
  WaveSolver(const Executor& executor, const WaveOptions& options, std::string_view field, std::uint64_t seed)
      : executor_(executor),
        options_(options),
        velocity_(field == "velocity"),
        params_(make_params<Real>(options)),
        droplets_(options.droplets, options.rain, seed, params_.nx, params_.ny, options.timestep),
        reduce_scratch_(executor, wave_reduce_bytes(params_)) {
    const std::size_t values = params_.pitch * static_cast<std::size_t>(params_.ny);
    for (int i = 0; i < 2; ++i) {
      u_[i] = Buffer<Real>(executor, values);
      d_[i] = Buffer<Real>(executor, values);
    }
    u_[0].clear();
    d_[0].clear();
    if (options.kernel != WaveKernel::naive)
      pass_scratch_ = Buffer<Real>(executor, wave_scratch_values(executor), Memory::pinned);
    if (options.initial == InitialState::mode)
      wave_mode(executor_, params_, options.mode[0], options.mode[1], options.amplitude, state());
    if (options.initial == InitialState::noise) wave_noise(executor_, params_, seed, options.amplitude, state());
    let_fall();
  }

  void step(std::int64_t count) override {
    const std::int64_t end = steps_done_ + count;
    while (steps_done_ < end) {
      advance(std::min(end, droplets_.next_step()) - steps_done_);
      let_fall();
    }
  }

  View view() override {
    const Real* value = u_[current_].data();
    if (velocity_) {
      Real* const spare = u_[1 - current_].data();
      wave_velocity(executor_, params_, d_[current_].data(), options_.timestep, spare);
      value = spare;
    }
    return FieldView<Real>{value, params_.nx, params_.ny, params_.pitch};
  }

  std::vector<double> diagnose() override {
    const double energy = wave_energy(executor_, params_, now(), options_.speed, options_.spacing, options_.timestep,
                                      reduce_scratch_.data());
    return {static_cast<double>(steps_done_), static_cast<double>(steps_done_) * options_.timestep, energy, max_abs()};
  }

  bool finite() override { return std::isfinite(max_abs()); }

  void save(Checkpoint& checkpoint) const override {
    checkpoint.save_value("step", steps_done_);
    checkpoint.save("height", u_[current_]);
    checkpoint.save("increment", d_[current_]);
  }

  void load(const Checkpoint& checkpoint) override {
    checkpoint.load("height", u_[current_]);
    checkpoint.load("increment", d_[current_]);
    steps_done_ = checkpoint.load_value<std::int64_t>("step");
    while (droplets_.next_step() <= steps_done_) droplets_.take();  // they have fallen
  }

 private:
  WaveState<const Real> now() const { return {u_[current_].data(), d_[current_].data()}; }
  WaveState<Real> state() { return {u_[current_].data(), d_[current_].data()}; }
  WaveState<Real> next() { return {u_[1 - current_].data(), d_[1 - current_].data()}; }
  double max_abs() { return wave_max_abs(executor_, params_, u_[current_].data(), reduce_scratch_.data()); }

  void advance(std::int64_t count) {
    const std::int64_t most = options_.kernel == WaveKernel::naive ? 1 : wave_max_pass();
    // Passes of equal length: 13 steps are better done as 7 and 6 than as 12 and 1.
    for (std::int64_t passes = (count + most - 1) / most; passes > 0; --passes) {
      const auto steps = static_cast<int>((count + passes - 1) / passes);
      if (options_.kernel == WaveKernel::naive)
        wave_step(executor_, params_, now(), next());
      else
        wave_pass(executor_, params_, steps, now(), next(), pass_scratch_.data());
      current_ = 1 - current_;
      count -= steps;
      steps_done_ += steps;
    }
  }

  void let_fall() {
    while (droplets_.next_step() <= steps_done_) wave_droplet(executor_, params_, droplets_.take(), state());
  }

  const Executor& executor_;
  WaveOptions options_;
  bool velocity_;
  WaveParams<Real> params_;
  Droplets droplets_;
  Buffer<Real> u_[2], d_[2];  // the state now and, by turns, the next one
  int current_ = 0;
  Buffer<Real> pass_scratch_;
  Buffer<std::byte> reduce_scratch_;
};

template <class Real>
SolverPlan make_plan(const WaveOptions& options, const Scene& scene) {
  const WaveParams<Real> p = make_params<Real>(options);
  SolverPlan plan;
  plan.bytes = [p, naive = options.kernel == WaveKernel::naive](const Executor& executor) {
    const std::size_t state = 4 * p.pitch * static_cast<std::size_t>(p.ny);
    return (state + (naive ? 0 : wave_scratch_values(executor))) * sizeof(Real) + wave_reduce_bytes(p);
  };
  plan.saved_bytes = 2 * p.pitch * static_cast<std::size_t>(p.ny) * sizeof(Real);
  plan.view_bytes = static_cast<std::size_t>(p.nx) * static_cast<std::size_t>(p.ny) * sizeof(Real);
  plan.size_key = "grid";
  plan.timestep = options.timestep;
  plan.cells = static_cast<double>(p.nx) * p.ny;
  plan.bytes_per_cell = 4 * sizeof(Real);
  plan.summary = fmt::format("wave, {} x {} cells, {}, {} boundary, c dt / dx = {:.4g}", p.nx, p.ny,
                             precisions[static_cast<int>(options.precision)],
                             boundaries[static_cast<int>(options.boundary)], courant_number(options));
  plan.create = [options, field = scene.view.field,
                 seed = scene.seed](const Executor& executor) -> std::unique_ptr<Solver> {
    return std::make_unique<WaveSolver<Real>>(executor, options, field, seed);
  };
  return plan;
}

SolverPlan plan_wave(Table& keys, const Scene& scene) {
  const WaveOptions options = read_options(keys);
  check_options(keys, options);
  return options.precision == Precision::float32 ? make_plan<float>(options, scene) : make_plan<double>(options, scene);
}

}  // namespace

SolverKind wave_solver() {
  return {"wave",  "damped wave equation u_tt + k u_t = c^2 (u_xx + u_yy), leapfrog on a grid",
          fields,  diagnostics,
          kernels, plan_wave};
}

}  // namespace simreel
