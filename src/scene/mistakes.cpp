#include "scene/mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/numbers.h"
#include "base/text.h"

namespace simreel {
namespace {

// Reads ":12" from the front of `text`; 0: there is none.
int take_number(std::string_view& text) {
  std::string_view rest = text.substr(text.starts_with(':') ? 1 : text.size());
  const int number = take_leading<int>(rest).value_or(0);
  if (number > 0) text = rest;
  return std::max(number, 0);
}

std::vector<std::string> sorted(std::vector<std::string> list, std::string_view source) {
  const auto key = [&](const std::string& text) {
    const Position place = split_place(text, source).place;
    return std::tuple(place.source != source, place.line, place.column);
  };
  std::ranges::stable_sort(list, [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
  return list;
}

std::string joined(const std::vector<std::string>& list) {
  constexpr std::size_t max = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), max); ++i) text += (i > 0 ? "\n" : "") + list[i];
  if (list.size() > max)
    text += fmt::format("\nand {} more mistake{}", list.size() - max, list.size() == max + 1 ? "" : "s");
  return text;
}

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

SceneMistakes::SceneMistakes(std::vector<std::string> list, std::string_view source)
    : UsageError(joined(sorted(list, source))), list_(sorted(std::move(list), source)) {}

PlacedMessage split_place(const std::string& text, std::string_view source) {
  constexpr std::string_view option = "--set ", separator = ": ";
  std::string_view rest = text;
  if (rest.starts_with(option)) {
    const std::size_t end = std::min(rest.find(separator), rest.size());
    return {{text.substr(0, end)}, text.substr(std::min(end + separator.size(), text.size()))};
  }
  if (source.empty() || !rest.starts_with(source)) return {{}, text};
  rest.remove_prefix(source.size());
  Position place{std::string(source)};
  place.line = take_number(rest);
  if (place.line > 0) place.column = take_number(rest);
  if (!rest.starts_with(separator)) return {{}, text};
  return {place, std::string(rest.substr(separator.size()))};
}

std::string meant_by(std::string_view key, std::span<const std::string_view> known) {
  const std::string lower = lower_case(key);
  for (const auto& [ours, form, theirs] : other_names)
    if (is_among(lower, theirs) && std::ranges::find(known, ours) != known.end())
      return form.empty() ? quote(ours) : fmt::format("{} = {}", ours, form);
  return "";
}

}  // namespace simreel
