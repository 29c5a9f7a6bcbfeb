// Time of the labels of one frame of 1920 x 1080, beside the bytes they touch; by hand, on any machine.

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "exec/buffer.h"
#include "kernels/raster/overlay.h"

using namespace simreel;

namespace {

template <class Pixel>
void measure(const Executor& executor, const char* name) {
  constexpr Size size{1920, 1080};
  constexpr Rectangle painted{80, 240, 1580, 590};
  std::vector<OverlaySpan> spans;
  std::vector<Color> colors;
  const auto add = [&](int x, int y, int length) {
    spans.push_back({x, y, length, static_cast<std::int32_t>(colors.size())});
    for (int i = 0; i < length; ++i) colors.push_back({230, 232, 240, static_cast<std::uint8_t>(255 - 3 * i)});
  };
  for (int y = 180; y < 830; ++y) add(1690, y, 26);  // a bar
  for (int row = 0; row < 12; ++row)                 // lines of text
    for (int y = 0; y < 26; ++y)
      for (int x = 0; x < 500; x += 20) add(100 + row % 3 * 560 + x, 170 + row * 62 + y, 9);
  GlyphLine line;
  line.box = {1500, 180, 160, 34};
  line.color = {230, 232, 240, 255};
  for (line.count = 0; line.count < 8; ++line.count) line.glyphs[line.count] = {line.count * 18, 24, 0};
  const std::vector<std::uint8_t> levels(24 * 34, 100);
  Buffer<Pixel> canvas(executor, static_cast<std::size_t>(size.width) * size.height);
  Buffer<OverlaySpan> device_spans(executor, spans.size());
  Buffer<Color> device_colors(executor, colors.size());
  Buffer<std::uint8_t> atlas(executor, levels.size());
  canvas.clear();
  device_spans.upload(spans.data());
  device_colors.upload(colors.data());
  atlas.upload(levels.data());
  const OverlayBase base{painted, {0, 0, 0, 255}};
  const Canvas<Pixel> whole{canvas.data(), size, size.width};
  const auto frame = [&] {
    blend_spans(executor, device_spans.data(), static_cast<int>(spans.size()), device_colors.data(), base, whole);
    blend_glyphs(executor, line, atlas.data(), base, whole);
  };
  for (int i = 0; i < 100; ++i) frame();
  executor.wait();
  constexpr int frames = 1000;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < frames; ++i) frame();
  executor.wait();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{} {}: {} spans, {:.1f} % of the picture, {:.2f} us a frame\n", executor.name(), name, spans.size(),
             100.0 * static_cast<double>(colors.size()) / (size.width * size.height), 1e6 * seconds / frames);
}

}  // namespace

int main() {
  std::vector<Executor> executors;
  executors.push_back(Executor::cpu(1));
  if (!cuda_devices().empty()) executors.push_back(Executor::cuda());
  for (const Executor& executor : executors) {
    measure<Color>(executor, "8 bits");
    measure<DeepColor>(executor, "16 bits");
  }
}
