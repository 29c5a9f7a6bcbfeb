#include <algorithm>

#include "source/nbody/bodies.h"
#include "source/nbody/bodies_generate.h"
#include "source/nbody/disk_model.h"

namespace simreel {
namespace {

struct Disk {
  std::int64_t count;
  double mass, scale;
};

// A disk in the x-y plane around a central body, rotating from x towards y, all of one group. Body i of the disk uses
// the random numbers of body `first` + i.
Bodies make_disk(const Executor& executor, const BodiesOptions& o, const Disk& disk, std::int64_t first, int group) {
  const double center = disk.count > 1 ? o.central_mass * disk.mass : disk.mass;
  const double around = disk.mass - center, inside = disk_share_within(o.cut);
  const double softening2 = o.softening * o.softening / (disk.scale * disk.scale);  // in scale lengths, as what follows
  // The height above the plane increases distances as softening does.
  const DiskSpeeds disk_square(o.cut, softening2 + o.thickness * o.thickness);
  return generate_bodies(executor, disk.count, [&](std::int64_t i) {
    if (i == 0) return Body{{0, 0, 0, center}, {0, 0, 0, 0}, group};
    BodyRandom random(o.seed, static_cast<std::uint64_t>(first + i));
    const double r = disk_radius_of_share(inside * random.unit(), o.cut), turn = random.symmetric();
    const double cosine = exact::sinpi(turn + 0.5), sine = exact::sinpi(turn), distance = r * disk.scale;
    const Vec4<double> normal = random.normal(), stray = random.normal();
    const double height = o.thickness * normal.x, center2 = r * r + height * height + softening2;
    const double center_square = center2 > 0 ? r * r / (center2 * std::sqrt(center2)) : 0;
    const double speed = std::sqrt(o.gravity / disk.scale * (center * center_square + around * disk_square(r)));
    const double spread = o.dispersion * speed;
    return Body{{distance * cosine, distance * sine, height * disk.scale, around / static_cast<double>(disk.count - 1)},
                {-speed * sine + spread * stray.x, speed * cosine + spread * stray.y, spread * stray.z, 0},
                group};
  });
}

// The same with a bulge and a halo, in place of the central body: the groups of galaxies.
Bodies make_galaxy(const Executor& executor, BodiesOptions o, const Disk& disk, std::int64_t first, int galaxy) {
  o.count = disk.count;
  o.mass = disk.mass;
  o.radius = disk.scale;
  Bodies bodies = galaxy_bodies(executor, o, first);
  constexpr std::uint8_t groups[2][3] = {{2, 0, 1}, {2, 4, 3}};  // of halo, disk, bulge
  for (std::uint8_t& group : bodies.group) group = groups[galaxy][group];
  return bodies;
}

// Rotates a disk about the x axis, in degrees.
void tilt(Bodies& bodies, double degrees) {
  const double cosine = exact::sinpi(degrees / 180 + 0.5), sine = exact::sinpi(degrees / 180);
  const auto turn = [&](Vec4<double>& v) { v = {v.x, cosine * v.y - sine * v.z, sine * v.y + cosine * v.z, v.w}; };
  std::ranges::for_each(bodies.position, turn);
  std::ranges::for_each(bodies.velocity, turn);
}

}  // namespace

Bodies disk_bodies(const Executor& executor, const BodiesOptions& o) {
  Bodies bodies = make_disk(executor, o, {o.count, o.mass, o.radius}, 0, 0);
  center_bodies(bodies);
  return bodies;
}

Bodies collision_bodies(const Executor& executor, const BodiesOptions& o) {
  // Bodies of both galaxies have about the same mass. Sizes scale with the square root of the mass, so that the surface
  // densities are equal.
  const double share = 1 / (1 + o.mass_ratio);
  const auto first = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::floor(share * static_cast<double>(o.count) + 0.5)), 1, o.count - 1);
  Bodies bodies;
  bodies.reserve(o.count);
  // Two points on a parabola, seen from the first: with p = 2 pericenter and the separation r, cos(angle) = p / r - 1.
  const double mu = o.gravity * o.mass, p = 2 * o.pericenter;
  const double cosine = p / o.separation - 1, sine = -std::sqrt(std::max(0.0, 1 - cosine * cosine));
  const double pace = std::sqrt(mu / p);
  const Vec4<double> apart{o.separation * cosine, o.separation * sine, 0, 0},
      moving{-pace * sine, pace * (1 + cosine), 0, 0};
  for (int galaxy = 0; galaxy < 2; ++galaxy) {
    const double part = galaxy == 0 ? share : 1 - share;
    const Disk disk_of{galaxy == 0 ? first : o.count - first, part * o.mass, o.radius * std::sqrt(part / share)};
    const std::int64_t from = galaxy == 0 ? 0 : first;
    Bodies disk = o.initial == InitialBodies::galaxies ? make_galaxy(executor, o, disk_of, from, galaxy)
                                                       : make_disk(executor, o, disk_of, from, galaxy);
    center_bodies(disk);
    tilt(disk, o.tilt[static_cast<std::size_t>(galaxy)]);
    // Both move about their common centre of mass.
    const double weight = galaxy == 0 ? -(1 - share) : share;
    for (std::size_t i = 0; i < disk.size(); ++i) {
      const Vec4<double>&q = disk.position[i], &v = disk.velocity[i];
      bodies.add({q.x + weight * apart.x, q.y + weight * apart.y, q.z, q.w},
                 {v.x + weight * moving.x, v.y + weight * moving.y, v.z, 0}, disk.group[i]);
    }
  }
  center_bodies(bodies);
  return bodies;
}

}  // namespace simreel
