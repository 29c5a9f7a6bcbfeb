#include "commands/look.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "commands/json.h"

namespace simreel {
namespace {

std::string_view name(Scale scale) { return scale_names[static_cast<std::size_t>(scale)]; }
std::string_view name(LightOptions::Splat splat) { return LightOptions::splat_names[static_cast<std::size_t>(splat)]; }
std::string_view name(RangeMode mode) { return range_mode_names[static_cast<std::size_t>(mode) - 1]; }  // not of fixed

std::string place(const std::array<double, 3>& at) {
  return fmt::format("[{:.4g}, {:.4g}, {:.4g}]", at[0], at[1], at[2]);
}

std::string light_line(const LightOptions& light) {
  std::string line = std::string(name(light.splat));
  if (light.splat == LightOptions::Splat::gaussian)
    line += fmt::format(" of {:.3g}{}", light.radius,
                        light.radius_unit == LightOptions::RadiusUnit::world ? "" : " pixels");
  line += light.exposure ? fmt::format(", exposure {:.4g}", *light.exposure) : ", exposure auto";
  if (light.trails > 0) line += fmt::format(", trails of {:.4g} s", light.trails);
  return line;
}

std::string camera_line(const CameraOptions& camera) {
  const CameraPose& pose = camera.pose;
  std::string line = fmt::format("camera at {} to {}, ", place(pose.position), place(pose.target));
  line += camera.projection == Projection::perspective ? fmt::format("fov {:.4g}", pose.fov)
                                                       : fmt::format("extent {:.4g}", pose.extent);
  if (pose.orbit != 0) line += fmt::format(", orbit {:.4g}", pose.orbit);
  if (!camera.keys.empty()) line += fmt::format(", {} keys", camera.keys.size());
  return line;
}

}  // namespace

std::vector<std::string> look_lines(const Scene& scene, const SourcePlan& plan, RangeMode mode) {
  const ViewOptions& view = scene.view;
  const std::string range = mode == RangeMode::fixed ? fmt::format("[{:.6g}, {:.6g}]", view.low, view.high)
                                                     : fmt::format("\"{}\"", name(mode));
  std::vector<std::string> lines = {
      fmt::format("{} in {}, range {}, {}", plan.field, view.colormap, range, name(view.scale))};
  if (plan.bodies == 0) return lines;
  lines[0] += ", " + light_line(view.light);
  lines.push_back(camera_line(scene.camera));
  return lines;
}

nlohmann::ordered_json look_json(const Scene& scene, const SourcePlan& plan, RangeMode mode) {
  const ViewOptions& view = scene.view;
  nlohmann::ordered_json look = {{"field", plan.field}, {"colormap", view.colormap}};
  if (mode == RangeMode::fixed)
    look["range"] = {view.low, view.high};
  else
    look["range"] = name(mode);
  look["scale"] = name(view.scale);
  look["steps_per_frame"] = scene.animation.steps_per_frame;
  if (plan.bodies == 0) return look;
  const LightOptions& light = view.light;
  look["light"] = {{"splat", name(light.splat)}, {"radius", light.radius}, {"trails", light.trails}};
  look["light"]["exposure"] = light.exposure ? nlohmann::ordered_json(*light.exposure) : nlohmann::ordered_json("auto");
  const CameraPose& pose = scene.camera.pose;
  look["camera"] = {{"position", pose.position}, {"target", pose.target}, {"up", pose.up},
                    {"fov", pose.fov},           {"extent", pose.extent}, {"orbit", pose.orbit}};
  return look;
}

}  // namespace simreel
