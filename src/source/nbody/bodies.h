#pragma once
// The state that an N-body run starts from, and the ways to make one. Everything is made on the host in double
// precision from (seed, index of the body), so it is the same on every machine.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/view.h"

namespace simreel {

struct Bodies {
  std::vector<Vec4<double>> position;  // w: mass
  std::vector<Vec4<double>> velocity;  // w: 0
  std::vector<std::uint8_t> group;

  std::size_t size() const { return position.size(); }
  void reserve(std::int64_t count) {
    position.reserve(static_cast<std::size_t>(count));
    velocity.reserve(static_cast<std::size_t>(count));
    group.reserve(static_cast<std::size_t>(count));
  }
  void add(const Vec4<double>& at, const Vec4<double>& moving, int of_group) {
    position.push_back(at);
    velocity.push_back(moving);
    group.push_back(static_cast<std::uint8_t>(of_group));
  }
};

enum class InitialBodies { cube, sphere, plummer, disk, collision, figure_eight, kepler, file };

// An orbit around the sun; angles in degrees. The elements are those of celestial mechanics, with the orbit's reference
// plane in x and y and its reference direction along x.
struct PlanetOptions {
  double mass = 0.001, axis = 1, eccentricity = 0, inclination = 0, node = 0, periapsis = 0, anomaly = 0;
};

struct BodiesOptions {
  InitialBodies initial = InitialBodies::plummer;
  std::int64_t count = 16384;
  std::uint64_t seed = 1;
  double gravity = 1, softening = 0.01;
  double mass = 1;    // of all bodies together, a disk's central one included
  double radius = 1;  // cube: half its side; sphere: its radius; plummer, disk: their scale length
  double cut = 10;    // plummer, disk: no body lies farther out, in scale lengths
  double virial = 0;  // cube, sphere: kinetic energy over |potential energy|; 1/2 balances
  // Disks. `central_mass` and `thickness` are shares of the mass and of the scale length; `dispersion` is a share of
  // the circular speed.
  double central_mass = 0.1, thickness = 0.05, dispersion = 0.05;
  // Two disks that meet: `mass_ratio` is the second's mass over the first's.
  double mass_ratio = 1, separation = 10, pericenter = 2;
  std::array<double, 2> tilt = {30, -60};
  double sun_mass = 1;
  std::vector<PlanetOptions> planets;
};

// Every kind but `file`. Cube, sphere, plummer, disk, collision and kepler are centred: the centre of mass lies at the
// origin and rests.
Bodies make_bodies(const BodiesOptions&);

// How many bodies make_bodies will make.
std::int64_t body_count(const BodiesOptions&);

// Equal masses, spread evenly over a cube or a ball, with velocities from a normal distribution.
Bodies uniform_bodies(const BodiesOptions&);
// Plummer's model (Aarseth, Henon and Wielen 1974, Astron. Astrophys. 37, 183, appendix), its speeds such that what the
// cut leaves of it is in virial equilibrium.
Bodies plummer_bodies(const BodiesOptions&);

// An exponential disk around a central body, each body as fast as a circle through its place asks for.
Bodies disk_bodies(const BodiesOptions&);
// Two of them on a parabola about each other; groups 0 and 1.
Bodies collision_bodies(const BodiesOptions&);
// Three equal masses that chase each other along one figure eight; a group each.
Bodies figure_eight_bodies(const BodiesOptions&);
// A sun and its planets, a group each. A planet's elements are those about the sun alone.
Bodies kepler_bodies(const BodiesOptions&);

// Moves the centre of mass to the origin and brings it to rest.
void center_bodies(Bodies&);

}  // namespace simreel
