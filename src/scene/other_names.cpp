#include "scene/other_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace simreel {
namespace {

struct OtherName {
  std::string_view theirs, ours, form;  // `form`: how to write it, where the name alone does not say it
};
constexpr OtherName other_names[] = {
    {"cmap", "colormap", ""},
    {"palette", "colormap", ""},
    {"vmin", "range", "[low, high]"},
    {"vmax", "range", "[low, high]"},
    {"clim", "range", "[low, high]"},
    {"limits", "range", "[low, high]"},
    {"norm", "scale", ""},
    {"resolution", "size", "[width, height]"},
    {"width", "size", "[width, height]"},
    {"height", "size", "[width, height]"},
    {"duration", "frames", "seconds * fps"},
    {"seconds", "frames", "seconds * fps"},
    {"length", "frames", "seconds * fps"},
    {"framerate", "fps", ""},
    {"frame_rate", "fps", ""},
    {"substeps", "steps_per_frame", ""},
    {"dt", "timestep", ""},
    {"time_step", "timestep", ""},
    {"dx", "spacing", ""},
    {"c", "speed", ""},
    {"wave_speed", "speed", ""},
    {"nx", "grid", "[nx, ny]"},
    {"ny", "grid", "[nx, ny]"},
    {"size", "grid", "[nx, ny]"},
    {"resolution", "grid", "[nx, ny]"},
    {"cells", "grid", "[nx, ny]"},
    {"re", "reynolds", ""},
    {"nu", "viscosity", ""},
    {"n", "bodies", ""},
    {"count", "bodies", ""},
    {"particles", "bodies", ""},
    {"eps", "softening", ""},
    {"epsilon", "softening", ""},
    {"g", "gravity", ""},
    {"period", "frequency", "1 / period, as a number"},
    {"wavelength", "frequency", "speed / wavelength, as a number"},
    {"filename", "path", ""},
    {"file", "path", ""},
    {"crf", "quality", ""},
    {"bitrate", "quality", ""},
    {"tolerance", "max_diff", ""},
    {"center", "position", "[x, y]"},
    {"centre", "center", "[x, y]"},
    {"position", "center", "[x, y]"},
};

}  // namespace

std::string meant_by(std::string_view key, std::span<const std::string_view> known) {
  const std::string lower = lower_case(key);
  for (const auto& [theirs, ours, form] : other_names)
    if (lower == theirs && std::ranges::find(known, ours) != known.end())
      return form.empty() ? quote(ours) : fmt::format("{} = {}", ours, form);
  return "";
}

}  // namespace simreel
