#include "kernels/nbody_motion.h"

#include <cmath>

#include "kernels/launch.h"

namespace simreel {
namespace {

// Bodies lie along one dimension, which may be longer than an int.
constexpr int row_length = 1 << 16;
Extent rows_of(std::size_t count) {
  return {static_cast<int>(count < row_length ? count : row_length),
          static_cast<int>((count + row_length - 1) / row_length)};
}

template <class Real>
HD Vec3<Real> acceleration(const NbodyMotion<Real>& motion, std::size_t i) {
  const auto component = [&](std::size_t k) {
    return static_cast<Real>(static_cast<double>(motion.sum[k]) * motion.unit);
  };
  return {component(i), component(motion.padded + i), component(2 * motion.padded + i)};
}

template <class Real>
HD void clear(const NbodyMotion<Real>& motion, std::size_t i) {
  motion.sum[i] = motion.sum[motion.padded + i] = motion.sum[2 * motion.padded + i] = 0;
}

// value += slope * time, for the first three numbers.
template <class Real, class Slope>
HD void advance(Vec4<Real>& value, const Slope& slope, Real time) {
  value.x = std::fma(slope.x, time, value.x);
  value.y = std::fma(slope.y, time, value.y);
  value.z = std::fma(slope.z, time, value.z);
}

template <class Real>
struct Kick {
  NbodyMotion<Real> motion;
  Real step;  // share * timestep
  bool finish, drift;

  HD void operator()(int x, int y) const {
    const std::size_t i = static_cast<std::size_t>(y) * row_length + static_cast<std::size_t>(x);
    if (i >= motion.count) return;
    const Vec3<Real> a = acceleration(motion, i);
    Vec4<Real> v = motion.velocity[i];
    if (finish) kick(v, a);
    kick(v, a);
    motion.velocity[i] = v;
    if (!drift) return;
    Vec4<Real> q = motion.position[i];
    advance(q, v, motion.timestep);
    motion.position[i] = q;
    clear(motion, i);
  }

  HD void kick(Vec4<Real>& v, const Vec3<Real>& a) const {
    v.x = std::fma(a.x, step, v.x) * motion.damping;
    v.y = std::fma(a.y, step, v.y) * motion.damping;
    v.z = std::fma(a.z, step, v.z) * motion.damping;
  }
};

template <class Real>
struct Stage {
  NbodyMotion<Real> motion;
  NbodyStages<Real> stages;
  int stage;

  HD void operator()(int x, int y) const {
    const std::size_t i = static_cast<std::size_t>(y) * row_length + static_cast<std::size_t>(x);
    if (i >= motion.count) return;
    const Vec3<Real> a = acceleration(motion, i);
    clear(motion, i);
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
    advance(slope_v, a, weight);
    if (stage < 3) {
      stages.position_slope[i] = slope_q;
      stages.velocity_slope[i] = slope_v;
      const Real ahead = stage == 2 ? motion.timestep : Real(0.5) * motion.timestep;
      advance(from_q, v, ahead);
      advance(from_v, a, ahead);
    } else {
      advance(from_q, slope_q, motion.timestep / 6);
      advance(from_v, slope_v, motion.timestep / 6);
      from_v = {from_v.x * motion.damping, from_v.y * motion.damping, from_v.z * motion.damping, 0};
    }
    motion.position[i] = from_q;
    motion.velocity[i] = from_v;
  }
};

}  // namespace

template <class Real>
void nbody_kick(const Executor& executor, const NbodyMotion<Real>& motion, Real share) {
  parallel_for(executor, "nbody_kick", rows_of(motion.count),
               Kick<Real>{motion, share * motion.timestep, false, false});
}

template <class Real>
void nbody_kick_drift(const Executor& executor, const NbodyMotion<Real>& motion, Real share, bool finish) {
  parallel_for(executor, "nbody_kick_drift", rows_of(motion.count),
               Kick<Real>{motion, share * motion.timestep, finish, true});
}

template <class Real>
void nbody_rk4_stage(const Executor& executor, const NbodyMotion<Real>& motion, const NbodyStages<Real>& stages,
                     int stage) {
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
