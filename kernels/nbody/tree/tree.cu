#include "kernels/nbody/tree/tree.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kernels/base/math.h"
#include "kernels/base/reduce.h"
#include "kernels/nbody/tree/build.h"
#include "kernels/nbody/tree/keys_cpu.h"
#include "kernels/nbody/tree/sort_cpu.h"
#include "kernels/nbody/tree/walk.h"
#include "kernels/nbody/tree/walk_cpu.h"

#ifdef __CUDACC__
#include "kernels/nbody/tree/build.cuh"
#include "kernels/nbody/tree/walk.cuh"
#endif

namespace simreel {
namespace {

// Nodes for which there is room at first; random bodies have 0.06 to 0.13 each.
std::size_t usual_nodes(std::size_t count) { return 3 * count / 22 + 1024; }

// A CPU reads eight nodes at a time, and the bodies of a whole leaf, and so beyond the last ones.
std::size_t beyond(const Executor& executor, int read) {
  return executor.backend() == Backend::cpu ? static_cast<std::size_t>(read) : 0;
}

// The queues of spilled groups on a GPU: of as many warps as fit in 16 MiB, and of four at least.
constexpr std::size_t queue_memory = std::size_t{1} << 22;
std::size_t queue_room(std::size_t nodes) { return nodes + 64; }
std::size_t queue_warps(std::size_t nodes) { return std::clamp<std::size_t>(queue_memory / queue_room(nodes), 4, 512); }

// Adds the seconds of a stage, if anyone wants them.
class Stopwatch {
 public:
  Stopwatch(const Executor& executor, bool wanted) : executor_(executor), wanted_(wanted) {
    if (wanted) executor.wait();
    start_ = Clock::now();
  }
  void lap(double TreeTimes::*stage, TreeTimes* times) {
    if (!wanted_) return;
    executor_.wait();
    const Clock::time_point now = Clock::now();
    times->*stage += std::chrono::duration<double>(now - start_).count();
    start_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Executor& executor_;
  bool wanted_;
  Clock::time_point start_;
};

// The potential energy of the bodies in the order of keys, as a grid of 32 rows (kernels/base/reduce.h).
struct PotentialEnergy {
  using Value = double;
  const Vec4<float>* body;
  const double* potential;
  std::size_t count;
  int columns;

  HD static Value empty() { return 0; }
  HD static Value combine(Value a, Value b) { return a + b; }
  HD Value operator()(int x, int y) const {
    const std::size_t i = static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x);
    return i < count ? -0.5 * static_cast<double>(body[i].w) * potential[i] : 0;
  }
};
Extent folded(std::size_t count) { return {static_cast<int>((count + 31) / 32), 32}; }

}  // namespace

TreeOpening tree_opening(TreeAccuracy accuracy) {
  switch (accuracy) {
    case TreeAccuracy::coarse: return {0.85f, 0.85f};
    case TreeAccuracy::standard: return {0.68f, 0.72f};
    case TreeAccuracy::fine: return {0.48f, 0.60f};
  }
  return {};
}

std::size_t NbodyTree::bytes(const Executor& executor, std::size_t count) {
  const std::size_t nodes = usual_nodes(count);
  std::size_t bytes = count * (sizeof(Vec4<float>) + 2 * sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t) + 1) +
                      nodes * ((1 + tree_moment_words) * sizeof(Vec4<float>) + sizeof(TreeLink) + sizeof(TreeBox)) +
                      sizeof(TreeCounts) + count * sizeof(double) + reduce_scratch_bytes(folded(count), sizeof(double));
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda)
    bytes += tree_scratch_bytes(executor, count) + queue_warps(nodes) * queue_room(nodes) * sizeof(std::int32_t);
#else
  static_cast<void>(executor);
#endif
  return bytes;
}

NbodyTree::NbodyTree(const Executor& executor, std::size_t count, const TreeOptions& options)
    : executor_(executor),
      options_(options),
      body_(executor, count + beyond(executor, tree_leaf)),
      key_{{executor, count}, {executor, count}},
      number_{{executor, count}, {executor, count}},
      first_(executor, count),
      device_counts_(executor, 1) {
  int exponent = 0;
  std::frexp(options.total_mass, &exponent);
  mass_unit_ = exact::power_of_two(std::clamp(exponent, -1000, 1000));
  arrays_.count = static_cast<std::int32_t>(count);
  arrays_.body = body_.data();
  arrays_.first = first_.data();
  arrays_.counts = device_counts_.data();
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) scratch_ = Buffer<std::byte>(executor, tree_scratch_bytes(executor, count));
#endif
  reserve(usual_nodes(count));
}

