#include "plot/drawing.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace simreel {

std::vector<GlyphRun> PlotDrawing::legend_texts() const {
  std::vector<GlyphRun> texts;
  for (std::size_t i = 0; i < legend_lines(); ++i) texts.push_back(number(series_[i].label));
  for (const PlotSlope& slope : options_.slopes) texts.push_back(number(slope.label));
  return texts;
}

std::vector<Spot> PlotDrawing::rows_above() const {
  std::vector<Spot> places;
  int x = 0, y = 0;
  for (const GlyphRun& run : legend_texts()) {
    const int width = entry_width(run);
    if (x > 0 && x + width > page_.size.width * 8 / 10) x = 0, y += px(140);
    places.push_back({x, y});
    x += width + px(120);
  }
  places.push_back({0, y + px(140)});
  return places;
}

void PlotDrawing::draw_entry(std::size_t i, const GlyphRun& text, int x, int middle) {
  const Spot from{x * fine, middle * fine}, to{(x + px(220)) * fine, middle * fine};
  if (i >= legend_lines()) {
    add_dashes(from, to, i - legend_lines());
  } else {
    if (has_line(series_[i])) add_line({from, to}, line_width(), color_of(i));
    if (has_points(series_[i])) add_marker(i, {(from.x + to.x) / 2, from.y});
  }
  add_text(text, x + px(220) + px(50), middle + style_.capital / 2);
}

void PlotDrawing::draw_legend() {
  const std::vector<GlyphRun> texts = legend_texts();
  if (options_.legend_at == LegendAt::outside) {
    for (const GlyphRun& text : texts)
      if (box_.x + entry_width(text) > page_.size.width) refuse_legend();
    const std::vector<Spot> places = rows_above();
    const int above = options_.x2 ? px(60) + style_.line * (x2_label_.empty() ? 1 : 2) : 0;
    for (std::size_t i = 0; i < texts.size(); ++i)
      draw_entry(i, texts[i], box_.x + places[i].x, box_.y - above - legend_height() + places[i].y + px(70));
    return;
  }
  const int row = px(140), pad = px(60), height = static_cast<int>(texts.size()) * row;
  int width = 0;
  for (const GlyphRun& run : texts) width = std::max(width, entry_width(run));
  legend_fits_ = width + 2 * pad <= box_.width && height + 2 * pad <= box_.height;
  if (!legend_fits_ && options_.legend_at != LegendAt::automatic) refuse_legend();
  if (!legend_fits_) return;
  Rectangle best{};
  std::size_t min = std::numeric_limits<std::size_t>::max();
  // Corners first, then the middle of the sides and of the plot.
  constexpr int places[][2] = {{2, 0}, {0, 0}, {2, 2}, {0, 2}, {2, 1}, {0, 1}, {1, 0}, {1, 2}, {1, 1}};
  constexpr LegendAt names[] = {LegendAt::upper_right, LegendAt::upper_left, LegendAt::lower_right,
                                LegendAt::lower_left};
  for (std::size_t i = 0; i < std::size(places); ++i) {
    if (options_.legend_at != LegendAt::automatic && (i >= std::size(names) || names[i] != options_.legend_at))
      continue;
    const Rectangle place{box_.x + pad + (box_.width - 2 * pad - width) * places[i][0] / 2,
                          box_.y + pad + (box_.height - 2 * pad - height) * places[i][1] / 2, width, height};
    const auto covers = [&](const Spot& spot) {
      const int x = spot.x / fine, y = spot.y / fine;
      return x > place.x - pad && x < place.x + width + pad && y > place.y - pad && y < place.y + height + pad;
    };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(taken_, covers));
    if (count < min) min = count, best = place;
  }
  covers_ = min > 0;
  add_box({best.x - px(20), best.y, best.width + px(40), best.height}, {255, 255, 255, 225});
  for (std::size_t i = 0; i < texts.size(); ++i)
    draw_entry(i, texts[i], best.x, best.y + static_cast<int>(i) * row + row / 2);
}

}  // namespace simreel
