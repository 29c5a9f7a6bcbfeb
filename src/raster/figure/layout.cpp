#include "raster/figure/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "kernels/raster/field.h"
#include "raster/figure/colorbar.h"
#include "raster/figure/space.h"
#include "raster/figure/style.h"

namespace simreel {
namespace {

using Axes = FigureOptions::Axes;
using Bar = FigureOptions::Bar;

// The bar's label: [figure] label, or the field and its unit.
std::string bar_label(const FigureStage& stage) {
  const FigureOptions& options = stage.options;
  if (options.label) return *options.label;
  const std::string& unit = options.units.value.empty() ? stage.unit : options.units.value;
  return unit.empty() ? stage.field : fmt::format("{} ({})", stage.field, unit);
}

// The time text as it stands in a line: texts, and between them the room of numbers.
struct TimeLine {
  struct Piece {
    GlyphRun run;
    int number_width = 0;  // pixels
    TimeNumber number;
    bool has_number = false;
  };
  std::vector<Piece> pieces;
  int width = 0;  // pixels
};

// Of the widest number with so many characters: "1234.56", "−1234.56" or "−1.23e−45".
int number_width(const TimeNumber& number, int size) {
  const auto advance = [&](char32_t c) { return rounded(advance_of(*find_glyph(c, FontStyle::regular), size)); };
  const int digit = advance('0'), point = advance('.'), minus = advance(U'\u2212'), e = advance('e');
  const int count = static_cast<int>(number.width);
  if (number.form != 'e' && !number.may_be_negative)
    return number.decimals > 0 ? (count - 1) * digit + point : count * digit;
  return std::max(minus + point + (count - 2) * digit, 2 * minus + e + point + (count - 4) * digit);
}

TimeLine time_line(const TimeText& text, int size) {
  TimeLine line;
  for (const TimePart& part : text.parts()) {
    TimeLine::Piece piece{set_text(part.text, size), 0, part.number, part.has_number};
    line.width += pixels_of(piece.run.width);
    if (part.has_number) line.width += piece.number_width = number_width(part.number, size);
    line.pieces.push_back(std::move(piece));
  }
  return line;
}

// One attempt at a layout; throws Misfit.
class Attempt {
 public:
  Attempt(const ViewOptions& view, const ParticleStage& stage, const TimeText& time, const ColorAxis& colors,
          bool turned, int rows)
      : view_(view),
        stage_(stage),
        options_(stage.figure.options),
        colors_(colors),
        style_(style_of(view, options_)),
        turned_(turned),
        rows_(rows),
        space_(space_of(stage, options_)),
        title_(text("title", options_.title, style_.em * 6 / 5, FontStyle::bold)),
        time_(time_line(time, style_.em * 11 / 10)) {}

  FigureLayout run() {
    const auto refuse = [&](const char* key, const std::string& why) {
      throw UsageError(fmt::format("{}\"{}\" in [figure] {}", options_.position_of(key).before(), key, why));
    };
    if (stage_.bodies > 0 && (options_.contour_count > 0 || !options_.contours.empty()))
      refuse("contours", "joins places of equal value in a field, and this scene shows bodies; leave it out");
    if (options_.shows_vectors() && !stage_.figure.has_vectors)
      refuse(options_.arrows > 0 ? "arrows" : "streamlines",
             "needs a field of vectors, and this solver has none; leave it out");
    if (options_.only == FigureOptions::Only::colorbar && options_.colorbar == Bar::none)
      refuse("only", "is \"colorbar\", and the figure has none; set colorbar = \"right\", or another side");
    inside_ = options_.colorbar == Bar::inside;
    shows_bar_ = options_.colorbar != Bar::none;
    shows_time_ = !time_.pieces.empty();
    shows_title_ = !options_.title.empty();
    measure_bar();
    int y_numbers = options_.axes == Axes::ticks ? px(250) : 0;
    for (int pass = 0; pass < 4; ++pass) {
      place_field(y_numbers);
      if (options_.axes != Axes::ticks) break;
      const int needed = widest(y_ticks());
      if (needed == y_numbers) break;
      y_numbers = pass < 2 ? needed : std::max(needed, y_numbers);
    }
    y_numbers_ = y_numbers;
    draw_axes();
    if (shows_bar_) draw_bar();
    inside_ ? draw_title_inside() : draw_title();
    draw_scale_bar();
    draw_legend();
    draw_inset();
    return std::move(layout_);
  }

