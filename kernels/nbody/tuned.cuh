#pragma once
// Forces on a GPU. Symmetric kernel: a warp holds the 128 bodies of a tile in registers, four per lane. Rows of the
// tiles to its right rotate through the lanes, one lane per iteration, and carry their own sums along. An interaction
// (both directions) takes about 13 issue slots (exact) or 10 (fast); with one body per thread, one direction alone
// takes 19 or more. Measured on an H200 at N = 262144 against the tiled kernel of the CUDA sample: exact 1.09 and
// fast 1.56 times as fast. Eight bodies per lane are 5 % faster still, but would double the tile size, which slows
// small N.

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

template <class Real>
NbodyCut nbody_cut(const NbodySystem<Real>& system) {
  const int tiles = static_cast<int>(nbody_padded(system.count) / nbody_tile);
  return {tiles, static_cast<int>((system.count - 1) % nbody_tile) / nbody_lanes + 1, 1, system.first_tile,
          std::min(system.end_tile, tiles) - system.first_tile};
}

// In enough tasks for four waves of four blocks per multiprocessor, within the limit of a launch.
inline void launch_nbody_symmetric(const Executor& executor, bool fast, const NbodySystem<float>& system) {
  NbodyCut cut = nbody_cut(system);
  const std::int64_t rows = std::int64_t{cut.wanted} * (1 + cut.tiles / 2) * nbody_rows;
  const std::int64_t wanted = std::int64_t{executor.multiprocessors()} * nbody_block_warps * 16;
  constexpr std::int64_t max = std::int64_t{1} << 32;
  cut.span = static_cast<int>(std::clamp<std::int64_t>(rows / wanted, 1, std::max<std::int64_t>(32, rows / max + 1)));
  const std::int64_t chunks = (std::int64_t{1 + cut.tiles / 2} * nbody_rows + cut.span - 1) / cut.span;
  const std::int64_t blocks = (cut.wanted * chunks + nbody_block_warps - 1) / nbody_block_warps;
  const auto kernel = fast ? nbody_symmetric<FastStrength, false> : nbody_symmetric<ExactStrength, true>;
  kernel<<<static_cast<unsigned>(blocks), nbody_block_warps * nbody_lanes, 0, executor.stream()>>>(system, cut);
  check_launch("nbody_symmetric");
}

}  // namespace simreel
