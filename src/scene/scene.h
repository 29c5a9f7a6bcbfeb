#pragma once
// A scene as plain data: the keys of a scene file, read and checked. Names, units and defaults are those of the scene
// file. Solvers read their own keys from `solver`.

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/pixels.h"
#include "scene/figure.h"
#include "scene/overlay.h"
#include "scene/table.h"

namespace simreel {

// How much of what a scene says of a whole grid is looked at before a run: all of it, or by `check` as much as takes a
// second or two.

class Effort {
 public:
  Effort() = default;  // all
  // So many operations on values in all, and so many bytes at a time.
  Effort(double operations, double bytes) : left_(operations), bytes_(bytes) {}

  // The part, up to 1, that is to be done of work of so many operations, which counts as done.
  double share(double operations) {
    if (operations <= left_) {
      left_ -= operations;
      return 1;
    }
    whole_ = false;
    return (left_ *= 0.75) / 3 / operations;
  }
  // Whether work is to be done that is done as a whole or not at all.
  bool bears(double operations, double bytes) {
    if (!whole_ || operations > left_ || bytes > bytes_) return false;
    left_ -= operations;
    return true;
  }

 private:
  double left_ = std::numeric_limits<double>::infinity(), bytes_ = left_;
  bool whole_ = true;  // all that was asked for was done
};

// How the ends of the colormap are determined: by the scene, from the first frame, from all frames, from all but odd
// ones, from all frames as [-m, m], or from each frame.
enum class RangeMode { fixed, first, global, robust, symmetric, follow };
inline constexpr std::array<std::string_view, 5> range_mode_names = {"first", "global", "robust", "symmetric",
                                                                     "follow"};  // after fixed
// What [view] range may be: diverging is global with a centre.
inline constexpr std::array<std::string_view, 6> range_names = {"first",     "global", "robust",
                                                                "symmetric", "follow", "diverging"};
inline bool comes_from_all_frames(RangeMode mode) {
  return mode == RangeMode::global || mode == RangeMode::robust || mode == RangeMode::symmetric;
}
enum class Scale { linear, log, symlog, sqrt, asinh };
inline constexpr std::array<std::string_view, 5> scale_names = {"linear", "log", "symlog", "sqrt", "asinh"};

// How bodies are drawn as light: the keys of [view] for bodies.
struct LightOptions {
  enum class Splat { pixel, bilinear, gaussian } splat = Splat::gaussian;
  static constexpr std::array<std::string_view, 3> splat_names = {"pixel", "bilinear", "gaussian"};
  double radius = 1.5;  // of a gaussian, > 0
  enum class RadiusUnit { pixels, world, points } radius_unit = RadiusUnit::pixels;
  enum class Size { one, mass } radius_by = Size::one;
  enum class Weight { mass, one } weight = Weight::mass;
  std::optional<Scale> tone;  // from light to brightness, not symlog; unset: for the density ViewOptions::scale if the
                              // scene gives one, otherwise asinh
  std::optional<double> exposure;  // 1: white is the light of all bodies spread evenly over the picture;
                                   // unset: the first frame decides, or each where it follows
  bool follows = false;
  double contrast = 100;  // asinh and log: white is this many times the light at which linear turns logarithmic
  double trails = 0;      // seconds of video for which the path of a body is visible, >= 0
  Position tone_position, exposure_position, trails_position;
};

// How particles that a flow carries are drawn: [view.particles].
struct ParticleLook {
  bool drawn = false;         // there are some
  double radius = 2;          // pixels, > 0
  double trail = 0.5;         // seconds of video, >= 0
  double opacity = 0.9;       // 0 to 1
  std::vector<Color> colors;  // of the sets, in turn; at least one
  Position position;          // of the table, for messages
  bool given = false, given_radius = false, given_colors = false;
};

// A key of a table, its position in the scene, and whether its value is the default.
struct GivenKey {
  std::string key;
  Position position;
  bool is_default = false;
};

// A whole number that means something.
struct ValueClass {
  int value = 0;
  std::string name;
  std::optional<Color> color;  // unset: of the colour map
};

enum class Interpolation { linear, nearest };  // of values between the centres of cells
inline constexpr std::array<std::string_view, 2> interpolation_names = {"linear", "nearest"};

// What of a field is seen at a time: `crop` as that of [view], or a width about a centre in the same units.
struct ViewKey {
  double time = 0;  // seconds of video, >= 0, increasing
  std::optional<std::array<double, 4>> crop;
  std::optional<std::array<double, 2>> center;
  double width = 0;     // > 0; of `center`
  Position position{};  // of `time`, for messages
};

struct ViewOptions {
  std::string field;                    // empty: the solver's first field
  std::vector<std::string> hue;         // the parts of a vector whose angle gives the hue, `field` the brightness
  std::string colormap = "viridis";     // a name, or a path to a CSV (already resolved against the scene's folder)
  RangeMode range = RangeMode::global;  // how low and high are determined
  double low = 0, high = 1;             // for a `fixed` range; low < high, finite
  bool follows_evenly = false;          // of `follow`: as [-m, m]
  bool range_given = false;             // otherwise `range` is the default of fields
  Scale scale = Scale::linear;
  bool scale_given = false;
  std::optional<double> center;     // the value of the map's middle
  int level_count = 0;              // bands of one colour between the ends of the range; 0: a smooth map
  std::vector<double> levels;       // where bands begin and end, rising; empty: evenly
  std::vector<ValueClass> classes;  // by rising value; values of no class have the colour nan
  Interpolation interpolation = Interpolation::linear;
  enum class Fit { contain, cover, stretch };
  static constexpr std::array<std::string_view, 3> fit_names = {"contain", "cover", "stretch"};
  std::optional<Fit> fit;                     // of a field in the picture; unset: as [figure] aspect says
  std::optional<std::array<double, 4>> crop;  // left, bottom, right, top in the units of the axes; unset: all is seen
  std::vector<ViewKey> keys;
  bool layers = false;                       // whether the layers of a field are seen that only let waves out
  std::vector<std::array<double, 2>> alpha;  // values, rising, and how opaque their colours are, 0 to 1; empty: opaque
  double linear_width = 0;   // symlog and asinh: where linear turns logarithmic; 0: a hundredth of the range
  Size size = {1920, 1080};  // each side 16 to 16384
  Color background = {0, 0, 0, 255};
  bool bars_of_zero = false;         // at the sides of a field: the map's colour of 0 where the range has both signs
  Color nan = {255, 0, 255, 255};    // cells that are not a number
  std::optional<Color> obstacle;     // solid cells; unset: a grey that stands out from the map
  std::optional<Color> under, over;  // outside the range; unset: the colormap's ends
  LightOptions light;
  ParticleLook particles;
  Position field_position, hue_position, colormap_position, range_position,
      crop_position;  // for messages of the code that checks these keys
  bool has_bands() const { return level_count > 0 || !levels.empty() || !classes.empty(); }
  // Shows values as classes: sets what follows from that. Gives why it cannot; empty if it can.
  std::string show_classes(std::vector<ValueClass>);
  std::vector<GivenKey> field_keys, light_keys;  // given keys that are for fields only, or for bodies only
};

// One camera pose. A member that a key frame leaves out keeps the value of the previous pose.
struct CameraPose {
  std::array<double, 3> position = {0, 0, 5};
  std::array<double, 3> target = {0, 0, 0};
  std::array<double, 3> up = {0, 1, 0};
  double fov = 45;    // vertical, degrees, in (0, 180); perspective
  double extent = 2;  // half height in world units, > 0; orthographic
  double orbit = 0;   // degrees turned around `up` over the whole animation
};
// Whether `up` and the view direction are parallel to within a millionth of a radian; then no side of the picture is
// up.
bool looks_along_up(const CameraPose&);
enum class Projection { perspective, orthographic };
struct CameraKey {
  double time = 0;  // seconds of video, >= 0, increasing
  CameraPose pose;
  Position position{};  // of `time`, for messages
};
// Some of the bodies.
struct BodyChoice {
  enum class Of { all, group, body } of = Of::all;
  int number = 0;  // of the group or the body, from 0
};
struct CameraOptions {
  Projection projection = Projection::perspective;
  CameraPose pose;  // measured from what the camera follows
  std::vector<CameraKey> keys;
  // Moves the camera along the direction of its view and sideways, so that it holds these bodies: `first` of the first
  // frame, otherwise of all frames.
  struct Fit {
    BodyChoice bodies;
    bool first = false;
  };
  std::optional<Fit> fit;
  std::optional<BodyChoice> follow;  // their centre of mass
  Position fit_position, follow_position;
  bool fits_all_frames() const { return fit && !fit->first; }
  Position position;   // of [camera], for messages
  bool given = false;  // whether the scene has [camera]
};

struct AnimationOptions {
  // Frames per second of video: 0.01 to 1000, both parts 1 to 1'000'000.
  int fps_numerator = 60, fps_denominator = 1;
  std::int64_t frames = 600;         // >= 1
  std::int64_t steps_per_frame = 4;  // >= 1; the solver's own without the key
  std::int64_t start = 0;            // the step that the first frame shows; >= 0
  // By how much steps_per_frame is multiplied at a time, in seconds of video: linear between, constant before the first
  // and past the last; not all 0. Empty: by 1.
  std::vector<std::array<double, 2>> speed;
  // Of these frames, those that outputs get, in [0, frames); with no `last` up to the end.
  std::int64_t first = 0;
  std::optional<std::int64_t> last;
  // How the video ends where it began: after its last frame back to the first, or with its last pictures blended into
  // its first ones.
  enum class Loop { none, pingpong, crossfade };
  Loop loop = Loop::none;
  double loop_fade = 0.5;                     // seconds that a crossfade takes; 0.001 to 3600
  double hold_last = 0;                       // seconds for which the last picture stays after them; >= 0
  double fade_in = 0, fade_out = 0;           // seconds of that video, from the background and into it; >= 0
  std::map<std::string, Position> positions;  // of the keys below `start`

