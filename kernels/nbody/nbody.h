#pragma once
// Gravity between all pairs of bodies: a_i = G sum over j of m_j (q_j - q_i) / (|q_j - q_i|^2 + softening^2)^(3/2).
//
// Bodies at the same place exert no force on each other, so the sum may include i = j. Without softening the sum still
// uses a negligible one, nbody_softening2, so that this case needs no branch: it changes forces by more than rounding
// below distances of 3e-9 in float, 1e-92 in double (masses up to 64).
//
// Three ways to compute it, `NbodyArithmetic`:
//   exact   float. Bodies are grouped in tiles of 128, four rows of 32. The contribution of a row, or of a tile, to the
//           acceleration of a body is summed in float in one fixed order (kernels/nbody/pair.h). These partial sums are
//           rounded to fixed point and added as 64-bit integers, for which the order does not matter. So all kernels,
//           launch shapes, numbers of threads and machines give the same bits.
//   fast    on a GPU: float with the approximate reciprocal square root of the hardware; accurate to a tolerance, and
//           repeatable on one device only. On the CPU the same as `exact`.
//   double  (NbodySystem<double>) sums over j in order; both kernels and all machines give the same bits.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include "exec/executor.h"
#include "kernels/base/view.h"

namespace simreel {

enum class NbodyKernel {
  naive,      // one thread per body, sources from global memory
  tiled,      // one thread per body, sources in tiles of shared memory; on the CPU vectors of bodies
  symmetric,  // each pair once, for both bodies; not in double
};
// On a GPU the `fast` forms of naive and tiled split the sources of a body over several threads, so that few bodies
// fill the device.
enum class NbodyArithmetic { exact, fast };

struct NbodyMethod {
  NbodyKernel kernel = NbodyKernel::symmetric;
  NbodyArithmetic arithmetic = NbodyArithmetic::exact;  // for float; double has only one
  int tile = 256;  // naive and tiled on a GPU: threads per block, and sources in shared memory; one of nbody_tiles
};
inline constexpr int nbody_tiles[] = {8, 16, 32, 64, 128, 256, 512, 1024};

inline constexpr int nbody_tile = 128;
// The length of arrays of bodies: whole tiles. Bodies beyond the count have mass 0 and any position.
inline std::size_t nbody_padded(std::size_t count) { return (count + nbody_tile - 1) / nbody_tile * nbody_tile; }

template <class Real>
struct Vec3 {
  Real x, y, z;
};

// An acceleration over G: an integer multiple of 1 / scale, or a double.
template <class Real>
using NbodySum = std::conditional_t<std::is_same_v<Real, float>, std::int64_t, double>;

// Conversion of float sums to integers. `scale` and `unit` are powers of two.
struct NbodyFixed {
  float scale = 1;  // integer = sum * scale, rounded to nearest
  float limit = 1;  // a partial sum beyond this (or NaN) counts as 0 and sets `overflow`
  double unit = 1;  // 1 / scale
};

// Chooses the scale. With a softening above 10^-5 of `radius`, accelerations are bounded and no sum can overflow. With
// less softening, a partial sum may reach 2^10 times the acceleration that the total mass causes at `radius`, or 2^27
// times that of the heaviest body, whichever is more. `softening2` comes from nbody_softening2.
NbodyFixed nbody_fixed(std::size_t count, double total_mass, double largest_mass, double radius, double softening2);

// softening^2, or where that is less the smallest value for which softening^3 and m / softening^3 of the heaviest body
// are normal numbers of the type: for masses up to 2^6 a softening of 2^-40 = 9.1e-13 in float, 2^-333 = 5.7e-101 in
// double.
template <class Real>
double nbody_softening2(double softening, double largest_mass);

// The input and output arrays of a force computation: views of executor memory, nbody_padded(count) bodies each.
template <class Real>
struct NbodySystem {
  std::size_t count = 0;
  const Vec4<Real>* position = nullptr;  // x, y, z, mass
  NbodySum<Real>* sum = nullptr;         // x of all bodies, then y, then z
  int* lock = nullptr;                   // one per tile, all 0; used by the symmetric kernel of the CPU
  int* overflow = nullptr;               // set to 1 if a float sum leaves the range of `fixed`
  Real softening2 = 0;
  NbodyFixed fixed;
  // The part of the work that is done, of ranks that divide it: the symmetric kernel takes the pairs whose left tile is
  // one of these, which act on all bodies; the others the bodies of these tiles;
  // a tree as large a share of its groups.
  int first_tile = 0, end_tile = std::numeric_limits<int>::max();
};

// Float: adds the forces at the current positions to `sum`, which must be 0. Double: sets `sum` to them. Asynchronous
// on a GPU. On the CPU every thread asks `stop`, if it is not empty, before each piece of its work, the forces on 128
// bodies at most; once it says true the rest is left out, `sum` holds nothing of use, and the result is false.
template <class Real>
bool nbody_forces(const Executor&, const NbodyMethod&, const NbodySystem<Real>&,
                  const std::function<bool()>& stop = {});

// sum[i] += others[k * values + i] for each k < count; executor memory, asynchronous on a GPU.
void nbody_add_sums(const Executor&, std::int64_t* sum, const std::int64_t* others, int count, std::size_t values);

}  // namespace simreel
