#include "figure/layout_attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace simreel {
namespace {

using Axes = FigureOptions::Axes;
using Bar = FigureOptions::Bar;

// The bar's label: [figure] label, or the field and its unit; then how values become colours, where they do not evenly.
std::string bar_label(const FigureStage& stage, const Ticks& ticks, bool two_slopes) {
  const FigureOptions& options = stage.options;
  const std::string& unit = options.units.value.empty() ? stage.unit : options.units.value;
  const std::string name = options.label  ? *options.label
                           : unit.empty() ? stage.field
                                          : fmt::format("{} ({})", stage.field, unit);
  const std::string label = with_factor(name, ticks);
  return two_slopes && !label.empty() ? label + ", two slopes" : label;
}

}  // namespace

void LayoutAttempt::measure_bar() {
  if (!shows_bar_) return;
  bar_ = measure_colorbar(style_, options_, colors_, label_run_of({}),
                          label_run_of(colors_.range_is_fixed ? fixed_ticks() : Ticks{{}, -12}), turned_);
}

Ticks LayoutAttempt::fixed_ticks() const {
  if (!colors_.classes.empty()) return {};
  const auto none = [](const std::string&) { return 0.0; };
  Ticks longest = ticks_at(*colors_.range, colors_.levels, {.length = 1e6}, none);
  for (const int wanted : {2, 3, 4, 5, 6}) {
    for (const int least : {2, 3, 4}) {
      const Ticks found = find_ticks(*colors_.range, {.length = 1e6, .wanted = wanted, .least = least}, none);
      if (found.offset.digits != 0 || std::abs(found.factor) > std::abs(longest.factor)) longest = found;
    }
  }
  return longest;
}

GlyphRun LayoutAttempt::label_run_of(const Ticks& ticks) const {
  const std::string label = bar_label(stage_.figure, ticks, view_.center.has_value());
  return text("label", brief_ && ticks.offset.digits != 0 ? with_factor("", ticks) : label, style_.em);
}

void LayoutAttempt::draw_bar() {
  const Rectangle f = layout_.field;
  const int side = options_.axes == Axes::none ? 0 : style_.rule;
  Rectangle place;  // of the bar with its triangles
  switch (options_.colorbar) {
    case Bar::right: {
      const int more = options_.axes == Axes::ticks ? px(60) : 0;
      place = {f.x + f.width + side + more + px(80), f.y, bar_.thickness, f.height};
      break;
    }
    case Bar::left: {
      const int axis =
          options_.axes == Axes::ticks ? px(55) + y_numbers_ + (ylabel().empty() ? 0 : style_.line + px(20)) : 0;
      place = {f.x - side - axis - px(80) - bar_.thickness, f.y, bar_.thickness, f.height};
      break;
    }
    case Bar::bottom: place = {f.x, f.y + f.height + side + x_bottom_ + px(60), f.width, bar_.thickness}; break;
    case Bar::top: place = {f.x, f.y - side - px(60) - bar_.thickness, f.width, bar_.thickness}; break;
    case Bar::inside: {
      const int margin = px(60), inset = px(45);
      const int width = std::max(bar_.depth - px(80), bar_.label_width) + 2 * inset;
      const int label = bar_.label_width > 0 ? style_.line + px(30) : 0;
      int y = f.y + margin;
      if (shows_title_ || shows_time_) y += rows_ * (row_height() + px(30));
      const int height = std::min(f.y + f.height - margin - y, std::max(f.height * 45 / 100, px(900)));
      const Rectangle plate{f.x + f.width - margin - width, y, width, height};
      if (plate.x < f.x + margin || height - label - 2 * inset < px(250))
        throw Misfit{"colorbar", "the picture is too small for a colour bar inside of it"};
      add_box("plate", plate, plates_.plate);
      taken_right_ = plate;
      if (label > 0) {
        const GlyphRun run = label_run();
        add_text("label", run, plate.x + inset, plate.y + inset + pixels_of(run.ascent), plates_.ink);
      }
      place = {plate.x + inset, plate.y + inset + label + px(30), bar_.thickness, height - label - 2 * inset - px(60)};
      break;
    }
    case Bar::none: return;
  }
  bar_place_ = place;
  bar_ticks_ = draw_colorbar(bar_inside() ? plates_ : style_, options_, colors_, bar_, place, layout_.marks);
  draw_bar_label();
}

void LayoutAttempt::draw_bar_label() {
  if (bar_.label_width == 0) return;
  const Rectangle f = layout_.field;
  const GlyphRun run = label_run();
  const int width = pixels_of(run.width);
  switch (options_.colorbar) {
    case Bar::left:
    case Bar::right: {
      if (label_above()) break;  // in the row of the title
      if (std::max(bar_.label_width, width) > f.height)
        throw Misfit{"label", "\"label\" in [figure] is longer than the colour bar"};
      const int start = f.y + f.height / 2 + width / 2;
      const bool right = options_.colorbar == Bar::right;
      const int numbers = px(55) + 1 + bar_.number_width, up = pixels_of(run.ascent), down = pixels_of(run.descent);
      // A power of ten reaches above the line: it must not meet the numbers, whose distance is a sum of rounded ones.
      const int x =
          right ? std::max(bar_place_.x + bar_.depth - px(80) - down, bar_place_.x + bar_.thickness + numbers + up)
                : std::min(bar_place_.x - (bar_.depth - px(80) - bar_.thickness) + up, bar_place_.x - numbers - down);
      add_text("label", run, x, start, style_.ink, true, 0.5);
      break;
    }
    case Bar::top:
    case Bar::bottom: {
      if (std::max(bar_.label_width, width) > view_.size.width)
        throw Misfit{"label", "\"label\" in [figure] is wider than the picture"};
      const int x = std::clamp(f.x + f.width / 2 - width / 2, 0, view_.size.width - width);
      const int numbers = px(55) + style_.line;
      const int y = options_.colorbar == Bar::bottom ? bar_place_.y + bar_.thickness + numbers + pixels_of(run.ascent)
                                                     : bar_place_.y - numbers - pixels_of(run.descent);
      add_text("label", run, x, y, style_.ink, false, 0.5);
      break;
    }
    default: break;
  }
}

}  // namespace simreel