  double fps() const { return static_cast<double>(fps_numerator) / fps_denominator; }
  std::int64_t frames_in(double seconds) const { return std::llround(seconds * fps()); }
  std::int64_t step_at(std::int64_t frame) const;
  std::int64_t last_step() const { return step_at(frames - 1); }  // the last frame shows it
  // Of the way from the first to the last of several frames, 0 to 1.
  double share_at(std::int64_t frame) const;
  std::int64_t end() const { return last ? *last + 1 : frames; }  // past the last frame that outputs get
  std::int64_t held() const { return frames_in(hold_last); }
  // Frames at both ends that a crossfade shows as one, and pictures of a pingpong that come after the last frame.
  std::int64_t overlap() const { return loop == Loop::crossfade ? frames_in(loop_fade) : 0; }
  std::int64_t back() const { return loop == Loop::pingpong ? end() - first - 2 : 0; }
  std::int64_t pictures() const { return end() - first - overlap() + back() + held(); }  // of the video
  // How much of a picture is seen before the background, in parts of fade_whole.
  static constexpr int fade_whole = 1 << 16;
  int fade_at(std::int64_t picture, std::int64_t pictures) const;
  bool fades() const { return fade_in > 0 || fade_out > 0; }
};

// Defaults for what `-o` leaves open; unset means the default of the container (sink/outputs.cpp).
struct OutputOptions {
  // Resolved against the scene's folder, except "-" and "null:"; empty: the name depends on the codec (run/plan.h:
  // default_output).
  std::filesystem::path path;
  std::optional<std::string> codec;            // h264 | h265 | av1 | vp9 | ffv1 | prores | ...
  std::optional<double> quality;               // the codec's CRF-like scale
  std::optional<std::string> preset;           // the encoder's own preset names
  std::optional<std::string> pixel_format;     // yuv420p | yuv444p | yuv420p10 | yuv422p10 | yuv444p10 | rgb | rgba
  std::optional<double> segment;               // seconds of video per segment
  int depth = 8;                               // bits per channel of a PNG, 8 or 16
  std::vector<std::string> fields;             // in files of the state, each once; empty: the one that [view] shows
  std::map<std::string, std::string> options;  // [output.options]: private options of the encoder, passed unchanged
  Position position;                           // of [output], or of the start of the scene, for messages
  std::map<std::string, Position> given;       // the keys that the scene gives: "preset", "options.tune"

