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
  double across = reach;       // and half its width
  double time_per_second = 1;  // simulated time in a second of video
  std::array<double, 3> center{};
  std::array<double, 3> seen_from = {0, 0.2, 1};  // the direction of the camera
  std::array<double, 3> up = {0, 1, 0};
  bool drifts = false;  // out of the picture, all together
  double virial = 0.5;  // kinetic over potential energy; above 1 the bodies fly apart
  double smallest = 0;  // axis of the smallest orbit that is worth a look; 0: all are
  std::string pace_reason = {};
};

using Vector = std::array<double, 3>;
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector unit(const Vector& a) {
  const double length = std::sqrt(dot(a, a));
  return {a[0] / length, a[1] / length, a[2] / length};
}

constexpr double video = 10;  // seconds, of an animation of the default length

// Simulated time from the first frame to the last.
double shown_time(const NbodyOptions& options, const Scene& scene, const Stage& stage) {
  const AnimationOptions& animation = scene.animation;
  const double frames = static_cast<double>(animation.frames);
  return scene.gives("animation.steps_per_frame")
             ? frames * static_cast<double>(animation.steps_per_frame) * options.timestep
             : frames / animation.fps() * stage.time_per_second;
}

constexpr Vector above_the_plane = {0, -0.8, 0.6}, along_z = {0, 0, 1};

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
    stage.reach = stage.across = std::max(stage.reach, planet.axis * (1 + planet.eccentricity) * 1.1);
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

// Half the height of the picture in which the stage lies.
double extent_of(const Stage& stage, const Scene& scene) {
  const Size size = scene.view.size;
  return std::max(stage.reach, stage.across * size.height / size.width);
}

// Whether all together leave the picture within that time.
bool drifts(const Stage& stage, const Scene& scene, const MassCenter& center, double time) {
  return std::sqrt(dot(center.velocity, center.velocity)) * time > 0.1 * extent_of(stage, scene);
}

// Where few bodies are until a time, from their centre of mass: a run in equal steps, of which those that do not
// resolve a pair soften its pull.
using Track = std::vector<std::vector<Vec4<double>>>;
constexpr std::size_t looks = 256;
constexpr double margin = 1.15;  // of the picture around them

Track track_of(const Bodies& bodies, const MassCenter& center, double gravity, double softening, double turn,
               double time) {
  const std::size_t count = bodies.size();
  const double most = 1e7 / static_cast<double>(count * count), wanted = 60 * time / turn;
  const auto every = static_cast<int>(1 + std::clamp(wanted, 2000.0, std::max(most, 2000.0)) / looks);
  const double step = time / looks / every, coarse = wanted > most ? 3 * step : 0;
  std::vector<Vec4<double>> at = bodies.position, moves = bodies.velocity;
  std::vector<double> soft;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [x, y, z] = center.position;
    const auto& [u, v, w] = center.velocity;
    at[i] = {at[i].x - x, at[i].y - y, at[i].z - z, at[i].w};
    moves[i] = {moves[i].x - u, moves[i].y - v, moves[i].z - w, 0};
    const double cube = 2 * gravity * at[i].w * coarse * coarse;
    soft.push_back(softening + (cube > 0 ? exact::exp(exact::log(cube) / 3) : 0));
  }
  const auto kick = [&](double dt) {
    for (std::size_t i = 1; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double x = at[j].x - at[i].x, y = at[j].y - at[i].y, z = at[j].z - at[i].z,
                     square = x * x + y * y + z * z + std::max(soft[i] * soft[i], soft[j] * soft[j]);
        if (!(square > 0)) continue;
        const double pull = gravity * dt / (square * std::sqrt(square)), mine = pull * at[j].w, other = -pull * at[i].w;
        moves[i] = {moves[i].x + mine * x, moves[i].y + mine * y, moves[i].z + mine * z, 0};
        moves[j] = {moves[j].x + other * x, moves[j].y + other * y, moves[j].z + other * z, 0};
      }
  };
  Track track = {at};
  kick(step / 2);
  while (track.size() <= looks) {
    for (int i = 0; i < every; ++i) {
      for (std::size_t b = 0; b < count; ++b)
        at[b] = {at[b].x + moves[b].x * step, at[b].y + moves[b].y * step, at[b].z + moves[b].z * step, at[b].w};
      kick(step);
    }
    track.push_back(at);
  }
  return track;
}

