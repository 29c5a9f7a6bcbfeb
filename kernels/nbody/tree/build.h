#pragma once
// The stages that build the tree, each in a form for all machines; a GPU has its own of some (build.cuh).

#include "kernels/nbody/tasks.h"
#include "kernels/nbody/tree/tree.h"

#ifndef __CUDA_ARCH__
#include <atomic>
#endif

namespace simreel {

// A launch over bodies or nodes, whose number may be large.
inline constexpr int tree_row = 1024;
inline Extent tree_rows(std::size_t count) {
  return {static_cast<int>(std::min<std::size_t>(count, tree_row)),
          static_cast<int>((count + tree_row - 1) / tree_row)};
}
HD inline std::size_t tree_index(int x, int y) {
  return static_cast<std::size_t>(y) * tree_row + static_cast<std::size_t>(x);
}

// The largest |coordinate| of every `strips`-th body. As bits of positive floats are ordered as the floats are, with
// infinity and NaN above all.
struct TreeExtent {
  TreeArrays tree;
  std::size_t strips;

  HD void operator()(int x, int y) const {
    const std::size_t strip = tree_index(x, y);
    if (strip >= strips) return;
    std::int32_t largest = 0;
    for (std::size_t i = strip; i < static_cast<std::size_t>(tree.count); i += strips) {
      const Vec4<float> q = tree.position[i];
      const float at[3] = {q.x, q.y, q.z};
      for (int k = 0; k < 3; ++k) {
        const std::int32_t bits = tree_bits(at[k]) & 0x7fffffff;
        largest = bits > largest ? bits : largest;
      }
    }
#ifdef __CUDA_ARCH__
    atomicMax(&tree.counts->extent, largest);
#else
    const std::atomic_ref all(tree.counts->extent);
    std::int32_t known = all.load(std::memory_order_relaxed);
    while (known < largest && !all.compare_exchange_weak(known, largest, std::memory_order_relaxed)) {
    }
#endif
  }
};

struct TreeKeys {
  TreeArrays tree;
  std::int32_t min_extent;  // bits

  HD void operator()(int x, int y) const {
    const std::size_t i = tree_index(x, y);
    if (i >= static_cast<std::size_t>(tree.count)) return;
    const std::int32_t extent = tree.counts->extent > min_extent ? tree.counts->extent : min_extent;
    const int exponent = tree_exponent(extent);
    tree.key[i] = exponent <= tree_largest_exponent ? tree_key(tree.position[i], exponent) : 0;
    tree.number[i] = static_cast<std::uint32_t>(i);
  }
};

struct TreeGather {
  TreeArrays tree;

  HD void operator()(int x, int y) const {
    const std::size_t i = tree_index(x, y);
    if (i < static_cast<std::size_t>(tree.count)) tree.body[i] = tree.position[tree.number[i]];
  }
};

// The root: a leaf of all bodies, until it is split. The first body begins a group.
struct TreeRoot {
  TreeArrays tree;

  HD void operator()(int, int) const {
    tree.counts->level[0] = 1;
    tree.nodes.link[0] = {0, 0, -tree.count, 0};
    tree.first[0] = 1;
  }
};

// The nodes before a level.
HD inline std::int32_t tree_level_begin(const TreeCounts& counts, int level) {
  std::int32_t at = 0;
  for (int i = 0; i < level; ++i) at += counts.level[i];
  return at;
}

// Bodies of an eighth of a run with one key: leaf * 8^k.
HD inline std::int32_t tree_run_part(std::int32_t count) {
  std::int32_t part = tree_leaf;
  while (part < (count + tree_children - 1) / tree_children) part *= tree_children;
  return part;
}

// Where the part of octant `octant` of a cell begins and ends if the cell is cut: `bound` are the nine ends of its
// octants. Halves, and quarters, of at most `max` bodies stay whole: their first octant has them.
HD inline void tree_cut(const std::int32_t* bound, int octant, int max, std::int32_t& from, std::int32_t& to) {
  const int half = octant & 4, quarter = octant & 6;
  from = bound[octant];
  to = bound[octant + 1];
  if (bound[half + 4] - bound[half] <= max) {
    from = bound[half];
    to = octant == half ? bound[half + 4] : from;
  } else if (bound[quarter + 2] - bound[quarter] <= max) {
    from = bound[quarter];
    to = octant == quarter ? bound[quarter + 2] : from;
  }
}

// The first body from `from` on, before `to`, whose key has an octant above `octant` at `shift`.
HD inline std::int32_t tree_octant_end(const std::uint64_t* key, std::int32_t from, std::int32_t to, int shift,
                                       int octant) {
  while (from < to) {
    const std::int32_t middle = from + (to - from) / 2;
    if (static_cast<int>(key[middle] >> shift & 7) <= octant)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

// Splits a node of a level on a CPU. Which numbers its children get depends on the threads, and nothing depends on the
// numbers.
struct TreeSplit {
  TreeArrays tree;
  int level;
  std::int32_t at, next;  // the first node of the level, and of the next

  void operator()(std::size_t i) const {
    const std::size_t node = static_cast<std::size_t>(at) + i;
    const TreeLink link = tree.nodes.link[node];
    const std::int32_t begin = link.first, count = -link.count;
    if (count <= tree_leaf) return;
    std::int32_t bound[tree_children + 1], from[tree_children], to[tree_children];
    if (level >= tree_cell_levels) {
      const std::int32_t part = tree_run_part(count);
      for (std::int64_t k = 0; k < tree_children; ++k) {
        from[k] = static_cast<std::int32_t>(std::min<std::int64_t>(k * part, count)) + begin;
        to[k] = static_cast<std::int32_t>(std::min<std::int64_t>((k + 1) * part, count)) + begin;
      }
      if (level == tree_cell_levels)
        for (std::int32_t k = 0; k < count; k += tree_group) tree.first[begin + k] = 1;
    } else {
      const int shift = 3 * (tree_cell_levels - 1 - level);
      bound[0] = begin;
      for (int k = 0; k < tree_children; ++k)
        bound[k + 1] = tree_octant_end(tree.key, bound[k], begin + count, shift, k);
      for (int k = 0; k < tree_children; ++k) {
        if (count > tree_group) {
          tree_cut(bound, k, tree_group, from[k], to[k]);
          if (to[k] > from[k] && to[k] - from[k] <= tree_group) tree.first[from[k]] = 1;
        }
        tree_cut(bound, k, tree_leaf, from[k], to[k]);
      }
    }
    int children = 0;
    for (int k = 0; k < tree_children; ++k) children += to[k] > from[k] ? 1 : 0;
    std::int32_t child =
        next + std::atomic_ref(tree.counts->level[level + 1]).fetch_add(children, std::memory_order_relaxed);
    tree.nodes.link[node] = {0, child, children, 0};
    for (int k = 0; k < tree_children; ++k) {
      if (to[k] <= from[k]) continue;
      if (child < tree.capacity) tree.nodes.link[child] = {0, from[k], from[k] - to[k], 0};
      ++child;
    }
  }
};

// The numbers of the nodes of a level, after those of the next.
struct TreeUpward {
  TreeArrays tree;
  TreeScale scale;
  std::int32_t at, count;

  HD void operator()(int x, int y) const {
    const std::size_t i = tree_index(x, y);
    if (i >= static_cast<std::size_t>(count)) return;
    const std::size_t node = static_cast<std::size_t>(at) + i;
    if (tree.nodes.link[node].count < 0)
      tree_make_leaf(tree.nodes, node, tree.body, scale);
    else
      tree_make_parent(tree.nodes, node);
  }
};

}  // namespace simreel
