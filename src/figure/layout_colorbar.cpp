#include "figure/layout_attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"

namespace simreel {
namespace {

using Axes = FigureOptions::Axes;
using Bar = FigureOptions::Bar;

// The bar's label: [figure] label, or the field and its unit; then what its hues show, and how values become colours,
// where they do not evenly.
std::string bar_label(const FigureContext& stage, const Ticks& ticks, bool two_slopes, int shorter) {
  const FigureOptions& options = stage.options;
  if (options.curve) return stage.hue;  // the axis has the values
  const std::string unit = options.units.value.empty() ? unit_text(stage.unit) : options.units.value;
  constexpr std::size_t short_name = 12;
  const std::string name = options.label                   ? *options.label
                           : shorter == 0 && !unit.empty() ? fmt::format("{} ({})", stage.field, unit)
                           : shorter < 2                   ? stage.field
                           : shorter == 2                  ? shorten(stage.field, short_name)
                                                           : "";
  std::string label = with_factor(name, ticks);
  if (!stage.hue.empty() && !label.empty() && shorter < 2) label += ", hue: " + stage.hue;
  return two_slopes && !label.empty() ? label + ", two slopes" : label;
}

}  // namespace

void LayoutAttempt::measure_bar() {
  if (!shows_bar_) return;
  if (at_side() && !ways_.turned && ways_.lines > 1)
    throw Misfit{"label", "\"label\" in [figure] is longer than the colour bar"};
  bar_ = measure_colorbar(style_, options_, colors_, widest_of(label_lines_of({})),
                          widest_of(label_lines_of(colors_.range_is_fixed ? fixed_ticks() : Ticks{{}, -12})),
                          bar_inside() || (at_side() && !ways_.turned) ? 0 : ways_.lines);
}

Ticks LayoutAttempt::fixed_ticks() const {
  if (!colors_.classes.empty()) return {};
  const auto none = [](const std::string&) { return 0.0; };
  Ticks longest = ticks_at(*colors_.range, colors_.levels, {.length = 1e6}, none);
  for (const int wanted : {2, 3, 4, 5, 6})
    for (const int least : {2, 3, 4}) {
      const Ticks found = find_ticks(*colors_.range, {.length = 1e6, .wanted = wanted, .least = least}, none);
      if (found.offset.digits != 0 || std::abs(found.factor) > std::abs(longest.factor)) longest = found;
    }
  return longest;
}

std::vector<GlyphRun> LayoutAttempt::label_lines_of(const Ticks& ticks) const {
  const std::string label = bar_label(stage_.figure, ticks, view_.center.has_value(), ways_.shorter);
  std::vector<GlyphRun> lines;
  for (const std::string& line :
       wrapped(ways_.brief && ticks.offset.digits != 0 ? with_factor("", ticks) : label, ways_.lines))
    lines.push_back(text("label", line, style_.em));
  return lines;
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
          options_.axes == Axes::ticks ? px(55) + y_numbers_ + (has_axis_label(1) ? style_.line + px(20) : 0) : 0;
      place = {f.x - side - axis - px(80) - bar_.thickness, f.y, bar_.thickness, f.height};
      break;
    }
    case Bar::bottom: place = {f.x, f.y + f.height + side + x_bottom_ + px(60), f.width, bar_.thickness}; break;
    case Bar::top: place = {f.x, f.y - side - px(60) - bar_.thickness, f.width, bar_.thickness}; break;
    case Bar::inside: {
      const int margin = px(60), inset = px(45);
      const int label = bar_.label_width > 0 ? ways_.lines * style_.line + px(30) : 0;
      int y = f.y + margin;
      if (shows_title_ || shows_time_) y += ways_.rows * (row_height() + px(30));
      const int height = std::min(f.y + f.height - margin - y, std::max(f.height * 45 / 100, px(900)));
      place = {0, y + inset + label + px(30), bar_.thickness, height - label - 2 * inset - px(60)};
      const Misfit small{"colorbar", "the picture is too small for a colour bar inside of it"};
      if (place.height < px(190)) throw small;
      // The label needs the factor of the ticks, and they the height alone.
      Marks unplaced;
      bar_ticks_ = draw_colorbar(plates_, options_, colors_, bar_, place, unplaced);
      const std::vector<GlyphRun> lines = label > 0 ? label_lines() : std::vector<GlyphRun>();
      const int width = std::max({bar_.depth - px(80), bar_.label_width, widest_of(lines)}) + 2 * inset;
      const Rectangle plate{f.x + f.width - margin - width, y, width, height};
      if (plate.x < f.x + margin) throw small;
      add_box("plate", plate, plates_.plate);
      taken_right_ = plate;
      place.x = plate.x + inset;
      for (std::size_t i = 0; i < lines.size(); ++i)
        add_text("label", lines[i], place.x,
                 plate.y + inset + pixels_of(lines[i].ascent) + static_cast<int>(i) * style_.line, plates_.ink);
      break;
    }
    case Bar::none: return;
  }
  bar_place_ = place;
  bar_ticks_ = draw_colorbar(bar_inside() ? plates_ : style_, options_, colors_, bar_, place, layout_.marks);
  draw_bar_label();
}

void LayoutAttempt::draw_bar_label() {
  const Rectangle f = layout_.field;
  const std::vector<GlyphRun> lines = label_lines();
  const int width = widest_of(lines);
  if (bar_.label_width == 0 || width == 0) return;
  const int more = (static_cast<int>(lines.size()) - 1) * style_.line;
  const int ascent = pixels_of(lines.front().ascent), descent = pixels_of(lines.back().descent);
  switch (options_.colorbar) {
    case Bar::left:
    case Bar::right: {
      if (label_above()) break;  // in the row of the title
      if (std::max(bar_.label_width, width) > f.height)
        throw Misfit{"label", "\"label\" in [figure] is longer than the colour bar"};
      const bool right = options_.colorbar == Bar::right;
      const int numbers = px(55) + 1 + bar_.number_width;
      // A power of ten reaches above the line: it must not meet the numbers, whose distance is a sum of rounded ones.
      int x = right ? std::max(bar_place_.x + bar_.depth - px(80) - descent - more,
                               bar_place_.x + bar_.thickness + numbers + ascent)
                    : std::min(bar_place_.x - (bar_.depth - px(80) - bar_.thickness) + ascent,
                               bar_place_.x - numbers - descent - more);
      for (const GlyphRun& line : lines) {
        add_text("label", line, x, f.y + f.height / 2 + pixels_of(line.width) / 2, style_.ink, true, 0.5);
        x += style_.line;
      }
      break;
    }
    case Bar::top:
    case Bar::bottom: {
      if (std::max(bar_.label_width, width) > view_.size.width)
        throw Misfit{"label", "\"label\" in [figure] is wider than the picture"};
      const int numbers = px(55) + style_.line;
      int y = options_.colorbar == Bar::bottom ? bar_place_.y + bar_.thickness + numbers + ascent
                                               : bar_place_.y - numbers - descent - more;
      for (const GlyphRun& line : lines) {
        const int own = pixels_of(line.width);
        add_text("label", line, std::clamp(f.x + f.width / 2 - own / 2, 0, view_.size.width - own), y, style_.ink,
                 false, 0.5);
        y += style_.line;
      }
      break;
    }
    default: break;
  }
}

}  // namespace simreel
