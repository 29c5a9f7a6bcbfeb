// Labels over a picture: the formula, what lies under them, and the same bits on every executor.

#include "kernels/raster/overlay.h"

#include "exec/buffer.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

constexpr Size size{150, 40};
constexpr Rectangle painted{20, 8, 90, 25};

bool is_painted(int x, int y) {
  return x >= painted.x && x < painted.x + painted.width && y >= painted.y && y < painted.y + painted.height;
}

template <class Pixel>
std::vector<Pixel> noise(bool opaque) {
  using Level = decltype(Pixel::r);
  std::mt19937 random(3);
  const auto level = [&] { return static_cast<Level>(random()); };
  std::vector<Pixel> pixels(static_cast<std::size_t>(size.width * size.height));
  for (Pixel& pixel : pixels) {
    pixel = {level(), level(), level()};
    if (!opaque) pixel.a = level();
  }
  return pixels;
}

struct Overlay {
  std::vector<OverlaySpan> spans;
  std::vector<Color> colors;
};

Overlay some_spans() {
  Overlay overlay;
  std::mt19937 random(5);
  for (int y = 0; y < size.height; y += 3)
    for (int x = y % 7; x + OverlaySpan::max <= size.width; x += 70) {
      const int length = 1 + static_cast<int>(random() % OverlaySpan::max);
      overlay.spans.push_back({x, y, length, static_cast<std::int32_t>(overlay.colors.size())});
      for (int i = 0; i < length; ++i) {
        const auto level = [&] { return static_cast<std::uint8_t>(random()); };
        overlay.colors.push_back({level(), level(), level(), i % 5 == 0 ? std::uint8_t{255} : level()});
      }
    }
  return overlay;
}

template <class Pixel>
class Stage {
 public:
  Stage(const Executor& executor, const std::vector<Pixel>& pixels)
      : executor_(executor), canvas_(executor, pixels.size()) {
    canvas_.upload(pixels.data());
  }
  void blend(const Overlay& overlay, Color background) {
    Buffer<OverlaySpan> spans(executor_, overlay.spans.size());
    Buffer<Color> colors(executor_, overlay.colors.size());
    spans.upload(overlay.spans.data());
    colors.upload(overlay.colors.data());
    blend_spans(executor_, spans.data(), static_cast<int>(spans.size()), colors.data(), {painted, background},
                Canvas<Pixel>{canvas_.data(), size, size.width});
    executor_.wait();
  }
  void blend(const GlyphLine& line, const std::vector<std::uint8_t>& levels, Color background) {
    Buffer<std::uint8_t> atlas(executor_, levels);
    blend_glyphs(executor_, line, atlas.data(), {painted, background}, Canvas<Pixel>{canvas_.data(), size, size.width});
    executor_.wait();
  }
  std::vector<Pixel> pixels() const { return canvas_.download(); }

 private:
  const Executor& executor_;
  Buffer<Pixel> canvas_;
};

// A channel of straight alpha, in exact arithmetic on the CPU's widest integers.
template <class Pixel>
Pixel over(Color front, Pixel back) {
  using Level = decltype(Pixel::r);
  constexpr unsigned __int128 max = static_cast<Level>(-1);
  const unsigned __int128 scale = max / 255, a = front.a * scale;
  const unsigned __int128 part = max * a, rest = back.a * (max - a), alpha = part + rest;
  if (a == 0) return back;
  const auto mix = [&](std::uint8_t o, Level b) {
    return static_cast<Level>((o * scale * part + b * rest + alpha / 2) / alpha);
  };
  return {mix(front.r, back.r), mix(front.g, back.g), mix(front.b, back.b),
          static_cast<Level>((alpha + max / 2) / max)};
}

template <class Pixel>
Pixel pixel_of(Color color) {
  using Level = decltype(Pixel::r);
  constexpr Level scale = static_cast<Level>(static_cast<Level>(-1) / 255);
  const auto level = [&](std::uint8_t v) { return static_cast<Level>(v * scale); };
  return {level(color.r), level(color.g), level(color.b), level(color.a)};
}

template <class Pixel>
class OverlayKernel : public testing::Test {};
using Pixels = testing::Types<Color, DeepColor>;
TYPED_TEST_SUITE(OverlayKernel, Pixels);

TYPED_TEST(OverlayKernel, BlendsStraightAlphaOverTheFrameAndElsewhereOverTheBackground) {
  const Overlay overlay = some_spans();
  for (const bool opaque : {true, false}) {
    const Color background = opaque ? Color{10, 20, 30, 255} : Color{10, 20, 30, 77};
    const std::vector<TypeParam> before = noise<TypeParam>(opaque);
    std::vector<TypeParam> expected = before;
    for (const OverlaySpan& span : overlay.spans)
      for (int i = 0; i < span.length; ++i) {
        TypeParam& pixel = expected[span.y * size.width + span.x + i];
        const TypeParam back = is_painted(span.x + i, span.y) ? pixel : pixel_of<TypeParam>(background);
        pixel = over(overlay.colors[span.first + i], back);
      }
    for (const Executor& executor : test::executors()) {
      Stage<TypeParam> stage(executor, before);
      stage.blend(overlay, background);
      EXPECT_TRUE(stage.pixels() == expected) << executor.name() << ", opaque " << opaque;
    }
  }
}

TYPED_TEST(OverlayKernel, ALineOfGlyphsReplacesTheLineBefore) {
  constexpr int height = 9, width = 6;
  std::vector<std::uint8_t> levels(2 * height * width);
  std::mt19937 random(9);
  for (std::uint8_t& level : levels) level = static_cast<std::uint8_t>(random());
  GlyphLine line;
  line.box = {3, 2, 60, height};  // half of it beside the frame
  line.color = {250, 240, 10, 230};
  const auto put = [&](int x, int glyph) { line.glyphs[line.count++] = {x, width, glyph * height * width}; };
  put(-2, 1);  // sticks out of the box
  put(1, 0);
  put(12, 1);
  put(15, 0);  // overlaps
  put(57, 0);
  const Color background{9, 9, 9, 255};
  const std::vector<TypeParam> before = noise<TypeParam>(true);
  std::vector<TypeParam> expected = before;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < line.box.width; ++x) {
      int level = 0;
      for (int k = 0; k < line.count; ++k) {
        const int column = x - line.glyphs[k].x;
        if (column >= 0 && column < width) level += levels[line.glyphs[k].first + y * width + column];
      }
      Color front = line.color;
      front.a = static_cast<std::uint8_t>((std::min(level, 255) * front.a + 127) / 255);
      const int px = line.box.x + x, py = line.box.y + y;
      TypeParam& pixel = expected[py * size.width + px];
      pixel = over(front, is_painted(px, py) ? pixel : pixel_of<TypeParam>(background));
    }
  GlyphLine earlier = line;
  earlier.count = 1;
  earlier.glyphs[0].x = 5;
  for (const Executor& executor : test::executors()) {
    Stage<TypeParam> stage(executor, before);
    stage.blend(line, levels, background);
    EXPECT_TRUE(stage.pixels() == expected) << executor.name();
    Stage<TypeParam> replaced(executor, before);
    replaced.blend(earlier, levels, background);
    replaced.blend(line, levels, background);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < painted.x - line.box.x; ++x) {
        const std::size_t i = static_cast<std::size_t>((line.box.y + y) * size.width + line.box.x + x);
        ASSERT_TRUE(replaced.pixels()[i] == expected[i]) << executor.name() << ": " << x << ", " << y;
      }
  }
}

}  // namespace
}  // namespace simreel
