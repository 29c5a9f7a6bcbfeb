#pragma once
// Lattice Boltzmann flow in two dimensions, nine velocities (D2Q9), in lattice units: cells, steps, density 1 at rest,
// c_s^2 = 1/3.
//
// The state holds the populations f_i - w_i after collision, which lose less to rounding than f_i and fit into half
// precision (Lehmann et al. 2022, Phys. Rev. E 106, 015308). A step pulls them from the neighbours, applies boundary
// conditions, and collides, in one pass over memory:
//
//   bgk  one rate 1 / tau, tau = 3 nu + 1/2 (Qian, d'Humieres, Lallemand 1992, Europhys. Lett. 17, 479)
//   trt  even moments relax with 1 / tau, odd ones such that (1 / w+ - 1/2) (1 / w- - 1/2) is the magic parameter; with
//        3/16 the wall of a Poiseuille flow is half a cell outside at any viscosity (Ginzburg, d'Humieres 2003, Phys.
//        Rev. E 68, 066614)
//   mrt  energy, its square and its flux have their own rates (Lallemand and Luo 2000, Phys. Rev. E 61, 6546)
//   central  central moments: only the shear stress keeps a memory, 1 - 1 / tau of it; all other moments of second and
//        higher order go to equilibrium at once (central.h)
//
// The body force is second-order accurate (Guo, Zheng, Shi 2002, Phys. Rev. E 65, 046308; with several rates:
// McCracken, Abraham 2005, Phys. Rev. E 71, 036701): the velocity is that at the middle of the step, (sum e_i f_i + rho
// g / 2) / rho.
//
// A rank's part of a grid (exec/domain.h) is advanced as a grid of its own; only what depends on where a row lies asks
// for the whole one, and tiles of a GPU leave out rows at open ends.
//
// Velocities 0 to 8: rest, E, W, N, S, NE, SW, SE, NW; opposite velocities are adjacent.

#include <cstddef>
#include <cstdint>

#include "exec/executor.h"
#include "kernels/base/half.h"
#include "kernels/base/reduce.h"
#include "kernels/base/view.h"

