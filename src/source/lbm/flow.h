#pragma once
// A flow on an executor: the state, its steps, what is shown and measured of it.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exec/buffer.h"
#include "kernels/base/math.h"
#include "kernels/lbm/fused.h"
#include "kernels/lbm/split.h"
#include "ranks/slab.h"
#include "source/lbm/curves.h"
#include "source/lbm/flow_heat.h"
#include "source/lbm/options.h"
#include "source/lbm/params.h"
#include "source/lbm/shedding.h"

namespace simreel {

// What a flow that diverged may do.
inline std::string lbm_way_out(const LbmOptions& o) {
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
  // `geometry` and `curves` are those of the whole grid.
  LbmSolver(const Executor& executor, const Communicator& ranks, const LbmOptions& options, std::uint64_t seed,
            LbmGeometry geometry, CurveLists curves, bool dye, const ParticlePlan& particles)
      : executor_(executor),
        options_(options),
        slab_(executor, ranks, options.grid[1],
              lbm_halo(executor, options.grid, ranks.size(), dye || options.phases.on),
              options.bottom == LbmSide::periodic),
        whole_(lbm_params<Real, Stored>(options)),
        params_(lbm_part_of(whole_, slab_.domain(), sizeof(Stored), executor.backend())),
        driver_(executor, options.drive, seed, params_),
        fluid_(geometry.fluid),
        boxes_(geometry.boxes),
        outline_(geometry.outline),
        fields_(lbm_fields_of(dye, options.heat.on, options.phases.on)),
        split_(options.kernel == LbmKernel::split),
        scale_(lift_scale(options, geometry, roundoff<Stored>)),
        reduce_scratch_(executor, lbm_reduce_bytes(params_)),
        divided_(executor, ranks, slab_, [this](std::string_view field) { return part(field); }) {
    if (particles)
      particles_.emplace(executor, ranks, slab_.domains(), particles, geometry, whole_.nx, whole_.pitch, seed);
    CellMap map = take_rows(geometry, std::move(curves), slab_.domain(), params_.nx, params_.pitch);
    if (executor.backend() == Backend::cuda) group_edges(map, params_.nx, params_.ny, params_.pitch);
    cell_ = Buffer(executor_, map.cell);
    edge_ = Buffer(executor_, map.edge);
    shown_ = Buffer<Real>(executor, map.cell.size());
    cells_ = {cell_.data(), edge_.data(), static_cast<std::uint32_t>(edge_.size()),
              curves_.upload(executor, map.curves), spins_.upload(executor, options.obstacles)};
    for (Buffer<Stored>& state : state_) {
      state = Buffer<Stored>(executor, lbm_values(params_));
      state.clear();
    }
    bring_in();
    if constexpr (can_heat)
      if (options.heat.on) heat_.emplace(executor, options, seed, params_, cells_, state_[0].data());
    if (options.drive.given)
      start_given(executor_, options.drive, seen(), cells_, state_[0].data());
    else
      lbm_start(executor_, seen(), cells_, options.ramp > 0 ? LbmInitial::rest : options.initial, options.velocity,
                state_[0].data());
    if constexpr (can_heat)
      if (options.phases.on) {
        phases_ = lbm_phases_of<Real>(options.phases.fluids);
        start_phases(executor, options, params_, state_[0].data());
      }
    if (!boxes_.empty() && scale_.speed > 0) lift_interval_ = lift_sampling_interval(scale_.length / scale_.speed);
    if (dye) start_dye(options);
    if (split_)
      for (Buffer<Real>& moment : moments_) moment = Buffer<Real>(executor, cell_.size());
    const bool may_fuse = !dye_ && !heat_ && !phases_ && options.kernel != LbmKernel::single && !split_;
    fused_ = may_fuse && slab_.as_first(lbm_should_fuse<Real, Stored>(executor, params_));
    if (fused_) tiles_ = lbm_tile_lists<Real, Stored>(executor, params_, slab_.own_rows(), map.cell.data());
    if (particles_) move_particles();
  }

  void step(std::int64_t count) override {
    const auto is_due = [&](std::int64_t interval) { return interval > 0 && steps_done_ % interval == 0; };
    const std::int64_t particle_interval = particles_ ? lbm_particle_interval : 0;
    const std::int64_t heat_interval = heat_ ? heat_->interval() : 0;
    while (count > 0) {
      std::int64_t portion = count;
      for (const std::int64_t interval : {lift_interval_, particle_interval, heat_interval})
        if (interval > 0) portion = std::min(portion, interval - steps_done_ % interval);
      advance(portion);
      count -= portion;
      if (is_due(lift_interval_)) note_lift();
      if (is_due(particle_interval)) move_particles();
      if (is_due(heat_interval)) heat_->note(steps_done_, heat_row().at(1));
    }
  }

  std::span<const FieldInfo> fields() const override { return fields_; }

  View view(std::string_view field) override {
    FieldView<Real> view = slab_.whole(part(field));
    if (particles_) view.paths = particles_->show(steps_done_);
    return view;
  }
  DividedFields* divided() override { return slab_.alone() ? nullptr : &divided_; }

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
    for (std::size_t n = 0; n < forces.size(); ++n)
      if (options_.obstacles[n].rotation != 0) row.push_back(forces[n].torque);
    if (heat_) std::ranges::copy(heat_row(), std::back_inserter(row));
    if (phases_) row.push_back(liquid_);
    return row;
  }

