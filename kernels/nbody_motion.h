#pragma once
// How bodies move under their accelerations, a fixed order of operations in Real.

#include <cstddef>

#include "exec/executor.h"
#include "kernels/nbody.h"
#include "kernels/view.h"

namespace simreel {

// Executor memory; owns nothing. The acceleration of a body is Real(sum * unit).
template <class Real>
struct NbodyMotion {
  std::size_t count = 0, padded = 0;  // of bodies; from one component of `sum` to the next
  Vec4<Real>* position = nullptr;
  Vec4<Real>* velocity = nullptr;
  NbodySum<Real>* sum = nullptr;
  double unit = 1;  // G, times the unit of fixed-point sums
  Real timestep = 0;
  Real damping = 1;  // velocities are multiplied by it after every kick
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
