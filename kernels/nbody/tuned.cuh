#pragma once
// Forces on a GPU. Symmetric kernel: a warp holds the 128 bodies of a tile in registers, four per lane. Rows of the
// tiles to its right rotate through the lanes, one lane per iteration, and carry their own sums along. An interaction
// (both directions) takes about 13 issue slots (exact) or 10 (fast); with one body per thread, one direction alone
// takes 19 or more. Measured on an H200 at N = 262144 against the tiled kernel of the CUDA sample: exact 1.09 and
// fast 1.56 times as fast. Eight bodies per lane are 5 % faster still, but would double the tile size, which slows
// small N.
// The ordered kernels, fast, against the same: tiled 2.4 times at N = 16384, 1.15 at 65536, 1.14 at 262144; naive 2.1,
// 1.00 and 0.96, limited by a load from L1 for every source.

#include <algorithm>

#include "exec/cuda_check.h"
#include "kernels/nbody/pair.h"

namespace simreel {

struct FastStrength {
  // The instruction that rsqrtf becomes with -ftz=true, independent of flags; error of a few units in the last place.
  __device__ static float inverse_root(float distance2) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(distance2));
    return root;
  }
  __device__ static float of(float distance2) {
    const float root = inverse_root(distance2);
    return root * root * root;
  }
};

__device__ inline void nbody_atomic_add(std::int64_t* sum, std::int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
}

inline constexpr int nbody_block_warps = 4;

// How the symmetric kernel splits its work. The rows of sources of tile i are numbered from 0: its own rows, then those
// of the tiles to its right. A task is `span` rows of one of the `wanted` tiles from `first` on.
struct NbodyCut {
  int tiles, rows_of_last, span;
  int first, wanted;

  __device__ int rows(int i) const { return (1 + nbody_right_neighbours(i, tiles)) * nbody_rows; }
};

// `exact`: the sum over each row is converted to an integer (see pair.h). Otherwise the sum over the whole task is.
template <class Strength, bool exact>
__global__ void __launch_bounds__(nbody_block_warps* nbody_lanes)
    nbody_symmetric(const __grid_constant__ NbodySystem<float> system, const NbodyCut cut) {
  __shared__ Vec4<float> passing[nbody_block_warps][2 * nbody_lanes];
  const int lane = threadIdx.x % nbody_lanes, warp = threadIdx.x / nbody_lanes;
  Vec4<float>* const window = passing[warp];
  const long long task = static_cast<long long>(blockIdx.x) * nbody_block_warps + warp;
  const int tile = cut.first + static_cast<int>(task % cut.wanted);
  const long long first = task / cut.wanted * cut.span;
  const int all = cut.rows(tile);
  if (first >= all) return;
  const int last = first + cut.span < all ? static_cast<int>(first) + cut.span : all;
  const std::size_t padded = static_cast<std::size_t>(cut.tiles) * nbody_tile;

  Vec4<float> a[nbody_rows];
  Vec3<float> sum[nbody_rows];
  Vec3<std::int64_t> total[nbody_rows];
  bool bad[nbody_rows], bad_source = false;
#pragma unroll
  for (int k = 0; k < nbody_rows; ++k) {
    a[k] = system.position[static_cast<std::size_t>(tile) * nbody_tile + k * nbody_lanes + lane];
    sum[k] = {0, 0, 0};
    total[k] = {0, 0, 0};
    bad[k] = false;
  }
  for (int u = static_cast<int>(first); u < last; ++u) {
    const int steps = u / nbody_rows, row = u % nbody_rows;
    const int other = tile + steps < cut.tiles ? tile + steps : tile + steps - cut.tiles;
    if (other == cut.tiles - 1 && row >= cut.rows_of_last) continue;
    const std::size_t j = static_cast<std::size_t>(other) * nbody_tile + row * nbody_lanes + lane;
    __syncwarp();
    window[lane] = window[lane + nbody_lanes] = system.position[j];
    __syncwarp();
    if (steps == 0) {
#pragma unroll 2
      for (int r = 0; r < nbody_lanes; ++r) {
        const Vec4<float> b = window[lane + r];
#pragma unroll
        for (int k = 0; k < nbody_rows; ++k) nbody_pull(sum[k], nbody_pair<Strength>(a[k], b, system.softening2), b.w);
      }
    } else {
      Vec3<float> back{0, 0, 0};  // minus the force on the source
#pragma unroll 8
      for (int r = 0; r < nbody_lanes; ++r) {
        const Vec4<float> b = window[lane + r];
#pragma unroll
        for (int k = 0; k < nbody_rows; ++k) {
          const NbodyPair pair = nbody_pair<Strength>(a[k], b, system.softening2);
          nbody_pull(sum[k], pair, b.w);
          nbody_pull(back, pair, a[k].w);
        }
        back.x = __shfl_sync(0xffffffffu, back.x, (lane + 1) % nbody_lanes);
        back.y = __shfl_sync(0xffffffffu, back.y, (lane + 1) % nbody_lanes);
        back.z = __shfl_sync(0xffffffffu, back.z, (lane + 1) % nbody_lanes);
      }
      if (j < system.count) {
        nbody_atomic_add(system.sum + j, nbody_fix(-back.x, system.fixed, bad_source));
        nbody_atomic_add(system.sum + padded + j, nbody_fix(-back.y, system.fixed, bad_source));
        nbody_atomic_add(system.sum + 2 * padded + j, nbody_fix(-back.z, system.fixed, bad_source));
      }
    }
    if (exact) {
#pragma unroll
      for (int k = 0; k < nbody_rows; ++k) {
        nbody_fix_add(total[k], sum[k], system.fixed, bad[k]);
        sum[k] = {0, 0, 0};
      }
    }
  }
#pragma unroll
  for (int k = 0; k < nbody_rows; ++k) {
    if (!exact) nbody_fix_add(total[k], sum[k], system.fixed, bad[k]);
    const std::size_t i = static_cast<std::size_t>(tile) * nbody_tile + k * nbody_lanes + lane;
    if (i >= system.count) continue;
    nbody_atomic_add(system.sum + i, total[k].x);
    nbody_atomic_add(system.sum + padded + i, total[k].y);
    nbody_atomic_add(system.sum + 2 * padded + i, total[k].z);
    bad_source = bad_source || bad[k];
  }
  if (bad_source) nbody_raise(system.overflow);
}

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
// one part. `most` bounds the threads per block: with 256 the compiler may use more registers and load further ahead.
template <class Real, bool shared, int most>
__global__ void __launch_bounds__(most)
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

