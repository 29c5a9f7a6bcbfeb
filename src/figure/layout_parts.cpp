// Title, legend and scale bar of a layout.

#include "figure/layout_attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"

namespace simreel {

void LayoutAttempt::draw_title() {
  if (!has_row()) return;
  const Rectangle f = layout_.field;
  const int W = view_.size.width, pad = px(options_.width ? 20 : 40), gap = px(100);
  const int baseline = f.y - px(75) - (options_.colorbar == Bar::top ? bar_.depth : 0);
  const int upper = baseline - (ways_.rows - 1) * px(150);
  int left = pad, right = W - pad;  // of what is free in the lower row
  if (label_above()) {
    const GlyphRun run = label_lines().front();
    // A factor that few ticks need can be longer than those of a bar of usual length.
    const int width = std::max(bar_.label_width, pixels_of(run.width));
    int x = bar_place_.x;
    if (options_.colorbar == Bar::left) x = std::max(pad, bar_place_.x + bar_.thickness - width);
    x = std::min(x, W - pad - width);
    if (x < pad) throw Misfit{"label", "\"label\" in [figure] is wider than the picture"};
    const int usual = stage_.figure.beside_panels ? width : pixels_of(label_lines_of({}).front().width);
    if (!ways_.over && usual > bar_.depth - px(60))
      throw Misfit{"label", "\"label\" in [figure] is longer than the colour bar"};
    add_text("label", run, x, baseline, style_.ink);
    if (options_.colorbar == Bar::right) right = x - gap;
    if (options_.colorbar == Bar::left) left = x + width + gap;
  }
  if (inside_) return;
  int end = right;  // of the title
  if (shows_time_) {
    const int x = std::max(left, std::min(f.x + f.width, right) - time_.width);
    if (x + time_.width > right) throw Misfit{"time", "\"time\" in [figure] is wider than the room over the picture"};
    add_time(x, baseline);
    if (ways_.rows == 1) end = x - gap;
  }
  if (!shows_title_) return;
  if (ways_.rows > 1) left = pad, end = W - pad;
  const int width = widest_of(title_);
  const int x = std::max(left, std::min(f.x, end - width));
  if (x + width > end) throw Misfit{"title", "\"title\" in [figure] is wider than the room over the picture"};
  int y = upper - more_title();
  for (const GlyphRun& line : title_) {
    add_text("title", line, x, y, style_.ink);
    y += title_line();
  }
}

void LayoutAttempt::draw_title_inside() {
  if (title_.size() > 1) throw Misfit{"title", "\"title\" in [figure] is wider than the picture"};
  const Rectangle f = layout_.field;
  const int margin = px(60), inset = px(40);
  const auto plate = [&](const char* key, int x, int row, int width) {
    const Rectangle box{x, f.y + margin + row * (row_height() + px(30)), width + 2 * inset, row_height()};
    if (box.x < f.x + margin || box.x + box.width > f.x + f.width - margin || box.y + box.height > f.y + f.height)
      throw Misfit{key, fmt::format("\"{}\" in [figure] is wider than the picture", key)};
    add_box("plate", box, plates_.plate);
    return Spot{box.x + inset, box.y + px(25) + pixels_of(title_[0].ascent)};
  };
  int end = f.x + margin;
  if (shows_title_) {
    const Spot at = plate("title", f.x + margin, 0, pixels_of(title_[0].width));
    add_text("title", title_[0], at.x, at.y, ink());
    end = at.x + pixels_of(title_[0].width) + inset;
  }
  if (shows_time_) {
    const int x = f.x + f.width - margin - time_.width - 2 * inset;
    if (ways_.rows == 1 && shows_title_ && x < end + px(50))
      throw Misfit{"title", "\"title\" and \"time\" in [figure] are wider than the picture"};
    const Spot at = plate("time", x, ways_.rows - 1, time_.width);
    add_time(at.x, at.y);
  }
}

void LayoutAttempt::add_time(int x, int baseline) {
  const int size = options_.has_exact_letters() ? style_.em : style_.em * 11 / 10;
  const int up = pixels_of(size * ascent_units / units_per_em), down = pixels_of(size * descent_units / units_per_em);
  for (const TimeLine::Piece& piece : time_.pieces) {
    if (piece.run.width > 0) add_text("time", piece.run, x, baseline, ink());
    x += pixels_of(piece.run.width);
    if (!piece.has_number) continue;
    layout_.numbers.push_back({{x, baseline - up, piece.number_width, up + down}, up, size, ink(), piece.number});
    x += piece.number_width;
  }
}

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
