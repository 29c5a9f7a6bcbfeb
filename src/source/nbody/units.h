#pragma once
// The units of integer forces and momenta of an N-body run in float, chosen from the initial state.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/nbody/motion.h"
#include "source/nbody/bodies.h"

namespace simreel {

struct NbodyUnits {
  NbodyFixed forces;
  NbodyMomentum momenta;  // no arrays yet
};

// `softening2` from nbody_softening2.
NbodyUnits nbody_units(const Bodies&, double gravity, double softening2);

// The initial contents of the arrays of `padded` bodies.
struct NbodyMomenta {
  std::vector<std::int64_t> value;    // x of all bodies, then y, then z
  std::vector<Vec4<float>> velocity;  // derived from the momenta, as in every step
  std::vector<double> mass_before;    // for each body, the mass of all bodies before it over the total mass
};
NbodyMomenta nbody_momenta(const Bodies&, const NbodyMomentum& units, std::size_t padded);

}  // namespace simreel
