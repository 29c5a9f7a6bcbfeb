#pragma once
// The walk on a CPU: the bodies of a group are vector lanes for P2P and M2P, the 32 series are vector lanes for M2L.

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kernels/nbody/cpu.h"
#include "kernels/nbody/tree/walk.h"

namespace simreel {

class TreeWalkCpu {
 public:
  explicit TreeWalkCpu(const TreeWalk& walk) : walk_(walk) {}

  // Sets the sums of the bodies of group g.
  void forces(std::int32_t g) const {
    Lanes lanes;
    TreeGroup group;
    const Lists& lists = find(g, lanes, group);
    Sums sums;
    bool bad = false;
    for (std::size_t i = 0; i < lists.mids; i += nbody_lanes) {
      pull_mid(lanes, lists.mid.data() + i, std::min<std::size_t>(nbody_lanes, lists.mids - i), sums.part);
      fold(lanes.width, walk_.node_factor, sums, bad);
    }
    for (std::size_t i = 0; i < lists.bodies; i += nbody_lanes) {
      pull_near(lanes, lists.near.data() + i, std::min<std::size_t>(nbody_lanes, lists.bodies - i), sums.part);
      fold(lanes.width, 1, sums, bad);
    }
    Series series;
    for (std::size_t i = 0; i < lists.fars; i += nbody_lanes)
      add_far(group, lists.far.data() + i, std::min<std::size_t>(nbody_lanes, lists.fars - i), series);
    evaluate(lanes, group, series, sums.part);
    fold(lanes.width, walk_.node_factor, sums, bad);
    const std::int32_t begin = walk_.begin(g);
    for (std::int32_t i = begin; i < walk_.end(g); ++i) {
      const std::size_t to = walk_.tree.number[i];
      walk_.sum[to] = sums.total.x[i - begin];
      walk_.sum[walk_.padded + to] = sums.total.y[i - begin];
      walk_.sum[2 * walk_.padded + to] = sums.total.z[i - begin];
    }
    if (bad) nbody_raise(walk_.overflow);
  }

  // Sets the potentials of the bodies of group g, over G.
  void potentials(std::int32_t g) const {
    Lanes lanes;
    TreeGroup group;
    const Lists& lists = find(g, lanes, group);
    double by_bodies[tree_group] = {};
    const std::int32_t begin = walk_.begin(g), members = walk_.end(g) - begin;
    std::size_t base = 0;
    for (std::size_t leaf = 0; leaf < lists.leaves; ++leaf) {
      const TreeLink link = walk_.tree.nodes.link[lists.leaf[leaf]];
      for (std::int32_t j = link.first; j < link.first - link.count; ++j, ++base)
        for (std::int32_t i = 0; i < members; ++i)
          if (begin + i != j)
            by_bodies[i] += static_cast<double>(
                tree_pair_potential(lanes.x[i], lanes.y[i], lanes.z[i], lists.near[base], walk_.softening2));
    }
    for (std::int32_t i = 0; i < members; ++i)
      walk_.potential[begin + i] =
          by_bodies[i] + walk_.potential_factor * (potential_by_nodes(lanes, i, lists.far.data(), lists.fars) +
                                                   potential_by_nodes(lanes, i, lists.mid.data(), lists.mids));
  }

 private:
  // Lanes are computed in steps of so many: a vector of a CPU.
  static constexpr int lane_step = 16;

  // Nodes that are tested together.
  static constexpr int batch_nodes = 64;

  // Calls body(std::integral_constant) with the width of the lanes, so that loops over them have a constant end.
  template <class Body>
  [[gnu::always_inline]] static void by_width(int width, const Body& body) {
    static_assert(tree_group == 4 * lane_step);
    switch (width / lane_step) {
      case 1: return body(std::integral_constant<int, lane_step>());
      case 2: return body(std::integral_constant<int, 2 * lane_step>());
      case 3: return body(std::integral_constant<int, 3 * lane_step>());
      default: return body(std::integral_constant<int, 4 * lane_step>());
    }
  }

