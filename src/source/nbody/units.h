#pragma once
// How the forces and momenta of an N-body run in float become integers, from what its bodies are like at the start.

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

// What arrays of `padded` bodies hold at the start.
struct NbodyMomenta {
  std::vector<std::int64_t> value;    // x of all bodies, then y, then z
  std::vector<Vec4<float>> velocity;  // that follows from it: a first step, too, starts from momenta
  std::vector<double> mass_before;    // one for each body; the share of the mass that those before it have
};
NbodyMomenta nbody_momenta(const Bodies&, const NbodyMomentum& units, std::size_t padded);

}  // namespace simreel
