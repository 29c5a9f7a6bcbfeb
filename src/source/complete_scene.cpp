// Fills in how a scene is shown, from the looks of the solver table.

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/input_image.h"
#include "base/limits.h"
#include "base/text.h"
#include "source/solver.h"

namespace simreel {
namespace {

// `stars` and `glow` shine on a dark background; on paper they would vanish or be a black block.
std::string colormap_of(const FieldInfo& field, const ViewOptions& view, const ViewDefaults& look, bool paper) {
  if (!view.hue.empty()) return "phase";
  const bool light = paper || (view.background.a >= 128 && is_light(view.background)),
             bodies = field.shape == FieldInfo::Shape::bodies;
  if (field.has_sign || view.center) return light ? "RdBu_r" : "glow";  // both warm above 0
  if (!light && !look.colormap.empty() && field.name == look.field) return std::string(look.colormap);
  if (light && bodies && field.name == "density") return std::string(field.colormap) + "_r";
  return std::string(light && field.colormap == "stars" ? "plasma" : field.colormap);
}

void complete_view(Scene& scene, const ViewDefaults& look, const FieldInfo& field) {
  ViewOptions& view = scene.view;
  const bool paper = scene.figure.width && !scene.gives("view.background");  // which is white
  if (paper && field.shape == FieldInfo::Shape::bodies && !scene.gives("view.colormap"))
    view.background = {255, 255, 255, 255};
  ParticleLook& particles = view.particles;
  particles.drawn = look.particles;
  const int shorter = std::min(view.size.width, view.size.height);
  if (!particles.given_radius) particles.radius = std::max(0.75, shorter / 540.0);
  if (!particles.given_colors) {
    const std::vector<Color> on_light = {{32, 32, 32}, {0, 90, 160}, {200, 80, 0}, {0, 120, 80}};
    const std::vector<Color> on_dark = {{255, 255, 255}, {255, 190, 80}, {120, 220, 255}, {150, 240, 150}};
    particles.colors = paper || is_light(view.background) ? on_light : on_dark;
  }
  if (!view.range_given && !view.center && look.range != RangeMode::global) view.range = look.range;
  if (look.limits && field.name == look.field && !view.range_given && !view.center && view.scale != Scale::log) {
    view.range = RangeMode::fixed;
    view.low = (*look.limits)[0], view.high = (*look.limits)[1];
  }
  const bool angle = field.unit == "rad";
  if (angle && !view.range_given && !view.center && view.scale != Scale::log) {
    constexpr double pi = 3.14159265358979323846;
    view.range = RangeMode::fixed;
    view.low = -pi, view.high = pi;
  }
  // Between -pi and pi lie no other angles.
  if (angle && !scene.gives("view.interpolation")) view.interpolation = Interpolation::nearest;
  if (!scene.gives("view.colormap")) view.colormap = colormap_of(field, view, look, paper);
  // What a file has no value for is no mistake.
  if (scene.solver_kind == "data" && !scene.gives("view.nan")) view.nan = {128, 128, 128, 255};
  if (scene.figure.space_time && !scene.gives("view.nan")) view.nan = view.background;  // of frames to come
  view.bars_of_zero = !scene.gives("view.background") && view.background.a == 255 && (field.has_sign || view.center);
  if (!view.range_given && !view.center && view.hue.empty() && field.has_sign && view.scale != Scale::log)
    view.range = RangeMode::symmetric;
  view.follows_evenly = view.range == RangeMode::follow && field.has_sign && !view.center && view.scale != Scale::log;
  if (!look.classes.empty() && !view.range_given && !view.center && !view.has_bands() && !view.scale_given &&
      view.alpha.empty())
    view.show_classes(look.classes);
  if (field.shape != FieldInfo::Shape::bodies) return;
  LightOptions& light = view.light;
  if (!scene.gives("view.radius")) {
    const bool world = light.radius_unit == LightOptions::RadiusUnit::world;
    light.radius = look.radius * (world ? 2 * look.pose.extent / 1080 : shorter / 1080.0);
  }
  if (!scene.gives("view.contrast")) light.contrast = look.contrast;
  if (!scene.gives("view.weight") && field.name != "density") light.weight = LightOptions::Weight::one;
  if (!scene.gives("view.trails")) light.trails = look.trails;
  if (!scene.gives("view.exposure"))
    light.follows = (look.follows && field.name == look.field) || (look.flies_apart && scene.camera.fits_all_frames());
}

// Whether labels refuse a camera that moves.
bool shows_coordinates(const Scene& scene) {
  return scene.figure.axes == FigureOptions::Axes::ticks ||
         std::ranges::any_of(scene.overlays,
                             [](const OverlayOptions& overlay) { return overlay.position.has_value(); });
}

// Whether labels, or the density that is white, must know the distance of the camera before the first frame.
bool needs_distance(const Scene& scene) {
  const bool white = scene.view.field == "density" && scene.view.range_given && scene.view.range == RangeMode::global;
  return white || !scene.figure.scale_bar.empty() || shows_coordinates(scene);
}

void complete_camera(Scene& scene, const ViewDefaults& look) {
  CameraPose& pose = scene.camera.pose;
  if (!scene.gives("camera.extent")) pose.extent = look.pose.extent;
  const bool placed = scene.gives("camera.position") || scene.gives("camera.up") || scene.gives("camera.key");
  if (!placed && !scene.gives("camera.target") && !scene.camera.fit && !scene.camera.follow) {
    if (look.follows_mass && !shows_coordinates(scene)) scene.camera.follow = BodyChoice{};
    if (look.flies_apart && !scene.gives("camera.extent") && !scene.gives("camera.orbit") && !needs_distance(scene))
      scene.camera.fit = CameraOptions::Fit{};
  }
  if (placed) return;
  if (!scene.gives("camera.target")) pose.target = scene.camera.follow ? std::array<double, 3>{} : look.pose.target;
  pose.up = look.pose.up;
  for (std::size_t i = 0; i < 3; ++i) pose.position[i] = pose.target[i] + (look.pose.position[i] - look.pose.target[i]);
}

// A line over axes in place of a strip of colours.
void complete_curve(Scene& scene, const ViewDefaults& look) {
  FigureOptions& figure = scene.figure;
  if ((look.curve || figure.profile) && !figure.space_time && !figure.given_keys.contains("curve")) figure.curve = true;
  if (!figure.curve && !figure.space_time) return;
  using Bar = FigureOptions::Bar;
  if (figure.curve && scene.view.hue.empty()) figure.colorbar = Bar::none;  // the axis says it
  if (figure.curve && !scene.view.hue.empty() && !figure.given_keys.contains("colorbar")) figure.colorbar = Bar::right;
  figure.given = true;
  figure.aspect = FigureOptions::Aspect::automatic;
  if (!figure.given_keys.contains("axes")) figure.axes = FigureOptions::Axes::ticks;
}

// The numbers of the bodies that overlays name.
void find_followed(Scene& scene, const std::vector<std::string>& names) {
  for (OverlayOptions& overlay : scene.overlays) {
    if (overlay.follow_name.empty()) continue;
    const auto found = std::ranges::find(names, overlay.follow_name);
    if (found == names.end())
      throw UsageError("{}\"follow\" in [[overlay]] is {}, and no body has this name; {}",
                       overlay.position_of("follow").before(), quote(overlay.follow_name),
                       names.empty()
                           ? "a column \"name\" in a file of bodies gives them names, or write a number from 0"
                           : choices(overlay.follow_name, std::vector<std::string_view>(names.begin(), names.end())));
    overlay.follow = static_cast<std::size_t>(found - names.begin());
  }
}

// All frames that there are, where the scene says so or says nothing.
void complete_frames(Scene& scene, const ViewDefaults& look) {
  AnimationOptions& animation = scene.animation;
  if (!look.frames || scene.gives("animation.frames")) return;
  animation.frames = std::max<std::int64_t>(*look.frames, 1);
  if (!scene.gives("golden.frames")) scene.golden.frames = {animation.frames - 1};
}

}  // namespace

void ViewDefaults::scale_for(std::int64_t bodies) {
  const double root = std::sqrt(static_cast<double>(bodies));
  radius = std::clamp(22 / std::sqrt(root), 1.25, 20.0);
  contrast = std::clamp(1e4 / root, 3.0, 100.0);
}

void complete_scene(Scene& scene) {
  const ImageCount count(limits::scene_image_pixels);
  const SolverKind& kind = solver_kind(scene);
  Table keys = scene.solver;
  ViewDefaults look = kind.look(keys, scene);
  if (scene.view.field.empty() || !look.hue.empty()) scene.view.field = look.field;
  if (!look.hue.empty()) scene.view.hue = look.hue;
  if (!kind.fields.empty())
    if (const std::optional<std::size_t> index = find_field(kind.fields, scene.view.field))
      look.shown = kind.fields[*index];
  complete_scene(scene, look);
}

void complete_scene(Scene& scene, const ViewDefaults& look) {
  if (const ParticleLook& particles = scene.view.particles; particles.given && !look.particles)
    throw UsageError(
        "{}[view.particles] draws particles that a flow carries, and there are none here; add [[solver.particles]] to "
        "a scene of kind = \"lbm\", or leave the table out",
        particles.position.before());
  scene.found = look.found;
  complete_frames(scene, look);
  complete_curve(scene, look);
  find_followed(scene, look.names);
  if (!look.shown) return;  // plan_solver says so
  const FieldInfo& field = *look.shown;
  if (field.shape == FieldInfo::Shape::bodies) complete_camera(scene, look);
  complete_view(scene, look, field);
  if (!scene.gives("animation.steps_per_frame"))
    scene.animation.steps_per_frame =
        static_cast<std::int64_t>(std::clamp(std::round(look.steps_per_second / scene.animation.fps()), 1.0, 1e9));
}

Scene load_complete_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  Scene scene = load_scene(file, overrides, check_solver);
  complete_scene(scene);
  return scene;
}

}  // namespace simreel
