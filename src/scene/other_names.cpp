#include "scene/other_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace simreel {
namespace {

struct OtherNames {
  std::string_view ours, form, theirs;  // `form`: how to write it, where the name alone does not say it
};
constexpr OtherNames other_names[] = {
    {"colormap", "", "cmap palette colourmap"},
    {"colorbar", "\"right\"", "cbar colourbar"},
    {"width", "\"85mm\"", "figsize"},
    {"font_size", "\"7pt\"", "fontsize font"},
    {"label", "", "cbar_label clabel"},
    {"axes", "\"ticks\"", "axis ticks"},
    {"arrows", "24", "quiver"},
    {"streamlines", "true", "streamplot"},
    {"range", "[low, high]", "vmin vmax clim limits"},
    {"scale", "", "norm"},
    {"size", "[width, height]", "resolution width height"},
    {"duration", "\"8 s\"", "seconds length"},
    {"fps", "", "framerate frame_rate"},
    {"steps_per_frame", "", "substeps"},
    {"timestep", "", "dt time_step"},
    {"spacing", "", "dx"},
    {"speed", "", "c wave_speed"},
    {"grid", "[nx, ny]", "nx ny size resolution cells"},
    {"reynolds", "", "re"},
    {"viscosity", "", "nu"},
    {"bodies", "", "n count particles"},
    {"softening", "", "eps epsilon"},
    {"gravity", "", "g"},
    {"G", "", "gravity grav_constant gravitational_constant grav_const g_newton newton_g"},
    {"frequency", "1 / period, as a number", "period"},
    {"frequency", "speed / wavelength, as a number", "wavelength"},
    {"path", "", "filename file"},
    {"quality", "", "crf bitrate"},
    {"max_diff", "", "tolerance"},
    {"position", "[x, y]", "center"},
    {"center", "[x, y]", "centre position"},
};

}  // namespace

std::string meant_by(std::string_view key, std::span<const std::string_view> known) {
  const std::string lower = lower_case(key);
  for (const auto& [ours, form, theirs] : other_names)
    if (is_among(lower, theirs) && std::ranges::find(known, ours) != known.end())
      return form.empty() ? quote(ours) : fmt::format("{} = {}", ours, form);
  return "";
}

}  // namespace simreel
