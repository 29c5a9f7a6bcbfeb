#pragma once
// A temperature that a flow carries and that drives it, in the same pass over memory:
//   T_t + div(u T) = D laplace T,    g = buoyancy T upwards (Boussinesq's approximation).
//
// T is the sum of five populations h_i (D2Q5: rest and the four axes, w = 1/3 and 1/6, c^2 = 1/3) with the equilibrium
// w_i T (1 + 3 e_i . u). They relax with two rates: odd moments with D = (1 / odd - 1/2) / 3, even ones such that (1 /
// even - 1/2) (1 / odd - 1/2) = 1/4, where the scheme is stable for the smallest diffusivities (Kuzmin, Ginzburg,
// Mohamad 2011, Comput. Math. Appl. 61, 3417). A step pulls all populations of a cell, makes the acceleration of T,
// collides the flow with it, and T with the velocity at the middle of the step (as He, Chen, Doolen 1998, J. Comput.
// Phys. 146, 282, with another lattice).
//
// T counts from the temperature at which fluid has no buoyancy, in units of the span of a flow's temperatures. So
// populations stay near 0, where they lose least to rounding, and fluid of that temperature keeps it where the density
// changes, too, by which other temperatures change as it does.
//
// Sides and walls of obstacles lie half a cell beyond the outermost cells. With a temperature they send back -h_i + 2 w
// T (anti-bounce-back: Ginzburg 2005, Adv. Water Resour. 28, 1196), otherwise h_i and the heat that enters, and
// less T e_i . u where an obstacle turns, whose wall has the velocity u; a wall with a temperature that cuts a link
// elsewhere interpolates (Li, Mei, Klausner 2013, J. Comput. Phys. 237, 366). From beyond an outlet comes what the cell
// has itself.

#include "kernels/lbm/lbm.h"

namespace simreel {

inline constexpr int lbm_heat_planes = 5;  // of a state, after those of the flow

// What a side or an obstacle does with heat.
template <class Real>
struct LbmHeatWall {
  bool fixed = false;    // whether it has a temperature
  bool counted = false;  // whether lbm_heat_sums counts what enters through it
  Real value = 0;        // the temperature, or the heat that enters over a link in a step
};

template <class Real>
struct LbmHeat {
  Real even = 1, odd = 1;                       // rates
  Real buoyancy = 0;                            // acceleration per unit of temperature
  LbmHeatWall<Real> side[4];                    // left, right, bottom, top; an inlet must have a temperature
  const LbmHeatWall<Real>* obstacle = nullptr;  // of each, in executor memory
};

// Rates for a diffusivity > 0, cells^2 a step.
template <class Real>
void lbm_set_heat_rates(LbmHeat<Real>&, double diffusivity);

// One step. `from` and `to` hold 9 planes of the flow and 5 of the temperature; lbm_is_forced(p) must hold. The bits do
// not depend on the machine. Computed in `Real`.
template <class Real>
void lbm_heat_step(const Executor&, const LbmParams<Real>& p, const LbmHeat<Real>&, const LbmCells&, const Real* from,
                   Real* to);

// Sets the temperature of `rows` rows from row y on to given values, nx a row without padding, at rest.
template <class Real>
void lbm_heat_start(const Executor&, const LbmParams<Real>& p, const LbmCells&, const double* given, int y, int rows,
                    Real* state);

// Sets `push` (LbmParams::push) to what the buoyancy of a state adds to the acceleration of its last step, and p.push,
// if it is not null, too: what observers of the flow take.
template <class Real>
void lbm_heat_push(const Executor&, const LbmParams<Real>& p, const LbmHeat<Real>&, const Real* state, Real* push);

// field = offset + scale T; NaN in solid cells.
template <class Real>
void lbm_heat_field(const Executor&, const LbmParams<Real>& p, const LbmCells&, const Real* state, double offset,
                    double scale, Real* field);

// Sums over the fluid of all ranks; the same bits on every machine and for any number of ranks. Waits. Of a part with a
// halo, which must be valid for one row. `p.push` is that of lbm_heat_push; `scratch` has lbm_reduce_bytes.
struct LbmHeatSums {
  double temperature;       // of T
  double along_x, along_y;  // of u T
  double entering;          // heat that enters in the next step through the walls that are counted
  double links;             // over so many links
};
template <class Real>
LbmHeatSums lbm_heat_sums(const Executor&, const LbmParams<Real>& p, const LbmHeat<Real>&, const OwnRows&,
                          const LbmCells&, const Real* state, void* scratch);

}  // namespace simreel
