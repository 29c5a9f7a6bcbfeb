// Title and time of a layout.

#include "figure/layout_attempt.h"

#include <algorithm>

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

}  // namespace simreel
