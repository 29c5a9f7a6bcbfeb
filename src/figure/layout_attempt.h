#pragma once
// One attempt at the layout of a figure, with the label of the bar next to it or above it and the title and time in one
// row or in two. lay_out (layout.h) takes the first in which all fits. Each layout_*.cpp places what it is named after.

#include <array>
#include <string>
#include <vector>

#include "figure/colorbar.h"
#include "figure/layout.h"
#include "figure/space.h"
#include "figure/style.h"
#include "figure/time_text.h"

namespace simreel {

class LayoutAttempt {
 public:
  struct Ways {
    bool over;    // the bar's label above the bar may reach over the picture
    int lines;    // of the bar's label
    int rows;     // 1 or 2, of title and time
    bool turned;  // the bar's label stands next to the bar
    bool brief;   // where the numbers of the bar have an offset, that is all of its label
    int title;    // lines of the title, to most_title
    int shorter;  // how far what nobody gave of the label of the bar is shortened, to most_shorter
  };
  static constexpr int most_shorter = 3, most_title = 3;
  // All must outlive the attempt.
  LayoutAttempt(const ViewOptions&, const DrawContext&, const TimeText&, const ColorAxis&, Ways);

  // Throws Misfit for what has no room, UsageError for what is wrong in any layout.
  FigureLayout run();

 private:
  using Axes = FigureOptions::Axes;
  using Bar = FigureOptions::Bar;

  int px(int hundredths) const { return style_.px(hundredths); }
  GlyphRun text(const char* key, const std::string& content, int size, FontStyle style = FontStyle::regular) const;
  GlyphRun number(const std::string& label) const { return set_text(label, style_.em); }
  int width_of(const std::string& label) const { return pixels_of(number(label).width); }
  int widest(const Ticks&) const;

  void place_field(int y_numbers);
  bool bar_inside() const { return options_.colorbar == FigureOptions::Bar::inside; }
  bool bar_beside() const { return shows_bar_ && !bar_inside(); }
  // Of title, time, scale bar and legend.
  Color ink() const { return inside_ ? plates_.ink : style_.ink; }
  const char* largest_key() const { return options_.given_keys.contains("font_size") ? "font_size" : ""; }

  void add_box(const char* key, Rectangle box, Color color);
  // Whole pixels, so that letters of a line look alike.
  void add_text(const char* key, const GlyphRun& run, int x, int baseline, Color color, bool turned = false,
                double hold = 0);

  // layout_axes.cpp
  // With the factor of the ticks, which an empty label shows, too. One that nobody gave is shortened to the room.
  std::string axis_label(std::size_t which, const Ticks&) const;
  bool has_axis_label(std::size_t which) const {
    const std::optional<std::string>& given = which == 0 ? options_.xlabel : options_.ylabel;
    return !given || !given->empty() || !axis_labels_[which].empty();
  }
  TickRoom tick_room(int length, int every, int most, int gap) const;
  std::array<Ticks, 2> find_axis_ticks() const;  // of x and y
  void draw_axes();

  // layout_colorbar.cpp
  bool at_side() const {
    return options_.colorbar == FigureOptions::Bar::left || options_.colorbar == FigureOptions::Bar::right;
  }
  bool label_above() const { return at_side() && !ways_.turned && bar_.label_width > 0; }
  void measure_bar();         // the sizes of the bar that do not depend on the field
  Ticks fixed_ticks() const;  // those with the longest label, of a bar of any length
  std::vector<GlyphRun> label_lines() const { return label_lines_of(colors_.range ? bar_ticks_ : Ticks()); }
  std::vector<GlyphRun> label_lines_of(const Ticks&) const;
  void draw_bar();
  void draw_bar_label();

  // layout_title.cpp, layout_legend.cpp
  bool has_row() const { return (!inside_ && (shows_title_ || shows_time_)) || label_above(); }
  int title_line() const { return pixels_of(title_[0].ascent + title_[0].descent); }
  int more_title() const { return (static_cast<int>(title_.size()) - 1) * title_line(); }  // lines of it
  int row_height() const { return title_line() + px(50); }
  void draw_title();  // on the left, time on the right, the bar's label over the bar
  void draw_title_inside();
  void add_time(int x, int baseline);

  // Whether something stands beside or in the place of the scale bar.
  bool has_arrow_key() const { return !options_.arrow_key.empty() && options_.arrows > 0; }
  bool has_lower_row() const { return !options_.scale_bar.empty() || has_arrow_key(); }
  int lower_row() const;  // its upper end, next to the picture
  // Adds the plate of a thing of this size to the lower left corner of the picture, above those that are there; the
  // result is where the thing goes.
  Rectangle add_plate(const char* key, const char* what, int width, int height);
  void draw_scale_bar();
  void place_arrow_key();  // at the right of the scale bar

  int entry_width(const std::string& name) const;
  int legend_rows(int room) const;
  int row_width() const;
  void draw_legend();
  std::string quoted_field() const { return '"' + stage_.figure.field + '"'; }

  [[noreturn]] void refuse_inset(const std::string& why) const;
  void draw_inset();
  Rectangle inset_cells() const;
  void add_frame(const Rectangle& box, int rule);
  // Between the corners of the part and those of the inset, where they cross neither.
  void connect(const Rectangle& part, const Rectangle& inset);
  std::array<Ticks, 2> inset_ticks(Size inset) const;
  void draw_inset_ticks(const std::array<Ticks, 2>&);

  const ViewOptions& view_;
  const DrawContext& stage_;
  const FigureOptions& options_;
  const ColorAxis& colors_;
  FigureStyle style_;   // of what stands next to the picture
  FigureStyle plates_;  // of what lies over it
  Ways ways_;
  FigureSpace space_;
  std::vector<GlyphRun> title_;
  TimeLine time_;
  BarSize bar_;
  bool inside_ = false;  // whether title, time, scale bar and legend lie over the picture
  bool shows_bar_ = false, shows_time_ = false, shows_title_ = false;
  int y_numbers_ = 0, x_bottom_ = 0, below_scale_bar_ = 0, above_plates_ = 0;
  std::array<Ticks, 2> axis_ticks_;
  std::array<std::string, 2> axis_labels_;
  Ticks bar_ticks_;
  Rectangle bar_place_{}, taken_right_{};
  FigureLayout layout_;
};

}  // namespace simreel
