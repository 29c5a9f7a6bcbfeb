#pragma once
// Bodies under their own gravity, as a solver in one precision: forces, integrators, what is measured and saved.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exec/buffer.h"
#include "kernels/nbody/measure.h"
#include "source/nbody/options.h"
#include "source/nbody/scales.h"

namespace simreel {

inline constexpr FieldInfo nbody_fields[] = {{"density", "mass/pixel", FieldInfo::Shape::bodies, "magma"},
                                             {"speed", "length/time", FieldInfo::Shape::bodies, "stars"},
                                             {"mass", "mass", FieldInfo::Shape::bodies, "stars"},
                                             {"group", "", FieldInfo::Shape::bodies, "duo"}};

// Whether forces on the CPU take long enough to be interrupted, so that there is a copy of the state to go back to.
inline bool can_stop(const Executor& executor, std::size_t bodies) {
  return executor.backend() == Backend::cpu && bodies >= 4096;
}

// Beyond so many bodies the potential energy is not summed over all pairs, but by a tree.
inline constexpr std::size_t max_paired = 100000;

// Tiles of bodies: what ranks divide.
inline int tiles_of(std::size_t bodies) { return static_cast<int>(nbody_padded(bodies) / nbody_tile); }

// Of several ranks each has all bodies and moves them all. Only the forces are divided: a rank computes those of some
// tiles, and gets the rest from the others.
template <class Real>
class NbodySolver final : public Solver {
 public:
  NbodySolver(const Executor& executor, const Communicator& ranks, const NbodyOptions& options, const Bodies& bodies)
      : executor_(executor),
        ranks_(ranks),
        options_(options),
        method_(options.method()),
        position_(executor, nbody_padded(bodies.size())),
        velocity_(executor, nbody_padded(bodies.size())),
        group_(executor, bodies.size()),
        sum_(executor, 3 * nbody_padded(bodies.size())),
        lock_(executor, nbody_padded(bodies.size()) / nbody_tile),
        overflow_(executor, 2),
        momentum_(executor, in_float ? 3 * nbody_padded(bodies.size()) : 0),
        residual_(executor, in_float ? 3 : 0),
        mass_before_(executor, in_float ? bodies.size() : 0),
        scratch_(executor, nbody_measure_bytes(bodies.size())) {
    if (in_float) others_ = Buffer<NbodySum<Real>>(executor, static_cast<std::size_t>(ranks.size() - 1) * sum_.size());
    sum_.clear();
    lock_.clear();
    overflow_.clear();
    describe(bodies);
    upload(bodies);
    if (options.integrator == NbodyIntegrator::rk4) {
      for (Buffer<Vec4<Real>>& stage : stage_) stage = Buffer<Vec4<Real>>(executor, position_.size());
      stages_ = {stage_[0].data(), stage_[1].data(), stage_[2].data(), stage_[3].data()};
    }
    if (can_stop(executor, bodies.size())) {
      kept_position_ = Buffer<Vec4<Real>>(executor, position_.size());
      kept_velocity_ = Buffer<Vec4<Real>>(executor, velocity_.size());
      kept_momentum_ = Buffer<std::int64_t>(executor, momentum_.size());
    }
    watches_ = bodies.size() <= few_bodies && options.velocity_factor == 1 && ranks.rank() == 0;
    if (watches_) first_energy_ = energies(totals().kinetic);
  }

  void step(std::int64_t count) override {
    if (count == 0 || !find_forces()) return;
    const bool may_stop = this->may_stop();
    const std::vector<int> overflow = may_stop ? overflow_.download() : std::vector<int>();
    if (may_stop) keep();
    if (advance(count)) {
      steps_done_ += count;
    } else {
      go_back();
      overflow_.upload(overflow.data());
    }
  }

  std::span<const FieldInfo> fields() const override { return nbody_fields; }

  // Bodies with all that the fields are made of.
  View view(std::string_view field) override {
    field_index(field);
    return ParticlesView<Real>{position_.data(), velocity_.data(), group_.data(), group_.size()};
  }