 private:
  int px(int hundredths) const { return style_.px(hundredths); }

  GlyphRun text(const char* key, const std::string& content, int size, FontStyle style = FontStyle::regular) const {
    try {
      return set_text(content, size, style);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}\"{}\" in [figure]: {}", options_.position_of(key).before(), key, error.what()));
    }
  }
  GlyphRun number(const std::string& label) const { return set_text(label, style_.em); }
  int width_of(const std::string& label) const { return pixels_of(number(label).width); }
  int widest(const Ticks& ticks) const {
    int width = 0;
    for (const Tick& tick : ticks.ticks) width = std::max(width, width_of(tick.label));
    return width;
  }

  bool has_row() const { return shows_title_ || shows_time_ || label_above(); }
  bool at_side() const { return options_.colorbar == Bar::left || options_.colorbar == Bar::right; }
  bool label_above() const { return at_side() && !turned_ && bar_.label_width > 0; }

  // The sizes of the bar that do not depend on the field.
  void measure_bar() {
    if (!shows_bar_) return;
    bar_ = measure_colorbar(style_, options_, colors_, label_run_of(0),
                            label_run_of(colors_.range_is_fixed ? fixed_factor() : -12), turned_);
  }
  // The largest factor of the numbers of a bar of any length.
  int fixed_factor() const {
    int factor = 0;
    for (const int wanted : {2, 3, 4, 5}) {
      const int found = find_ticks(*colors_.range, 1e6, wanted, 0, [](const std::string&) { return 0.0; }).factor;
      if (std::abs(found) > std::abs(factor)) factor = found;
    }
    return factor;
  }
  GlyphRun label_run_of(int factor) const {
    return text("label", with_factor(bar_label(stage_.figure), factor), style_.em);
  }

  void place_field(int y_numbers) {
    const bool ticks = options_.axes == Axes::ticks;
    const int line = style_.line, pad = px(80);
    const bool outer =
        options_.axes != Axes::none || (!inside_ && (shows_bar_ || shows_title_ || shows_time_ ||
                                                     !options_.scale_bar.empty() || !options_.legend.empty()));
    int left = outer ? pad : 0, right = left, top = left, bottom = left;
    if (options_.axes != Axes::none) {
      const int rule = style_.rule;
      left += rule, right += rule, top += rule, bottom += rule;
    }
    if (ticks) {
      left += px(55) + y_numbers;
      if (!ylabel().empty()) left += line + px(20);
      x_bottom_ = px(55) + line;
      if (!xlabel().empty()) x_bottom_ += line;
      bottom += x_bottom_;
      right += px(60);
    }
    if (!inside_) {
      if (options_.colorbar == Bar::right) right += bar_.depth;
      if (options_.colorbar == Bar::left) left += bar_.depth;
      if (options_.colorbar == Bar::bottom) bottom += bar_.depth;
      if (options_.colorbar == Bar::top) top += bar_.depth;
      if (options_.colorbar == Bar::top || options_.colorbar == Bar::bottom) {
        left = std::max(left, pad + bar_.overhang);
        right = std::max(right, pad + bar_.overhang);
      }
      if (has_row()) top += px(75) + pixels_of(title_.ascent) - pad + px(50) + (rows_ - 1) * px(150);
      if (!options_.scale_bar.empty()) bottom += px(85) + line;
      if (!options_.legend.empty()) bottom += px(60) + legend_rows(view_.size.width - 2 * pad) * px(140);
    }
    const Size room{view_.size.width - left - right, view_.size.height - top - bottom};
    const int least = std::max(16, 3 * style_.em / fine);
    if (room.width < least || room.height < least)
      throw Misfit{
          largest_key(),
          options_.width && room.height >= least
              ? fmt::format("the labels of [figure] leave {} of the width's {} pixels for the picture; it needs {}. "
                            "Take a larger width, a smaller font_size or fewer labels",
                            std::max(room.width, 0), view_.size.width, least)
              : fmt::format("the labels of [figure] leave {} x {} of {} x {} pixels for the picture; it needs {} x {}. "
                            "Take a larger [view] size, a smaller font_size or fewer labels",
                            std::max(room.width, 0), std::max(room.height, 0), view_.size.width, view_.size.height,
                            least, least)};
    const auto& grid = stage_.figure.grid;
    Rectangle fitted{0, 0, room.width, room.height};
    if (stage_.bodies == 0) fitted = fit_field(grid[0], grid[1], room);
    if (fitted.width < least || fitted.height < std::min(least, 16))
      throw Misfit{largest_key(),
                   "the labels of [figure] leave too little for the picture; take a larger [view] size, a "
                   "smaller font_size or fewer labels"};
    layout_.field = {left + fitted.x, top + fitted.y, fitted.width, fitted.height};
    layout_.unused_rows = room.height - fitted.height;
  }
  const char* largest_key() const { return options_.given_keys.contains("font_size") ? "font_size" : ""; }

  std::string xlabel() const { return options_.xlabel.value_or(space_.name("x")); }
  std::string ylabel() const { return options_.ylabel.value_or(space_.name("y")); }

  Ticks x_ticks() const {
    const int w = layout_.field.width;
    const int wanted = std::clamp(w / px(700), 2, 8);
    return find_ticks(space_.x(layout_.field), w, wanted, px(80),
                      [&](const std::string& label) { return static_cast<double>(width_of(label)); });
  }
  Ticks y_ticks() const {
    const int h = layout_.field.height;
    const int wanted = std::clamp(h / px(350), 2, 6);
    return find_ticks(space_.y(layout_.field), h, wanted, px(40),
                      [&](const std::string&) { return static_cast<double>(px(80)); });
  }

  // --- marks

  void add_box(const char* key, Rectangle box, Color color) {
    if (box.width > 0 && box.height > 0) layout_.marks.push_back({key, box_shape(box, color)});
  }
  // Whole pixels, so that letters of a line look alike.
  void add_text(const char* key, const GlyphRun& run, int x, int baseline, Color color, bool turned = false) {
    layout_.marks.push_back({key, Label{run, {x * fine, baseline * fine}, turned, color}});
  }

  void draw_axes() {
    if (options_.axes == Axes::none) return;
    const Rectangle f = layout_.field;
    const int rule = style_.rule;
    const Color ink = style_.ink;
    add_box("axes", {f.x - rule, f.y - rule, f.width + 2 * rule, rule}, ink);
    add_box("axes", {f.x - rule, f.y + f.height, f.width + 2 * rule, rule}, ink);
    add_box("axes", {f.x - rule, f.y, rule, f.height}, ink);
    add_box("axes", {f.x + f.width, f.y, rule, f.height}, ink);
    if (options_.axes != Axes::ticks) return;
    const int length = px(30), gap = px(25), cap = style_.capital;
    const Ticks x = x_ticks(), y = y_ticks();
    const int below = f.y + f.height + rule, beside = f.x - rule;
    for (const Tick& tick : x.ticks) {
      const int at = f.x + rounded_to_int(tick.place * f.width) - rule / 2;
      add_box("axes", {at, below, rule, length}, ink);
      const GlyphRun run = number(tick.label);
      const int start =
          std::clamp(at + rule / 2 - pixels_of(run.width) / 2, 0, view_.size.width - pixels_of(run.width));
      add_text("axes", run, start, below + length + gap + cap, ink);
    }
    for (const Tick& tick : y.ticks) {
      const int at = f.y + f.height - rounded_to_int(tick.place * f.height) - rule / 2;
      add_box("axes", {beside - length, at, length, rule}, ink);
      const GlyphRun run = number(tick.label);
      add_text("axes", run, beside - length - gap - pixels_of(run.width), at + rule / 2 + cap / 2, ink);
    }
    const auto named = [&](const std::string& name, int factor) { return with_factor(name, factor); };
    if (const std::string label = named(xlabel(), x.factor); !label.empty()) {
      const GlyphRun run = text("xlabel", label, style_.em);
      const int width = pixels_of(run.width);
      if (width > view_.size.width) throw Misfit{"xlabel", "\"xlabel\" in [figure] is wider than the picture"};
      const int start = std::clamp(f.x + f.width / 2 - width / 2, 0, view_.size.width - width);
      add_text("xlabel", run, start, below + length + gap + style_.line + px(100), ink);
    }
    if (const std::string label = named(ylabel(), y.factor); !label.empty()) {
      const GlyphRun run = text("ylabel", label, style_.em);
      const int width = pixels_of(run.width);
      if (width > f.height + px(100)) throw Misfit{"ylabel", "\"ylabel\" in [figure] is longer than the axis"};
      const int start = f.y + f.height / 2 + width / 2;
      add_text("ylabel", run, beside - length - gap - y_numbers_ - px(20) - pixels_of(run.descent), start, ink, true);
    }
  }

  void draw_bar() {
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
        const int width = std::max(bar_.depth - px(80), label_width()) + 2 * inset;
        const int label = bar_.label_width > 0 ? style_.line + px(30) : 0;
        int y = f.y + margin;
        if (shows_title_ || shows_time_) y += rows_ * (row_height() + px(30));
        const int height = std::min(f.y + f.height - margin - y, std::max(f.height * 45 / 100, px(900)));
        const Rectangle plate{f.x + f.width - margin - width, y, width, height};
        if (plate.x < f.x + margin || height - label - 2 * inset < px(250))
          throw Misfit{"colorbar", "the picture is too small for a colour bar inside of it"};
        add_box("plate", plate, style_.plate);
        taken_right_ = plate;
        if (label > 0) {
          const GlyphRun run = label_run();
          add_text("label", run, plate.x + inset, plate.y + inset + pixels_of(run.ascent), style_.ink);
        }
        place = {plate.x + inset, plate.y + inset + label + px(30), bar_.thickness,
                 height - label - 2 * inset - px(60)};
        break;
      }
      case Bar::none: return;
    }
    bar_place_ = place;
    factor_ = draw_colorbar(style_, options_, colors_, bar_, place, layout_.marks);
    draw_bar_label();
  }

  GlyphRun label_run() { return label_run_of(factor_of_bar()); }
  int label_width() const { return bar_.label_width; }
  int factor_of_bar() {
    if (!colors_.range) return 0;
    return factor_;
  }

  void draw_bar_label() {
    if (bar_.label_width == 0) return;
    const Rectangle f = layout_.field;
    const GlyphRun run = label_run();
    const int width = pixels_of(run.width);
    switch (options_.colorbar) {
      case Bar::left:
      case Bar::right: {
        if (label_above()) break;  // in the row of the title
        if (bar_.label_width > f.height) throw Misfit{"label", "\"label\" in [figure] is longer than the colour bar"};
        const int start = f.y + f.height / 2 + width / 2;
        const bool right = options_.colorbar == Bar::right;
        const int x = right ? bar_place_.x + bar_.depth - px(80) - pixels_of(run.descent)
                            : bar_place_.x - (bar_.depth - px(80) - bar_.thickness) + pixels_of(run.ascent);
        add_text("label", run, x, start, style_.ink, true);
        break;
      }
      case Bar::top:
      case Bar::bottom: {
        if (bar_.label_width > view_.size.width)
          throw Misfit{"label", "\"label\" in [figure] is wider than the picture"};
        const int x = std::clamp(f.x + f.width / 2 - width / 2, 0, view_.size.width - width);
        const int numbers = px(55) + style_.line;
        const int y = options_.colorbar == Bar::bottom ? bar_place_.y + bar_.thickness + numbers + pixels_of(run.ascent)
                                                       : bar_place_.y - numbers - pixels_of(run.descent);
        add_text("label", run, x, y, style_.ink);
        break;
      }
      default: break;
    }
  }

  // Title on the left, time on the right, the bar's label over the bar.
  void draw_title() {
    if (!has_row()) return;
    const Rectangle f = layout_.field;
    const int W = view_.size.width, pad = px(40), gap = px(100);
    const int baseline = f.y - px(75) - (options_.colorbar == Bar::top ? bar_.depth : 0);
    const int upper = baseline - (rows_ - 1) * px(150);
    int left = pad, right = W - pad;  // of what is free in the lower row
    if (label_above()) {
      const GlyphRun run = label_run();
      int x = bar_place_.x;
      if (options_.colorbar == Bar::left) x = std::max(pad, bar_place_.x + bar_.thickness - bar_.label_width);
      x = std::min(x, W - pad - bar_.label_width);
      if (x < pad) throw Misfit{"label", "\"label\" in [figure] is wider than the picture"};
      add_text("label", run, x, baseline, style_.ink);
      if (options_.colorbar == Bar::right) right = x - gap;
      if (options_.colorbar == Bar::left) left = x + bar_.label_width + gap;
    }
    int end = right;  // of the title
    if (shows_time_) {
      const int x = std::max(left, std::min(f.x + f.width, right) - time_.width);
      if (x + time_.width > right) throw Misfit{"time", "\"time\" in [figure] is wider than the room over the picture"};
      add_time(x, baseline);
      if (rows_ == 1) end = x - gap;
    }
    if (!shows_title_) return;
    if (rows_ > 1) left = pad, end = W - pad;
    const int width = pixels_of(title_.width);
    const int x = std::max(left, std::min(f.x, end - width));
    if (x + width > end) throw Misfit{"title", "\"title\" in [figure] is wider than the room over the picture"};
    add_text("title", title_, x, upper, style_.ink);
  }

  int row_height() const { return pixels_of(title_.ascent + title_.descent) + px(50); }

  void draw_title_inside() {
    const Rectangle f = layout_.field;
    const int margin = px(60), inset = px(40);
    const auto plate = [&](const char* key, int x, int row, int width) {
      const Rectangle box{x, f.y + margin + row * (row_height() + px(30)), width + 2 * inset, row_height()};
      if (box.x < f.x + margin || box.x + box.width > f.x + f.width - margin || box.y + box.height > f.y + f.height)
        throw Misfit{key, fmt::format("\"{}\" in [figure] is wider than the picture", key)};
      add_box("plate", box, style_.plate);
      return Spot{box.x + inset, box.y + px(25) + pixels_of(title_.ascent)};
    };
    int end = f.x + margin;
    if (shows_title_) {
      const Spot at = plate("title", f.x + margin, 0, pixels_of(title_.width));
      add_text("title", title_, at.x, at.y, style_.ink);
      end = at.x + pixels_of(title_.width) + inset;
    }
    if (shows_time_) {
      const int x = f.x + f.width - margin - time_.width - 2 * inset;
      if (rows_ == 1 && shows_title_ && x < end + px(50))
        throw Misfit{"title", "\"title\" and \"time\" in [figure] are wider than the picture"};
      const Spot at = plate("time", x, rows_ - 1, time_.width);
      add_time(at.x, at.y);
    }
  }

  void add_time(int x, int baseline) {
    const int size = style_.em * 11 / 10;
    const int up = pixels_of(size * ascent_units / units_per_em), down = pixels_of(size * descent_units / units_per_em);
    for (const TimeLine::Piece& piece : time_.pieces) {
      if (piece.run.width > 0) add_text("time", piece.run, x, baseline, style_.ink);
      x += pixels_of(piece.run.width);
      if (!piece.has_number) continue;
      layout_.numbers.push_back(
          {{x, baseline - up, piece.number_width, up + down}, up, size, style_.ink, piece.number});
      x += piece.number_width;
    }
  }

  void draw_scale_bar() {
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
      add_box("plate", plate, style_.plate);
      x = plate.x + inset;
      y = plate.y + inset;
      above_scale_bar_ = plate.y - px(30);
    }
    add_box("scale_bar", {x + (width - bar.pixels) / 2, y, bar.pixels, thickness}, style_.ink);
    add_text("scale_bar", run, x + (width - text_width) / 2, y + thickness + px(20) + pixels_of(run.ascent),
             style_.ink);
    below_scale_bar_ = px(85) + style_.line;
  }

  int entry_width(const std::string& name) const { return px(130) + pixels_of(text("legend", name, style_.em).width); }
  int legend_rows(int room) const {
    int rows = 1, x = 0;
    for (const std::string& name : options_.legend) {
      const int width = entry_width(name);
      if (x > 0 && x + width > room) ++rows, x = 0;
      x += width + px(120);
    }
    return rows;
  }

  void draw_legend() {
    if (options_.legend.empty()) return;
    if (stage_.bodies == 0 || view_.field != "group")
      throw UsageError(
          fmt::format("{}\"legend\" in [figure] names groups of bodies, and the picture shows {}; set field = "
                      "\"group\" in [view], or leave the key out",
                      options_.position_of("legend").before(), quoted_field()));
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
      if (plate.x + plate.width > taken_right_.x - px(30) || plate.y < f.y + margin + rows_ * (row_height() + px(30)))
        throw Misfit{"legend", "the picture is too small for a legend inside of it"};
      add_box("plate", plate, style_.plate);
      x = plate.x + inset;
      y = plate.y + inset;
    } else {
      y = f.y + f.height + (options_.axes == Axes::none ? 0 : style_.rule) + x_bottom_ + below_scale_bar_ + px(60);
      if (options_.colorbar == Bar::bottom) y += bar_.depth;
      if (legend_rows(room) == 1)
        x = std::clamp(f.x + px(50), pad, std::max(pad, view_.size.width - pad - row_width()));
    }
    const int start = x;
    for (int i = 0; i < count; ++i) {
      const std::string& name = options_.legend[static_cast<std::size_t>(i)];
      const int width = entry_width(name);
      if (!inside_ && x > start && x + width > view_.size.width - pad) x = start, y += px(140);
      add_box("legend", {x, y, side, side}, group_color(colors_, i));
      add_text("legend", text("legend", name, style_.em), x + px(115), y + side / 2 + style_.capital / 2, style_.ink);
      if (inside_)
        y += px(140);
      else
        x += width + px(120);
    }
  }
  int row_width() const {
    int width = -px(120);
    for (const std::string& name : options_.legend) width += entry_width(name) + px(120);
    return width;
  }
  [[noreturn]] void refuse_inset(const std::string& why) const {
    throw UsageError(fmt::format("{}\"inset\" in [figure] {}", options_.position_of("inset").before(), why));
  }

  void draw_inset() {
    if (!options_.inset) return;
    if (stage_.bodies > 0) refuse_inset("magnifies a part of a field, and this scene shows bodies; leave it out");
    if (inside_) refuse_inset("and colorbar = \"inside\" both lie over the picture; take another side for the bar");
    const auto& view = options_.inset->view;
    const auto& grid = stage_.figure.grid;
    if (view[2] > grid[0] || view[3] > grid[1])
      refuse_inset(
          fmt::format("shows cells up to [{}, {}], and the grid has {} x {}", view[2], view[3], grid[0], grid[1]));
    const Rectangle f = layout_.field;
    const int margin = px(60), rule = style_.rule;
    const Size room{f.width * 40 / 100, f.height * 45 / 100};
    if (room.width < 16 || room.height < 16) throw Misfit{"inset", "the picture is too small for an inset"};
    const Rectangle fitted = fit_field(view[2] - view[0], view[3] - view[1], room);
    const bool left = options_.inset->at == FigureOptions::Inset::At::upper_left ||
                      options_.inset->at == FigureOptions::Inset::At::lower_left;
    const bool upper = options_.inset->at == FigureOptions::Inset::At::upper_left ||
                       options_.inset->at == FigureOptions::Inset::At::upper_right;
    const int x = left ? f.x + margin : f.x + f.width - margin - fitted.width;
    const int y = upper ? f.y + margin : f.y + f.height - margin - fitted.height;
    layout_.inset = Rectangle{x, y, fitted.width, fitted.height};
    add_frame(*layout_.inset, rule);
    // What is magnified.
    const auto across = [&](int cell) { return f.x + rounded_to_int(static_cast<double>(cell) * f.width / grid[0]); };
    const auto down = [&](int cell) {
      return f.y + f.height - rounded_to_int(static_cast<double>(cell) * f.height / grid[1]);
    };
    const int x0 = std::max(f.x + rule, across(view[0])), x1 = std::min(f.x + f.width - rule, across(view[2]));
    const int y0 = std::max(f.y + rule, down(view[3])), y1 = std::min(f.y + f.height - rule, down(view[1]));
    add_frame({x0, y0, std::max(1, x1 - x0), std::max(1, y1 - y0)}, rule);
  }
  void add_frame(const Rectangle& box, int rule) {
    const Color color = line_color(colors_.map);
    const Rectangle o{box.x - rule, box.y - rule, box.width + 2 * rule, box.height + 2 * rule};
    add_box("inset", {o.x, o.y, o.width, rule}, color);
    add_box("inset", {o.x, o.y + o.height - rule, o.width, rule}, color);
    add_box("inset", {o.x, o.y + rule, rule, o.height - 2 * rule}, color);
    add_box("inset", {o.x + o.width - rule, o.y + rule, rule, o.height - 2 * rule}, color);
  }

  std::string quoted_field() const { return fmt::format("\"{}\"", stage_.figure.field); }

  const ViewOptions& view_;
  const ParticleStage& stage_;
  const FigureOptions& options_;
  const ColorAxis& colors_;
  FigureStyle style_;
  bool turned_;
  int rows_;
  FigureSpace space_;
  GlyphRun title_;
  TimeLine time_;
  BarSize bar_;
  bool inside_ = false, shows_bar_ = false, shows_time_ = false, shows_title_ = false;
  int y_numbers_ = 0, x_bottom_ = 0, below_scale_bar_ = 0, above_scale_bar_ = 0, factor_ = 0;
  Rectangle bar_place_{}, taken_right_{1 << 20, 0, 0, 0};
  FigureLayout layout_;
};

}  // namespace

FigureLayout lay_out(const ViewOptions& view, const ParticleStage& stage, const TimeText& time,
                     const ColorAxis& colors) {
  const FigureOptions& options = stage.figure.options;
  std::optional<Misfit> first;
  for (const int rows : {1, 2}) {
    for (const bool turned : {false, true}) {
      try {
        return Attempt(view, stage, time, colors, turned, rows).run();
      } catch (const Misfit& misfit) {
        if (!first) first = misfit;
      }
    }
  }
  throw UsageError(fmt::format("{}{}", options.position_of(first->key).before(), first->message));
}

}  // namespace simreel
