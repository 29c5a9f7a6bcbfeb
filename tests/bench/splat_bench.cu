// How fast bodies become light: splats a second for each shape, spread over the picture and crowded into a disk, and
// the time to colour the picture.
//   splat_bench [BODIES [cpu|cuda [THREADS]]]      default: 100 million, a GPU where there is one; 1920 x 1080

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "exec/buffer.h"
#include "kernels/base/random.h"
#include "kernels/raster/splat.h"

namespace simreel {
namespace {

constexpr Size size{1920, 1080};

// Density falls with the distance from the middle, as in most pictures of bodies: half side `reach` world units.
struct ScatterBodies {
  Vec4<float>*position, *velocity;
  float reach;
  int row;  // bodies a row

  HD void operator()(int x, int y) const {
    const std::uint64_t i =
        static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(row) + static_cast<std::uint64_t>(x);
    const auto number = [&](std::uint64_t stream) { return static_cast<float>(random_unit(1, stream, i)); };
    const float r = number(0) * reach;
    position[i] = {(2 * number(1) - 1) * r, (2 * number(2) - 1) * r, 0, 1};
    velocity[i] = {number(3), number(4), number(5), 0};
  }
};

// Seen from 5 units away; a unit is half the picture's height.
SplatParams params_of(SplatShape shape, BodyField field, double bodies) {
  SplatParams p;
  p.lens.origin[2] = 5;
  p.lens.right[0] = p.lens.up[1] = 1;
  p.lens.forward[2] = -1;
  p.lens.scale = 0.5 * size.height * 5;
  p.lens.centre_x = 0.5 * size.width;
  p.lens.centre_y = 0.5 * size.height;
  p.size = size;
  p.shape = shape;
  p.radius = 1.5;
  p.quanta = light_quanta(bodies, field, 0);
  p.field = field;
  return p;
}

template <class Work>
double median_seconds(const Executor& executor, const Work& work) {
  std::vector<double> seconds;
  for (int run = 0; run < 6; ++run) {
    executor.wait();
    const auto start = std::chrono::steady_clock::now();
    work();
    executor.wait();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (run > 0) seconds.push_back(time.count());  // the first one warms up
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

void measure(const Executor& executor, std::size_t bodies) {
  constexpr int row = 1 << 14;
  const std::size_t rows = (bodies + row - 1) / row;
  Buffer<Vec4<float>> position(executor, rows * row), velocity(executor, rows * row);
  const ParticlesView<float> view{position.data(), velocity.data(), nullptr, bodies};
  Buffer<Color> colors(executor, 259), canvas(executor, static_cast<std::size_t>(size.width) * size.height);
  Buffer<std::uint64_t> burnt(executor, 1);
  colors.clear();
  burnt.clear();
  std::printf("%s, %zu bodies on %d x %d\n\n%-22s%-12s%12s%16s%14s\n", executor.name().c_str(), bodies, size.width,
              size.height, "bodies", "splat", "ms", "G splats/s", "shade, ms");
  struct Crowd {
    const char* name;
    float reach;
  };
  for (const Crowd crowd :
       {Crowd{"spread out", 1}, Crowd{"in a disk of 54 px", 0.1f}, Crowd{"in a disk of 11 px", 0.02f}}) {
    parallel_for(executor, "scatter bodies", {row, static_cast<int>(rows)},
                 ScatterBodies{position.data(), velocity.data(), crowd.reach, row});
    struct Kind {
      const char* name;
      SplatShape shape;
      BodyField field;
    };
    for (const Kind kind : {Kind{"pixel", SplatShape::pixel, BodyField::density},
                            Kind{"bilinear", SplatShape::bilinear, BodyField::density},
                            Kind{"... by speed", SplatShape::bilinear, BodyField::speed},
                            Kind{"gaussian", SplatShape::gaussian, BodyField::density}}) {
      // A gaussian is some sixty pixels: a part of the bodies tells as much.
      ParticlesView<float> some = view;
      if (kind.shape == SplatShape::gaussian) some.count = std::max<std::size_t>(1, bodies / 16);
      PixelSums sums;
      sums.pixels = canvas.size();
      sums.words = light_words(kind.field);
      sums.layers = scatter_layers(executor, sums.layer_size() * sizeof(std::uint64_t));
      Buffer<std::uint64_t> light(executor, sums.layer_size() * static_cast<std::size_t>(sums.layers));
      light.clear();
      sums.sums = light.data();
      const SplatParams p = params_of(kind.shape, kind.field, static_cast<double>(bodies));
      const double splat = median_seconds(executor, [&] { splat_bodies(executor, some, p, sums); });
      const ToneScale tone = tone_scale(Curve::asinh, 1, 0, 100);
      const double both = median_seconds(executor, [&] {
        splat_bodies(executor, some, p, sums);
        shade_light(executor, sums, SumsAfter::cleared, p.quanta, tone, colors.data(), 256, {},
                    Canvas<Color>{canvas.data(), size, size.width}, burnt.data());
      });
      std::printf("%-22s%-12s%12.3f%16.3f%14.3f\n", crowd.name, kind.name, 1e3 * splat,
                  static_cast<double>(some.count) / splat / 1e9, 1e3 * (both - splat));
    }
  }
}

}  // namespace
}  // namespace simreel

int main(int count, char** arguments) {
  using simreel::Executor;
  const std::size_t bodies = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 100'000'000;
  const std::string_view backend = count > 2 ? arguments[2] : simreel::cuda_devices().empty() ? "cpu" : "cuda";
  const int threads = count > 3 ? std::atoi(arguments[3]) : 0;
  if (bodies == 0 || (backend != "cpu" && backend != "cuda")) {
    std::fprintf(stderr, "usage: %s [BODIES [cpu|cuda [THREADS]]]\n", arguments[0]);
    return 2;
  }
  simreel::measure(backend == "cuda" ? Executor::cuda(0, threads) : Executor::cpu(threads), bodies);
}
