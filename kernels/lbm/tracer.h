#pragma once
// A passive dye c in a flow:  c_t + u . grad c = D laplace c,  by finite volumes on the flow's cells, a step of the
// flow at a time. Faces take the value of the cell upstream with van Leer's limited slope (van Leer 1974, J. Comput.
// Phys. 14, 361), so c stays within [0, 1]. Solid cells and walls let nothing through. Because u . grad c and not
// div (u c) is carried, dye that is the same everywhere stays so, but its amount is kept only as well as the flow is
// free of divergence: to half a percent after 20,000 steps of a cavity at Mach 0.17.

#include "kernels/lbm/lbm.h"

namespace simreel {

// Dye that is renewed in every step: a disk where c = 1.
struct TracerSpot {
  double x = 0, y = 0;  // cells; a whole number is a cell's centre
  double radius = 4;    // cells, > 0
};
inline constexpr int tracer_most_spots = 16;

struct TracerParams {
  double diffusivity = 0;  // D, cells^2 a step, 0 to 0.2
  int stripes =
      0;  // the inlet's width is cut into twice so many bands, of which every second brings dye; 0: clear fluid
  TracerSpot spot[tracer_most_spots];
  int spots = 0;
};

// The velocity of every cell after the step, 0 in solid ones; laid out like a field.
template <class Real, class Stored>
void tracer_velocity(const Executor&, const LbmParams<Real>&, const LbmCells&, const Stored* state, Real* ux, Real* uy);

// One step of the dye; `from` and `to` are laid out like a field and do not overlap.
template <class Real>
void tracer_step(const Executor&, const LbmParams<Real>&, const LbmCells&, const TracerParams&, const Real* ux,
                 const Real* uy, const Real* from, Real* to);

// `to` for display: `from`, and NaN in solid cells.
template <class Real>
void tracer_show(const Executor&, const LbmParams<Real>&, const LbmCells&, const Real* from, Real* to);

// Bands of dye along x, `bands` of them up the grid; none for 0. Spots are dyed in any case.
template <class Real>
void tracer_start(const Executor&, const LbmParams<Real>&, const LbmCells&, const TracerParams&, int bands,
                  Real* tracer);

}  // namespace simreel
