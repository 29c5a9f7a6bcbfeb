#include "golden/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "panels/compose.h"
#include "run/prepared_run.h"
#include "sink/data/lines.h"

namespace simreel {
namespace {

class HashRecorder final : public Sink {
 public:
  HashRecorder(Size size, std::vector<FrameHash>& hashes)
      : Sink({.layout = PixelLayout::rgb}), size_(size), hashes_(hashes) {}

  void write(const Frame& frame) override { hashes_.push_back({frame.index, hash_digits(frame.pixels, size_)}); }
  void finish() override {}

 private:
  Size size_;
  std::vector<FrameHash>& hashes_;
};

class StillRecorder final : public Sink {
 public:
  StillRecorder(Size size, const std::vector<std::int64_t>& wanted, std::map<std::int64_t, Picture>& stills)
      : Sink({.layout = PixelLayout::rgba}), size_(size), wanted_(wanted), stills_(stills) {}

  void write(const Frame& frame) override {
    if (!std::ranges::binary_search(wanted_, frame.index)) return;
    Picture& still = stills_[frame.index];
    still.size = size_;
    still.pixels.resize(pixel_count(size_));
    static_assert(sizeof(Color) == 4);
    std::memcpy(still.pixels.data(), frame.pixels, frame_bytes(size_, PixelLayout::rgba));
  }
  void finish() override {}

 private:
  Size size_;
  const std::vector<std::int64_t>& wanted_;
  std::map<std::int64_t, Picture>& stills_;
};

void refuse_what_is_not_there(const Scene& scene) {
  for (const auto& [x0, y0, x1, y1] : scene.golden.ignore)
    if (x1 > scene.view.size.width || y1 > scene.view.size.height)
      throw UsageError("{}: \"ignore\" in [golden] holds [{}, {}, {}, {}], but a frame has {} x {} pixels",
                       scene.golden.ignore_position.text(), x0, y0, x1, y1, scene.view.size.width,
                       scene.view.size.height);
  const std::int64_t last = scene.golden.frames.back();
  if (last < scene.animation.frames) return;
  throw UsageError("{}: \"frames\" in [golden] names frame {}, but the animation has {}, numbered from 0",
                   scene.golden.frames_position.text(), last, scene.animation.frames);
}

std::string without_pictures(std::string svg) {
  constexpr std::string_view begin = "data:image/png;base64,";
  for (std::size_t at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at + 1)) {
    const std::size_t from = at + begin.size();
    svg.erase(from, svg.find('"', from) - from);
  }
  return svg;
}

}  // namespace

Capture capture(const Scene& scene, const SolverPlan& plan, const Executor& executor,
                const std::function<int()>& interrupted) {
  Capture kept;
  std::vector<std::unique_ptr<Sink>> sinks;
  sinks.push_back(std::make_unique<HashRecorder>(scene.view.size, kept.hashes));
  sinks.push_back(std::make_unique<StillRecorder>(scene.view.size, scene.golden.frames, kept.stills));
  if (!scene.golden.csv.empty()) sinks.push_back(open_numbers(scene.golden, plan.diagnostics, kept.numbers));
  std::optional<PreparedRun> run;
  try {
    run.emplace(scene, plan, executor, std::move(sinks));
  } catch (const UsageError& error) {
    throw RuntimeError(error.what());  // it is for this machine that the scene is too large
  }
  refuse_what_is_not_there(scene);
  kept.memory = run->memory.executor + run->memory.host;
  kept.result = render({.run = *run, .interrupted = interrupted});
  return kept;
}

std::string hashes_text(const std::vector<FrameHash>& hashes) {
  std::string text;
  for (const FrameHash& hash : hashes) text += fmt::format("{} {}\n", hash.frame, hash.digits);
  return text;
}

Scene as_scene(const FigureFile& file) {
  Scene scene;
  scene.file = file.file;
  scene.text = file.text;
  scene.title = file.print.title;
  scene.animation.frames = 1;
  scene.golden.frames = {0};
  return scene;
}

Capture capture_figure(const FigureFile& file, const Executor& executor, const std::function<int()>& interrupted) {
  Capture kept;
  PanelFigure figure(file);
  PageGroup page;
  try {
    page = figure.draw(
        executor, [&] { return interrupted() != 0; }, [](std::int64_t, std::int64_t) {});
  } catch (const Stopped&) {
    kept.result.signal = interrupted();
    return kept;
  }
  const PageFacts facts{figure.pixels_per_inch(), {}};
  Picture picture = decode_png(png_of(page, facts), file.file.string());
  std::vector<std::byte> rgb;
  for (const Color& c : picture.pixels) rgb.insert(rgb.end(), {std::byte(c.r), std::byte(c.g), std::byte(c.b)});
  kept.hashes.push_back({0, hash_digits(rgb.data(), picture.size)});
  kept.stills.emplace(0, std::move(picture));
  kept.page = without_pictures(svg_of(page, facts));
  kept.result.frames = 1;
  return kept;
}

}  // namespace simreel