  bool finite() override {
    const LbmSums sums = this->sums();
    looks_ += 1;
    limited_looks_ += sums.limited > 0;
    max_limited_ = std::max(max_limited_, sums.limited);
    return std::isfinite(sums.mass) && std::isfinite(sums.max_speed_square);
  }

  std::string divergence() override { return Solver::divergence() + lbm_way_out(options_); }

  void save(Checkpoint& checkpoint) const override {
    checkpoint.save_value("step", steps_done_);
    slab_.save(checkpoint, "populations", lbm_values(whole_) * sizeof(Stored), own_populations());
    if (dye_) slab_.save(checkpoint, "tracer", dye_bytes(), own_dye());
    if (particles_) particles_->save(checkpoint);
    if (heat_) heat_->save(checkpoint);
    checkpoint.save("lift", std::span<const Sample>(lift_));
    checkpoint.save_value("drag", drag_);
    checkpoint.save_value("looks", looks_);
    checkpoint.save_value("limited_looks", limited_looks_);
    checkpoint.save_value("most_limited", max_limited_);
  }

  void load(const Checkpoint& checkpoint) override {
    slab_.load(checkpoint, "populations", lbm_values(whole_) * sizeof(Stored), own_populations());
    if (dye_) slab_.load(checkpoint, "tracer", dye_bytes(), own_dye());
    if (particles_) particles_->load(checkpoint);
    if (heat_) heat_->load(checkpoint);
    slab_.invalidate();
    lift_ = checkpoint.load_list<Sample>("lift");
    drag_ = checkpoint.load_value<double>("drag");
    looks_ = checkpoint.load_value<std::int64_t>("looks");
    limited_looks_ = checkpoint.load_value<std::int64_t>("limited_looks");
    max_limited_ = checkpoint.load_value<double>("most_limited");
    steps_done_ = checkpoint.load_value<std::int64_t>("step");
    bring_in();
  }

  std::vector<std::string> findings() override {
    std::vector<std::string> lines;
    if (limited_looks_ > 0)
      lines.push_back(
          fmt::format("the speed limit of {} cells a step acted in {} of {} frames, on at most {:.0f} cells; take a "
                      "lower velocity where numbers count",
                      lbm_speed_limit, limited_looks_, looks_, max_limited_));
    if (const std::optional<double> frequency = shedding_frequency(lift_, drag_, scale_))
      lines.push_back(
          fmt::format("Strouhal number {:.4g} (lift of {:.5g} oscillations a step, length {:.4g}, velocity {:.4g})",
                      *frequency * scale_.length / scale_.speed, *frequency, scale_.length, scale_.speed));
    if (heat_) std::ranges::move(heat_->findings(), std::back_inserter(lines));
    return lines;
  }

 private:
  // The rows in memory.
  FieldView<Real> part(std::string_view field) {
    const auto which = static_cast<LbmField>(*find_field(lbm_fields, fields_[field_index(field)].name));
    refresh(1);
    if (which == LbmField::tracer)
      tracer_show(executor_, params_, cells_, dye_->tracer[dye_->current].data(), shown_.data());
    else if (which == LbmField::temperature)
      with_heat([&](const auto&, const Real* state) {
        lbm_heat_field(executor_, params_, cells_, state, options_.heat.reference, options_.heat.span(), shown_.data());
      });
    else if (phases_)
      with_phases([&](const auto& phases, const Real* state) {
        lbm_phases_field(executor_, params_, phases, state, which, shown_.data());
      });
    else
      lbm_field(executor_, seen(), cells_, now(), which, shown_.data());
    FieldView<Real> view{shown_.data(), params_.nx, params_.ny, params_.pitch};
    if (!boxes_.empty()) view.cell = cell_.data(), view.outline = &outline_;
    return view;
  }

