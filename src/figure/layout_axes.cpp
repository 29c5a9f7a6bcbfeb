#include "figure/layout_attempt.h"

#include <algorithm>
#include <cmath>

namespace simreel {
namespace {

using Axes = FigureOptions::Axes;

}  // namespace

// A tick every so many hundredths of an em, and three of them, or four on a longer axis.
TickRoom LayoutAttempt::tick_room(int length, int every, int most, int gap) const {
  const int least = length >= px(1000) ? 4 : 3;
  return {static_cast<double>(length), static_cast<double>(px(gap)), std::clamp(length / px(every), least, most),
          least};
}

// The same step on both axes where a unit is as long on both and a round step suits both.
std::array<Ticks, 2> LayoutAttempt::find_axis_ticks() const {
  const Rectangle& f = layout_.field;
  const std::array<AxisRange, 2> ranges = {space_.x(f),
                                           options_.curve ? colors_.range.value_or(AxisRange{0, 1}) : space_.y(f)};
  for (std::size_t i = 0; i < 2; ++i)
    ranges[i].check_places(options_.position_of("axes").before() + (i == 0 ? "the x axis" : "the y axis"));
  const std::array<TickRoom, 2> rooms = {tick_room(f.width, 550, 8, 80), tick_room(f.height, 350, 6, 40)};
  const std::array<LabelExtent, 2> extents = {
      [&](const std::string& label) { return static_cast<double>(width_of(label)); },
      [&](const std::string&) { return static_cast<double>(px(80)); }};
  const double across = (ranges[0].high - ranges[0].low) / f.width, up = (ranges[1].high - ranges[1].low) / f.height;
  if (!options_.curve && std::fabs(across - up) <= 0.02 * across)
    for (const int gap : {80, 50})  // of numbers along x
      if (auto both = ticks_of_one_step(ranges, {tick_room(f.width, 550, 8, gap), rooms[1]}, extents))
        return *std::move(both);
  return {find_ticks(ranges[0], rooms[0], extents[0]), find_ticks(ranges[1], rooms[1], extents[1])};
}

std::string LayoutAttempt::axis_label(std::size_t which, const Ticks& ticks) const {
  if (const auto& given = which == 0 ? options_.xlabel : options_.ylabel) return with_factor(*given, ticks);
  if (options_.curve && which == 1) {
    const std::string unit = options_.units.value.empty() ? unit_text(stage_.figure.unit) : options_.units.value;
    return with_factor(options_.label.value_or(stage_.figure.field + (unit.empty() ? "" : " (" + unit + ")")), ticks);
  }
  const int room = which == 0 ? view_.size.width : layout_.field.height + px(100);
  const Rectangle& f = layout_.field;
  for (const std::string& name : space_.names(which == 0 ? "x" : "y", which == 0 ? space_.x(f) : space_.y(f)))
    if (std::string label = with_factor(name, ticks); width_of(label) <= room) return label;
  const std::string alone = with_factor("", ticks);
  return ticks.date.empty() || width_of(alone) <= room ? alone : "";  // numbers without their factor would be wrong
}

void LayoutAttempt::draw_axes() {
  if (options_.axes == Axes::none) return;
  const Rectangle f = layout_.field;
  const int rule = style_.rule;
  const Color ink = style_.ink;
  add_box("axes", {f.x - rule, f.y - rule, f.width + 2 * rule, rule}, ink);
  add_box("axes", {f.x - rule, f.y + f.height, f.width + 2 * rule, rule}, ink);
  add_box("axes", {f.x - rule, f.y, rule, f.height}, ink);
  add_box("axes", {f.x + f.width, f.y, rule, f.height}, ink);
  if (options_.axes != Axes::ticks) return;
  const int length = px(30), gap = px(25), cap = style_.capital;
  const auto& [x, y] = axis_ticks_;
  const int below = f.y + f.height + rule, beside = f.x - rule;
  for (const Tick& tick : x.ticks) {
    const int at = f.x + rounded_to_int(tick.place * f.width) - rule / 2;
    add_box("axes", {at, below, rule, length}, ink);
    const GlyphRun run = number(tick.label);
    const int start = std::clamp(at + rule / 2 - pixels_of(run.width) / 2, 0, view_.size.width - pixels_of(run.width));
    add_text("axes", run, start, below + length + gap + cap, ink, false, 0.5);
  }
  for (const Tick& tick : y.ticks) {
    const int at = f.y + f.height - rounded_to_int(tick.place * f.height) - rule / 2;
    add_box("axes", {beside - length, at, length, rule}, ink);
    const GlyphRun run = number(tick.label);
    add_text("axes", run, beside - length - gap - pixels_of(run.width), at + rule / 2 + cap / 2, ink, false, 1);
  }
  if (const std::string& label = axis_labels_[0]; !label.empty()) {
    const GlyphRun run = text("xlabel", label, style_.em);
    const int width = pixels_of(run.width);
    if (width > view_.size.width)
      throw Misfit{"xlabel", "\"xlabel\" in [figure] is wider than the picture; shorten it"};
    const int start = std::clamp(f.x + f.width / 2 - width / 2, 0, view_.size.width - width);
    add_text("xlabel", run, start, below + length + gap + style_.line + px(100), ink, false, 0.5);
  }
  if (const std::string& label = axis_labels_[1]; !label.empty()) {
    const GlyphRun run = text("ylabel", label, style_.em);
    const int width = pixels_of(run.width);
    if (width > f.height + px(100))
      throw Misfit{"ylabel", "\"ylabel\" in [figure] is longer than the axis; shorten it"};
    const int start = f.y + f.height / 2 + width / 2;
    add_text("ylabel", run, beside - length - gap - y_numbers_ - px(20) - pixels_of(run.descent), start, ink, true,
             0.5);
  }
}

}  // namespace simreel
