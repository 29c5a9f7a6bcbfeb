#pragma once
// The file of a figure with panels, for `simreel figure` -> plain structs.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scene/figure.h"
#include "scene/scene.h"

namespace simreel {

// [panel.plot]: columns of tables as lines and points.
struct PanelPlot {
  struct Line {
    std::string file;               // CSV
    std::string x, y, error;        // columns; no x: the first
    std::vector<std::string> band;  // columns of its ends; empty: none
    std::optional<std::string> label;
    bool right = false;     // along an axis of its own at the right
    int style = 0;          // of plot_style_names (plot/plot.h)
    std::string panel;      // its letter; empty: the first that moves
    std::size_t clock = 0;  // the number of the panel whose time the line follows where it grows
    Position position;      // of `panel`, or of the line
  };
  struct Slope {
    double power = 1;
    std::string label;
  };
  struct Second {  // an axis in another unit, on the other side
    double factor = 1;
    std::string label;
  };
  std::vector<Line> lines;
  std::vector<Slope> slopes, triangles;
  std::optional<Second> x2, y2;
  std::optional<std::array<double, 2>> xlim, ylim;  // ends of the axes
  std::optional<std::string> right_label;           // by default the column, where one line is at the right
  int legend_at = 0;                                // a LegendAt (plot/plot.h)
  int ratio = 0;                                    // a PlotRatio
  bool log_x = false, log_y = false;
  std::optional<std::string> xlabel, ylabel;  // by default the columns, where all lines have the same
  double aspect = 0.7;  // height by width between the axes, where no other panel of the row decides
  bool grow = false;    // in a video the lines reach up to the time that a panel shows
};

// [[panel]]: one of scene, data, image and plot is given.
struct PanelOptions {
  std::string scene, data, image;  // paths; a data file may name an array in it
  std::optional<PanelPlot> plot;
  std::vector<std::string> set;       // overrides of a scene, those for all panels first
  std::optional<double> time;         // simulated, in the unit that the scene's labels have
  std::string date;                   // instead of it
  std::optional<std::int64_t> frame;  // without either the last
  std::optional<std::string> title;
  std::array<int, 2> span = {1, 1};  // columns and rows
  std::string letter;                // empty: none
  bool runs() const { return !scene.empty() || !data.empty(); }
  bool moves() const { return runs() && !time && date.empty() && !frame; }  // in a video
  Position position, time_position;
  std::vector<Position> set_positions;  // of the keys that hold `set`
};

// [[part]]: a scene that follows another in a video.
struct PartOptions {
  std::string scene;                     // path
  std::vector<std::string> set;          // overrides, those for all parts first
  std::optional<double> duration;        // seconds of video, instead of its own
  double fade = 0.5;                     // seconds, from the part before; 0: none
  bool black = false;                    // the fade goes through black
  std::vector<OverlayOptions> captions;  // over those of the scene
  Position position;
};

// Of panel i, from 0: a, b, ..., z, aa, ab.
std::string letter_of(std::size_t i);

struct FigureFile {
  std::filesystem::path file;
  std::string text;  // the file as read
  std::vector<std::string> overrides;
  FigureOptions print;  // title, width, dpi and size of letters only
  int columns = 1;
  double gap = 0;                                                // between panels, mm
  enum class Labels { beside, inside } labels = Labels::beside;  // letter, title, time, scale bar and legend of a panel
  static constexpr std::array<std::string_view, 2> labels_names = {"beside", "inside"};
  bool share_range = false, share_colorbar = false, share_x = false, share_y = false;
  std::vector<PanelOptions> panels;
  std::vector<PartOptions> parts;        // instead
  std::vector<OverlayOptions> overlays;  // over the whole page; positions in mm from its lower left corner

  // Of a video.
  std::optional<Size> size;                            // pixels
  AnimationOptions animation;                          // fps, and the part that is written, only
  bool gives_fps = false;                              // or they are those of its first scene
  std::optional<std::int64_t> frames;                  // of the video; without it, those of its scenes
  std::optional<double> duration;                      // instead, in seconds
  enum class Step { frame, time } step = Step::frame;  // what the scenes have in common in each frame
  static constexpr std::array<std::string_view, 2> step_names = {"frame", "time"};
  OutputOptions output;
};

// Reads and checks `file` (TOML, at most 64 KiB). Throws UsageError, starting with the place; SceneMistakes for all
// unknown keys and wrong types. Paths in it start at its folder. `overrides`: "figure.size=[640, 360]", as for
// load_scene.
FigureFile load_figure_file(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
// The same for the text of one that is no file; its paths start at `folder`, and `source` begins the places in
// messages.
FigureFile parse_figure(const std::string& text, const std::filesystem::path& folder, const std::string& source);

// Whether a file is such a one, and not a scene; false where it cannot be read.
bool is_figure_file(const std::filesystem::path& file);

}  // namespace simreel
