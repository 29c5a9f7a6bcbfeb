#pragma once
// Two fluids that do not mix, a liquid of density 1 and a gas, with surface tension.
//
// The phase c is 1 in the liquid and 0 in the gas; between them it is (1 + tanh(2 d / W)) / 2 at the distance d from
// the interface. It follows the conservative Allen-Cahn equation (Chiu, Lin 2011, J. Comput. Phys. 230, 185)
//   c_t + div(u c) = div M (grad c - (4 / W) c (1 - c) n),    n the normal of the interface,
// by finite volumes with fluxes along the eight links of a cell. A link from a to b carries
//   M 6 w ((b - a) - tanh(2 n.e / W) (a + b - 2 a b)),
// which vanishes for a plane interface in any direction. n is the mean of the normals of both cells, from differences
// of the distance over two cells; that of two values of c is atanh((b - a) / (a + b - 2 a b)) W / 2. What leaves a cell
// enters the next, so the liquid is conserved to rounding. Where the distance changes by less than a fifth of what
// it would at an interface, c only diffuses; in nearly pure fluid, c (1 - c) < 0.02, by less than half, so that specks
// do not grow.
//
// The flow is that of velocity-based populations (Fakhari, Mitchell, Leonardi, Bolster 2017, Phys. Rev. E 96, 053301),
// of which the sum is 3 p / rho and the first moment u, with the relaxation of central moments (central.h) and the
// accelerations
//   mu grad c / rho,    mu = c's part of the free energy, of the surface tension
//   -(p / rho) grad rho / rho  and  nu (grad u + (grad u)^T) . grad rho / rho,  of density and viscosity that vary; the
//   latter is divided by the mean density of the faces, with which the stress of a shear flow is continuous
//   g (1 - rho_still / rho),   of gravity, less the weight of the fluid that is at rest under uniform pressure.
// rho and the dynamic viscosity are linear in c. mu is that for which a plane interface of the grid is in equilibrium,
// and its factor that for which such an interface has the given tension, to rounding.
//
// Beyond a wall c is that of a plane interface which meets the wall at the angle of contact. Inlets, outlets and solid
// cells are not computed.
//
// A state holds the nine planes of the populations, and three more: c, and the velocity along x and y in the middle of
// the last step. A step takes three launches, each of which reads what the one before has written in neighbours, so a
// part of a grid loses three rows of its halo.

#include "kernels/lbm/lbm.h"

namespace simreel {

inline constexpr int lbm_phases_planes = 3;  // of a state, after those of the flow

// In cells and steps.
struct LbmFluids {
  double density_ratio = 1;        // of the liquid to the gas, >= 1
  double liquid_viscosity = 0.02;  // kinematic, > 0
  double gas_viscosity = 0.02;
  double surface_tension = 0;  // >= 0, for the liquid's density 1
  double width = 4;            // W, >= 3
  double mobility = 0.1;       // M, 0 to 0.2
  double angle = 90;           // of contact, through the liquid, degrees
  double gravity[2] = {0, 0};  // acceleration
  double still = 0;            // density of the fluid whose weight is left out
};

template <class Real>
struct LbmPhases {
  Real gas = 1;                              // its density
  Real gas_friction = 0, more_friction = 0;  // dynamic viscosity: of gas, and what the liquid has more
  Real kappa = 0, well = 0;                  // kappa of mu; and tanh(2 / W)^2
  Real half_turn = 0, mobility = 0;          // 2 / W, and M
  Real wetting = 0;                          // tanh(2 cos(angle) / W)
  Real gravity_x = 0, gravity_y = 0, still = 0;
};

template <class Real>
LbmPhases<Real> lbm_phases_of(const LbmFluids&);

// One step. `from` and `to` hold 12 planes each, LbmParams::planes; p.model does not matter.
template <class Real>
void lbm_phases_step(const Executor&, const LbmParams<Real>& p, const LbmPhases<Real>&, const Real* from, Real* to);

// Sets `rows` rows from row y on, of nx values a row without padding, with the pressure 0.
struct LbmPhasesGiven {
  const double *phase, *ux, *uy;
  int y, rows;
};
template <class Real>
void lbm_phases_start(const Executor&, const LbmParams<Real>& p, const LbmPhasesGiven&, Real* state);

// Any field but `tracer` and `temperature`.
template <class Real>
void lbm_phases_field(const Executor&, const LbmParams<Real>& p, const LbmPhases<Real>&, const Real* state, LbmField,
                      Real* field);

// As lbm_sums; `mass` is the sum of c, the volume of the liquid in cells. `scratch` has lbm_reduce_bytes.
template <class Real>
LbmSums lbm_phases_sums(const Executor&, const LbmParams<Real>& p, const LbmPhases<Real>&, const OwnRows&,
                        const Real* state, void* scratch);

}  // namespace simreel