// Places the stage where the picture shows what is within `radius` of the bodies, at the start and for nine tenths of
// the time, or for all of it where that takes little more room. Later nothing beyond `most` of the centre counts, and
// of ten bodies or more not the tenth that is the farthest: those that are thrown out.
void fit(Stage& stage, const Scene& scene, const MassCenter& center, double time, const Track& track, double most,
         const std::vector<double>& radius = {}) {
  if (std::abs(stage.seen_from[1]) > 0.9) stage.up = along_z;
  const Vector towards = unit(stage.seen_from), right = unit(cross(stage.up, towards)), up = cross(towards, right);
  const double half = scene.camera.pose.fov / 360,
               aspect = static_cast<double>(scene.view.size.width) / scene.view.size.height;
  // What is nearer is larger.
  const double nearer =
      scene.camera.projection == Projection::perspective ? exact::sinpi(half) / exact::sinpi(half + 0.5) : 0;
  std::array<std::vector<double>, 4> ends, now;  // right, left, up, down
  for (const auto& places : track) {
    const bool first = &places == &track.front();
    for (std::vector<double>& all : now) all.clear();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Vector at = {places[i].x, places[i].y, places[i].z};
      const double x = dot(right, at), y = dot(up, at), more = nearer * dot(towards, at),
                   r = radius.empty() ? 0 : radius[i];
      const std::array<double, 4> own = {x + aspect * more + r, -x + aspect * more + r, y + more + r, -y + more + r};
      for (std::size_t k = 0; k < 4; ++k) now[k].push_back(first ? own[k] : std::min(own[k], most));
    }
    for (std::size_t k = 0; k < 4; ++k) {
      std::ranges::sort(now[k]);
      ends[k].push_back(now[k][now[k].size() - 1 - (first ? 0 : now[k].size() / 10)]);
    }
  }
  std::array<double, 4> end{};
  for (std::size_t k = 0; k < 4; ++k) {
    const double first = ends[k][0];
    std::ranges::sort(ends[k]);
    end[k] = std::max(first, ends[k][ends[k].size() * 9 / 10]);
  }
  for (const std::size_t k : {0, 2})
    if (const double last = ends[k].back(), other = ends[k + 1].back(); last + other < 1.4 * (end[k] + end[k + 1]))
      end[k] = last, end[k + 1] = other;
  if (!(end[0] + end[1] > 0) && !(end[2] + end[3] > 0)) return;  // all are in one place
  // Where one side needs hardly more than the other, the centre of mass is in the middle.
  const auto place = [&](double hardly) {
    for (const std::size_t k : {0, 2})
      if (std::abs(end[k] - end[k + 1]) <= hardly * (end[k] + end[k + 1]))
        end[k] = end[k + 1] = std::max(end[k], end[k + 1]);
    stage.across = margin * (end[0] + end[1]) / 2, stage.reach = margin * (end[2] + end[3]) / 2;
  };
  place(0.15);
  if (drifts(stage, scene, center, time)) place(1e300);
  for (std::size_t i = 0; i < 3; ++i)
    stage.center[i] = center.position[i] + right[i] * (end[0] - end[1]) / 2 + up[i] * (end[2] - end[3]) / 2;
}

// The direction of the sum of so many of length 1, upwards; along z where they point anywhere.
Vector above(const Vector& sum, double count) {
  if (!(dot(sum, sum) > 0.25 * count * count)) return along_z;
  return unit(sum[2] < 0 ? Vector{-sum[0], -sum[1], -sum[2]} : sum);
}

