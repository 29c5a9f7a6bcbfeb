#include "source/lbm/lbm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "exec/buffer.h"
#include "kernels/base/math.h"
#include "kernels/lbm/fused.h"
#include "kernels/lbm/split.h"
#include "source/lbm/curves.h"
#include "source/lbm/layer.h"
#include "source/lbm/options.h"
#include "source/lbm/shedding.h"

namespace simreel {
namespace {

// In the order of LbmField; the tracer, which only flows with dye have, is the last.
constexpr FieldInfo lbm_fields[] = {{.name = "speed", .unit = "cells/step", .colormap = "inferno"},
                                    {.name = "ux", .unit = "cells/step", .has_sign = true},
                                    {.name = "uy", .unit = "cells/step", .has_sign = true},
                                    {.name = "vorticity", .unit = "1/step", .has_sign = true},
                                    {.name = "density", .unit = ""},
                                    {.name = "tracer", .unit = "", .colormap = "inferno"}};
constexpr std::string_view diagnostics[] = {"step", "time", "mass", "max_speed", "mean_ux", "mean_uy", "kinetic"};

// Dye is carried along only where it is looked at.
bool wants_dye(const Scene& scene) {
  return scene.view.field == "tracer" || std::ranges::count(scene.output.fields, "tracer") > 0;
}

template <class Real, class Stored>
LbmParams<Real> make_params(const LbmOptions& o) {
  LbmParams<Real> p;
  p.nx = o.grid[0];
  p.ny = o.grid[1];
  lbm_layout(p, sizeof(Stored));
  lbm_set_rates(p, o.collision, o.viscosity, o.magic);
  if (o.smagorinsky > 0) {
    p.model = LbmModel::central_eddies;
    p.eddies = static_cast<Real>(18 * o.smagorinsky * o.smagorinsky);
  }
  p.force_x = static_cast<Real>(o.force[0]);
  p.force_y = static_cast<Real>(o.force[1]);
  p.left = o.left;
  p.right = o.right;
  p.bottom = o.bottom;
  p.top = o.top;
  p.velocity = static_cast<Real>(o.velocity);
  p.parabolic = o.parabolic;
  p.outlet = o.outlet;
  p.layer = o.layer;
  return p;
}

// The unit roundoff of stored populations.
template <class Stored>
constexpr double roundoff = 0x1p-24;
template <>
constexpr double roundoff<double> = 0x1p-53;
template <>
constexpr double roundoff<Half> = 0x1p-11;

// Steps between samples of the lift, from the number of steps in which the flow passes the body. Strouhal numbers are
// at most 0.5, so a period has at least twenty samples. Even, so that steps can be computed in pairs.
std::int64_t sampling_interval(double passing) {
  return std::max<std::int64_t>(2, 2 * static_cast<std::int64_t>(std::min(passing, 1e9) / 20));
}

// What a flow that diverged may do.
std::string way_out(const LbmOptions& o) {
  if (o.collision != LbmCollision::central) return "; take collision = \"central\", or a lower velocity";
  if (o.has(LbmSide::outlet) && o.layer == 0) return "; take outlet_layer = 20, or a lower velocity";
  return "; take a lower velocity, or more cells across what the flow passes";
}

// The dye of a flow whose tracer is viewed.
template <class Real>
struct Dye {
  TracerParams params;
  Buffer<Real> tracer[2];     // now and, by turns, the next one
  Buffer<Real> ux[2], uy[2];  // after the latest step and, by turns, the next one
  int current = 0, velocity = 0;

