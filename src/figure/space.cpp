#include "figure/space.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "figure/style.h"
#include "raster/bodies/camera.h"

namespace simreel {
namespace {

[[noreturn]] void refuse(const FigureOptions& options, const char* key, const std::string& why) {
  throw UsageError("{}\"{}\" in [figure] {}", options.position_of(key).before(), key, why);
}

bool moves(const CameraOptions& camera) { return !camera.keys.empty() || camera.pose.orbit != 0 || camera.follow; }

// Pixels per world unit at the depth of the target.
double body_scale(const CameraPath& path, std::int64_t frame, Size size) {
  const Lens lens = path.lens(frame, size);
  const auto& target = path.pose(frame).target;
  return lens(target[0], target[1], target[2]).scale;
}

// Where all frames have the same, within a thousandth.
bool scale_stays(const DrawContext& stage, const CameraPath& path, Size size) {
  if (stage.camera.keys.empty()) return true;
  const double first = body_scale(path, 0, size);
  return !any_frame(1, stage.animation.frames, most_frames, [&](std::int64_t frame) {
    return !(std::fabs(body_scale(path, frame, size) - first) <= 1e-3 * first);
  });
}

std::string with_unit(double length, const std::string& unit) {
  const std::string number = number_text(length);
  return unit.empty() ? number : number + " " + unit;
}

std::string with_power(const std::string& label, int exponent) {
  if (exponent == 0) return label;
  const std::string power = fmt::format("$10^{{{}}}$", exponent);
  const std::size_t open = label.rfind('(');
  if (label.ends_with(')') && open != std::string::npos)
    return label.substr(0, open + 1) + power + " " + label.substr(open + 1);
  return label.empty() ? "\u00D7 " + power : fmt::format("{} ({})", label, power);
}

}  // namespace

std::string with_factor(const std::string& name, const Ticks& ticks) {
  if (!ticks.date.empty())
    return name.empty() || name.ends_with(')') ? name + (name.empty() ? "" : " ") + ticks.date
                                               : fmt::format("{} ({})", name, ticks.date);
  std::string label = with_power(name, ticks.factor);
  if (const std::string offset = ticks.offset_text(); !offset.empty()) label += (label.empty() ? "" : " ") + offset;
  return label;
}

std::string unit_text(const std::string& unit) {
  if (unit.find('$') != std::string::npos) return unit;
  std::string text;
  for (std::size_t i = 0; i < unit.size();) {
    const auto end_of = [&](std::size_t from, auto&& belongs) {
      while (from < unit.size() && belongs(unit[from])) ++from;
      return from;
    };
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const std::size_t letters = end_of(i, is_letter);
    const std::string_view rest = std::string_view(unit).substr(letters);
    const std::size_t power = letters + (rest.starts_with("**") ? 2 : rest.starts_with('^') ? 1 : 0);
    const bool minus = power < unit.size() && unit[power] == '-';
    const std::size_t digits = power + (minus ? 1 : 0), end = end_of(digits, is_digit);
    const std::string name = unit.substr(i, letters - i);
    const bool whole = end == unit.size() || unit[end] == ' ' || unit[end] == '/' || unit[end] == '.';
    // "m2" is a square, "CO2" is none.
    const bool raised =
        letters > i && end > digits && whole &&
        (power > letters || minus || name == "m" || name == "s" || (name.size() == 2 && name[1] == 'm'));
    text += name == "degC" ? "\u00B0C" : name;
    if (raised) text += fmt::format("$^{{{}}}$", unit.substr(power, end - power));
    i = raised ? end : letters;
    while (i < unit.size() && (!is_letter(unit[i]) || (i > 0 && is_digit(unit[i - 1])))) text += unit[i++];
  }
  return text;
}

FigureSpace::FigureSpace(const DrawContext& stage)
    : stage_(stage), cell_(stage.figure.options.units.cell.value_or(1)) {}

AxisRange FigureSpace::axis(int which, const Rectangle& field, std::int64_t frame) const {
  const std::size_t index = static_cast<std::size_t>(which);
  if (const GridAxis* const given = coordinates(which)) {
    const FieldWindow seen = window(field, frame);
    const double low = given->first + seen.first[index] * given->step - given->step / 2;
    AxisRange range{low, low + seen.count[index] * given->step, Curve::linear, 1};
    if (!stage_.figure.options.units.length.empty()) return range;
    range.set_dates(parse_cf_time(given->unit, given->calendar));
    const bool is_angle = given->unit == "\u00B0E" || given->unit == "\u00B0N";
    if (is_angle && range.low > -720 && range.high < 720 && range.high - range.low > 1e-6)
      range.degrees = given->unit.back();
    return range;
  }
  if (stage_.bodies == 0) {
    const bool counted =
        counts_cells() || (stage_.figure.options.units.length.empty() && !stage_.figure.options.units.cell);
    const double shape = which == 1 && !counted ? stage_.cell_aspect : 1;
    const FieldWindow seen = window(field, frame);
    const double first = seen.first[index];
    return {first * cell_ * shape, (first + seen.count[index]) * cell_ * shape, Curve::linear, 1};
  }
  const CameraPath path(stage_.camera, stage_.animation);
  const Size size{field.width, field.height};
  const Lens lens = path.lens(0, size);
  const double reach = 0.5 * (which == 0 ? size.width : size.height) / lens.scale;
  const auto& direction = which == 0 ? lens.right : lens.up;
  double centre = 0;
  for (std::size_t i = 0; i < 3; ++i)
    if (std::fabs(direction[i] - 1) < 1e-9) centre = path.pose(0).target[i];
  return {(centre - reach) * cell_, (centre + reach) * cell_, Curve::linear, 1};
}

FieldWindow FigureSpace::window(const Rectangle& field, std::int64_t frame) const {
  return window_of(stage_.figure, stage_.cell_aspect, {field.width, field.height}, frame);
}

bool FigureSpace::counts_cells() const {
  const FigureUnits& units = stage_.figure.options.units;
  return stage_.bodies == 0 && units.length.empty() && !units.cell && !coordinates(0);
}

std::string FigureSpace::unit() const {
  const std::string& named = stage_.figure.options.units.length;
  if (const GridAxis* const x = coordinates(0); x && named.empty()) return x->unit;
  return counts_cells() ? "cells" : named;
}

// A cell is as wide as [figure.units] says, otherwise as the source does, otherwise 1.
const GridAxis* FigureSpace::coordinates(int which) const {
  const std::optional<GridAxis>& axis = stage_.figure.axes[static_cast<std::size_t>(which)];
  return stage_.bodies == 0 && !stage_.figure.options.units.cell && axis && !axis->counted ? &*axis : nullptr;
}

std::vector<std::string> FigureSpace::names(const std::string& axis, const AxisRange& range) const {
  const std::optional<GridAxis>& given = stage_.figure.axes[axis == "x" ? 0 : 1];
  const GridAxis* const placed = coordinates(axis == "x" ? 0 : 1);
  const std::string& named = stage_.figure.options.units.length;
  const std::string letter = placed || (given && given->counted) ? given->name : axis;
  const std::string own = range.dates || range.degrees != 0 ? ""
                          : placed && named.empty()         ? unit_text(placed->unit)
                                                            : unit();
  std::vector<std::string> all;
  const auto add = [&](std::string_view unit) {
    if (!unit.empty()) all.push_back(fmt::format("{} ({})", letter, unit));
  };
  add(own);
  if (const std::size_t since = own.find(" since "); since != std::string::npos) {
    add(std::string_view(own).substr(0, own.find(' ', since + 7)));
    add(std::string_view(own).substr(0, since));
  }
  constexpr std::size_t short_name = 12;
  all.push_back(letter);
  if (letter.find('$') == std::string::npos) all.push_back(shorten(letter, short_name));
  return all;
}

double FigureSpace::units_per_pixel(const Rectangle& field) const {
  const GridAxis* const x = coordinates(0);
  if (stage_.bodies == 0) return window(field).count[0] * (x ? x->step : cell_) / field.width;
  const CameraPath path(stage_.camera, stage_.animation);
  return cell_ / body_scale(path, 0, {field.width, field.height});
}

FigureSpace space_of(const DrawContext& stage, const FigureOptions& options) {
  if (stage.bodies == 0 && (stage.figure.grid[0] <= 0 || stage.figure.grid[1] <= 0))
    throw UsageError("{}[figure] needs to know the grid before the first frame, and this source does not",
                     options.position.before());
  if (!stage.figure.keys.empty() && options.axes == FigureOptions::Axes::ticks)
    refuse(options, "axes", "shows coordinates, which [[view.key]] moves in every frame; take axes = \"frame\"");
  if (stage.bodies > 0 && options.axes == FigureOptions::Axes::ticks) {
    if (stage.camera.projection == Projection::perspective)
      refuse(options, "axes",
             "shows coordinates, which have no scale in perspective: near bodies look larger than far ones. Set "
             "projection = \"orthographic\" in [camera], or take axes = \"frame\" and a scale_bar");
    if (stage.camera.fit)
      refuse(options, "axes",
             "shows coordinates, and \"fit\" in [camera] finds the place of the camera too late for its numbers; set "
             "position, target and extent, or take axes = \"frame\"");
    if (moves(stage.camera))
      refuse(options, "axes",
             "shows coordinates, which a camera that moves does not keep; leave out orbit, follow and the keys of "
             "[camera], or take axes = \"frame\"");
  }
  return FigureSpace(stage);
}

ScaleBar scale_bar_of(const DrawContext& stage, const FigureOptions& options, const FigureSpace& space,
                      const Rectangle& field) {
  if (!stage.figure.keys.empty())
    refuse(options, "scale_bar", "needs a picture that keeps its scale; [[view.key]] changes it");
  if (stage.bodies > 0 && !scale_stays(stage, CameraPath(stage.camera, stage.animation), {field.width, field.height}))
    refuse(options, "scale_bar",
           "needs a camera that keeps its distance from the target; the keys of [camera] change it");
  if (stage.bodies > 0 && stage.camera.fit)
    refuse(
        options, "scale_bar",
        "needs to know the distance of the camera, and \"fit\" in [camera] finds it too late; set position and target "
        "instead");
  const double per_pixel = space.units_per_pixel(field);
  AxisRange{0, per_pixel * field.width}.check_places(options.position_of("scale_bar").before() + "the picture");
  const std::string unit = space.unit();
  if (options.scale_bar == "auto") {
    const double length = round_length(0.22 * field.width * per_pixel).value();
    return {rounded_to_int(length / per_pixel), with_unit(length, unit)};
  }
  const std::string& text = options.scale_bar;
  const auto [length, rest] = quantity_of(text);
  if (!(length > 0) || !std::isfinite(length))
    refuse(options, "scale_bar",
           fmt::format("is {}; it is \"auto\", or a length with its unit as \"5 {}\"", quote(text),
                       unit.empty() ? "mm" : unit));
  if (rest != unit)
    refuse(options, "scale_bar",
           unit.empty()
               ? fmt::format("is {}, and lengths have no unit here; name it with length = {} in [figure.units]",
                             quote(text), quote(rest))
               : fmt::format("is {}, and the unit of lengths here is {}", quote(text), quote(unit)));
  const double pixels = length / per_pixel;
  if (!(pixels >= 1 && pixels <= field.width))
    refuse(options, "scale_bar",
           fmt::format("is {}, and the picture is {:.4g} {} wide", quote(text), field.width * per_pixel, unit));
  return {rounded_to_int(pixels), with_unit(length, unit)};
}

}  // namespace simreel
