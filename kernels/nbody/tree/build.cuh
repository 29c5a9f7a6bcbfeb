#pragma once
// Stages of the build that a GPU does its own way: splitting with eight lanes a node, sorting and selecting by CUB.

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "exec/cuda_check.h"
#include "kernels/nbody/tree/build.h"

namespace simreel {

// TreeSplit for the nodes of one level, of which only the device knows how many there are: eight lanes a node, one for
// each octant.
__global__ void __launch_bounds__(256) tree_split_level(const __grid_constant__ TreeArrays tree, const int level) {
  const TreeCounts& counts = *tree.counts;
  const std::int32_t at = tree_level_begin(counts, level), nodes = counts.level[level], next = at + nodes;
  const int lane = static_cast<int>(threadIdx.x % tree_children), in_warp = static_cast<int>(threadIdx.x % 32);
  const unsigned mates = 0xffU << (in_warp - lane);
  const std::int32_t stride = static_cast<std::int32_t>(gridDim.x * blockDim.x / tree_children);
  for (std::int32_t i = static_cast<std::int32_t>((blockIdx.x * blockDim.x + threadIdx.x) / tree_children); i < nodes;
       i += stride) {
    if (next > tree.capacity) return;  // links beyond it were not written; the host makes room and begins again
    const TreeLink link = tree.nodes.link[at + i];
    const std::int32_t begin = link.first, count = -link.count, end = begin + count;
    if (count <= tree_leaf) continue;
    std::int32_t from, to;
    if (level >= tree_cell_levels) {
      const long long part = tree_run_part(count), mine = lane * part;
      from = begin + static_cast<std::int32_t>(mine < count ? mine : count);
      to = begin + static_cast<std::int32_t>(mine + part < count ? mine + part : count);
      if (level == tree_cell_levels)
        for (std::int32_t k = lane * tree_group; k < count; k += tree_children * tree_group) tree.first[begin + k] = 1;
    } else {
      const int shift = 3 * (tree_cell_levels - 1 - level);
      const std::int32_t mine = lane == tree_children - 1 ? end : tree_octant_end(tree.key, begin, end, shift, lane);
      __syncwarp(mates);
      std::int32_t bound[tree_children + 1];
      bound[0] = begin;
#pragma unroll
      for (int k = 0; k < tree_children; ++k) bound[k + 1] = __shfl_sync(mates, mine, k, tree_children);
      if (count > tree_group) {
        tree_cut(bound, lane, tree_group, from, to);
        if (to > from && to - from <= tree_group) tree.first[from] = 1;
      }
      tree_cut(bound, lane, tree_leaf, from, to);
    }
    const unsigned some = __ballot_sync(mates, to > from) & mates;
    std::int32_t child = 0;
    if (lane == 0) {
      child = next + atomicAdd(&tree.counts->level[level + 1], __popc(some));
      tree.nodes.link[at + i] = {0, child, __popc(some), 0};
    }
    child = __shfl_sync(mates, child, 0, tree_children) + __popc(some & ((1U << in_warp) - 1));
    if (to > from && child < tree.capacity) tree.nodes.link[child] = {0, from, from - to, 0};
  }
}

inline void launch_tree_split(const Executor& executor, const TreeArrays& tree, int level) {
  const int blocks = std::min(tree.capacity / 64 + 1, executor.multiprocessors() * 8);
  tree_split_level<<<blocks, 256, 0, executor.stream()>>>(tree, level);
  check_launch("tree_split_level");
}

// Both with `bytes` of scratch; without `scratch` they say how many they need.
inline void launch_tree_sort(const Executor& executor, std::size_t count, void* scratch, std::size_t& bytes,
                             cub::DoubleBuffer<std::uint64_t>& key, cub::DoubleBuffer<std::uint32_t>& number) {
  CUDA_CHECK(
      cub::DeviceRadixSort::SortPairs(scratch, bytes, key, number, static_cast<int>(count), 0, 63, executor.stream()));
}
inline void launch_tree_groups(const Executor& executor, const TreeArrays& tree, void* scratch, std::size_t& bytes) {
  CUDA_CHECK(cub::DeviceSelect::Flagged(scratch, bytes, thrust::counting_iterator<std::int32_t>(0), tree.first,
                                        tree.group, &tree.counts->groups, tree.count, executor.stream()));
}
inline std::size_t tree_scratch_bytes(const Executor& executor, std::size_t count) {
  cub::DoubleBuffer<std::uint64_t> key(nullptr, nullptr);
  cub::DoubleBuffer<std::uint32_t> number(nullptr, nullptr);
  std::size_t sorting = 0, selecting = 0;
  launch_tree_sort(executor, count, nullptr, sorting, key, number);
  TreeArrays tree;
  tree.count = static_cast<std::int32_t>(count);
  launch_tree_groups(executor, tree, nullptr, selecting);
  return sorting > selecting ? sorting : selecting;
}

}  // namespace simreel
