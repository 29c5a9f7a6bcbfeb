// A picture in a part of a larger canvas is the picture alone, and the rest of the canvas stays as it is.

#include "picture/rasterizer.h"
#include "tests/support/backends.h"
#include "tests/support/bodies.h"
#include "tests/support/draw_context.h"

namespace simreel {
namespace {

constexpr Color background{20, 40, 60, 200};

template <class Pixel>
constexpr PixelLayout layout = std::is_same_v<Pixel, Color> ? PixelLayout::rgba : PixelLayout::rgba16;

// What a rasterizer shows of one frame after another.
template <class Pixel>
std::vector<std::vector<Pixel>> drawn(const Executor& executor, Rasterizer& rasterizer, Size size,
                                      const std::vector<View>& frames) {
  rasterizer.set_layouts({layout<Pixel>});
  std::vector<std::vector<Pixel>> pictures;
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    rasterizer.draw(frames[frame], static_cast<std::int64_t>(frame));
    Buffer<std::byte> bytes(executor, frame_bytes(size, layout<Pixel>));
    rasterizer.convert(layout<Pixel>, bytes.data());
    std::vector<Pixel>& picture = pictures.emplace_back(bytes.size() / sizeof(Pixel));
    std::memcpy(static_cast<void*>(picture.data()), bytes.download().data(), bytes.size());
  }
  return pictures;
}

template <class Pixel>
void expect_the_same_inside(const Executor& executor, ViewOptions view, const DrawContext& stage, Interval range,
                            const std::vector<View>& frames) {
  const Size size = view.size;
  view.background = background;
  Rasterizer alone(executor, view, stage);
  alone.set_range(range);
  const auto expected = drawn<Pixel>(executor, alone, size, frames);
  const Size canvas{size.width + 30, size.height + 17};
  for (const auto& [x, y] : {std::pair{0, 0}, {13, 9}, {30, 17}}) {
    view.size = {16, 16};  // the viewport decides
    const Viewport viewport{canvas, {x, y, size.width, size.height}};
    Rasterizer part(executor, view, stage, viewport);
    part.set_range(range);
    const auto found = drawn<Pixel>(executor, part, canvas, frames);
    for (std::size_t frame = 0; frame < frames.size(); ++frame) {
      const Pixel rest = found[frame][x == 0 && y == 0 ? found[frame].size() - 1 : 0];
      if constexpr (std::is_same_v<Pixel, Color>) {
        EXPECT_EQ(rest, background);
      }
      int differ = 0, touched = 0;
      for (int row = 0; row < canvas.height; ++row)
        for (int column = 0; column < canvas.width; ++column) {
          const Pixel& pixel = found[frame][row * canvas.width + column];
          const int u = column - x, v = row - y;
          const bool inside = u >= 0 && u < size.width && v >= 0 && v < size.height;
          const Pixel& wanted = inside ? expected[frame][v * size.width + u] : rest;
          if (std::memcmp(&pixel, &wanted, sizeof pixel) != 0) ++(inside ? differ : touched);
        }
      EXPECT_EQ(differ, 0) << "of the picture at " << x << ", " << y << ", frame " << frame;
      EXPECT_EQ(touched, 0) << "outside of the picture at " << x << ", " << y << ", frame " << frame;
    }
  }
}

template <class Pixel>
void expect_fields_alike(const Executor& executor) {
  for (const auto& [nx, ny] : {std::pair{5, 3}, {64, 200}, {300, 20}}) {  // grown, shrunk, both
    std::vector<float> values(static_cast<std::size_t>(nx * ny));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 101);
    Buffer<float> field(executor, values);
    std::vector<std::int8_t> cells(values.size(), 0);
    cells[values.size() / 2] = -1;
    Buffer<std::int8_t> cell(executor, cells);
    FieldView<float> open{field.data(), nx, ny, static_cast<std::size_t>(nx)}, obstructed = open;
    obstructed.cell = cell.data();
    ViewOptions view;
    view.size = {48, 31};
    for (const FieldView<float>& shown : {open, obstructed})
      expect_the_same_inside<Pixel>(executor, view, {}, {10, 90}, {shown, shown});
  }
}

template <class Pixel>
void expect_bodies_alike(const Executor& executor) {
  std::vector<Vec4<float>> position, velocity;
  for (int i = 0; i < 200; ++i) {
    const auto k = static_cast<float>(i);
    position.push_back({k * 0.31f - 31, k * 7.3f - 41 * static_cast<float>(i / 6), 0, 1 + k / 50});
    velocity.push_back({k / 20, 3 - k / 40, 0, 0});
  }
  Buffer<Vec4<float>> at(executor, position.size()), moving(executor, position.size());
  at.upload(position.data());
  moving.upload(velocity.data());
  const ParticlesView<float> bodies{at.data(), moving.data(), nullptr, position.size()};
  for (const char* field : {"density", "speed"}) {
    for (const auto splat :
         {LightOptions::Splat::pixel, LightOptions::Splat::bilinear, LightOptions::Splat::gaussian}) {
      ViewOptions view = test::view_of(field);
      view.light.splat = splat;
      view.light.trails = 0.3;
      const Interval range = view.field == "density" ? Interval{0, 3} : Interval{0, 8};
      expect_the_same_inside<Pixel>(executor, view, test::stage_of(position.size()), range, {bodies, bodies, bodies});
    }
  }
}

TEST(Viewport, AFieldInAPartOfACanvasIsTheFieldAlone) {
  for (const Executor& executor : test::executors()) {
    expect_fields_alike<Color>(executor);
    expect_fields_alike<DeepColor>(executor);
  }
}

TEST(Viewport, BodiesInAPartOfACanvasAreTheBodiesAlone) {
  for (const Executor& executor : test::executors()) {
    expect_bodies_alike<Color>(executor);
    expect_bodies_alike<DeepColor>(executor);
  }
}

}  // namespace
}  // namespace simreel