void NbodyTree::reserve(std::size_t nodes) {
  // The old ones first, so that old and new need not fit side by side.
  center_ = Buffer<Vec4<float>>();
  moment_ = Buffer<Vec4<float>>();
  link_ = Buffer<TreeLink>();
  box_ = Buffer<TreeBox>();
  queues_ = Buffer<std::int32_t>();
  center_ = Buffer<Vec4<float>>(executor_, nodes + beyond(executor_, tree_children));
  moment_ = Buffer<Vec4<float>>(executor_, tree_moment_words * nodes);
  link_ = Buffer<TreeLink>(executor_, nodes + beyond(executor_, tree_children));
  box_ = Buffer<TreeBox>(executor_, nodes);
  if (executor_.backend() == Backend::cuda)
    queues_ = Buffer<std::int32_t>(executor_, queue_warps(nodes) * queue_room(nodes));
  arrays_.capacity = static_cast<std::int32_t>(nodes);
  arrays_.nodes = {center_.data(), link_.data(), moment_.data(), box_.data()};
}

// Sorts the keys and numbers that lie in the first of the two arrays.
void NbodyTree::sort() {
#ifdef __CUDACC__
  if (executor_.backend() == Backend::cuda) {
    cub::DoubleBuffer<std::uint64_t> key(key_[0].data(), key_[1].data());
    cub::DoubleBuffer<std::uint32_t> number(number_[0].data(), number_[1].data());
    std::size_t bytes = scratch_.size();
    launch_tree_sort(executor_, first_.size(), scratch_.data(), bytes, key, number);
    sorted_ = key.Current() == key_[0].data() ? 0 : 1;
    if ((number.Current() == number_[0].data()) != (sorted_ == 0)) throw std::logic_error("keys without their numbers");
  } else
#endif
  {
    const KeysAndNumbers result =
        sort_on_cpu(executor_, first_.size(), {key_[0].data(), number_[0].data()}, {key_[1].data(), number_[1].data()});
    sorted_ = result.key == key_[0].data() ? 0 : 1;
  }
  arrays_.key = key_[sorted_].data();
  arrays_.number = number_[sorted_].data();
  // The other keys are not needed any more.
  arrays_.group = reinterpret_cast<std::int32_t*>(key_[1 - sorted_].data());
}

// Splits the root, and so on, until no leaf has too many bodies; makes room for more nodes where that is needed.
void NbodyTree::grow_nodes() {
  for (;;) {
    executor_.clear(arrays_.counts->level, sizeof counts_.level);
    first_.clear();
    parallel_for(executor_, "tree_root", {1, 1}, TreeRoot{arrays_});
    int level = 0;
#ifdef __CUDACC__
    if (executor_.backend() == Backend::cuda) {
      for (; level <= tree_cell_levels; ++level) launch_tree_split(executor_, arrays_, level);
      find_groups();
      executor_.copy(&counts_, arrays_.counts, sizeof counts_);
      if (counts_.level[level] > 0) {
        for (; level < tree_levels; ++level) launch_tree_split(executor_, arrays_, level);
        executor_.copy(&counts_, arrays_.counts, sizeof counts_);
      }
    } else
#endif
    {
      for (; level < tree_levels; ++level) {
        const std::int32_t at = tree_level_begin(*arrays_.counts, level), nodes = arrays_.counts->level[level];
        if (nodes == 0 || at + nodes > arrays_.capacity) break;
        each_on_cpu(executor_, static_cast<std::size_t>(nodes), 256, TreeSplit{arrays_, level, at, at + nodes});
      }
      find_groups();
      counts_ = *arrays_.counts;
    }
    nodes_ = tree_level_begin(counts_, tree_levels);
    groups_ = counts_.groups;
    if (nodes_ <= arrays_.capacity) return;
    reserve(std::max(static_cast<std::size_t>(nodes_) + static_cast<std::size_t>(nodes_) / 8,
                     2 * static_cast<std::size_t>(arrays_.capacity)));
  }
}

void NbodyTree::find_groups() {
#ifdef __CUDACC__
  if (executor_.backend() == Backend::cuda) {
    std::size_t bytes = scratch_.size();
    return launch_tree_groups(executor_, arrays_, scratch_.data(), bytes);
  }
#endif
  std::int32_t groups = 0;
  for (std::int32_t i = 0; i < arrays_.count; ++i)
    if (arrays_.first[i]) arrays_.group[groups++] = i;
  arrays_.counts->groups = groups;
}

void NbodyTree::moments() {
  const TreeScale scale{tree_power_of_two(-exponent_), static_cast<float>(1 / mass_unit_)};
  for (int level = tree_levels; level >= 0; --level) {
    const std::int32_t count = counts_.level[level];
    if (count > 0)
      parallel_for(executor_, "tree_upward", tree_rows(static_cast<std::size_t>(count)),
                   TreeUpward{arrays_, scale, tree_level_begin(counts_, level), count});
  }
}

