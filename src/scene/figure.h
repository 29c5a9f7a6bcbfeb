#pragma once
// The [figure] table: what is written around a picture and over it. Texts are checked when the figure is laid out
// (figure/figure.h).

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pixels.h"
#include "scene/table.h"

namespace simreel {

struct FigureUnits {
  std::string length;          // name of the unit of lengths: "mm"
  std::optional<double> cell;  // width of a cell, or of a unit of the bodies' space, in `length`, > 0
  std::string time;
  std::optional<double> step;  // duration of a step in `time`, > 0
  std::string value;           // of the colours' values; empty: the field's own
  double factor = 1;           // from the field's own unit to that, > 0
};

// Unset: neither points nor pixels.
struct LineWidth {
  std::optional<double> points, pixels;
  explicit operator bool() const { return points || pixels; }
  double pixels_at(double dpi) const { return points ? *points * dpi / 72 : pixels.value_or(0); }
};

struct FigureOptions {
  bool given = false;  // whether the scene has [figure]; if not, nothing is written
  enum class Axes { none, frame, ticks } axes = Axes::none;
  static constexpr std::array<std::string_view, 3> axes_names = {"none", "frame", "ticks"};
  enum class Bar { none, left, right, top, bottom, inside } colorbar = Bar::none;
  static constexpr std::array<std::string_view, 6> bar_names = {"none", "left", "right", "top", "bottom", "inside"};
  enum class Theme { automatic, light, dark } theme = Theme::automatic;
  static constexpr std::array<std::string_view, 3> theme_names = {"auto", "light", "dark"};  // of the paper
  std::string title;                                                                         // braces filled in
  std::optional<std::string> label, xlabel, ylabel;
  std::string time;       // a template; empty: none, "auto"
  std::string scale_bar;  // empty: none, "auto", "5 mm"
  std::vector<std::string> legend;
  std::optional<double> font_pixels, font_share, font_points;  // of an em: pixels, a part of the height, or 1/72 inch
  std::optional<double> width;                                 // of the printed picture, mm
  static constexpr int usual_dpi = 300;
  int dpi = usual_dpi;           // pixels of the printed picture per inch
  std::vector<double> contours;  // values, increasing
  int contour_count = 0;         // instead of values; 0: none
  bool contour_labels = false;
  std::string label_format;          // of their numbers; empty: as many digits as they have
  LineWidth line_width, axes_width;  // of contours, arrows and streamlines; of frames and ticks
  std::optional<Color> line_color;
  std::vector<std::string>
      vector;             // fields that are its parts along x and y, or one whose parts have their names after _
  std::string arrow_key;  // an arrow of this length and its text; "auto": a round length; empty: none
  enum class Aspect { units, equal, automatic } aspect = Aspect::units;
  static constexpr std::array<std::string_view, 3> aspect_names = {"units", "equal", "auto"};
  std::optional<std::array<double, 4>> extent;  // of the axes of a field: left, right, bottom, top
  int arrows = 0;                               // along the longer side of the field; 0: none
  bool streamlines = false;                     // of a vector field
  bool curve = false;                           // of a grid of one row: its values over x, instead of colours
  // A line through a field, in the coordinates of its axes, whose values are a grid of one row; `y`: all of a row.
  struct Profile {
    std::array<double, 2> from{}, to{};
    std::optional<double> y;
  };
  std::optional<Profile> profile;
  bool space_time = false;  // of a grid of one row: the rows of all frames, one over the other
  enum class Only { all, chrome, colorbar } only = Only::all;
  static constexpr std::array<std::string_view, 3> only_names = {"all", "chrome", "colorbar"};
  struct Inset {
    std::array<int, 4> view{};                 // left, bottom, right, top of the magnified part, cells
    std::optional<std::array<double, 4>> box;  // instead, in the coordinates of the axes
    enum class At { upper_left, upper_right, lower_left, lower_right } at = At::upper_right;
    static constexpr std::array<std::string_view, 4> names = {"upper left", "upper right", "lower left", "lower right"};
    enum class Axes { frame, ticks } axes = Axes::frame;
    static constexpr std::array<std::string_view, 2> axes_names = {"frame", "ticks"};
    bool connect = false;  // lines from the part to where it is magnified
  };
  std::optional<Inset> inset;
  FigureUnits units;
  Position position;  // of [figure], for messages
  std::map<std::string, Position> given_keys;

  // On paper all letters have the size that is asked for; in a video the title and the time are larger.
  bool has_exact_letters() const { return width || font_points; }
  bool has_print_size() const { return width || given_keys.contains("dpi"); }
  // Whether something is drawn from vectors.
  bool shows_vectors() const { return arrows > 0 || streamlines; }
  static constexpr double mm_per_inch = 25.4, points_per_inch = 72;

  const Position& position_of(const std::string& key) const {
    const auto found = given_keys.find(key);
    return found == given_keys.end() ? position : found->second;
  }
};

// Reads [figure]. `root` is the whole scene, whose keys the title may name.
FigureOptions read_figure(Table figure, const Table& root);

}  // namespace simreel
