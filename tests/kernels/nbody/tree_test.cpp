// The tree: its bits on all machines, and its forces against sums over all pairs in double.

#include "kernels/nbody/tree/tree.h"

#include "kernels/nbody/measure.h"
#include "kernels/nbody/tree/keys_cpu.h"
#include "kernels/nbody/tree/sort_cpu.h"
#include "tests/support/backends.h"
#include "tests/support/tree_states.h"

namespace simreel {
namespace {

using test::TreeBodies;

constexpr TreeOpening none = {1e-3f, 1e-3f};  // nothing is far enough off

struct Sums {
  std::vector<std::int64_t> bits;  // x of all bodies, y, z
  double unit = 1;
  bool overflow = false;
  double potential = 0;
};

// `direct`: by the kernel for all pairs.
Sums sums_of(const Executor& executor, const TreeBodies& bodies, const TreeOptions& options, double softening,
             bool direct = false) {
  const std::size_t count = bodies.size(), padded = nbody_padded(count);
  TreeBodies values = bodies;
  values.resize(padded, {0, 0, 0, 0});
  double total = 0, largest = 0, square = 0;
  for (const Vec4<float>& q : bodies) {
    total += static_cast<double>(q.w);
    largest = std::max(largest, static_cast<double>(q.w));
    square += (static_cast<double>(q.x) * q.x + static_cast<double>(q.y) * q.y + static_cast<double>(q.z) * q.z) /
              static_cast<double>(count);
  }
  Buffer<Vec4<float>> position(executor, padded);
  Buffer<std::int64_t> sum(executor, 3 * padded);
  Buffer<int> lock(executor, padded / nbody_tile), overflow(executor, 1);
  position.upload(values.data());
  sum.clear();
  lock.clear();
  overflow.clear();
  const double softening2 = nbody_softening2<float>(softening, largest);
  const NbodySystem<float> system{count,
                                  position.data(),
                                  sum.data(),
                                  lock.data(),
                                  overflow.data(),
                                  static_cast<float>(softening2),
                                  nbody_fixed(count, total, largest, std::sqrt(square), softening2)};
  Sums result;
  if (direct) {
    nbody_forces(executor, NbodyMethod{}, system);
    Buffer<std::byte> scratch(executor, nbody_measure_bytes(count));
    result.potential =
        nbody_potential(executor, position.data(), count, softening > 0 ? softening2 : 0, scratch.data());
  } else {
    TreeOptions whole = options;
    whole.total_mass = total;
    NbodyTree tree(executor, count, whole);
    EXPECT_TRUE(tree.forces(system));
    result.potential = tree.potential(system, softening > 0 ? softening2 : 0);
  }
  const std::vector<std::int64_t> sums = sum.download();
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 0; i < count; ++i) result.bits.push_back(sums[axis * padded + i]);
  result.unit = system.fixed.unit;
  result.overflow = overflow.download()[0] != 0;
  return result;
}
TreeOptions options_of(TreeAccuracy accuracy) { return {tree_opening(accuracy)}; }

// Errors of the accelerations against all pairs in double, over about `samples` bodies, in order: relative to the
// acceleration or, where `of_pulls`, to the sum of the sizes of all pulls, as symmetric states hardly accelerate.
std::vector<double> errors_of(const TreeBodies& bodies, const Sums& sums, double softening, std::size_t samples,
                              bool of_pulls = false) {
  std::vector<double> errors;
  const std::size_t count = bodies.size(), apart = std::max<std::size_t>(1, count / samples);
  for (std::size_t i = 0; i < count; i += apart) {
    double expected[3] = {0, 0, 0}, pulls = 0;
    for (const Vec4<float>& q : bodies) {
      const double d[3] = {static_cast<double>(q.x) - bodies[i].x, static_cast<double>(q.y) - bodies[i].y,
                           static_cast<double>(q.z) - bodies[i].z};
      const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], distance2 = square + softening * softening;
      const double pull = distance2 > 0 ? static_cast<double>(q.w) / (distance2 * std::sqrt(distance2)) : 0;
      for (int k = 0; k < 3; ++k) expected[k] += d[k] * pull;
      pulls += std::sqrt(square) * pull;
    }
    double error = 0, size = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      error += std::pow(static_cast<double>(sums.bits[k * count + i]) * sums.unit - expected[k], 2);
      size += expected[k] * expected[k];
    }
    if (error > 0) error = std::sqrt(error) / (of_pulls ? pulls : std::sqrt(size));
    errors.push_back(error);
  }
  std::ranges::sort(errors);
  return errors;
}
double rms(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0) /
                   static_cast<double>(values.size()));
}

