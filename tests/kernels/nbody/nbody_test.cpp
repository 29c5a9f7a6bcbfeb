// The forces: against double precision, and against each other to the bit.

#include "kernels/nbody/nbody.h"
#include "exec/buffer.h"
#include "kernels/base/random.h"
#include "kernels/nbody/measure.h"
#include "kernels/nbody/pair.h"
#include "tests/support/backends.h"

namespace simreel {
namespace {

using Positions = std::vector<Vec4<double>>;

// Bodies spread over a cube of side 2, of different masses that make 1 in all, about; numbers that are floats.
Positions cloud(std::size_t count) {
  Positions bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = [&](std::uint64_t stream, double low, double high) {
      return static_cast<double>(static_cast<float>(low + (high - low) * random_unit(9, stream, i)));
    };
    const double mass = 1 / static_cast<double>(count);
    bodies[i] = {number(0, -1, 1), number(1, -1, 1), number(2, -1, 1), number(3, 0.5 * mass, 1.5 * mass)};
  }
  return bodies;
}

struct Forces {
  std::vector<double> value;       // x of all bodies, y, z
  std::vector<std::int64_t> bits;  // as the kernel left them
  bool overflow = false;
};

template <class Real>
Forces forces(const Executor& executor, const Positions& bodies, const NbodyMethod& method, double softening) {
  const std::size_t count = bodies.size(), padded = nbody_padded(count);
  std::vector<Vec4<Real>> values(padded, Vec4<Real>{0, 0, 0, 0});
  double total = 0, largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = {static_cast<Real>(bodies[i].x), static_cast<Real>(bodies[i].y), static_cast<Real>(bodies[i].z),
                 static_cast<Real>(bodies[i].w)};
    total += bodies[i].w;
    largest = std::max(largest, bodies[i].w);
  }
  Buffer<Vec4<Real>> position(executor, padded);
  Buffer<NbodySum<Real>> sum(executor, 3 * padded);
  Buffer<int> lock(executor, padded / nbody_tile), overflow(executor, 1);
  position.upload(values.data());
  sum.clear();
  lock.clear();
  overflow.clear();
  const double softening2 = nbody_softening2<Real>(softening, largest);
  NbodySystem<Real> system{
      count, position.data(), sum.data(), lock.data(), overflow.data(), static_cast<Real>(softening2), NbodyFixed{}};
  if constexpr (std::is_same_v<Real, float>) system.fixed = nbody_fixed(count, total, largest, 1, softening2);
  nbody_forces(executor, method, system);
  Forces result;
  const std::vector<NbodySum<Real>> sums = sum.download();
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 0; i < count; ++i) {
      const NbodySum<Real> here = sums[axis * padded + i];
      result.value.push_back(static_cast<double>(here) * system.fixed.unit);
      std::int64_t bits;
      std::memcpy(&bits, &here, sizeof bits);
      result.bits.push_back(bits);
    }
  result.overflow = overflow.download().at(0) != 0;
  return result;
}

// Straight from the formula, in long double.
std::vector<double> reference(const Positions& bodies, double softening) {
  std::vector<double> sums(3 * bodies.size(), 0.0);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    long double sum[3] = {};
    for (std::size_t j = 0; j < bodies.size(); ++j) {
      const long double x = bodies[j].x - bodies[i].x, y = bodies[j].y - bodies[i].y, z = bodies[j].z - bodies[i].z;
      const long double distance2 = x * x + y * y + z * z + static_cast<long double>(softening) * softening;
      if (i == j || distance2 == 0) continue;
      const long double s = bodies[j].w / (distance2 * std::sqrt(distance2));
      sum[0] += x * s;
      sum[1] += y * s;
      sum[2] += z * s;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) sums[axis * bodies.size() + i] = static_cast<double>(sum[axis]);
  }
  return sums;
}

double relative_rms(const std::vector<double>& values, const std::vector<double>& expected) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    error += (values[i] - expected[i]) * (values[i] - expected[i]);
    size += expected[i] * expected[i];
  }
  return std::sqrt(error / size);
}

constexpr NbodyKernel all_kernels[] = {NbodyKernel::naive, NbodyKernel::tiled, NbodyKernel::symmetric};
constexpr NbodyKernel ordered_kernels[] = {NbodyKernel::naive, NbodyKernel::tiled};
constexpr std::size_t odd_counts[] = {2, 3, 31, 32, 33, 127, 128, 129, 255, 256, 257, 384, 511, 700, 1025};

