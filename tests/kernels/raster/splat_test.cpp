#include "kernels/raster/splat.h"

#include "tests/support/backends.h"
#include "tests/support/bodies.h"

namespace simreel {
namespace {

using test::Bodies, test::Body;

// Looks along -z; a world unit is a pixel, and the origin the picture's middle.
Lens flat_lens(Size size) {
  Lens lens;
  lens.origin[2] = 100;
  lens.right[0] = lens.up[1] = 1;
  lens.forward[2] = -1;
  lens.centre_x = 0.5 * size.width;
  lens.centre_y = 0.5 * size.height;
  lens.perspective = false;
  return lens;
}

SplatParams params_of(Size size, SplatShape shape) {
  SplatParams p;
  p.lens = flat_lens(size);
  p.size = size;
  p.shape = shape;
  p.quanta = 65536;
  return p;
}

struct Sums {
  Buffer<std::uint64_t> memory;
  PixelSums view;

  Sums(const Executor& executor, const SplatParams& p) {
    view.pixels = static_cast<std::size_t>(p.size.width) * static_cast<std::size_t>(p.size.height);
    view.words = light_words(p.field);
    view.layers = scatter_layers(executor, view.layer_size() * sizeof(std::uint64_t));
    memory = Buffer<std::uint64_t>(executor, view.layer_size() * static_cast<std::size_t>(view.layers));
    memory.clear();
    view.sums = memory.data();
  }
  // Of all layers together.
  std::vector<std::uint64_t> totals() const {
    const std::vector<std::uint64_t> layers = memory.download();
    std::vector<std::uint64_t> totals(view.layer_size());
    for (std::size_t i = 0; i < layers.size(); ++i) totals[i % totals.size()] += layers[i];
    return totals;
  }
};

template <class Real>
std::vector<std::uint64_t> splat(const Executor& executor, const std::vector<Body<Real>>& bodies,
                                 const SplatParams& p) {
  const Bodies<Real> all(executor, bodies);
  Sums sums(executor, p);
  splat_bodies(executor, all.view, p, sums.view);
  return sums.totals();
}

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

constexpr std::uint64_t one = 65536;  // light of a body of weight 1, unless a test says otherwise

TEST(Splat, APixelTakesAllOfItsBodies) {
  const Executor cpu = Executor::cpu(1);
  const Size size{8, 6};
  // x right, y up: (-4, 3) is the top left corner. Each of these is just inside, or just outside, a corner pixel.
  const auto sums =
      splat<double>(cpu, {{-4, 2.5}, {-3.01, 2.01}, {3.99, -2.99}, {-4.01, 0}, {4, 0}, {0, 3.01}, {0, -3}},
                    params_of(size, SplatShape::pixel));
  EXPECT_EQ(sums[0], 2 * one);
  EXPECT_EQ(sums[5 * 8 + 7], one);
  EXPECT_EQ(sum(sums), 3 * one) << "what is outside vanishes";
}

TEST(Splat, BilinearSharesAreThoseOfTheFourNearestCentres) {
  const Executor cpu = Executor::cpu(1);
  const Size size{8, 6};
  const SplatParams p = params_of(size, SplatShape::bilinear);
  // Pixel (4, 2) has its centre at (0.5, 0.5).
  auto sums = splat<double>(cpu, {{0.5, 0.5}}, p);
  EXPECT_EQ(sums[2 * 8 + 4], one) << "in a centre";
  sums = splat<double>(cpu, {{0.75, 0.5 - 0.125}}, p);
  EXPECT_EQ(sums[2 * 8 + 4], one * 3 / 4 * 7 / 8);
  EXPECT_EQ(sums[2 * 8 + 5], one / 4 * 7 / 8);
  EXPECT_EQ(sums[3 * 8 + 4], one * 3 / 4 / 8) << "down in space is down in the picture";
  EXPECT_EQ(sums[3 * 8 + 5], one / 4 / 8);
  EXPECT_EQ(sum(sums), one);
  sums = splat<double>(cpu, {{-4, 3}}, p);
  EXPECT_EQ(sums[0], one / 4) << "three quarters fall beside the corner";
  EXPECT_EQ(sum(sums), one / 4);
  sums = splat<double>(cpu, {{4.25, 0.5}}, p);
  EXPECT_EQ(sums[2 * 8 + 7], one / 4) << "a body outside still shines in";
  EXPECT_EQ(sum(splat<double>(cpu, {{4.5, 0.5}, {-4.51, 0.5}, {0.5, -3.51}}, p)), 0u);
}

TEST(Splat, BilinearCentreOfLightIsTheBody) {
  const Executor cpu = Executor::cpu(1);
  const Size size{9, 7};
  for (int i = 0; i < 50; ++i) {
    const double x = random_unit(3, 0, static_cast<std::uint64_t>(i)) * 4 - 2;
    const double y = random_unit(3, 1, static_cast<std::uint64_t>(i)) * 4 - 2;
    for (const SplatShape shape : {SplatShape::bilinear, SplatShape::gaussian}) {
      SplatParams p = params_of(size, shape);
      p.radius = 0.75;
      const auto sums = splat<double>(cpu, {{x, y}}, p);
      double at_x = 0, at_y = 0;
      for (int k = 0; k < 63; ++k) {
        at_x += static_cast<double>(sums[k]) * (k % 9 + 0.5 - 4.5);
        at_y -= static_cast<double>(sums[k]) * (k / 9 + 0.5 - 3.5);
      }
      const double near = shape == SplatShape::bilinear ? 1.0 / 512 + 1e-9 : 0.03;
      EXPECT_NEAR(at_x / one, x, near);
      EXPECT_NEAR(at_y / one, y, near);
    }
  }
}

TEST(Splat, AGaussianHasItsFormAndItsLight) {
  const Executor cpu = Executor::cpu(1);
  const Size size{101, 81};
  SplatParams p = params_of(size, SplatShape::gaussian);
  p.quanta = 0x1p36;
  for (const double radius : {0.1, 0.75, 1.5, 4.0, 12.0}) {
    p.radius = radius;
    const auto sums = splat<double>(cpu, {{0.3, -0.2}}, p);
    EXPECT_EQ(sum(sums), std::uint64_t{1} << 36) << "to the last unit, radius " << radius;
    if (radius < 1.5) continue;
    const double light = static_cast<double>(std::uint64_t{1} << 36), pi = std::acos(-1.0);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        const double d2 = std::pow(x + 0.5 - 50.8, 2) + std::pow(y + 0.5 - 40.7, 2);
        const double got = static_cast<double>(sums[y * size.width + x]) / light;
        const double peak = 9 / (8 * pi * radius * radius);
        ASSERT_NEAR(got / peak, std::exp(-d2 / (radius * radius)), 0.036) << x << " " << y;
        if (d2 > 8 * radius * radius) {
          ASSERT_EQ(got, 0) << x << " " << y;
        }
      }
  }
}

TEST(Splat, AWorldRadiusShrinksWithDistance) {
  const Executor cpu = Executor::cpu(1);
  const Size size{64, 48};
  SplatParams p = params_of(size, SplatShape::gaussian);
  p.lens.perspective = true;
  p.lens.scale = 200;
  p.radius = 4;
  p.world_radius = true;
  p.quanta = 0x1p36;
  const auto lit = [&](double z) {
    const auto sums = splat<double>(cpu, {{0, 0, z}}, p);
    return std::count_if(sums.begin(), sums.end(), [](std::uint64_t v) { return v > 0; });
  };
  const double near = static_cast<double>(lit(0)), far = static_cast<double>(lit(-100));  // 100 and 200 away
  EXPECT_NEAR(near, std::acos(-1.0) * 8 * 8 * 8, 200);
  EXPECT_NEAR(near / far, 4, 0.3);
}

TEST(Splat, WhatIsNotInFrontOfTheCameraIsNotSeen) {
  const Executor cpu = Executor::cpu(1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const bool perspective : {true, false})
    for (const SplatShape shape : {SplatShape::pixel, SplatShape::bilinear, SplatShape::gaussian}) {
      SplatParams p = params_of({16, 16}, shape);
      p.lens.perspective = perspective;
      p.lens.scale = perspective ? 100 : 1;
      EXPECT_EQ(sum(splat<double>(cpu, {{0.01, 0.01, 99}}, p)), one);
      EXPECT_EQ(sum(splat<double>(cpu,
                                  {{0, 0, 100},
                                   {0.1, 0.1, 101},
                                   {0, 0, infinity},
                                   {none, 0, 0},
                                   {0, infinity, 0},
                                   {1e300, -1e300, 1e-300},
                                   {0, 0, none}},
                                  p)),
                0u);
    }
}

TEST(Splat, WeightIsMassOrOne) {
  const Executor cpu = Executor::cpu(1);
  SplatParams p = params_of({16, 16}, SplatShape::bilinear);
  p.quanta = 256.0 * one;
  const std::vector<Body<double>> bodies = {{0, 0, 0, 2.5}, {3, 3, 0, 0.25}, {1, 1, 0, 0}, {1, 1, 0, -3}};
  EXPECT_EQ(sum(splat(cpu, bodies, p)), 256 * one * 11 / 4) << "and no light of masses that are none";
  p.by_mass = false;
  EXPECT_EQ(sum(splat(cpu, bodies, p)), 256 * one * 4);
}

TEST(Splat, PlacesAreMeansOfWhatFallsOnThePixel) {
  const Executor cpu = Executor::cpu(1);
  SplatParams p = params_of({4, 4}, SplatShape::pixel);
  const std::vector<Body<double>> bodies = {{0.5, 0.5, 0, 3, 3, 4, 0, 7}, {0.5, 0.5, 0, 1, 0, 0, 1, 3}};
  const auto mean = [&](BodyField field, double low, double high) {
    p.field = field;
    p.place.start = low;
    p.place.factor = 1 / (high - low);
    const auto sums = splat(cpu, bodies, p);
    const std::size_t pixel = 2 * (1 * 4 + 2);
    EXPECT_EQ(sums[pixel], 4 * one);
    return static_cast<double>(sums[pixel + 1]) / static_cast<double>(sums[pixel]) / max_place;
  };
  EXPECT_NEAR(mean(BodyField::speed, 0, 10), (3 * 0.5 + 1 * 0.1) / 4, 1e-3);
  EXPECT_NEAR(mean(BodyField::mass, 0, 4), (3 * 0.75 + 1 * 0.25) / 4, 1e-3);
  EXPECT_NEAR(mean(BodyField::group, 3, 11), (3 * 0.5 + 0) / 4, 1e-3);
  EXPECT_NEAR(mean(BodyField::speed, 2, 3), 0.75, 1e-3) << "clamped to the range";
}

TEST(Splat, NoSumOverflowsHoweverManyBodiesShareAPixel) {
  // A hundred million bodies of one mass: as if each of these stood for a hundred thousand.
  const Executor cpu = Executor::cpu(2);
  for (const BodyField field : {BodyField::density, BodyField::mass})
    for (const int segments : {0, 600}) {
      SplatParams p = params_of({4, 4}, SplatShape::pixel);
      p.field = field;
      p.place.start = -1;
      p.quanta = light_quanta(1e8, field, segments);
      const std::vector<Body<double>> bodies(1000, Body<double>{0.5, 0.5, 0, 1e5});
      const auto sums = splat(cpu, bodies, p);
      const std::size_t pixel = static_cast<std::size_t>(light_words(field)) * 6;
      const auto light = static_cast<double>(sums[pixel]);
      EXPECT_EQ(light, 1e8 * p.quanta);
      EXPECT_LT(light, 0x1p63);
      EXPECT_GE(light, segments > 0                  ? 0x1p30
                       : field == BodyField::density ? 0x1p60
                                                     : 0x1p50)
          << "nothing is given away";
      if (field == BodyField::mass) {
        EXPECT_EQ(static_cast<double>(sums[pixel + 1]), light * max_place) << "all are at the top";
      }
    }
  EXPECT_EQ(light_quanta(0, BodyField::density, 0), 1);
  EXPECT_GT(light_quanta(1e-300, BodyField::density, 0), 1e300);
}

template <class Real>
std::vector<std::uint64_t> whole_picture(const Executor& executor, SplatShape shape, BodyField field) {
  SplatParams p = params_of({67, 45}, shape);
  p.lens.scale = 40;
  p.lens.origin[2] = 3;
  p.lens.perspective = true;
  p.radius = 2.2;
  p.quanta = 0x1p28;
  p.field = field;
  p.place.curve = Curve::asinh;
  p.place.linear_width = 0.1;
  p.place.factor = 0.2;
  return splat(executor, test::random_bodies<Real>(5000), p);
}

TEST(Splat, IsTheSameForAnyNumberOfThreadsAndOnAGpu) {
  for (const SplatShape shape : {SplatShape::pixel, SplatShape::bilinear, SplatShape::gaussian})
    for (const BodyField field : {BodyField::density, BodyField::speed}) {
      const auto expected = whole_picture<float>(Executor::cpu(1), shape, field);
      EXPECT_GT(sum(expected), std::uint64_t{1} << 38);
      for (const Executor& executor : test::cpu_executors())
        EXPECT_EQ(whole_picture<float>(executor, shape, field), expected) << executor.name();
      if (!cuda_devices().empty()) {
        const Executor gpu = Executor::cuda();
        EXPECT_EQ(whole_picture<float>(gpu, shape, field), expected);
        EXPECT_EQ(whole_picture<double>(gpu, shape, field), whole_picture<double>(Executor::cpu(2), shape, field));
      }
    }
}

// Boxes narrower and wider than a warp, one body a warp and many, as many as fill its groups and not.
TEST(Splat, GaussiansOfAnySizeAndNumberOnAGpuAreThoseOfTheCpu) {
  SKIP_WITHOUT_GPU();
  const Executor cpu = Executor::cpu(2), gpu = Executor::cuda();
  struct Case {
    std::size_t bodies;
    double radius;
    bool world = false;
  };
  const std::size_t warps = 64 * static_cast<std::size_t>(gpu.multiprocessors());
  for (const Case& c : {Case{1, 15},
                        {31, 128},
                        {7, 0.8},
                        {40001, 2.2},
                        {7 * warps + 1, 1.4},
                        {300001, 0.1},
                        {3001, 0.02, true},
                        {31, 2, true}}) {
    SplatParams p = params_of({67, 45}, SplatShape::gaussian);
    p.lens.scale = 40;
    if (c.world) {  // pixels: from less than the least radius to more than the most, and some behind the camera
      p.lens.perspective = true;
      p.lens.origin[2] = 0.5;
    }
    p.world_radius = c.world;
    p.radius = c.radius;
    p.quanta = 0x1p28;
    const auto bodies = test::random_bodies<float>(c.bodies);
    const auto expected = splat(cpu, bodies, p);
    EXPECT_GT(sum(expected), 0u) << c.bodies;
    EXPECT_EQ(splat(gpu, bodies, p), expected) << c.bodies << " bodies of radius " << c.radius;
  }
}

// Segments of one point and of thousands, narrow and wide, some through the camera, one a warp and many.
TEST(Splat, GaussianTrailsOfAnyLengthAndNumberOnAGpuAreThoseOfTheCpu) {
  SKIP_WITHOUT_GPU();
  struct Case {
    std::size_t bodies;
    int segments;
    double radius, zoom;
    bool perspective;
    bool world = false;
  };
  const auto picture = [](const Executor& executor, const Case& c, BodyField field) {
    const int entries = c.segments + 1;
    const Bodies<float> all(executor, test::random_bodies<float>(c.bodies * static_cast<std::size_t>(entries)));
    SplatParams p = params_of({67, 45}, SplatShape::gaussian);
    p.lens.scale = c.zoom;
    p.lens.perspective = c.perspective;
    if (c.perspective) p.lens.origin[2] = 0.2;
    p.world_radius = c.world;
    p.radius = c.radius;
    p.quanta = 0x1p28;
    p.field = field;
    Buffer<double> intervals(executor, static_cast<std::size_t>(c.segments));
    intervals.upload(std::vector<double>(intervals.size(), 0.1).data());
    const TrailView trail{all.view.position, all.view.velocity, all.view.group, c.bodies,
                          entries,           entries / 2,       c.segments,     intervals.data()};
    Sums sums(executor, p);
    splat_trails(executor, trail, p, sums.view);
    return sums.totals();
  };
  const Executor cpu = Executor::cpu(2), gpu = Executor::cuda();
  for (const BodyField field : {BodyField::density, BodyField::speed})
    for (const Case& c : {Case{1, 1, 6, 30, false},
                          {3, 20, 30, 400, false},
                          {5, 9, 4, 60, true},
                          {40, 7, 1.2, 10, false},
                          {40, 7, 0.1, 20, true, true},
                          {1, 3, 128, 0.01, false},
                          {20000, 4, 4, 0.3, false},
                          {20000, 4, 0.8, 2, true}}) {
      const auto expected = picture(cpu, c, field);
      EXPECT_GT(sum(expected), 0u) << c.bodies;
      EXPECT_EQ(picture(gpu, c, field), expected) << c.bodies << " bodies, radius " << c.radius;
    }
}

TEST(Splat, ThreadsAddToLayersOfTheirOwn) {
  const std::vector<Body<float>> bodies(30000, Body<float>{0.5f, 0.5f});
  for (const Executor& executor : test::cpu_executors()) {
    const SplatParams p = params_of({16, 16}, SplatShape::pixel);
    const Bodies<float> all(executor, bodies);
    Sums sums(executor, p);
    EXPECT_EQ(sums.view.layers, executor.threads());
    splat_bodies(executor, all.view, p, sums.view);
    const auto layers = sums.memory.download();
    for (std::size_t layer = 0; layer < layers.size() / 256; ++layer)
      EXPECT_EQ(layers[layer * 256 + 7 * 16 + 8], 30000 * one / static_cast<unsigned>(executor.threads()));
  }
}

TEST(Splat, MillionsOnAGpuAreTheSameToo) {
  SKIP_WITHOUT_GPU();
  const Executor cpu = Executor::cpu(2), gpu = Executor::cuda();
  const auto bodies = test::random_bodies<float>((1 << 20) + 77);
  for (const double scale : {300.0, 20.0, 1.0})  // pixels a unit: beyond the picture, crowded, all within a few pixels
    for (const BodyField field : {BodyField::density, BodyField::mass}) {
      SplatParams p = params_of({467, 351}, SplatShape::bilinear);
      p.lens.scale = scale;
      p.field = field;
      p.place.start = 0.5;
      p.quanta = light_quanta(2e6, field, 0);
      EXPECT_EQ(splat(gpu, bodies, p), splat(cpu, bodies, p)) << scale;
    }
}

TEST(Splat, QuantilesComeFromCounts) {
  const Executor cpu = Executor::cpu(3);
  std::vector<Body<double>> bodies;
  for (int i = 1; i <= 20000; ++i) bodies.push_back({0, 0, 0, 1, 0, 0.01 * i, 0});
  bodies.push_back({0, 0, 0, 1, std::numeric_limits<double>::infinity()});
  const Bodies<double> all(cpu, bodies);
  Buffer<std::byte> scratch(cpu, splat_scratch_bytes(bodies.size()));
  const auto counts = count_values(cpu, all.view, BodyField::speed, scratch.data());
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0u), 20000u);
  for (const double q : {0.01, 0.5, 0.99, 1.0}) {
    const auto bin = static_cast<std::size_t>(quantile_bin(counts, q));
    EXPECT_LE(bin_edge(bin), 200 * q);
    EXPECT_GE(bin_edge(bin + 1), 200 * q);
    EXPECT_LT(bin_edge(bin + 1), bin_edge(bin) * (1 + 1.0 / 256 + 1e-9));
  }
  EXPECT_EQ(bin_edge(static_cast<std::size_t>(quantile_bin(counts, 0))),
            bin_edge(static_cast<std::size_t>(quantile_bin(counts, 1e-9))));
  EXPECT_EQ(quantile_bin(std::vector<std::uint32_t>(100), 0.5), -1);
  EXPECT_NEAR(total_mass(cpu, all.view, scratch.data()), 20001, 0);
}

TEST(Splat, TonesRunFromBlackToWhite) {
  for (const Curve curve : {Curve::linear, Curve::log, Curve::sqrt, Curve::asinh}) {
    const ToneScale tone = tone_scale(curve, 0.05, 0, 5);
    const auto brightness = [&](double v) {
      return (curve_value(curve, tone.linear_width, v + tone.shift) - tone.start) * tone.factor;
    };
    EXPECT_NEAR(brightness(0), 0, 1e-12);
    EXPECT_NEAR(brightness(5), 1, 1e-12);
    const double expected = curve == Curve::linear ? 0.2
                            : curve == Curve::sqrt ? std::sqrt(0.2)
                            : curve == Curve::log  ? std::log(21.0) / std::log(101.0)
                                                   : std::asinh(20.0) / std::asinh(100.0);
    EXPECT_NEAR(brightness(1), expected, 1e-12);
  }
}

}  // namespace
}  // namespace simreel
