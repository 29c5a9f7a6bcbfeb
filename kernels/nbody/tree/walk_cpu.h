#pragma once
// The walk on a CPU: the bodies of a group are vector lanes for P2P and M2P, the 32 series are vector lanes for M2L.

#include <algorithm>
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
    Lists& lists = find(g, lanes, group);
    Sums sums;
    bool bad = false;
    for (std::size_t i = 0; i < lists.mid.size(); ++i) {
      const auto node = static_cast<std::size_t>(lists.mid[i]);
      pull_mid(lanes, walk_.tree.nodes.center[node],
               tree_moments<false>(walk_.tree.nodes.center[node], walk_.tree.nodes.moment + node * tree_moment_words),
               sums.part);
      if (i % nbody_lanes == nbody_lanes - 1 || i + 1 == lists.mid.size()) fold(walk_.node_factor, sums, bad);
    }
    for (std::size_t i = 0; i < lists.near.size(); i += nbody_lanes) {
      pull_near(lanes, lists.near.data() + i, std::min<std::size_t>(nbody_lanes, lists.near.size() - i), sums.part);
      fold(1, sums, bad);
    }
    Series series;
    for (std::size_t i = 0; i < lists.far.size(); i += nbody_lanes)
      add_far(group, lists.far.data() + i, std::min<std::size_t>(nbody_lanes, lists.far.size() - i), series);
    evaluate(lanes, group, series, sums.part);
    fold(walk_.node_factor, sums, bad);
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
    Lists& lists = find(g, lanes, group);
    double by_bodies[tree_group] = {};
    const std::int32_t begin = walk_.begin(g), members = walk_.end(g) - begin;
    std::size_t base = 0;
    for (const std::int32_t leaf : lists.leaves) {
      const TreeLink link = walk_.tree.nodes.link[leaf];
      for (std::int32_t j = link.first; j < link.first - link.count; ++j, ++base)
        for (std::int32_t i = 0; i < members; ++i)
          if (begin + i != j)
            by_bodies[i] += static_cast<double>(
                tree_pair_potential(lanes.x[i], lanes.y[i], lanes.z[i], lists.near[base], walk_.softening2));
    }
    for (std::int32_t i = 0; i < members; ++i)
      walk_.potential[begin + i] = by_bodies[i] + walk_.potential_factor * (potential_by_nodes(lanes, i, lists.far) +
                                                                            potential_by_nodes(lanes, i, lists.mid));
  }

 private:
  // The positions of the bodies of a group; the last one again where there are fewer than lanes.
  struct Lanes {
    alignas(64) float x[tree_group], y[tree_group], z[tree_group];
  };
  struct Sums {
    CpuSums<tree_group> part;
    CpuTotals<tree_group> total;
  };
  struct Series {
    alignas(64) float value[tree_series][nbody_lanes] = {};
  };
  struct Lists {
    std::vector<std::int32_t> queue, far, mid, leaves;
    std::vector<Vec4<float>> near;
  };

  // The lists of a thread keep their memory from group to group.
  static Lists& lists_of_thread() {
    static thread_local Lists lists;
    lists.queue.clear();
    lists.far.clear();
    lists.mid.clear();
    lists.leaves.clear();
    lists.near.clear();
    return lists;
  }

  Lists& find(std::int32_t g, Lanes& lanes, TreeGroup& group) const {
    const std::int32_t begin = walk_.begin(g), members = walk_.end(g) - begin;
    for (std::int32_t i = 0; i < tree_group; ++i) {
      const Vec4<float> q = walk_.tree.body[begin + std::min(i, members - 1)];
      lanes.x[i] = q.x;
      lanes.y[i] = q.y;
      lanes.z[i] = q.z;
    }
    group = group_of(lanes);
    Lists& lists = lists_of_thread();
    // The root, then the children of each node of the queue.
    meet(group, 0, 1, lists);
    for (std::size_t head = 0; head < lists.queue.size(); ++head) {
      const TreeLink parent = walk_.tree.nodes.link[lists.queue[head]];
      meet(group, parent.first, parent.count, lists);
    }
    return lists;
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

  void meet(const TreeGroup& group, std::int32_t first, std::int32_t count, Lists& lists) const {
    const TreeNodes& nodes = walk_.tree.nodes;
    int fate[tree_children];
    SIMREEL_INDEPENDENT
    for (std::int32_t i = 0; i < count; ++i)
      fate[i] = walk_.test(group, nodes.center[first + i], nodes.link[first + i].radius, nodes.link[first + i].count);
    for (std::int32_t i = 0; i < count; ++i) {
      switch (fate[i]) {
        case tree_far: lists.far.push_back(first + i); break;
        case tree_mid: lists.mid.push_back(first + i); break;
        case tree_open: lists.queue.push_back(first + i); break;
        default: {
          const Vec4<float>* const body = walk_.tree.body + nodes.link[first + i].first;
          lists.leaves.push_back(first + i);
          lists.near.insert(lists.near.end(), body, body - nodes.link[first + i].count);
        }
      }
    }
  }

  SIMREEL_WIDER_VECTORS
  void pull_mid(const Lanes& lanes, const Vec4<float>& center, const TreeMoments& m, CpuSums<tree_group>& sums) const {
    const float s = walk_.scale.length, softening2 = walk_.node_softening2;
    SIMREEL_INDEPENDENT
    for (int i = 0; i < tree_group; ++i) {
      Vec3<float> sum{sums.x[i], sums.y[i], sums.z[i]};
      tree_field<TreeExact>(std::fma(lanes.x[i], -s, center.x), std::fma(lanes.y[i], -s, center.y),
                            std::fma(lanes.z[i], -s, center.z), m, softening2, sum);
      sums.x[i] = sum.x;
      sums.y[i] = sum.y;
      sums.z[i] = sum.z;
    }
  }

  SIMREEL_WIDER_VECTORS
  void pull_near(const Lanes& lanes, const Vec4<float>* bodies, std::size_t count, CpuSums<tree_group>& sums) const {
    const float softening2 = walk_.softening2;
    for (std::size_t j = 0; j < count; ++j) {
      const Vec4<float> b = bodies[j];
      SIMREEL_INDEPENDENT
      for (int i = 0; i < tree_group; ++i) {
        Vec3<float> sum{sums.x[i], sums.y[i], sums.z[i]};
        tree_pull<TreeExact>(lanes.x[i], lanes.y[i], lanes.z[i], b, softening2, sum);
        sums.x[i] = sum.x;
        sums.y[i] = sum.y;
        sums.z[i] = sum.z;
      }
    }
  }

  SIMREEL_WIDER_VECTORS
  void add_far(const TreeGroup& group, const std::int32_t* far, std::size_t count, Series& series) const {
    alignas(64) float at[3][nbody_lanes] = {}, mass[nbody_lanes] = {}, moment[16][nbody_lanes] = {};
    for (std::size_t l = 0; l < nbody_lanes; ++l) {
      // Lanes without a node have one without mass at a distance.
      at[0][l] = 1;
      if (l >= count) continue;
      const auto node = static_cast<std::size_t>(far[l]);
      const Vec4<float> center = walk_.tree.nodes.center[node];
      at[0][l] = center.x - group.x;
      at[1][l] = center.y - group.y;
      at[2][l] = center.z - group.z;
      mass[l] = center.w;
      const float* const own = &walk_.tree.nodes.moment[node * tree_moment_words].x;
      for (std::size_t k = 0; k < 16; ++k) moment[k][l] = own[k];
    }
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
  void fold(float factor, Sums& sums, bool& bad) const {
    nbody_fix_lanes(sums.part.x, factor, walk_.fixed, sums.total.x, tree_group, bad);
    nbody_fix_lanes(sums.part.y, factor, walk_.fixed, sums.total.y, tree_group, bad);
    nbody_fix_lanes(sums.part.z, factor, walk_.fixed, sums.total.z, tree_group, bad);
    sums.part = {};
  }

  double potential_by_nodes(const Lanes& lanes, std::int32_t i, const std::vector<std::int32_t>& list) const {
    const float s = walk_.scale.length;
    double sum = 0;
    for (const std::int32_t node : list) {
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
