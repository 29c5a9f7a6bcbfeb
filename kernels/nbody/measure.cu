#include "kernels/nbody/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/base/reduce.h"
#include "kernels/nbody/pair.h"
#include "kernels/nbody/tasks.h"

namespace simreel {
namespace {

// Bodies as a grid of 32 rows, because a reduction stores a value per column.
constexpr int fold_rows = 32;
Extent folded(std::size_t count) { return {static_cast<int>((count + fold_rows - 1) / fold_rows), fold_rows}; }

struct Index {
  std::size_t count;
  int columns;

  explicit Index(std::size_t bodies) : count(bodies), columns(folded(bodies).nx) {}
  HD std::size_t operator()(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x);
  }
};

template <class Real>
struct Totals {
  using Value = NbodyTotals;
  const Vec4<Real>*position, *velocity;
  Index index;

  HD static Value empty() { return {}; }
  HD static Value combine(const Value& a, const Value& b) {
    return {a.kinetic + b.kinetic, a.px + b.px, a.py + b.py, a.pz + b.pz,
            a.lx + b.lx,           a.ly + b.ly, a.lz + b.lz, a.finite && b.finite};
  }
  HD Value operator()(int x, int y) const {
    const std::size_t i = index(x, y);
    if (i >= index.count) return empty();
    const double qx = position[i].x, qy = position[i].y, qz = position[i].z, mass = position[i].w;
    const double vx = velocity[i].x, vy = velocity[i].y, vz = velocity[i].z;
    Value value;
    value.kinetic = 0.5 * mass * (vx * vx + vy * vy + vz * vz);
    value.px = mass * vx;
    value.py = mass * vy;
    value.pz = mass * vz;
    value.lx = mass * (qy * vz - qz * vy);
    value.ly = mass * (qz * vx - qx * vz);
    value.lz = mass * (qx * vy - qy * vx);
    constexpr double largest = std::numeric_limits<double>::max();
    value.finite = std::fabs(qx) <= largest && std::fabs(qy) <= largest && std::fabs(qz) <= largest &&
                   std::fabs(vx) <= largest && std::fabs(vy) <= largest && std::fabs(vz) <= largest;
    return value;
  }
};

// Integers; partial sums may wrap around, the total does not.
struct Momenta {
  using Value = Vec3<std::uint64_t>;
  const std::int64_t* momentum;
  Index index;
  std::size_t padded;

  HD static Value empty() { return {0, 0, 0}; }
  HD static Value combine(const Value& a, const Value& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  HD Value operator()(int x, int y) const {
    const std::size_t i = index(x, y);
    if (i >= index.count) return empty();
    const auto component = [&](std::size_t k) { return static_cast<std::uint64_t>(momentum[k]); };
    return {component(i), component(padded + i), component(2 * padded + i)};
  }
};

// The potential energy of `size` bodies with all later bodies; on the CPU `size` fills the vectors.
template <class Real, int size>
struct Potential {
  const Vec4<Real>* position;
  Index index;
  double softening2;
  double* values;

  HD void operator()(std::size_t block) const {
    const std::size_t first = block * size;
    const Vec4<Real>* const targets = position + first;
    double x[size], y[size], z[size], sum[size];
    for (int k = 0; k < size; ++k) {
      x[k] = static_cast<double>(targets[k].x);
      y[k] = static_cast<double>(targets[k].y);
      z[k] = static_cast<double>(targets[k].z);
      sum[k] = 0;
    }
    constexpr double smallest = std::numeric_limits<double>::min();
    for (std::size_t j = first + 1; j < index.count; ++j) {
      const double bx = static_cast<double>(position[j].x), by = static_cast<double>(position[j].y),
                   bz = static_cast<double>(position[j].z), mass = static_cast<double>(position[j].w);
      const int before = static_cast<int>(std::min<std::size_t>(j - first, size));
      SIMREEL_INDEPENDENT
      for (int k = 0; k < size; ++k) {
        const double dx = bx - x[k], dy = by - y[k], dz = bz - z[k];
        const double distance2 = std::fma(dx, dx, std::fma(dy, dy, std::fma(dz, dz, softening2)));
        const bool pair = k < before && distance2 >= smallest;
        sum[k] = std::fma(pair ? mass : 0.0, inverse_root(pair ? distance2 : 1.0), sum[k]);
      }
    }
    for (int k = 0; k < size; ++k)
      if (first + static_cast<std::size_t>(k) < index.count)
        values[first + static_cast<std::size_t>(k)] = -static_cast<double>(targets[k].w) * sum[k];
  }

  HD void operator()(int x, int y) const {
    const std::size_t i = index(x, y);
    if (i < index.count) (*this)(i);
  }
};

// How many bodies stand for all: with 2048, the rms of the errors of a tree is within 5 to 13 % of that of all (one
// standard deviation, 2^17 bodies), so of few bodies there are more. At most so many are looked at together.
constexpr std::size_t looked_at_together = 2048;
std::size_t looked_at(std::size_t count) {
  return std::min(count, std::max(looked_at_together, (std::size_t{1} << 30) / count));
}

// The squares of the error of a body's force and of the force.
struct Squares {
  double error = 0, force = 0;
};

template <class Real>
struct ForceError {
  NbodySystem<Real> system;
  std::size_t padded, apart;  // distance between two bodies of the sample
  std::size_t first, count;   // of the sample, those that are looked at together
  Squares* squares;           // of these

  HD void operator()(int x, int) const { look_at<1>(static_cast<std::size_t>(x)); }
  // On a CPU: `cpu_lanes` bodies side by side.
  void operator()(std::size_t block) const { look_at<cpu_lanes>(block); }

  static constexpr std::size_t cpu_lanes = 16;

