#include "kernels/nbody/motion.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "kernels/base/math.h"
#include "kernels/nbody/pair.h"

namespace simreel {
namespace {

// A one-dimensional launch over bodies, whose number may exceed an int.
constexpr int row_length = 1 << 16;
Extent rows_of(std::size_t count) {
  return {static_cast<int>(count < row_length ? count : row_length),
          static_cast<int>((count + row_length - 1) / row_length)};
}
HD std::size_t index_of(int x, int y) { return static_cast<std::size_t>(y) * row_length + static_cast<std::size_t>(x); }

template <class Real>
HD Vec3<double> acceleration(const NbodyMotion<Real>& motion, std::size_t i) {
  const auto component = [&](std::size_t k) { return static_cast<double>(motion.sum[k]) * motion.unit; };
  return {component(i), component(motion.padded + i), component(2 * motion.padded + i)};
}

template <class Real>
HD void clear(const NbodyMotion<Real>& motion, std::size_t i) {
  motion.sum[i] = motion.sum[motion.padded + i] = motion.sum[2 * motion.padded + i] = 0;
}

// value += slope * time, for x, y and z.
template <class Real, class Slope>
HD void advance(Vec4<Real>& value, const Slope& slope, Real time) {
  value.x = std::fma(static_cast<Real>(slope.x), time, value.x);
  value.y = std::fma(static_cast<Real>(slope.y), time, value.y);
  value.z = std::fma(static_cast<Real>(slope.z), time, value.z);
}

// The slope of the velocity of body i in a kick: its acceleration, or the weighted sum of four accelerations at the end
// of a Runge-Kutta step.
template <class Real>
struct KickSlope {
  NbodyMotion<Real> motion;
  double time;

  HD Vec3<double> operator()(std::size_t i) const {
    const Vec3<double> a = acceleration(motion, i);
    return {a.x * time, a.y * time, a.z * time};
  }
};

template <class Real>
struct StagesSlope {
  NbodyMotion<Real> motion;
  NbodyStages<Real> stages;

  HD Vec3<double> operator()(std::size_t i) const {
    Vec4<Real> slope = stages.velocity_slope[i];
    advance(slope, acceleration(motion, i), Real(1));
    const double time = static_cast<double>(motion.timestep) / 6;
    return {static_cast<double>(slope.x) * time, static_cast<double>(slope.y) * time,
            static_cast<double>(slope.z) * time};
  }
};

HD std::int64_t rounded(double value) {
#ifdef __CUDA_ARCH__
  return __double2ll_rn(value);
#else
  return std::llrint(value);
#endif
}

// The impulse in units of momentum; 0 if it is out of range, and then `bad` is set.
HD std::int64_t impulse(double velocity_change, double scaled_mass, bool& bad) {
  const double value = velocity_change * scaled_mass;
  if (std::fabs(value) <= 0x1p61) return rounded(value);
  bad = true;
  return 0;
}

// Adds with wrap-around: sums of impulses may overflow on the way.
HD std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// The part of the residual that the bodies before i take. The differences from one body to the next add up to the whole
// residual, however they are rounded.
HD std::int64_t part_before(const NbodyMotion<float>& motion, std::size_t i, std::int64_t residual) {
  if (i == motion.count) return residual;
  return static_cast<std::int64_t>(static_cast<double>(residual) * motion.momentum.mass_before[i]);
}

HD void kick(const NbodyMotion<double>& motion, std::size_t, const Vec3<double>& change, Vec4<double>& velocity) {
  velocity = {(velocity.x + change.x) * motion.velocity_factor, (velocity.y + change.y) * motion.velocity_factor,
              (velocity.z + change.z) * motion.velocity_factor, 0};
}

HD void kick(const NbodyMotion<float>& motion, std::size_t i, const Vec3<double>& change, Vec4<float>& velocity) {
  const NbodyMomentum& momentum = motion.momentum;
  const double mass = static_cast<double>(motion.position[i].w), scaled_mass = mass * momentum.scale;
  bool bad = false;
  const auto kick_along = [&](std::size_t axis, double change_along, float& velocity_along) {
    const std::int64_t residual = momentum.residual[axis];
    const std::int64_t own = part_before(motion, i + 1, residual) - part_before(motion, i, residual);
    std::int64_t& kept = momentum.value[axis * motion.padded + i];
    std::int64_t value = wrapping_add(kept, impulse(change_along, scaled_mass, bad) - own);
    if (motion.velocity_factor != 1)
      value = rounded(static_cast<double>(value) * static_cast<double>(motion.velocity_factor));
    constexpr std::int64_t range = std::int64_t{1} << 62;
    if (value > range || value < -range)
      bad = true;
    else
      kept = value;
    velocity_along = mass < momentum.lightest
                         ? (velocity_along + static_cast<float>(change_along)) * motion.velocity_factor
                         : nbody_velocity(kept, scaled_mass);
  };
  kick_along(0, change.x, velocity.x);
  kick_along(1, change.y, velocity.y);
  kick_along(2, change.z, velocity.z);
  if (bad) nbody_raise(momentum.overflow);
}

HD void add_atomically(std::int64_t& sum, std::int64_t amount) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(&sum), static_cast<unsigned long long>(amount));
#else
  std::atomic_ref(sum).fetch_add(amount, std::memory_order_relaxed);  // wraps around
#endif
}

// Sums the impulses of every `strips`-th body.
template <class Slope>
struct SumImpulses {
  NbodyMotion<float> motion;
  Slope slope;
  std::size_t strips;