namespace simreel {

enum class LbmCollision { bgk, trt, mrt, central };

// What a collision computes in a cell, which is compiled for each.
enum class LbmModel {
  two_rates,  // bgk and trt: bgk is trt with equal rates
  mrt,
  central,
  central_eddies,  // the same with a Smagorinsky viscosity
};

// `central` brakes fluid that is faster along an axis, cells a step: there the equilibrium itself is unstable.
inline constexpr double lbm_speed_limit = 0.5;

// The boundary condition half a cell beyond the outermost cells of a side.
enum class LbmSide {
  periodic,  // the opposite side, which must be periodic too
  wall,      // at rest: halfway bounce-back
  moving,  // a wall that moves along itself: bounce-back with Ladd's momentum term (Ladd 1994, J. Fluid Mech. 271, 285)
  inlet,   // the same with a velocity into the domain
  outlet,  // fluid leaves: see LbmOutlet
  slip,    // a wall without friction: populations come back as their mirror image
};
// In a corner a link meets two sides: the velocities of walls and inlets add up, and walls, inlets and slip sides take
// precedence over an outlet. A periodic side has no corners. Links between two solid cells that touch at a corner are
// closed.

enum class LbmOutlet {
  // Density 1: anti-bounce-back at the cell's own velocity (Ginzburg, Verhaeghe, d'Humieres 2008, Commun. Comput. Phys.
  // 3, 427), diagonals with their mirror image. Sound comes back from it.
  pressure,
  // Sound leaves, and the density returns to 1 slowly: local one-dimensional inviscid relations (Poinsot, Lele 1992, J.
  // Comput. Phys. 101, 104), with regularised populations (Latt et al. 2008, Phys. Rev. E 77, 056703; Wissocq et al.
  // 2017, J. Comput. Phys. 331, 1). In cells that lie at a wall too, and where two outlets meet, populations are those
  // of the next cell inwards.
  characteristic,
};

template <class Real>
struct LbmRates {
  Real even = 1, odd = 1;  // of the stress (for bgk and trt all even moments), and of odd moments
};

// What inlets bring, in shares of `velocity`.
template <class Real>
struct LbmInflow {
  Real along = 1, across = 0;  // into the grid, and towards +x or +y along the side; `along` scales obstacles' rotation
};

// An acceleration.
template <class Real>
struct LbmPush {
  Real x = 0, y = 0;
};

template <class Real>
struct LbmParams {
  int nx = 0, ny = 0;
  std::size_t pitch = 0;  // values from one row to the next
  std::size_t plane = 0;  // values from one velocity's plane to the next, see lbm_layout
  int planes = 9;         // of a state: the flow's, and those of what it carries (heat.h, phases.h)
  int y0 = 0;             // row of the whole grid at row 0; below 0 where the halo wraps around
  int whole_ny = 0;       // rows of the whole grid
  bool open_below = false, open_above = false;  // the grid goes on beyond row 0, and beyond row ny - 1
  LbmModel model = LbmModel::two_rates;
  LbmRates<Real> rates;
  Real energy = 1, energy_square = 1;  // mrt only
  Real eddies = 0;                     // central_eddies: 18 C^2 of Smagorinsky's constant C
  Real viscosity = 0, magic = 0;       // what the rates come from; magic of trt, otherwise 0
  Real force_x = 0, force_y = 0;       // acceleration g
  bool driven = false;                 // whether the two below add to it
  LbmPush<Real> swing[3];      // everywhere: in the step before, in this one and, where a pass takes two, in the next
  const Real* push = nullptr;  // at each cell, along x and pitch * ny values further along y; null: none
  LbmSide left = LbmSide::periodic, right = LbmSide::periodic, bottom = LbmSide::periodic, top = LbmSide::periodic;
  Real velocity = 0;              // of moving walls (towards +x or +y) and inlets (inwards)
  Real slide[4] = {1, 1, 1, 1};   // of the left, right, bottom and top wall, if it moves: shares of `velocity`
  bool parabolic = false;         // inlets: 4 v s (1 - s) along the side instead of v everywhere
  const Real* profile = nullptr;  // inlets: shares of `velocity` instead, in both steps (cell.h); null: none
  LbmInflow<Real> inflow[2];      // in this step and, where a pass takes two, in the next
  LbmOutlet outlet = LbmOutlet::pressure;
  int layer = 0;  // columns of raised viscosity before outlets: nu + 0.1 (k / layer)^3 in column k, which is `layer` at
                  // the outlet. It keeps vortices that leave at low viscosity from ending the flow.
};

// Rates for a viscosity > 0.
template <class Real>
void lbm_set_rates(LbmParams<Real>&, LbmCollision, double viscosity, double magic);

// Sets pitch and plane of a whole grid for values of `bytes` bytes: rows are aligned to 128 bytes, and planes are
// spaced such that the nine values of a cell do not map to the same cache sets (74 % slower on a CPU otherwise). Large
// planes lie further apart on a GPU. States are saved in the layout of a CPU.
template <class Real>
void lbm_layout(LbmParams<Real>&, std::size_t bytes, Backend);
// The same for a rank's part of that grid.
template <class Real>
LbmParams<Real> lbm_part_of(LbmParams<Real> whole, const Domain&, std::size_t bytes, Backend);
// Number of values of a state.
template <class Real>
std::size_t lbm_values(const LbmParams<Real>& p) {
  return static_cast<std::size_t>(p.planes) * p.plane;
}

// The kind of each cell, cell[y * pitch + x]. `lbm_plain` is fluid whose eight neighbours are fluid and inside the
// grid, and whose rates are those of the flow. Other fluid has `lbm_edge` where a neighbour is solid or beyond a side,
// and `lbm_layer` in the layer before an outlet, or both; edges have `lbm_curved` too where LbmCurves lists them.
// Negative values are solid: -1 - n belongs to obstacle n.
inline constexpr std::int8_t lbm_plain = 0, lbm_edge = 1, lbm_layer = 2, lbm_curved = 4;
inline constexpr int lbm_max_obstacles = 128;

// Walls of obstacles that cut links elsewhere than in the middle, or that move: linear interpolated bounce-back
// (Bouzidi, Firdaouss, Lallemand 2001, Phys. Fluids 13, 3452). `mask` has a bit for each cell, `words` numbers of 64
// bits to a row, and `before` the number of bits before each number. Of the n-th cell with a bit, share[8 n + i - 1] is
// the part of the link of velocity i, in 1/256, at which it meets the wall; 0: in its middle, at rest, or nowhere.
struct LbmCurves {
  const std::uint64_t* mask = nullptr;
  const std::uint32_t* before = nullptr;
  const std::uint8_t* share = nullptr;
  int words = 0;
};

// The rotation of an obstacle about (x, y), radians a step, counter-clockwise: `rate`, or rate * sin(2 pi step /
// period) where the period is not 0.
struct LbmSpin {
  double x = 0, y = 0, rate = 0, period = 0;
  double now[2] = {};  // the rotation in this step and, where a pass takes two, in the next
};

struct LbmCells {
  const std::int8_t* cell = nullptr;
  const std::uint32_t* edge = nullptr;  // the indices y * pitch + x of all fluid cells that are not plain
  std::uint32_t edges = 0;
  LbmCurves curves;
  const LbmSpin* spin = nullptr;  // of each obstacle; null: all are at rest
};

// Sets the rotations of the two steps from `step` on, counted from 0. `spin` is executor memory.
void lbm_turn(const Executor&, LbmSpin* spin, int obstacles, std::int64_t step);

// One step. Float and double are computed in themselves, Half in float. Populations of solid cells are neither read nor
// written.
template <class Real, class Stored>
void lbm_step(const Executor&, const LbmParams<Real>&, const LbmCells&, const Stored* from, Stored* to);

// Initial flows with known density and velocity; solid cells hold zeros.
enum class LbmInitial {
  rest,
  uniform,       // (velocity, 0)
  taylor_green,  // u = (-U cos x sin y, (kx/ky) U sin x cos y), x and y one wave across the grid, and the density of
                 // its pressure
  shear_layer,   // two layers y = 1/4 and 3/4 of u = U tanh(80 s), v = 0.05 U sin 2 pi (x + 1/4) (Minion, Brown 1997,
                 // JCP 138, 734)
  stream,  // velocity U from the first inlet of left, right, bottom and top, and 0.1 U sin 2 pi s sin pi t across it, s
           // along it and t across the grid: a wake behind an obstacle in the middle begins to swing at once
};
template <class Real, class Stored>
void lbm_start(const Executor&, const LbmParams<Real>&, const LbmCells&, LbmInitial, double velocity, Stored* state);

// A given flow in `rows` rows from row y on: density, and velocity along x and y, of nx values a row without padding.
struct LbmGiven {
  const double *density, *ux, *uy;
  int y, rows;
};
template <class Real, class Stored>
void lbm_start(const Executor&, const LbmParams<Real>&, const LbmCells&, const LbmGiven&, Stored* state);

// A scalar of every cell, field[y * pitch + x]; NaN in solid cells. `tracer` is that of tracer_show (tracer.h) instead,
// `temperature` that of lbm_heat_field (heat.h), `phase` that of lbm_phases_field (phases.h).
enum class LbmField { speed, ux, uy, vorticity, density, tracer, temperature, phase };
template <class Real, class Stored>
void lbm_field(const Executor&, const LbmParams<Real>&, const LbmCells&, const Stored* state, LbmField, Real* field);

// Sums over the fluid of all ranks, with the same bits on every backend and for any number of ranks. Waits; `scratch`
// is executor memory of lbm_reduce_bytes.
struct LbmSums {
  double cells;             // of fluid
  double mass;              // of rho - 1
  double ux, uy;            // of the velocity
  double kinetic;           // of rho u^2 / 2
  double max_speed_square;  // infinite if any speed is NaN
  double limited;           // cells, in `central`: those whose speed along an axis is the limit, up to rounding
};
template <class Real, class Stored>
LbmSums lbm_sums(const Executor&, const LbmParams<Real>&, const OwnRows&, const LbmCells&, const Stored* state,
                 void* scratch);

// The momentum that obstacle `n` takes from the fluid in the next step, relative to the pressure at density 1 (momentum
// exchange: Mei, Yu, Shyy, Luo 2002, Phys. Rev. E 65, 041203; Wen et al. 2014, J. Comput. Phys. 266, 161), summed over
// cells x0 <= x < x1, y0 <= y < y1 of the whole grid. Waits. Of a part with a halo, which must be valid for one row.
struct LbmForce {
  double x, y;
  double torque;  // about the axis of an obstacle that turns, counter-clockwise; 0 for others
};
struct LbmBox {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};
template <class Real, class Stored>
LbmForce lbm_force(const Executor&, const LbmParams<Real>&, const OwnRows&, const LbmCells&, const Stored* state, int n,
                   LbmBox, void* scratch);

template <class Real>
std::size_t lbm_reduce_bytes(const LbmParams<Real>&);

}  // namespace simreel
