#include "scene/tables.h"

#include <array>
#include <string_view>

namespace simreel {
namespace {

bool names_a_file(std::string_view colormap) {
  return colormap.ends_with(".csv") || colormap.ends_with(".csv_r") || colormap.find('/') != std::string_view::npos;
}

void read_range(Table& view, ViewOptions& options) {
  int mode = 1;
  std::array<double, 2> range{};
  const bool fixed =
      view.read_either("range", mode, range_mode_names, range, "[low, high]",
                       {"values at the two ends of the colormap, low < high; \"first\": the extremes of the first "
                        "frame, \"global\": of all frames, found by a pass before the video, \"symmetric\": 0 in the "
                        "middle and the ends where the larger values of all frames are, found likewise; for fields",
                        "fields with both signs: \"symmetric\", others: \"global\"; bodies: \"first\"", "\"global\""});
  options.range_given = view.has("range");
  options.range_position = view.position("range");
  if (!fixed) {
    options.range = static_cast<RangeMode>(mode + 1);
    return;
  }
  if (!(range[0] < range[1]))
    view.fail("range", "\"range\" in [view] is [{}, {}]; low must be less than high", range[0], range[1]);
  options.range = RangeMode::fixed;
  options.low = range[0];
  options.high = range[1];
}

}  // namespace

ViewOptions read_view(Table view, const Scene& scene) {
  ViewOptions options;
  view.read("field", options.field,
            {"what of the state is drawn; for bodies, where the colour comes from", "follows from the solver's keys",
             "\"height\""});
  options.field_position = view.position("field");
  view.read("colormap", options.colormap,
            {"a name (`simreel colormaps`), or the path of a CSV; the suffix _r reverses it", "follows from the field",
             "\"viridis\""});
  options.colormap_position = view.position("colormap");
  if (options.colormap.empty())
    view.fail("colormap", "\"colormap\" in [view] is empty; leave the key out for the default");
  if (names_a_file(options.colormap)) options.colormap = scene.resolve(options.colormap).string();
  read_range(view, options);
  view.choose("scale", options.scale, scale_names, "how values map to the colormap; \"log\" needs a range above 0");
  options.scale_given = view.has("scale");
  if (options.scale == Scale::log && options.range == RangeMode::fixed && options.low <= 0) {
    view.fail("range",
              "\"range\" in [view] starts at {:.6g}, but a log scale needs it to start above 0; "
              "scale = \"symlog\" takes any range",
              options.low);
  }
  if (options.scale == Scale::log && options.range == RangeMode::symmetric)
    view.fail("range",
              "range = \"symmetric\" in [view] has 0 in its middle, but a log scale needs a range above 0; scale = "
              "\"symlog\" takes any range");
  view.read("linear_width", options.linear_width,
            "scale = \"symlog\" or \"asinh\": the value at which linear turns logarithmic; 0: a hundredth of the range",
            Range::at_least(0));
  std::array<int, 2> size = {options.size.width, options.size.height};
  view.read("size", size, "width and height of the output, pixels", Range::between(16, 16384));
  options.size = {size[0], size[1]};
  view.read("background", options.background, "where nothing is drawn");
  view.read("nan", options.nan, "fields: colour of values that are not a number");
  view.read("obstacle", options.obstacle, "fields: colour of solid cells");
  view.read("under", options.under, {"fields: colour below the range", "the colormap's first", "\"#000080\""});
  view.read("over", options.over, {"fields: colour above the range", "the colormap's last", "\"#ffffff\""});
  for (const char* key : {"nan", "obstacle", "under", "over"})
    if (view.has(key)) options.field_keys.push_back({key, view.position(key)});
  read_light(view, options);
  return options;
}

}  // namespace simreel
