#include "scene/tables.h"

namespace simreel {
namespace {

void read_exposure(Table& view, LightOptions& light) {
  constexpr std::string_view names[] = {"auto", "follow"};
  int index = 0;
  double exposure = 1;
  if (view.read_either(
          "exposure", index, names, exposure, "a number",
          {"bodies: brightness. 1: a pixel is white at the light of all bodies divided by the number of pixels; 2: at "
           "half of that, so the picture is brighter. \"auto\": the first frame decides, \"follow\": each frame, "
           "smoothed over 0.25 s",
           "\"auto\"; of bodies that fly apart and of the density of those that fall together \"follow\", but not of a "
           "density with range or colour bar",
           "\"auto\""},
          Range::above(0)))
    light.exposure = exposure;
  light.follows = index == 1;
}

void read_tone(Table& view, LightOptions& light) {
  constexpr std::string_view names[] = {"linear", "log", "sqrt", "asinh"};
  constexpr Scale tones[] = {Scale::linear, Scale::log, Scale::sqrt, Scale::asinh};
  int index = 3;
  view.choose("tone", index, names,
              {"bodies: how their light becomes brightness", "field = \"density\": the scale; else \"asinh\""});
  if (view.has("tone")) light.tone = tones[index];
}

}  // namespace

void read_light(Table& view, ViewOptions& options) {
  LightOptions& light = options.light;
  constexpr std::string_view units[] = {"pixels", "world", "pt"};
  constexpr std::string_view weights[] = {"mass", "one"}, sizes[] = {"one", "mass"};
  view.choose("splat", light.splat, LightOptions::splat_names, "bodies: how the light of a body spreads over pixels");
  view.read("radius", light.radius,
            {"splat = \"gaussian\": where a body's light has fallen to 1/e, at most 128 pixels; in `radius_unit`",
             "the fewer bodies, the larger", "1.5"},
            Range::above(0));
  view.choose("radius_unit", light.radius_unit, units,
              {"splat = \"gaussian\": unit of `radius`; world units shrink with distance, and pt are points on paper",
               "\"pixels\"; with [figure] width \"pt\"", "\"pt\""});
  view.choose(
      "radius_by", light.radius_by, sizes,
      "splat = \"gaussian\": one: all bodies have the same `radius`; mass: the heaviest has it, others as the sixth "
      "root of their mass, but a twelfth of it at least");
  view.choose("weight", light.weight, weights,
              {"bodies: how much light each emits", "field = \"density\": \"mass\"; else \"one\"", "\"mass\""});
  read_tone(view, light);
  read_exposure(view, light);
  view.read("contrast", light.contrast,
            {"tone = \"asinh\" or \"log\": white is this many times the light at which linear turns logarithmic",
             "100 for up to 10000 bodies, 10 for 1000000", "100"},
            Range::above(0));
  view.read("trails", light.trails,
            {"bodies: how long a path stays visible, seconds of video; 0: no trails",
             "3 up to 20 bodies, 1.5 up to 200, else 0; kind = \"data\": 0", "0"},
            Range::at_least(0));
  light.tone_position = view.position("tone");
  light.exposure_position = view.position("exposure");
  light.trails_position = view.position("trails");
  for (const char* key : {"radius", "radius_unit", "radius_by"})
    if (view.has(key) && light.splat != LightOptions::Splat::gaussian)
      view.fail(key, "\"{}\" in [view] has a meaning with splat = \"gaussian\" only; add that, or leave it out", key);
  for (const char* key :
       {"splat", "radius", "radius_unit", "radius_by", "weight", "tone", "exposure", "contrast", "trails"})
    if (view.has(key)) options.light_keys.push_back({key, view.position(key), view.is_default(key)});
}

ParticleLook read_particle_look(Table& view) {
  ParticleLook look;
  look.given = view.has_table("particles");
  look.position = view.position("particles");
  Table keys = view.table("particles", "how the particles of [[solver.particles]] are drawn");
  keys.read("radius", look.radius,
            {"radius of a particle, pixels; its path has six tenths of that",
             "a 540th of the shorter side, at least 0.75", "2"},
            Range::above(0));
  keys.read("trail", look.trail,
            "how long the path of a particle stays visible, seconds of video at speed 1; 0: particles without paths",
            Range::at_least(0));
  keys.read("opacity", look.opacity, "opacity of a particle, and of its path where that begins", Range::between(0, 1));
  std::vector<std::string> colors;
  keys.read(
      "colors", colors,
      {"colours of the sets of particles, one after the other; after the last one the first again",
       "white, amber, blue, green; on a light background dark grey, blue, red, green", "[\"#ffffff\", \"#ffb000\"]"});
  if (keys.has("colors") && colors.empty())
    keys.fail("colors", "\"colors\" in [view.particles] is empty; name a colour, or leave it out");
  for (const std::string& text : colors) {
    const std::optional<Color> color = parse_color(text);
    if (!color) keys.fail("colors", "\"{}\" is no colour; write it as \"#rrggbb\" or \"#rrggbbaa\"", text);
    look.colors.push_back(*color);
  }
  look.given_radius = keys.has("radius");
  look.given_colors = !look.colors.empty();
  if (!look.given_colors) look.colors = {{255, 255, 255, 255}};
  return look;
}

}  // namespace simreel
