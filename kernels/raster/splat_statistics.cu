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
  return std::max(bins * sizeof(std::uint32_t), reduce_scratch_bytes(rows_of(bodies), sizeof(double)));
}

template <class Real>
double total_mass(const Executor& executor, const ParticlesView<Real>& bodies, void* scratch) {
  return reduce(executor, "add up the masses", rows_of(bodies.count), MassSum<Real>{bodies}, scratch);
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
template std::vector<std::uint32_t> count_values(const Executor&, const ParticlesView<float>&, BodyField, void*);
template std::vector<std::uint32_t> count_values(const Executor&, const ParticlesView<double>&, BodyField, void*);

}  // namespace simreel
