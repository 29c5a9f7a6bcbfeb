#include "kernels/nbody/nbody.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/math.h"
#include "kernels/nbody/cpu.h"
#include "kernels/nbody/naive.h"
#include "kernels/nbody/pair.h"
#include "kernels/nbody/tasks.h"

#ifdef __CUDACC__
#include "kernels/nbody/naive.cuh"
#endif

namespace simreel {
namespace {

// Many bodies at once on the CPU, each with the operations of NbodyNaive<double> in the same order.
struct DoubleBlock {
  static constexpr int size = 16;
  NbodySystem<double> system;
  std::size_t padded;

  void operator()(std::size_t block) const {
    const Vec4<double>* const targets = system.position + block * size;
    double x[size], y[size], z[size], sum_x[size] = {}, sum_y[size] = {}, sum_z[size] = {};
    for (int k = 0; k < size; ++k) {
      x[k] = targets[k].x;
      y[k] = targets[k].y;
      z[k] = targets[k].z;
    }
    for (std::size_t j = 0; j < system.count; ++j) {
      const Vec4<double> b = system.position[j];
      SIMREEL_INDEPENDENT
      for (int k = 0; k < size; ++k) {
        const double dx = b.x - x[k], dy = b.y - y[k], dz = b.z - z[k];
        const double s = nbody_strength(dx, dy, dz, b.w, system.softening2);
        sum_x[k] = std::fma(dx, s, sum_x[k]);
        sum_y[k] = std::fma(dy, s, sum_y[k]);
        sum_z[k] = std::fma(dz, s, sum_z[k]);
      }
    }
    for (int k = 0; k < size; ++k) {
      const std::size_t i = block * size + static_cast<std::size_t>(k);
      system.sum[i] = sum_x[k];
      system.sum[padded + i] = sum_y[k];
      system.sum[2 * padded + i] = sum_z[k];
    }
  }
};

// The bodies of the tiles that are asked for.
template <class Real>
struct Wanted {
  std::size_t first, count;

  explicit Wanted(const NbodySystem<Real>& system) {
    const auto body = [&](int tile) { return std::min(static_cast<std::size_t>(tile) * nbody_tile, system.count); };
    first = body(system.first_tile);
    count = body(system.end_tile) - first;
  }
};

bool forces_on_cpu(const Executor& executor, NbodyKernel kernel, const NbodySystem<double>& system,
                   const std::function<bool()>& stop) {
  const std::size_t padded = nbody_padded(system.count);
  const Wanted<double> wanted(system);
  if (kernel == NbodyKernel::naive) {
    const NbodyNaive<double> body{system, padded};
    return each_on_cpu(
        executor, wanted.count, 64, [&](std::size_t i) { body(wanted.first + i); }, stop);
  }
  const DoubleBlock block{system, padded};
  static_assert(nbody_tile % DoubleBlock::size == 0);
  return each_on_cpu(
      executor, (wanted.count + DoubleBlock::size - 1) / DoubleBlock::size, 4,
      [&](std::size_t i) { block(wanted.first / DoubleBlock::size + i); }, stop);
}

bool forces_on_cpu(const Executor& executor, NbodyKernel kernel, const NbodySystem<float>& system,
                   const std::function<bool()>& stop) {
  if (kernel == NbodyKernel::naive) {
    const NbodyNaive<float> body{system, nbody_padded(system.count)};
    const Wanted<float> wanted(system);
    return each_on_cpu(
        executor, wanted.count, 64, [&](std::size_t i) { body(wanted.first + i); }, stop);
  }
  const CpuForces forces(system);
  const int first_tile = system.first_tile;
  const auto tiles = static_cast<std::size_t>(std::min(system.end_tile, forces.tiles()) - first_tile);
  if (kernel == NbodyKernel::tiled)
    return each_on_cpu(
        executor, tiles, 1, [&](std::size_t i) { forces.one_side(first_tile + static_cast<int>(i)); }, stop);
  // Tasks long enough to amortise adding the totals of a tile, and enough of them to balance the threads.
  const auto reach = static_cast<std::size_t>(forces.tiles()) / 2;  // tiles to the right, at most
  const std::size_t pairs = tiles * (reach + 1), wanted = static_cast<std::size_t>(executor.threads()) * 16;
  const std::size_t steps = std::clamp<std::size_t>(pairs / wanted, 1, 16), chunks = (reach + steps) / steps;
  return each_on_cpu(
      executor, tiles * chunks, 1,
      [&](std::size_t task) {
        const int first = static_cast<int>(task / tiles * steps);
        forces.both_sides(first_tile + static_cast<int>(task % tiles), first, first + static_cast<int>(steps));
      },
      stop);
}

#ifdef __CUDACC__
void forces_on_gpu(const Executor& executor, const NbodyMethod& method, const NbodySystem<double>& system) {
  launch_nbody_ordered<double, 1024>(executor, method, system);
}
void forces_on_gpu(const Executor& executor, const NbodyMethod& method, const NbodySystem<float>& system) {
  const bool fast = method.arithmetic == NbodyArithmetic::fast;
  if (method.kernel == NbodyKernel::symmetric) return launch_nbody_symmetric(executor, fast, system);
  if (!fast) return launch_nbody_exact(executor, method, system);
  if (method.tile <= 256) return launch_nbody_ordered<float, 256>(executor, method, system);
  launch_nbody_ordered<float, 1024>(executor, method, system);
}
#endif

struct AddSums {
  static constexpr int row = 1 << 16;
  std::int64_t* sum;
  const std::int64_t* others;
  int count;
  std::size_t values;