 private:
  template <std::size_t size>
  HD void look_at(std::size_t block) const {
    Vec4<double> a[size];
    Vec3<double> sum[size] = {};
    for (std::size_t k = 0; k < size; ++k) a[k] = twice(body(block * size + k));
    for (std::size_t j = 0; j < system.count; ++j) {
      const Vec4<double> b = twice(j);
      SIMREEL_INDEPENDENT
      for (std::size_t k = 0; k < size; ++k) nbody_pull_double(sum[k], a[k], b, static_cast<double>(system.softening2));
    }
    for (std::size_t k = 0; k < size && block * size + k < count; ++k) {
      const std::size_t i = body(block * size + k);
      const auto found = [&](std::size_t at) { return static_cast<double>(system.sum[at]) * system.fixed.unit; };
      const double ex = found(i) - sum[k].x, ey = found(padded + i) - sum[k].y, ez = found(2 * padded + i) - sum[k].z;
      squares[block * size + k] = {ex * ex + ey * ey + ez * ez,
                                   sum[k].x * sum[k].x + sum[k].y * sum[k].y + sum[k].z * sum[k].z};
    }
  }
  // The last one again beyond the end.
  HD std::size_t body(std::size_t x) const { return (first + (x < count ? x : count - 1)) * apart; }
  HD Vec4<double> twice(std::size_t i) const {
    const Vec4<Real>& q = system.position[i];
    return {static_cast<double>(q.x), static_cast<double>(q.y), static_cast<double>(q.z), static_cast<double>(q.w)};
  }
};

struct Sum {
  using Value = double;
  const double* values;
  Index index;

  HD static Value empty() { return 0; }
  HD static Value combine(Value a, Value b) { return a + b; }
  HD Value operator()(int x, int y) const {
    const std::size_t i = index(x, y);
    return i < index.count ? values[i] : 0;
  }
};

}  // namespace

std::size_t nbody_measure_bytes(std::size_t count) {
  return std::max({reduce_scratch_bytes(folded(count), sizeof(NbodyTotals)),
                   count * sizeof(double) + reduce_scratch_bytes(folded(count), sizeof(double)),
                   std::min(count, looked_at_together) * sizeof(Squares)});
}

template <class Real>
NbodyTotals nbody_totals(const Executor& executor, const Vec4<Real>* position, const Vec4<Real>* velocity,
                         std::size_t count, void* scratch) {
  return reduce(executor, "nbody_totals", folded(count), Totals<Real>{position, velocity, Index(count)}, scratch);
}

Vec3<double> nbody_momentum(const Executor& executor, const NbodyMomentum& momentum, std::size_t count, void* scratch) {
  const Vec3<std::uint64_t> total = reduce(executor, "nbody_momentum", folded(count),
                                           Momenta{momentum.value, Index(count), nbody_padded(count)}, scratch);
  const auto plain = [&](std::uint64_t units) {
    return static_cast<double>(static_cast<std::int64_t>(units)) / momentum.scale;
  };
  return {plain(total.x), plain(total.y), plain(total.z)};
}

template <class Real>
double nbody_potential(const Executor& executor, const Vec4<Real>* position, std::size_t count, double softening2,
                       void* scratch) {
  double* const values = static_cast<double*>(scratch);
  if (executor.backend() == Backend::cuda) {
    parallel_for(executor, "nbody_potential", folded(count),
                 Potential<Real, 1>{position, Index(count), softening2, values});
  } else {
    constexpr int size = 16;
    each_on_cpu(executor, (count + size - 1) / size, 4,
                Potential<Real, size>{position, Index(count), softening2, values});
  }
  return reduce(executor, "nbody_potential", folded(count), Sum{values, Index(count)}, values + count);
}

template <class Real>
NbodyForceError nbody_force_error(const Executor& executor, const NbodySystem<Real>& system, void* scratch) {
  const std::size_t sample = looked_at(system.count);
  std::vector<Squares> squares(sample);
  for (std::size_t first = 0; first < sample; first += looked_at_together) {
    const std::size_t count = std::min(looked_at_together, sample - first);
    const ForceError<Real> body{system, nbody_padded(system.count),    system.count / sample, first,
                                count,  static_cast<Squares*>(scratch)};
    if (executor.backend() == Backend::cuda)
      parallel_for(executor, "nbody_force_error", {static_cast<int>(count), 1}, body);
    else
      each_on_cpu(executor, (count + body.cpu_lanes - 1) / body.cpu_lanes, 1, body);
    executor.copy(squares.data() + first, scratch, count * sizeof(Squares));
  }
  Squares sum;
  double relative = 0;
  std::vector<double> errors;
  for (const Squares& s : squares) {
    sum = {sum.error + s.error, sum.force + s.force};
    if (s.force > 0) errors.push_back(s.error / s.force);
    if (s.force > 0) relative += errors.back();
  }
  if (errors.empty()) return {};
  std::ranges::sort(errors);
  return {std::sqrt(sum.error / sum.force), std::sqrt(relative / static_cast<double>(errors.size())),
          std::sqrt(errors[errors.size() * 99 / 100])};
}

#define SIMREEL_INSTANTIATE(Real)                                                                               \
  template NbodyTotals nbody_totals(const Executor&, const Vec4<Real>*, const Vec4<Real>*, std::size_t, void*); \
  template double nbody_potential(const Executor&, const Vec4<Real>*, std::size_t, double, void*);              \
  template NbodyForceError nbody_force_error(const Executor&, const NbodySystem<Real>&, void*);
SIMREEL_INSTANTIATE(float)
SIMREEL_INSTANTIATE(double)
#undef SIMREEL_INSTANTIATE

}  // namespace simreel