  TracerStep<Real> step() {
    return {ux[velocity].data(), uy[velocity].data(), tracer[current].data(), tracer[1 - current].data()};
  }
};

template <class Real, class Stored>
class LbmSolver final : public Solver {
 public:
  LbmSolver(const Executor& executor, const LbmOptions& options, const LbmGeometry& geometry, const CurveLists& curves,
            bool dye)
      : executor_(executor),
        params_(make_params<Real, Stored>(options)),
        fluid_(geometry.fluid),
        boxes_(geometry.boxes),
        outline_(geometry.outline),
        cell_(executor, geometry.cell.size()),
        edge_(executor, geometry.edge.size()),
        shown_(executor, geometry.cell.size()),
        ramp_(options.ramp),
        gust_(options.initial == LbmInitial::stream),
        split_(options.kernel == LbmKernel::split),
        tile_(options.tile),
        way_out_(way_out(options)),
        scale_(lift_scale(options, geometry, roundoff<Stored>)),
        reduce_scratch_(executor, lbm_reduce_bytes(params_)) {
    cell_.upload(geometry.cell.data());
    edge_.upload(geometry.edge.data());
    cells_ = {cell_.data(), edge_.data(), static_cast<std::uint32_t>(edge_.size()), curves_.upload(executor, curves),
              spins_.upload(executor, options.obstacles)};
    for (Buffer<Stored>& state : state_) {
      state = Buffer<Stored>(executor, lbm_values(params_));
      state.clear();
    }
    lbm_start(executor_, params_, cells_, ramp_ > 0 ? LbmInitial::rest : options.initial, options.velocity,
              state_[0].data());
    if (!boxes_.empty() && scale_.speed > 0) lift_interval_ = sampling_interval(scale_.length / scale_.speed);
    for (const ObstacleOptions& obstacle : options.obstacles) turns_.push_back(obstacle.rotation != 0);
    if (dye) start_dye(options);
    if (split_)
      for (Buffer<Real>& moment : moments_) moment = Buffer<Real>(executor, cell_.size());
    fused_ =
        !dye_ && options.kernel != LbmKernel::single && !split_ && lbm_should_fuse<Real, Stored>(executor, params_);
    if (fused_ && executor.backend() == Backend::cuda) sort_tiles(geometry);
  }

  void step(std::int64_t count) override {
    while (count > 0) {
      const std::int64_t next = lift_interval_ > 0 ? lift_interval_ - steps_done_ % lift_interval_ : count;
      const std::int64_t portion = std::min(count, next);
      advance(portion);
      count -= portion;
      if (portion == next && lift_interval_ > 0) note_lift();
    }
  }

  std::span<const FieldInfo> fields() const override {
    return std::span(lbm_fields).first(std::size(lbm_fields) - (dye_ ? 0 : 1));
  }

  View view(std::string_view field) override {
    const std::size_t index = field_index(field);
    if (fields()[index].name == "tracer")
      tracer_show(executor_, params_, cells_, dye_->tracer[dye_->current].data(), shown_.data());
    else
      lbm_field(executor_, params_, cells_, now(), static_cast<LbmField>(index), shown_.data());
    FieldView<Real> view{shown_.data(), params_.nx, params_.ny, params_.pitch};
    if (!boxes_.empty()) view.cell = cell_.data(), view.outline = &outline_;
    return view;
  }

  std::vector<double> diagnose() override {
    const LbmSums sums = this->sums();
    std::vector<double> row = {static_cast<double>(steps_done_),
                               static_cast<double>(steps_done_),
                               fluid_ + sums.mass,
                               std::sqrt(sums.max_speed_square),
                               sums.ux / fluid_,
                               sums.uy / fluid_};
    const std::vector<LbmForce> forces = this->forces();
    const LbmForce whole = sum(forces);
    if (!forces.empty()) row.insert(row.end(), {whole.x, whole.y});
    row.push_back(sums.kinetic);
    if (forces.size() > 1)
      for (const LbmForce& force : forces) row.insert(row.end(), {force.x, force.y});
    if (cells_.spin)
      for (std::size_t n = 0; n < forces.size(); ++n)
        if (turns_[n]) row.push_back(forces[n].torque);
    return row;
  }

  bool finite() override {
    const LbmSums sums = this->sums();
    looks_ += 1;
    limited_looks_ += sums.limited > 0;
    most_limited_ = std::max(most_limited_, sums.limited);
    return std::isfinite(sums.mass) && std::isfinite(sums.max_speed_square);
  }

  std::string divergence() override { return Solver::divergence() + way_out_; }

  void save(Checkpoint& checkpoint) const override {
    checkpoint.save_value("step", steps_done_);
    checkpoint.save("populations", state_[current_]);
    if (dye_) checkpoint.save("tracer", dye_->tracer[dye_->current]);
    checkpoint.save("lift", std::span<const Sample>(lift_));
    checkpoint.save_value("drag", drag_);
    checkpoint.save_value("looks", looks_);
    checkpoint.save_value("limited_looks", limited_looks_);
    checkpoint.save_value("most_limited", most_limited_);
  }

  void load(const Checkpoint& checkpoint) override {
    checkpoint.load("populations", state_[current_]);
    if (dye_) checkpoint.load("tracer", dye_->tracer[dye_->current]);
    lift_ = checkpoint.load_list<Sample>("lift");
    drag_ = checkpoint.load_value<double>("drag");
    looks_ = checkpoint.load_value<std::int64_t>("looks");
    limited_looks_ = checkpoint.load_value<std::int64_t>("limited_looks");
    most_limited_ = checkpoint.load_value<double>("most_limited");
    steps_done_ = checkpoint.load_value<std::int64_t>("step");
  }

