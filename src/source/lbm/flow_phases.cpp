#include "source/lbm/flow_phases.h"

#include <algorithm>
#include <cmath>

#include "exec/buffer.h"
#include "kernels/base/math.h"
#include "kernels/lbm/cell.h"

namespace simreel {
namespace {

// (1 + tanh(2 d / W)) / 2
double phase_at(double distance, double width) { return 1 / (1 + exact::exp(-4 * distance / width)); }

// How far a place lies inside a disk, or inside its nearest image beyond periodic sides.
double inside(const PhaseDisk& disk, double x, double y, const PhasesOptions& s, const bool (&periodic)[2]) {
  const auto nearest = [&](double d, std::size_t axis) {
    const double n = s.grid[axis];
    return periodic[axis] ? d - n * std::floor(d / n + 0.5) : d;
  };
  const double dx = nearest(x - disk.center[0], 0), dy = nearest(y - disk.center[1], 1);
  return disk.radius - std::sqrt(dx * dx + dy * dy);
}

}  // namespace

template <class Real>
void FlowPhases<Real>::start(const LbmParams<Real>& p, Real* state) const {
  const PhasesOptions& s = options_;
  const double width = s.fluids.width;
  const auto columns = static_cast<std::size_t>(p.nx);
  const int max = std::clamp(static_cast<int>((std::size_t{1} << 22) / columns), 1, p.ny);  // rows at once
  const std::size_t plane = static_cast<std::size_t>(max) * columns;
  std::vector<double> values(3 * plane);
  Buffer<double> buffer(executor_, values.size());
  for (int y = 0; y < p.ny; y += max) {
    const int rows = std::min(max, p.ny - y);
    for (int row = 0; row < rows; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * columns;
      const int of_whole = lbm_row_of_whole(p, y + row);
      const std::span phase = std::span(values).subspan(at, columns);
      if (!s.liquid_text.text.empty())
        s.liquid.row(of_whole, phase);
      else
        std::ranges::fill(phase, -1e6);
      for (int x = 0; x < p.nx; ++x) {
        const std::size_t n = at + static_cast<std::size_t>(x);
        double distance = values[n], ux = 0, uy = 0, shares = 0;
        if (s.has_level) distance = std::max(distance, s.level - 0.5 - of_whole);
        const auto move = [&](const PhaseDisk& disk, double depth) {
          const double share = phase_at(depth, width);
          ux += share * disk.velocity[0];
          uy += share * disk.velocity[1];
          shares += share;
        };
        for (const PhaseDisk& drop : s.drops) {
          const double depth = inside(drop, x, of_whole, s, periodic_);
          distance = std::max(distance, depth);
          move(drop, depth);
        }
        for (const PhaseDisk& bubble : s.bubbles) {
          const double depth = inside(bubble, x, of_whole, s, periodic_);
          distance = std::min(distance, -depth);
          move(bubble, depth);
        }
        values[n] = phase_at(distance, width);
        const double all = std::max(1.0, shares);  // where disks overlap
        values[plane + n] = ux / all;
        values[2 * plane + n] = uy / all;
      }
    }
    buffer.upload(values.data());
    const double* const given = buffer.data();
    lbm_phases_start(executor_, p, LbmPhasesGiven{given, given + plane, given + 2 * plane, y, rows}, state);
  }
  executor_.wait();
}

template <class Real>
LbmSums FlowPhases<Real>::sums(const LbmParams<Real>& p, const OwnRows& rows, const Real* state, void* scratch,
                               double& liquid) const {
  LbmSums sums = lbm_phases_sums(executor_, p, phases_, rows, state, scratch);
  liquid = sums.mass;
  sums.mass = (liquid - sums.cells) * (1 - 1 / options_.fluids.density_ratio);
  return sums;
}

template class FlowPhases<float>;
template class FlowPhases<double>;

}  // namespace simreel
