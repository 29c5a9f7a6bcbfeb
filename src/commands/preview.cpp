// A strip of six frames of a scene, of all of it or of what can be computed within seconds.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/escape.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/console.h"
#include "commands/interrupt.h"
#include "commands/render.h"
#include "compare/picture.h"
#include "files/part_file.h"
#include "run/plan.h"
#include "run/render_loop.h"
#include "run/trial.h"

namespace simreel {
namespace {

constexpr int frames_shown = 6, columns = 3, gap = 8;  // gap: pixels
constexpr int max_side = 640;                          // of a frame
constexpr double max_seconds = 6;                      // of the simulation
constexpr std::int64_t min_bodies = 500;               // of a smaller run

struct PreviewArguments {
  SceneArguments scene;
  ShapeArguments shape;
  std::string output;  // empty: SCENE.preview.png in the folder of the scene
  bool overwrite = false;
};

class FrameRecorder final : public Sink {
 public:
  FrameRecorder(Size size, std::vector<Picture>& frames)
      : Sink({.layout = PixelLayout::rgba}), size_(size), frames_(frames) {}

  void write(const Frame& frame) override {
    Picture& picture = frames_.emplace_back();
    picture.size = size_;
    picture.pixels.resize(pixel_count(size_));
    std::memcpy(picture.pixels.data(), frame.pixels, frame_bytes(size_, PixelLayout::rgba));
  }
  void finish() override {}

 private:
  Size size_;
  std::vector<Picture>& frames_;
};

// Puts the picture into the strip, each pixel the mean of `times` x `times`.
void put(const Picture& picture, int times, Picture& strip, int left, int top) {
  for (int y = 0; y < picture.size.height / times; ++y)
    for (int x = 0; x < picture.size.width / times; ++x) {
      std::array<int, 4> sum{};
      for (int i = 0; i < times * times; ++i) {
        const Color& color = picture.at(x * times + i % times, y * times + i / times);
        sum[0] += color.r, sum[1] += color.g, sum[2] += color.b, sum[3] += color.a;
      }
      const auto mean = [&](int channel) {
        return static_cast<std::uint8_t>((sum[static_cast<std::size_t>(channel)] + times * times / 2) /
                                         (times * times));
      };
      strip.at(left + x, top + y) = {mean(0), mean(1), mean(2), mean(3)};
    }
}

// Two rows of three, from the upper left.
Picture strip_of(const std::vector<Picture>& frames) {
  const Size size = frames[0].size;
  const int times = (std::max(size.width, size.height) + max_side - 1) / max_side;
  const int width = size.width / times, height = size.height / times;
  const int across = std::min<int>(columns, static_cast<int>(frames.size()));
  const int rows = (static_cast<int>(frames.size()) + columns - 1) / columns;
  Picture strip{{across * (width + gap) - gap, rows * (height + gap) - gap}, {}};
  strip.pixels.assign(pixel_count(strip.size), {96, 96, 96, 255});
  for (int i = 0; i < static_cast<int>(frames.size()); ++i)
    put(frames[static_cast<std::size_t>(i)], times, strip, i % columns * (width + gap), i / columns * (height + gap));
  return strip;
}

// Shows a PNG in a terminal that says by its environment that it can, by the protocol of kitty or iTerm2.
void show_in_terminal(const std::string& png) {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value ? value : "");
  };
  const std::string program = variable("TERM_PROGRAM"), text = base64(png);
  if (!::isatty(STDOUT_FILENO)) return;
  if (!variable("KITTY_WINDOW_ID").empty() || variable("TERM") == "xterm-kitty" || program == "ghostty") {
    constexpr std::size_t most = 4096;  // letters of a piece
    for (std::size_t at = 0; at < text.size(); at += most)
      fmt::print("\x1b_G{}m={};{}\x1b\\", at == 0 ? "a=T,f=100," : "", at + most < text.size() ? 1 : 0,
                 std::string_view(text).substr(at, most));
    fmt::print("\n");
  } else if (program == "iTerm.app" || program == "WezTerm" || variable("LC_TERMINAL") == "iTerm2") {
    fmt::print("\x1b]1337;File=inline=1;size={}:{}\a\n", png.size(), text);
  }
}

// Frames from the first to the last of [first, end), each once.
std::vector<std::int64_t> spread_over(std::int64_t first, std::int64_t end) {
  std::vector<std::int64_t> frames;
  for (int i = 0; i < frames_shown; ++i) frames.push_back(first + (end - 1 - first) * i / (frames_shown - 1));
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  return frames;
}

// What a preview shows of a scene: a run of it, or of less.
struct Shown {
  Scene scene;
  SolverPlan plan;
  std::int64_t end = 0;   // past the last frame that it reaches
  std::string less = {};  // how it differs from the whole; empty: not
};

