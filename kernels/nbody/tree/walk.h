#pragma once
// The walk of a group of targets through the tree, and what it takes. A walk meets nodes in breadth-first order and
// puts each into one of three lists, which keep that order:
//   far   M2L: node i of the list to lane i mod 32 of 32 series, which a butterfly then adds
//   mid   M2P: 32 nodes in float, then as the arithmetic says
//   near  P2P: the bodies of these leaves in a row, 32 in float, then as the arithmetic says
// `exact` adds partial sums as integers.

#include "kernels/nbody/tree/field.h"
#include "kernels/nbody/tree/tree.h"

namespace simreel {

struct TreeWalk {
  TreeArrays tree;
  TreeTest test;
  std::int32_t groups;
  std::int32_t first_group, end_group;  // of this rank
  TreeScale scale;                      // bodies -> units of nodes
  float softening2, node_softening2;
  float node_factor;        // accelerations in units of nodes -> of bodies
  double potential_factor;  // the same of potentials
  NbodyFixed fixed;
  std::int64_t* sum;  // x of all bodies, then y, then z, in the order of `position`
  std::size_t padded;
  int* overflow;
  double* potential;  // of each body, in the order of keys

  HD std::int32_t begin(std::int32_t g) const { return tree.group[g]; }
  HD std::int32_t end(std::int32_t g) const { return g + 1 < groups ? tree.group[g + 1] : tree.count; }
};

}  // namespace simreel
