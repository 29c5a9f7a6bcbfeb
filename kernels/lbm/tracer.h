#pragma once
// A passive dye c in a flow:  c_t + u . grad c = D laplace c,  by finite volumes on the cells of the flow, one step per
// step of the flow. Faces use the upstream value with the limited slope of van Leer (1974, J. Comput. Phys. 14, 361),
// so c stays within [0, 1]. There is no flux into solid cells and walls. The scheme advects u . grad c, not div (u c):
// uniform dye stays uniform, but the total amount is conserved only as well as the flow is divergence-free (to half a
// percent after 20,000 steps of a cavity at Mach 0.17).

#include "kernels/lbm/lbm.h"

namespace simreel {

// A source of dye: a disk where c is set to 1 in every step.
struct TracerSpot {
  double x = 0, y = 0;  // cells; a whole number is a cell's centre
  double radius = 4;    // cells, > 0
};
inline constexpr int tracer_max_spots = 16;

struct TracerParams {
  double diffusivity = 0;  // D, cells^2 a step, 0 to 0.2
  int stripes = 0;         // the inlet has twice this many bands, every second of which carries dye; 0: clear fluid
  TracerSpot spot[tracer_max_spots];
  int spots = 0;
};

// The velocity of every cell after the step, 0 in solid cells, in the layout of a field.
template <class Real, class Stored>
void tracer_velocity(const Executor&, const LbmParams<Real>&, const LbmCells&, const Stored* state, Real* ux, Real* uy);

// Arrays of one step of the dye; all have the layout of a field.
template <class Real>
struct TracerStep {
  const Real *ux = nullptr, *uy = nullptr;  // velocity after the flow's step; its values in solid cells do not matter
  const Real* from = nullptr;
  Real* to = nullptr;  // does not overlap `from`
};
template <class Real>
void tracer_step(const Executor&, const LbmParams<Real>&, const LbmCells&, const TracerParams&,
                 const TracerStep<Real>&);

// lbm_step, then the velocity of every fluid cell after it; and one step of the dye with an earlier velocity, unless
// `dye.to` is null. Neither depends on what the other writes, so a GPU runs both in one launch: small grids are bound
// by launches, of which lbm_step, tracer_velocity and tracer_step take four.
template <class Real, class Stored>
void tracer_step_beside_flow(const Executor&, const LbmParams<Real>&, const LbmCells&, const TracerParams&,
                             const Stored* from, Stored* to, Real* ux, Real* uy, const TracerStep<Real>& dye);

// Sets `to` to `from`, and to NaN in solid cells, for display.
template <class Real>
void tracer_show(const Executor&, const LbmParams<Real>&, const LbmCells&, const Real* from, Real* to);

// Sets `bands` bands of dye along x, stacked in y (0: none), and the spots.
template <class Real>
void tracer_start(const Executor&, const LbmParams<Real>&, const LbmCells&, const TracerParams&, int bands,
                  Real* tracer);

}  // namespace simreel
