#include "source/nbody/bodies.h"

#include "source/nbody/bodies_random.h"

namespace simreel {
namespace {

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
