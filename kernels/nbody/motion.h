#pragma once
// Time integration of bodies, in a fixed order of operations.
//
// In double, and within a Runge-Kutta step, velocities are floating-point numbers. In float the state is the momentum
// of each body, an integer number of units, and velocities are derived from it. The impulses of a kick are rounded to
// units; their sum, which would be zero without rounding, is subtracted from all bodies in proportion to their masses.
// That is an acceleration common to all bodies, which does not change their relative motion. So without damping the
// total momentum never changes, not by one unit.

#include <cstddef>
#include <cstdint>

#include "exec/executor.h"
#include "kernels/base/launch.h"
#include "kernels/base/view.h"
#include "kernels/nbody/nbody.h"

namespace simreel {

// Momenta of float bodies, as multiples of 1 / scale. A view of executor memory.
struct NbodyMomentum {
  std::int64_t* value = nullptr;        // x of all bodies, then y, then z
  std::int64_t* residual = nullptr;     // three values: the sum of the impulses of the latest kick
  const double* mass_before = nullptr;  // for each body, the mass of all bodies before it over the total mass
  int* overflow = nullptr;              // set to 1 if an impulse or a momentum leaves the range; it is then left out
  double scale = 1;                     // a power of two
  double lightest = 0;  // units are too coarse for lighter bodies: their velocity is stored in float as well
};

// Chooses the unit such that the total mass can move at 2^8 times `speed`, about the largest speed that bodies have or
// gain by falling together. A body of down to 2^-26 of the total mass still has units finer than float precision.
NbodyMomentum nbody_momentum_units(double total_mass, double speed);

// The velocity of a body with this momentum; `scaled_mass` is its mass times scale.
HD inline float nbody_velocity(std::int64_t momentum, double scaled_mass) {
  return static_cast<float>(static_cast<double>(momentum) / scaled_mass);
}

// A view of executor memory. The acceleration of a body is sum * unit.
template <class Real>
struct NbodyMotion {
  std::size_t count = 0, padded = 0;  // bodies; distance from one component of `sum` to the next
  Vec4<Real>* position = nullptr;
  Vec4<Real>* velocity = nullptr;
  NbodySum<Real>* sum = nullptr;
  double unit = 1;  // G times the unit of fixed-point sums
  Real timestep = 0;
  Real velocity_factor = 1;  // velocities are multiplied by it after every kick
  NbodyMomentum momentum;    // of float bodies
};

// v += a share dt; v *= velocity_factor. Does not change the sums.
template <class Real>
void nbody_kick(const Executor&, const NbodyMotion<Real>&, Real share);

// A kick, then q += v dt; sets float sums to 0 for the next forces. With `finish` it first applies a kick of the same
// share that completes the previous step, with the same bits as a separate nbody_kick.
template <class Real>
void nbody_kick_drift(const Executor&, const NbodyMotion<Real>&, Real share, bool finish);

// The memory of a Runge-Kutta step: its initial state and the weighted sum of its four slopes.
template <class Real>
struct NbodyStages {
  Vec4<Real>*position = nullptr, *velocity = nullptr;  // at the start
  Vec4<Real>*position_slope = nullptr, *velocity_slope = nullptr;
};

// One of the four stages of the classical Runge-Kutta step (Kutta 1901), `stage` from 0. Uses the sums as forces at the
// current positions and moves positions and velocities to where the next stage evaluates them. The last stage moves
// them to the end of the step and applies the velocity factor. Sets float sums to 0.
template <class Real>
void nbody_rk4_stage(const Executor&, const NbodyMotion<Real>&, const NbodyStages<Real>&, int stage);

}  // namespace simreel