  const Stored* now() const { return state_[current_].data(); }
  Stored* next() { return state_[1 - current_].data(); }
  LbmSums sums() {
    LbmSums sums{};
    with_phases([&](const auto& phases, const Real* state) {
      sums = lbm_phases_sums(executor_, params_, phases, slab_.own_rows(), state, reduce_scratch_.data());
      liquid_ = sums.mass;
      sums.mass = (liquid_ - sums.cells) * (1 - 1 / options_.phases.fluids.density_ratio);
    });
    return phases_ ? sums : lbm_sums(executor_, seen(), slab_.own_rows(), cells_, now(), reduce_scratch_.data());
  }

  // What is stored in halves has no temperature, no phases and no split kernels.
  static constexpr bool can_heat = std::is_same_v<Real, Stored>;
  template <class Call>
  void with_heat(const Call& call) {
    if constexpr (can_heat)
      if (heat_) call(*heat_, now());
  }
  template <class Call>
  void with_phases(const Call& call) {
    if constexpr (can_heat)
      if (phases_) call(*phases_, now());
  }
  // The parameters that observers of the state take: with the buoyancy of its last step.
  const LbmParams<Real>& seen() {
    const LbmParams<Real>* params = &params_;
    with_heat([&](auto& heat, const Real* state) { params = &heat.seen(params_, state); });
    return *params;
  }
  std::vector<double> heat_row() {
    std::vector<double> row;
    refresh(1);
    with_heat([&](auto& heat, const Real* state) {
      row = heat.diagnose(seen(), slab_.own_rows(), cells_, state, fluid_, reduce_scratch_.data());
    });
    return row;
  }

