#pragma once
// What a warp adds up on a GPU: the memory that its lanes share, the bodies of its group, their forces or potentials.

#include "kernels/nbody/tree/walk.h"
#include "kernels/nbody/tuned.cuh"

namespace simreel {

struct TreeFast {
  __device__ static float inverse_root(float x) { return FastStrength::inverse_root(x); }
  __device__ static float inverse_cube_of(float x) { return FastStrength::of(x); }
};

inline constexpr int tree_lane_bodies = tree_group / nbody_lanes;
inline constexpr unsigned tree_warp = 0xffffffffU;

// The shared memory of a warp, but for its queue. Lists have room for what one step adds to less than 32.
struct TreeWarpMemory {
  Vec4<float> stage[nbody_lanes * (1 + tree_moment_words)];
  Vec4<float> window[2 * nbody_lanes];
  std::int32_t number[2 * nbody_lanes];
  std::int32_t list[3][2 * nbody_lanes];
};

// What a lane adds up: forces as integers or floats.
template <class Arithmetic>
struct TreeTotal {
  std::int64_t x = 0, y = 0, z = 0;

  __device__ void add(const Vec3<float>& sum, const NbodyFixed& fixed, bool& bad) {
    x += nbody_fix(sum.x, fixed, bad);
    y += nbody_fix(sum.y, fixed, bad);
    z += nbody_fix(sum.z, fixed, bad);
  }
  __device__ void finish(const NbodyFixed&, bool&) {}
};
template <>
struct TreeTotal<TreeFast> {
  Vec3<float> sums{0, 0, 0};
  std::int64_t x = 0, y = 0, z = 0;

  __device__ void add(const Vec3<float>& sum, const NbodyFixed&, bool&) {
    sums.x += sum.x;
    sums.y += sum.y;
    sums.z += sum.z;
  }
  __device__ void finish(const NbodyFixed& fixed, bool& bad) {
    x = nbody_fix(sums.x, fixed, bad);
    y = nbody_fix(sums.y, fixed, bad);
    z = nbody_fix(sums.z, fixed, bad);
  }
};

__device__ inline float tree_warp_smallest(float x) {
  for (int s = nbody_lanes / 2; s > 0; s >>= 1) x = tree_smaller(x, __shfl_xor_sync(tree_warp, x, s));
  return x;
}
__device__ inline float tree_warp_largest(float x) {
  for (int s = nbody_lanes / 2; s > 0; s >>= 1) x = tree_larger(x, __shfl_xor_sync(tree_warp, x, s));
  return x;
}

// The bodies of a group, those of a lane `nbody_lanes` apart; the last one again where there are fewer than lanes.
struct TreeTargets {
  float x[tree_lane_bodies], y[tree_lane_bodies], z[tree_lane_bodies];
  std::int32_t begin, members;
  int lane;
  TreeGroup group;

  __device__ __forceinline__ void load(const TreeWalk& w, std::int32_t g) {
    lane = static_cast<int>(threadIdx.x % nbody_lanes);
    begin = w.begin(g);
    members = w.end(g) - begin;
    float low[3], high[3];
#pragma unroll
    for (int k = 0; k < tree_lane_bodies; ++k) {
      const int i = k * nbody_lanes + lane;
      const Vec4<float> q = w.tree.body[begin + (i < members ? i : members - 1)];
      x[k] = q.x;
      y[k] = q.y;
      z[k] = q.z;
      const float at[3] = {q.x, q.y, q.z};
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        low[c] = k == 0 ? at[c] : tree_smaller(low[c], at[c]);
        high[c] = k == 0 ? at[c] : tree_larger(high[c], at[c]);
      }
    }
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      low[c] = tree_warp_smallest(low[c]);
      high[c] = tree_warp_largest(high[c]);
    }
    tree_group_box(low, high, w.scale.length, group);
    float square = 0;
#pragma unroll
    for (int k = 0; k < tree_lane_bodies; ++k) {
      const Vec3<float> t = from_center(w, k);
      square = tree_larger(square, tree_square(t.x, t.y, t.z));
    }
    group.radius = std::sqrt(tree_warp_largest(square));
  }
  // In units of nodes.
  __device__ __forceinline__ Vec3<float> from_center(const TreeWalk& w, int k) const {
    const float s = w.scale.length;
    return {std::fma(x[k], s, -group.x), std::fma(y[k], s, -group.y), std::fma(z[k], s, -group.z)};
  }
  __device__ __forceinline__ Vec3<float> to(const TreeWalk& w, int k, const Vec4<float>& center) const {
    const float s = w.scale.length;
    return {std::fma(x[k], -s, center.x), std::fma(y[k], -s, center.y), std::fma(z[k], -s, center.z)};
  }
};

