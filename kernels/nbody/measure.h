#pragma once
// What bodies have in all: energy and momentum, in double precision; the same bits on every machine.

#include <cstddef>

#include "exec/executor.h"
#include "kernels/base/view.h"
#include "kernels/nbody/motion.h"
#include "kernels/nbody/nbody.h"

namespace simreel {

struct NbodyTotals {
  double kinetic = 0;
  double px = 0, py = 0, pz = 0;  // masses times velocities, which in float are rounded: see nbody_momentum
  double lx = 0, ly = 0, lz = 0;  // about the origin
  bool finite = true;             // every coordinate of every position and velocity
};

// Bytes of executor memory that these functions need for scratch.
std::size_t nbody_measure_bytes(std::size_t count);

// Waits for the executor.
template <class Real>
NbodyTotals nbody_totals(const Executor&, const Vec4<Real>* position, const Vec4<Real>* velocity, std::size_t count,
                         void* scratch);

// The total of the momenta that float bodies keep (kernels/nbody/motion.h), without rounding but the last one. Waits
// for the executor.
Vec3<double> nbody_momentum(const Executor&, const NbodyMomentum&, std::size_t count, void* scratch);

// -sum over pairs of m_i m_j / sqrt(distance^2 + softening2), to be multiplied by G. With a softening of 0 bodies at
// the same place, to within 10^-154, are no pair. `position` is padded. Waits for the executor; as much work as a step.
template <class Real>
double nbody_potential(const Executor&, const Vec4<Real>* position, std::size_t count, double softening2,
                       void* scratch);

// How far the sums that nbody_forces left are from those of the same bodies in double precision: the root of the mean
// square error over that of the mean square force, over some 500 of the bodies; 0 where no force acts on them. Waits
// for the executor.
template <class Real>
double nbody_force_error(const Executor&, const NbodySystem<Real>&, void* scratch);

}  // namespace simreel
