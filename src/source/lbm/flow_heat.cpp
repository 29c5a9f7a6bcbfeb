#include "source/lbm/flow_heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/math.h"
#include "kernels/base/random.h"
#include "source/lbm/params.h"

namespace simreel {
namespace {

constexpr std::uint64_t stream = 0x68656174;  // of the phases
constexpr std::size_t fewest_samples = 8;

// cos(2 pi (k s + phase)) for each column, in which several rolls are added.
std::vector<double> rolls(const HeatOptions& h, std::uint64_t seed, int nx, int ny) {
  std::vector<double> sum(static_cast<std::size_t>(nx));
  if (h.perturbation == 0) return sum;
  const int count = std::clamp(2 * nx / ny, 1, 32);
  for (int k = 1; k <= count; ++k) {
    const double phase = random_unit(seed, stream, static_cast<std::uint64_t>(k));
    for (int x = 0; x < nx; ++x)
      sum[static_cast<std::size_t>(x)] +=
          h.span() * h.perturbation / std::sqrt(count) * exact::sinpi(2 * (k * (x + 0.5) / nx + phase));
  }
  return sum;
}

// Whether a side or another circle takes a part of a circle.
bool is_cut(const LbmOptions& o, std::size_t n) {
  const ObstacleOptions& circle = o.obstacles[n];
  const auto beyond = [&](std::size_t axis, LbmSide low, LbmSide high) {
    const double first = circle.center[axis] - circle.radius, last = circle.center[axis] + circle.radius;
    return (low != LbmSide::periodic && first < -0.5) || (high != LbmSide::periodic && last > o.grid[axis] - 0.5);
  };
  if (beyond(0, o.left, o.right) || beyond(1, o.bottom, o.top)) return true;
  for (std::size_t i = 0; i < o.obstacles.size(); ++i) {
    const ObstacleOptions& other = o.obstacles[i];
    if (i == n || other.shape != ObstacleShape::circle) continue;
    if (std::hypot(other.center[0] - circle.center[0], other.center[1] - circle.center[1]) <
        other.radius + circle.radius)
      return true;
  }
  return false;
}

}  // namespace

template <class Real>
FlowHeat<Real>::FlowHeat(const Executor& executor, const LbmOptions& o, std::uint64_t seed, LbmParams<Real>& params,
                         const LbmCells& cells, Real* state)
    : executor_(executor), options_(o.heat) {
  params.driven = true;
  const HeatOptions& h = options_;
  lbm_set_heat_rates(heat_, h.diffusivity);
  const auto wall_of = [&](const HeatWall& wall) -> LbmHeatWall<Real> {
    if (wall.has_temperature())
      return {true, h.is_hottest(wall), static_cast<Real>((wall.value - h.reference) / h.span())};
    return {false, false, static_cast<Real>(h.diffusivity * wall.value / h.span())};
  };
  heat_.buoyancy = static_cast<Real>(h.buoyancy * h.span());
  std::ranges::transform(h.sides, heat_.side, wall_of);
  if (!h.obstacles.empty()) {
    std::vector<LbmHeatWall<Real>> walls(h.obstacles.size());
    std::ranges::transform(h.obstacles, walls.begin(), wall_of);
    obstacles_ = Buffer(executor, walls);
    heat_.obstacle = obstacles_.data();
  }
  push_ = Buffer<Real>(executor, 2 * params.pitch * static_cast<std::size_t>(params.ny));
  if (std::ranges::none_of(h.sides, [&](const HeatWall& wall) { return h.is_hottest(wall); }))
    for (std::size_t n = 0; n < h.obstacles.size(); ++n) {
      if (!h.is_hottest(h.obstacles[n])) continue;
      if (o.obstacles[n].shape != ObstacleShape::circle || is_cut(o, n)) {
        hot_length_ = 0;
        break;
      }
      hot_length_ += 2 * std::acos(-1.0) * o.obstacles[n].radius;
    }
  const double speed = std::max(h.free_fall(), o.fastest());
  if (h.has_nusselt())
    interval_ = lift_sampling_interval(speed > 0 ? h.height / speed : h.height * h.height / h.diffusivity / 20);
  start(seed, params, cells, state);
}

template <class Real>
void FlowHeat<Real>::start(std::uint64_t seed, const LbmParams<Real>& p, const LbmCells& cells, Real* state) const {
  const HeatOptions& h = options_;
  const std::vector<double> wave = rolls(h, seed, p.nx, p.whole_ny);
  const HeatWall &low = h.sides[h.across ? 0 : 2], &high = h.sides[h.across ? 1 : 3];
  const auto fill = [&](int y, const auto& values) {
    const std::span<double> row = values(0);
    const double t = (y + 0.5) / p.whole_ny;
    if (!h.initial_text.text.empty()) h.initial.row(y, row);
    for (std::size_t x = 0; x < row.size(); ++x) {
      const double share = h.across ? (static_cast<double>(x) + 0.5) / p.nx : t;
      if (h.initial_text.text.empty()) row[x] = h.start ? *h.start : low.value + share * (high.value - low.value);
      row[x] += wave[x] * exact::sinpi(t);
      row[x] = (row[x] - h.reference) / h.span();
    }
  };
  start_by_rows(executor_, p, 1, fill, [&](const double* given, std::size_t, int y, int rows) {
    lbm_heat_start(executor_, p, cells, given, y, rows, state);
  });
}

template <class Real>
const LbmParams<Real>& FlowHeat<Real>::seen(const LbmParams<Real>& p, const Real* state) {
  lbm_heat_push(executor_, p, heat_, state, push_.data());
  seen_ = p;
  seen_.push = push_.data();
  return seen_;
}

template <class Real>
std::vector<double> FlowHeat<Real>::diagnose(const LbmParams<Real>& p, const OwnRows& rows, const LbmCells& cells,
                                             const Real* state, double fluid, void* scratch) const {
  const HeatOptions& h = options_;
  const LbmHeatSums sums = lbm_heat_sums(executor_, p, heat_, rows, cells, state, scratch);
  std::vector<double> row = {h.reference + h.span() * sums.temperature / fluid};
  const double length = hot_length_ > 0 ? hot_length_ : sums.links;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();  // no wall of these touches the fluid
  if (h.has_nusselt()) row.push_back(sums.links > 0 ? sums.entering / length * h.height / h.diffusivity : none);
  if (h.between_sides()) {
    const HeatWall &low = h.sides[h.across ? 0 : 2], &high = h.sides[h.across ? 1 : 3];
    const double difference = (low.value - high.value) / h.span();
    const double cells_between = h.across ? p.nx : p.whole_ny;
    const double carried = (h.across ? sums.along_x : sums.along_y) / fluid / h.diffusivity;
    row.push_back(h.height * std::copysign(1, difference) * (difference / cells_between + carried));
  }
  return row;
}

template <class Real>
std::vector<std::string> FlowHeat<Real>::findings() const {
  if (samples_.size() < fewest_samples) return {};
  const std::span<const Sample> late = std::span(samples_).subspan(samples_.size() / 2);
  double mean = 0;
  for (const Sample& sample : late) mean += sample.value / static_cast<double>(late.size());
  const auto [low, high] = std::ranges::minmax(late, {}, &Sample::value);
  return {
      fmt::format("Nusselt number {:.4g} (heat from the hottest walls over that of conduction, from step {:.0f} to "
                  "{:.0f}; lowest {:.4g}, highest {:.4g})",
                  mean, late.front().time, late.back().time, low.value, high.value)};
}

template class FlowHeat<float>;
template class FlowHeat<double>;

}  // namespace simreel
