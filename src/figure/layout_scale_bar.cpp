#include "figure/layout_attempt.h"

#include <fmt/format.h>

#include <algorithm>

namespace simreel {
namespace {

using Axes = FigureOptions::Axes;
using Bar = FigureOptions::Bar;

}  // namespace

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
  int y = f.y + f.height + (options_.axes == Axes::none ? 0 : style_.rule) + x_bottom_ + px(60);
  if (options_.colorbar == Bar::bottom) y += bar_.depth;
  if (inside_) {
    const int margin = px(60), inset = px(40), height = thickness + px(20) + style_.line + 2 * inset;
    const Rectangle plate{f.x + margin, f.y + f.height - margin - height, width + 2 * inset, height};
    if (plate.x + plate.width > taken_right_.x - px(30) || plate.y < f.y + margin + rows_ * (row_height() + px(30)))
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
