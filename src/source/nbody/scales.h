#pragma once
// The lengths and times of bodies as they are, from which timestep, softening, pace and picture follow. All are in the
// units of the bodies: lengths and speeds of their file, times that follow from both, masses that `gravity` goes with.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/nbody/motion.h"
#include "source/nbody/bodies.h"

namespace simreel {

// Up to so many bodies, each of which is looked for.
inline constexpr std::size_t few_bodies = 64;

// Two bodies, or two that stand for what is bound to them, on their conic section about each other: Murray and Dermott
// 1999, Solar System Dynamics, chapter 2.
struct Orbit {
  std::array<std::size_t, 2> bodies{};  // the heaviest on either side
  std::array<std::size_t, 2> parts{};   // a body or, from their number on, an earlier orbit
  double share = 0;                     // of the mass, by the second part
  double distance = 0, speed = 0;       // of one from the other, at the start
  double axis = 0, eccentricity = 0;    // axis: infinite where nothing binds them
  double period = 0;                    // infinite likewise
  double nearest = 0;                   // least distance, and at least a fiftieth of the axis
  bool falls = false;                   // straight towards each other, without softening nearer than that
  double turn = 0;                      // the time of a turn at the speed that they have there, if softened
  std::array<double, 3> normal{};       // of its plane, of length 1; 0: they fall straight
  bool bound() const { return eccentricity < 1; }
};

struct MassCenter {
  double mass = 0;  // of all
  std::array<double, 3> position{}, velocity{};
};
MassCenter mass_center(const Bodies&);

// Bodies that lie in clouds with hardly any between them, or in groups of their own of which none reaches into another,
// each cloud as one; alone they are one cloud. Of more than 20,000 a sample.
struct Clouds {
  Bodies bodies;
  std::vector<double> radius;  // within which four fifths of each lie
};
Clouds clouds_of(const Bodies&);

struct BodyScales {
  // Of few bodies: the closest bound pair, then with it as one the next, and so on; then pairs that come close and
  // part. Of many: of each around one that has most of the mass, and of neighbours far closer than others; the one with
  // the shortest turn.
  std::vector<Orbit> orbits;
  double spacing = 0;  // median distance of neighbours
  double closest = 0;  // the least
  double fastest = 0;  // speed from the centre of mass
  double radius = 0;   // median distance from the centre of mass, without the heaviest body
  double heaviest = 0;
  MassCenter center;
  bool few = false;

  const Orbit* tightest() const;                // the one with the shortest turn; null: there is none
  double dynamical_time(double gravity) const;  // sqrt(radius^3 / (G mass))
};

// All pairs of few bodies; of many each with its nearest neighbour, of more than 200,000 a sample: in n log n.
BodyScales scales_of(const Bodies&, double gravity, double softening);

// What resolves these bodies, as 1, 2 or 5 times a power of ten, and why.
struct BodySteps {
  double softening = 0, timestep = 0;
  std::string softening_reason = {}, timestep_reason = {};
  std::string warning = {};  // of what they cannot resolve, or empty
  BodyScales scales = {};
};
// `softening`: a given one, in units of length. Bodies must be finite; nothing throws.
BodySteps steps_for(const Bodies&, double gravity, std::optional<double> softening);

// The largest of 1, 2 and 5 times a power of ten that is at most `value`, which is positive and finite.
double round_down(double value);

// "Earth" or "body 3".
std::string name_of(const Bodies&, std::size_t body);

// The units of integer forces and momenta of an N-body run in float, chosen from the initial state.
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