  std::vector<std::string> findings() override {
    std::vector<std::string> lines;
    if (limited_looks_ > 0)
      lines.push_back(
          fmt::format("the speed limit of {} cells a step acted in {} of {} frames, on at most {:.0f} cells; take a "
                      "lower velocity where numbers count",
                      lbm_speed_limit, limited_looks_, looks_, most_limited_));
    if (const std::optional<double> frequency = shedding_frequency(lift_, drag_, scale_))
      lines.push_back(
          fmt::format("Strouhal number {:.4g} (lift of {:.5g} oscillations a step, length {:.4g}, velocity {:.4g})",
                      *frequency * scale_.length / scale_.speed, *frequency, scale_.length, scale_.speed));
    return lines;
  }

 private:
  const Stored* now() const { return state_[current_].data(); }
  Stored* next() { return state_[1 - current_].data(); }
  LbmSums sums() { return lbm_sums(executor_, params_, cells_, now(), reduce_scratch_.data()); }

  void sort_tiles(const LbmGeometry& geometry) {
    const LbmTiles tiles = lbm_tiles_of<Real, Stored>(params_, geometry.cell.data());
    plain_tiles_ = Buffer<std::uint32_t>(executor_, tiles.plain.size());
    plain_tiles_.upload(tiles.plain.data());
    mixed_tiles_ = Buffer<std::uint32_t>(executor_, tiles.mixed.size());
    mixed_tiles_.upload(tiles.mixed.data());
    tiles_ = {plain_tiles_.data(), mixed_tiles_.data(), static_cast<std::uint32_t>(plain_tiles_.size()),
              static_cast<std::uint32_t>(mixed_tiles_.size())};
  }

  // Sets what inlets bring in the two steps from `step` on.
  void bring_in(std::int64_t step) {
    for (int i = 0; i < 2; ++i) {
      const double share = static_cast<double>(step + i + 1) / ramp_;
      if (ramp_ == 0 || share >= 1) {
        params_.inflow[i] = {};
        continue;
      }
      const double risen = 0.5 - 0.5 * exact::sinpi(share + 0.5);
      params_.inflow[i] = {static_cast<Real>(risen), static_cast<Real>(gust_ ? 0.4 * risen * (1 - risen) : 0)};
    }
  }

  void advance(std::int64_t count) {
    if (dye_ && !split_) return advance_with_dye(count);
    for (; fused_ && count > 1; count -= 2) {
      bring_in(steps_done_);
      lbm_fused_step(executor_, params_, cells_, tiles_, now(), next());
      current_ = 1 - current_;
      steps_done_ += 2;
    }
    for (; count > 0; --count) {
      bring_in(steps_done_);
      advance_one();
      current_ = 1 - current_;
      if (dye_) carry_dye();
      ++steps_done_;
    }
  }
  void advance_one() {
    if constexpr (std::is_same_v<Real, Stored>) {
      if (split_)
        return lbm_split_step(executor_, params_, cells_, tile_, now(), next(),
                              {moments_[0].data(), moments_[1].data(), moments_[2].data()});
    }
    lbm_step(executor_, params_, cells_, now(), next());
  }

  void note_lift() {
    const LbmForce whole = sum(forces());
    lift_.push_back({static_cast<double>(steps_done_), scale_.along_x ? whole.x : whole.y});
    drag_ = scale_.along_x ? whole.y : whole.x;
  }

  std::vector<LbmForce> forces() {
    std::vector<LbmForce> forces;
    for (std::size_t n = 0; n < boxes_.size(); ++n)
      forces.push_back(
          lbm_force(executor_, params_, cells_, now(), static_cast<int>(n), boxes_[n], reduce_scratch_.data()));
    return forces;
  }
  static LbmForce sum(const std::vector<LbmForce>& forces) {
    LbmForce whole{0, 0, 0};
    for (const LbmForce& force : forces) whole = {whole.x + force.x, whole.y + force.y, whole.torque + force.torque};
    return whole;
  }