template <class Real>
NbodyCut nbody_cut(const NbodySystem<Real>& system) {
  const int tiles = static_cast<int>(nbody_padded(system.count) / nbody_tile);
  return {tiles, static_cast<int>((system.count - 1) % nbody_tile) / nbody_lanes + 1, 1, system.first_tile,
          std::min(system.end_tile, tiles) - system.first_tile};
}

template <class Real, int most>
void launch_nbody_ordered(const Executor& executor, const NbodyMethod& method, const NbodySystem<Real>& system) {
  const bool shared = method.kernel == NbodyKernel::tiled;
  const auto kernel = shared ? nbody_ordered<Real, true, most> : nbody_ordered<Real, false, most>;
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

inline void launch_nbody(const Executor& executor, const NbodyMethod& method, const NbodySystem<double>& system) {
  launch_nbody_ordered<double, 1024>(executor, method, system);
}

inline void launch_nbody(const Executor& executor, const NbodyMethod& method, const NbodySystem<float>& system) {
  const bool fast = method.arithmetic == NbodyArithmetic::fast;
  NbodyCut cut = nbody_cut(system);
  if (method.kernel == NbodyKernel::symmetric) {
    // Enough tasks for four waves of four blocks per multiprocessor, within the limit of a launch.
    const std::int64_t rows = std::int64_t{cut.wanted} * (1 + cut.tiles / 2) * nbody_rows;
    const std::int64_t wanted = std::int64_t{executor.multiprocessors()} * nbody_block_warps * 16;
    constexpr std::int64_t most = std::int64_t{1} << 32;
    cut.span =
        static_cast<int>(std::clamp<std::int64_t>(rows / wanted, 1, std::max<std::int64_t>(32, rows / most + 1)));
    const std::int64_t chunks = (std::int64_t{1 + cut.tiles / 2} * nbody_rows + cut.span - 1) / cut.span;
    const std::int64_t blocks = (cut.wanted * chunks + nbody_block_warps - 1) / nbody_block_warps;
    const auto kernel = fast ? nbody_symmetric<FastStrength, false> : nbody_symmetric<ExactStrength, true>;
    kernel<<<static_cast<unsigned>(blocks), nbody_block_warps * nbody_lanes, 0, executor.stream()>>>(system, cut);
    return check_launch("nbody_symmetric");
  }
  if (fast && method.tile <= 256) return launch_nbody_ordered<float, 256>(executor, method, system);
  if (fast) return launch_nbody_ordered<float, 1024>(executor, method, system);
  const bool shared = method.kernel == NbodyKernel::tiled;
  const auto kernel = shared ? nbody_exact<true> : nbody_exact<false>;
  const std::size_t tile = static_cast<std::size_t>(method.tile);
  const std::size_t blocks = (static_cast<std::size_t>(cut.wanted) * nbody_tile + tile - 1) / tile;
  const std::size_t bytes = shared ? std::max<std::size_t>(tile, nbody_tile) * sizeof(Vec4<float>) : 0;
  kernel<<<static_cast<unsigned>(blocks), method.tile, bytes, executor.stream()>>>(system, cut);
  check_launch("nbody_exact");
}

}  // namespace simreel
