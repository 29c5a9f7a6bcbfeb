#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "base/suggest.h"
#include "scene/light.h"
#include "scene/node.h"
#include "scene/parse.h"
#include "scene/scene.h"

namespace simreel {
namespace {

using Node = Table::Node;

constexpr std::string_view minimal_scene = "a minimal scene is\n\n[solver]\nkind = \"wave\"\ngrid = [512, 512]\n";

const Node* find(const Node& root, std::string_view table, std::string_view key) {
  const Node* below = root.find(table);
  return below == nullptr ? nullptr : below->find(key);
}

bool is_list(const Node& node) { return std::holds_alternative<Node::List>(node.value); }
bool is_text(const Node& node) { return std::holds_alternative<std::string>(node.value); }

std::string as_text(Color color) {
  const std::string rgb = fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b);
  return color.a == 255 ? rgb : fmt::format("{}{:02x}", rgb, color.a);
}

Color to_color(const Table& table, std::string_view key, const std::string& text) {
  const auto color = parse_color(text);
  if (!color) {
    table.fail(key, fmt::format("\"{}\" is {}, which is no colour; write \"#rrggbb\" or \"#rrggbbaa\"", key,
                                quote(shorten(text, 60))));
  }
  return *color;
}

void read_color(Table& table, std::string_view key, Color& color, std::string_view meaning) {
  std::string text = as_text(color);
  table.read(key, text, meaning);
  color = to_color(table, key, text);
}

void read_color(Table& table, std::string_view key, std::optional<Color>& color, std::string_view meaning) {
  std::string text;
  table.read(key, text, meaning);
  if (table.has(key)) color = to_color(table, key, text);
}

void read_optional(Table& table, std::string_view key, std::optional<std::string>& value, std::string_view meaning) {
  std::string text;
  table.read(key, text, meaning);
  if (!table.has(key)) return;
  if (text.empty()) table.fail(key, fmt::format("\"{}\" is empty; leave the key out for the default", key));
  value = text;
}

bool names_a_file(std::string_view colormap) {
  return colormap.ends_with(".csv") || colormap.ends_with(".csv_r") || colormap.find('/') != std::string_view::npos;
}

void read_range(Table& view, const Node* found, ViewOptions& options) {
  constexpr std::string_view meaning = "values at the colormap's ends: [low, high], \"first\" or \"global\"";
  if (found != nullptr && is_list(*found)) {
    std::array<double, 2> range{};
    view.read("range", range, meaning);
    if (!(range[0] < range[1])) {
      view.fail("range",
                fmt::format("\"range\" in [view] is [{}, {}]; low must be less than high", range[0], range[1]));
    }
    options.range = RangeMode::fixed;
    options.low = range[0];
    options.high = range[1];
    return;
  }
  if (found != nullptr && !is_text(*found)) {
    view.fail("range", fmt::format("\"range\" in [view] must be [low, high], \"first\" or \"global\", but is {}",
                                   describe(*found)));
  }
  constexpr std::array<std::string_view, 2> modes = {"first", "global"};
  int mode = options.range == RangeMode::first ? 0 : 1;
  view.choose("range", mode, modes, meaning);
  options.range = mode == 0 ? RangeMode::first : RangeMode::global;
}

ViewOptions read_view(Table view, const Node* range, const Node* exposure, const Scene& scene) {
  ViewOptions options;
  view.read("field", options.field, "what of the state is drawn; empty: the solver's first field");
  options.field_position = view.position("field");
  options.colormap_position = view.position("colormap");
  options.range_position = view.position("range");
  view.read("colormap", options.colormap, "a name, or a path to a CSV; the suffix _r reverses it");
  if (options.colormap.empty()) view.fail("colormap", "\"colormap\" in [view] is empty; the default is \"viridis\"");
  if (names_a_file(options.colormap)) options.colormap = scene.resolve(options.colormap).string();
  options.range_given = range != nullptr;
  read_range(view, range, options);
  constexpr std::array<std::string_view, 5> scales = {"linear", "log", "symlog", "sqrt", "asinh"};
  view.choose("scale", options.scale, scales, "how values map to colours");
  options.scale_given = view.has("scale");
  if (options.scale == Scale::log && options.range == RangeMode::fixed && options.low <= 0) {
    view.fail("range", fmt::format("\"range\" in [view] starts at {}, but a log scale needs it to start above 0; "
                                   "scale = \"symlog\" takes any range",
                                   options.low));
  }
  view.read("linear_width", options.linear_width,
            "symlog and asinh: where linear turns logarithmic; 0: a hundredth of the range", Range::at_least(0));
  std::array<int, 2> size = {options.size.width, options.size.height};
  view.read("size", size, "width and height of the output, pixels", Range::between(16, 16384));
  options.size = {size[0], size[1]};
  read_color(view, "background", options.background, "where nothing is drawn");
  read_color(view, "nan", options.nan, "colour of values that are not a number");
  read_color(view, "obstacle", options.obstacle, "colour of solid cells");
  read_color(view, "under", options.under, "colour below the range; unset: the colormap's first");
  read_color(view, "over", options.over, "colour above the range; unset: the colormap's last");
  for (const char* key : {"nan", "obstacle", "under", "over"})
    if (view.has(key)) options.field_keys.push_back({key, view.position(key)});
  read_light(view, exposure, options);
  return options;
}

void read_pose(Table& table, CameraPose& pose) {
  table.read("position", pose.position, "where the camera is, world units");
  table.read("target", pose.target, "the point it looks at, world units");
  table.read("up", pose.up, "the direction that points up in the picture");
  table.read("fov", pose.fov, "vertical angle of view, degrees; perspective", Range::inside(0, 180));
  table.read("extent", pose.extent, "half height of the view, world units; orthographic", Range::above(0));
  table.read("orbit", pose.orbit, "degrees turned around `up` over the whole animation");
  if (pose.position == pose.target) {
    table.fail(table.has("position") ? "position" : "target", "the camera's position and target are the same point");
  }
  if (pose.up == std::array<double, 3>{}) table.fail("up", "the camera's up direction is [0, 0, 0]");
  if (looks_along_up(pose)) {
    const std::string_view key = table.has("up") ? "up" : table.has("position") ? "position" : "target";
    table.fail(key,
               "the camera looks along its own up direction, so no side of the picture is up; turn up, say to "
               "[0, 0, 1], or move position");
  }
}

CameraOptions read_camera(Table camera) {
  CameraOptions options;
  options.position = camera.position("");
  constexpr std::array<std::string_view, 2> projections = {"perspective", "orthographic"};
  const auto name = [&](Projection projection) { return projections[static_cast<std::size_t>(projection)]; };
  camera.choose("projection", options.projection, projections, "how space becomes the picture");
  read_pose(camera, options.pose);
  CameraPose pose = options.pose;
  for (Table& table : camera.tables("key", "a pose at a time; what it leaves out stays as it was")) {
    CameraKey key;
    table.read("time", key.time, "seconds of video", Range::at_least(0));
    if (!options.keys.empty() && !(key.time > options.keys.back().time)) {
      table.fail("time",
                 fmt::format("\"time\" in [[camera.key]] is {}; it must be greater than {}, that of the key before",
                             key.time, options.keys.back().time));
    }
    Projection projection = options.projection;
    table.choose("projection", projection, projections, "that of the camera");
    if (projection != options.projection)
      table.fail("projection", fmt::format("a camera keeps its projection: here it is \"{}\", but in [camera] \"{}\"; "
                                           "leave it out here, or change it there",
                                           name(projection), name(options.projection)));
    read_pose(table, pose);
    key.pose = pose;
    options.keys.push_back(key);
  }
  return options;
}

// Containers count time in small integers: Matroska in milliseconds, libav in products of 32 bits.
constexpr int most_fps_part = 1'000'000;
constexpr int most_fps = 1000;
constexpr double least_fps = 0.01;

AnimationOptions read_animation(Table animation, const Node* fps) {
  AnimationOptions options;
  constexpr std::string_view meaning = "frames per second of video, a whole number or [numerator, denominator]";
  if (fps != nullptr && is_list(*fps)) {
    std::array<int, 2> fraction{};
    animation.read("fps", fraction, meaning, Range::between(1, most_fps_part));
    options.fps_numerator = fraction[0];
    options.fps_denominator = fraction[1];
    if (!(options.fps() >= least_fps && options.fps() <= most_fps)) {
      animation.fail("fps",
                     fmt::format("\"fps\" in [animation] is [{}, {}], {:.6g} a second; it must be between {} and {}",
                                 fraction[0], fraction[1], options.fps(), least_fps, most_fps));
    }
  } else if (fps == nullptr || std::holds_alternative<std::int64_t>(fps->value)) {
    animation.read("fps", options.fps_numerator, meaning, Range::between(1, most_fps));
  } else {
    animation.fail("fps", fmt::format("\"fps\" in [animation] must be a whole number or [numerator, denominator], "
                                      "[30000, 1001] for 29.97, but is {}",
                                      describe(*fps)));
  }
  animation.read("frames", options.frames, "number of frames", Range::at_least(1));
  animation.read("steps_per_frame", options.steps_per_frame, "simulation steps from one frame to the next",
                 Range::at_least(1));
  animation.read("start", options.start, "the step that the first frame shows", Range::at_least(0));
  constexpr double most_steps = 0x1p62;  // so that no step counter can overflow
  if (double(options.frames) * double(options.steps_per_frame) + double(options.start) > most_steps) {
    animation.fail("frames", "start + frames * steps_per_frame is more steps than can be counted (2^62)");
  }
  return options;
}

std::filesystem::path output_path(Table& output, const Scene& scene) {
  std::string path;
  output.read("path", path, "where the video goes when -o says nothing");
  if (!output.has("path")) return {};
  if (path.empty()) output.fail("path", "\"path\" in [output] is empty; leave the key out for the default");
  return path == "-" || path == "null:" ? std::filesystem::path(path) : scene.resolve(path);
}

OutputOptions read_output(Table output, const Scene& scene) {
  OutputOptions options;
  options.position = output.position("");
  options.path_position = output.position("path");
  options.path = output_path(output, scene);
  read_optional(output, "codec", options.codec, "video codec; unset: the container's own default");
  if (options.codec) options.codec_position = output.position("codec");
  double quality = 0;
  output.read("quality", quality, "the codec's CRF-like scale; unset: the codec's default");
  if (output.has("quality")) options.quality = quality;
  read_optional(output, "preset", options.preset, "the encoder's own preset names");
  constexpr std::array<std::string_view, 7> formats = {"yuv420p",   "yuv444p", "yuv420p10", "yuv422p10",
                                                       "yuv444p10", "rgb",     "rgba"};
  int format = 0;
  output.choose("pixel_format", format, formats, "how pixels are stored; unset: the container's own default");
  if (output.has("pixel_format")) options.pixel_format = formats[static_cast<std::size_t>(format)];
  double segment = 2;
  output.read("segment", segment,
              "seconds of video that are encoded by themselves: what a crash can cost, and where a run can be resumed",
              Range::between(0.05, 60));
  if (output.has("segment")) options.segment = segment;
  output.read("depth", options.depth, "bits a channel of a PNG: 8 or 16");
  if (options.depth != 8 && options.depth != 16)
    output.fail("depth", fmt::format("\"depth\" in [output] is {}; a PNG has 8 or 16 bits a channel", options.depth));
  for (auto& [key, value] : output.table("options", "private options of the encoder, passed as they are").entries()) {
    options.options[key] = value;
  }
  return options;
}

void read_optional(Table& table, std::string_view key, std::optional<double>& value, std::string_view meaning,
                   Range range) {
  double number = range.high < std::numeric_limits<double>::max() ? range.high : 0;
  table.read(key, number, meaning, range);
  if (table.has(key)) value = number;
}

GoldenOptions read_golden(Table golden, const AnimationOptions& animation) {
  GoldenOptions options;
  options.frames = {animation.frames - 1};
  options.frames_position = golden.position("frames");
  golden.read("frames", options.frames, "frames that are kept as pictures; default: the last one", Range::at_least(0));
  if (options.frames.empty()) {
    golden.fail("frames", "\"frames\" in [golden] is empty; leave the key out for the last frame");
  }
  std::ranges::sort(options.frames);
  const auto twice = std::ranges::adjacent_find(options.frames);
  if (twice != options.frames.end()) {
    golden.fail("frames", fmt::format("\"frames\" in [golden] names frame {} twice", *twice));
  }
  golden.read("max_diff", options.max_diff, "greatest difference of a channel that passes", Range::between(0, 255));
  golden.read("max_pixels", options.max_pixels, "share of the pixels that may differ by more", Range::between(0, 1));
  read_optional(golden, "min_psnr", options.min_psnr, "least PSNR, dB; unset: not asked", Range::at_least(0));
  read_optional(golden, "min_ssim", options.min_ssim, "least SSIM; unset: not asked", Range::between(-1, 1));
  read_optional(golden, "max_flip", options.max_flip, "greatest mean FLIP; unset: not asked", Range::between(0, 1));
  return options;
}

void read_solver(Table& root, Node& node, Scene& scene) {
  if (!root.has("solver")) {
    const std::string_view near = node.misspelling_of("solver");
    root.fail("solver", near.empty()
                            ? fmt::format("the table [solver] is missing; {}", minimal_scene)
                            : fmt::format("the table [solver] is missing; is [{}] a misspelling of it?", near));
  }
  scene.solver = root.table("solver", "what is simulated; the other keys depend on `kind`");
  node.find("solver")->separate = true;
  scene.solver.require("kind", "kind = \"wave\"");
  scene.solver.read("kind", scene.solver_kind, "the solver");
}

std::string read_file(const std::filesystem::path& file) {
  const auto fail = [&](int error) {
    throw UsageError(fmt::format("{}: cannot read the scene: {}", file.string(), std::strerror(error)));
  };
  std::FILE* stream = std::fopen(file.c_str(), "rb");
  if (stream == nullptr) fail(errno);
  std::string text(scene_size_limit + 1, '\0');
  errno = 0;
  text.resize(std::fread(text.data(), 1, text.size(), stream));
  const int error = std::ferror(stream) != 0 ? errno : 0;
  std::fclose(stream);
  if (error != 0) fail(error);
  if (text.size() > scene_size_limit) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(file, unknown);
    throw UsageError(fmt::format("{}: the scene has {} bytes, the limit is {} (64 KiB)", file.string(),
                                 unknown ? fmt::format("more than {}", scene_size_limit) : fmt::format("{}", size),
                                 scene_size_limit));
  }
  return text;
}

}  // namespace

