#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/math.h"
#include "source/nbody/options.h"

namespace simreel {
namespace {

using enum InitialBodies;

// The part of space that bodies fill and the time in which they move through it.
struct Stage {
  double reach = 1;            // half the height of a view that shows them, world units, > 0
  double time_per_second = 1;  // simulated time in a second of video
  std::array<double, 3> center{};
  std::array<double, 3> seen_from = {0, 0.2, 1};  // the direction of the camera
  std::array<double, 3> up = {0, 1, 0};
  bool drifts = false;  // out of the picture, all together
  double virial = 0.5;  // kinetic over potential energy; above 1 the bodies fly apart
};

constexpr double video = 10;  // seconds, of an animation of the default length

// Simulated time from the first frame to the last.
double shown_time(const NbodyOptions& options, const Scene& scene, const Stage& stage) {
  const AnimationOptions& animation = scene.animation;
  const double frames = static_cast<double>(animation.frames);
  return scene.gives("animation.steps_per_frame")
             ? frames * static_cast<double>(animation.steps_per_frame) * options.timestep
             : frames / animation.fps() * stage.time_per_second;
}

constexpr std::array<double, 3> above_the_plane = {0, -0.8, 0.6}, along_z = {0, 0, 1};

// Dynamical times in a second of video, `usual` ones of bodies that keep together. Those without speed fall together
// once, which is over soon, and those that fly apart shall not be far away at the end.
double pace(double virial, double usual) { return virial < 0.25 ? 0.5 : virial > 1 ? 0.4 / std::sqrt(virial) : usual; }

// Two disks on a parabola: they meet at two fifths of the video.
double collision_time(const BodiesOptions& o) {
  const double d2 = o.separation / o.pericenter - 1, d = std::sqrt(std::max(0.0, d2)), q = o.pericenter;
  return std::sqrt(2 * q * q * q / (o.gravity * o.mass)) * d * (1 + d2 / 3);
}

Stage planets(const BodiesOptions& o) {
  Stage stage{.seen_from = along_z};  // orbits as they are
  if (o.planets.empty()) return stage;
  double shortest = 0, longest = 0;
  stage.reach = 0;
  for (const PlanetOptions& planet : o.planets) {
    const double period = planet_period(o, planet);
    shortest = shortest == 0 ? period : std::min(shortest, period);
    longest = std::max(longest, period);
    stage.reach = std::max(stage.reach, planet.axis * (1 + planet.eccentricity) * 1.1);
  }
  stage.time_per_second = 3 * std::sqrt(shortest * longest) / video;
  return stage;
}

// The direction from which bodies around one that is far heavier are seen from above: that of their angular momentum.
std::array<double, 3> above_orbits(const Bodies& bodies, double mass) {
  const auto heaviest = static_cast<std::size_t>(std::ranges::max_element(bodies.position, {}, &Vec4<double>::w) -
                                                 bodies.position.begin());
  const Vec4<double>&sun = bodies.position[heaviest], &moves = bodies.velocity[heaviest];
  if (!(sun.w > 0.5 * mass)) return along_z;
  std::array<double, 3> spin{};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec4<double>&q = bodies.position[i], &v = bodies.velocity[i];
    const double x = q.x - sun.x, y = q.y - sun.y, z = q.z - sun.z, u = v.x - moves.x, w = v.y - moves.y,
                 t = v.z - moves.z;
    const std::array<double, 3> own = {y * t - z * w, z * u - x * t, x * w - y * u};
    const double length = std::sqrt(own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
    for (std::size_t k = 0; k < 3 && length > 0; ++k) spin[k] += own[k] / length;  // of each orbit alike
  }
  const double length = std::sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
  if (!(length > 0.5 * static_cast<double>(bodies.size() - 1))) return along_z;  // orbits of all directions
  const double sign = spin[2] < 0 ? -1 : 1;
  return {sign * spin[0] / length, sign * spin[1] / length, sign * spin[2] / length};
}

constexpr std::size_t few = 64;  // bodies, each of which is looked for

// How far from `sun` a body on an ellipse comes within a time, at most; 0 for others.
double farthest(const Vec4<double>& sun, const Vec4<double>& moves, const Vec4<double>& q, const Vec4<double>& v,
                double gravity, double time) {
  const double x = q.x - sun.x, y = q.y - sun.y, z = q.z - sun.z, u = v.x - moves.x, w = v.y - moves.y,
               t = v.z - moves.z;
  const double r = std::sqrt(x * x + y * y + z * z), speed = std::sqrt(u * u + w * w + t * t);
  const double attraction = gravity * (sun.w + q.w), energy = speed * speed / 2 - attraction / r;
  if (!(r > 0) || !(energy < 0)) return 0;
  const double axis = -attraction / (2 * energy), outwards = x * u + y * w + z * t;
  const double turned = r * r * speed * speed - outwards * outwards;  // square of the angular momentum
  const double eccentricity = std::sqrt(std::max(0.0, 1 - turned / (attraction * axis)));
  return std::min(axis * (1 + eccentricity), r + speed * time);
}

// Bodies of a file: the sphere around their centre of mass that contains four fifths of them, or all if they are few,
// on their ellipses too.
Stage filed(const NbodyOptions& options, const Scene& scene) {
  const Bodies& bodies = *options.read;
  double mass = 0;
  std::array<double, 3> sum{}, momentum{};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec4<double>&q = bodies.position[i], &v = bodies.velocity[i];
    mass += q.w;
    sum = {sum[0] + q.w * q.x, sum[1] + q.w * q.y, sum[2] + q.w * q.z};
    momentum = {momentum[0] + q.w * v.x, momentum[1] + q.w * v.y, momentum[2] + q.w * v.z};
  }
  Stage stage{.seen_from = above_orbits(bodies, mass)};
  if (std::abs(stage.seen_from[1]) > 0.9) stage.up = along_z;
  for (std::size_t i = 0; i < 3; ++i) stage.center[i] = sum[i] / mass;
  std::vector<double> distance;
  for (const Vec4<double>& q : bodies.position) {
    const double x = q.x - stage.center[0], y = q.y - stage.center[1], z = q.z - stage.center[2];
    distance.push_back(std::sqrt(x * x + y * y + z * z));
  }
  const std::size_t others = distance.size() - 1;
  const auto max = distance.begin() + static_cast<std::ptrdiff_t>(bodies.size() <= few ? others : others * 4 / 5);
  std::ranges::nth_element(distance, max);
  if (!(*max > 0)) return stage;
  double reach = *max;
  const auto middle = distance.begin() + static_cast<std::ptrdiff_t>(others / 2);
  std::ranges::nth_element(distance, middle);
  // Of few, some orbits may be far wider than others.
  const double moves = bodies.size() <= few && *middle > 0 ? *middle : reach;
  stage.virial = virial_ratio(options);
  // Few keep passing one another.
  const double warmth = bodies.size() <= few ? std::max(stage.virial, 0.25) : stage.virial;
  stage.time_per_second = pace(warmth, 2) * std::sqrt(moves * moves * moves / (options.bodies.gravity * mass));
  const double time = shown_time(options, scene, stage);
  const auto heaviest = static_cast<std::size_t>(std::ranges::max_element(bodies.position, {}, &Vec4<double>::w) -
                                                 bodies.position.begin());
  if (bodies.size() <= few && bodies.position[heaviest].w > 0.5 * mass)
    for (std::size_t i = 0; i < bodies.size(); ++i)
      reach = std::max(reach, farthest(bodies.position[heaviest], bodies.velocity[heaviest], bodies.position[i],
                                       bodies.velocity[i], options.bodies.gravity, time));
  stage.reach = 1.3 * reach;
  const auto& [px, py, pz] = momentum;
  stage.drifts = std::sqrt(px * px + py * py + pz * pz) / mass * time > 0.5 * stage.reach;
  return stage;
}

Stage stage_of(const NbodyOptions& options, const Scene& scene) {
  const BodiesOptions& o = options.bodies;
  const double time = dynamical_time(o);
  switch (o.initial) {
    case cube:
    case sphere: return {.reach = 1.4 * o.radius, .time_per_second = pace(o.virial, 1) * time, .virial = o.virial};
    case plummer:
      return {.reach = std::min(o.count <= 20 ? 1.5 : 2.0, o.cut) * o.radius, .time_per_second = 2.5 * time};
    case disk:
    case galaxy:
      return {
          .reach = std::min(3.5, o.cut) * o.radius,
          .time_per_second = 4 * time,
          .seen_from = above_the_plane,
          .up = {0, 0, 1},
      };
    case cosmological:
      return {
          .reach = (1.3 + 2 * std::min(o.expansion, 1.0)) * o.radius,
          .time_per_second = 0.4 * time,
          .virial = o.expansion * o.expansion,
      };
    case collision:
    case galaxies:
      return {
          .reach = 0.65 * o.separation,
          .time_per_second = 2.5 * std::max(collision_time(o), time) / video,
          .seen_from = above_the_plane,
          .up = {0, 0, 1},
      };
    case figure_eight: return {.reach = 1.15, .time_per_second = 2 / std::sqrt(o.gravity), .seen_from = along_z};
    case kepler: return planets(o);
    case file: return filed(options, scene);
  }
  return {};
}

double trails_of(std::int64_t count) { return count <= 20 ? 3 : count <= 200 ? 1.5 : 0; }

std::string_view field_of(const NbodyOptions& o) {
  if (o.bodies.initial == collision || o.bodies.initial == galaxies) return "group";
  if (o.bodies.initial == cosmological) return "density";
  return at_rest(o) ? "density" : "speed";
}

CameraPose pose_of(const Stage& stage, const Scene& scene) {
  CameraPose pose;
  const Size size = scene.view.size;
  pose.extent = stage.reach * std::max(1.0, static_cast<double>(size.height) / size.width);
  const double half = scene.camera.pose.fov / 360;  // half the angle of view, in half turns
  const double away = pose.extent * exact::sinpi(half + 0.5) / exact::sinpi(half);
  const auto& [x, y, z] = stage.seen_from;
  const double length = std::sqrt(x * x + y * y + z * z);
  pose.target = stage.center;
  for (std::size_t i = 0; i < 3; ++i) pose.position[i] = pose.target[i] + stage.seen_from[i] / length * away;
  pose.up = stage.up;
  return pose;
}

}  // namespace

ViewDefaults nbody_look(Table& keys, const Scene& scene) {
  NbodyOptions options = read_nbody_options(keys);
  load_bodies(options, keys, scene);
  const Stage stage = stage_of(options, scene);
  ViewDefaults look;
  look.field = field_of(options);
  if (options.bodies.initial == galaxies) look.colormap = "halos";
  look.steps_per_second = stage.time_per_second / options.timestep;
  look.scale_for(options.count());
  look.follows = look.field == "density";
  look.trails = trails_of(options.count());
  look.follows_mass = stage.drifts;
  look.flies_apart = stage.virial > 1;
  look.pose = pose_of(stage, scene);
  return look;
}

}  // namespace simreel
