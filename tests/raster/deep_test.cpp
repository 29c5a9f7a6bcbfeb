// What the rasterizer draws in 16 bits a channel, beside the 8 bits of other outputs or alone.

#include "tests/support/backends.h"
#include "tests/support/draw_context.h"

namespace simreel {
namespace {

using test::Bodies, test::small, test::stage_of, test::view_of;

const std::vector<PixelLayout> shallow_only = {PixelLayout::rgba}, deep_only = {PixelLayout::rgba16},
                               both_layouts = {PixelLayout::rgba16, PixelLayout::yuv420p, PixelLayout::rgba};

// The channels of all pixels in one layout.
std::vector<int> channels(const Executor& executor, const Rasterizer& rasterizer, PixelLayout layout, Size size) {
  Buffer<std::byte> to(executor, frame_bytes(size, layout));
  rasterizer.convert(layout, to.data());
  const auto bytes = to.download();
  std::vector<int> values;
  for (std::size_t i = 0; i < bytes.size(); i += is_deep(layout) ? 2 : 1)
    values.push_back(is_deep(layout) ? std::to_integer<int>(bytes[i]) << 8 | std::to_integer<int>(bytes[i + 1])
                                     : std::to_integer<int>(bytes[i]));
  return values;
}

struct Picture {
  std::vector<int> shallow, deep;  // empty where the layouts have none
  std::vector<std::string> findings;

  Picture(const Executor& executor, const Rasterizer& rasterizer, const std::vector<PixelLayout>& layouts, Size size)
      : findings(rasterizer.findings()) {
    const auto wanted = [&](PixelLayout layout) { return std::ranges::find(layouts, layout) != layouts.end(); };
    if (wanted(PixelLayout::rgba)) shallow = channels(executor, rasterizer, PixelLayout::rgba, size);
    if (wanted(PixelLayout::rgba16)) deep = channels(executor, rasterizer, PixelLayout::rgba16, size);
  }
};

// The last of three frames of some bodies in a cube, which move.
Picture picture_of_bodies(const Executor& executor, const ViewOptions& view, const std::vector<PixelLayout>& layouts) {
  auto bodies = test::random_bodies<float>(3000);
  Bodies<float> all(executor, bodies);
  auto stage = stage_of(bodies.size(), view.size);
  stage.camera.pose.extent = 1.2;
  Rasterizer rasterizer(executor, view, stage);
  rasterizer.set_layouts(layouts);
  if (rasterizer.range_mode() != RangeMode::fixed) rasterizer.set_range(rasterizer.measure(all.view, 0));
  for (int frame = 0; frame < 3; ++frame) {
    for (auto& body : bodies) body.x += body.vx / 20, body.y += body.vy / 20;
    all.place(bodies);
    rasterizer.draw(all.view, frame);
  }
  return {executor, rasterizer, layouts, view.size};
}

// One frame of a wave, letterboxed.
Picture picture_of_field(const Executor& executor, const ViewOptions& view, const std::vector<PixelLayout>& layouts) {
  std::vector<float> values(32 * 32);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i % 32 + i / 32) / 7);
  Buffer<float> field(executor, values);
  Rasterizer rasterizer(executor, view);
  rasterizer.set_layouts(layouts);
  rasterizer.set_range({-0.9, 0.9});
  rasterizer.draw(FieldView<float>{field.data(), 32, 32, 32}, 0);
  return {executor, rasterizer, layouts, view.size};
}

// How many values there are.
std::size_t levels(const std::vector<int>& channels) { return std::set(channels.begin(), channels.end()).size(); }

// A canvas beside another is what it is alone, on every machine; rounded to 8 bits the two are `apart` at most.
template <class Draw>
void expect_same_picture(const Draw& draw, const ViewOptions& view, int apart, const std::string& what) {
  const Picture alone = draw(Executor::cpu(1), view, shallow_only), deep = draw(Executor::cpu(1), view, deep_only);
  EXPECT_TRUE(deep.shallow.empty() && alone.deep.empty());
  EXPECT_EQ(deep.findings, alone.findings) << what;
  for (const Executor& executor : test::executors()) {
    const Picture both = draw(executor, view, both_layouts);
    EXPECT_TRUE(both.shallow == alone.shallow) << what << " on " << executor.name();
    EXPECT_TRUE(both.deep == deep.deep) << what << " on " << executor.name();
    EXPECT_EQ(both.findings, alone.findings) << what << ": nothing is counted twice";
  }
  for (std::size_t i = 0; i < deep.deep.size(); ++i)
    ASSERT_LE(std::abs((deep.deep[i] + 128) / 257 - alone.shallow[i]), apart) << what << ", channel " << i;
  EXPECT_GT(levels(alone.shallow), 2u) << what << " shows something";
}