  void start_dye(const LbmOptions& options) {
    dye_.emplace();
    dye_->params = options.tracer;
    for (Buffer<Real>* pair : {dye_->tracer, dye_->ux, dye_->uy})
      for (int i = 0; i < 2; ++i) {
        pair[i] = Buffer<Real>(executor_, cell_.size());
        pair[i].clear();  // velocities of solid cells are read, though not used
      }
    tracer_start(executor_, params_, cells_, options.tracer, options.tracer_bands, dye_->tracer[0].data());
  }
  void carry_dye() {
    Dye<Real>& d = *dye_;
    tracer_velocity(executor_, params_, cells_, now(), d.ux[d.velocity].data(), d.uy[d.velocity].data());
    tracer_step(executor_, params_, cells_, d.params, d.step());
    d.current = 1 - d.current;
  }
  // The dye is one step behind, so that its step and the flow's next one can run side by side.
  void advance_with_dye(std::int64_t count) {
    Dye<Real>& d = *dye_;
    for (std::int64_t n = 0; n < count; ++n) {
      const bool behind = n > 0;
      bring_in(steps_done_);
      tracer_step_beside_flow(executor_, params_, cells_, d.params, now(), next(), d.ux[1 - d.velocity].data(),
                              d.uy[1 - d.velocity].data(), behind ? d.step() : TracerStep<Real>{});
      current_ = 1 - current_;
      d.velocity = 1 - d.velocity;
      if (behind) d.current = 1 - d.current;
      ++steps_done_;
    }
    tracer_step(executor_, params_, cells_, d.params, d.step());
    d.current = 1 - d.current;
  }

