#pragma once
// A scene as plain data: what scene-file keys become once they are read and checked. The names, units and defaults are
// those of the scene file (README.md, "The scene file"). Solvers read their own keys from `solver`.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/pixels.h"
#include "scene/table.h"

namespace simreel {

enum class RangeMode { fixed, first, global };
enum class Scale { linear, log, symlog, sqrt, asinh };

// How bodies become light; the keys of [view] that a field does not have.
struct LightOptions {
  enum class Splat { pixel, bilinear, gaussian } splat = Splat::bilinear;
  double radius = 1.5;  // of a gaussian, > 0
  enum class RadiusUnit { pixels, world } radius_unit = RadiusUnit::pixels;
  enum class Weight { mass, one } weight = Weight::mass;
  std::optional<Scale> tone;  // from light to brightness, not symlog; unset: ViewOptions::scale for the density where
                              // the scene gives one, otherwise asinh
  std::optional<double> exposure;  // 1: white is the light that all bodies have when spread evenly over the picture;
                                   // unset: the first frame decides
  double contrast = 100;           // asinh and log: white is this many times the light where linear turns logarithmic
  double trails = 0;               // seconds of video that a body's path is seen, >= 0
  Position tone_position, exposure_position, trails_position;
};

// A key of a table, and where the scene gives it.
struct GivenKey {
  std::string key;
  Position position;
};

struct ViewOptions {
  std::string field;                    // empty: the solver's first field
  std::string colormap = "viridis";     // a name, or a path to a CSV (already resolved against the scene's folder)
  RangeMode range = RangeMode::global;  // how low and high are found
  double low = 0, high = 1;             // used when range is `fixed`; low < high, finite
  bool range_given = false;             // otherwise `range` is only what a field takes by default
  Scale scale = Scale::linear;
  bool scale_given = false;
  double linear_width = 0;   // symlog and asinh: where linear turns logarithmic; 0: a hundredth of the range
  Size size = {1920, 1080};  // each side 16 to 16384
  Color background = {0, 0, 0, 255};
  Color nan = {255, 0, 255, 255};      // cells that are not a number
  Color obstacle = {64, 64, 64, 255};  // solid cells
  std::optional<Color> under, over;    // outside the range; unset: the colormap's ends
  LightOptions light;
  Position field_position, colormap_position, range_position;  // for messages of those who know what these keys may say
  std::vector<GivenKey> field_keys, light_keys;                // those given that only fields, or only bodies, have
};

// One camera pose; every member of a key frame that the scene leaves out keeps the value of the pose before it.
struct CameraPose {
  std::array<double, 3> position = {0, 0, 5};
  std::array<double, 3> target = {0, 0, 0};
  std::array<double, 3> up = {0, 1, 0};
  double fov = 45;    // vertical, degrees, in (0, 180); perspective
  double extent = 2;  // half height in world units, > 0; orthographic
  double orbit = 0;   // degrees turned around `up` over the whole animation
};
// Whether `up` and the view direction are parallel to within a millionth of a radian: no side of the picture is up
// then.
bool looks_along_up(const CameraPose&);
enum class Projection { perspective, orthographic };
struct CameraKey {
  double time = 0;  // seconds of video, >= 0, increasing
  CameraPose pose;
};
struct CameraOptions {
  Projection projection = Projection::perspective;
  CameraPose pose;
  std::vector<CameraKey> keys;
  Position position;  // of [camera], for messages
};

struct AnimationOptions {
  // Frames per second of video: 0.01 to 1000, both parts 1 to 1'000'000.
  int fps_numerator = 60, fps_denominator = 1;
  std::int64_t frames = 600;         // >= 1
  std::int64_t steps_per_frame = 4;  // >= 1
  std::int64_t start = 0;            // the step that the first frame shows; >= 0

  double fps() const { return double(fps_numerator) / fps_denominator; }
};

// Defaults for what `-o` leaves open; unset means the container's own default (sink/registry.cpp).
struct OutputOptions {
  // Resolved against the scene's folder, "-" and "null:" kept as they are; empty: the name depends on the codec
  // (run/loop.h: default_output).
  std::filesystem::path path;
  std::optional<std::string> codec;            // h264 | h265 | av1 | vp9 | ffv1 | prores | ...
  Position codec_position;                     // of the scene's line, or of --set
  std::optional<double> quality;               // the codec's CRF-like scale
  std::optional<std::string> preset;           // the encoder's own preset names
  std::optional<std::string> pixel_format;     // yuv420p | yuv444p | yuv420p10 | yuv422p10 | yuv444p10 | rgb | rgba
  std::optional<double> segment;               // seconds of video that an encoder works on by itself
  int depth = 8;                               // bits a channel of a PNG, 8 or 16
  std::map<std::string, std::string> options;  // [output.options]: private options of the encoder, passed as they are
  Position position;                           // of [output], or of the scene's start, for messages
  Position path_position;
};

// What `simreel golden` keeps of a scene, and how far a picture may be from the accepted one. With every tolerance as
// it is here nothing may differ: then the hash of each frame counts, otherwise only the stills do.
struct GoldenOptions {
  std::vector<std::int64_t> frames;  // kept as pictures; increasing, at least one; default: the last frame
  int max_diff = 0;                  // greatest difference of a channel, 0 to 255
  double max_pixels = 0;             // share of the pixels that may differ by more, 0 to 1
  std::optional<double> min_psnr;    // decibels
  std::optional<double> min_ssim;    // up to 1
  std::optional<double> max_flip;    // mean FLIP error, 0 to 1
  Position frames_position;          // for who finds that the animation has fewer frames (--set can shorten it)

  bool exact() const { return max_diff == 0 && max_pixels == 0 && !min_psnr && !min_ssim && !max_flip; }
};

struct Scene {
  std::filesystem::path file;
  std::string text;                    // the file as read
  std::vector<std::string> overrides;  // the --set arguments, in order
  std::string title;
  std::uint64_t seed = 1;
  std::string solver_kind;
  Table solver;  // its unread keys are checked by whoever reads it, with Table::finish
  ViewOptions view;
  CameraOptions camera;
  AnimationOptions animation;
  OutputOptions output;
  GoldenOptions golden;

  // A path that the scene names, as one to open: relative ones start at the folder of the scene file, --set ones too.
  std::filesystem::path resolve(const std::string& path) const;
};

// Reads and checks `file` (TOML, UTF-8, at most 64 KiB) with `overrides` of the form "table.key=value" laid over it.
// A value that is not TOML counts as a string, so `--set view.colormap=magma` needs no quotes.
// Throws UsageError, place first, for everything wrong: unreadable, too large, not TOML, unknown key, wrong type or
// range. The [solver] table is only taken along: its keys belong to the solver.
Scene load_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

// The same for text that is not in a file; `name` stands in messages, relative paths start at its folder.
Scene parse_scene(const std::string& text, const std::filesystem::path& name,
                  const std::vector<std::string>& overrides = {});

// "#rrggbb" or "#rrggbbaa"; nothing for any other text.
std::optional<Color> parse_color(const std::string& text);

}  // namespace simreel