TEST(DeepPicture, OfAField) {
  for (const Color background : {Color{12, 34, 56}, Color{200, 100, 50, 0}, Color{200, 100, 50, 77}}) {
    auto view = view_of("", {80, 48});
    view.colormap = "viridis";
    view.background = background;
    view.under = Color{255, 0, 0, 100};
    expect_same_picture(picture_of_field, view, 0, "a field");
    const Picture deep = picture_of_field(Executor::cpu(1), view, deep_only);
    EXPECT_GT(levels(deep.deep), 256u);
    EXPECT_EQ((std::vector<int>(deep.deep.begin(), deep.deep.begin() + 4)),
              (std::vector<int>{257 * background.r, 257 * background.g, 257 * background.b, 257 * background.a}));
  }
}

TEST(DeepPicture, OfBodiesByDensity) {
  auto view = view_of("density", {160, 96});
  view.light.splat = LightOptions::Splat::gaussian;
  for (const Scale tone : {Scale::linear, Scale::log, Scale::sqrt, Scale::asinh}) {
    view.light.tone = tone;
    view.light.exposure = 0.3;
    expect_same_picture(picture_of_bodies, view, 1, "density, tone " + std::to_string(static_cast<int>(tone)));
    // Below a brightness of 1/16 the background shows through, so colours of 8 bits are rounded twice there.
    const Picture both = picture_of_bodies(Executor::cpu(1), view, both_layouts);
    for (std::size_t i = 0; i < both.deep.size(); ++i) {
      if (both.shallow[i] <= 16) continue;
      ASSERT_EQ((both.deep[i] + 128) / 257, both.shallow[i]) << i;
    }
    EXPECT_GT(levels(both.deep), 256u);
  }
}

TEST(DeepPicture, OfBodiesByColour) {
  for (const char* field : {"speed", "mass"})
    for (const auto splat : {LightOptions::Splat::bilinear, LightOptions::Splat::gaussian}) {
      auto view = view_of(field);
      view.colormap = "viridis";
      view.light.splat = splat;
      expect_same_picture(picture_of_bodies, view, 1, field);
      EXPECT_GT(levels(picture_of_bodies(Executor::cpu(1), view, deep_only).deep), 256u);
    }
}

TEST(DeepPicture, OfTrails) {
  for (const char* field : {"density", "speed"}) {
    auto view = view_of(field);
    view.colormap = "viridis";
    view.light.trails = 0.2;
    expect_same_picture(picture_of_bodies, view, 1, field);
  }
}

TEST(DeepPicture, OfInkOnPaperAndOnNothing) {
  for (const Color background : {Color{255, 255, 255}, Color{20, 30, 40, 0}, Color{20, 30, 40, 128}})
    for (const char* field : {"density", "speed"}) {
      auto view = view_of(field);
      view.colormap = "magma_r";
      view.background = background;
      view.light.exposure = 1000;  // much of it burns out
      expect_same_picture(picture_of_bodies, view, 1, field);
    }
}

TEST(DeepPicture, CanvasesAreThoseThatLayoutsNeed) {
  const Executor cpu = Executor::cpu(1);
  const auto view = view_of("", {1920, 1080});
  const auto bytes = [&](const std::vector<PixelLayout>& layouts) {
    return Rasterizer::memory_bytes(cpu, view, {}, layouts);
  };
  constexpr std::size_t pixels = std::size_t{1920} * 1080;
  const std::size_t plain = Rasterizer::memory_bytes(cpu, view);
  EXPECT_EQ(bytes({}), plain);
  EXPECT_EQ(bytes({PixelLayout::rgb, PixelLayout::yuv420p}), plain);
  EXPECT_EQ(bytes({PixelLayout::rgb16}), plain + 4 * pixels) << "8 bytes a pixel instead of 4";
  EXPECT_EQ(bytes({PixelLayout::rgb16, PixelLayout::rgb}), plain + 8 * pixels);
}

}  // namespace
}  // namespace simreel