TEST(Tree, GivesTheSameBitsOnEveryMachine) {
  const std::vector<Executor> machines = test::executors();
  for (const auto& [name, bodies] : test::tree_states())
    for (const TreeAccuracy accuracy : {TreeAccuracy::coarse, TreeAccuracy::standard, TreeAccuracy::fine})
      for (const double softening : {0.0, 0.01}) {
        const Sums expected = sums_of(machines[0], bodies, options_of(accuracy), softening);
        EXPECT_TRUE(std::isfinite(expected.potential)) << name;
        for (std::size_t i = 1; i < machines.size(); ++i) {
          const Sums found = sums_of(machines[i], bodies, options_of(accuracy), softening);
          EXPECT_EQ(found.bits, expected.bits) << name << " on " << machines[i].name();
          EXPECT_EQ(found.overflow, expected.overflow) << name << " on " << machines[i].name();
          EXPECT_EQ(found.potential, expected.potential) << name << " on " << machines[i].name();
        }
      }
}

TEST(Tree, QueuesThatDoNotFitSpill) {
  SKIP_WITHOUT_GPU();
  TreeOptions options = options_of(TreeAccuracy::standard), short_queue = options;
  short_queue.queue = 64;
  const TreeBodies bodies = test::plummer_of(100000);
  const Executor executor = Executor::cuda();
  const Sums expected = sums_of(executor, bodies, options, 0.01), found = sums_of(executor, bodies, short_queue, 0.01);
  EXPECT_EQ(found.bits, expected.bits);
  EXPECT_EQ(found.potential, expected.potential);
}

// Without any node taken as a whole every pair counts once, whatever the shape of the tree.
TEST(Tree, IsTheSumOverAllPairsWhereNothingIsFar) {
  const Executor executor = Executor::cpu(2);
  for (const auto& [name, bodies] : test::tree_states()) {
    if (bodies.size() > 2000) continue;
    const double softening = name == "within 1e-8" ? 1e-11 : 0.01;
    const Sums tree = sums_of(executor, bodies, {none}, softening);
    const Sums direct = sums_of(executor, bodies, {none}, softening, true);
    EXPECT_EQ(tree.overflow, direct.overflow) << name;
    if (tree.overflow) continue;
    EXPECT_LT(errors_of(bodies, tree, softening, bodies.size(), true).back(),
              errors_of(bodies, direct, softening, bodies.size(), true).back() + 1e-6)
        << name;
    EXPECT_NEAR(tree.potential, direct.potential, 2e-7 * std::abs(direct.potential)) << name;
  }
}

TEST(Tree, KeepsTheErrorsOfItsSettings) {
  const Executor executor = Executor::cpu(2);
  struct Row {
    TreeAccuracy accuracy;
    double plummer, plummer_p99, disk, disk_p99;  // largest
  };
  // Few bodies have larger errors than many.
  for (const Row& row : {Row{TreeAccuracy::coarse, 6e-3, 2.5e-2, 2.3e-2, 8.5e-2},
                         Row{TreeAccuracy::standard, 3.2e-3, 1.1e-2, 8.5e-3, 3.3e-2},
                         Row{TreeAccuracy::fine, 1.7e-3, 6e-3, 3e-3, 1.1e-2}}) {
    for (const bool disk : {false, true}) {
      const TreeBodies bodies = disk ? test::disk_of(30000) : test::plummer_of(30000);
      const std::vector<double> errors =
          errors_of(bodies, sums_of(executor, bodies, options_of(row.accuracy), 0.01), 0.01, 1000);
      EXPECT_LT(rms(errors), disk ? row.disk : row.plummer) << disk << static_cast<int>(row.accuracy);
      EXPECT_LT(errors[errors.size() * 99 / 100], disk ? row.disk_p99 : row.plummer_p99)
          << disk << static_cast<int>(row.accuracy);
    }
  }
}

TEST(Tree, KeepsItsErrorsInHardStates) {
  const Executor executor = Executor::cpu(2);
  for (const auto& [name, bodies] : test::tree_states()) {
    // Where few places pull, nothing averages the errors.
    if (name == "one place" || name == "places with 23 bodies each" || bodies.size() < 1000) continue;
    // Softening far below the size of the state.
    const double softening = name == "within 1e-8" ? 1e-11 : 0.01;
    const Sums sums = sums_of(executor, bodies, options_of(TreeAccuracy::standard), softening);
    if (sums.overflow) continue;  // as it would without a tree
    const std::vector<double> errors = errors_of(bodies, sums, softening, 300, true);
    EXPECT_LT(errors[errors.size() / 2], 1.5e-3) << name;
    EXPECT_LT(errors[errors.size() * 99 / 100], 4e-2) << name;
  }
}