  // The position of a key, or of [output] if the scene does not give the key.
  const Position& position_of(const std::string& key) const {
    const auto found = given.find(key);
    return found == given.end() ? position : found->second;
  }
};

// What `simreel golden` stores of a scene, and the tolerances against the accepted pictures. With the default
// tolerances nothing may differ, and the hash of each frame is compared; otherwise only the stills are.
struct GoldenOptions {
  std::vector<std::int64_t> frames;  // stored as pictures; increasing, at least one; default: the last frame
  int max_diff = 0;                  // largest difference of a channel, 0 to 255
  double max_pixels = 0;             // share of the pixels that may differ by more, 0 to 1
  std::optional<double> min_psnr;    // decibels
  std::optional<double> min_ssim;    // up to 1
  std::optional<double> max_flip;    // mean FLIP error, 0 to 1
  // Boxes that are not compared: from pixel x0, y0, counted from the upper left, up to x1, y1, which are outside.
  std::vector<std::array<int, 4>> ignore;
  // Columns of the diagnostics, each with the share of its greatest magnitude that it may differ by.
  std::vector<std::pair<std::string, double>> csv;
  // For errors that only a run can find.
  Position frames_position, ignore_position, csv_position;

  // Whether the frames must have the accepted bits.
  bool exact() const {
    return max_diff == 0 && max_pixels == 0 && !min_psnr && !min_ssim && !max_flip && ignore.empty();
  }
};

// Scene::file of a scene that came from a stream: "-", or a name below /dev or /proc, as /dev/stdin and what a shell
// makes of <(command). Its paths are relative to the working directory.
inline constexpr std::string_view stream_name = "<stdin>";

struct Scene {
  std::filesystem::path file;          // empty: of parse_view
  std::string text;                    // the file as read
  std::vector<std::string> overrides;  // the --set arguments, in order
  std::string title;
  std::uint64_t seed = 1;
  std::string solver_kind;  // empty: of parse_view
  Table solver;             // the solver that reads it checks for unread keys, with Table::finish
  ViewOptions view;
  CameraOptions camera;
  AnimationOptions animation;
  OutputOptions output;
  GoldenOptions golden;
  FigureOptions figure;
  std::vector<OverlayOptions> overlays;
  // The keys that the scene gives, of those whose default follows from the solver (complete_scene): "view.colormap".
  std::set<std::string, std::less<>> given;
  std::shared_ptr<Effort> effort = std::make_shared<Effort>();  // one for all copies
  std::shared_ptr<const void> found;  // by the solver's look, for its plan, where to find it takes long; or null

