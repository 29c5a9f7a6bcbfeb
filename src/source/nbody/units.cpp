#include "source/nbody/units.h"

#include <algorithm>
#include <cmath>

namespace simreel {

NbodyUnits nbody_units(const Bodies& bodies, double gravity, double softening2) {
  double total = 0, largest = 0, square = 0, fastest = 0;
  for (const Vec4<double>& q : bodies.position) {
    total += q.w;
    largest = std::max(largest, q.w);
  }
  Vec4<double> center{0, 0, 0, 0};
  for (const Vec4<double>& q : bodies.position) {
    center.x += q.w * q.x / total;
    center.y += q.w * q.y / total;
    center.z += q.w * q.z / total;
  }
  for (const Vec4<double>& q : bodies.position)
    square += ((q.x - center.x) * (q.x - center.x) + (q.y - center.y) * (q.y - center.y) +
               (q.z - center.z) * (q.z - center.z)) /
              static_cast<double>(bodies.size());
  for (const Vec4<double>& v : bodies.velocity)
    fastest = std::max(fastest, std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
  // From rest at the distance of the whole to the middle.
  const double falling = std::sqrt(2 * gravity * total / std::sqrt(std::max(square, softening2)));
  return {nbody_fixed(bodies.size(), total, largest, std::sqrt(square), softening2),
          nbody_momentum_units(total, std::max(fastest, falling))};
}

NbodyMomenta nbody_momenta(const Bodies& bodies, const NbodyMomentum& units, std::size_t padded) {
  const std::size_t count = bodies.size();
  NbodyMomenta result{std::vector<std::int64_t>(3 * padded), std::vector<Vec4<float>>(padded),
                      std::vector<double>(count)};
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double mass = static_cast<double>(static_cast<float>(bodies.position[i].w));
    const auto keep = [&](std::size_t axis, double velocity) {
      std::int64_t& momentum = result.value[axis * padded + i];
      momentum = std::llrint(velocity * mass * units.scale);
      return mass < units.lightest ? static_cast<float>(velocity) : nbody_velocity(momentum, mass * units.scale);
    };
    const Vec4<double>& v = bodies.velocity[i];
    result.velocity[i] = {keep(0, v.x), keep(1, v.y), keep(2, v.z), 0};
    result.mass_before[i] = total;
    total += mass;
  }
  for (double& share : result.mass_before) share /= total;
  return result;
}

}  // namespace simreel