  HD void operator()(int x, int y) const {
    const std::size_t strip = index_of(x, y);
    if (strip >= strips) return;
    Vec3<std::int64_t> sum{0, 0, 0};
    bool bad = false;  // ignored: the kick finds it again
    for (std::size_t i = strip; i < motion.count; i += strips) {
      const Vec3<double> change = slope(i);
      const double scaled_mass = static_cast<double>(motion.position[i].w) * motion.momentum.scale;
      sum = {wrapping_add(sum.x, impulse(change.x, scaled_mass, bad)),
             wrapping_add(sum.y, impulse(change.y, scaled_mass, bad)),
             wrapping_add(sum.z, impulse(change.z, scaled_mass, bad))};
    }
    add_atomically(motion.momentum.residual[0], sum.x);
    add_atomically(motion.momentum.residual[1], sum.y);
    add_atomically(motion.momentum.residual[2], sum.z);
  }
};

template <class Slope>
void find_residual(const Executor&, const NbodyMotion<double>&, const Slope&) {}

template <class Slope>
void find_residual(const Executor& executor, const NbodyMotion<float>& motion, const Slope& slope) {
  executor.clear(motion.momentum.residual, 3 * sizeof(std::int64_t));
  // Strips long enough that the atomic additions to one address do not dominate.
  const std::size_t strips = (motion.count + 15) / 16;
  parallel_for(executor, "nbody_residual", rows_of(strips), SumImpulses<Slope>{motion, slope, strips});
}

template <class Real>
struct Kick {
  NbodyMotion<Real> motion;
  KickSlope<Real> slope;
  bool finish, drift;

  HD void operator()(int x, int y) const {
    const std::size_t i = index_of(x, y);
    if (i >= motion.count) return;
    const Vec3<double> change = slope(i);
    Vec4<Real> v = motion.velocity[i];
    if (finish) kick(motion, i, change, v);
    kick(motion, i, change, v);
    motion.velocity[i] = v;
    if (!drift) return;
    Vec4<Real> q = motion.position[i];
    advance(q, v, motion.timestep);
    motion.position[i] = q;
    clear(motion, i);
  }
};

template <class Real>
void launch_kick(const Executor& executor, const char* name, const NbodyMotion<Real>& motion, Real share, bool finish,
                 bool drift) {
  const KickSlope<Real> slope{motion, static_cast<double>(share * motion.timestep)};
  find_residual(executor, motion, slope);
  parallel_for(executor, name, rows_of(motion.count), Kick<Real>{motion, slope, finish, drift});
}

template <class Real>
struct Stage {
  NbodyMotion<Real> motion;
  NbodyStages<Real> stages;
  int stage;

  HD void operator()(int x, int y) const {
    const std::size_t i = index_of(x, y);
    if (i >= motion.count) return;
    const Vec4<Real> v = motion.velocity[i];
    Vec4<Real> from_q = motion.position[i], from_v = v, slope_q{0, 0, 0, 0}, slope_v{0, 0, 0, 0};
    if (stage == 0) {
      stages.position[i] = from_q;
      stages.velocity[i] = from_v;
    } else {
      from_q = stages.position[i];
      from_v = stages.velocity[i];
      slope_q = stages.position_slope[i];
      slope_v = stages.velocity_slope[i];
    }
    const Real weight = stage == 1 || stage == 2 ? Real(2) : Real(1);
    advance(slope_q, v, weight);
    if (stage < 3) {
      const Vec3<double> a = acceleration(motion, i);
      advance(slope_v, a, weight);
      stages.position_slope[i] = slope_q;
      stages.velocity_slope[i] = slope_v;
      const Real ahead = stage == 2 ? motion.timestep : Real(0.5) * motion.timestep;
      advance(from_q, v, ahead);
      advance(from_v, a, ahead);
    } else {
      advance(from_q, slope_q, motion.timestep / 6);
      kick(motion, i, StagesSlope<Real>{motion, stages}(i), from_v);
    }
    motion.position[i] = from_q;
    motion.velocity[i] = from_v;
    clear(motion, i);
  }
};

}  // namespace

NbodyMomentum nbody_momentum_units(double total_mass, double speed) {
  NbodyMomentum momentum;
  if (const double usual = total_mass * speed; usual > 0)
    momentum.scale = exact::power_of_two(static_cast<int>(std::clamp(54 - std::ceil(std::log2(usual)), -900.0, 900.0)));
  momentum.lightest = total_mass * 0x1p-26;
  return momentum;
}

template <class Real>
void nbody_kick(const Executor& executor, const NbodyMotion<Real>& motion, Real share) {
  launch_kick(executor, "nbody_kick", motion, share, false, false);
}

template <class Real>
void nbody_kick_drift(const Executor& executor, const NbodyMotion<Real>& motion, Real share, bool finish) {
  launch_kick(executor, "nbody_kick_drift", motion, share, finish, true);
}

template <class Real>
void nbody_rk4_stage(const Executor& executor, const NbodyMotion<Real>& motion, const NbodyStages<Real>& stages,
                     int stage) {
  if (stage == 3) find_residual(executor, motion, StagesSlope<Real>{motion, stages});
  parallel_for(executor, "nbody_rk4_stage", rows_of(motion.count), Stage<Real>{motion, stages, stage});
}

#define SIMREEL_INSTANTIATE(Real)                                                        \
  template void nbody_kick(const Executor&, const NbodyMotion<Real>&, Real);             \
  template void nbody_kick_drift(const Executor&, const NbodyMotion<Real>&, Real, bool); \
  template void nbody_rk4_stage(const Executor&, const NbodyMotion<Real>&, const NbodyStages<Real>&, int);
SIMREEL_INSTANTIATE(float)
SIMREEL_INSTANTIATE(double)
#undef SIMREEL_INSTANTIATE

}  // namespace simreel
