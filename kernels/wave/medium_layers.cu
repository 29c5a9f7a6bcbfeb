// The absorbing layers of a medium: how they damp with depth, and what that leaves of a first state.

#include <cstddef>
#include <vector>

#include "kernels/base/launch.h"
#include "kernels/base/math.h"
#include "kernels/wave/cpu.h"
#include "kernels/wave/medium.h"

namespace simreel {
namespace {

template <class Real>
struct Weigh {
  WaveParams<Real> grid;
  WaveWeights<Real> weights;
  WaveState<Real> state;

  HD void operator()(int x, int y) const {
    const std::size_t k = wave_offset(grid, x, y);
    const Real weight = weights.column[x] * weights.row[y];
    state.u[k] *= weight;
    state.d[k] *= weight;
  }
};

// The damping sigma of a layer grows as the fourth power of the depth, so smoothly from 0; the integral of sigma dx / c
// is `whole`. The shift alpha, in units of c / dx, keeps the layer stiff for changes slower than itself: without it,
// what falls into a layer drifts away.
constexpr double layer_whole = 12, layer_order = 4, layer_shift = 0.01;
// sigma / (c / dx) at a depth in cells.
double layer_damping(int width, double depth) {
  const double part = depth / width, square = part * part;
  return layer_whole * (layer_order + 1) / width * square * square;
}

}  // namespace

std::vector<double> wave_layer_weights(int width) {
  std::vector<double> weights;
  for (int q = 0; q < width; ++q)
    weights.push_back(layer_shift / (layer_damping(width, width - q - 0.5) + layer_shift));
  return weights;
}

template <class Real>
void wave_weigh(const Executor& executor, const WaveParams<Real>& grid, const WaveWeights<Real>& weights,
                WaveState<Real> state) {
  parallel_for(executor, "wave_weigh", {grid.nx, grid.ny}, Weigh<Real>{grid, weights, state});
}

template <class Real>
std::vector<WaveDepth<Real>> wave_layer_depths(int width, double lambda) {
  struct Factors {
    double keep, take;
  };
  const auto at_depth = [&](double depth) -> Factors {
    const double sigma = lambda * layer_damping(width, depth), alpha = lambda * layer_shift;
    const double keep = exact::exp(-(sigma + alpha));
    return {keep, sigma / (sigma + alpha) * (keep - 1)};
  };
  std::vector<WaveDepth<Real>> depths;
  for (int q = 0; q < width; ++q) {
    const Factors face = at_depth(width - q), cell = at_depth(width - q - 0.5);
    depths.push_back({static_cast<Real>(face.keep), static_cast<Real>(face.take), static_cast<Real>(cell.keep),
                      static_cast<Real>(cell.take)});
  }
  return depths;
}

#define SIMREEL_INSTANTIATE(Real)                                       \
  template std::vector<WaveDepth<Real>> wave_layer_depths(int, double); \
  template void wave_weigh(const Executor&, const WaveParams<Real>&, const WaveWeights<Real>&, WaveState<Real>);
SIMREEL_INSTANTIATE(float)
SIMREEL_INSTANTIATE(double)
#undef SIMREEL_INSTANTIATE

}  // namespace simreel