TEST(Nbody, InverseCubeIsWithinItsBounds) {
  double largest = 0, square = 0;
  int count = 0;
  for (float x = 0x1p-83f; x < 0x1p83f; x *= 1.000731f, ++count) {
    const double exact = 1 / (static_cast<double>(x) * std::sqrt(static_cast<double>(x)));
    const double error = static_cast<double>(inverse_cube(x)) / exact - 1;
    largest = std::max(largest, std::abs(error));
    square += error * error;
  }
  EXPECT_LT(largest, 1.5e-7);
  EXPECT_LT(std::sqrt(square / count), 5e-8);
}

TEST(Nbody, InverseRootIsWithinItsBounds) {
  double largest = 0;
  for (double x = 0x1p-1022; x < 0x1p1022; x *= 1.00731) {
    const long double exact = 1 / std::sqrt(static_cast<long double>(x));
    largest = std::max(largest, static_cast<double>(std::abs(inverse_root(x) / exact - 1)));
  }
  EXPECT_LT(largest, 2.3e-16);
}

template <class Real>
void expect_potential_of_every_pair_once(const Executor& executor, std::size_t count, double softening) {
  const Positions bodies = cloud(count);
  std::vector<Vec4<Real>> values(nbody_padded(count), Vec4<Real>{0, 0, 0, 0});
  long double expected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec4<double>& a = bodies[i];
    values[i] = {static_cast<Real>(a.x), static_cast<Real>(a.y), static_cast<Real>(a.z), static_cast<Real>(a.w)};
    for (std::size_t j = 0; j < i; ++j) {
      const Vec4<double>& b = bodies[j];
      const long double x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
      expected -= a.w * b.w / std::sqrt(x * x + y * y + z * z + static_cast<long double>(softening) * softening);
    }
  }
  Buffer<Vec4<Real>> position(executor, values);
  Buffer<std::byte> scratch(executor, nbody_measure_bytes(count));
  const double found = nbody_potential(executor, position.data(), count, softening * softening, scratch.data());
  EXPECT_NEAR(found, static_cast<double>(expected), 1e-15 * std::abs(static_cast<double>(expected)))
      << count << " bodies, softening " << softening;
}

TEST(Nbody, PotentialIsThatOfEveryPairOnce) {
  for (const Executor& executor : test::executors())
    for (const std::size_t count : {1, 2, 15, 16, 17, 31, 33, 64, 700})
      for (const double softening : {0.0, 0.1}) {
        expect_potential_of_every_pair_once<float>(executor, count, softening);
        expect_potential_of_every_pair_once<double>(executor, count, softening);
      }
}

// The body that `spoiled` names has twice its force: of these errors only it has one that is not rounding.
TEST(Nbody, ErrorsOfForcesAreThoseOfEveryBody) {
  for (const Executor& executor : test::executors())
    for (const std::size_t count : {1, 2, 37, 128, 1000}) {
      const Positions bodies = cloud(count);
      const std::size_t padded = nbody_padded(count);
      std::vector<Vec4<double>> values = bodies;
      values.resize(padded, {0, 0, 0, 0});
      const std::vector<double> forces = reference(bodies, 0.1);
      for (const std::size_t spoiled : {count / 2, count - 1}) {
        std::vector<double> sums(3 * padded, 0.0);
        for (std::size_t axis = 0; axis < 3; ++axis)
          for (std::size_t i = 0; i < count; ++i)
            sums[axis * padded + i] = forces[axis * count + i] * (i == spoiled ? 2 : 1);
        Buffer<Vec4<double>> position(executor, padded);
        Buffer<double> sum(executor, 3 * padded);
        Buffer<int> lock(executor, padded / nbody_tile), overflow(executor, 1);
        Buffer<std::byte> scratch(executor, nbody_measure_bytes(count));
        position.upload(values.data());
        sum.upload(sums.data());
        const NbodySystem<double> system{count,           position.data(), sum.data(),  lock.data(),
                                         overflow.data(), 0.1 * 0.1,       NbodyFixed{}};
        const NbodyForceError error = nbody_force_error(executor, system, scratch.data());
        EXPECT_NEAR(error.rms, count == 1 ? 0 : 1 / std::sqrt(static_cast<double>(count)), 1e-12) << count;
        EXPECT_NEAR(error.p99, count == 1 || count > 100 ? 0 : 1, 1e-12) << count;
      }
    }
}

