#include "source/wave/droplets.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/base/math.h"
#include "kernels/base/random.h"

namespace simreel {

Droplets::Droplets(std::vector<DropletOptions> listed, const RainOptions& rain, std::uint64_t seed, int nx, int ny,
                   double timestep)
    : listed_(std::move(listed)), rain_(rain), seed_(seed), nx_(nx), ny_(ny), timestep_(timestep) {
  std::ranges::stable_sort(listed_, {}, &DropletOptions::time);
  std::ranges::reverse(listed_);
  if (rain_.rate > 0) draw_rain();
}

void Droplets::draw_rain() {
  const auto unit = [&](std::uint64_t stream) { return random_unit(seed_, stream, rain_drawn_); };
  const double before = next_rain_ ? next_rain_->time : 0;
  const double gap = -exact::log(1 - unit(0)) / rain_.rate;
  const double x = unit(1) * nx_ - 0.5, y = unit(2) * ny_ - 0.5;
  next_rain_ = DropletOptions{before + gap, {x, y, rain_.radius, rain_.amplitude, rain_.start}};
  ++rain_drawn_;
}

std::int64_t Droplets::step_at(double time) const {
  // The product of a whole number and the time step may round to just below a time that is meant to be that multiple.
  const double step = std::ceil(time / timestep_ * (1 - 1e-12));
  constexpr auto never = std::numeric_limits<std::int64_t>::max();
  return step < 9e18 ? static_cast<std::int64_t>(step) : never;
}

std::int64_t Droplets::next_step() const {
  std::int64_t step = std::numeric_limits<std::int64_t>::max();
  if (!listed_.empty()) step = step_at(listed_.back().time);
  if (next_rain_) step = std::min(step, step_at(next_rain_->time));
  return step;
}

WaveDroplet Droplets::pop() {
  if (next_rain_ && (listed_.empty() || next_rain_->time < listed_.back().time)) {
    const WaveDroplet drop = next_rain_->drop;
    draw_rain();
    return drop;
  }
  const WaveDroplet drop = listed_.back().drop;
  listed_.pop_back();
  return drop;
}

}  // namespace simreel