TEST(Tree, BodiesAtOnePlaceExertNoForce) {
  const Executor executor = Executor::cpu(2);
  const TreeBodies bodies(1500, Vec4<float>{0.3f, -0.7f, 0.1f, 1.0f / 1500});
  const Sums sums = sums_of(executor, bodies, options_of(TreeAccuracy::standard), 0.01);
  EXPECT_FALSE(sums.overflow);
  EXPECT_EQ(sums.bits, std::vector<std::int64_t>(4500, 0));
  EXPECT_NEAR(sums.potential, -0.5 * (1 - 1.0 / 1500) / 0.01, 1e-4) << "every pair at the softening";
}

TEST(Tree, SaysWhereCoordinatesAreOutOfRange) {
  for (const Executor& executor : test::executors())
    for (const float far : {1e19f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
      TreeBodies bodies = test::plummer_of(300);
      bodies[200].y = far;
      EXPECT_TRUE(sums_of(executor, bodies, options_of(TreeAccuracy::standard), 0.01).overflow) << far;
    }
}

TEST(Tree, FindsThePotentialEnergy) {
  const Executor executor = Executor::cpu(2);
  const TreeBodies bodies = test::plummer_of(20000);
  const double expected = sums_of(executor, bodies, {none}, 0.01, true).potential;
  EXPECT_NEAR(sums_of(executor, bodies, options_of(TreeAccuracy::standard), 0.01).potential / expected, 1, 1e-4);
  EXPECT_NEAR(sums_of(executor, bodies, options_of(TreeAccuracy::fine), 0.01).potential / expected, 1, 2e-5);
}

// A tree is larger than usual where bodies lie in few cells.
TEST(Tree, MakesRoomForMoreNodes) {
  TreeBodies bodies;
  for (int pair = 0; pair < 900; ++pair)  // 17 bodies in a cell of their own, deep below the others
    for (int i = 0; i < 17; ++i)
      bodies.push_back({static_cast<float>(pair % 10) + (i == 0 ? 1e-5f : 0), static_cast<float>(pair / 10 % 10),
                        static_cast<float>(pair / 100), 1e-4f});
  const Executor executor = Executor::cpu(2);
  const Sums sums = sums_of(executor, bodies, options_of(TreeAccuracy::standard), 0.01);
  EXPECT_FALSE(sums.overflow);
  EXPECT_LT(errors_of(bodies, sums, 0.01, 100, true)[90], 3e-2);
  EXPECT_NEAR(sums.potential / sums_of(executor, bodies, {none}, 0.01, true).potential, 1, 1e-3);
}

// The error of a series of the third order falls with the fourth power of the size of group and node.
TEST(TreeSeries, HasItsOrder) {
  const auto error_of = [](double size) {
    double error = 0;
    for (int trial = 0; trial < 20; ++trial) {
      const auto random = [&](std::uint64_t stream, std::size_t i) {
        return size * (2 * test::tree_random(stream, i + 100 * static_cast<std::size_t>(trial)) - 1);
      };
      TreeBodies bodies;
      for (std::size_t i = 0; i < 8; ++i)
        bodies.push_back({static_cast<float>(0.5 + random(50, i)), static_cast<float>(0.4 + random(51, i)),
                          static_cast<float>(-0.3 + random(52, i)), 0.125f});
      TreeLink link{0, 0, -8, 0};
      Vec4<float> center, moment[tree_moment_words];
      TreeBox box;
      tree_make_leaf({&center, &link, moment, &box}, 0, bodies.data(), {1, 1});
      float series[tree_series] = {};
      const TreeMoments m = tree_moments<true>(center, moment);
      tree_add_to_series<TreeExact, 1>(center.x, center.y, center.z, m.mass, m.value, 0.01f, series);
      const double at[3] = {random(53, 0), random(53, 1), random(53, 2)};
      double expected[3] = {0, 0, 0};
      for (const Vec4<float>& q : bodies) {
        const double d[3] = {q.x - at[0], q.y - at[1], q.z - at[2]};
        const double distance2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + static_cast<double>(0.01f);
        for (int k = 0; k < 3; ++k) expected[k] += 0.125 * d[k] / (distance2 * std::sqrt(distance2));
      }
      const Vec3<float> found =
          tree_evaluate(series, static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2]));
      error += std::hypot(found.x - expected[0], found.y - expected[1], found.z - expected[2]);
    }
    return error;
  };
  const double order = std::log2(error_of(0.05) / error_of(0.025));
  EXPECT_GT(order, 3.85);
  EXPECT_LT(order, 4.3);
}