// Seconds of the simulation up to frame `end`, in each pass; measured.
double simulation_seconds(const Scene& scene, const SolverPlan& plan, const Executor& executor) {
  PreparedRun run(scene, plan, executor, {.outputs = {"null:"}});
  const std::optional<Trial> trial = try_run(run, [] { return interrupted() != 0; });
  const bool twice = comes_from_all_frames(run.rasterizer().range_mode()) || scene.camera.fits_all_frames();
  const Work work(scene, plan, true, twice ? 2 : 1, twice);
  const double drawn = plan.bodies > 0
                           ? (scene.view.light.follows ? work.drawn : frames_shown) *
                                 (3e-8 * scene.view.size.width * scene.view.size.height / executor.threads() +
                                  1e-8 * static_cast<double>(plan.bodies))
                           : 0;
  return (trial ? trial->step.seconds * work.steps : usual_seconds(scene, plan, executor, work)) + drawn;
}

// Fewer bodies, where the scene counts them; or the first part of the frames.
Shown choose(const PreviewArguments& arguments, const Executor& executor) {
  const auto load = [&](const std::vector<std::string>& more) {
    SceneArguments given = arguments.shape.applied_to(arguments.scene);
    given.overrides.insert(given.overrides.end(), more.begin(), more.end());
    Shown shown{given.load({"null:"}), {}};
    shown.plan = plan_run(shown.scene, {});
    shown.end = shown.scene.animation.end();
    return shown;
  };
  Shown whole = load({});
  if (!whole.plan.create) return whole;
  const double seconds = simulation_seconds(whole.scene, whole.plan, executor);
  if (seconds <= max_seconds) return whole;
  const auto bodies = static_cast<std::int64_t>(whole.plan.bodies);
  if (bodies > 2 * min_bodies) {
    const double share = max_seconds / seconds;
    const auto fewer =
        std::max(min_bodies, static_cast<std::int64_t>(static_cast<double>(bodies) *
                                                       (whole.plan.updated == "force" ? share : std::sqrt(share))));
    try {
      Shown less = load({fmt::format("solver.bodies={}", fewer)});
      if (simulation_seconds(less.scene, less.plan, executor) <= 3 * max_seconds) {
        less.less = fmt::format("{} of {} bodies", fewer, bodies);
        return less;
      }
    } catch (const UsageError&) {  // the scene lists its bodies
    }
  }
  AnimationOptions& animation = whole.scene.animation;
  const auto reached = static_cast<double>(animation.end()) * max_seconds / seconds;
  const std::int64_t all = animation.end();
  whole.end = std::clamp<std::int64_t>(static_cast<std::int64_t>(reached), animation.first + 2, all);
  if (whole.end == all) return whole;
  whole.less = fmt::format("frames {} to {} of {}", animation.first, whole.end - 1, all);
  whole.scene.camera.pose.orbit *= static_cast<double>(whole.end) / static_cast<double>(animation.frames);
  animation.frames = whole.end;  // where the range comes from all of them
  animation.last.reset();
  return whole;
}

int run(const PreviewArguments& arguments) {
  const Executor executor = arguments.scene.executor();
  watch_interrupts(1);
  Shown shown = choose(arguments, executor);
  const Scene& scene = shown.scene;
  const std::string stem = scene.file == stream_name ? "stdin" : scene.file.stem().string();
  const std::string output =
      arguments.output.empty() ? scene.resolve(stem + ".preview.png").string() : arguments.output;
  if (!output.ends_with(".png")) throw UsageError("{}: a preview is a picture; name it x.png", output);
  check_sinks({output}, scene.output, stream_info(scene, shown.plan, arguments.overwrite));
  PartFile file(output, arguments.overwrite);
  for (const std::string& warning : shown.plan.texts.warnings) say_message(LogLevel::warning, warning);
  std::vector<Picture> frames;
  std::vector<std::unique_ptr<Sink>> sinks;
  sinks.push_back(std::make_unique<FrameRecorder>(scene.view.size, frames));
  const std::int64_t first = scene.animation.first;
  PreparedRun run(std::move(shown.scene), std::move(shown.plan), executor, std::move(sinks));
  run.stills = spread_over(first, shown.end);
  run.end = run.stills.back() + 1;
  run.info.log = say_message;
  const RenderResult result = render({.run = run, .interrupted = interrupted, .alone = true});
  if (result.signal) return 128 + result.signal;
  if (result.diverged)
    say_message(LogLevel::error, fmt::format("diverged before frame {}: {}", result.frame, result.divergence));
  if (frames.empty()) return static_cast<int>(ExitCode::diverged);
  const std::string png = png_bytes(strip_of(frames));
  file.write(png);
  file.commit();
  run.stills.resize(frames.size());
  say_message(
      LogLevel::info,
      fmt::format(
          "{}: frames {}{}", output, fmt::join(run.stills, ", "),
          shown.less.empty() ? "" : fmt::format("; the whole run would take long, so this is of {}", shown.less)));
  show_in_terminal(png);
  return static_cast<int>(result.diverged ? ExitCode::diverged : ExitCode::done);
}

}  // namespace

void add_preview(CLI::App& program, Command& chosen) {
  CLI::App* const command =
      program.add_subcommand("preview", "Show six frames of a scene in one picture, within seconds");
  const auto arguments = std::make_shared<PreviewArguments>();
  arguments->scene.add_to(*command);
  arguments->scene.add_label_to(*command);
  arguments->shape.add_to(*command);
  add_option(*command, "-o,--output", arguments->output, "x.png",
             "The picture; by default SCENE.preview.png in the folder of the scene");
  command->add_flag("--overwrite", arguments->overwrite, "Replace it if it exists");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace simreel
