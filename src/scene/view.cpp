#include "scene/tables.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

namespace simreel {
namespace {

bool names_a_file(std::string_view colormap) {
  return colormap.ends_with(".csv") || colormap.ends_with(".csv_r") || colormap.find('/') != std::string_view::npos;
}

// Values that are shown lie within it, so that differences of two are finite, as Rasterizer has it for ranges that are
// found.
constexpr double most_shown = std::numeric_limits<double>::max() / 4;

void read_range(Table& view, ViewOptions& options) {
  int mode = 1;
  std::array<double, 2> range{};
  const bool fixed = view.read_either(
      "range", mode, range_names, range, "[low, high]",
      {"[low, high]: the values at the two ends of the colormap, low < high. \"first\": smallest and "
       "largest value of the first frame. \"global\": those of all frames; a pass before the video "
       "computes them. \"robust\" (fields): those of all frames but a twentieth at either end, if these take more "
       "than a fifth of the range. \"symmetric\": [-m, m] from all frames; rare large values have the end colours. "
       "\"diverging\": as \"global\", with `center` in the middle. \"follow\" (fields): those of each "
       "frame, smoothed over 0.25 s; for fields with both signs [-m, m]",
       "fields with both signs: \"symmetric\", others: \"global\"; equations: \"robust\", or \"follow\" where values "
       "drift; bodies: \"first\"",
       "\"global\""});
  options.range_given = view.has("range");
  options.range_position = view.position("range");
  if (!fixed) {
    const bool diverging = mode == static_cast<int>(range_mode_names.size());
    options.range = diverging ? RangeMode::global : static_cast<RangeMode>(mode + 1);
    if (diverging) options.center = 0;
    return;
  }
  if (!(range[0] < range[1]))
    view.fail("range", "\"range\" in [view] is [{}, {}]; low must be less than high", range[0], range[1]);
  if (std::max(-range[0], range[1]) > most_shown)
    view.fail("range", "\"range\" in [view] is [{}, {}]; its ends must lie within {:.3g}", range[0], range[1],
              most_shown);
  options.range = RangeMode::fixed;
  options.low = range[0];
  options.high = range[1];
}

void read_classes(Table& view, ViewOptions& options) {
  std::vector<ValueClass> classes;
  for (Table& entry : view.tables("class",
                                  "a class of a field of whole numbers, as of land cover: it has a colour, a name and "
                                  "a block of the colour bar")) {
    ValueClass& one = classes.emplace_back();
    entry.require("value", "value = 1");
    entry.read("value", one.value, "the number", Range::between(-1e9, 1e9));
    one.name = fmt::format("{}", one.value);
    entry.read("name", one.name, {"what it stands for, next to the colour bar", "the number", "\"forest\""});
    entry.read("color", one.color, {"its colour", "of the colormap, evenly from end to end", "\"#228833\""});
  }
  if (classes.empty()) return;
  for (const char* key : {"range", "levels", "center", "alpha"})
    if (view.has(key)) view.fail(key, "\"{}\" in [view] has no meaning for classes; leave one of them out", key);
  if (const std::string why = options.show_classes(std::move(classes)); !why.empty())
    view.fail("class", "[[view.class]]: {}", why);
}

// Pans and zooms.
void read_keys(Table& view, ViewOptions& options) {
  for (Table& table : view.tables("key", "fields: what fills the picture at a time, for pans and zooms")) {
    ViewKey key;
    table.require("time", "time = 2.5");
    key.position = table.position("time");
    table.read("time", key.time, "seconds of video, greater than that of the key before", Range::at_least(0));
    if (!options.keys.empty() && !(key.time > options.keys.back().time))
      table.fail("time", "\"time\" in [[view.key]] is {}; it must be greater than {}, that of the key before", key.time,
                 options.keys.back().time);
    table.read("crop", key.crop, {"as crop in [view]", "center and width", "[2, 0, 6, 3]"});
    table.read("center", key.center, {"the middle of the picture, in the units of the axes", "crop", "[4, 1.5]"});
    table.read("width", key.width,
               {"width of the visible part, in the units of the axes; the height follows", "crop", "2"},
               Range::above(0));
    if (key.crop && (key.center || table.has("width")))
      table.fail("crop", "this [[view.key]] has crop, and center or width, too; leave one of them out");
    if (table.has("time") && !key.crop && !(key.center && table.has("width")))
      table.fail(
          "time",
          "this [[view.key]] does not say what is seen; write crop = [left, bottom, right, top], or center and width");
    options.keys.push_back(key);
  }
  if (!options.keys.empty() && options.crop)
    view.fail("crop", "\"crop\" in [view] has no effect together with [[view.key]]; leave one of them out");
}

// What shapes the colour map: its middle, and bands.
void read_shape(Table& view, ViewOptions& options) {
  view.read("center", options.center,
            {"fields: the value in the middle of the colormap, whose halves then cover what is below and above it",
             "none; with range = \"diverging\" 0", "0"});
  if (options.center && options.range == RangeMode::symmetric)
    view.fail("center", "range = \"symmetric\" in [view] has 0 in its middle; take range = \"diverging\"");
  if (options.center && options.range == RangeMode::fixed &&
      !(options.low < *options.center && *options.center < options.high))
    view.fail("center", "\"center\" in [view] is {}, which is not between the ends of the range, {} and {}",
              *options.center, options.low, options.high);
  if (options.center && options.scale == Scale::log && *options.center <= 0)
    view.fail("center", "\"center\" in [view] is {}, but a log scale needs it above 0", *options.center);
  view.read_either("levels", options.level_count, Range::between(0, 256), options.levels, "a list of values",
                   {"fields: number of colour bands instead of a smooth colormap, or their borders as a rising list, "
                    "which also sets the range",
                    "0", "8"});
  if (options.levels.empty()) return;
  if (options.range_given && options.range == RangeMode::fixed)
    view.fail("levels", "\"levels\" in [view] say the range already; leave range = [low, high] out");
  if (options.levels.size() < 2 ||
      std::ranges::adjacent_find(options.levels, std::greater_equal()) != options.levels.end())
    view.fail("levels", "\"levels\" in [view] must be two values or more, each above the one before");
  options.range = RangeMode::fixed;
  options.range_given = true;
  options.low = options.levels.front(), options.high = options.levels.back();
  if (std::max(-options.low, options.high) > most_shown)
    view.fail("levels", "\"levels\" in [view] go from {} to {}; they must lie within {:.3g}", options.low, options.high,
              most_shown);
  if (options.scale == Scale::log && options.low <= 0)
    view.fail("levels", "\"levels\" in [view] start at {:.6g}, but a log scale needs them above 0", options.low);
}

void read_alpha(Table& view, ViewOptions& options) {
  view.read(
      "alpha", options.alpha,
      {"fields: values, rising, and how opaque the colours there are, 0 to 1; between two values it changes evenly "
       "along the colour bar, beyond the outer ones it stays. Solid cells and lines keep their own colour",
       "none: the colormap is opaque", "[[0, 0], [0.2, 1]]"});
  if (options.alpha.empty()) return;
  for (const auto& [value, opacity] : options.alpha) {
    if (!(opacity >= 0 && opacity <= 1))
      view.fail("alpha", "\"alpha\" in [view] gives the value {} the opacity {}; an opacity is from 0 to 1", value,
                opacity);
    if (options.scale == Scale::log && value <= 0)
      view.fail("alpha", "\"alpha\" in [view] names {}, but a log scale needs values above 0", value);
  }
  const auto value = [](const std::array<double, 2>& stop) { return stop[0]; };
  if (std::ranges::adjacent_find(options.alpha, std::greater_equal(), value) != options.alpha.end())
    view.fail("alpha", "the values of \"alpha\" in [view] must rise, each above the one before");
  if (!view.has("background")) options.background.a = 0;
}

}  // namespace

std::string ViewOptions::show_classes(std::vector<ValueClass> list) {
  std::ranges::sort(list, {}, &ValueClass::value);
  const auto twice = std::ranges::adjacent_find(list, {}, &ValueClass::value);
  if (twice != list.end()) return fmt::format("the value {} is there twice", twice->value);
  if (list.back().value - std::int64_t{list.front().value} >= 65536)
    return fmt::format("the values {} and {} are more than 65535 apart", list.front().value, list.back().value);
  classes = std::move(list);
  range = RangeMode::fixed;
  range_given = true;
  low = classes.front().value - 0.5, high = classes.back().value + 0.5;
  interpolation = Interpolation::nearest;
  return "";
}

ViewOptions read_view(Table view, const Scene& scene) {
  ViewOptions options;
  view.read("field", options.field,
            {"what of the state is drawn; for bodies, where the colour comes from", "follows from the solver's keys",
             "\"height\""});
  options.field_position = view.position("field");
  view.read("hue", options.hue,
            {"fields: two of them, the parts of a vector or of a complex number, whose angle gives the hue; `field` "
             "gives the brightness from 0 on, and `colormap`, which ends as it begins, the hues",
             "none", "[\"A.re\", \"A.im\"]"});
  options.hue_position = view.position("hue");
  if (view.has("hue") && options.hue.size() != 2)
    view.fail("hue", "\"hue\" in [view] names {} fields; an angle has two parts, as in [\"A.re\", \"A.im\"]",
              options.hue.size());
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
  read_shape(view, options);
  view.choose("interpolation", options.interpolation, interpolation_names,
              "fields: \"linear\": between cell centres, values are interpolated; \"nearest\": each pixel shows the "
              "nearest cell, also where the picture has fewer pixels than cells");
  view.read(
      "crop", options.crop,
      {"fields: the part that fills the picture, [left, bottom, right, top] in the units of the axes; the range of "
       "the colours stays that of the whole field",
       "the whole field", "[2, 0, 6, 3]"});
  options.crop_position = view.position("crop");
  ViewOptions::Fit fit = ViewOptions::Fit::contain;
  view.choose("fit", fit, ViewOptions::fit_names,
              {"fields: when the picture has another aspect ratio than the field: \"contain\" shows all of the field "
               "with bars; \"cover\" fills the picture and cuts the rest; \"stretch\" fills the picture and distorts "
               "the cells",
               "as aspect in [figure] says: \"contain\", or \"stretch\" where "
               "the axes have different units"});
  if (view.has("fit")) options.fit = fit;
  read_keys(view, options);
  view.read("layers", options.layers,
            {"waves: whether the absorbing layers at the sides are shown; without them, up to a tenth more is cut off "
             "where that keeps the proportions of the grid",
             "false", "true"});
  read_classes(view, options);
  view.read("linear_width", options.linear_width,
            "scale = \"symlog\" or \"asinh\": the value at which linear turns logarithmic; 0: a hundredth of the range",
            Range::at_least(0));
  std::array<int, 2> size = {options.size.width, options.size.height};
  view.read("size", size, "width and height of the output, pixels", Range::between(16, 16384));
  options.size = {size[0], size[1]};
  view.read(
      "background", options.background,
      {"where nothing is drawn; \"#00000000\" is transparent",
       "black, or around fields with both signs the grey of the map at 0; with `alpha` transparent", "\"#ffffff\""});
  read_alpha(view, options);
  view.read("nan", options.nan,
            {"fields: colour of values that are not a number", "\"#ff00ff\"; of files \"#808080\"", "\"#ff00ff\""});
  view.read(
      "obstacle", options.obstacle,
      {"fields: colour of solid cells",
       "\"#404040\", or \"#808080\" where the map is dark at 0 or at the end of the range next to it", "\"#404040\""});
  view.read("under", options.under, {"fields: colour below the range", "the colormap's first", "\"#000080\""});
  view.read("over", options.over, {"fields: colour above the range", "the colormap's last", "\"#ffffff\""});
  for (const char* key : {"hue", "nan", "obstacle", "under", "over", "center", "levels", "alpha", "interpolation",
                          "crop", "fit", "key", "layers", "class"})
    if (view.has(key)) options.field_keys.push_back({key, view.position(key), view.is_default(key)});
  options.particles = read_particle_look(view);
  read_light(view, options);
  return options;
}

}  // namespace simreel
