#include "scene/figure.h"

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "scene/reads.h"

namespace simreel {
namespace {

// The title with the values of the keys in its braces.
std::string filled(const Table& figure, const Table& root, const std::string& text) {
  std::vector<TemplatePiece> pieces;
  try {
    pieces = split_template(text);
  } catch (const UsageError& error) {
    figure.fail("title", "\"title\" in [figure]: {}", error.what());
  }
  std::string out;
  for (const auto& [piece, braced] : pieces) {
    const std::string value = braced ? root.text_of(piece).value_or("") : piece;
    if (value.empty())
      figure.fail("title",
                  "\"title\" in [figure] names {}, which the scene does not give as a number or a text; "
                  "braces hold a key of the scene, as in \"Re = {{solver.reynolds}}\"",
                  quote(piece));
    out += value;
  }
  return out;
}

// "2.4%", "18px" or "7pt".
void read_font_size(Table& figure, FigureOptions& options) {
  std::string text;
  read_quantity(figure, "font_size", text,
                {"font size: a share of the height, pixels, or points at `dpi`",
                 "2.4% of the height, at least 8px; with `width` 7pt", "\"3%\""});
  if (!figure.has("font_size")) return;
  const auto [value, unit] = quantity_of(text);
  if (unit == "px" && value >= 5 && value <= 1000)
    options.font_pixels = value;
  else if (unit == "pt" && value >= 3 && value <= 144)
    options.font_points = value;
  else if (unit == "%" && options.width)
    figure.fail(
        "font_size",
        "\"font_size\" in [figure] is {}, a share of the height, which with \"width\" follows from the font size; "
        "write points, as in \"7pt\"",
        quote(text));
  else if (unit == "%" && value >= 0.5 && value <= 20)
    options.font_share = value / 100;
  else
    figure.fail("font_size",
                "\"font_size\" in [figure] is {}; it is a share of the height from 0.5% to 20%, as in "
                "\"2.4%\", pixels from 5 on, as in \"18px\", or points from 3 to 144, as in \"7pt\"",
                written_quantity(text));
}

LineWidth read_line_width(Table& figure, const char* key, KeyText documentation) {
  LineWidth width;
  std::string text;
  read_quantity(figure, key, text, documentation);
  if (!figure.has(key)) return width;
  const auto [value, unit] = quantity_of(text);
  if (!(value >= 0.1 && value <= 100) || (unit != "pt" && unit != "px"))
    figure.fail(key, "\"{}\" in [figure] is {}; it is points or pixels from 0.1 to 100, as in \"0.5pt\" or \"2px\"",
                key, written_quantity(text));
  (unit == "pt" ? width.points : width.pixels) = value;
  return width;
}

void read_line_style(Table& figure, FigureOptions& options) {
  options.axes_width =
      read_line_width(figure, "axes_width",
                      {"width of the frame and the ticks of axes, bar and inset: points at `dpi`, or pixels",
                       "6% of the font size, on paper at least 0.25pt", "\"0.5pt\""});
  options.line_width = read_line_width(
      figure, "line_width",
      {"width of contours, arrows and streamlines: points at `dpi`, or pixels", "7% of the font size", "\"0.5pt\""});
  figure.read(
      "line_color", options.line_color,
      {"colour of contours, arrows and streamlines", "dark on bright colours, light on dark ones", "\"#202020\""});
}

// A list of two names, or one.
void read_vector(Table& figure, std::vector<std::string>& vector) {
  const KeyText text{"fields: what arrows and streamlines follow: its parts along x and y, or a field with components",
                     "the velocity", "[\"ux\", \"uy\"]"};
  if (const std::optional<std::string> name = figure.text_of("vector");
      name && !name->empty() && !figure.text_of("vector.0")) {
    figure.read("vector", vector.emplace_back(), text);
    return;
  }
  figure.read("vector", vector, text);
  if (vector.size() > 2)
    figure.fail("vector", "\"vector\" in [figure] names {} fields; a vector has two parts", vector.size());
}

std::optional<std::array<double, 4>> read_extent(Table& figure) {
  std::array<double, 4> ends{};
  figure.read("extent", ends,
              {"fields: the coordinates of the picture's edges, [left, right, bottom, top], rising",
               "what the source says, otherwise cells are counted", "[0, 2.5, -1, 1]"});
  if (!figure.has("extent")) return {};
  if (!(ends[0] < ends[1] && ends[2] < ends[3]))
    figure.fail("extent", "\"extent\" in [figure] is [left, right, bottom, top], with left < right and bottom < top");
  return ends;
}

// The size in print: "85mm" and dots per inch.
void read_print_size(Table& figure, FigureOptions& options) {
  constexpr double min = 10, max = 1000, points_per_mm = 72 / FigureOptions::mm_per_inch;
  std::string text;
  read_quantity(figure, "width", text,
                {"width in print, \"85mm\" (mm, cm, in, pt), at `dpi`; the height follows for fields",
                 "the pixels of [view] size at `dpi`", "\"85mm\""});
  figure.read("dpi", options.dpi, "pixels of the printed picture per inch", Range::between(50, 2400));
  if (!figure.has("width")) return;
  const auto [value, unit] = quantity_of(text);
  const double mm = unit == "mm"   ? value
                    : unit == "cm" ? 10 * value
                    : unit == "in" ? FigureOptions::mm_per_inch * value
                    : unit == "pt" ? value / points_per_mm
                                   : 0;
  if (!(mm >= min && mm <= max))
    figure.fail("width",
                "\"width\" in [figure] is {}; it is a length from 10 mm to 1 m with its unit, mm, cm, "
                "in or pt, as in \"85mm\"",
                written_quantity(text));
  constexpr double max_pixels = 16384;
  if (mm / FigureOptions::mm_per_inch * options.dpi > max_pixels)
    figure.fail("width", "\"width\" in [figure] is {}, which at {} dpi has more than {} pixels; take a smaller dpi",
                quote(text), options.dpi, max_pixels);
  options.width = mm;
}

FigureUnits read_units(Table units) {
  FigureUnits result;
  const auto read_name = [&](const char* key, std::string& value, KeyText text) { units.read(key, value, text); };
  read_name("length", result.length, {"name of the unit of lengths", "cells for fields, no name for bodies", "\"mm\""});
  units.read("cell", result.cell,
             {"width of a cell in the unit `length`; bodies: of a unit of their space",
              "the `spacing` of waves and equations; 1", "0.1"},
             Range::above(0));
  read_name("time", result.time, {"name of the unit of times", "none", "\"ms\""});
  units.read("step", result.step, {"duration of a step in the unit `time`", "simulated time", "0.05"}, Range::above(0));
  read_name("value", result.value, {"name of the unit of the values", "the field's own", "\"1/s\""});
  units.read("factor", result.factor, "what the field's own values are multiplied by to be in the unit `value`",
             Range::above(0));
  return result;
}

std::optional<FigureOptions::Inset> read_inset(Table inset) {
  FigureOptions::Inset result;
  std::vector<std::int64_t> view;
  inset.read("view", view,
             {"fields: the part that is magnified, [left, bottom, right, top] in cells", "none", "[100, 80, 180, 140]"},
             Range::between(0, 1e9));
  std::array<double, 4> box{};
  inset.read("box", box,
             {"instead of view: the part in the coordinates of the axes, [left, bottom, right, top]", "none",
              "[0.5, 0.2, 1, 0.6]"});
  inset.choose("at", result.at, FigureOptions::Inset::names, "the corner of the picture that shows it");
  inset.choose("axes", result.axes, FigureOptions::Inset::axes_names,
               "\"ticks\": also ticks with coordinates, on a translucent plate");
  inset.read("connect", result.connect, "lines from the part to where it is magnified");
  if (inset.has("box")) {
    if (inset.has("view"))
      inset.fail("box", "\"box\" and \"view\" in [figure.inset] both say what is magnified; leave one of them out");
    if (!(box[0] < box[2] && box[1] < box[3]))
      inset.fail("box", "\"box\" in [figure.inset] is [left, bottom, right, top], with left < right and bottom < top");
    result.box = box;
    return result;
  }
  if (!inset.has("view")) {
    for (const char* key : {"at", "axes", "connect"})
      if (inset.has(key))
        inset.fail(key, "\"{}\" in [figure.inset] needs \"view\" or \"box\", the part to magnify", key);
    return {};
  }
  if (view.size() != 4 || view[2] - view[0] < 2 || view[3] - view[1] < 2)
    inset.fail("view", "\"view\" in [figure.inset] is [left, bottom, right, top], at least two cells each way");
  for (std::size_t i = 0; i < 4; ++i) result.view[i] = static_cast<int>(view[i]);
  return result;
}

std::optional<FigureOptions::Profile> read_profile(Table table) {
  FigureOptions::Profile profile;
  double y = 0;
  table.read("from", profile.from, {"where the line begins, in the units of the axes", "none", "[0, 2.5]"});
  table.read("to", profile.to, {"where it ends", "none", "[8, 2.5]"});
  table.read("y", y, {"instead of both: the whole row at this height", "none", "2.5"});
  const bool from = table.has("from"), to = table.has("to");
  if (table.has("y")) {
    if (from || to)
      table.fail(
          "y",
          "[figure.profile] has both \"y\" and \"{}\"; leave one of them out, as by --set figure.profile={{}} before",
          from ? "from" : "to");
    profile.y = y;
    return profile;
  }
  if (!from && !to) return {};
  if (from != to)
    table.fail(from ? "from" : "to", "\"{}\" in [figure.profile] is one end of the line; write \"{}\", too",
               from ? "from" : "to", from ? "to" : "from");
  if (profile.from == profile.to)
    table.fail("to", "\"to\" in [figure.profile] is [{}, {}], as \"from\": the line has no length", profile.to[0],
               profile.to[1]);
  return profile;
}

}  // namespace

FigureOptions read_figure(Table figure, const Table& root) {
  FigureOptions options;
  options.given = root.has("figure");
  options.position = figure.position("");
  figure.choose("axes", options.axes, FigureOptions::axes_names,
                "\"frame\": a line around the picture; \"ticks\": also ticks with coordinates");
  figure.choose("colorbar", options.colorbar, FigureOptions::bar_names,
                "on which side the colour bar is; \"inside\": on a translucent plate over the picture, and so are "
                "title, time and scale bar");
  figure.read("label", options.label,
              {"label of the colour bar", "the field and its unit", "\"$\\\\omega_z$ (s$^{-1}$)\""});
  std::string title;
  figure.read("title", title,
              {"above the picture, on the left; braces hold keys of the scene: \"Re = {solver.reynolds}\"", "none",
               "\"A title\""});
  options.title = filled(figure, root, title);
  figure.read("xlabel", options.xlabel,
              {"axes = \"ticks\": below the x axis", "x and the unit of lengths", "\"x (mm)\""});
  figure.read("ylabel", options.ylabel,
              {"axes = \"ticks\": beside the y axis", "y and the unit of lengths", "\"y (mm)\""});
  figure.read(
      "time", options.time,
      {"above the picture, on the right, in every frame: a text with {time}, {step}, {frame}, {date} or a diagnostic "
       "of the solver, "
       "and how it is written: \"t = {time:.2f} ms\", \"{date:%Y-%m-%d}\"; \"auto\": the time with enough decimals",
       "none", "\"t = {time:.2f}\""});
  figure.read(
      "scale_bar", options.scale_bar,
      {"a bar of a round length; \"auto\" chooses one, or the length with its unit: \"5 mm\"", "none", "\"auto\""});
  figure.read("legend", options.legend,
              {"bodies with field = \"group\": names of the groups", "none", "[\"disk A\", \"disk B\"]"});
  figure.read_either("contours", options.contour_count, Range::between(0, 100), options.contours, "a list of values",
                     "fields: lines of equal value; so many between the ends of the range, or at these values in the "
                     "unit of the colour bar");
  figure.read("contour_labels", options.contour_labels,
              "the value of each contour in a gap of its line and along it, where there is room");
  figure.read("label_format", options.label_format,
              {"contour_labels = true: how the numbers are written, in braces: one decimal, and the unit after it",
               "all digits that they have", "\"{:.1f} K\""});
  read_line_style(figure, options);
  figure.read("arrows", options.arrows,
              "fields with a vector (lbm: the velocity): number of arrows along the longer side; the longest arrow is "
              "the largest vector of the frame",
              Range::between(0, 200));
  figure.read("streamlines", options.streamlines,
              "fields with a vector (lbm: the velocity): evenly spaced lines along it");
  read_vector(figure, options.vector);
  figure.read(
      "arrow_key", options.arrow_key,
      {"a reference arrow below the picture: \"auto\", or its value and unit, \"10 m/s\"", "none", "\"10 m/s\""});
  figure.read("curve", options.curve,
              {"grids of one row: a line of the values along x, over an axis with the range of [view], instead of "
               "colours",
               "true for equations", "true"});
  options.profile = read_profile(
      figure.table("profile", "fields: the values along a line, as a curve, instead of colours: from and to, or y"));
  figure.read("space_time", options.space_time,
              "grids of one row and profiles: the rows of all frames over one another, x against time, in colours; the "
              "picture fills up from below");
  figure.choose("aspect", options.aspect, FigureOptions::aspect_names,
                "fields: \"equal\": a unit is as long along y as along x; \"auto\": the picture fills its room, for "
                "diagrams over time or height; \"units\": \"auto\" where the axes of a file have different units, "
                "otherwise \"equal\"");
  options.extent = read_extent(figure);
  figure.choose(
      "only", options.only, FigureOptions::only_names,
      "\"chrome\": labels without the picture; \"colorbar\": the bar alone; both on a transparent background");
  options.inset = read_inset(figure.table("inset", "a part of the field, magnified in a corner of the picture"));
  read_print_size(figure, options);
  read_font_size(figure, options);
  figure.choose("theme", options.theme, FigureOptions::theme_names,
                "colours of text and axes: \"light\" is dark text for a light background, \"dark\" light text for a "
                "dark one; \"auto\" looks at the background");
  options.units = read_units(figure.table("units", "physical units for axes, scale bar, time and colour bar"));
  if (options.extent && options.units.cell)
    figure.fail(
        "extent",
        "\"extent\" in [figure] and \"cell\" in [figure.units] both say how wide a cell is; leave one of them out");
  for (const char* key : {"axes",           "colorbar",     "label",      "title",      "xlabel",     "ylabel",
                          "time",           "scale_bar",    "legend",     "font_size",  "theme",      "contours",
                          "contour_labels", "label_format", "axes_width", "line_width", "line_color", "arrows",
                          "arrow_key",      "streamlines",  "vector",     "curve",      "aspect",     "extent",
                          "only",           "inset",        "width",      "dpi",        "profile",    "space_time"})
    if (figure.has(key)) options.given_keys[key] = figure.position(key);
  return options;
}

}  // namespace simreel