  const Executor& executor_;
  LbmParams<Real> params_;
  double fluid_;
  std::vector<LbmBox> boxes_;
  Outline outline_;
  Buffer<std::int8_t> cell_;
  Buffer<std::uint32_t> edge_;
  CurveBuffers curves_;
  SpinBuffer spins_;
  std::vector<bool> turns_;  // for each obstacle
  LbmCells cells_;
  Buffer<Stored> state_[2];  // the current and the next state, alternating
  int current_ = 0;
  Buffer<Real> shown_;
  std::optional<Dye<Real>> dye_;
  bool fused_ = false;  // two steps per pass, on a GPU over these tiles
  Buffer<std::uint32_t> plain_tiles_, mixed_tiles_;
  LbmTileLists tiles_;
  int ramp_;   // steps
  bool gust_;  // during the ramp, across the inlet, of a tenth of its velocity at most
  bool split_;
  int tile_;
  Buffer<Real> moments_[3];  // kernel split only
  std::string way_out_;      // of a divergence
  LiftScale scale_;
  std::int64_t lift_interval_ = 0;  // steps between samples of the lift; 0: no samples
  std::vector<Sample> lift_;
  double drag_ = 0;
  // How often `finite` looked, and found cells at the speed limit: once a frame. Counting in every step would take a
  // sum over the grid, or tell tiles apart from their halos.
  std::int64_t looks_ = 0, limited_looks_ = 0;
  double most_limited_ = 0;
  Buffer<std::byte> reduce_scratch_;
};

std::vector<std::string> diagnostic_names(const std::vector<ObstacleOptions>& described) {
  const std::size_t obstacles = described.size();
  std::vector<std::string> names = {"step", "time", "mass", "max_speed", "mean_ux", "mean_uy"};
  if (obstacles > 0) names.insert(names.end(), {"drag", "lift"});
  names.push_back("kinetic");
  if (obstacles > 1) {
    for (std::size_t n = 1; n <= obstacles; ++n) {
      names.push_back(fmt::format("drag_{}", n));
      names.push_back(fmt::format("lift_{}", n));
    }
  }
  for (std::size_t n = 0; n < obstacles; ++n)
    if (described[n].rotation != 0) names.push_back(obstacles > 1 ? fmt::format("torque_{}", n + 1) : "torque");
  return names;
}

// Refuses a grid that no memory of this machine holds, before obstacles are painted on it. Whether the memory that the
// run will use is enough shows later. `map` is a byte for each cell, on the host.
void check_size(const Table& keys, std::size_t state, std::size_t map) {
  const auto check = [&](std::size_t bytes, std::size_t available, const char* what, const char* where) {
    const auto text = [](std::size_t amount) {
      return fmt::format("{:.1f} GiB", static_cast<double>(amount) / (1 << 30));
    };
    if (bytes > available)
      keys.fail("grid", fmt::format("{} needs {} of memory at least, and {} has {} available; make grid smaller", what,
                                    text(bytes), where, text(available)));
  };
  const std::size_t host = host_memory_available();
  check(map, host, "the map of solid cells", "the host");
  if (state <= host) return;
  std::size_t largest = host;
  for (const DeviceInfo& device : cuda_devices()) largest = std::max(largest, device.memory_bytes);
  check(state, largest, "the run", "this machine");
}

template <class Real, class Stored>
SolverPlan make_plan(const LbmOptions& options, const Table& keys, const Scene& scene) {
  const LbmParams<Real> p = make_params<Real, Stored>(options);
  const std::size_t cells = p.pitch * static_cast<std::size_t>(p.ny);
  std::size_t bytes = 2 * lbm_values(p) * sizeof(Stored) + cells * (1 + sizeof(Real)) + lbm_reduce_bytes(p);
  if (wants_dye(scene)) bytes += 6 * cells * sizeof(Real);
  if (options.kernel == LbmKernel::split) bytes += 3 * cells * sizeof(Real);
  check_size(keys, bytes, cells);
  const auto map = std::make_shared<ObstacleMap>(options.obstacles, p.nx, p.ny, p.pitch, scene.seed);
  const LbmGeometry& geometry = map->geometry();
  const std::size_t edges = (geometry.edge.size() + layer_cells(p)) * sizeof(std::uint32_t);
  bytes += edges;
  if (!options.obstacles.empty()) bytes += most_curve_bytes(p, geometry.edge.size());
  SolverPlan plan;
  plan.bytes = [bytes](const Executor&) { return bytes; };
  plan.made_bytes = cells + edges + 2 * geometry.outline.bytes;
  plan.saved_bytes = lbm_values(p) * sizeof(Stored);
  if (wants_dye(scene)) plan.saved_bytes += cells * sizeof(Real);
  plan.view_bytes = static_cast<std::size_t>(p.nx) * static_cast<std::size_t>(p.ny) * sizeof(Real);
  plan.outlined = !options.obstacles.empty();
  if (plan.outlined) plan.solid_bytes = static_cast<std::size_t>(p.nx) * static_cast<std::size_t>(p.ny);
  plan.size_key = "grid";
  plan.grid = {p.nx, p.ny};
  plan.vectors = {"ux", "uy"};
  plan.timestep = 1;
  plan.updates_per_step = static_cast<double>(p.nx) * p.ny;
  plan.bytes_per_update = 2 * 9 * sizeof(Stored);
  plan.summary = lbm_summary(options);
  plan.facts = lbm_facts(options);
  plan.warnings = lbm_warnings(options, keys, scene);
  std::ranges::move(cut_obstacles(options.obstacles, p.nx, p.ny), std::back_inserter(plan.warnings));
  if (options.has(LbmSide::inlet) && !options.obstacles.empty() &&
      !is_passable(geometry, p.nx, p.ny, p.pitch, {options.left, options.right, options.bottom, options.top}))
    plan.warnings.push_back(
        fmt::format("{}: obstacles close every way from the inlet to the outlet, so that the density grows without end",
                    options.obstacles.front().keys.position("shape").text()));
  for (const ObstacleOptions& obstacle : options.obstacles)
    if (obstacle.shape == ObstacleShape::image) plan.inputs.push_back(obstacle.file.string());
  plan.diagnostics = diagnostic_names(options.obstacles);
  plan.smaller = [options, keys, scene](double updates) {
    LbmOptions small = options;
    small.obstacles.clear();
    small.grid = smaller_grid(options.grid, updates);
    return make_plan<Real, Stored>(small, keys, scene);
  };
  plan.create = [options, map, dye = wants_dye(scene)](const Executor& executor) -> std::unique_ptr<Solver> {
    LbmGeometry own = map->take();
    const LbmParams<Real> params = make_params<Real, Stored>(options);
    mark_layer(own, params);
    const CurveLists curves = find_curves(own, params, options.obstacles, options.curved);
    return std::make_unique<LbmSolver<Real, Stored>>(executor, options, own, curves, dye);
  };
  return plan;
}

SolverPlan plan_lbm(Table& keys, const Scene& scene) {
  LbmOptions options = read_lbm_options(keys);
  keys.finish();
  for (ObstacleOptions& obstacle : options.obstacles) obstacle.file = scene.resolve(obstacle.file);
  switch (options.precision) {
    case Precision::float32: return make_plan<float, float>(options, keys, scene);
    case Precision::float64: return make_plan<double, double>(options, keys, scene);
    case Precision::float16: return make_plan<float, Half>(options, keys, scene);
  }
  return {};
}

}  // namespace

SolverKind lbm_solver() {
  return {"lbm",
          "flow of a nearly incompressible fluid, lattice Boltzmann D2Q9",
          lbm_fields,
          diagnostics,
          lbm_kernels,
          plan_lbm,
          [](Table& keys, const Scene&) { return lbm_look(read_lbm_options(keys)); },
          [](Table& keys) { read_lbm_options(keys); }};
}

}  // namespace simreel