// Of a parent as of all its bodies: the moments are shifted without loss.
TEST(TreeMoments, OfAParentAreThoseOfItsBodies) {
  const TreeBodies bodies = test::plummer_of(16, 0.1, 0.3);
  TreeLink link[4] = {{0, 0, -16, 0}, {0, 2, 2, 0}, {0, 0, -7, 0}, {0, 7, -9, 0}};
  Vec4<float> center[4], moment[4 * tree_moment_words];
  TreeBox box[4];
  const TreeNodes nodes{center, link, moment, box};
  for (const std::size_t leaf : {0, 2, 3}) tree_make_leaf(nodes, leaf, bodies.data(), {1, 1});
  tree_make_parent(nodes, 1);
  EXPECT_NEAR(center[1].x, center[0].x, 1e-7);
  EXPECT_NEAR(center[1].w, center[0].w, 1e-7);
  EXPECT_GE(link[1].radius, link[0].radius * 0.999f);
  for (std::size_t i = 0; i < tree_moment_words; ++i) {
    const float* const whole = &moment[i].x;
    const float* const shifted = &moment[tree_moment_words + i].x;
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(shifted[k], whole[k], 1e-5 * std::abs(whole[k]) + 1e-8) << i << k;
  }
}

// Neighbours along the curve are neighbours in space.
TEST(TreeKeys, FollowAHilbertCurve) {
  std::vector<std::pair<std::uint64_t, int>> cells;
  for (int i = 0; i < 512; ++i)
    cells.emplace_back(tree_key(static_cast<std::uint32_t>(i % 8) << 18, static_cast<std::uint32_t>(i / 8 % 8) << 18,
                                static_cast<std::uint32_t>(i / 64) << 18) >>
                           54,
                       i);
  std::ranges::sort(cells);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_EQ(cells[i].first, i) << "each cell has a key of its own";
    if (i == 0) continue;
    const int a = cells[i - 1].second, b = cells[i].second;
    EXPECT_EQ(std::abs(a % 8 - b % 8) + std::abs(a / 8 % 8 - b / 8 % 8) + std::abs(a / 64 - b / 64), 1);
  }
}

// A CPU computes those of many bodies side by side.
TEST(TreeKeys, OfManyBodiesAreThoseOfEach) {
  TreeBodies bodies = test::plummer_of(1000, 0.2);
  for (const float edge : {0.0f, -0.0f, 1.0f, -1.0f, 0.99999994f, -0.99999994f, 0x1p-21f, -0x1p-21f, 1e-40f})
    for (const float other : {edge, 0.5f, -1.0f}) bodies.push_back({edge, other, -edge, 1});
  for (const std::size_t count : {std::size_t{1}, std::size_t{63}, bodies.size()}) {
    std::vector<std::uint64_t> keys(count + 1, 7);
    for (std::size_t from = 0; from < count; from += tree_key_lanes)
      tree_keys_of(bodies.data() + from, 0, std::min(tree_key_lanes, count - from), keys.data() + from);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(keys[i], tree_key(bodies[i], 0)) << i;
    EXPECT_EQ(keys[count], 7u) << "nothing beyond";
  }
}

TEST(TreeSort, IsStableForAnyNumberOfThreads) {
  for (const std::size_t count : {1, 2, 1000, 100000, 300000}) {
    std::vector<std::uint64_t> keys(count);
    for (std::size_t i = 0; i < count; ++i)
      keys[i] = i % 3 == 0 ? i % 7 : static_cast<std::uint64_t>(test::tree_random(60, i) * 0x1p63);
    std::vector<std::uint32_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0U);
    std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return keys[i]; });
    for (const Executor& executor : test::cpu_executors()) {
      std::vector<std::uint64_t> key[2] = {keys, keys};
      std::vector<std::uint32_t> number[2] = {std::vector<std::uint32_t>(count), std::vector<std::uint32_t>(count)};
      std::iota(number[0].begin(), number[0].end(), 0U);
      const KeysAndNumbers sorted =
          sort_on_cpu(executor, count, {key[0].data(), number[0].data()}, {key[1].data(), number[1].data()});
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), sorted.number)) << count;
      EXPECT_TRUE(std::is_sorted(sorted.key, sorted.key + count)) << count;
    }
  }
}

}  // namespace
}  // namespace simreel
