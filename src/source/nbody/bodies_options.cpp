#include "source/nbody/bodies_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace simreel {
namespace {

constexpr std::string_view initial_names[] = {"cube",         "sphere", "plummer",  "disk",
                                              "collision",    "galaxy", "galaxies", "cosmological",
                                              "figure_eight", "kepler", "file"};

using enum InitialBodies;

// The keys that only some initial states use.
const std::pair<std::string_view, std::vector<InitialBodies>> keys_of_states[] = {
    {"mass", {cube, sphere, plummer, disk, collision, galaxy, galaxies, cosmological}},
    {"radius", {cube, sphere, plummer, disk, collision, galaxy, galaxies, cosmological}},
    {"cut", {plummer, disk, collision, galaxy, galaxies}},
    {"virial", {cube, sphere}},
    {"central_mass", {disk, collision}},
    {"thickness", {disk, collision, galaxy, galaxies}},
    {"dispersion", {disk, collision}},
    {"bulge_mass", {galaxy, galaxies}},
    {"bulge_radius", {galaxy, galaxies}},
    {"halo_mass", {galaxy, galaxies}},
    {"halo_radius", {galaxy, galaxies}},
    {"toomre", {galaxy, galaxies}},
    {"mass_ratio", {collision, galaxies}},
    {"separation", {collision, galaxies}},
    {"pericenter", {collision, galaxies}},
    {"tilt", {collision, galaxies}},
    {"expansion", {cosmological}},
    {"displacement", {cosmological}},
    {"spectrum", {cosmological}},
    {"sun_mass", {kepler}},
    {"planet", {kepler}},
    {"file", {file}},
};

const Range positive = Range::between(1e-9, 1e15);
const Range heavy = Range::between(1e-9, 1e35);  // a star in kilograms is one

void read_planets(Table& keys, BodiesOptions& o) {
  keys.read("sun_mass", o.sun_mass, "kepler: mass of the body in the middle", heavy);
  for (Table& entry : keys.tables("planet", "kepler: a body on an orbit around the sun")) {
    PlanetOptions planet;
    entry.read("name", planet.name, {"for `follow` in [[overlay]]; the sun is \"sun\"", "none", "\"Earth\""});
    entry.read("mass", planet.mass, "mass of the planet", Range::between(1e-30, 1e35));
    entry.read("axis", planet.axis, "semi-major axis of its orbit, units of length", positive);
    entry.read("eccentricity", planet.eccentricity, "eccentricity of its orbit; 0: a circle", Range::between(0, 0.999));
    entry.read("inclination", planet.inclination, "angle between the orbit's plane and that of x and y, degrees");
    entry.read(
        "node", planet.node,
        "longitude of the ascending node: from x to where the orbit rises through the plane of x and y, degrees");
    entry.read("periapsis", planet.periapsis,
               "argument of periapsis: from the node to the point nearest to the sun, degrees");
    entry.read("anomaly", planet.anomaly, "mean anomaly at the start, degrees");
    o.planets.push_back(planet);
  }
}

}  // namespace

