#pragma once
// Initial states of N-body runs. They are generated on the host in double precision from (seed, index of the body), so
// they are the same on every machine, with any number of threads.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "kernels/base/view.h"
#include "scene/table.h"

namespace simreel {

struct Bodies {
  std::vector<Vec4<double>> position;  // w: mass
  std::vector<Vec4<double>> velocity;  // w: 0
  std::vector<std::uint8_t> group;
  std::vector<std::string> name;  // empty: they have none

  std::size_t size() const { return position.size(); }
  void reserve(std::int64_t count) {
    position.reserve(static_cast<std::size_t>(count));
    velocity.reserve(static_cast<std::size_t>(count));
    group.reserve(static_cast<std::size_t>(count));
  }
  void resize(std::int64_t count) {
    position.resize(static_cast<std::size_t>(count));
    velocity.resize(static_cast<std::size_t>(count));
    group.resize(static_cast<std::size_t>(count));
  }
  void add(const Vec4<double>& at, const Vec4<double>& moving, int of_group) {
    position.push_back(at);
    velocity.push_back(moving);
    group.push_back(static_cast<std::uint8_t>(of_group));
  }
};

enum class InitialBodies {
  cube,
  sphere,
  plummer,
  disk,
  collision,
  galaxy,
  galaxies,
  cosmological,
  figure_eight,
  kepler,
  file
};

// A planet on an orbit around the sun; angles in degrees. Orbital elements, with the x-y plane as the reference plane
// and x as the reference direction.
struct PlanetOptions {
  std::string name = {};
  double mass = 0.001, axis = 1, eccentricity = 0, inclination = 0, node = 0, periapsis = 0, anomaly = 0;
};

struct BodiesOptions {
  InitialBodies initial = InitialBodies::plummer;
  std::int64_t count = 16384;
  std::uint64_t seed = 1;
  double gravity = 1, softening = 0.01;
  double mass = 1;    // total of all bodies, the central body of a disk included
  double radius = 1;  // cube, cosmological: half its side; sphere: its radius; plummer, disk: scale length
  double cut = 10;    // plummer, disk: maximum radius in scale lengths
  double virial = 0;  // cube, sphere: kinetic energy over |potential energy|; 1/2 is virial equilibrium
  // Disks. `central_mass` is a share of the mass, `thickness` of the scale length, `dispersion` of the circular speed.
  double central_mass = 0.1, thickness = 0.05, dispersion = 0.05;
  // Two disks that collide: `mass_ratio` is the mass of the second over that of the first.
  double mass_ratio = 1, separation = 10, pericenter = 2;
  std::array<double, 2> tilt = {30, -60};
  // A galaxy: shares of the mass; scale lengths in those of the disk; Toomre's Q of the disk at 2.4 scale lengths.
  double bulge_mass = 0.08, bulge_radius = 0.2, halo_mass = 0.7, halo_radius = 4, toomre = 1.5;
  // Cosmological: the rate of expansion over the critical one; displacements, root mean square along an axis, over the
  // radius; the power of waves of density is proportional to (wave number)^spectrum.
  double expansion = 1, displacement = 0.03, spectrum = -2;
  double sun_mass = 1;
  std::vector<PlanetOptions> planets;
};

// Every kind but `file`, on the host threads of the executor. All but figure_eight are centred: the centre of mass is
// at rest at the origin.
Bodies make_bodies(const Executor&, const BodiesOptions&);

// The number of bodies that make_bodies generates.
std::int64_t body_count(const BodiesOptions&);

// Equal masses, uniform in a cube or a ball, with normally distributed velocities.
Bodies uniform_bodies(const Executor&, const BodiesOptions&);
// A Plummer model (Aarseth, Henon and Wielen 1974, Astron. Astrophys. 37, 183, appendix), with speeds scaled such that
// the truncated model is in virial equilibrium.
Bodies plummer_bodies(const Executor&, const BodiesOptions&);

// An exponential disk around a central body, each body at the circular speed of its position.
Bodies disk_bodies(const Executor&, const BodiesOptions&);
// Two disks on a parabolic orbit about each other, groups 0 and 1; or two galaxies: the disk and the bulge of the first
// are groups 0 and 1, those of the second 4 and 3, and both halos 2.
Bodies collision_bodies(const Executor&, const BodiesOptions&);
// An exponential disk, a bulge and a halo near equilibrium; groups 1, 2 and 0. Body i uses the random numbers of body
// `first` + i.
Bodies galaxy_bodies(const Executor&, const BodiesOptions&, std::int64_t first = 0);
// An expanding cube of bodies near the points of a grid.
Bodies cosmological_bodies(const Executor&, const BodiesOptions&);
// Host memory that it needs in addition to the bodies.
std::size_t cosmological_scratch_bytes(std::int64_t count);
// The largest whole number whose cube is at most `count`, and the least whose cube is at least that.
std::array<std::int64_t, 2> cubes_around(std::int64_t count);
// Three equal masses that follow each other along one figure eight; one group each.
Bodies figure_eight_bodies(const BodiesOptions&);
// A sun and its planets, one group each. The elements of a planet are those of the two-body problem with the sun.
Bodies kepler_bodies(const BodiesOptions&);

// Moves the centre of mass to the origin and brings it to rest.
void center_bodies(Bodies&);

// Reads the keys of kind = "nbody" that make the bodies at step 0. Throws UsageError for values out of range, keys that
// another initial state uses, and numbers of bodies that the initial state cannot have.
void read_bodies(Table& keys, BodiesOptions&);

}  // namespace simreel
