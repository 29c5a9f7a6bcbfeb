// What explains a picture in a layout: legend, arrow key and scale bar.

#include "figure/layout_attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"

namespace simreel {

int LayoutAttempt::entry_width(const std::string& name) const {
  return px(130) + pixels_of(text("legend", name, style_.em).width);
}

int LayoutAttempt::legend_rows(int room) const {
  int rows = 1, x = 0;
  for (const std::string& name : options_.legend) {
    const int width = entry_width(name);
    if (x > 0 && x + width > room) ++rows, x = 0;
    x += width + px(120);
  }
  return rows;
}

int LayoutAttempt::row_width() const {
  int width = -px(120);
  for (const std::string& name : options_.legend) width += entry_width(name) + px(120);
  return width;
}

Rectangle LayoutAttempt::add_plate(const char* key, const char* what, int width, int height) {
  const Rectangle f = layout_.field;
  const int margin = px(60), inset = px(40);
  const int bottom = above_plates_ > 0 ? above_plates_ : f.y + f.height - margin;
  const Rectangle plate{f.x + margin, bottom - height - 2 * inset, width + 2 * inset, height + 2 * inset};
  if (plate.x + plate.width > taken_right_.x - px(30) || plate.y < f.y + margin + ways_.rows * (row_height() + px(30)))
    throw Misfit{key, fmt::format("the picture is too small for {} inside of it", what)};
  add_box("plate", plate, plates_.plate);
  above_plates_ = plate.y - px(30);
  return {plate.x + inset, plate.y + inset, width, height};
}

void LayoutAttempt::draw_legend() {
  if (options_.legend.empty()) return;
  if (stage_.bodies == 0 || view_.field != "group")
    throw UsageError(
        "{}\"legend\" in [figure] names groups of bodies, and the picture shows {}; set field = "
        "\"group\" in [view], or leave the key out",
        options_.position_of("legend").before(), quoted_field());
  const Rectangle f = layout_.field;
  const int pad = px(80), room = view_.size.width - 2 * pad, side = px(75);
  int widest_entry = 0;
  for (const std::string& name : options_.legend) widest_entry = std::max(widest_entry, entry_width(name));
  if (widest_entry > room) throw Misfit{"legend", "\"legend\" in [figure] has a name that is wider than the picture"};
  const int count = static_cast<int>(options_.legend.size());
  int x = pad, y = view_.size.height - pad - legend_rows(room) * px(140) + px(20);
  if (inside_) {
    const Rectangle inner = add_plate("legend", "a legend", widest_entry, count * px(140) - px(40));
    x = inner.x;
    y = inner.y;
  } else {
    y = f.y + f.height + (options_.axes == Axes::none ? 0 : style_.rule) + x_bottom_ + below_scale_bar_ + px(60);
    if (options_.colorbar == Bar::bottom) y += bar_.depth;
    if (legend_rows(room) == 1) x = std::clamp(f.x + px(50), pad, std::max(pad, view_.size.width - pad - row_width()));
  }
  const int start = x;
  for (int i = 0; i < count; ++i) {
    const std::string& name = options_.legend[static_cast<std::size_t>(i)];
    const int width = entry_width(name);
    if (!inside_ && x > start && x + width > view_.size.width - pad) x = start, y += px(140);
    add_box("legend", {x, y, side, side}, group_color(colors_, i));
    add_text("legend", text("legend", name, style_.em), x + px(115), y + side / 2 + style_.capital / 2, ink());
    if (inside_)
      y += px(140);
    else
      x += width + px(120);
  }
}

int LayoutAttempt::lower_row() const {
  const Rectangle f = layout_.field;
  return f.y + f.height + (options_.axes == Axes::none ? 0 : style_.rule) + x_bottom_ + px(60) +
         (options_.colorbar == Bar::bottom ? bar_.depth : 0);
}

void LayoutAttempt::place_arrow_key() {
  if (!has_arrow_key()) return;
  const std::string& key = options_.arrow_key;
  double& speed = layout_.arrow_key_speed;
  if (key != "auto") speed = quantity_of(key).value;
  if (key != "auto" && (!(speed > 0) || !std::isfinite(speed)))
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
    const Rectangle inner = add_plate("scale_bar", "a scale bar", width, thickness + px(20) + style_.line);
    x = inner.x;
    y = inner.y;
  }
  add_box("scale_bar", {x + (width - bar.pixels) / 2, y, bar.pixels, thickness}, ink());
  add_text("scale_bar", run, x + (width - text_width) / 2, y + thickness + px(20) + pixels_of(run.ascent), ink(), false,
           0.5);
  below_scale_bar_ = px(85) + style_.line;
}

}  // namespace simreel
