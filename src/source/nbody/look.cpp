#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
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
  double smallest = 1;  // axis of the smallest orbit that is worth a look, in reaches
  std::string pace_reason = {};
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

// By what a cloud has grown at most within a time, that expands at a share of the rate, `critical`, at which it just
// does not fall back: (1 + 3 H t / 2)^(2/3) at that rate, and to where its speed ends below.
double growth(double share, double critical, double time) {
  if (!(share > 0)) return 1;
  const double free = exact::exp(2.0 / 3 * exact::log(1 + 1.5 * share * critical * time));
  return share < 1 ? std::min(free, 1 / (1 - share * share)) : free;
}

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

constexpr double seen = 0.03;  // of the picture: an orbit that is worth a look

// Ten seconds in which the widest orbit can be followed, for one turn at least, unless narrow ones would then take less
// than ten frames or, where they are small, two. Those that pass each other do it in the first third.
double time_of(const std::vector<Orbit>& orbits, double reach) {
  double shortest = std::numeric_limits<double>::infinity(), longest = 0, most = shortest;
  for (const Orbit& orbit : orbits) {
    if (orbit.bound()) most = std::min(most, orbit.period * std::max(60.0, 2 * reach / orbit.axis));
    if (orbit.bound() && orbit.axis < seen * reach) continue;
    const double lasts = orbit.bound() ? orbit.period : orbit.distance / orbit.speed;
    shortest = std::min(shortest, lasts);
    longest = std::max(longest, lasts);
  }
  return longest > 0 ? std::min(std::max(3 * std::sqrt(shortest * longest), longest), most) : 0;
}

// How far from the centre of mass few bodies come within a time.
double reach_of(const Bodies& bodies, const BodyScales& scales, double time) {
  struct Part {
    double reach = 0;   // of its bodies, from its centre of mass
    double away = 0;    // of its heaviest body, from that of all
    bool whole = true;  // no part of another
  };
  std::vector<Part> parts;
  const std::array<double, 3>& at = scales.center.position;
  for (const Vec4<double>& q : bodies.position) {
    const double x = q.x - at[0], y = q.y - at[1], z = q.z - at[2];
    parts.push_back({0, std::sqrt(x * x + y * y + z * z)});
  }
  std::size_t wholes = parts.size();
  for (const Orbit& orbit : scales.orbits) {
    if (!orbit.bound()) continue;
    const double far = orbit.farthest(time);
    Part &first = parts[orbit.parts[0]], &second = parts[orbit.parts[1]];
    const double reach = std::max(orbit.share * far + first.reach, (1 - orbit.share) * far + second.reach);
    first.whole = second.whole = false;
    parts.push_back({reach, orbit.share < 0.5 ? first.away : second.away});
    --wholes;
  }
  double reach = 0;
  for (const Part& part : parts)
    if (part.whole) reach = std::max(reach, part.reach + (wholes > 1 ? part.away : 0));
  return reach;
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

// Of few bodies, where most of their orbits are seen from above.
std::array<double, 3> above_orbits(const std::vector<Orbit>& orbits) {
  std::array<double, 3> sum{};
  for (const Orbit& orbit : orbits)
    for (std::size_t k = 0; k < 3; ++k) sum[k] += orbit.normal[k];
  const double length = std::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
  if (!(length > 0.5 * static_cast<double>(orbits.size()))) return along_z;
  const double sign = sum[2] < 0 ? -1 : 1;
  return {sign * sum[0] / length, sign * sum[1] / length, sign * sum[2] / length};
}

// Few bodies: the sphere around their centre of mass in which they stay, and a pace at which their orbits can be seen.
void show_few(const NbodyOptions& options, const Scene& scene, Stage& stage) {
  const BodyScales& scales = options.found->scales;
  const std::vector<Orbit>& orbits = scales.orbits;
  stage.seen_from = above_orbits(orbits);
  if (const double whole = scales.dynamical_time(options.bodies.gravity); whole > 0)
    stage.time_per_second = pace(std::max(stage.virial, 0.25), 2) * whole;  // few keep passing one another
  double reach = reach_of(*options.read, scales, 0);
  for (int i = 0; i < 3; ++i)  // each follows from the other
    if (const double time = time_of(orbits, reach); time > 0) {
      stage.time_per_second = time / video;
      reach = reach_of(*options.read, scales, shown_time(options, scene, stage));
    }
  if (!(reach > 0)) return;
  stage.reach = 1.2 * reach;
  const Orbit* widest = nullptr;
  for (const Orbit& orbit : orbits)
    if (orbit.bound() && orbit.axis >= seen * reach) {
      stage.smallest = std::min(stage.smallest, orbit.axis / stage.reach);
      widest = !widest || widest->period < orbit.period ? &orbit : widest;
    }
  if (widest)
    stage.pace_reason =
        fmt::format("ten seconds show {:.2g} turns of {} and {}", video * stage.time_per_second / widest->period,
                    name_of(*options.read, widest->bodies[0]), name_of(*options.read, widest->bodies[1]));
}

// Many bodies: the sphere around their centre of mass that contains four fifths of them, also when it has expanded.
void show_many(const NbodyOptions& options, const Scene& scene, const MassCenter& center, Stage& stage) {
  const Bodies& bodies = *options.read;
  std::vector<double> distance;
  double outwards = 0, squares = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec4<double>&q = bodies.position[i], &v = bodies.velocity[i];
    const double x = q.x - stage.center[0], y = q.y - stage.center[1], z = q.z - stage.center[2];
    distance.push_back(std::sqrt(x * x + y * y + z * z));
    outwards += x * (v.x - center.velocity[0]) + y * (v.y - center.velocity[1]) + z * (v.z - center.velocity[2]);
    squares += x * x + y * y + z * z;
  }
  const auto most = distance.begin() + static_cast<std::ptrdiff_t>((distance.size() - 1) * 4 / 5);
  std::ranges::nth_element(distance, most);
  if (!(*most > 0)) return;
  stage.seen_from = above_orbits(bodies, center.mass);
  const double whole = std::sqrt(*most * *most * *most / (options.bodies.gravity * center.mass));
  const double critical = std::sqrt(2.0) / whole, share = outwards / squares / critical;
  stage.time_per_second = (share > 0.5 ? std::min(pace(stage.virial, 2), 0.4) : pace(stage.virial, 2)) * whole;
  stage.pace_reason =
      fmt::format("{:.2g} times sqrt(radius^3 / (G mass)) of four fifths of the bodies", stage.time_per_second / whole);
  stage.reach = 1.3 * *most * growth(share, critical, shown_time(options, scene, stage));
}

