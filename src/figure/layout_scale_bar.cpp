#include "figure/layout_attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace simreel {
namespace {

using Axes = FigureOptions::Axes;
using Bar = FigureOptions::Bar;

}  // namespace

int LayoutAttempt::lower_row() const {
  const Rectangle f = layout_.field;
  return f.y + f.height + (options_.axes == Axes::none ? 0 : style_.rule) + x_bottom_ + px(60) +
         (options_.colorbar == Bar::bottom ? bar_.depth : 0);
}

void LayoutAttempt::place_arrow_key() {
  if (!has_arrow_key()) return;
  const std::string& key = options_.arrow_key;
  double& speed = layout_.arrow_key_speed;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), speed);
  if (key != "auto" && (error != std::errc() || !(speed > 0) || !std::isfinite(speed)))
    throw UsageError(
        "{}\"arrow_key\" in [figure] is {}; it is \"auto\", or a length above 0 and its unit, as \"10 m/s\"",
        options_.position_of("arrow_key").before(), quote(key));
  text("arrow_key", key, style_.em);
  const Rectangle f = layout_.field;
  const int height = px(34) + style_.line, margin = px(60);
  const int width = std::min(f.width / 2 - margin, px(1400));
  layout_.arrow_key = {f.x + f.width - width, lower_row(), width, height};
  if (inside_)
    layout_.arrow_key = {f.x + f.width - width - margin, f.y + f.height - margin - height - px(40), width,
                         height + px(40)};
  below_scale_bar_ = px(85) + style_.line;
}

void LayoutAttempt::draw_scale_bar() {
  if (options_.scale_bar.empty()) return;
  const Rectangle f = layout_.field;
  const ScaleBar bar = scale_bar_of(stage_, options_, space_, f);
  const GlyphRun run = number(bar.label);
  const int text_width = pixels_of(run.width), thickness = std::max(px(14), 1),
            width = std::max(bar.pixels, text_width);
  if (width > f.width - px(100))
    throw Misfit{"scale_bar", fmt::format("\"scale_bar\" in [figure]: {} are longer than the picture", bar.label)};
  int x = f.x + px(50);
  int y = lower_row();
  if (inside_) {
    const int margin = px(60), inset = px(40), height = thickness + px(20) + style_.line + 2 * inset;
    const Rectangle plate{f.x + margin, f.y + f.height - margin - height, width + 2 * inset, height};
    if (plate.x + plate.width > taken_right_.x - px(30) ||
        plate.y < f.y + margin + ways_.rows * (row_height() + px(30)))
      throw Misfit{"scale_bar", "the picture is too small for a scale bar inside of it"};
    add_box("plate", plate, plates_.plate);
    x = plate.x + inset;
    y = plate.y + inset;
    above_scale_bar_ = plate.y - px(30);
  }
  add_box("scale_bar", {x + (width - bar.pixels) / 2, y, bar.pixels, thickness}, ink());
  add_text("scale_bar", run, x + (width - text_width) / 2, y + thickness + px(20) + pixels_of(run.ascent), ink(), false,
           0.5);
  below_scale_bar_ = px(85) + style_.line;
}

}  // namespace simreel
