#pragma once
// Gravity by a tree, for many bodies: sums over bodies near by, and over cells of bodies far off, whose field is
// expanded. docs/design/tree.md defines every decision and the order of every sum, by the bodies alone, so that
// `exact` gives the same bits on a CPU with any number of threads and on any GPU. With `fast` a GPU takes its
// approximate reciprocal square root and sums in float; on a CPU it is `exact`.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "exec/buffer.h"
#include "kernels/nbody/nbody.h"
#include "kernels/nbody/tree/field.h"

namespace simreel {

struct TreeSpill;

// Root mean square, and 99 %, of the errors of accelerations of a Plummer model of 2^24 bodies, relative: 2.7e-3 and
// 9.6e-3, 7.5e-4 and 2.2e-3, 3.4e-4 and 1.1e-3. Of fewer they are larger: docs/solvers/nbody.md.
enum class TreeAccuracy { coarse, standard, fine };
TreeOpening tree_opening(TreeAccuracy);

struct TreeOptions {
  TreeOpening opening;
  NbodyArithmetic arithmetic = NbodyArithmetic::exact;
  double total_mass = 1;
  int queue = 1024;  // nodes that a group may have in fast memory before it takes slow one; a power of two, 64 at least
};

// Seconds of the stages of a force computation.
struct TreeTimes {
  double keys = 0, sort = 0, cells = 0, moments = 0, walk = 0;
};

// Counts that the stages leave in executor memory.
struct TreeCounts {
  std::int32_t extent;                  // bits of the largest |coordinate|
  std::int32_t groups;                  // of targets
  std::int32_t spilled;                 // groups whose queue was too long for fast memory
  std::int32_t level[tree_levels + 1];  // nodes
};

// What the stages work on: executor memory.
struct TreeArrays {
  std::int32_t count = 0, capacity = 0;  // bodies; nodes that there is room for
  const Vec4<float>* position = nullptr;
  Vec4<float>* body = nullptr;      // positions and masses in the order of keys
  std::uint64_t* key = nullptr;     // in order
  std::uint32_t* number = nullptr;  // of each body in order, where it lies in `position`
  std::uint8_t* first = nullptr;    // 1 where a group begins
  std::int32_t* group = nullptr;    // where each begins, in order
  TreeNodes nodes;
  TreeCounts* counts = nullptr;
};

struct TreeWalk;

class NbodyTree {
 public:
  // The executor must outlive the tree.
  NbodyTree(const Executor&, std::size_t count, const TreeOptions&);

  // Executor memory that a tree of so many bodies allocates. Bodies in few cells need more nodes than usual, and then
  // the tree allocates more: twice as much at most, but for hostile positions.
  static std::size_t bytes(const Executor&, std::size_t count);

  // Sets `sum` to the forces at the current positions; false where `stop` ended it (nbody_forces). Of several ranks
  // each sets the sums of a share of the groups, as large as its system's share of tiles; the others must be 0. Sets
  // `overflow` where a sum leaves the range of `fixed`, or a coordinate exceeds 2^63. `times` makes the stages wait for
  // each other. Throws RuntimeError if there is no memory for the nodes.
  bool forces(const NbodySystem<float>&, const std::function<bool()>& stop = {}, TreeTimes* times = nullptr);

  // -sum over pairs of m_i m_j / sqrt(distance^2 + softening2), to be multiplied by G, as nbody_potential, by the tree.
  // Of the system it uses positions only. Infinite or NaN where coordinates exceed 2^63. Waits for the executor.
  double potential(const NbodySystem<float>&, double softening2);

  std::int64_t groups() const { return groups_; }
  std::int64_t nodes() const { return nodes_; }  // of the latest force computation

 private:
  bool build(const Vec4<float>* position, float softening2, TreeTimes* times);
  void sort();
  void grow_nodes();
  void find_groups();
  void reserve(std::size_t nodes);
  TreeWalk walk(const NbodySystem<float>&) const;
  void moments();
  TreeSpill spill();  // GPU

  const Executor& executor_;
  TreeOptions options_;
  TreeArrays arrays_;
  TreeCounts counts_{};
  int exponent_ = 0;      // the unit of length of nodes is 2^exponent
  double mass_unit_ = 1;  // of nodes: a power of two of at least the total mass
  int sorted_ = 0;        // which of the two arrays of keys and numbers is in order
  std::int32_t groups_ = 0, nodes_ = 0;
  Buffer<Vec4<float>> body_, center_, moment_;
  Buffer<std::uint64_t> key_[2];
  Buffer<std::uint32_t> number_[2];
  Buffer<std::uint8_t> first_;
  Buffer<TreeLink> link_;
  Buffer<TreeBox> box_;
  Buffer<TreeCounts> device_counts_;
  Buffer<std::int32_t> queues_;  // GPU: of groups whose queues are too long for fast memory
  Buffer<std::byte> scratch_;    // GPU: of sorting and selecting
};

}  // namespace simreel
