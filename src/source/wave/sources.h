#pragma once
// [[solver.source]]: what drives a wave from outside, its cells and its signal in time.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "formula/formula.h"
#include "kernels/wave/medium.h"
#include "kernels/wave/wave.h"
#include "scene/scene.h"

namespace simreel {

enum class SourceShape { point, line, disk, formula };
enum class SourceMode { soft, hard };

struct WaveSourceOptions {
  SourceShape shape = SourceShape::point;
  std::array<double, 2> position{};           // point, disk: cells
  std::optional<Formula> path[2];             // of t, instead of a coordinate of the position
  std::vector<std::array<double, 2>> points;  // line: two or more
  double radius = 5;                          // disk: cells
  Formula weight;                             // formula: the share of each cell
  SourceMode mode = SourceMode::soft;
  std::optional<Formula> signal;  // of t; unset: a sine
  double frequency = 0.05, amplitude = 1, phase = 0;
  double from = 0, until = 1e300, ramp = 0;  // simulated time
  Table keys;

  bool moves() const { return path[0] || path[1]; }
  // The signal: 0 before `from` and after `until`, with smooth ends of length `ramp`.
  double value(double time) const;
  std::array<double, 2> place(double time) const;  // of a point or disk
};

// Reads all [[solver.source]].
std::vector<WaveSourceOptions> read_wave_sources(Table& solver, int nx, int ny, double speed, double spacing);

// A cell and its share of a source, 0 to 1 but for formulas.
struct WaveSourceCell {
  int x, y;
  double weight;
};
// The cells of a source at a time, inside the grid. A point is spread over the four cells around it, a line is one cell
// wide, and the edge of a disk is smoothed over one cell.
std::vector<WaveSourceCell> wave_source_cells(const WaveSourceOptions&, int nx, int ny, std::uint64_t seed,
                                              double time);

// Random droplets: a Poisson process in simulated time, positions uniform over the grid.
struct RainOptions {
  double rate = 0;  // droplets per unit of simulated time, >= 0
  double radius = 3, amplitude = 0.07;
  WaveStart start = WaveStart::rest;
};

struct DropletOptions {
  double time = 0;  // simulated time, >= 0
  WaveDroplet drop;
  std::optional<Table> keys = {};  // the table of one that the scene lists, for the place in messages
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