  HD void operator()(int x, int y) const {
    const std::size_t i = static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x);
    if (i >= values) return;
    std::int64_t total = sum[i];
    for (int k = 0; k < count; ++k) total += others[static_cast<std::size_t>(k) * values + i];
    sum[i] = total;
  }
};

}  // namespace

void nbody_add_sums(const Executor& executor, std::int64_t* sum, const std::int64_t* others, int count,
                    std::size_t values) {
  const auto rows = static_cast<int>((values + AddSums::row - 1) / AddSums::row);
  parallel_for(executor, "nbody_add_sums", {AddSums::row, rows}, AddSums{sum, others, count, values});
}

template <class Real>
double nbody_softening2(double softening, double largest_mass) {
  constexpr int min = std::is_same_v<Real, float> ? -80 : -666;
  const int heavier = std::max(0, static_cast<int>(std::ceil(std::log2(largest_mass))) - 6);
  return std::max(softening * softening, exact::power_of_two(min + (2 * heavier + 2) / 3));
}

NbodyFixed nbody_fixed(std::size_t count, double total_mass, double largest_mass, double radius, double softening2) {
  constexpr double range = 0x1p62;
  // |q| / (q^2 + e^2)^(3/2) is largest at q = e / sqrt(2).
  const double bounded = total_mass * 0.3849001794597505 / softening2 * 1.001;
  const double whole = radius > 0 ? total_mass / (radius * radius) : bounded;  // typical acceleration by all bodies
  const double partial =
      radius > 0 ? std::max(0x1p10 * total_mass, 0x1p27 * largest_mass) / (radius * radius) : bounded;
  const double partials = std::ceil(static_cast<double>(count) / nbody_lanes) + nbody_rows + 1.0;
  // If the bound leaves 30 bits for `whole`, every partial sum stays within it.
  const bool safe = bounded <= std::max(partial * partials, range * 0x1p-30 * whole);
  const double largest = safe ? bounded : partial * partials;
  NbodyFixed fixed;
  constexpr double largest_float = 0x1.fffffep127;
  fixed.limit = static_cast<float>(std::min(safe ? bounded : partial, largest_float));
  const double exponent = std::floor(std::log2(range / largest));  // infinite where nothing has a mass
  fixed.scale = static_cast<float>(
      exact::power_of_two(std::isfinite(exponent) ? static_cast<int>(std::clamp(exponent, -120.0, 120.0)) : -120));
  fixed.unit = 1.0 / static_cast<double>(fixed.scale);
  return fixed;
}

template <class Real>
bool nbody_forces(const Executor& executor, const NbodyMethod& method, const NbodySystem<Real>& system,
                  const std::function<bool()>& stop) {
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    forces_on_gpu(executor, method, system);
    return true;
  }
#endif
  return forces_on_cpu(executor, method.kernel, system, stop);
}

template double nbody_softening2<float>(double, double);
template double nbody_softening2<double>(double, double);
template bool nbody_forces(const Executor&, const NbodyMethod&, const NbodySystem<float>&,
                           const std::function<bool()>&);
template bool nbody_forces(const Executor&, const NbodyMethod&, const NbodySystem<double>&,
                           const std::function<bool()>&);

}  // namespace simreel