  bool gives(std::string_view key) const { return given.contains(key); }
  std::string before() const { return file.empty() ? "" : file.string() + ": "; }  // to begin a message
  // On paper a radius without a unit is in points.
  void measure_radius_in_points() {
    if (gives("view.radius") && !gives("view.radius_unit")) view.light.radius_unit = LightOptions::RadiusUnit::points;
  }

  // Resolves a path in the scene or in --set: relative paths start at the folder of the scene file.
  std::filesystem::path resolve(const std::string& path) const;
};

// Reads every key of the scene's [solver] table, and looks for mistakes there and in what depends on the solver. Throws
// UsageError. source/solver.h has it.
using SolverCheck = void (*)(const Scene&);

// Of a scene or a figure that another file names: other errors quote its text, and this one, a UsageError for a file
// that is neither, does not.
void expect_scene(const std::filesystem::path& file);

// Reads and checks `file` (TOML, UTF-8, at most 64 KiB), with `overrides` of the form "table.key=value" applied to it.
// A value that is not TOML counts as a string, so `--set view.colormap=magma` needs no quotes.
// Throws UsageError, starting with the place: unreadable, too large, not TOML; SceneMistakes (mistakes.h) for all
// unknown keys, wrong types and ranges. The [solver] table is passed on unread, because its keys belong to the solver,
// and so do the defaults of how it is shown: complete_scene (source/solver.h) fills them in. With a `check` the
// mistakes of that table are found together with the others. A stream (stream_name) is read to its end by each call.
Scene load_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides = {},
                 SolverCheck check = nullptr);

// The same for text that is not in a file; `name` appears in messages, relative paths start at its folder.
Scene parse_scene(const std::string& text, const std::filesystem::path& name,
                  const std::vector<std::string>& overrides = {}, SolverCheck check = nullptr);

// The same for text without [solver], which says how frames are shown that come from elsewhere: a scene of no file and
// no solver. `source` begins the places in messages; empty: they name none.
Scene parse_view(const std::string& text, const std::string& source);

// The documentation of every table of a scene file; of [solver] only `kind`. The other keys of a solver are documented
// by its own reads (SolverKind::read).
std::vector<TableDoc> scene_tables();

// Parses "#rrggbb" or "#rrggbbaa"; nullopt for any other text.
std::optional<Color> parse_color(const std::string& text);
// Whether what is to be seen on this colour must be dark (Rec. 709 luma, without linearising).
inline bool is_light(Color color) { return 2126 * color.r + 7152 * color.g + 722 * color.b > 128 * 10000; }

}  // namespace simreel
