#include "figure/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "figure/contour_labels.h"
#include "figure/layout_attempt.h"
#include "kernels/raster/field.h"

namespace simreel {

LayoutAttempt::LayoutAttempt(const ViewOptions& view, const DrawContext& stage, const TimeText& time,
                             const ColorAxis& colors, Ways ways)
    : view_(view),
      stage_(stage),
      options_(stage.figure.options),
      colors_(colors),
      style_(style_of(view, options_)),
      plates_(style_over_picture(view, stage.figure)),
      ways_(ways),
      space_(space_of(stage, options_)),
      time_(time_line(time, options_.has_exact_letters() ? style_.em : style_.em * 11 / 10)) {
  for (const std::string& line : wrapped(options_.title, ways.title))
    title_.push_back(
        text("title", line, options_.has_exact_letters() ? style_.em : style_.em * 6 / 5, FontStyle::bold));
}

FigureLayout LayoutAttempt::run() {
  const auto refuse = [&](const char* key, const std::string& why) {
    throw UsageError("{}\"{}\" in [figure] {}", options_.position_of(key).before(), key, why);
  };
  if (stage_.bodies > 0 && (options_.contour_count > 0 || !options_.contours.empty()))
    refuse("contours", "joins places of equal value in a field, and this scene shows bodies; leave it out");
  if (!options_.label_format.empty() && !options_.contour_labels)
    refuse("label_format", "is the form of the numbers of contours; set contour_labels = true, or leave it out");
  if (options_.contour_labels)
    for (const std::string& label : contour_texts(options_, options_.contours)) text("label_format", label, style_.em);
  if (options_.shows_vectors() && !stage_.figure.has_vectors)
    refuse(options_.arrows > 0 ? "arrows" : "streamlines",
           "needs a field of vectors, and this solver has none; name two fields with vector = [\"u\", \"v\"], or leave "
           "it out");
  if (options_.only == FigureOptions::Only::colorbar && options_.colorbar == Bar::none)
    refuse("only", "is \"colorbar\", and the figure has none; set colorbar = \"right\", or another side");
  inside_ = bar_inside() || stage_.figure.inside;
  shows_bar_ = options_.colorbar != Bar::none;
  shows_time_ = !time_.pieces.empty();
  shows_title_ = !options_.title.empty();
  measure_bar();
  int y_numbers = options_.axes == Axes::ticks ? px(250) : 0;
  for (int pass = 0; pass < 4; ++pass) {
    const std::array<bool, 2> named = {has_axis_label(0), has_axis_label(1)};
    place_field(y_numbers);
    if (options_.axes != Axes::ticks) break;
    axis_ticks_ = find_axis_ticks();
    for (const std::size_t i : {0, 1}) axis_labels_[i] = axis_label(i, axis_ticks_[i]);
    // The numbers of a curve are known only when its range is.
    const int needed = options_.curve ? px(300) : widest(axis_ticks_[1]);
    if (needed == y_numbers && named == std::array{has_axis_label(0), has_axis_label(1)}) break;
    y_numbers = pass < 2 ? needed : std::max(needed, y_numbers);
  }
  y_numbers_ = y_numbers;
  const Rectangle& f = layout_.field;
  taken_right_ = {f.x + f.width - px(30), f.y, 0, f.height};
  draw_axes();
  if (shows_bar_) draw_bar();
  draw_title();
  // Their plates would stay where the bar alone is shown.
  if (!inside_ || options_.only != FigureOptions::Only::colorbar) {
    if (inside_) draw_title_inside();
    draw_scale_bar();
    place_arrow_key();
    draw_legend();
  }
  draw_inset();
  return std::move(layout_);
}

GlyphRun LayoutAttempt::text(const char* key, const std::string& content, int size, FontStyle style) const {
  try {
    return set_text(content, size, style);
  } catch (const UsageError& error) {
    throw UsageError("{}\"{}\" in [figure]: {}", options_.position_of(key).before(), key, error.what());
  }
}

int LayoutAttempt::widest(const Ticks& ticks) const {
  int width = 0;
  for (const Tick& tick : ticks.ticks) width = std::max(width, width_of(tick.label));
  return width;
}

void LayoutAttempt::place_field(int y_numbers) {
  const bool ticks = options_.axes == Axes::ticks;
  const int line = style_.line, pad = px(options_.width ? 40 : 80);
  const bool outer = options_.axes != Axes::none || bar_beside() ||
                     (!inside_ && (shows_title_ || shows_time_ || has_lower_row() || !options_.legend.empty()));
  int left = outer ? pad : 0, right = left, top = left, bottom = left;
  if (options_.axes != Axes::none) {
    const int rule = style_.rule;
    left += rule, right += rule, top += rule, bottom += rule;
  }
  if (ticks) {
    left += px(55) + y_numbers;
    if (has_axis_label(1)) left += line + px(20);
    x_bottom_ = px(55) + line;
    if (has_axis_label(0)) x_bottom_ += line;
    bottom += x_bottom_;
    right += px(60);
  }
  if (options_.colorbar == Bar::right) right += bar_.depth;
  if (options_.colorbar == Bar::left) left += bar_.depth;
  if (options_.colorbar == Bar::bottom) bottom += bar_.depth;
  if (options_.colorbar == Bar::top) top += bar_.depth;
  if (options_.colorbar == Bar::top || options_.colorbar == Bar::bottom) {
    left = std::max(left, pad + bar_.overhang);
    right = std::max(right, pad + bar_.overhang);
  }
  if (has_row())
    top +=
        px(75) + pixels_of(title_[0].ascent) - pad + px(50) + (inside_ ? 0 : (ways_.rows - 1) * px(150) + more_title());
  if (!inside_) {
    if (has_lower_row()) bottom += px(85) + line;
    if (!options_.legend.empty()) bottom += px(60) + legend_rows(view_.size.width - 2 * pad) * px(140);
  }
  const Size room{view_.size.width - left - right, view_.size.height - top - bottom};
  const int min = std::max(16, 3 * style_.em / fine);
  if (room.width < min || room.height < min)
    throw Misfit{
        largest_key(),
        options_.width && room.height >= min
            ? fmt::format("the labels of [figure] leave {} of the width's {} pixels for the picture; it needs {}. "
                          "Take a larger width, a smaller font_size or fewer labels",
                          std::max(room.width, 0), view_.size.width, min)
            : fmt::format("the labels of [figure] leave {} x {} of {} x {} pixels for the picture; it needs {} x {}. "
                          "Take a larger [view] size, a smaller font_size or fewer labels",
                          std::max(room.width, 0), std::max(room.height, 0), view_.size.width, view_.size.height, min,
                          min)};
  const auto& grid = stage_.figure.grid;
  Rectangle fitted{0, 0, room.width, room.height};
  if (stage_.bodies == 0 && !stage_.figure.covers && options_.aspect != FigureOptions::Aspect::automatic)
    fitted = fit_field(grid[0], grid[1], room, stage_.cell_aspect);
  if (fitted.width < min || fitted.height < std::min(min, 16))
    throw Misfit{largest_key(),
                 "the labels of [figure] leave too little for the picture; take a larger [view] size, a "
                 "smaller font_size or fewer labels"};
  layout_.field = {left + fitted.x, top + fitted.y, fitted.width, fitted.height};
  layout_.unused_rows = room.height - fitted.height;
}

void LayoutAttempt::add_box(const char* key, Rectangle box, Color color) {
  if (box.width > 0 && box.height > 0) layout_.marks.push_back({key, box_shape(box, color)});
}

void LayoutAttempt::add_text(const char* key, const GlyphRun& run, int x, int baseline, Color color, bool turned,
                             double hold) {
  layout_.marks.push_back({key, Label{run, {x * fine, baseline * fine}, turned ? upwards : rightwards, color, hold}});
}

FigureLayout lay_out(const ViewOptions& view, const DrawContext& stage, const TimeText& time, const ColorAxis& colors) {
  const FigureOptions& options = stage.figure.options;
  std::optional<Misfit> first;
  // Beside the time, or the title, a label over the bar would read as its end; a factor alone needs no row.
  const bool meets = (options.colorbar == Bar::right && !options.time.empty()) ||
                     (options.colorbar == Bar::left && !(options.time.empty() && options.title.empty())) ||
                     (options.label && options.label->empty());
  // On paper a label that is wider than its bar stands beside it, where there is room.
  const bool paper = options.has_exact_letters();
  const bool shortens = !options.label || !stage.figure.hue.empty();
  bool long_label = shortens, long_title = false;
  for (int title = 1; title <= (long_title ? LayoutAttempt::most_title : 1); ++title)
    for (int shorter = 0; shorter <= (long_label ? LayoutAttempt::most_shorter : 0); ++shorter) {
      long_label = false;
      for (const bool over : {false, true})
        for (const int lines : {1, 2, 3, 4})
          for (const int rows : {1, 2})
            for (const bool turned : {meets, !meets})
              // A range that is found during the run may have an offset, for which the label had no room: the field
              // stays.
              for (const bool brief : {false, true}) {
                if (over ? stage.figure.beside_panels : !paper) continue;
                try {
                  return LayoutAttempt(view, stage, time, colors, {over, lines, rows, turned, brief, title, shorter})
                      .run();
                } catch (const Misfit& misfit) {
                  long_title |= misfit.key == "title";
                  long_label |= misfit.key == "label" && shortens;
                  if (!first) first = misfit;
                }
              }
    }
  throw NoRoom("{}{}", options.position_of(first->key).before(), first->message);
}

}  // namespace simreel