TEST(Nbody, ExactForcesAreThoseOfDoublePrecision) {
  const Executor executor = Executor::cpu(2);
  for (const std::size_t count : odd_counts) {
    const Positions bodies = cloud(count);
    for (const double softening : {0.1, 0.01, 0.0}) {
      const std::vector<double> expected = reference(bodies, softening);
      for (const NbodyKernel kernel : all_kernels) {
        const Forces found = forces<float>(executor, bodies, {kernel}, softening);
        EXPECT_LT(relative_rms(found.value, expected), 2e-7) << count << ' ' << softening;
        EXPECT_FALSE(found.overflow);
      }
      for (const NbodyKernel kernel : ordered_kernels)
        EXPECT_LT(relative_rms(forces<double>(executor, bodies, {kernel}, softening).value, expected), 1e-14) << count;
    }
  }
}

TEST(Nbody, AllKernelsTilesAndExecutorsGiveTheSameBits) {
  for (const Executor& executor : test::executors()) {
    const bool gpu = executor.backend() == Backend::cuda;
    std::vector<std::size_t> counts(std::begin(odd_counts), std::end(odd_counts));
    if (gpu) counts.insert(counts.end(), {1, 5000, 20011});
    const std::vector<int> tiles =
        gpu ? std::vector<int>(std::begin(nbody_tiles), std::end(nbody_tiles)) : std::vector{NbodyMethod().tile};
    for (const std::size_t count : counts) {
      const Positions bodies = cloud(count);
      const Executor cpu = gpu ? Executor::cpu() : Executor::cpu(1);
      const std::vector<std::int64_t> exact = forces<float>(cpu, bodies, {NbodyKernel::naive}, 0.01).bits;
      const std::vector<std::int64_t> twice = forces<double>(cpu, bodies, {NbodyKernel::naive}, 0.01).bits;
      EXPECT_EQ(forces<float>(executor, bodies, {NbodyKernel::symmetric}, 0.01).bits, exact)
          << count << executor.name();
      for (const int tile : tiles)
        for (const NbodyKernel kernel : ordered_kernels) {
          const NbodyMethod method{kernel, NbodyArithmetic::exact, tile};
          EXPECT_EQ(forces<float>(executor, bodies, method, 0.01).bits, exact)
              << count << ' ' << tile << executor.name();
          EXPECT_EQ(forces<double>(executor, bodies, method, 0.01).bits, twice)
              << count << ' ' << tile << executor.name();
        }
    }
  }
}

TEST(Gpu, FastNbodyForcesAreWithinTolerance) {
  SKIP_WITHOUT_GPU();
  const Executor gpu = Executor::cuda(), cpu = Executor::cpu();
  for (const std::size_t count : {2, 33, 700, 5000, 20011}) {
    const Positions bodies = cloud(count);
    const std::vector<double> expected = forces<double>(cpu, bodies, {NbodyKernel::tiled}, 0.01).value;
    for (const int tile : {8, 128, 1024})
      for (const NbodyKernel kernel : all_kernels) {
        const Forces found = forces<float>(gpu, bodies, {kernel, NbodyArithmetic::fast, tile}, 0.01);
        EXPECT_LT(relative_rms(found.value, expected), 1e-5) << count << ' ' << tile;
        EXPECT_EQ(forces<float>(gpu, bodies, {kernel, NbodyArithmetic::fast, tile}, 0.01).bits, found.bits);
      }
  }
}

TEST(Nbody, ABodyAloneAndBodiesAtOnePlaceFeelNothing) {
  for (const Executor& executor : test::cpu_executors())
    for (const double softening : {0.0, 0.1})
      for (const double mass : {1.0, 1e30}) {
        const Positions together(70, {0.5, -2, 3, mass});
        for (const NbodyKernel kernel : all_kernels)
          for (const std::size_t count : {1, 70}) {
            const Positions bodies(count, {0.5, -2, 3, mass});
            const Forces found = forces<float>(executor, bodies, {kernel}, softening);
            EXPECT_EQ(found.value, std::vector<double>(3 * count)) << mass;
            EXPECT_FALSE(found.overflow);
          }
        for (const NbodyKernel kernel : ordered_kernels)
          EXPECT_EQ(forces<double>(executor, together, {kernel}, softening).value, std::vector<double>(3 * 70));
      }
}