void read_bodies(Table& keys, BodiesOptions& o) {
  if (keys.has("file")) o.initial = file;
  keys.choose("initial", o.initial, initial_names,
              "state at step 0, random ones from the seed; with the key `file` it is \"file\"");
  const bool fixed = o.initial == figure_eight || o.initial == kepler || o.initial == file;
  if (!fixed) keys.require("bodies", "bodies = 16384");
  if (fixed && keys.has("bodies"))
    keys.fail("bodies", "initial = \"{}\" determines the number of bodies; remove this key",
              initial_names[static_cast<int>(o.initial)]);
  keys.read("bodies", o.count, {"number of bodies", "required, but for figure_eight, kepler and file"},
            Range::between(o.initial == collision || o.initial == galaxies ? 2 : 1, 1 << 30));
  if (o.initial == cosmological)
    if (const auto [below, above] = cubes_around(o.count); below != above)
      keys.fail("bodies",
                "initial = \"cosmological\" begins on a grid: {} is not the cube of a whole "
                "number; {} = {}^3 or {} = {}^3 is",
                o.count, below * below * below, below, above * above * above, above);
  keys.read("mass", o.mass, "mass of all bodies together; not for figure_eight (1 each), kepler and file", heavy);
  keys.read("radius", o.radius,
            "cube, cosmological: half its side; sphere: its radius; plummer, disk, collision, galaxy, galaxies: scale "
            "length; units of length",
            positive);
  keys.read("cut", o.cut, "plummer, disk, collision, galaxy, galaxies: no body lies farther out, scale lengths",
            Range::between(0.1, 1e6));
  keys.read("virial", o.virial, "cube, sphere: kinetic energy over |potential energy| at the start; 0.5 balances",
            Range::between(0, 1e6));
  keys.read("central_mass", o.central_mass, "disk, collision: share of the mass that is one body in the middle",
            Range::inside(0, 1));
  keys.read("thickness", o.thickness,
            "disk, collision, galaxy, galaxies: standard deviation of z in the disk, scale lengths",
            Range::between(0, 1e3));
  keys.read("dispersion", o.dispersion, "disk, collision: standard deviation of each velocity, circular speeds",
            Range::between(0, 1e3));
  keys.read("bulge_mass", o.bulge_mass, "galaxy, galaxies: share of the mass in the bulge", Range::between(0, 0.99));
  keys.read("bulge_radius", o.bulge_radius, "galaxy, galaxies: scale length of the bulge, in those of the disk",
            Range::between(1e-3, 1e3));
  keys.read("halo_mass", o.halo_mass,
            "galaxy, galaxies: share of the mass in the halo, up to the cut; the disk has the rest",
            Range::between(0, 0.99));
  keys.read("halo_radius", o.halo_radius, "galaxy, galaxies: scale length of the halo, in those of the disk",
            Range::between(1e-3, 1e3));
  keys.read("toomre", o.toomre,
            "galaxy, galaxies: Toomre's Q of the disk at 2.4 scale lengths; below about 1 it clumps",
            Range::between(0, 100));
  if ((o.initial == galaxy || o.initial == galaxies) && o.bulge_mass + o.halo_mass > 0.995)
    keys.fail(keys.has("halo_mass") ? "halo_mass" : "bulge_mass",
              fmt::format("bulge and halo have {:.4g} of the mass together, which leaves no disk; 0.995 at most",
                          o.bulge_mass + o.halo_mass));
  keys.read("mass_ratio", o.mass_ratio, "collision, galaxies: mass of the second disk over that of the first",
            Range::between(1e-3, 1e3));
  keys.read("separation", o.separation,
            "collision, galaxies: distance of the two centres at the start, units of length", positive);
  keys.read(
      "pericenter", o.pericenter,
      "collision, galaxies: least distance of the two on their parabola, were they points; at most the separation",
      positive);
  keys.read("tilt", o.tilt, "collision, galaxies: angle by which each disk is turned about x, degrees");
  if (o.pericenter > o.separation) keys.fail("pericenter", "must be at most the separation, {:.6g}", o.separation);
  keys.read(
      "expansion", o.expansion,
      "cosmological: rate of expansion at the start over the critical rate; 1: exactly the speed of escape, 0: at rest",
      Range::between(0, 10));
  keys.read("displacement", o.displacement,
            "cosmological: root mean square of the bodies' distances from the grid along an axis, in radii",
            Range::between(0, 1));
  keys.read("spectrum", o.spectrum, "cosmological: waves of density have a power of (wave number)^spectrum",
            Range::between(-4, 2));
  read_planets(keys, o);
  for (const auto& [key, owners] : keys_of_states)
    if (std::ranges::find(owners, o.initial) == owners.end())
      keys.refuse(key, fmt::format("for initial = \"{}\"", initial_names[static_cast<int>(o.initial)]));
}

}  // namespace simreel