  // Sees to a halo of at least so many valid rows.
  void refresh(int rows) { slab_.refresh(rows, state_rows_); }
  std::vector<Piece> own_populations() const {
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < static_cast<std::size_t>(params_.planes); ++i) {
      auto* const plane = const_cast<Stored*>(now()) + i * params_.plane;
      pieces.push_back(own_piece(slab_.domain(), plane, params_.pitch));
      pieces.back().offset += i * whole_.plane * sizeof(Stored);
    }
    return pieces;
  }
  std::size_t dye_bytes() const {  // of the whole grid
    return params_.pitch * static_cast<std::size_t>(params_.whole_ny) * sizeof(Real);
  }
  std::array<Piece, 1> own_dye() const {
    return {own_piece(slab_.domain(), const_cast<Real*>(dye_->tracer[dye_->current].data()), params_.pitch)};
  }

  // Sets what inlets bring, how obstacles turn and what formulas drive in the next two steps, which forces and
  // vorticity at walls take, too.
  void bring_in() {
    spins_.turn(executor_, steps_done_);
    driver_.set(steps_done_, params_);
    for (int i = 0; i < 2; ++i) {
      const double share = static_cast<double>(steps_done_ + i + 1) / options_.ramp;
      params_.inflow[i] = {};
      if (options_.ramp == 0 || share >= 1) continue;
      const double risen = 0.5 - 0.5 * exact::sinpi(share + 0.5);
      // Across the inlet a tenth of its velocity at most.
      const double gust = options_.initial == LbmInitial::stream ? 0.4 * risen * (1 - risen) : 0;
      params_.inflow[i] = {static_cast<Real>(risen), static_cast<Real>(gust)};
    }
  }

  void advance(std::int64_t count) {
    if (dye_ && !split_ && !heat_) return advance_with_dye(count);
    for (; fused_ && count > 1; count -= 2) {
      slab_.advance(2, state_rows_, [this](const Executor& executor, Share share) {
        lbm_fused_step(executor, params_, cells_, tiles_, share, now(), next());
      });
      current_ = 1 - current_;
      steps_done_ += 2;
      bring_in();
    }
    const int rows = phases_ ? 3 : dye_ ? 2 : 1;
    for (; count > 0; --count) {
      refresh(rows);
      advance_one();
      current_ = 1 - current_;
      ++steps_done_;
      bring_in();
      if (dye_) carry_dye();
      slab_.consume(rows);
    }
  }
  void advance_one() {
    if constexpr (can_heat) {
      if (heat_) return lbm_heat_step(executor_, params_, heat_->kernels(), cells_, now(), next());
      if (phases_) return lbm_phases_step(executor_, params_, *phases_, now(), next());
      if (split_)
        return lbm_split_step(executor_, params_, cells_, options_.tile, now(), next(),
                              {moments_[0].data(), moments_[1].data(), moments_[2].data()});
    }
    lbm_step(executor_, params_, cells_, now(), next());
  }

  void move_particles() {
    refresh(3);
    particles_->move(seen(), cells_, now(), steps_done_);
  }

  void note_lift() {
    const LbmForce whole = sum(forces());
    lift_.push_back({static_cast<double>(steps_done_), scale_.along_x ? whole.x : whole.y});
    drag_ = scale_.along_x ? whole.y : whole.x;
  }

  std::vector<LbmForce> forces() {
    std::vector<LbmForce> forces;
    if (!boxes_.empty()) refresh(1);
    for (std::size_t n = 0; n < boxes_.size(); ++n)
      forces.push_back(lbm_force(executor_, seen(), slab_.own_rows(), cells_, now(), static_cast<int>(n), boxes_[n],
                                 reduce_scratch_.data()));
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
    tracer_velocity(executor_, seen(), cells_, now(), d.ux[d.velocity].data(), d.uy[d.velocity].data());
    tracer_step(executor_, params_, cells_, d.params, d.step());
    d.current = 1 - d.current;
  }
  void advance_with_dye(std::int64_t count) {
    while (count > 0) {
      refresh(2);
      const std::int64_t portion = slab_.alone() ? count : std::min<std::int64_t>(count, slab_.valid() / 2);
      carry_dye_along(portion);
      slab_.consume(2 * static_cast<int>(portion));
      count -= portion;
    }
  }
  // The dye is one step behind, so that its step and the flow's next one can run side by side.
  void carry_dye_along(std::int64_t count) {
    Dye<Real>& d = *dye_;
    for (std::int64_t n = 0; n < count; ++n) {
      const bool behind = n > 0;
      tracer_step_beside_flow(executor_, params_, cells_, d.params, now(), next(), d.ux[1 - d.velocity].data(),
                              d.uy[1 - d.velocity].data(), behind ? d.step() : TracerStep<Real>{});
      current_ = 1 - current_;
      d.velocity = 1 - d.velocity;
      if (behind) d.current = 1 - d.current;
      ++steps_done_;
      bring_in();
    }
    tracer_step(executor_, params_, cells_, d.params, d.step());
    d.current = 1 - d.current;
  }

  const Executor& executor_;
  const LbmOptions options_;
  Slab slab_;
  const LbmParams<Real> whole_;
  LbmParams<Real> params_;  // of the slab
  LbmDriver<Real> driver_;
  double fluid_;
  std::vector<LbmBox> boxes_;
  Outline outline_;
  Buffer<std::int8_t> cell_;
  Buffer<std::uint32_t> edge_;
  CurveBuffers curves_;
  SpinBuffer spins_;
  LbmCells cells_;
  Buffer<Stored> state_[2];  // the current and the next state, alternating
  int current_ = 0;
  Buffer<Real> shown_;
  std::optional<Dye<Real>> dye_;
  std::optional<CarriedParticles> particles_;
  std::optional<FlowHeat<Real>> heat_;
  std::optional<LbmPhases<Real>> phases_;
  double liquid_ = 0;   // cells, of the last sums
  bool fused_ = false;  // two steps per pass, on a GPU over these tiles
  LbmTileLists tiles_;
  // The memory of rows of the state, which ranks exchange.
  const Slab::Rows state_rows_ = [this](const RowRun& run, std::vector<Transfer>& transfers) {
    transfers.push_back(rows_of(run, state_[current_].data(), params_.pitch));
    transfers.back().count = params_.planes;
    transfers.back().stride = params_.plane * sizeof(Stored);
    if (dye_) transfers.push_back(rows_of(run, dye_->tracer[dye_->current].data(), params_.pitch));
  };
  std::vector<FieldInfo> fields_;
  bool split_;
  Buffer<Real> moments_[3];  // kernel split only
  LiftScale scale_;
  std::int64_t lift_interval_ = 0;  // steps between samples of the lift; 0: no samples
  std::vector<Sample> lift_;
  double drag_ = 0;
  // How often `finite` looked, and found cells at the speed limit: once a frame. Counting in every step would take a
  // sum over the grid, or tell tiles apart from their halos.
  std::int64_t looks_ = 0, limited_looks_ = 0;
  double max_limited_ = 0;
  Buffer<std::byte> reduce_scratch_;
  SlabFields<Real> divided_;
};

}  // namespace simreel
