#include "source/nbody/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "source/nbody/bodies_generate.h"

namespace simreel {
namespace {

// Potential energies of uniform bodies of mass M with G = 1, over M^2 / radius. A cube of side 1 has -0.94115632
// (Waldvogel 1976, Z. angew. Math. Phys. 27, 867); its `radius` is half that side.
constexpr double sphere_potential = 0.6, cube_potential = 0.94115632 / 2;

// The factor that brings the speeds of a truncated Plummer model into virial equilibrium. The share `inside` of the
// mass, that within `cut` scale lengths, becomes the total mass. With tan(a) = cut and the total mass as unit, the
// kinetic energy is 3/4 of the integral of sin^2 cos^2 from 0 to a, divided by `inside`, and the potential energy is -3
// times the integral of sin^4 cos^2, divided by inside^2.
double virial_factor(double cut, double inside) {
  double low = 0, high = 0.5;  // half turns; bisection gives the same number on every machine
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (exact::sinpi(middle) < cut * exact::sinpi(middle + 0.5) ? low : high) = middle;
  }
  const double a = 3.14159265358979323846 * low, sine4 = exact::sinpi(4 * low);
  const double kinetic = 0.75 / inside * (a / 8 - sine4 / 32);
  const double potential =
      3 / (inside * inside) * (a / 16 - exact::sinpi(2 * low) / 64 - sine4 / 64 + exact::sinpi(6 * low) / 192);
  return std::sqrt(0.5 * potential / kinetic);
}

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

// The eccentric anomaly E of Kepler's equation E - e sin(E) = M, both in half turns. E is within e radians of M, and
// bisection of that interval gives the same number on every machine.
double eccentric_anomaly(double mean, double e) {
  constexpr double pi = 3.14159265358979323846;
  double low = mean - e / pi, high = mean + e / pi;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (middle - e / pi * exact::sinpi(middle) < mean ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double cosine(double degrees) { return exact::sinpi(degrees / 180 + 0.5); }
double sine(double degrees) { return exact::sinpi(degrees / 180); }

}  // namespace

void center_bodies(Bodies& bodies) {
  Vec4<double> at{0, 0, 0, 0}, moving{0, 0, 0, 0};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec4<double>&q = bodies.position[i], &v = bodies.velocity[i];
    at = {at.x + q.w * q.x, at.y + q.w * q.y, at.z + q.w * q.z, at.w + q.w};
    moving = {moving.x + q.w * v.x, moving.y + q.w * v.y, moving.z + q.w * v.z, 0};
  }
  for (Vec4<double>& q : bodies.position) q = {q.x - at.x / at.w, q.y - at.y / at.w, q.z - at.z / at.w, q.w};
  for (Vec4<double>& v : bodies.velocity) v = {v.x - moving.x / at.w, v.y - moving.y / at.w, v.z - moving.z / at.w, 0};
}

Bodies uniform_bodies(const Executor& executor, const BodiesOptions& o) {
  const bool cube = o.initial == InitialBodies::cube;
  const double mass = o.mass / static_cast<double>(o.count);
  // K = 3/2 M sigma^2 = virial |W|
  const double potential = o.gravity * o.mass / o.radius * (cube ? cube_potential : sphere_potential);
  const double sigma = std::sqrt(2.0 / 3.0 * o.virial * potential);
  Bodies bodies = generate_bodies(executor, o.count, [&](std::int64_t i) {
    BodyRandom random(o.seed, static_cast<std::uint64_t>(i));
    Vec4<double> q;
    do {
      q = {random.symmetric(), random.symmetric(), random.symmetric(), 0};
    } while (!cube && q.x * q.x + q.y * q.y + q.z * q.z > 1);
    const Vec4<double> v = random.normal();
    return Body{{q.x * o.radius, q.y * o.radius, q.z * o.radius, mass}, {v.x * sigma, v.y * sigma, v.z * sigma, 0}};
  });
  center_bodies(bodies);
  return bodies;
}

Bodies plummer_bodies(const Executor& executor, const BodiesOptions& o) {
  const double mass = o.mass / static_cast<double>(o.count);
  const auto power = [](double x, double exponent) { return exact::exp(exponent * exact::log(x)); };
  const double inside = power(o.cut * o.cut / (1 + o.cut * o.cut), 1.5);  // share of the mass within the cut
  const double pace = virial_factor(o.cut, inside) * std::sqrt(2 * o.gravity * o.mass / o.radius);
  Bodies bodies = generate_bodies(executor, o.count, [&](std::int64_t i) {
    BodyRandom random(o.seed, static_cast<std::uint64_t>(i));
    const double share = inside * (1 - random.unit());
    const double r = 1 / std::sqrt(power(share, -2.0 / 3.0) - 1);
    Vec4<double> q = random.on_sphere(r * o.radius);
    q.w = mass;
    // Speed over escape speed, by rejection sampling of its distribution x^2 (1 - x^2)^(7/2), which is below 0.1.
    double x, height;
    do {
      x = random.unit();
      height = 0.1 * random.unit();
    } while (height > x * x * (1 - x * x) * (1 - x * x) * (1 - x * x) * std::sqrt(1 - x * x));
    return Body{q, random.on_sphere(x * pace / std::sqrt(std::sqrt(1 + r * r)))};
  });
  center_bodies(bodies);
  return bodies;
}

std::int64_t body_count(const BodiesOptions& o) {
  switch (o.initial) {
    case InitialBodies::figure_eight: return 3;
    case InitialBodies::kepler: return 1 + static_cast<std::int64_t>(o.planets.size());
    default: return o.count;
  }
}

Bodies make_bodies(const Executor& executor, const BodiesOptions& o) {
  switch (o.initial) {
    case InitialBodies::cube:
    case InitialBodies::sphere: return uniform_bodies(executor, o);
    case InitialBodies::plummer: return plummer_bodies(executor, o);
    case InitialBodies::disk: return disk_bodies(executor, o);
    case InitialBodies::collision:
    case InitialBodies::galaxies: return collision_bodies(executor, o);
    case InitialBodies::galaxy: return galaxy_bodies(executor, o);
    case InitialBodies::cosmological: return cosmological_bodies(executor, o);
    case InitialBodies::figure_eight: return figure_eight_bodies(o);
    case InitialBodies::kepler: return kepler_bodies(o);
    case InitialBodies::file: break;
  }
  throw std::logic_error("make_bodies: a file is read, not made");
}

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

Bodies kepler_bodies(const BodiesOptions& o) {
  Bodies bodies;
  bodies.add({0, 0, 0, o.sun_mass}, {0, 0, 0, 0}, 0);
  bodies.name = {"sun"};
  for (std::size_t i = 0; i < o.planets.size(); ++i) {
    const PlanetOptions& planet = o.planets[i];
    const double e = planet.eccentricity, minor = std::sqrt(1 - e * e);
    const double turns = planet.anomaly / 360, mean = 2 * (turns - std::floor(turns + 0.5));
    const double anomaly = eccentric_anomaly(mean, e), c = exact::sinpi(anomaly + 0.5), s = exact::sinpi(anomaly);
    // In the orbit's plane, the pericentre along x; Murray and Dermott 1999, Solar System Dynamics, (2.41) and (2.36).
    const double pace = std::sqrt(o.gravity * (o.sun_mass + planet.mass) / planet.axis) / (1 - e * c);
    const double x = planet.axis * (c - e), y = planet.axis * minor * s, vx = -pace * s, vy = pace * minor * c;
    // Turned by periapsis, inclination and node, (2.119) to (2.122).
    const double cw = cosine(planet.periapsis), sw = sine(planet.periapsis), ci = cosine(planet.inclination),
                 si = sine(planet.inclination), cn = cosine(planet.node), sn = sine(planet.node);
    const auto turn = [&](double along, double across) {
      const double u = cw * along - sw * across, v = sw * along + cw * across;
      return Vec4<double>{cn * u - sn * ci * v, sn * u + cn * ci * v, si * v, 0};
    };
    Vec4<double> q = turn(x, y);
    q.w = planet.mass;
    bodies.add(q, turn(vx, vy), static_cast<int>((i + 1) % 256));
    bodies.name.push_back(planet.name);
  }
  center_bodies(bodies);
  return bodies;
}

Bodies figure_eight_bodies(const BodiesOptions& o) {
  // Chenciner and Montgomery 2000, Annals of Mathematics 152, 881; three masses of 1, G = 1, period 6.32591398.
  constexpr double x = 0.97000436, y = -0.24308753, vx = -0.93240737, vy = -0.86473146;
  const double pace = std::sqrt(o.gravity);
  Bodies bodies;
  bodies.add({x, y, 0, 1}, {-0.5 * vx * pace, -0.5 * vy * pace, 0, 0}, 0);
  bodies.add({-x, -y, 0, 1}, {-0.5 * vx * pace, -0.5 * vy * pace, 0, 0}, 1);
  bodies.add({0, 0, 0, 1}, {vx * pace, vy * pace, 0, 0}, 2);
  return bodies;
}

}  // namespace simreel
