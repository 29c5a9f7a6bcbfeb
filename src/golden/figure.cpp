#include "golden/figure.h"

#include <string_view>

#include "panels/compose.h"
#include "sink/data/hashes.h"

namespace simreel {
namespace {

std::string without_pictures(std::string svg) {
  constexpr std::string_view begin = "data:image/png;base64,";
  for (std::size_t at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at + 1)) {
    const std::size_t from = at + begin.size();
    svg.erase(from, svg.find('"', from) - from);
  }
  return svg;
}

}  // namespace

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