  // The positions of the bodies of a group; the last one again where there are fewer than lanes. Only the first
  // `width` lanes need sums.
  struct Lanes {
    alignas(64) float x[tree_group], y[tree_group], z[tree_group];
    int width;
  };
  struct Sums {
    CpuSums<tree_group> part;
    CpuTotals<tree_group> total;
  };
  struct Series {
    alignas(64) float value[tree_series][nbody_lanes] = {};
  };
  // Children of several nodes, as those of one would not fill the vectors, and what `gather` stores beyond them.
  struct Batch {
    Vec4<float> center[batch_nodes + tree_children];
    TreeLink link[batch_nodes + tree_children];
    std::int32_t node[batch_nodes + tree_children];
    int count;
  };
  // The nodes that a group meets, in order. The lists have room for more than they hold, as `meet` stores each node at
  // the end of all of them, and `copy_bodies` stores whole leaves.
  struct Lists {
    std::vector<std::int32_t> queue, far, mid, leaf;
    std::size_t queued, fars, mids, leaves;
    std::vector<Vec4<float>> near;
    std::size_t bodies;
    Batch batch;
  };

  // The lists of a thread keep their memory from group to group.
  static Lists& lists_of_thread() {
    static thread_local Lists lists{};
    return lists;
  }

  const Lists& find(std::int32_t g, Lanes& lanes, TreeGroup& group) const {
    const std::int32_t begin = walk_.begin(g), members = walk_.end(g) - begin;
    for (std::int32_t i = 0; i < tree_group; ++i) {
      const Vec4<float> q = walk_.tree.body[begin + std::min(i, members - 1)];
      lanes.x[i] = q.x;
      lanes.y[i] = q.y;
      lanes.z[i] = q.z;
    }
    lanes.width = (members + lane_step - 1) / lane_step * lane_step;
    group = group_of(lanes);
    Lists& lists = lists_of_thread();
    lists.queued = lists.fars = lists.mids = lists.leaves = 0;
    // The root, then the children of the nodes of the queue.
    lists.batch.count = 0;
    gather(0, 1, lists.batch);
    std::size_t met = 0, head = 0;
    while (lists.batch.count > 0) {
      met += static_cast<std::size_t>(lists.batch.count);
      make_room(lists, met);
      meet(group, lists);
      for (lists.batch.count = 0; head < lists.queued && lists.batch.count <= batch_nodes - tree_children; ++head) {
        const TreeLink parent = walk_.tree.nodes.link[lists.queue[head]];
        gather(parent.first, parent.count, lists.batch);
      }
    }
    copy_bodies(lists);
    return lists;
  }

  // Adds `count` nodes to the batch. Eight are copied; the next ones begin where these end.
  void gather(std::int32_t first, std::int32_t count, Batch& batch) const {
    std::memcpy(batch.center + batch.count, walk_.tree.nodes.center + first, tree_children * sizeof *batch.center);
    std::memcpy(batch.link + batch.count, walk_.tree.nodes.link + first, tree_children * sizeof *batch.link);
    for (std::int32_t i = 0; i < tree_children; ++i) batch.node[batch.count + i] = first + i;
    batch.count += count;
  }

  // Makes room for `met` nodes in each list, and for one more.
  static void make_room(Lists& lists, std::size_t met) {
    if (met < lists.queue.size()) return;
    for (std::vector<std::int32_t>* list : {&lists.queue, &lists.far, &lists.mid, &lists.leaf})
      list->resize(2 * met + batch_nodes);
  }

  // Puts the nodes of the batch into the lists, without branches: neighbours have different fates, which no branch
  // predictor foresees.
  SIMREEL_WIDER_VECTORS
  void meet(const TreeGroup& group, Lists& lists) const {
    const Batch& batch = lists.batch;
    alignas(64) float x[batch_nodes], y[batch_nodes], z[batch_nodes], radius[batch_nodes];
    alignas(64) std::int32_t count[batch_nodes], far[batch_nodes], mid[batch_nodes];
    for (int i = 0; i < batch_nodes; ++i) {
      x[i] = batch.center[i].x;
      y[i] = batch.center[i].y;
      z[i] = batch.center[i].z;
    }
    for (int i = 0; i < batch_nodes; ++i) radius[i] = batch.link[i].radius;
    for (int i = 0; i < batch_nodes; ++i) count[i] = batch.link[i].count;
    const TreeTest test = walk_.test;
    SIMREEL_INDEPENDENT
    for (int i = 0; i < batch_nodes; ++i) {
      // As of a node with children; leaves are told apart below.
      const int fate = test(group, {x[i], y[i], z[i], 0}, radius[i], 0);
      far[i] = fate == tree_far;
      mid[i] = fate == tree_mid;
    }
    std::int32_t* const queues = lists.queue.data();
    std::int32_t* const fars = lists.far.data();
    std::int32_t* const mids = lists.mid.data();
    std::int32_t* const leaves = lists.leaf.data();
    std::size_t queue_end = lists.queued, far_end = lists.fars, mid_end = lists.mids, leaf_end = lists.leaves;
    for (int i = 0; i < batch.count; ++i) {
      const std::size_t is_leaf = count[i] < 0, few = is_leaf & static_cast<std::size_t>(count[i] >= -2);
      const auto is_far = static_cast<std::size_t>(far[i]);
      const std::size_t is_mid = static_cast<std::size_t>(mid[i]) & (few ^ 1), rest = (is_far | is_mid) ^ 1;
      queues[queue_end] = fars[far_end] = mids[mid_end] = leaves[leaf_end] = batch.node[i];
      queue_end += rest & (is_leaf ^ 1);
      far_end += is_far;
      mid_end += is_mid;
      leaf_end += rest & is_leaf;
    }
    lists.queued = queue_end;
    lists.fars = far_end;
    lists.mids = mid_end;
    lists.leaves = leaf_end;
  }

