#include "scene/light.h"

#include <fmt/format.h>

namespace simreel {
namespace {

void read_exposure(Table& view, const Table::Node* found, LightOptions& light) {
  constexpr std::string_view meaning =
      "bodies: how bright; 1: white is the light of all bodies spread evenly over the picture; auto: by the first "
      "frame";
  if (found == nullptr || std::holds_alternative<std::string>(found->value)) {
    constexpr std::string_view names[] = {"auto"};
    int index = 0;
    view.choose("exposure", index, names, meaning);
    return;
  }
  double exposure = 1;
  view.read("exposure", exposure, meaning, Range::above(0));
  light.exposure = exposure;
}

void read_tone(Table& view, LightOptions& light) {
  constexpr std::string_view names[] = {"linear", "log", "sqrt", "asinh"};
  constexpr Scale tones[] = {Scale::linear, Scale::log, Scale::sqrt, Scale::asinh};
  int index = 3;
  view.choose("tone", index, names, "bodies: from light to brightness");
  if (view.has("tone")) light.tone = tones[index];
}

}  // namespace

void read_light(Table& view, const Table::Node* exposure, ViewOptions& options) {
  LightOptions& light = options.light;
  constexpr std::string_view splats[] = {"pixel", "bilinear", "gaussian"};
  constexpr std::string_view units[] = {"pixels", "world"};
  constexpr std::string_view weights[] = {"mass", "one"};
  view.choose("splat", light.splat, splats, "bodies: how each spreads over pixels");
  view.read("radius", light.radius, "gaussian: where a body's light has fallen to 1/e", Range::above(0));
  view.choose("radius_unit", light.radius_unit, units, "gaussian: what radius is measured in");
  view.choose("weight", light.weight, weights, "bodies: how much light each has");
  read_tone(view, light);
  read_exposure(view, exposure, light);
  view.read("contrast", light.contrast, "asinh and log tones: how far faint light is lifted", Range::above(0));
  view.read("trails", light.trails, "bodies: seconds of video that a path is seen", Range::at_least(0));
  light.tone_position = view.position("tone");
  light.exposure_position = view.position("exposure");
  light.trails_position = view.position("trails");
  for (const char* key : {"radius", "radius_unit"})
    if (view.has(key) && light.splat != LightOptions::Splat::gaussian)
      view.fail(key, fmt::format("\"{}\" in [view] has a meaning with splat = \"gaussian\" only; add that, or leave it "
                                 "out",
                                 key));
  for (const char* key : {"splat", "radius", "radius_unit", "weight", "tone", "exposure", "contrast", "trails"})
    if (view.has(key)) options.light_keys.push_back({key, view.position(key)});
}

}  // namespace simreel
