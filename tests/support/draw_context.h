#pragma once
// A stage on which a world unit is a pixel, for tests that look at how bodies are drawn.

#include "picture/rasterizer.h"
#include "tests/support/bodies.h"

namespace simreel::test {

constexpr Size small{48, 32};

// The origin is the middle of the picture; ten frames a second, 0.1 of simulated time each.
inline DrawContext stage_of(std::size_t bodies, Size size = small) {
  DrawContext stage;
  stage.bodies = bodies;
  stage.interval = 0.1;
  stage.camera.projection = Projection::orthographic;
  stage.camera.pose.position = {0, 0, 100};
  stage.camera.pose.extent = 0.5 * size.height;
  stage.animation.fps_numerator = 10;
  stage.animation.frames = 100;
  stage.animation.steps_per_frame = 1;
  return stage;
}

inline ViewOptions view_of(const std::string& field = "density", Size size = small) {
  ViewOptions view;
  view.field = field;
  view.colormap = "gray";
  view.light.splat = LightOptions::Splat::bilinear;
  view.size = size;
  return view;
}

inline std::vector<Color> canvas_of(const Executor& executor, const Rasterizer& rasterizer, Size size) {
  Buffer<std::byte> bytes(executor, frame_bytes(size, PixelLayout::rgba));
  rasterizer.convert(PixelLayout::rgba, bytes.data());
  std::vector<Color> canvas(bytes.size() / sizeof(Color));
  std::memcpy(static_cast<void*>(canvas.data()), bytes.download().data(), bytes.size());
  return canvas;
}

inline Color at(const std::vector<Color>& canvas, int x, int y) { return canvas[y * small.width + x]; }

constexpr Color black{0, 0, 0}, white{255, 255, 255};

}  // namespace simreel::test
