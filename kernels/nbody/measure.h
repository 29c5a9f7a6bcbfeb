#pragma once
// Energy and momentum of the whole system, in double precision, with the same bits on every machine.

#include <cstddef>

#include "exec/executor.h"
#include "kernels/base/view.h"
#include "kernels/nbody/motion.h"
#include "kernels/nbody/nbody.h"

namespace simreel {

struct NbodyTotals {
  double kinetic = 0;
  double px = 0, py = 0, pz = 0;  // from the velocities, which are rounded in float; see nbody_momentum
  double lx = 0, ly = 0, lz = 0;  // about the origin
  bool finite = true;             // whether every coordinate of every position and velocity is
};

// Bytes of executor memory that these functions need for scratch.
std::size_t nbody_measure_bytes(std::size_t count);

// Waits for the executor.
template <class Real>
NbodyTotals nbody_totals(const Executor&, const Vec4<Real>* position, const Vec4<Real>* velocity, std::size_t count,
                         void* scratch);

// The total of the integer momenta of float bodies (kernels/nbody/motion.h), rounded once, at the end. Waits for the
// executor.
Vec3<double> nbody_momentum(const Executor&, const NbodyMomentum&, std::size_t count, void* scratch);

// -sum over pairs of m_i m_j / sqrt(distance^2 + softening2), to be multiplied by G. With a softening of 0, bodies
// within 10^-154 of each other do not count as a pair. `position` is padded. Waits for the executor; costs as much as a
// step.
template <class Real>
double nbody_potential(const Executor&, const Vec4<Real>* position, std::size_t count, double softening2,
                       void* scratch);

// Relative errors of forces, of a sample: all of up to 2^15 bodies, 2^30 / N of more, 2048 at least; 0 where no force
// acts.
struct NbodyForceError {
  double overall = 0;       // root mean square of the errors over that of the forces
  double rms = 0, p99 = 0;  // of each body's error over the force on it: root mean square, and what 99 % keep below
};

// Of the sums that nbody_forces or a tree computed, against double precision. Waits for the executor.
template <class Real>
NbodyForceError nbody_force_error(const Executor&, const NbodySystem<Real>&, void* scratch);

}  // namespace simreel
