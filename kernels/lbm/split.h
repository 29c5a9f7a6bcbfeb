#pragma once
// The step in three kernels, as the literature's first GPU codes do it: stream, macroscopic values, collide. The same
// bits as lbm_step at two and a half times its memory traffic; for comparison.

#include "kernels/lbm/lbm.h"

namespace simreel {

// Sides of the square tiles of shared memory through which a GPU may stream and sum; 0: none. The CPU has none.
inline constexpr int lbm_tiles[] = {0, 4, 8, 10, 16, 32};

// Macroscopic values of every cell, laid out like a field; solid cells are not written.
template <class Real>
struct LbmMoments {
  Real *density, *ux, *uy;  // rho - 1, velocity
};

// `tile` is one of lbm_tiles. Float in float and double in double only: half would round once more between the kernels.
template <class Real>
void lbm_split_step(const Executor&, const LbmParams<Real>&, const LbmCells&, int tile, const Real* from, Real* to,
                    LbmMoments<Real>);

}  // namespace simreel
