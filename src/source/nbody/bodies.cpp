#include "source/nbody/bodies.h"

#include <stdexcept>

#include "source/nbody/bodies_generate.h"
#include "source/nbody/bodies_random.h"

namespace simreel {
namespace {

// Potential energies of uniform bodies of mass M with G = 1, over M^2 / radius. A cube of side 1 has -0.94115632
// (Waldvogel 1976, Z. angew. Math. Phys. 27, 867); its `radius` is half that side.
constexpr double sphere_potential = 0.6, cube_potential = 0.94115632 / 2;

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

namespace {

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

}  // namespace

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

}  // namespace simreel
