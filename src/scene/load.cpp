#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "base/error.h"
#include "base/input_file.h"
#include "base/text.h"
#include "scene/figure.h"
#include "scene/figure_file.h"
#include "scene/node.h"
#include "scene/parse.h"
#include "scene/scene.h"
#include "scene/scene_text.h"
#include "scene/tables.h"

namespace simreel {
namespace {

constexpr std::string_view minimal_scene = "a minimal scene is\n\n[solver]\nkind = \"wave\"\ngrid = [512, 512]";

// Whether the scene says frames = "all". For a source that has an end the value is then taken out, as if nothing were
// said: complete_scene finds the number.
bool take_all_frames(Table::Node& root) {
  Table::Node* const animation = root.find("animation");
  Table::Node* const frames = animation == nullptr ? nullptr : animation->find("frames");
  const auto* const text = frames == nullptr ? nullptr : std::get_if<std::string>(&frames->value);
  if (text == nullptr || *text != "all") return false;
  frames->value = AnimationOptions().frames;
  return true;
}

GoldenOptions read_golden(Table golden, const AnimationOptions& animation) {
  GoldenOptions options;
  options.frames_position = golden.position("frames");
  std::optional<std::vector<std::int64_t>> frames;
  golden.read("frames", frames, {"frames kept as pictures, from 0; none twice", "the last one", "[0]"},
              Range::at_least(0));
  if (frames && frames->empty())
    golden.fail("frames", "\"frames\" in [golden] is empty; leave the key out for the last frame");
  options.frames = frames.value_or(std::vector{animation.frames - 1});
  std::ranges::sort(options.frames);
  const auto twice = std::ranges::adjacent_find(options.frames);
  if (twice != options.frames.end()) golden.fail("frames", "\"frames\" in [golden] names frame {} twice", *twice);
  golden.read("max_diff", options.max_diff, "greatest difference of a channel that passes, levels of 255",
              Range::between(0, 255));
  golden.read("max_pixels", options.max_pixels, "share of the pixels that may differ by more", Range::between(0, 1));
  golden.read("min_psnr", options.min_psnr, {"least PSNR, dB", "not checked", "40"}, Range::at_least(0));
  golden.read("min_ssim", options.min_ssim, {"least SSIM; 1: equal", "not checked", "0.98"}, Range::between(-1, 1));
  golden.read("max_flip", options.max_flip, {"greatest mean FLIP error; 0: equal", "not checked", "0.02"},
              Range::between(0, 1));
  golden.read(
      "ignore", options.ignore,
      {"boxes that are not compared: from pixel x0, y0, counted from the upper left, up to x1, y1, which are outside",
       "none", "[[0, 0, 80, 12]]"});
  for (const auto& [x0, y0, x1, y1] : options.ignore)
    if (x0 < 0 || y0 < 0 || x1 <= x0 || y1 <= y0)
      golden.fail("ignore",
                  "\"ignore\" in [golden] holds [{}, {}, {}, {}], which is not a box of pixels [x0, y0, x1, y1]", x0,
                  y0, x1, y1);
  golden.read("csv", options.csv,
              {"columns of a .csv to compare, and the share of its greatest magnitude that each may differ by", "none",
               "[[\"time\", 1e-6]]"});
  for (const auto& [column, tolerance] : options.csv)
    if (!(tolerance >= 0 && tolerance <= 1))
      golden.fail("csv", "\"csv\" in [golden] lets {} differ by {}; it must be between 0 and 1", quote(column),
                  tolerance);
  options.ignore_position = golden.position("ignore");
  options.csv_position = golden.position("csv");
  return options;
}

// Notes those of the keys that the table gives.
void note_given(Scene& scene, const std::string& path, const Table& table,
                std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (table.has(key)) scene.given.insert(path + "." + std::string(key));
}

// A label of the bar wants a bar; those of axes are keys without effect where no axis has numbers. They may stay where
// --set takes bar or axes away.
void complete_labels(FigureOptions& options, const Table& figure) {
  const auto taken_away = [&](const char* key) { return figure.has(key) && figure.position(key).line == 0; };
  const bool label = !options.label.value_or("").empty();
  if (label && !figure.has("colorbar")) options.colorbar = FigureOptions::Bar::right;
  if (label && options.colorbar == FigureOptions::Bar::none && !taken_away("colorbar"))
    figure.fail("label",
                "\"label\" in [figure] belongs to the colour bar, and colorbar is \"none\"; leave one of them out");
  for (const char* key : {"xlabel", "ylabel"})
    if (figure.has(key) && options.axes != FigureOptions::Axes::ticks && !taken_away("axes"))
      figure.fail(key, "\"{}\" in [figure] is for axes = \"ticks\"; set that, or leave the key out", key);
}

// [units] is part of [solver], which reads it.
void move_units(Table::Node& root) {
  auto* const tables = std::get_if<Table::Node::Members>(&root.value);
  Table::Node* const solver = root.find("solver");
  auto* const keys = solver ? std::get_if<Table::Node::Members>(&solver->value) : nullptr;
  if (!tables || !keys || solver->find("units")) return;
  const auto units = std::ranges::find(*tables, "units", &Table::Node::Members::value_type::first);
  if (units == tables->end()) return;
  keys->push_back(std::move(*units));
  tables->erase(units);
}

// What a text describes: a scene, or how frames are shown that no solver of it computes.
enum class Text { scene, view };

void read_tables(Table& root, Scene& scene, Text text = Text::scene, bool all_frames = false) {
  root.read("title", scene.title, "free text; stored in outputs");
  std::int64_t seed = static_cast<std::int64_t>(scene.seed);
  root.read("seed", seed, "starts the random numbers: the same seed gives the same run", Range::at_least(0));
  scene.seed = static_cast<std::uint64_t>(seed);
  const auto read_solver = [&] {
    scene.solver = root.separate_table("solver", "what is simulated; the other keys depend on `kind`", minimal_scene);
    scene.solver.require("kind", "kind = \"wave\"");
    scene.solver.read("kind", scene.solver_kind, "the solver");
  };
  if (text == Text::scene) root.section(read_solver);
  const auto table = [&](std::string_view key, std::string_view meaning, const auto& read) {
    Table found = root.table(key, meaning);
    std::optional<Scene> before;  // a second call of the section, after a mistake, is for the keys only
    int calls = 0;
    found.section([&] {
      if (++calls == 2) before = scene;
      read(found);
    });
    if (before) scene = *std::move(before);
  };
  table("view", "what of the state is drawn, and how", [&](Table& view) {
    scene.view = read_view(view, scene);
    note_given(scene, "view", view,
               {"field", "size", "colormap", "background", "nan", "radius", "radius_unit", "contrast", "weight",
                "trails", "exposure"});
  });
  table("camera", "bodies: where they are seen from", [&](Table& camera) {
    scene.camera = read_camera(camera);
    scene.camera.given = root.has("camera");
    note_given(scene, "camera", camera, {"position", "target", "up", "extent", "orbit", "key", "fit", "follow"});
  });
  bool ends_anywhere = false;  // so that what the scene has at a time may come after the end
  table("animation", "frames and their times", [&](Table& animation) {
    const bool ends = text == Text::view || scene.solver_kind == "data";
    const bool has_duration = animation.has("duration");
    const bool all = all_frames && !(has_duration && animation.position("duration").line == 0);
    scene.animation = read_animation(animation, ends, all);
    note_given(scene, "animation", animation, {"frames", "steps_per_frame"});
    if (has_duration) scene.given.insert("animation.frames");
    if (all) scene.given.erase("animation.frames");
    ends_anywhere |= ends && !scene.gives("animation.frames");
    for (const char* key : {"frames", "duration", "fps"})
      ends_anywhere |= animation.has(key) && animation.position(key).line == 0;
    if (ends_anywhere) return;
    for (const CameraKey& key : scene.camera.keys)
      refuse_after_the_end("camera.key", key.time, key.position, scene.animation, animation.has("duration"));
    for (const ViewKey& key : scene.view.keys)
      refuse_after_the_end("view.key", key.time, key.position, scene.animation, animation.has("duration"));
  });
  table("output", "how the outputs of a run are encoded, and where they go without -o",
        [&](Table& output) { scene.output = read_output(output, scene); });
  table("figure", "axes, colour bar, labels and time around the picture; without the table nothing is written",
        [&](Table& figure) {
          scene.figure = read_figure(figure, root);
          note_given(scene, "figure", figure, {"colorbar", "time", "title"});
          complete_labels(scene.figure, figure);
          if (figure.has("aspect") && scene.view.fit)
            figure.fail("aspect",
                        "\"aspect\" in [figure] and \"fit\" in [view] both say how the field fills the picture; leave "
                        "one of them out");
          if (scene.figure.width) scene.measure_radius_in_points();
        });
  const AnimationOptions& animation = scene.animation;
  const double seconds = static_cast<double>(animation.end() + animation.held()) / animation.fps();
  scene.overlays = read_overlays(root, ends_anywhere ? HUGE_VAL : seconds,
                                 [&](const std::string& path) { return scene.resolve(path).string(); });
  if (text == Text::view) return;
  table("golden", "what `simreel golden` keeps, and what it lets pass; without a tolerance nothing may differ",
        [&](Table& golden) {
          scene.golden = read_golden(golden, scene.animation);
          note_given(scene, "golden", golden, {"frames"});
        });
}

bool root_has_panels(const Table::Node& root) {
  const auto is_list = [&](const char* key) {
    const Table::Node* const found = root.find(key);
    return found != nullptr && std::holds_alternative<Table::Node::List>(found->value);
  };
  return (is_list("panel") || is_list("part")) && root.find("solver") == nullptr;
}

// `source`: what places begin with; empty for none.
Scene parse(const std::string& text, const std::filesystem::path& name, const std::string& source,
            const std::vector<std::string>& overrides, SolverCheck check) {
  Scene scene;
  scene.file = name;
  scene.text = text;
  scene.overrides = overrides;
  const std::shared_ptr<Table::Node> node = parse_toml(text, source);
  const bool only_space = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF") == std::string::npos;
  if (root_has_panels(*node))
    throw UsageError("{0}: this is a figure of {1}: simreel figure {0} -o x.{2}", name.string(),
                     node->find("part") ? "parts" : "panels", node->find("part") ? "mp4" : "pdf");
  if (only_space) throw UsageError("{}: the scene is empty; {}", name.string(), minimal_scene);
  Table root(node);
  root.collect();
  for (const std::string& argument : overrides) attempt(*node, "", [&] { lay_override(*node, argument); });
  move_units(*node);
  const bool all_frames = take_all_frames(*node);
  read_tables(root, scene, Text::scene, all_frames);
  if (check != nullptr && !scene.solver_kind.empty()) {
    node->find("solver")->unchecked = false;
    scene.solver.section([&] { check(scene); });
  }
  root.finish();
  return scene;
}

}  // namespace

std::string stream_of(const std::filesystem::path& file) {
  const std::string name = file.string();
  if (name == "-") return "/dev/stdin";
  if (name.starts_with("/dev/shm/")) return "";  // files in memory
  return name.starts_with("/dev/") || name.starts_with("/proc/self/") ? name : "";
}

std::string read_scene_text(const std::filesystem::path& file) {
  const auto fail = [&](int error) {
    throw UsageError("{}: cannot read the scene: {}", file.string(), std::strerror(error));
  };
  std::FILE* stream = std::fopen(file.c_str(), "rb");
  if (stream == nullptr) fail(errno);
  const std::string ending = lower_case(file.extension().string());
  const bool columns = is_among(ending, ".csv .tsv");
  if (columns || is_among(ending, ".nc .nc4 .cdf .h5 .hdf5 .npy .npz .vti .pvti .pvd .vtk .vtkhdf .mat")) {
    std::fclose(stream);
    throw UsageError(
        "{0}: a scene is written as TOML; `simreel {1} {0}` draws {2}", file.string(), columns ? "plot" : "view",
        columns ? "its columns, and one with kind = \"nbody\" and initial = \"file\" its bodies" : "its arrays");
  }
  std::string text(scene_size_limit + 1, '\0');
  errno = 0;
  text.resize(std::fread(text.data(), 1, text.size(), stream));
  const int error = std::ferror(stream) != 0 ? errno : 0;
  std::fclose(stream);
  if (error != 0) fail(error);
  if (const std::string why = refusal_of_pointer(text); !why.empty()) throw UsageError("{}: {}", file.string(), why);
  if (text.size() > scene_size_limit) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(file, unknown);
    throw UsageError("{}: the scene has {} bytes, the limit is {} (64 KiB)", file.string(),
                     unknown ? fmt::format("more than {}", scene_size_limit) : fmt::format("{}", size),
                     scene_size_limit);
  }
  return text;
}

