#pragma once
// The step in three kernels (stream, macroscopic values, collide), as in the first GPU codes of the literature. It
// gives the same bits as lbm_step with two and a half times its memory traffic; for comparison.

#include "kernels/lbm/lbm.h"

namespace simreel {

// Sides of the square tiles of shared memory that a GPU may use for streaming and summing; 0: none. The CPU ignores it.
inline constexpr int lbm_tiles[] = {0, 4, 8, 10, 16, 32};

// Macroscopic values of every cell, in the layout of a field; solid cells are not written.
template <class Real>
struct LbmMoments {
  Real *density, *ux, *uy;  // rho - 1, velocity
};

// `tile` is one of lbm_tiles. Float and double only: half would round once more between the kernels.
template <class Real>
void lbm_split_step(const Executor&, const LbmParams<Real>&, const LbmCells&, int tile, const Real* from, Real* to,
                    LbmMoments<Real>);

}  // namespace simreel