  // The bodies of the leaves in a row. Each copy is as long as the largest leaf; the next begins where the bodies end.
  void copy_bodies(Lists& lists) const {
    if (lists.near.size() < (lists.leaves + 1) * tree_leaf) lists.near.resize(2 * (lists.leaves + 1) * tree_leaf);
    Vec4<float>* to = lists.near.data();
    for (std::size_t i = 0; i < lists.leaves; ++i) {
      const TreeLink link = walk_.tree.nodes.link[lists.leaf[i]];
      std::memcpy(to, walk_.tree.body + link.first, tree_leaf * sizeof *to);
      to -= link.count;
    }
    lists.bodies = static_cast<std::size_t>(to - lists.near.data());
  }

  TreeGroup group_of(const Lanes& lanes) const {
    const float s = walk_.scale.length;
    float low[3] = {lanes.x[0], lanes.y[0], lanes.z[0]}, high[3] = {low[0], low[1], low[2]};
    for (int i = 1; i < tree_group; ++i) {
      const float at[3] = {lanes.x[i], lanes.y[i], lanes.z[i]};
      for (int k = 0; k < 3; ++k) {
        low[k] = tree_smaller(low[k], at[k]);
        high[k] = tree_larger(high[k], at[k]);
      }
    }
    TreeGroup g;
    tree_group_box(low, high, s, g);
    float square = 0;
    for (int i = 0; i < tree_group; ++i)
      square = tree_larger(square, tree_square(std::fma(lanes.x[i], s, -g.x), std::fma(lanes.y[i], s, -g.y),
                                               std::fma(lanes.z[i], s, -g.z)));
    g.radius = std::sqrt(square);
    return g;
  }

  SIMREEL_WIDER_VECTORS
  void pull_mid(const Lanes& lanes, const std::int32_t* mid, std::size_t count, CpuSums<tree_group>& sums) const {
    by_width(
        lanes.width, [&](auto constant) __attribute__((always_inline)) {
          constexpr int width = decltype(constant)::value;
          const float s = walk_.scale.length, softening2 = walk_.node_softening2;
          for (std::size_t j = 0; j < count; ++j) {
            const auto node = static_cast<std::size_t>(mid[j]);
            const Vec4<float> center = walk_.tree.nodes.center[node];
            const TreeMoments m = tree_moments<false>(center, walk_.tree.nodes.moment + node * tree_moment_words);
            SIMREEL_INDEPENDENT
            for (int i = 0; i < width; ++i) {
              Vec3<float> sum{sums.x[i], sums.y[i], sums.z[i]};
              tree_field<TreeExact>(std::fma(lanes.x[i], -s, center.x), std::fma(lanes.y[i], -s, center.y),
                                    std::fma(lanes.z[i], -s, center.z), m, softening2, sum);
              sums.x[i] = sum.x;
              sums.y[i] = sum.y;
              sums.z[i] = sum.z;
            }
          }
        });
  }

  SIMREEL_WIDER_VECTORS
  void pull_near(const Lanes& lanes, const Vec4<float>* bodies, std::size_t count, CpuSums<tree_group>& sums) const {
    by_width(
        lanes.width, [&](auto constant) __attribute__((always_inline)) {
          constexpr int width = decltype(constant)::value;
          const float softening2 = walk_.softening2;
          for (std::size_t j = 0; j < count; ++j) {
            const Vec4<float> b = bodies[j];
            SIMREEL_INDEPENDENT
            for (int i = 0; i < width; ++i) {
              Vec3<float> sum{sums.x[i], sums.y[i], sums.z[i]};
              tree_pull<TreeExact>(lanes.x[i], lanes.y[i], lanes.z[i], b, softening2, sum);
              sums.x[i] = sum.x;
              sums.y[i] = sum.y;
              sums.z[i] = sum.z;
            }
          }
        });
  }