std::filesystem::path Scene::resolve(const std::string& path) const {
  // operator/ returns an absolute right side unchanged.
  std::filesystem::path whole = file.parent_path() / path;
  if (const std::string why = refusal_to_write(whole); !why.empty())
    throw UsageError("{}{}: {}", before(), quote(path), why);
  return whole;
}

Scene load_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides, SolverCheck check) {
  if (const std::string stream = stream_of(file); !stream.empty())
    return parse_scene(read_scene_text(stream), stream_name, overrides, check);
  if (const std::string why = refusal_to_read(file); !why.empty())
    throw UsageError("{}: cannot read the scene: {}", file.string(), why);
  return parse_scene(read_scene_text(file), file, overrides, check);
}

void expect_scene(const std::filesystem::path& file) {
  if (const std::string why = refusal_to_read(file); !why.empty())
    throw UsageError("{}: cannot read the scene: {}", file.string(), why);
  const std::string text = read_scene_text(file);
  if (trim(text).empty()) return;
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  while (!rest.empty()) {
    std::string_view line = trim(take_line(rest));
    line.remove_prefix(std::min(line.find_first_not_of("[ \t\"'"), line.size()));
    for (const std::string_view table : {"solver", "panel"})
      if (line.starts_with(table)) {
        std::string_view after = line.substr(table.size());
        after.remove_prefix(std::min(after.find_first_not_of(" \t\"'"), after.size()));
        if (after.starts_with(']') || after.starts_with('.') || after.starts_with('=')) return;
      }
  }
  throw UsageError("{}: not a scene: it has no [solver] table; {}", file.string(), minimal_scene);
}

bool is_figure_file(const std::filesystem::path& file) {
  try {
    return refusal_to_read(file).empty() && root_has_panels(*parse_toml(read_scene_text(file), file.string()));
  } catch (const UsageError&) {
    return false;
  }
}

Scene parse_scene(const std::string& text, const std::filesystem::path& name, const std::vector<std::string>& overrides,
                  SolverCheck check) {
  return parse(text, name, name.string(), overrides, check);
}

Scene parse_made_scene(const std::string& text, const std::filesystem::path& name,
                       const std::vector<std::string>& overrides, SolverCheck check, const std::string& source) {
  return parse(text, name, source, overrides, check);
}

Scene parse_view(const std::string& text, const std::string& source) {
  Scene scene;
  scene.text = text;
  const std::shared_ptr<Table::Node> node = parse_toml(text, source);
  Table root(node);
  root.collect();
  const bool all_frames = take_all_frames(*node);
  read_tables(root, scene, Text::view, all_frames);
  root.finish();
  return scene;
}

std::vector<TableDoc> scene_tables() {
  Table root = Table::documentation();
  Scene scene;
  scene.solver_kind = "wave";
  read_tables(root, scene);
  return root.documented();
}

}  // namespace simreel
