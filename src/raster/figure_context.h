#pragma once
// What a figure is made of besides [view]: the [figure] table, overlays, and the names that their texts may use.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/grid_axis.h"
#include "kernels/raster/canvas.h"
#include "scene/figure.h"
#include "scene/overlay.h"

namespace simreel {

// From `first` on `count` cells along x and y, counted in the source's grid.
struct FieldWindow {
  std::array<double, 2> first{}, count{};
};

// A window at a time.
struct FieldKey {
  double frame = 0;  // of the video
  FieldWindow window;
  bool is_width = false;  // `count` is the width only, and the height follows from the picture
};

struct FigureContext {
  FigureOptions options;
  std::string field, unit;               // what the colours show
  std::string hue;                       // what their hues show, an angle; empty: there are none
  std::array<double, 2> grid{};          // cells of a field that are seen; 0 for bodies
  std::vector<std::string> diagnostics;  // names
  bool has_vectors = false;              // whether the source has a vector of two fields
  bool endless = false;                  // how many frames come, and how wide their numbers will be, is not known
  bool inside = false;                   // of panels: title, time, scale bar and legend lie over the picture
  // Of panels, whose labels are on white paper: of plates and overlays over the picture. Unset: that of `options`.
  std::optional<FigureOptions::Theme> theme_over_picture = {};
  bool beside_panels = false;                          // a bar of several panels, over which its label must not hang
  GridAxes axes = {};                                  // of a field; unset: cells are counted
  std::vector<double> times = {};                      // simulated, of the frames; empty: their steps tell
  std::optional<std::array<double, 2>> expected = {};  // about the smallest and the largest value, where it is known
  std::array<double, 2> first = {};                    // cells of the source's grid to the left of `grid` and below it
  std::optional<std::array<double, 4>> line =
      {};                                     // of a profile: from and to, in cells of the source's grid; then
                                              // `grid` is a row of its values, and `within` has the cells next to it
  bool covers = false;                        // the picture is filled, and what of `grid` stands over is cut
  std::vector<FieldKey> keys = {};            // of a window that moves over `grid`, by time
  std::optional<Rectangle> within = {};       // the cells that may be seen; unset: all
  std::string vector_unit = {};               // of what arrows follow; empty where none is known
  std::string time_unit = {}, calendar = {};  // for dates: "hours since 1900-01-01", "noleap"; empty: there are none
  std::vector<OverlayOptions> overlays = {};  // their images read
  std::vector<std::string> remarks = {};      // on parts of the field that were moved into it
};

// What one frame writes: for its texts.
struct FrameFacts {
  std::int64_t frame = 0, step = 0;
  double time = 0;                      // simulated
  std::span<const double> diagnostics;  // of FigureContext::diagnostics; empty if no text names one
  std::int64_t held = 0;                // pictures for which the frame has stood; [[overlay]] goes on meanwhile
};

}  // namespace simreel
