#include "source/wave/wave.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "exec/buffer.h"
#include "source/wave/options.h"

namespace simreel {
namespace {

constexpr FieldInfo wave_fields[] = {{.name = "height", .unit = "", .has_sign = true},
                                     {.name = "velocity", .unit = "1/time", .has_sign = true}};
constexpr std::string_view diagnostics[] = {"step", "time", "energy", "max_abs"};
template <class Real>
WaveParams<Real> make_params(const WaveOptions& o) {
  return wave_params<Real>(o.grid[0], o.grid[1], o.boundary, o.courant_number(), o.damping * o.timestep);
}

template <class Real>
class WaveSolver final : public Solver {
 public:
  WaveSolver(const Executor& executor, const WaveOptions& options, std::uint64_t seed)
      : executor_(executor),
        options_(options),
        params_(make_params<Real>(options)),
        droplets_(options.droplets, options.rain, seed, params_.nx, params_.ny, options.timestep),
        reduce_scratch_(executor, wave_reduce_bytes(params_)) {
    const std::size_t values = params_.pitch * static_cast<std::size_t>(params_.ny);
    for (int i = 0; i < 2; ++i) {
      u_[i] = Buffer<Real>(executor, values);
      d_[i] = Buffer<Real>(executor, values);
      u_[i].clear();  // a checkpoint has the ends of the rows, too, which no step writes
      d_[i].clear();
    }
    if (options.kernel != WaveKernel::naive)
      pass_scratch_ = Buffer<Real>(executor, wave_scratch_values(executor), Memory::pinned);
    if (options.initial == WaveInitial::mode)
      wave_mode(executor_, params_, options.mode[0], options.mode[1], options.amplitude, state());
    if (options.initial == WaveInitial::noise) wave_noise(executor_, params_, seed, options.amplitude, state());
    let_fall();
  }

  void step(std::int64_t count) override {
    const std::int64_t end = steps_done_ + count;
    while (steps_done_ < end) {
      advance(std::min(end, droplets_.next_step()) - steps_done_);
      let_fall();
    }
  }

  std::span<const FieldInfo> fields() const override { return wave_fields; }

  View view(std::string_view field) override {
    const Real* value = u_[current_].data();
    if (fields()[field_index(field)].name == "velocity") {
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
  WaveParams<Real> params_;
  Droplets droplets_;
  Buffer<Real> u_[2], d_[2];  // the state now and, by turns, the next one
  int current_ = 0;
  Buffer<Real> pass_scratch_;
  Buffer<std::byte> reduce_scratch_;
};

template <class Real>
SolverPlan make_plan(const WaveOptions& options, const Table& keys, const Scene& scene) {
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
  plan.updates_per_step = static_cast<double>(p.nx) * p.ny;
  plan.bytes_per_update = 4 * sizeof(Real);
  plan.summary = wave_summary(options);
  plan.facts = wave_facts(options);
  plan.warnings = wave_warnings(options, keys, scene);
  plan.smaller = [options, keys, scene](double updates) {
    WaveOptions small = options;
    small.grid = smaller_grid(options.grid, updates);
    small.mode = {1, 1};
    return make_plan<Real>(small, keys, scene);
  };
  plan.create = [options, seed = scene.seed](const Executor& executor) -> std::unique_ptr<Solver> {
    return std::make_unique<WaveSolver<Real>>(executor, options, seed);
  };
  return plan;
}

SolverPlan plan_wave(Table& keys, const Scene& scene) {
  const WaveOptions options = read_wave_options(keys);
  return options.precision == Precision::float32 ? make_plan<float>(options, keys, scene)
                                                 : make_plan<double>(options, keys, scene);
}

}  // namespace

SolverKind wave_solver() {
  return {"wave",
          "damped wave equation u_tt + k u_t = c^2 (u_xx + u_yy), leapfrog on a grid",
          wave_fields,
          diagnostics,
          wave_kernels,
          plan_wave,
          [](Table& keys, const Scene&) { return wave_look(read_wave_options(keys)); },
          [](Table& keys) { read_wave_options(keys); }};
}

}  // namespace simreel
