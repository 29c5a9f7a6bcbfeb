#pragma once
// Forces on a GPU with a thread per body, one direction of a pair at a time: solver.kernel = "naive" and "tiled", with
// which others are compared, and all forces in double. Measured as in tuned.cuh, fast: tiled 2.4 times as fast as the
// CUDA sample at N = 16384, 1.15 at 65536, 1.14 at 262144; naive 2.1, 1.00 and 0.96, limited by a load from L1 for
// every source.

#include <algorithm>

#include "kernels/nbody/tuned.cuh"

namespace simreel {

// One thread per body, `exact`: sources from global memory, or in shared memory, in as many whole tiles at a time as
// there are threads to load one source each.
template <bool shared>
__global__ void nbody_exact(const __grid_constant__ NbodySystem<float> system, const NbodyCut cut) {
  extern __shared__ Vec4<float> staged[];
  const std::size_t i = static_cast<std::size_t>(cut.first) * nbody_tile +
                        static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t padded = static_cast<std::size_t>(cut.tiles) * nbody_tile;
  const int tile = static_cast<int>(i / nbody_tile), lane = static_cast<int>(i % nbody_lanes);
  const int staged_tiles = blockDim.x > nbody_tile ? blockDim.x / nbody_tile : 1;
  const Vec4<float> a = i < padded ? system.position[i] : Vec4<float>{0, 0, 0, 0};
  Vec3<std::int64_t> total{0, 0, 0};
  bool bad = false;
  for (int start = 0; start < cut.tiles; start += staged_tiles) {
    const Vec4<float>* const from = system.position + static_cast<std::size_t>(start) * nbody_tile;
    const int here = start + staged_tiles < cut.tiles ? staged_tiles : cut.tiles - start;
    if (shared) {
      __syncthreads();
      for (int k = threadIdx.x; k < here * nbody_tile; k += blockDim.x) staged[k] = from[k];
      __syncthreads();
    }
    for (int t = 0; t < here; ++t) {
      const Vec4<float>* const sources = (shared ? staged : from) + t * nbody_tile;
      const int other = start + t;
      nbody_tile_pull(
          a, lane, nbody_is_left(tile, other, cut.tiles), other < cut.tiles - 1 ? nbody_rows : cut.rows_of_last,
          system.softening2, system.fixed, [sources](int k) { return sources[k]; }, total, bad);
    }
  }
  if (i >= system.count || tile >= cut.first + cut.wanted) return;
  system.sum[i] += total.x;
  system.sum[padded + i] += total.y;
  system.sum[2 * padded + i] += total.z;
  if (bad) nbody_raise(system.overflow);
}

// The source is passed by value: through a reference the compiler loads the mass a second time.
__device__ inline void nbody_in_order(Vec3<float>& sum, const Vec4<float>& a, const Vec4<float> b, float softening2) {
  const float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
  const float root = FastStrength::inverse_root(std::fma(x, x, std::fma(y, y, std::fma(z, z, softening2))));
  const float s = (b.w * root) * (root * root);
  sum.x = std::fma(x, s, sum.x);
  sum.y = std::fma(y, s, sum.y);
  sum.z = std::fma(z, s, sum.z);
}
__device__ inline void nbody_in_order(Vec3<double>& sum, const Vec4<double>& a, const Vec4<double> b,
                                      double softening2) {
  nbody_pull_double(sum, a, b, softening2);
}

__device__ inline void nbody_store(const NbodySystem<float>& system, std::size_t padded, std::size_t i,
                                   const Vec3<float>& sum) {
  bool bad = false;
  nbody_atomic_add(system.sum + i, nbody_fix(sum.x, system.fixed, bad));
  nbody_atomic_add(system.sum + padded + i, nbody_fix(sum.y, system.fixed, bad));
  nbody_atomic_add(system.sum + 2 * padded + i, nbody_fix(sum.z, system.fixed, bad));
  if (bad) nbody_raise(system.overflow);
}
__device__ inline void nbody_store(const NbodySystem<double>& system, std::size_t padded, std::size_t i,
                                   const Vec3<double>& sum) {
  system.sum[i] = sum.x;
  system.sum[padded + i] = sum.y;
  system.sum[2 * padded + i] = sum.z;
}

// One thread per body and part of the sources, sources in order: the classical naive and tiled kernels, for `fast` and
// for double. Blocks with y = n take the `part` sources from n * part on, a multiple of the block's size; double has
// one part. `max` bounds the threads per block: with 256 the compiler may use more registers and load further ahead.
template <class Real, bool shared, int max>
__global__ void __launch_bounds__(max)
    nbody_ordered(const __grid_constant__ NbodySystem<Real> system, const std::size_t padded, const std::size_t part,
                  const std::size_t begin, const std::size_t end) {
  extern __shared__ unsigned char memory[];
  Vec4<Real>* const staged = reinterpret_cast<Vec4<Real>*>(memory);
  constexpr int unroll = sizeof(Real) == sizeof(float) ? 32 : 8;
  const std::size_t i = begin + static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t first = blockIdx.y * part, last = first + part < system.count ? first + part : system.count;
  const Vec4<Real> a = i < padded ? system.position[i] : Vec4<Real>{0, 0, 0, 0};
  Vec3<Real> sum{0, 0, 0};
  if (!shared) {
#pragma unroll unroll
    for (std::size_t j = first; j < last; ++j) nbody_in_order(sum, a, system.position[j], system.softening2);
  } else {
    for (std::size_t start = first; start < last; start += blockDim.x) {
      const std::size_t mine = start + threadIdx.x;
      __syncthreads();
      // Beyond the last body: no mass, so no force.
      staged[threadIdx.x] = mine < system.count ? system.position[mine] : Vec4<Real>{0, 0, 0, 0};
      __syncthreads();
#pragma unroll unroll / 8
      for (int j = 0; j < static_cast<int>(blockDim.x); j += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k) nbody_in_order(sum, a, staged[j + k], system.softening2);
      }
    }
  }
  if (i < end) nbody_store(system, padded, i, sum);
}