  std::vector<double> diagnose() override {
    if (ranks_.rank() > 0) return {};
    NbodyTotals t = totals();
    if constexpr (in_float) {
      const Vec3<double> momentum = nbody_momentum(executor_, motion_.momentum, group_.size(), scratch_.data());
      t.px = momentum.x;
      t.py = momentum.y;
      t.pz = momentum.z;
    }
    const double potential = options_.bodies.gravity * this->potential();
    return {static_cast<double>(steps_done_),
            static_cast<double>(steps_done_) * options_.timestep,
            t.kinetic,
            potential,
            t.kinetic + potential,
            t.px,
            t.py,
            t.pz,
            t.lx,
            t.ly,
            t.lz};
  }

  bool finite() override {
    find_forces();
    const std::vector<int> overflow = all_overflow();
    overflow_.upload(overflow.data());
    const NbodyTotals totals = this->totals();
    const bool finite = overflow == std::vector<int>{0, 0} && totals.finite;
    if (watches_ && finite) watch(totals.kinetic);
    return finite;
  }

  std::string warning() override { return std::exchange(warning_, {}); }

  void save(Checkpoint& checkpoint) const override {
    const std::vector<int> overflow = all_overflow();
    if (ranks_.rank() > 0) return;  // all ranks have the same bodies
    checkpoint.save_value("step", steps_done_);
    checkpoint.save("positions", position_);
    checkpoint.save("velocities", velocity_);
    checkpoint.save("momenta", momentum_);
    checkpoint.save("overflow", std::span<const int>(overflow));
  }

  void load(const Checkpoint& checkpoint) override {
    checkpoint.load("positions", position_);
    checkpoint.load("velocities", velocity_);
    checkpoint.load("momenta", momentum_);
    checkpoint.load("overflow", overflow_);
    steps_done_ = checkpoint.load_value<std::int64_t>("step");
    forces_known_ = false;
  }

  std::optional<ForceError> force_error() override {
    find_forces();
    const NbodyForceError error = nbody_force_error(executor_, system_, scratch_.data());
    return ForceError{error.overall, error.rms, error.p99};
  }

  std::vector<std::pair<std::string_view, double>> stage_times() override {
    if constexpr (in_float) {
      if (!tree_) return {};
      TreeTimes times;
      tree_->forces(system_, {}, &times);  // the same forces again
      return {{"keys", times.keys},
              {"sort", times.sort},
              {"cells", times.cells},
              {"moments", times.moments},
              {"walk", times.walk}};
    }
    return {};
  }

  std::string divergence() override {
    const std::vector<int> overflow = overflow_.download();
    const std::string way_out = "; give them more softening or a smaller timestep, or use precision = \"double\"";
    if (overflow[0] && !within(farthest_in_float))
      return fmt::format(
          "a body is farther than {:.0g} from the origin, where squares of distances leave the range of float; use "
          "larger units of length, or precision = \"double\"",
          farthest_in_float);
    if (overflow[0]) return "two bodies came so close that their pull leaves the range of the sums" + way_out;
    if (overflow[1]) return "a body became so fast that its momentum leaves the range of the sums" + way_out;
    return Solver::divergence();
  }

 private:
  static constexpr bool in_float = std::is_same_v<Real, float>;

  void upload(const Bodies& bodies) {
    std::vector<Vec4<Real>> padded(position_.size());
    const auto convert = [&](const std::vector<Vec4<double>>& values, Buffer<Vec4<Real>>& to) {
      std::ranges::transform(values, padded.begin(), [](const Vec4<double>& v) {
        return Vec4<Real>{static_cast<Real>(v.x), static_cast<Real>(v.y), static_cast<Real>(v.z),
                          static_cast<Real>(v.w)};
      });
      to.upload(padded.data());
    };
    convert(bodies.position, position_);
    group_.upload(bodies.group.data());
    if constexpr (in_float) {
      const NbodyMomenta momenta = nbody_momenta(bodies, motion_.momentum, position_.size());
      momentum_.upload(momenta.value.data());
      velocity_.upload(momenta.velocity.data());
      mass_before_.upload(momenta.mass_before.data());
    } else {
      convert(bodies.velocity, velocity_);
    }
  }