Stage filed(const NbodyOptions& options, const Scene& scene) {
  const MassCenter center = mass_center(*options.read);
  Stage stage{.center = center.position, .virial = virial_ratio(options)};
  if (options.read->size() <= few_bodies)
    show_few(options, scene, stage);
  else
    show_many(options, scene, center, stage);
  if (std::abs(stage.seen_from[1]) > 0.9) stage.up = along_z;
  const auto& [vx, vy, vz] = center.velocity;
  const double gone = std::sqrt(vx * vx + vy * vy + vz * vz) * shown_time(options, scene, stage);
  stage.drifts = gone > 0.1 * stage.reach;
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
    case cosmological: {
      Stage stage{.time_per_second = 0.4 * time, .virial = o.expansion * o.expansion};
      const double critical = std::sqrt(3.14159265358979323846 / 3) / time;  // of the density of a cube
      stage.reach = 1.5 * o.radius * growth(std::min(o.expansion, 1.0), critical, shown_time(options, scene, stage));
      return stage;
    }
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

std::vector<std::string> nbody_view_reasons(const NbodyOptions& options, const Scene& scene) {
  std::vector<std::string> reasons;
  if (!options.read) return reasons;
  const Stage stage = filed(options, scene);
  if (!scene.gives("animation.steps_per_frame") && !stage.pace_reason.empty())
    reasons.push_back(fmt::format("pace {:.3g} a second of video: {}", stage.time_per_second, stage.pace_reason));
  if (!scene.gives("camera.position") && !scene.gives("camera.extent"))
    reasons.push_back(fmt::format("picture {:.3g} from its middle to its upper edge{}{}", stage.reach,
                                  stage.drifts ? ", which moves with the centre of mass" : "",
                                  stage.virial > 1 ? ", and more as they fly apart" : ""));
  return reasons;
}

ViewDefaults nbody_look(Table& keys, const Scene& scene) {
  NbodyOptions options = read_nbody_options(keys);
  load_bodies(options, keys, scene);
  const Stage stage = stage_of(options, scene);
  ViewDefaults look;
  look.field = field_of(options);
  if (options.bodies.initial == galaxies) look.colormap = "halos";
  look.steps_per_second = stage.time_per_second / options.timestep;
  look.scale_for(options.count());
  if (scene.view.light.radius_by == LightOptions::Size::mass)
    look.radius *= 1.6;
  else
    look.radius = std::clamp(120 * stage.smallest, std::min(look.radius, 3.0), look.radius);
  look.follows = look.field == "density";
  look.trails = options.count() <= 20 ? 3 : options.count() <= 200 ? 1.5 : 0;
  look.follows_mass = stage.drifts;
  look.flies_apart = stage.virial > 1;
  look.pose = pose_of(stage, scene);
  if (std::ranges::any_of(scene.overlays, [](const OverlayOptions& overlay) { return !overlay.follow_name.empty(); }))
    look.names = options.read ? options.read->name : kepler_bodies(options.bodies).name;
  return look;
}

}  // namespace simreel
