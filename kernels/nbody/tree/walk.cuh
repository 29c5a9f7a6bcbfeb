#pragma once
// The walk on a GPU: a warp a group, two bodies a lane. The queue of nodes lies in shared memory. A group whose queue
// does not fit is left to a second launch, in which queues lie in global memory and have room for every node.

#include "exec/cuda_check.h"
#include "kernels/nbody/tree/walk_sums.cuh"

namespace simreel {

inline constexpr int tree_block_warps = 4;

// Groups whose queues spilled, and the memory for those of the second launch: `warps` of `room` nodes each.
struct TreeSpill {
  std::int32_t* group;
  std::int32_t* queue;
  std::int32_t warps, room;
};

// The first 32 entries of a list are done.
__device__ inline void tree_drop(std::int32_t* list, int& count, int lane) {
  __syncwarp();
  const std::int32_t later = list[nbody_lanes + lane];
  __syncwarp();
  list[lane] = later;
  count -= nbody_lanes;
  __syncwarp();
}

// Bodies of leaves in a row, of which the window takes 32 at a time.
struct TreeRow {
  int fill = 0;

  template <class Result>
  __device__ __forceinline__ void add(const TreeWalk& w, const TreeTargets& t, TreeWarpMemory& memory, int leaves,
                                      Result& result) {
    const std::int32_t last = w.tree.count - 1;
    TreeLink link = w.tree.nodes.link[memory.list[tree_near][0]];
    std::int32_t first = link.first;
    Vec4<float> next = w.tree.body[min(first + t.lane, last)];
    for (int i = 0; i < leaves; ++i) {
      const std::int32_t here = first, count = -link.count;  // at most tree_leaf
      const Vec4<float> b = next;
      if (i + 1 < leaves) {
        link = w.tree.nodes.link[memory.list[tree_near][i + 1]];
        first = link.first;
        next = w.tree.body[min(first + t.lane, last)];
      }
      if (t.lane < count) {
        memory.window[fill + t.lane] = b;
        if (Result::counts_bodies) memory.number[fill + t.lane] = here + t.lane;
      }
      fill += count;
      __syncwarp();
      if (fill < nbody_lanes) continue;
      result.near(w, t, memory);
      fill -= nbody_lanes;
      __syncwarp();
      const Vec4<float> rest = memory.window[nbody_lanes + t.lane];
      const std::int32_t number = memory.number[nbody_lanes + t.lane];
      __syncwarp();
      memory.window[t.lane] = rest;
      if (Result::counts_bodies) memory.number[t.lane] = number;
      __syncwarp();
    }
  }
  // The rest, filled up with bodies without mass.
  template <class Result>
  __device__ __forceinline__ void finish(const TreeWalk& w, const TreeTargets& t, TreeWarpMemory& memory,
                                         Result& result) {
    if (fill == 0) return;
    if (t.lane >= fill) {
      memory.window[t.lane] = {0, 0, 0, 0};
      memory.number[t.lane] = -1;
    }
    __syncwarp();
    result.near(w, t, memory);
  }
};

// The mask of a queue that does not wrap around.
inline constexpr std::int32_t tree_linear = 0x7fffffff;

// Whether the queue, of which the entries lie at index & mask, had room.
template <class Result>
__device__ __forceinline__ bool tree_walk_group(const TreeWalk& w, std::int32_t g, TreeWarpMemory& memory,
                                                std::int32_t* queue, std::int32_t mask) {
  TreeTargets t;
  t.load(w, g);
  Result result;
  TreeRow row;
  const unsigned below = (1U << t.lane) - 1;
  int count[3] = {0, 0, 0};
  std::int32_t head = 0, tail = 1;
  bool at_root = true;
  while (head < tail) {
    // Four nodes of the queue, eight lanes for the children of each; first of all the root itself.
    const std::int32_t at = head + t.lane / tree_children;
    std::int32_t node = 0;
    int fate = -1;
    bool valid = t.lane == 0;
    if (!at_root) {
      valid = at < tail;
      if (valid) {
        const TreeLink parent = w.tree.nodes.link[queue[at & mask]];
        valid = t.lane % tree_children < parent.count;
        node = parent.first + t.lane % tree_children;
      }
    }
    if (valid) {
      const TreeLink link = w.tree.nodes.link[node];
      fate = w.test(t.group, w.tree.nodes.center[node], link.radius, link.count);
    }
    head = at_root ? 1 : min(head + nbody_lanes / tree_children, tail);
    at_root = false;
    __syncwarp();
    const unsigned opened = __ballot_sync(tree_warp, fate == tree_open);
    if (mask != tree_linear && tail - head + __popc(opened) > mask + 1) return false;
    if (fate == tree_open) queue[(tail + __popc(opened & below)) & mask] = node;
    tail += __popc(opened);
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const unsigned these = __ballot_sync(tree_warp, fate == k);
      if (fate == k) memory.list[k][count[k] + __popc(these & below)] = node;
      count[k] += __popc(these);
    }
    __syncwarp();
    if (count[tree_far] >= nbody_lanes) {
      result.far(w, t, memory, nbody_lanes);
      tree_drop(memory.list[tree_far], count[tree_far], t.lane);
    }
    if (count[tree_mid] >= nbody_lanes) {
      result.mid(w, t, memory, nbody_lanes);
      tree_drop(memory.list[tree_mid], count[tree_mid], t.lane);
    }
    if (count[tree_near] >= nbody_lanes) {
      row.add(w, t, memory, nbody_lanes, result);
      tree_drop(memory.list[tree_near], count[tree_near], t.lane);
    }
  }
  if (count[tree_far] > 0) result.far(w, t, memory, count[tree_far]);
  if (count[tree_mid] > 0) result.mid(w, t, memory, count[tree_mid]);
  if (count[tree_near] > 0) row.add(w, t, memory, count[tree_near], result);
  row.finish(w, t, memory, result);
  result.finish(w, t);
  return true;
}

