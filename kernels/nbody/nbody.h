#pragma once
// Gravity between every two bodies: a_i = G sum over j of m_j (q_j - q_i) / (|q_j - q_i|^2 + softening^2)^(3/2).
//
// Bodies at the same place exert no force on each other, and so no body on itself. With no softening at all the sum
// still runs with one too small to be seen, nbody_softening2, so that this case needs no branch.
//
// Three ways to compute it, `NbodyArithmetic`:
//   exact   float. Bodies are taken in tiles of 128, each a column of four rows of 32. What a row, or a tile, adds to
//           the acceleration of a body is summed in float in one fixed order (kernels/nbody/pair.h); such partial sums
//           are rounded to fixed point and added as 64-bit integers, for which order cannot matter. So all kernels, any
//           launch shape, any number of threads and any machine give the same bits.
//   fast    on a GPU: float with the hardware's reciprocal square root; by tolerance only, though repeatable on one
//           device. On the CPU the same as `exact`.
//   double  (NbodySystem<double>) sums over j in order; the same bits from both kernels and on every machine.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exec/executor.h"
#include "kernels/base/view.h"

namespace simreel {

enum class NbodyKernel {
  naive,      // a thread a body, sources straight from memory
  tiled,      // a thread a body, sources in tiles of shared memory; on the CPU vectors of bodies
  symmetric,  // each pair once, for both of its bodies; not in double
};
enum class NbodyArithmetic { exact, fast };

struct NbodyMethod {
  NbodyKernel kernel = NbodyKernel::symmetric;
  NbodyArithmetic arithmetic = NbodyArithmetic::exact;  // of float; double has one only
  int tile = 256;  // naive and tiled on a GPU: threads a block, and sources in shared memory; one of nbody_tiles
};
inline constexpr int nbody_tiles[] = {8, 16, 32, 64, 128, 256, 512, 1024};

inline constexpr int nbody_tile = 128;
// Bodies that arrays have room for: whole tiles. Those beyond the count have mass 0 and lie anywhere.
inline std::size_t nbody_padded(std::size_t count) { return (count + nbody_tile - 1) / nbody_tile * nbody_tile; }

template <class Real>
struct Vec3 {
  Real x, y, z;
};

// An acceleration's sum, over G: a multiple of 1 / scale, or a plain number.
template <class Real>
using NbodySum = std::conditional_t<std::is_same_v<Real, float>, std::int64_t, double>;

// How float sums become integers. All three are powers of two but `limit`.
struct NbodyFixed {
  float scale = 1;  // integer = sum * scale, rounded to nearest
  float limit = 1;  // a partial sum beyond this (or not a number) counts as 0 and sets `overflow`
  double unit = 1;  // 1 / scale
};

// Chooses the scale. With a softening above 10^-5 of `radius`, which bounds accelerations, no sum can overflow. With
// less, or none, a partial sum may reach 2^10 times the acceleration that the whole mass causes at `radius`, or 2^27
// times that of the heaviest body, whichever is more. `softening2` from nbody_softening2.
NbodyFixed nbody_fixed(std::size_t count, double total_mass, double largest_mass, double radius, double softening2);

// softening^2, or where that is less the smallest that keeps m / softening^3 of the heaviest body a float far from its
// end: 2^-80 for masses up to 2^6, a distance of 10^-12.
double nbody_softening2(double softening, double largest_mass);

// The arrays that forces are computed from and into; executor memory, nbody_padded(count) bodies each. Owns nothing.
template <class Real>
struct NbodySystem {
  std::size_t count = 0;
  const Vec4<Real>* position = nullptr;  // x, y, z, mass
  NbodySum<Real>* sum = nullptr;         // x of all bodies, then y, then z
  int* lock = nullptr;                   // one a tile, all 0; used by the CPU's symmetric kernel
  int* overflow = nullptr;               // set to 1 where a float sum leaves the range of `fixed`
  Real softening2 = 0;
  NbodyFixed fixed;
};

// Adds the forces at the present positions to `sum` (float: the sums must be 0 before), or sets it (double).
// Asynchronous on a GPU.
template <class Real>
void nbody_forces(const Executor&, const NbodyMethod&, const NbodySystem<Real>&);

}  // namespace simreel
