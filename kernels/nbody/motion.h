#pragma once
// How bodies move under their accelerations, a fixed order of operations.
//
// In double, and within a Runge-Kutta step, velocities are plain numbers. In float what a step keeps is the momentum of
// each body, a whole number of units: the impulses of a kick are rounded to units, and what is left of their sum, by
// which rounding breaks action and reaction, is taken off all bodies in proportion to their masses, an acceleration
// that all have in common and no body sees of another. So without damping the total momentum never changes, not by one
// unit, and velocities follow from it.

#include <cstddef>
#include <cstdint>

#include "exec/executor.h"
#include "kernels/base/launch.h"
#include "kernels/base/view.h"
#include "kernels/nbody/nbody.h"

namespace simreel {

// Momenta of float bodies, as multiples of 1 / scale. Executor memory; owns nothing.
struct NbodyMomentum {
  std::int64_t* value = nullptr;        // x of all bodies, then y, then z
  std::int64_t* residual = nullptr;     // three; the sum of the impulses of the latest kick
  const double* mass_before = nullptr;  // for each body, the share of the whole mass that those before it have
  int* overflow = nullptr;              // set to 1 where an impulse or a momentum leaves the range, and is left out
  double scale = 1;                     // a power of two
  double lightest = 0;  // a unit is coarse for what is lighter: its velocity is kept in float, beside the momentum
};

// Leaves the whole mass 2^8 times `speed`, the largest that bodies have or will have from falling together, about; a
// body down to 2^-26 of that mass still has units finer than the digits of a float.
NbodyMomentum nbody_momentum_units(double total_mass, double speed);

// Of a body of this mass, times scale.
HD inline float nbody_velocity(std::int64_t momentum, double scaled_mass) {
  return static_cast<float>(static_cast<double>(momentum) / scaled_mass);
}

// Executor memory; owns nothing. The acceleration of a body is sum * unit.
template <class Real>
struct NbodyMotion {
  std::size_t count = 0, padded = 0;  // of bodies; from one component of `sum` to the next
  Vec4<Real>* position = nullptr;
  Vec4<Real>* velocity = nullptr;
  NbodySum<Real>* sum = nullptr;
  double unit = 1;  // G, times the unit of fixed-point sums
  Real timestep = 0;
  Real damping = 1;        // velocities are multiplied by it after every kick
  NbodyMomentum momentum;  // of float bodies
};

// v += a share dt; v *= damping. Leaves the sums.
template <class Real>
void nbody_kick(const Executor&, const NbodyMotion<Real>&, Real share);

// A kick, then q += v dt; float sums become 0, ready for the next forces. With `finish` there is first a kick of the
// same share that ends the step before: the same bits as nbody_kick and then this.
template <class Real>
void nbody_kick_drift(const Executor&, const NbodyMotion<Real>&, Real share, bool finish);

// Where a Runge-Kutta step keeps what it started from and the weighted sum of its four slopes.
template <class Real>
struct NbodyStages {
  Vec4<Real>*position = nullptr, *velocity = nullptr;  // at the start
  Vec4<Real>*position_slope = nullptr, *velocity_slope = nullptr;
};

// One of the four stages of the classical Runge-Kutta step (Kutta 1901), `stage` from 0: takes the sums as forces at
// the present positions, and moves positions and velocities on to where the next stage looks, after the last one to the
// end of the step; then the damping. Float sums become 0.
template <class Real>
void nbody_rk4_stage(const Executor&, const NbodyMotion<Real>&, const NbodyStages<Real>&, int stage);

}  // namespace simreel