// The direction from which bodies around one that is far heavier are seen from above: that of their angular momentum.
Vector above_orbits(const Bodies& bodies, double mass) {
  const auto heaviest = static_cast<std::size_t>(std::ranges::max_element(bodies.position, {}, &Vec4<double>::w) -
                                                 bodies.position.begin());
  const Vec4<double>&sun = bodies.position[heaviest], &moves = bodies.velocity[heaviest];
  if (!(sun.w > 0.5 * mass)) return along_z;
  Vector spin{};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec4<double>&q = bodies.position[i], &v = bodies.velocity[i];
    const double x = q.x - sun.x, y = q.y - sun.y, z = q.z - sun.z, u = v.x - moves.x, w = v.y - moves.y,
                 t = v.z - moves.z;
    const Vector own = cross({x, y, z}, {u, w, t});
    for (std::size_t k = 0; k < 3 && dot(own, own) > 0; ++k) spin[k] += unit(own)[k];  // of each orbit alike
  }
  return above(spin, static_cast<double>(bodies.size() - 1));
}

// Of few bodies, where most of their orbits are seen from above.
Vector above_orbits(const std::vector<Orbit>& orbits) {
  Vector sum{};
  for (const Orbit& orbit : orbits)
    for (std::size_t k = 0; k < 3; ++k) sum[k] += orbit.normal[k];
  return above(sum, static_cast<double>(orbits.size()));
}

// Few bodies: where they stay, and a pace at which their orbits can be seen.
void show_few(const NbodyOptions& options, const Scene& scene, const MassCenter& center, Stage& stage) {
  const BodyScales& scales = options.found->scales;
  const std::vector<Orbit>& orbits = scales.orbits;
  const double turn = orbits.empty() ? std::numeric_limits<double>::infinity() : scales.tightest()->turn;
  stage.seen_from = above_orbits(orbits);
  if (const double whole = scales.dynamical_time(options.bodies.gravity); whole > 0)
    stage.time_per_second = pace(std::max(stage.virial, 0.25), 2) * whole;  // few keep passing one another
  const auto look = [&] {
    const double shown = shown_time(options, scene, stage);
    double until = shown, most = 0;  // or once around, so that what they go around is in the middle
    for (const Orbit& orbit : orbits) {
      if (orbit.bound() && orbit.period < 20 * shown) until = std::max(until, orbit.period);
      most =
          std::max(most, orbit.bound() ? orbit.axis * (1 + orbit.eccentricity) : orbit.distance + orbit.speed * shown);
    }
    fit(stage, scene, center, shown,
        track_of(*options.read, center, options.bodies.gravity, options.bodies.softening, turn, until),
        orbits.empty() ? std::numeric_limits<double>::infinity() : most);
  };
  look();
  for (int i = 0; i < 2; ++i)  // each follows from the other
    if (const double time = time_of(orbits, extent_of(stage, scene) / margin); time > 0) {
      stage.time_per_second = time / video;
      look();
    }
  const Orbit* widest = nullptr;
  for (const Orbit& orbit : orbits)
    if (orbit.bound() && orbit.axis >= seen * extent_of(stage, scene)) {
      stage.smallest = stage.smallest > 0 ? std::min(stage.smallest, orbit.axis) : orbit.axis;
      widest = !widest || widest->period < orbit.period ? &orbit : widest;
    }
  if (widest)
    stage.pace_reason =
        fmt::format("ten seconds show {:.2g} turns of {} and {}", video * stage.time_per_second / widest->period,
                    name_of(*options.read, widest->bodies[0]), name_of(*options.read, widest->bodies[1]));
}

