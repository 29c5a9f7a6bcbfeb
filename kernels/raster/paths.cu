#include "kernels/raster/paths.h"

#include <atomic>
#include <cmath>

#include "kernels/base/launch.h"
#include "kernels/raster/pixel_word.h"

namespace simreel {
namespace {

constexpr int set_bits = 8;
constexpr float opaque = 65535;

HD void raise_mark(std::uint32_t& mark, std::uint32_t value) {
#ifdef __CUDA_ARCH__
  atomicMax(&mark, value);
#else
  const std::atomic_ref all(mark);
  std::uint32_t seen = all.load(std::memory_order_relaxed);
  while (seen < value && !all.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
#endif
}

struct MarkPaths {
  PathsView paths;
  PathPlace place;
  float radius, opacity;
  std::uint32_t* marks;

  struct End {
    float x, y, age;  // pixels from the upper left corner; share of the time for which it is seen
  };

  // Point 0 of a path is where the particle is now.
  HD PathPoint point(int i, int k) const {
    if (k == 0) return paths.now[i];
    const int row = paths.newest - (k - 1);
    return paths
        .past[static_cast<std::size_t>(row < 0 ? row + paths.rows : row) * static_cast<std::size_t>(paths.count) +
              static_cast<std::size_t>(i)];
  }
  HD End end(const PathPoint& at, int k) const {
    const float across = static_cast<float>(place.size.width) / place.nx;
    const float down = static_cast<float>(place.size.height) / place.ny;
    return {(at.x - place.first_x + 0.5F) * across,
            static_cast<float>(place.size.height) - (at.y - place.first_y + 0.5F) * down,
            k == 0 ? 0.0F : paths.age + static_cast<float>(k - 1) * paths.step};
  }

  // The first and the last pixel, of `pixels`, whose centres are within `reach` of [low, high]; none if last < first.
  HD static void span(float low, float high, float reach, int pixels, int& first, int& last) {
    const float from = std::floor(low - reach), to = std::floor(high + reach);
    const auto most = static_cast<float>(pixels);
    first = from < 0 ? 0 : from > most ? pixels : static_cast<int>(from);
    last = to < 0 ? -1 : to >= most ? pixels - 1 : static_cast<int>(to);
  }

  // A line of the given half width that fades along it; a disc where both ends are the same.
  HD void line(const End& a, const End& b, float half_width, std::uint32_t set) const {
    const float reach = half_width + 0.5F, dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
    int x0, x1, y0, y1;
    span(a.x < b.x ? a.x : b.x, a.x < b.x ? b.x : a.x, reach, place.size.width, x0, x1);
    span(a.y < b.y ? a.y : b.y, a.y < b.y ? b.y : a.y, reach, place.size.height, y0, y1);
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) {
        const float px = static_cast<float>(x) + 0.5F - a.x, py = static_cast<float>(y) + 0.5F - a.y;
        float along = length > 0 ? (px * dx + py * dy) / length : 0.0F;
        along = along < 0 ? 0.0F : along > 1 ? 1.0F : along;
        const float ox = px - along * dx, oy = py - along * dy;
        float cover = reach - std::sqrt(ox * ox + oy * oy);
        const float seen = 1 - (a.age + along * (b.age - a.age));
        if (!(cover > 0) || !(seen > 0)) continue;
        cover = cover > 1 ? 1.0F : cover;
        const auto level = static_cast<std::uint32_t>(opacity * cover * seen * opaque + 0.5F);
        if (level == 0) continue;
        raise_mark(marks[static_cast<std::size_t>(y) * static_cast<std::size_t>(place.size.width) +
                         static_cast<std::size_t>(x)],
                   level << set_bits | set);
      }
  }

  HD void operator()(int i, int k) const {
    const PathPoint here = point(i, k);
    if (here.life == 0) return;
    std::uint32_t set = 0;
    while (set + 1 < static_cast<std::uint32_t>(paths.sets) && i >= paths.end[set]) ++set;
    const End from = end(here, k);
    if (k == 0) line(from, from, radius, set);
    if (k == paths.rows || from.age >= 1) return;
    const PathPoint before = point(i, k + 1);
    if (before.life != here.life || std::fabs(before.x - here.x) > paths.farthest_x ||
        std::fabs(before.y - here.y) > paths.farthest_y)
      return;
    line(from, end(before, k + 1), 0.6F * radius, set);
  }
};

template <class Pixel>
struct BlendMarks {
  const std::uint32_t* marks;
  PathStyle style;
  Canvas<Pixel> canvas;

  HD void operator()(int x, int y) const {
    using Word = PixelWord<Pixel>;
    constexpr int bits = channel_bits<Word>;
    const std::uint32_t mark =
        marks[static_cast<std::size_t>(y) * static_cast<std::size_t>(canvas.size.width) + static_cast<std::size_t>(x)];
    if (mark == 0) return;
    const Color color = style.color[mark & ((1U << set_bits) - 1)];
    const std::uint64_t level = (std::uint64_t{mark >> set_bits} * color.a + 127) / 255;
    const std::uint64_t alpha = (level * static_cast<std::uint64_t>(max_level<Word>) + 32767) / 65535;
    const Word opaque_color = word_of<Pixel>(Color{color.r, color.g, color.b, 0});
    Pixel* const pixel = canvas.pixels + static_cast<std::ptrdiff_t>(y) * canvas.pitch + x;
    store_pixel(pixel,
                blend_over(static_cast<Word>(opaque_color | static_cast<Word>(alpha) << 3 * bits), load_pixel(pixel)));
  }
};

}  // namespace

void mark_paths(const Executor& executor, const PathsView& paths, const PathPlace& place, const PathStyle& style,
                std::uint32_t* marks) {
  parallel_for(executor, "mark the paths", {paths.count, paths.rows + 1},
               MarkPaths{paths, place, style.radius, style.opacity, marks});
}

template <class Pixel>
void blend_marks(const Executor& executor, const std::uint32_t* marks, const PathStyle& style,
                 const Canvas<Pixel>& canvas) {
  parallel_for(executor, "blend the paths", {canvas.size.width, canvas.size.height},
               BlendMarks<Pixel>{marks, style, canvas});
}

template void blend_marks(const Executor&, const std::uint32_t*, const PathStyle&, const Canvas<Color>&);
template void blend_marks(const Executor&, const std::uint32_t*, const PathStyle&, const Canvas<DeepColor>&);

}  // namespace simreel
