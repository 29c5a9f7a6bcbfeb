#include "source/solvers.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "exec/buffer.h"
#include "kernels/wave/cell.h"
#include "ranks/slab.h"
#include "source/grid_plan.h"
#include "source/grid_values.h"
#include "source/wave/medium.h"
#include "source/wave/options.h"

namespace simreel {
namespace {

constexpr FieldInfo wave_fields[] = {{.name = "height", .unit = "", .has_sign = true},
                                     {.name = "velocity", .unit = "1/time", .has_sign = true}};
constexpr std::string_view diagnostics[] = {"step", "time", "energy", "max_abs"};

// Of the whole grid.
template <class Real>
WaveParams<Real> make_params(const WaveOptions& o) {
  return wave_params<Real>(o.grid[0], o.grid[1], o.boundary, o.courant_number(), o.damping * o.timestep);
}

bool wraps_y(const WaveOptions& o) { return wave_wraps(o.sides[2]); }

// Rows that a rank keeps of its neighbours, for one to three passes.
int wave_halo(const Executor& executor, int ranks, const WaveOptions& o) {
  constexpr double cells_an_exchange = 50e6;  // on H200s: 33 microseconds
  return halo_rows(executor.backend(), o.grid, ranks, wave_max_pass(), 3 * wave_max_pass(), cells_an_exchange);
}

template <class Real>
class WaveSolver final : public Solver {
 public:
  WaveSolver(const Executor& executor, const Communicator& ranks, const WaveOptions& options, LbmGeometry geometry,
             std::uint64_t seed)
      : executor_(executor),
        options_(options),
        slab_(executor, ranks, options.grid[1], wave_halo(executor, ranks.size(), options), wraps_y(options)),
        params_(wave_part_of(make_params<Real>(options), slab_.domain())),
        droplets_(options.droplets, options.rain, seed, params_.nx, params_.whole_ny, options.timestep),
        reduce_scratch_(executor, wave_reduce_bytes(params_)),
        divided_(executor, ranks, slab_, [this](std::string_view field) { return part(field); }) {
    const std::size_t values = params_.pitch * static_cast<std::size_t>(params_.ny);
    for (int i = 0; i < 2; ++i) {
      u_[i] = Buffer<Real>(executor, values);
      d_[i] = Buffer<Real>(executor, values);
      u_[i].clear();  // a checkpoint has the padding of the rows too, most of which no step writes
      d_[i].clear();
    }
    if (options.kernel != WaveKernel::naive)
      pass_scratch_ = Buffer<Real>(executor, wave_scratch_values(executor), Memory::pinned);
    if (options.medium)
      medium_ = std::make_unique<Medium<Real>>(executor, options, params_, slab_.domain(), std::move(geometry), seed);
    if (options.initial == WaveInitial::mode)
      wave_mode(executor_, params_, options.mode[0], options.mode[1], options.amplitude, state());
    if (options.initial == WaveInitial::noise) wave_noise(executor_, params_, seed, options.amplitude, state());
    if (options.initial == WaveInitial::given) set_given();
    if (medium_) {
      wave_clear_solids(executor_, medium_->kernels(), state());
      if (medium_->weights().column != nullptr) wave_weigh(executor_, params_, medium_->weights(), state());
      medium_->forget_host_copies();
    }
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

  View view(std::string_view field) override { return slab_.whole(part(field)); }
  DividedFields* divided() override { return slab_.alone() ? nullptr : &divided_; }

  std::vector<double> diagnose() override {
    const double lambda = options_.courant_number();
    refresh(1);
    const double energy =
        medium_ ? wave_medium_energy(executor_, medium_->kernels(), slab_.own_rows(), now(), lambda * lambda,
                                     options_.speed, options_.spacing, options_.timestep, reduce_scratch_.data())
                : wave_energy(executor_, params_, slab_.own_rows(), now(), options_.speed, options_.spacing,
                              options_.timestep, reduce_scratch_.data());
    return {static_cast<double>(steps_done_), static_cast<double>(steps_done_) * options_.timestep, energy, max_abs()};
  }

  bool finite() override { return std::isfinite(max_abs()); }

  void save(Checkpoint& checkpoint) const override {
    checkpoint.save_value("step", steps_done_);
    slab_.save(checkpoint, "height", state_bytes(), own_rows(u_[current_]));
    slab_.save(checkpoint, "increment", state_bytes(), own_rows(d_[current_]));
    if (medium_) medium_->save(checkpoint, slab_);
  }

  void load(const Checkpoint& checkpoint) override {
    slab_.load(checkpoint, "height", state_bytes(), own_rows(u_[current_]));
    slab_.load(checkpoint, "increment", state_bytes(), own_rows(d_[current_]));
    if (medium_) medium_->load(checkpoint, slab_);
    slab_.invalidate();
    steps_done_ = checkpoint.load_value<std::int64_t>("step");
    while (droplets_.next_step() <= steps_done_) droplets_.pop();  // they have fallen
  }

 private:
  // The rows in memory.
  FieldView<Real> part(std::string_view field) {
    const Real* value = u_[current_].data();
    if (fields()[field_index(field)].name == "velocity") {
      Real* const spare = u_[1 - current_].data();
      wave_velocity(executor_, params_, d_[current_].data(), options_.timestep, spare);
      value = spare;
    }
    FieldView<Real> view{value, params_.nx, params_.ny, params_.pitch};
    if (medium_) view.cell = medium_->cell(), view.outline = medium_->outline();
    return view;
  }

  WaveState<const Real> now() const { return {u_[current_].data(), d_[current_].data()}; }
  WaveState<Real> state() { return {u_[current_].data(), d_[current_].data()}; }
  WaveState<Real> next() { return {u_[1 - current_].data(), d_[1 - current_].data()}; }
  double max_abs() {
    return wave_max_abs(executor_, params_, slab_.own_rows(), u_[current_].data(), reduce_scratch_.data());
  }

  std::size_t state_bytes() const {  // of one array of the whole grid
    return params_.pitch * static_cast<std::size_t>(params_.whole_ny) * sizeof(Real);
  }
  std::array<Piece, 1> own_rows(const Buffer<Real>& array) const {
    return {own_piece(slab_.domain(), const_cast<Real*>(array.data()), params_.pitch)};
  }

  // Sees to a halo of at least so many valid rows.
  void refresh(int rows) { slab_.refresh(rows, state_rows_); }

  void advance(std::int64_t count) {
    const std::int64_t max = options_.kernel == WaveKernel::naive ? 1 : wave_max_pass();
    // Passes of equal length: 13 steps are better done as 7 and 6 than as 12 and 1.
    while (count > 0) {
      const std::int64_t passes = (count + max - 1) / max;
      auto steps = static_cast<int>((count + passes - 1) / passes);
      if (medium_) steps = medium_->pass_steps(steps);
      if (medium_) {
        refresh(steps);
        medium_->advance(steps_done_, steps, state(), next(), pass_scratch_.data());
        slab_.consume(steps);
      } else if (options_.kernel == WaveKernel::naive) {
        refresh(steps);
        wave_step(executor_, params_, now(), next());
        slab_.consume(steps);
      } else {
        slab_.advance(steps, state_rows_, [&](const Executor& executor, Share share) {
          wave_pass(executor, params_, slab_.own_rows(), share, steps, now(), next(), pass_scratch_.data());
        });
      }
      current_ = 1 - current_;
      count -= steps;
      steps_done_ += steps;
    }
  }

  void let_fall() {
    if (droplets_.next_step() > steps_done_) return;
    // Droplets wrap around where all sides do.
    WaveParams<Real> grid = params_;
    const WaveWeights<Real> weights = medium_ ? medium_->weights() : WaveWeights<Real>{};
    if (medium_ && !(medium_->kernels().wraps_x && wraps_y(options_))) grid.boundary = WaveBoundary::fixed;
    while (droplets_.next_step() <= steps_done_) wave_droplet(executor_, grid, droplets_.pop(), state(), weights);
    if (medium_) wave_clear_solids(executor_, medium_->kernels(), state());
  }

  // The heights and velocities that the scene gives, at time 0 to second order: half an acceleration is taken off.
  // Where a halo ends the acceleration is another; such rows are exchanged before they count.
  void set_given() {
    const int nx = params_.nx, ny = params_.ny;
    const auto at = [&](int x, int y) {
      return static_cast<std::size_t>(y) * params_.pitch + static_cast<std::size_t>(x);
    };
    std::vector<double> row(static_cast<std::size_t>(nx));
    std::vector<Real> heights(u_[0].size(), Real(0)), increments(u_[0].size(), Real(0));
    const auto coupling = [&](std::size_t k) { return medium_ ? medium_->coupling()[k] : params_.coupling[0]; };
    for (int y = 0; y < ny; ++y) {
      options_.height.row(slab_.domain().row_of_grid(y), row);
      for (int x = 0; x < nx; ++x)
        if (coupling(at(x, y)) != 0) heights[at(x, y)] = static_cast<Real>(row[static_cast<std::size_t>(x)]);
    }
    const auto neighbour = [&](int x, int y, int dx, int dy, int direction) -> double {
      const std::uint8_t links = medium_ ? medium_->links()[at(x, y)] : std::uint8_t{0};
      if ((links & direction) != 0) return heights[at(x, y)];
      if ((links & (direction * wave_zero)) != 0) return 0;
      const WaveBoundary beyond = medium_ ? WaveBoundary::periodic : params_.boundary;
      const WaveFold column = wave_fold(x + dx, nx, beyond), line = wave_fold(y + dy, ny, beyond);
      return wave_signed(heights[at(column.index, line.index)], column.sign * line.sign);
    };
    for (int y = 0; y < ny; ++y) {
      options_.velocity.row(slab_.domain().row_of_grid(y), row);
      for (int x = 0; x < nx; ++x) {
        const std::size_t k = at(x, y);
        const double around = neighbour(x, y, -1, 0, wave_west) + neighbour(x, y, 1, 0, wave_east) +
                              neighbour(x, y, 0, -1, wave_south) + neighbour(x, y, 0, 1, wave_north);
        const double acceleration = coupling(k) * (around - 4 * static_cast<double>(heights[k]));
        if (coupling(k) != 0)
          increments[k] = static_cast<Real>(row[static_cast<std::size_t>(x)] * options_.timestep - 0.5 * acceleration);
      }
    }
    u_[current_].upload(heights.data());
    d_[current_].upload(increments.data());
  }

  const Executor& executor_;
  WaveOptions options_;
  Slab slab_;
  WaveParams<Real> params_;  // of the slab
  Droplets droplets_;
  Buffer<Real> u_[2], d_[2];  // the state now and, by turns, the next one
  int current_ = 0;
  Buffer<Real> pass_scratch_;
  std::unique_ptr<Medium<Real>> medium_;
  // The memory of rows of the state, which ranks exchange.
  const Slab::Rows state_rows_ = [this](const RowRun& run, std::vector<Transfer>& transfers) {
    transfers.push_back(rows_of(run, u_[current_].data(), params_.pitch));
    transfers.push_back(rows_of(run, d_[current_].data(), params_.pitch));
    if (medium_) medium_->add_rows(run, transfers);
  };
  Buffer<std::byte> reduce_scratch_;
  SlabFields<Real> divided_;
};

// Executor memory of a grid, or of a rank's part of it.
template <class Real>
std::size_t part_bytes(const Executor& executor, const WaveParams<Real>& p, const WaveOptions& options) {
  const std::size_t cells = p.pitch * static_cast<std::size_t>(p.ny);
  const std::size_t scratch = options.kernel == WaveKernel::naive ? 0 : wave_scratch_values(executor);
  return (4 * cells + scratch) * sizeof(Real) + wave_reduce_bytes(p) +
         (options.medium ? Medium<Real>::bytes(executor, options, p) : 0);
}

template <class Real>
SolverPlan make_plan(const WaveOptions& options, const Table& keys, const Scene& scene) {
  const WaveParams<Real> p = make_params<Real>(options);
  const std::size_t cells = p.pitch * static_cast<std::size_t>(p.ny);
  SolverPlan plan;
  plan.part_bytes = [p, options](const Executor& executor, int rank, int ranks) {
    const Domain domain =
        Domain::cut(p.ny, ranks, wave_halo(executor, ranks, options), wraps_y(options))[static_cast<std::size_t>(rank)];
    return part_bytes(executor, wave_part_of(p, domain), options);
  };
  plan.saved_bytes = 2 * cells * sizeof(Real);
  if (options.medium) {
    plan.saved_bytes += Medium<Real>::saved_bytes(options, p);
    plan.made_bytes += cells * (sizeof(Real) + 2);
  }
  if (options.initial == WaveInitial::given) plan.made_bytes += 2 * cells * sizeof(Real);
  for (const GridValues* values : {&options.speeds, &options.height, &options.velocity}) {
    plan.made_bytes += values->bytes();
    if (!values->file().empty()) plan.inputs.push_back(values->file());
  }
  std::shared_ptr<ObstacleMap> map;
  if (!options.obstacles.empty()) {
    check_grid_memory(keys, 4 * cells * sizeof(Real), cells, "the map of solid cells");
    map = std::make_shared<ObstacleMap>(options.obstacles, p.nx, p.ny, p.pitch, scene);
    plan.made_by_each = cells + 2 * map->geometry().outline.bytes;
    plan.made_bytes += plan.made_by_each;
  }
  plan_grid(plan, options.grid, p.pitch, sizeof(Real), map != nullptr);
  std::ranges::move(files_of(options.obstacles), std::back_inserter(plan.inputs));
  plan.grid.spacing = options.spacing;
  plan.grid.without_layers = without_layers(options);
  plan.grid.things = wave_things(options);
  plan.timestep = options.timestep;
  plan.bytes_per_update = 4 * sizeof(Real);
  plan.texts.summary = wave_summary(options);
  plan.texts.facts = wave_facts(options);
  plan.texts.warnings = wave_warnings(options, keys, scene);
  if (map && map->painted())
    std::ranges::move(covered_sources(options, map->geometry(), p.pitch, scene),
                      std::back_inserter(plan.texts.warnings));
  plan.smaller = [options, keys, scene](double updates) {
    WaveOptions small = options;
    small.grid = smaller_grid(options.grid, updates);
    small.mode = {1, 1};
    small.medium = false;
    small.obstacles.clear();
    small.sources.clear();
    small.initial = WaveInitial::rest;
    small.speeds = small.height = small.velocity = GridValues();
    return make_plan<Real>(small, keys, scene);
  };
  plan.create_rank = [options, map, seed = scene.seed](const Executor& executor,
                                                       const Communicator& ranks) -> std::unique_ptr<Solver> {
    return std::make_unique<WaveSolver<Real>>(executor, ranks, options, map ? map->take() : LbmGeometry{}, seed);
  };
  create_alone(plan);
  return plan;
}

SolverPlan plan_wave(Table& keys, const Scene& scene) {
  const WaveOptions options = read_wave_options(keys, &scene);
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
          [](Table& keys, const Scene& scene) { return wave_look(read_wave_options(keys, &scene)); },
          [](Table& keys) { read_wave_options(keys, nullptr); }};
}

}  // namespace simreel