  // The parameters of the kernels.
  void describe(const Bodies& bodies) {
    const double largest = std::ranges::max(bodies.position, {}, &Vec4<double>::w).w;
    const double softening2 = nbody_softening2<Real>(options_.bodies.softening, largest);
    system_ = {bodies.size(), position_.data(), sum_.data(),
               lock_.data(),  overflow_.data(), static_cast<Real>(softening2),
               NbodyFixed{},  first_tile(0),    first_tile(1)};
    motion_ = {bodies.size(),
               position_.size(),
               position_.data(),
               velocity_.data(),
               sum_.data(),
               0,
               static_cast<Real>(options_.timestep),
               static_cast<Real>(options_.velocity_factor),
               NbodyMomentum{}};
    if (in_float) {
      const NbodyUnits units = nbody_units(bodies, options_.bodies.gravity, softening2);
      system_.fixed = units.forces;
      motion_.momentum = units.momenta;
      motion_.momentum.value = momentum_.data();
      motion_.momentum.residual = residual_.data();
      motion_.momentum.mass_before = mass_before_.data();
      motion_.momentum.overflow = overflow_.data() + 1;
    }
    motion_.unit = options_.bodies.gravity * system_.fixed.unit;
    for (const Vec4<double>& q : bodies.position) total_mass_ += q.w;
    if (options_.forces == ForceMethod::tree) tree_.emplace(executor_, bodies.size(), tree_options(options_.accuracy));
  }

  TreeOptions tree_options(TreeAccuracy accuracy) const {
    return {tree_opening(accuracy), options_.arithmetic, total_mass_};
  }

  // Of all pairs, over G.
  double potential() {
    const double softening2 = options_.bodies.softening > 0 ? static_cast<double>(system_.softening2) : 0;
    if constexpr (in_float) {
      if (group_.size() > max_paired && tree_) return tree_->potential(system_, softening2);
      if (group_.size() > max_paired)
        return NbodyTree(executor_, group_.size(), tree_options(TreeAccuracy::fine)).potential(system_, softening2);
    }
    return nbody_potential(executor_, position_.data(), group_.size(), softening2, scratch_.data());
  }

  // Some steps; false where `stop_` ended one of them, and then the state is of no use.
  bool advance(std::int64_t count) {
    if (options_.integrator == NbodyIntegrator::rk4) {
      for (std::int64_t stage = 0; stage < 4 * count; ++stage) {
        nbody_rk4_stage(executor_, motion_, stages_, static_cast<int>(stage % 4));
        if (!forces()) return false;
      }
      return true;
    }
    const bool leapfrog = options_.integrator == NbodyIntegrator::leapfrog;
    const Real share = leapfrog ? Real(0.5) : Real(1);
    for (std::int64_t i = 0; i < count; ++i) {
      nbody_kick_drift(executor_, motion_, share, leapfrog && i > 0);
      if (!forces()) return false;
    }
    if (leapfrog) nbody_kick(executor_, motion_, share);
    return true;
  }

  // What may end a step early; empty where nothing may.
  const std::function<bool()>& stop() const {
    static const std::function<bool()> never;
    return kept_position_.size() > 0 ? stop_ : never;
  }

  // The same on every rank.
  bool may_stop() const {
    bool may = static_cast<bool>(stop());
    if (kept_position_.size() > 0) ranks_.broadcast(&may, sizeof may);
    return may;
  }

  bool forces() {
    bool done = own_forces();
    if (ranks_.alone()) return done;
    if (kept_position_.size() > 0) {  // one that was stopped stops all
      const char own = done ? 1 : 0;
      const std::vector<char> all = ranks_.gather(std::span<const char>(&own, 1));
      done = std::ranges::all_of(all, [](char one) { return one != 0; });
    }
    if (done) share_forces();
    return done;
  }

  // Of the bodies or pairs of this rank.
  bool own_forces() {
    if constexpr (in_float)
      if (tree_) return tree_->forces(system_, stop());
    return nbody_forces(executor_, method_, system_, stop());
  }

  // The first tile of a rank, `further` ranks after this one.
  int first_tile(int further) const {
    return static_cast<int>(std::int64_t{tiles_of(group_.size())} * (ranks_.rank() + further) / ranks_.size());
  }

  // Gets the forces that the others have computed.
  void share_forces() {
    std::vector<Transfer> sends, receives;
    std::size_t received = 0;
    for (int peer = 0; peer < ranks_.size(); ++peer) {
      if (peer == ranks_.rank()) continue;
      if constexpr (in_float) {  // sums of integers over all bodies
        sends.push_back({peer, sum_.data(), sum_.bytes()});
        receives.push_back({peer, others_.data() + received++ * sum_.size(), sum_.bytes()});
      } else {  // the bodies of each rank's tiles
        const auto tiles = [&](int rank) {
          const std::size_t first = static_cast<std::size_t>(first_tile(rank - ranks_.rank())) * nbody_tile;
          const std::size_t end = static_cast<std::size_t>(first_tile(rank - ranks_.rank() + 1)) * nbody_tile;
          return Transfer{peer, sum_.data() + first, (end - first) * sizeof(Real), 3, position_.size() * sizeof(Real)};
        };
        sends.push_back(tiles(ranks_.rank()));
        receives.push_back(tiles(peer));
      }
    }
    ranks_.exchange(executor_, sends, receives);
    if constexpr (in_float) nbody_add_sums(executor_, sum_.data(), others_.data(), ranks_.size() - 1, sum_.size());
  }