bool looks_along_up(const CameraPose& pose) {
  std::array<double, 3> view{}, side{};
  for (std::size_t i = 0; i < 3; ++i) view[i] = pose.target[i] - pose.position[i];
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    side[i] = view[j] * pose.up[k] - view[k] * pose.up[j];
  }
  const auto length = [](const std::array<double, 3>& v) { return std::hypot(v[0], v[1], v[2]); };
  return !(length(side) > 1e-6 * length(view) * length(pose.up));
}

std::filesystem::path Scene::resolve(const std::string& path) const {
  // operator/ returns an absolute right side unchanged.
  return file.parent_path() / path;
}

Scene load_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return parse_scene(read_file(file), file, overrides);
}

Scene parse_scene(const std::string& text, const std::filesystem::path& name,
                  const std::vector<std::string>& overrides) {
  Scene scene;
  scene.file = name;
  scene.text = text;
  scene.overrides = overrides;
  const std::shared_ptr<Node> node = parse_toml(text, name.string());
  const bool only_space = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF") == std::string::npos;
  if (only_space) throw UsageError(fmt::format("{}: the scene is empty; {}", name.string(), minimal_scene));
  for (const std::string& argument : overrides) lay_override(*node, argument);

  Table root(node);
  root.read("title", scene.title, "free text; shown in figures, stored in outputs");
  std::int64_t seed = static_cast<std::int64_t>(scene.seed);
  root.read("seed", seed, "feeds every random choice", Range::at_least(0));
  scene.seed = static_cast<std::uint64_t>(seed);
  read_solver(root, *node, scene);
  scene.view = read_view(root.table("view", "what of the state is drawn, and how"), find(*node, "view", "range"),
                         find(*node, "view", "exposure"), scene);
  scene.camera = read_camera(root.table("camera", "particles: where from"));
  scene.animation = read_animation(root.table("animation", "frames and their times"), find(*node, "animation", "fps"));
  scene.output = read_output(root.table("output", "defaults for what -o does not say"), scene);
  scene.golden =
      read_golden(root.table("golden", "what `simreel golden` keeps and what it lets pass"), scene.animation);
  root.finish();
  return scene;
}

std::optional<Color> parse_color(const std::string& text) {
  if ((text.size() != 7 && text.size() != 9) || text[0] != '#') return {};
  std::array<std::uint8_t, 4> channels = {0, 0, 0, 255};
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    int digit = 0;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      digit = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = c - 'A' + 10;
    } else {
      return {};
    }
    std::uint8_t& channel = channels[(i - 1) / 2];
    channel = static_cast<std::uint8_t>(i % 2 == 1 ? digit << 4 : channel | digit);
  }
  return Color{channels[0], channels[1], channels[2], channels[3]};
}

}  // namespace simreel
