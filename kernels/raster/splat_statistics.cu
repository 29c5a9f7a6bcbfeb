// Statistics of the first frame: total mass, and histograms of light and of the values of bodies.

#include <cstring>

#include "kernels/base/reduce.h"
#include "kernels/raster/splat.h"
#include "kernels/raster/splat_dab.h"

namespace simreel {

namespace {

// The bin of a float is its upper bits: an ordered key with 8 bits of mantissa.
constexpr int bin_shift = 15;
constexpr std::size_t bins = std::size_t{0x7f800000} >> bin_shift;  // below infinity

constexpr int row_length = 4096;  // bodies in one row of the extents below
Extent rows_of(std::size_t count) {
  const int columns = static_cast<int>(std::min<std::size_t>(count, row_length));
  return {columns, columns == 0 ? 0 : static_cast<int>((count + row_length - 1) / row_length)};
}

template <class Real>
struct MassSum {
  using Value = double;
  ParticlesView<Real> bodies;
  HD static Value empty() { return 0; }
  HD static Value combine(const Value& a, const Value& b) { return a + b; }
  HD Value operator()(int x, int y) const {
    const std::size_t i = static_cast<std::size_t>(y) * row_length + static_cast<std::size_t>(x);
    if (i >= bodies.count) return 0;
    const double mass = static_cast<double>(bodies.position[i].w);
    return mass > 0 ? mass : 0;
  }
};

// Calls `take` with the body at a place of rows_of, if it counts.
template <class Real, class Take>
HD inline void with_body(const ParticlesView<Real>& bodies, int group, int x, int y, const Take& take) {
  const std::size_t i = static_cast<std::size_t>(y) * row_length + static_cast<std::size_t>(x);
  if (i >= bodies.count) return;
  if (group != every_group && (bodies.group ? bodies.group[i] : 0) != group) return;
  const Vec4<double> at{static_cast<double>(bodies.position[i].x), static_cast<double>(bodies.position[i].y),
                        static_cast<double>(bodies.position[i].z), static_cast<double>(bodies.position[i].w)};
  constexpr double max = std::numeric_limits<double>::max();
  if (std::fabs(at.x) <= max && std::fabs(at.y) <= max && std::fabs(at.z) <= max) take(at, i);
}

template <class Real>
struct MomentSum {
  using Value = Vec4<double>;
  ParticlesView<Real> bodies;
  const Vec4<Real>* of;
  int group;
  HD static Value empty() { return {0, 0, 0, 0}; }
  HD static Value combine(const Value& a, const Value& b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
  HD Value operator()(int x, int y) const {
    Value value = empty();
    with_body(bodies, group, x, y, [&](const Vec4<double>& q, std::size_t i) {
      const Vec4<Real>& v = of[i];
      if (q.w > 0)
        value = {q.w * static_cast<double>(v.x), q.w * static_cast<double>(v.y), q.w * static_cast<double>(v.z), q.w};
    });
    return value;
  }
};

template <class Real>
struct LeastAlong {
  using Value = Reach;
  ParticlesView<Real> bodies;
  int group;
  Directions directions;
  HD static Value empty() {
    Value value{};
    for (double& least : value) least = std::numeric_limits<double>::infinity();
    return value;
  }
  HD static Value combine(const Value& a, const Value& b) {
    Value least{};
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = a[i] < b[i] ? a[i] : b[i];
    return least;
  }
  HD Value operator()(int x, int y) const {
    Value value = empty();
    with_body(bodies, group, x, y, [&](const Vec4<double>& q, std::size_t) {
      const Vec4<double>& o = directions.origin;
      for (std::size_t i = 0; i < value.size(); ++i) {
        const Vec4<double>& n = directions.normals[i];
        value[i] = n.x * (q.x - o.x) + n.y * (q.y - o.y) + n.z * (q.z - o.z);
      }
    });
    return value;
  }
};

HD inline void count_in(std::uint32_t* counts, double value) {
  const float v = static_cast<float>(value);
  if (!(v >= 0 && v <= std::numeric_limits<float>::max())) return;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  std::uint32_t* const bin = counts + (bits >> bin_shift);
#ifdef __CUDA_ARCH__
  atomicAdd(bin, 1u);
#else
  __atomic_fetch_add(bin, 1u, __ATOMIC_RELAXED);
#endif
}

struct CountLight {
  PixelSums sums;
  double unit;
  std::uint32_t* counts;
  HD void operator()(int x, int y) const {
    const std::size_t pixel = static_cast<std::size_t>(y) * row_length + static_cast<std::size_t>(x);
    if (pixel >= sums.pixels) return;
    const std::uint64_t light = sums.total(pixel * static_cast<std::size_t>(sums.words));
    if (light > 0) count_in(counts, static_cast<double>(light) * unit);
  }
};

template <class Real>
struct CountValues {
  ParticlesView<Real> bodies;
  BodyField field;
  std::uint32_t* counts;
  HD void operator()(int x, int y) const {
    const std::size_t i = static_cast<std::size_t>(y) * row_length + static_cast<std::size_t>(x);
    if (i >= bodies.count) return;
    count_in(counts, body_value(field, bodies.position[i], bodies.velocity[i], bodies.group ? bodies.group[i] : 0));
  }
};

template <class Body>
std::vector<std::uint32_t> count(const Executor& executor, Extent extent, Body body, void* scratch) {
  std::vector<std::uint32_t> counts(bins);
  body.counts = static_cast<std::uint32_t*>(scratch);
  executor.clear(scratch, bins * sizeof counts[0]);
  parallel_for(executor, "count values", extent, body);
  executor.copy(counts.data(), scratch, bins * sizeof counts[0]);
  return counts;
}

}  // namespace

std::size_t splat_scratch_bytes(std::size_t bodies) {
  return std::max(bins * sizeof(std::uint32_t), reduce_scratch_bytes(rows_of(bodies), sizeof(Reach)));
}

template <class Real>
double total_mass(const Executor& executor, const ParticlesView<Real>& bodies, void* scratch) {
  return reduce(executor, "add up the masses", rows_of(bodies.count), MassSum<Real>{bodies}, scratch);
}

template <class Real>
Vec4<double> mean_by_mass(const Executor& executor, const ParticlesView<Real>& bodies, const Vec4<Real>* of, int group,
                          void* scratch) {
  const Vec4<double> sum =
      reduce(executor, "add up the moments", rows_of(bodies.count), MomentSum<Real>{bodies, of, group}, scratch);
  return {sum.x / sum.w, sum.y / sum.w, sum.z / sum.w, sum.w};
}

template <class Real>
Reach find_reach(const Executor& executor, const ParticlesView<Real>& bodies, int group, const Directions& directions,
                 void* scratch) {
  return reduce(executor, "find the reach", rows_of(bodies.count), LeastAlong<Real>{bodies, group, directions},
                scratch);
}

std::vector<std::uint32_t> count_light(const Executor& executor, const PixelSums& sums, double quanta, void* scratch) {
  return count(executor, rows_of(sums.pixels), CountLight{sums, 1 / quanta, nullptr}, scratch);
}

template <class Real>
std::vector<std::uint32_t> count_values(const Executor& executor, const ParticlesView<Real>& bodies, BodyField field,
                                        void* scratch) {
  return count(executor, rows_of(bodies.count), CountValues<Real>{bodies, field, nullptr}, scratch);
}

double bin_edge(std::size_t bin) {
  const auto bits = static_cast<std::uint32_t>(std::min(bin, bins) << bin_shift);
  float edge = 0;
  std::memcpy(&edge, &bits, sizeof edge);
  return static_cast<double>(edge);
}

std::ptrdiff_t quantile_bin(const std::vector<std::uint32_t>& counts, double q) {
  std::uint64_t all = 0, below = 0;
  for (const std::uint32_t n : counts) all += n;
  const double wanted = q * static_cast<double>(all);
  std::ptrdiff_t last = -1;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    if (counts[bin] == 0) continue;
    below += counts[bin];
    last = static_cast<std::ptrdiff_t>(bin);
    if (static_cast<double>(below) >= wanted) break;
  }
  return last;
}

template double total_mass(const Executor&, const ParticlesView<float>&, void*);
template double total_mass(const Executor&, const ParticlesView<double>&, void*);
template Vec4<double> mean_by_mass(const Executor&, const ParticlesView<float>&, const Vec4<float>*, int, void*);
template Vec4<double> mean_by_mass(const Executor&, const ParticlesView<double>&, const Vec4<double>*, int, void*);
template Reach find_reach(const Executor&, const ParticlesView<float>&, int, const Directions&, void*);
template Reach find_reach(const Executor&, const ParticlesView<double>&, int, const Directions&, void*);
template std::vector<std::uint32_t> count_values(const Executor&, const ParticlesView<float>&, BodyField, void*);
template std::vector<std::uint32_t> count_values(const Executor&, const ParticlesView<double>&, BodyField, void*);

}  // namespace simreel
