#include "base/error.h"
#include "raster/color/colormap.h"
#include "tests/support/backends.h"
#include "tests/support/draw_context.h"
#include "tests/support/thrown.h"

namespace simreel::test {
namespace {

// One frame of some bodies, the range as a scene's first frame sets it.
template <class Real>
std::vector<Color> picture(const Executor& executor, const ViewOptions& view, const std::vector<Body<Real>>& bodies,
                           const DrawContext& stage) {
  const Bodies<Real> all(executor, bodies);
  Rasterizer rasterizer(executor, view, stage);
  if (rasterizer.range_mode() != RangeMode::fixed) rasterizer.set_range(rasterizer.measure(all.view, 0));
  rasterizer.draw(all.view, 0);
  return canvas_of(executor, rasterizer, view.size);
}

template <class Real>
std::vector<Color> picture(const Executor& executor, const ViewOptions& view, const std::vector<Body<Real>>& bodies) {
  return picture(executor, view, bodies, stage_of(bodies.size()));
}

TEST(Particles, ADensityIsTheColormapFromRangeToRange) {
  const Executor cpu = Executor::cpu(2);
  auto view = view_of();
  view.light.splat = LightOptions::Splat::pixel;
  view.range = RangeMode::fixed;
  view.range_given = view.scale_given = true;
  view.low = 0, view.high = 8;
  const std::vector<Body<double>> bodies = {{0.5, 0.5, 0, 8}, {1.5, 0.5, 0, 3}, {1.5, 0.6, 0, 1}, {2.5, 0.5, 0, 9}};
  const auto canvas = picture(cpu, view, bodies);
  EXPECT_EQ(at(canvas, 24, 15), white);
  EXPECT_EQ(at(canvas, 25, 15).r, 128) << "four of eight";
  EXPECT_EQ(at(canvas, 26, 15), white);
  EXPECT_EQ(at(canvas, 24, 16), black);
  view.scale = Scale::sqrt;
  EXPECT_EQ(at(picture(cpu, view, bodies), 25, 15).r, static_cast<int>(std::lround(255 * std::sqrt(0.5))));
  view.scale = Scale::asinh;
  EXPECT_NEAR(at(picture(cpu, view, bodies), 25, 15).r, 255 * std::asinh(50.0) / std::asinh(100.0), 0.51);
  view.linear_width = 2;
  EXPECT_NEAR(at(picture(cpu, view, bodies), 25, 15).r, 255 * std::asinh(2.0) / std::asinh(4.0), 0.51);
}

TEST(Particles, ExposureIsRelativeToLightSpreadEvenly) {
  const Executor cpu = Executor::cpu(1);
  auto view = view_of();
  view.light.splat = LightOptions::Splat::pixel;
  view.light.tone = Scale::linear;
  view.light.exposure = 0.25;  // white is four times the mean
  const std::vector<Body<double>> bodies = {{0.5, 0.5, 0, 2}, {5.5, 5.5, 0, 1}, {7.5, 5.5, 0, 48 * 32 - 3}};
  const Bodies<double> all(cpu, bodies);
  Rasterizer rasterizer(cpu, view, stage_of(3));
  const Interval range = rasterizer.measure(all.view, 0);
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, 4) << "1536 of mass on 1536 pixels";
  const auto canvas = picture(cpu, view, bodies);
  EXPECT_EQ(at(canvas, 24, 15).r, 128);
  EXPECT_EQ(at(canvas, 29, 10).r, 64) << "a quarter, wholly covering";
  EXPECT_EQ(at(canvas, 31, 10), white);
}

TEST(Particles, AnAutomaticExposureComesFromTheFirstFrameAndStays) {
  const Executor cpu = Executor::cpu(1);
  for (const char* field : {"density", "speed"}) {
    auto view = view_of(field);
    view.light.splat = LightOptions::Splat::pixel;
    view.light.tone = Scale::linear;
    view.range = RangeMode::first;
    // 1000 lit pixels: five have 100, the others 1 to 10.
    std::vector<Body<float>> bodies;
    for (int i = 0; i < 1000; ++i)
      bodies.push_back({static_cast<float>(i % 40) - 19.5f, static_cast<float>(i / 40) - 11.5f, 0,
                        i < 5 ? 100.0f : static_cast<float>(i % 10) + 1, 1});
    Bodies<float> all(cpu, bodies);
    Rasterizer rasterizer(cpu, view, stage_of(bodies.size()));
    EXPECT_EQ(rasterizer.range_mode(), RangeMode::first);
    rasterizer.set_range(rasterizer.measure(all.view, 0));
    rasterizer.draw(all.view, 0);
    Checkpoint checkpoint;
    rasterizer.save(checkpoint);
    const auto found = checkpoint.load_value<ParticlePainter::Known>("light");
    EXPECT_GE(found.white, 10) << field;
    EXPECT_LT(found.white, 10.05) << field;
    const auto first = canvas_of(cpu, rasterizer, small);
    for (Body<float>& b : bodies) b.x = b.y = 0.5f;  // now all are on one pixel
    all.place(bodies);
    rasterizer.draw(all.view, 1);
    rasterizer.save(checkpoint);
    EXPECT_EQ(checkpoint.load_value<ParticlePainter::Known>("light").white, found.white) << field;
    EXPECT_EQ(at(canvas_of(cpu, rasterizer, small), 24, 15), white) << field;
    const auto findings = rasterizer.findings();
    ASSERT_EQ(findings.size(), 1u) << field;
    EXPECT_TRUE(says(findings[0], "exposure"));
  }
}

TEST(Particles, SaysOnceThatMuchIsBrighterThanWhite) {
  const Executor cpu = Executor::cpu(2);
  auto view = view_of();
  view.light.exposure = 1000;
  const Bodies<float> all(cpu, random_bodies<float>(2000));
  auto stage = stage_of(2000);
  stage.camera.pose.extent = 1;
  Rasterizer rasterizer(cpu, view, stage);
  rasterizer.set_range(rasterizer.measure(all.view, 0));
  for (int frame = 0; frame < 3; ++frame) rasterizer.draw(all.view, frame);
  const auto findings = rasterizer.findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_TRUE(says(findings[0], "saturated"));
  const auto canvas = canvas_of(cpu, rasterizer, small);
  const auto full = std::count(canvas.begin(), canvas.end(), white);
  EXPECT_GT(full, 900) << "and most of the square that the cube fills is white";
}

TEST(Particles, ColoursAreMeansAndBrightnessIsLight) {
  const Executor cpu = Executor::cpu(1);
  auto view = view_of("speed");
  view.light.splat = LightOptions::Splat::pixel;
  view.light.tone = Scale::linear;
  view.light.exposure = 8.0 / (48 * 32) / 2;  // of 8 bodies: white is 2 bodies a pixel
  view.light.weight = LightOptions::Weight::one;
  view.range = RangeMode::fixed;
  view.range_given = true;
  view.low = 0, view.high = 10;
  const std::vector<Body<double>> bodies = {{0.5, 0.5, 0, 1, 10},  {0.5, 0.5, 0, 1, 10}, {1.5, 0.5, 0, 1, 10},
                                            {2.5, 0.5, 0, 1, 2},   {2.5, 0.5, 0, 1, 6},  {3.5, 0.5, 0, 1, 0},
                                            {30.5, 0.5, 0, 1, 10}, {30.5, 0.5, 0, 1, 10}};
  auto canvas = picture(cpu, view, bodies);
  EXPECT_EQ(at(canvas, 24, 15), white) << "two fast ones";
  EXPECT_EQ(at(canvas, 25, 15).r, 128) << "one";
  EXPECT_NEAR(at(canvas, 26, 15).r, 255 * 0.4, 1) << "two of mean speed 4";
  EXPECT_EQ(at(canvas, 27, 15), black) << "at rest the map is black";
  view.background = {255, 255, 255};
  view.colormap = "gray_r";
  canvas = picture(cpu, view, bodies);
  EXPECT_EQ(at(canvas, 24, 15), black) << "on white the light is taken away";
  EXPECT_EQ(at(canvas, 25, 15).r, 128);
  EXPECT_NEAR(at(canvas, 26, 15).r, 255 * 0.6, 1);
  EXPECT_EQ(at(canvas, 10, 10), view.background);
}

TEST(Particles, MoreThanWhiteBurnsOut) {
  const Executor cpu = Executor::cpu(1);
  auto view = view_of("group");
  view.colormap = "viridis";
  view.light.splat = LightOptions::Splat::pixel;
  view.light.tone = Scale::linear;
  view.light.exposure = 8.0 / (48 * 32);  // white is a mass of 1
  view.range = RangeMode::fixed;
  view.range_given = true;
  view.low = 0, view.high = 1;
  std::vector<Body<double>> bodies = {{0.5, 0.5, 0, 1}, {1.5, 0.5, 0, 1.5}, {2.5, 0.5, 0, 5.5}};
  auto canvas = picture(cpu, view, bodies);
  const Color lowest = load_colormap("viridis").front();
  EXPECT_EQ(at(canvas, 24, 15), lowest);
  EXPECT_NEAR(at(canvas, 25, 15).r, (lowest.r + 255) / 2, 1);
  EXPECT_NEAR(at(canvas, 25, 15).b, (lowest.b + 255) / 2, 1);
  EXPECT_EQ(at(canvas, 26, 15), white);
  view.background = {240, 240, 240};
  EXPECT_EQ(at(picture(cpu, view, bodies), 26, 15), black) << "ink burns out to black";
}

TEST(Particles, ATransparentBackgroundKeepsTheLightAsAlpha) {
  const Executor cpu = Executor::cpu(1);
  auto view = view_of("group");
  view.light.splat = LightOptions::Splat::pixel;
  view.light.tone = Scale::linear;
  view.light.exposure = 2.0 / (48 * 32) / 2;
  view.range = RangeMode::fixed;
  view.range_given = true;
  view.low = 0, view.high = 2;
  view.background = {10, 20, 30, 0};
  const auto canvas = picture<double>(cpu, view, {{0.5, 0.5, 0, 1, 0, 0, 0, 2}, {1.5, 0.5, 0, 1, 0, 0, 0, 1}});
  EXPECT_EQ(at(canvas, 24, 15), (Color{255, 255, 255, 128}));
  EXPECT_EQ(at(canvas, 25, 15), (Color{128, 128, 128, 128}));
  EXPECT_EQ(at(canvas, 26, 15), view.background);
}

TEST(Particles, MeasuresValuesWithoutTheOutermostHundredths) {
  const Executor cpu = Executor::cpu(2);
  std::vector<Body<float>> bodies;
  for (int i = 0; i < 1000; ++i)
    bodies.push_back(
        {0, 0, 0, i == 7 ? 1e6f : 2.0f, 0, static_cast<float>(i) / 100, 0, static_cast<std::uint8_t>(i % 5)});
  const Bodies<float> all(cpu, bodies);
  const auto measured = [&](const char* field) {
    return Rasterizer(cpu, view_of(field), stage_of(1000)).measure(all.view, 0);
  };
  EXPECT_NEAR(measured("speed").low, 0.1, 0.011);
  EXPECT_NEAR(measured("speed").high, 9.9, 0.05);
  EXPECT_EQ(measured("mass").high, 2) << "not the one giant";
  EXPECT_EQ(measured("group").low, 0);
  EXPECT_EQ(measured("group").high, 4);
}

TEST(Particles, ContradictionsAreUsageErrorsThatNameTheWayOut) {
  const Executor cpu = Executor::cpu(1);
  const auto message = [&](const ViewOptions& view) {
    return test::thrown([&] { Rasterizer(cpu, view, stage_of(1)); });
  };
  auto view = view_of();
  view.light.tone = Scale::log;
  view.scale_given = true;
  EXPECT_TRUE(says(message(view), "leave one of them out"));
  view.scale_given = false;
  view.light.exposure = 1;
  view.range_given = true;
  EXPECT_TRUE(says(message(view), "\"exposure\" and \"range\""));
  view.field = "speed";
  EXPECT_EQ(message(view), "") << "there range is that of the speed";
  view = view_of();
  view.range = RangeMode::fixed;
  view.low = -1, view.high = 1;
  EXPECT_TRUE(says(message(view), "-1"));
}

TEST(Particles, CountsTheMemoryOfLightAndTrails) {
  auto view = view_of("density", {1920, 1080});
  auto stage = stage_of(1000);
  const Executor cpu = Executor::cpu(2);
  const std::size_t plain = Rasterizer::memory_bytes(cpu, view, stage);
  EXPECT_GE(plain, std::size_t{1920} * 1080 * (4 + 2 * 8)) << "canvas, and light for each thread";
  view.light.trails = 3;
  constexpr std::size_t frame = 1000 * 32 + 8;  // positions, velocities and an interval
  EXPECT_EQ(ParticlePainter::trail_bytes(view, stage), 31 * frame);
  EXPECT_EQ(Rasterizer::memory_bytes(cpu, view, stage), plain + 31 * frame);
  stage.animation.frames = 12;
  EXPECT_EQ(ParticlePainter::trail_bytes(view, stage), 12 * frame) << "a run of 12 frames remembers no more";
  stage.figure.endless = true;
  EXPECT_EQ(ParticlePainter::trail_bytes(view, stage), 31 * frame) << "nobody knows how many come";
  stage.figure.endless = false;
  view.field = "speed";
  EXPECT_GE(Rasterizer::memory_bytes(cpu, view, stage), plain + std::size_t{1920} * 1080 * 2 * 8);
}

}  // namespace
}  // namespace simreel::test