// Queues of `room` nodes in shared memory; groups for which that is too little go to the spill.
template <class Result>
__global__ void __launch_bounds__(tree_block_warps* nbody_lanes)
    tree_walk(const __grid_constant__ TreeWalk w, const TreeSpill spill, const std::int32_t room) {
  extern __shared__ Vec4<float> tree_shared[];
  TreeWarpMemory* const memory = reinterpret_cast<TreeWarpMemory*>(tree_shared);
  const int warp = static_cast<int>(threadIdx.x / nbody_lanes);
  std::int32_t* const queue = reinterpret_cast<std::int32_t*>(memory + tree_block_warps) + warp * room;
  const std::int32_t g = w.first_group + static_cast<std::int32_t>(blockIdx.x) * tree_block_warps + warp;
  if (g >= w.end_group) return;
  if (!tree_walk_group<Result>(w, g, memory[warp], queue, room - 1) && threadIdx.x % nbody_lanes == 0)
    spill.group[atomicAdd(&w.tree.counts->spilled, 1)] = g;
}

// The groups of the spill.
template <class Result>
__global__ void __launch_bounds__(nbody_lanes)
    tree_walk_spilled(const __grid_constant__ TreeWalk w, const TreeSpill spill) {
  __shared__ TreeWarpMemory memory;
  const std::int32_t warp = static_cast<std::int32_t>(blockIdx.x);
  std::int32_t* const queue = spill.queue + static_cast<std::size_t>(warp) * static_cast<std::size_t>(spill.room);
  for (std::int32_t i = warp; i < w.tree.counts->spilled; i += spill.warps) {
    tree_walk_group<Result>(w, spill.group[i], memory, queue, tree_linear);
    __syncwarp();
  }
}

template <class Result>
void launch_tree_walk(const Executor& executor, const TreeWalk& walk, const TreeSpill& spill, std::int32_t room) {
  const std::size_t bytes =
      tree_block_warps * (sizeof(TreeWarpMemory) + static_cast<std::size_t>(room) * sizeof(std::int32_t));
  const auto kernel = tree_walk<Result>;
  if (bytes > 48U * 1024)
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  const std::int32_t groups = walk.end_group - walk.first_group;
  kernel<<<(groups + tree_block_warps - 1) / tree_block_warps, tree_block_warps * nbody_lanes, bytes,
           executor.stream()>>>(walk, spill, room);
  check_launch("tree_walk");
  tree_walk_spilled<Result><<<spill.warps, nbody_lanes, 0, executor.stream()>>>(walk, spill);
  check_launch("tree_walk_spilled");
}

}  // namespace simreel