  // The forces at the present positions, where they are not known, as at the start and after `load`; false where
  // `stop_` ended the search.
  bool find_forces() {
    if (forces_known_) return true;
    sum_.clear();
    forces_known_ = forces();
    return forces_known_;
  }

  void keep() {
    kept_position_.upload(position_.data());
    kept_velocity_.upload(velocity_.data());
    kept_momentum_.upload(momentum_.data());
  }
  void go_back() {
    position_.upload(kept_position_.data());
    velocity_.upload(kept_velocity_.data());
    momentum_.upload(kept_momentum_.data());
    forces_known_ = false;
  }

  // Whether all bodies lie so near to the origin along each axis.
  bool within(double distance) const {
    return std::ranges::all_of(position_.download(), [=](const Vec4<Real>& q) {
      return std::abs(q.x) <= distance && std::abs(q.y) <= distance && std::abs(q.z) <= distance;
    });
  }

  struct Energies {
    double kinetic = 0, potential = 0;

    double sum() const { return kinetic + potential; }
    double size() const { return (kinetic - potential) / 2; }
  };
  Energies energies(double kinetic) { return {kinetic, options_.bodies.gravity * potential()}; }

  // Notes, once, that the energy of few bodies has changed more than a scheme may change it that resolves their orbits.
  void watch(double kinetic) {
    constexpr double clear = 0.02, small = 1e-3;  // of the energies at the start
    const Energies now = energies(kinetic);
    const double before = first_energy_.sum(), change = now.sum() - before,
                 share = std::abs(change) / first_energy_.size();
    if (!(share > clear)) return;
    watches_ = false;
    double enough = options_.timestep * std::sqrt(small / std::min(share, 1.0));  // errors grow as its square
    if (options_.found) enough = std::min(enough, options_.found->timestep);
    warning_ = fmt::format(
        "by step {} the bodies have {} energy: {:.4g} instead of {:.4g}, which no force explains; timestep = {:.3g} "
        "instead of {:.3g} would do",
        steps_done_, change > 0 ? "gained" : "lost", now.sum(), before, round_down(enough), options_.timestep);
  }

  // What overflowed on any rank.
  std::vector<int> all_overflow() const {
    const std::vector<int> all = ranks_.gather(std::span<const int>(overflow_.download()));
    std::vector<int> any = {0, 0};
    for (std::size_t i = 0; i < all.size(); ++i) any[i % 2] |= all[i];
    return any;
  }
  NbodyTotals totals() {
    return nbody_totals(executor_, position_.data(), velocity_.data(), group_.size(), scratch_.data());
  }

  const Executor& executor_;
  const Communicator& ranks_;
  NbodyOptions options_;
  NbodyMethod method_;
  Buffer<Vec4<Real>> position_, velocity_;
  Buffer<std::uint8_t> group_;
  Buffer<NbodySum<Real>> sum_;     // forces at the current positions
  Buffer<NbodySum<Real>> others_;  // of the other ranks
  Buffer<int> lock_, overflow_;    // the latter two: of forces, of momenta
  Buffer<std::int64_t> momentum_, residual_;
  Buffer<double> mass_before_;
  bool forces_known_ = false;
  Buffer<Vec4<Real>> stage_[4];                       // rk4
  Buffer<Vec4<Real>> kept_position_, kept_velocity_;  // before the step, where one may be ended early
  Buffer<std::int64_t> kept_momentum_;
  Buffer<std::byte> scratch_;
  bool watches_ = false;   // the energy
  Energies first_energy_;  // at step 0
  std::string warning_;
  double total_mass_ = 0;
  std::optional<NbodyTree> tree_;
  NbodySystem<Real> system_;
  NbodyMotion<Real> motion_;
  NbodyStages<Real> stages_;
};

}  // namespace simreel