// The forces on a group.
template <class Arithmetic>
struct TreeForces {
  static constexpr bool counts_bodies = false;  // whether `near` wants their numbers

  TreeTotal<Arithmetic> total[tree_lane_bodies];
  float series[tree_series];
  bool bad;

  __device__ __forceinline__ TreeForces() : bad(false) {
#pragma unroll
    for (int i = 0; i < tree_series; ++i) series[i] = 0;
  }

  __device__ __forceinline__ void far(const TreeWalk& w, const TreeTargets& t, TreeWarpMemory& memory, int count) {
    if (t.lane >= count) return;
    const std::size_t node = static_cast<std::size_t>(memory.list[tree_far][t.lane]);
    const Vec4<float> center = w.tree.nodes.center[node];
    Vec4<float> word[tree_moment_words];
#pragma unroll
    for (int i = 0; i < tree_moment_words; ++i) word[i] = w.tree.nodes.moment[node * tree_moment_words + i];
    const TreeMoments m = tree_moments<true>(center, word);
    tree_add_to_series<Arithmetic, 1>(center.x - t.group.x, center.y - t.group.y, center.z - t.group.z, m.mass, m.value,
                                      w.node_softening2, series);
  }

  __device__ __forceinline__ void mid(const TreeWalk& w, const TreeTargets& t, TreeWarpMemory& memory, int count) {
    constexpr int words = 3;
    if (t.lane < count) {
      const std::size_t node = static_cast<std::size_t>(memory.list[tree_mid][t.lane]);
      memory.stage[t.lane * words] = w.tree.nodes.center[node];
      memory.stage[t.lane * words + 1] = w.tree.nodes.moment[node * tree_moment_words];
      memory.stage[t.lane * words + 2] = w.tree.nodes.moment[node * tree_moment_words + 1];
    }
    __syncwarp();
    Vec3<float> sum[tree_lane_bodies] = {};
#pragma unroll 2
    for (int i = 0; i < count; ++i) {
      const Vec4<float> center = memory.stage[i * words];
      const TreeMoments m = tree_moments<false>(center, memory.stage + i * words + 1);
#pragma unroll
      for (int k = 0; k < tree_lane_bodies; ++k) {
        const Vec3<float> d = t.to(w, k, center);
        tree_field<Arithmetic>(d.x, d.y, d.z, m, w.node_softening2, sum[k]);
      }
    }
    add_scaled(w, sum);
    __syncwarp();
  }

  // The bodies in the window.
  __device__ __forceinline__ void near(const TreeWalk& w, const TreeTargets& t, const TreeWarpMemory& memory) {
    Vec3<float> sum[tree_lane_bodies] = {};
#pragma unroll 8
    for (int j = 0; j < nbody_lanes; ++j) {
      const Vec4<float> b = memory.window[j];
#pragma unroll
      for (int k = 0; k < tree_lane_bodies; ++k) tree_pull<Arithmetic>(t.x[k], t.y[k], t.z[k], b, w.softening2, sum[k]);
    }
#pragma unroll
    for (int k = 0; k < tree_lane_bodies; ++k) total[k].add(sum[k], w.fixed, bad);
  }

