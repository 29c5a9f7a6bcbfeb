#pragma once
// [[overlay]]: texts, pictures, arrows and boxes over the drawn picture.

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pixels.h"
#include "scene/table.h"

namespace simreel {

// Of a thing in the picture.
struct PictureLength {
  enum class Unit { share, pixels, points } unit = Unit::share;
  double value = 0;  // a share of the picture's height, pixels, or 1/72 inch

  double pixels(int height, int dpi) const {
    return unit == Unit::share ? value * height : unit == Unit::pixels ? value : value * dpi / 72;
  }
};

// The picture of a file, for all overlays that name it. Pixels are rows from the top.
struct OverlayImage {
  Size size;
  std::vector<Color> pixels;  // where they can be read again, none after a layout, which keeps `drawn`
  std::function<std::vector<Color>()> read = {};                                       // throws UsageError
  std::map<std::array<int, 2>, std::shared_ptr<const std::vector<Color>>> drawn = {};  // by width and height
};

struct OverlayOptions {
  enum class Kind { text, image, arrow, box } kind = Kind::text;
  static constexpr std::array<std::string_view, 2> shape_names = {"arrow", "box"};
  std::string text;                      // a template for TimeText; the keys of the scene are filled in
  std::filesystem::path image;           // resolved against the folder of the scene
  std::shared_ptr<OverlayImage> pixels;  // of `image`; run/plan.h reads them

  // A place in the picture or, with `position` or `follow`, next to that place.
  enum class At { upper_left, top, upper_right, left, center, right, lower_left, bottom, lower_right };
  static constexpr std::array<std::string_view, 9> at_names = {
      "upper left", "top", "upper right", "left", "center", "right", "lower left", "bottom", "lower right"};
  At at = At::upper_left;                             // center for an overlay with a position, right of a body
  std::optional<std::array<double, 2>> position, to;  // in the coordinates of the axes
  std::optional<std::size_t> follow;                  // a text or an image follows this body
  std::string follow_name;                            // its name, until complete_scene finds it
  PictureLength margin, font_size, line_width;
  std::optional<PictureLength> height;  // of an image; unset: its own pixels
  std::optional<Color> color;           // of letters and lines
  std::optional<Color> background;      // the plate of a text, the inside of a box
  double opacity = 1;                   // 0 to 1

  // Seconds of video.
  double from = 0;
  std::optional<double> until;
  double fade = 0;  // how long it takes to appear and to vanish

  Position place;                        // for messages
  std::map<std::string, Position> keys;  // that the scene gives
  const Position& position_of(const std::string& key) const {
    const auto found = keys.find(key);
    return found == keys.end() ? place : found->second;
  }

  // Whether the text changes from frame to frame.
  bool has_numbers() const;
  // 0 to 255.
  int opacity_at(std::int64_t frame, double fps) const;
  bool in_the_picture() const { return !position && !follow; }  // `at` is a place there
  int column() const { return static_cast<int>(at) % 3; }       // 0 left, 1 middle, 2 right
  int row() const { return static_cast<int>(at) / 3; }          // 0 top, 1 middle, 2 bottom
};

// Reads every [[overlay]] of `root`, whose keys texts may name. The video lasts so many seconds. `resolve` finds the
// path of an image.
std::vector<OverlayOptions> read_overlays(Table& root, double seconds,
                                          const std::function<std::string(const std::string&)>& resolve);

}  // namespace simreel