  SIMREEL_WIDER_VECTORS
  void add_far(const TreeGroup& group, const std::int32_t* far, std::size_t count, Series& series) const {
    // Lanes without a node have one without mass at a distance.
    alignas(64) Vec4<float> center[nbody_lanes];
    alignas(64) float own[nbody_lanes][16], at[3][nbody_lanes], mass[nbody_lanes], moment[16][nbody_lanes];
    for (std::size_t l = 0; l < nbody_lanes; ++l) {
      const auto node = static_cast<std::size_t>(far[std::min(l, count - 1)]);
      center[l] = walk_.tree.nodes.center[node];
      std::memcpy(own[l], walk_.tree.nodes.moment + node * tree_moment_words, sizeof own[l]);
    }
    SIMREEL_INDEPENDENT
    for (std::size_t l = 0; l < nbody_lanes; ++l) {
      at[0][l] = center[l].x - group.x;
      at[1][l] = center[l].y - group.y;
      at[2][l] = center[l].z - group.z;
      mass[l] = l < count ? center[l].w : 0.0f;
    }
    SIMREEL_INDEPENDENT
    for (std::size_t l = 0; l < nbody_lanes; ++l)
      for (std::size_t k = 0; k < 16; ++k) moment[k][l] = own[l][k];
    const float softening2 = walk_.node_softening2;
    SIMREEL_INDEPENDENT
    for (int l = 0; l < nbody_lanes; ++l) {
      tree_add_to_series<TreeExact, nbody_lanes>(at[0][l], at[1][l], at[2][l], mass[l], moment[0] + l, softening2,
                                                 series.value[0] + l);
    }
  }

  void evaluate(const Lanes& lanes, const TreeGroup& group, Series& series, CpuSums<tree_group>& sums) const {
    float value[tree_series];
    for (int k = 0; k < tree_series; ++k) {
      float* const v = series.value[k];
      for (int half = nbody_lanes / 2; half > 0; half /= 2)
        for (int l = 0; l < half; ++l) v[l] += v[l + half];
      value[k] = v[0];
    }
    evaluate(lanes, group, value, sums);
  }
  SIMREEL_WIDER_VECTORS
  void evaluate(const Lanes& lanes, const TreeGroup& group, const float* series, CpuSums<tree_group>& sums) const {
    const float s = walk_.scale.length;
    SIMREEL_INDEPENDENT
    for (int i = 0; i < tree_group; ++i) {
      const Vec3<float> a = tree_evaluate(series, std::fma(lanes.x[i], s, -group.x), std::fma(lanes.y[i], s, -group.y),
                                          std::fma(lanes.z[i], s, -group.z));
      sums.x[i] = a.x;
      sums.y[i] = a.y;
      sums.z[i] = a.z;
    }
  }

  // Rounds the partial sums, times `factor`, to fixed point and begins new ones.
  void fold(int width, float factor, Sums& sums, bool& bad) const {
    nbody_fix_lanes(sums.part.x, factor, walk_.fixed, sums.total.x, width, bad);
    nbody_fix_lanes(sums.part.y, factor, walk_.fixed, sums.total.y, width, bad);
    nbody_fix_lanes(sums.part.z, factor, walk_.fixed, sums.total.z, width, bad);
    sums.part = {};
  }

  double potential_by_nodes(const Lanes& lanes, std::int32_t i, const std::int32_t* list, std::size_t count) const {
    const float s = walk_.scale.length;
    double sum = 0;
    for (std::size_t j = 0; j < count; ++j) {
      const std::int32_t node = list[j];
      const Vec4<float> center = walk_.tree.nodes.center[node];
      const Vec4<float>* const words = walk_.tree.nodes.moment + static_cast<std::size_t>(node) * tree_moment_words;
      sum += static_cast<double>(tree_potential(std::fma(lanes.x[i], -s, center.x), std::fma(lanes.y[i], -s, center.y),
                                                std::fma(lanes.z[i], -s, center.z), tree_moments<true>(center, words),
                                                walk_.node_softening2));
    }
    return sum;
  }

  TreeWalk walk_;
};

}  // namespace simreel