  __device__ __forceinline__ void finish(const TreeWalk& w, const TreeTargets& t) {
#pragma unroll
    for (int i = 0; i < tree_series; ++i)
      for (int s = nbody_lanes / 2; s > 0; s >>= 1) series[i] += __shfl_xor_sync(tree_warp, series[i], s);
    Vec3<float> sum[tree_lane_bodies];
#pragma unroll
    for (int k = 0; k < tree_lane_bodies; ++k) {
      const Vec3<float> at = t.from_center(w, k);
      sum[k] = tree_evaluate(series, at.x, at.y, at.z);
    }
    add_scaled(w, sum);
#pragma unroll
    for (int k = 0; k < tree_lane_bodies; ++k) {
      total[k].finish(w.fixed, bad);
      const int i = k * nbody_lanes + t.lane;
      if (i >= t.members) continue;
      const std::size_t number = w.tree.number[t.begin + i];
      w.sum[number] = total[k].x;
      w.sum[w.padded + number] = total[k].y;
      w.sum[2 * w.padded + number] = total[k].z;
    }
    if (bad) nbody_raise(w.overflow);
  }

 private:
  __device__ __forceinline__ void add_scaled(const TreeWalk& w, Vec3<float>* sum) {
#pragma unroll
    for (int k = 0; k < tree_lane_bodies; ++k) {
      sum[k] = {sum[k].x * w.node_factor, sum[k].y * w.node_factor, sum[k].z * w.node_factor};
      total[k].add(sum[k], w.fixed, bad);
    }
  }
};

// The potentials of a group's bodies: sums in double in the order of each list.
struct TreePotentials {
  static constexpr bool counts_bodies = true;

  double by_list[3][tree_lane_bodies] = {};

  __device__ __forceinline__ void far(const TreeWalk& w, const TreeTargets& t, TreeWarpMemory& memory, int count) {
    add_nodes(w, t, memory, tree_far, count);
  }
  __device__ __forceinline__ void mid(const TreeWalk& w, const TreeTargets& t, TreeWarpMemory& memory, int count) {
    add_nodes(w, t, memory, tree_mid, count);
  }
  __device__ __forceinline__ void near(const TreeWalk& w, const TreeTargets& t, const TreeWarpMemory& memory) {
    for (int j = 0; j < nbody_lanes; ++j) {
      const Vec4<float> b = memory.window[j];
#pragma unroll
      for (int k = 0; k < tree_lane_bodies; ++k)
        if (memory.number[j] != t.begin + k * nbody_lanes + t.lane)
          by_list[tree_near][k] += static_cast<double>(tree_pair_potential(t.x[k], t.y[k], t.z[k], b, w.softening2));
    }
  }
  __device__ __forceinline__ void finish(const TreeWalk& w, const TreeTargets& t) {
#pragma unroll
    for (int k = 0; k < tree_lane_bodies; ++k)
      if (k * nbody_lanes + t.lane < t.members)
        w.potential[t.begin + k * nbody_lanes + t.lane] =
            by_list[tree_near][k] + w.potential_factor * (by_list[tree_far][k] + by_list[tree_mid][k]);
  }

 private:
  __device__ __forceinline__ void add_nodes(const TreeWalk& w, const TreeTargets& t, TreeWarpMemory& memory,
                                            TreeFate which, int count) {
    constexpr int words = 1 + tree_moment_words;
    if (t.lane < count) {
      const std::size_t node = static_cast<std::size_t>(memory.list[which][t.lane]);
      memory.stage[t.lane * words] = w.tree.nodes.center[node];
      for (int i = 0; i < tree_moment_words; ++i)
        memory.stage[t.lane * words + 1 + i] = w.tree.nodes.moment[node * tree_moment_words + i];
    }
    __syncwarp();
    for (int i = 0; i < count; ++i) {
      const Vec4<float> center = memory.stage[i * words];
      const TreeMoments m = tree_moments<true>(center, memory.stage + i * words + 1);
#pragma unroll
      for (int k = 0; k < tree_lane_bodies; ++k) {
        const Vec3<float> d = t.to(w, k, center);
        by_list[which][k] += static_cast<double>(tree_potential(d.x, d.y, d.z, m, w.node_softening2));
      }
    }
    __syncwarp();
  }
};

}  // namespace simreel
