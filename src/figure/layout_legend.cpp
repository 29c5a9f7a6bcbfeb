#include "figure/layout_attempt.h"

#include <algorithm>

#include "base/error.h"

namespace simreel {
namespace {

using Axes = FigureOptions::Axes;
using Bar = FigureOptions::Bar;

}  // namespace

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
    const int margin = px(60), inset = px(40), height = count * px(140) + 2 * inset - px(40);
    const int bottom = above_scale_bar_ > 0 ? above_scale_bar_ : f.y + f.height - margin;
    const Rectangle plate{f.x + margin, bottom - height, widest_entry + 2 * inset, height};
    if (plate.x + plate.width > taken_right_.x - px(30) ||
        plate.y < f.y + margin + ways_.rows * (row_height() + px(30)))
      throw Misfit{"legend", "the picture is too small for a legend inside of it"};
    add_box("plate", plate, plates_.plate);
    x = plate.x + inset;
    y = plate.y + inset;
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

}  // namespace simreel