// Clouds that come from apart: they meet at two fifths of ten seconds. False where they do not.
bool show_clouds(const NbodyOptions& options, const Scene& scene, const MassCenter& center, Stage& stage) {
  const Clouds clouds = clouds_of(*options.read);
  const double gravity = options.bodies.gravity, infinity = std::numeric_limits<double>::infinity();
  if (clouds.bodies.size() < 2) return false;
  BodyScales scales = scales_of(clouds.bodies, gravity, 0);
  const double far = scales.radius;
  const double falls = 5 * std::sqrt(far * far * far / (gravity * center.mass)),
               time = scales.fastest > 0 ? std::min(falls, 6 * far / scales.fastest) : falls;
  const auto track = [&](double until) {
    return track_of(clouds.bodies, center, gravity, std::ranges::max(clouds.radius), infinity, until);
  };
  std::vector<double> spread;
  for (const auto& places : track(time)) {
    double& sum = spread.emplace_back(0);
    for (const Vec4<double>& q : places) sum += q.w * (q.x * q.x + q.y * q.y + q.z * q.z);
  }
  std::size_t meet = 1;
  while (meet < looks && !(spread[meet] < 0.4 * spread[0] && spread[meet] <= spread[meet + 1])) ++meet;
  if (meet == looks) return false;
  const double met = time * static_cast<double>(meet) / looks;
  stage.time_per_second = 2.5 * met / video;
  stage.pace_reason = fmt::format("{} clouds meet after {:.3g}, two fifths of ten seconds", clouds.bodies.size(), met);
  std::erase_if(scales.orbits, [](const Orbit& orbit) { return orbit.nearest < 0.05 * orbit.distance; });
  stage.seen_from = above_orbits(scales.orbits);
  stage.virial = 0.5;
  const double shown = shown_time(options, scene, stage);
  fit(stage, scene, center, shown, track(std::min(shown, 1.5 * met)), std::numeric_limits<double>::infinity(),
      clouds.radius);  // then they slow each other
  return true;
}

// Many bodies: the sphere around their centre of mass that contains four fifths of them, also when it has expanded.
void show_many(const NbodyOptions& options, const Scene& scene, const MassCenter& center, Stage& stage) {
  if (show_clouds(options, scene, center, stage)) return;
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
  stage.reach = stage.across = 1.3 * *most * growth(share, critical, shown_time(options, scene, stage));
}

Stage filed(const NbodyOptions& options, const Scene& scene) {
  const MassCenter center = mass_center(*options.read);
  Stage stage{.center = center.position, .virial = virial_ratio(options)};
  if (options.read->size() <= few_bodies)
    show_few(options, scene, center, stage);
  else
    show_many(options, scene, center, stage);
  if (std::abs(stage.seen_from[1]) > 0.9) stage.up = along_z;
  stage.drifts = drifts(stage, scene, center, shown_time(options, scene, stage));
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
      stage.reach = stage.across =
          1.5 * o.radius * growth(std::min(o.expansion, 1.0), critical, shown_time(options, scene, stage));
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
    case figure_eight:
      return {.reach = 0.45, .across = 1.2, .time_per_second = 2 / std::sqrt(o.gravity), .seen_from = along_z};
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
  pose.extent = extent_of(stage, scene);
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
    reasons.push_back(fmt::format("picture {:.3g} from its middle to its upper edge{}{}", extent_of(stage, scene),
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
  // Few steps make a whole frame, or the pace would be another one.
  if (const double frame = stage.time_per_second / scene.animation.fps();
      options.read && frame < 8 * options.timestep && !keys.has("timestep") &&
      !scene.gives("animation.steps_per_frame")) {
    options.timestep = frame / std::ceil(frame / options.timestep);
    look.found = std::make_shared<const double>(options.timestep);
  }
  look.steps_per_second = stage.time_per_second / options.timestep;
  look.scale_for(options.count());
  if (scene.view.light.radius_by == LightOptions::Size::mass)
    look.radius *= 1.6;
  else if (stage.smallest > 0)
    look.radius = std::clamp(120 * stage.smallest / extent_of(stage, scene), std::min(look.radius, 3.0), look.radius);
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
