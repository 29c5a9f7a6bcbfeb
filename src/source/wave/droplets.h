#pragma once
// The times and positions of droplets on a wave: those that the scene lists, and rain.

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/wave/wave.h"

namespace simreel {

// Random droplets: a Poisson process in simulated time, positions uniform over the grid.
struct RainOptions {
  double rate = 0;  // droplets per unit of simulated time, >= 0
  double radius = 3, amplitude = 0.07;
  WaveStart start = WaveStart::rest;
};

struct DropletOptions {
  double time = 0;  // simulated time, >= 0
  WaveDroplet drop;
};

// Delivers droplets in the order in which they fall. The n-th droplet of the rain depends on the seed and n alone.
class Droplets {
 public:
  Droplets(std::vector<DropletOptions> listed, const RainOptions&, std::uint64_t seed, int nx, int ny, double timestep);

  // The step before which the next droplet falls: the first one whose simulated time reaches that of the droplet. The
  // largest number if none is left.
  std::int64_t next_step() const;
  WaveDroplet pop();

 private:
  void draw_rain();
  std::int64_t step_at(double time) const;

  std::vector<DropletOptions> listed_;  // sorted by time, the next one last
  RainOptions rain_;
  std::uint64_t seed_;
  int nx_, ny_;
  double timestep_;
  std::uint64_t rain_drawn_ = 0;
  std::optional<DropletOptions> next_rain_;
};

}  // namespace simreel