// False where a coordinate is out of range.
bool NbodyTree::build(const Vec4<float>* position, float softening2, TreeTimes* times) {
  Stopwatch watch(executor_, times != nullptr);
  const auto count = static_cast<std::size_t>(arrays_.count);
  arrays_.position = position;
  arrays_.key = key_[0].data();
  arrays_.number = number_[0].data();
  executor_.clear(arrays_.counts, sizeof counts_);
  const std::size_t strips = std::max<std::size_t>(1, count / std::clamp<std::size_t>(count >> 16, 16, 256));
  parallel_for(executor_, "tree_extent", tree_rows(strips), TreeExtent{arrays_, strips});
  const std::int32_t min = tree_bits(std::sqrt(softening2));
  if (executor_.backend() == Backend::cpu)
    tree_keys_on_cpu(executor_, arrays_, min);
  else
    parallel_for(executor_, "tree_keys", tree_rows(count), TreeKeys{arrays_, min});
  watch.lap(&TreeTimes::keys, times);
  sort();
  parallel_for(executor_, "tree_gather", tree_rows(count), TreeGather{arrays_});
  watch.lap(&TreeTimes::sort, times);
  grow_nodes();
  exponent_ = tree_exponent(std::max(counts_.extent, min));
  watch.lap(&TreeTimes::cells, times);
  if (exponent_ > tree_largest_exponent) return false;
  moments();
  watch.lap(&TreeTimes::moments, times);
  return true;
}

TreeWalk NbodyTree::walk(const NbodySystem<float>& system) const {
  const double length = exact::power_of_two(-exponent_);
  TreeWalk walk{arrays_,
                TreeTest(options_.opening),
                groups_,
                0,
                groups_,
                {static_cast<float>(length), static_cast<float>(1 / mass_unit_)},
                system.softening2,
                static_cast<float>(static_cast<double>(system.softening2) * length * length),
                static_cast<float>(mass_unit_ * length * length),
                mass_unit_ * length,
                system.fixed,
                system.sum,
                nbody_padded(system.count),
                system.overflow,
                nullptr};
  // The field of a node may exceed that of a point a little.
  walk.fixed.limit *= 1.5f;
  return walk;
}

bool NbodyTree::forces(const NbodySystem<float>& system, const std::function<bool()>& stop, TreeTimes* times) {
  if (!build(system.position, system.softening2, times)) {
    const int raised = 1;
    executor_.copy(system.overflow, &raised, sizeof raised);
    executor_.clear(system.sum, 3 * nbody_padded(system.count) * sizeof *system.sum);
    return true;
  }
  Stopwatch watch(executor_, times != nullptr);
  TreeWalk walk = this->walk(system);
  const auto tiles = static_cast<std::int64_t>(nbody_padded(system.count) / nbody_tile);
  if (system.first_tile > 0 || system.end_tile < tiles) {  // one of several ranks
    walk.first_group = static_cast<std::int32_t>(groups_ * std::int64_t{system.first_tile} / tiles);
    walk.end_group = static_cast<std::int32_t>(groups_ * std::int64_t{system.end_tile} / tiles);
    if (walk.first_group == walk.end_group) return true;
  }
  bool done = true;
#ifdef __CUDACC__
  if (executor_.backend() == Backend::cuda) {
    const TreeSpill spill = this->spill();
    if (options_.arithmetic == NbodyArithmetic::fast)
      launch_tree_walk<TreeForces<TreeFast>>(executor_, walk, spill, options_.queue);
    else
      launch_tree_walk<TreeForces<TreeExact>>(executor_, walk, spill, options_.queue);
  } else
#endif
  {
    const TreeWalkCpu cpu(walk);
    done = each_on_cpu(
        executor_, static_cast<std::size_t>(walk.end_group - walk.first_group), 4,
        [&](std::size_t g) { cpu.forces(walk.first_group + static_cast<std::int32_t>(g)); }, stop);
  }
  watch.lap(&TreeTimes::walk, times);
  return done;
}

#ifdef __CUDACC__
TreeSpill NbodyTree::spill() {
  const std::size_t nodes = center_.size();
  return {reinterpret_cast<std::int32_t*>(number_[1 - sorted_].data()), queues_.data(),
          static_cast<std::int32_t>(queue_warps(nodes)), static_cast<std::int32_t>(queue_room(nodes))};
}
#endif

double NbodyTree::potential(const NbodySystem<float>& system, double softening2) {
  NbodySystem<float> softened = system;
  softened.softening2 = static_cast<float>(softening2);
  if (!build(system.position, softened.softening2, nullptr)) return std::nan("");
  const auto count = static_cast<std::size_t>(arrays_.count);
  Buffer<double> values(executor_, count);
  Buffer<std::byte> scratch(executor_, reduce_scratch_bytes(folded(count), sizeof(double)));
  TreeWalk walk = this->walk(softened);
  walk.potential = values.data();
#ifdef __CUDACC__
  if (executor_.backend() == Backend::cuda) {
    launch_tree_walk<TreePotentials>(executor_, walk, spill(), options_.queue);
  } else
#endif
  {
    const TreeWalkCpu cpu(walk);
    each_on_cpu(executor_, static_cast<std::size_t>(groups_), 4,
                [&](std::size_t g) { cpu.potentials(static_cast<std::int32_t>(g)); });
  }
  return reduce(executor_, "tree_potential", folded(count),
                PotentialEnergy{body_.data(), values.data(), count, folded(count).nx}, scratch.data());
}

}  // namespace simreel