// Two bodies at distances at which a floor under the softening could show.
TEST(Nbody, CloseBodiesInDoubleFeelTheWholeForce) {
  const Executor executor = Executor::cpu(1);
  for (const double distance : {1e-10, 1e-13, 1e-30, 1e-90})
    for (const NbodyKernel kernel : ordered_kernels)
      for (const double softening : {0.0, 0.5 * distance}) {
        const Forces found = forces<double>(executor, {{0, 0, 0, 1}, {distance, 0, 0, 2}}, {kernel}, softening);
        const double ratio = softening / distance, expected = 1 / std::pow(1 + ratio * ratio, 1.5);
        EXPECT_NEAR(found.value[0] / 2 * distance * distance / expected, 1, 1e-14) << distance;
        EXPECT_NEAR(found.value[1] * distance * distance / expected, -1, 1e-14) << distance;
      }
}

TEST(Nbody, OverflowIsNoticedAndNeverTakenForAForce) {
  const Executor executor = Executor::cpu(2);
  Positions bodies = cloud(300);
  const Forces before = forces<float>(executor, bodies, {NbodyKernel::symmetric}, 0);
  EXPECT_FALSE(before.overflow);
  bodies[200] = bodies[7];
  bodies[200].x += 1e-7 * std::abs(bodies[7].x) + 1e-30;
  bodies[7].x = bodies[7].y = bodies[7].z = 0;  // at the origin floats are dense
  bodies[200] = {1e-10, 0, 0, bodies[200].w};
  for (const NbodyKernel kernel : all_kernels) EXPECT_TRUE(forces<float>(executor, bodies, {kernel}, 0).overflow);
  EXPECT_FALSE(forces<float>(executor, bodies, {NbodyKernel::symmetric}, 1e-3).overflow);
  bodies[7].x = std::numeric_limits<double>::infinity();
  for (const NbodyKernel kernel : all_kernels) EXPECT_TRUE(forces<float>(executor, bodies, {kernel}, 0.1).overflow);
}

// All the mass where it pulls hardest, at softening / sqrt(2): from one light body; and in two bodies of a wide crowd,
// where they pull each other 10^8 times as hard as the whole pulls at its edge.
TEST(Nbody, ASoftenedSumNeverOverflows) {
  const double near = 0.01, nearer = 2e-5;
  Positions heavy(1000, {near / std::sqrt(2.0), 0, 0, 1}), crowd = cloud(1000);
  heavy[500] = {0, 0, 0, 1e-6};
  for (Vec4<double>& body : crowd) body.w *= 1e-6;
  crowd[500] = {0, 0, 0, 0.5};
  crowd[900] = {nearer / std::sqrt(2.0), 0, 0, 0.5};
  for (const auto& [bodies, softening, mass] : {std::tuple{heavy, near, 999.0}, {crowd, nearer, 0.5}})
    for (const NbodyKernel kernel : all_kernels) {
      const Forces found = forces<float>(Executor::cpu(2), bodies, {kernel}, softening);
      EXPECT_FALSE(found.overflow);
      EXPECT_NEAR(found.value[500] / (mass * 0.3849001794597505 / (softening * softening)), 1, 1e-6);
      if (mass == 0.5) {
        EXPECT_NEAR(found.value[900] / found.value[500], -1, 1e-6);
      }
    }
}

TEST(Nbody, ASofteningOfAFewHundredThousandthsOfTheRadiusBoundsAllSums) {
  for (const std::size_t count : {2, 400, 1000000}) {
    const double heaviest = 0.2, softening = 1.2e-5, bounded = 0.3849001794597505 / (softening * softening);
    const NbodyFixed fixed = nbody_fixed(count, 1, heaviest, 1, softening * softening);
    EXPECT_GE(fixed.limit, bounded) << count;
    EXPECT_LE(static_cast<double>(fixed.limit) * static_cast<double>(fixed.scale), 0x1p62) << count;
    EXPECT_LE(fixed.unit, 0x1p-29) << "the pull of the whole mass at the radius is 1";
  }
}

}  // namespace
}  // namespace simreel