template <class Real, int max>
void launch_nbody_ordered(const Executor& executor, const NbodyMethod& method, const NbodySystem<Real>& system) {
  const bool shared = method.kernel == NbodyKernel::tiled;
  const auto kernel = shared ? nbody_ordered<Real, true, max> : nbody_ordered<Real, false, max>;
  const NbodyCut cut = nbody_cut(system);
  const std::size_t begin = static_cast<std::size_t>(cut.first) * nbody_tile;
  const std::size_t end = std::min(static_cast<std::size_t>(cut.first + cut.wanted) * nbody_tile, system.count);
  const std::size_t tile = static_cast<std::size_t>(method.tile), blocks = (end - begin + tile - 1) / tile;
  // Sums that become integers may be split over threads: into enough parts to fill every multiprocessor four times, of
  // at least 256 sources.
  std::size_t parts = 1;
  if (sizeof(Real) == sizeof(float)) {
    const std::size_t held = std::min<std::size_t>(2048 / tile, 32);  // blocks, by a multiprocessor
    const std::size_t wanted = 4 * static_cast<std::size_t>(executor.multiprocessors()) * held;
    parts = std::clamp<std::size_t>((wanted + blocks - 1) / blocks, 1, (system.count + 255) / 256);
  }
  const std::size_t part = ((system.count + parts - 1) / parts + tile - 1) / tile * tile;
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>((system.count + part - 1) / part));
  kernel<<<grid, method.tile, shared ? tile * sizeof(Vec4<Real>) : 0, executor.stream()>>>(
      system, nbody_padded(system.count), part, begin, end);
  check_launch("nbody_ordered");
}

inline void launch_nbody_exact(const Executor& executor, const NbodyMethod& method, const NbodySystem<float>& system) {
  const NbodyCut cut = nbody_cut(system);
  const bool shared = method.kernel == NbodyKernel::tiled;
  const auto kernel = shared ? nbody_exact<true> : nbody_exact<false>;
  const std::size_t tile = static_cast<std::size_t>(method.tile);
  const std::size_t blocks = (static_cast<std::size_t>(cut.wanted) * nbody_tile + tile - 1) / tile;
  const std::size_t bytes = shared ? std::max<std::size_t>(tile, nbody_tile) * sizeof(Vec4<float>) : 0;
  kernel<<<static_cast<unsigned>(blocks), method.tile, bytes, executor.stream()>>>(system, cut);
  check_launch("nbody_exact");
}

}  // namespace simreel
