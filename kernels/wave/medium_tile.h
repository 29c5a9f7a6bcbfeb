#pragma once
// A copy of a part of a medium, which a thread of the CPU advances several steps.

#include <cstddef>

#include "kernels/wave/cpu.h"
#include "kernels/wave/medium_cell.h"

namespace simreel {

// The inner parts of copies are at most so large.
inline constexpr int wave_part_width = 128, wave_part_height = 96;

// How a copy lies in its scratch memory.
struct WavePartSize {
  int nx, ny, layer_width;  // at most

  std::size_t area() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny); }
  // Two heights, one increment, the coupling, the links, and the memories of both states.
  std::size_t values() const {
    return 4 * area() + (area() + 3) / 4 +
           8 * static_cast<std::size_t>(layer_width) * static_cast<std::size_t>(nx + ny);
  }
};

// The part of the grid around a tile that its cells depend on within so many steps.
template <class Real>
struct WavePart {
  WaveRegion<Real> region;
  int first_x, first_y;         // the tile within it
  bool left, right, low, high;  // whether it ends at that side of the grid, where no halo is needed
  Real *u[2], *d;               // a cell's increment depends on no other one, so it is overwritten
  Real* coupling;
  std::uint8_t* links;
  WaveMemory<Real> memory[2];

  WaveMediumState<Real> state(int turn) const { return {{u[turn], d}, memory[turn]}; }
};

template <class Real>
inline WavePart<Real> wave_part(const WaveMedium<Real>& medium, const WaveTileBox& tile, int steps, Real* scratch) {
  const WaveParams<Real>& grid = medium.grid;
  WavePart<Real> part{};
  const int x0 = tile.x - steps, x1 = tile.x + tile.width + steps;
  const int y0 = tile.y - steps, y1 = tile.y + tile.height + steps;
  part.left = !medium.wraps_x && x0 <= 0;
  part.right = !medium.wraps_x && x1 >= grid.nx;
  part.low = !medium.wraps_y && y0 <= 0;
  part.high = !medium.wraps_y && y1 >= grid.ny;
  WaveRegion<Real>& region = part.region;
  region.x0 = part.left ? 0 : x0;
  region.y0 = part.low ? 0 : y0;
  region.nx = (part.right ? grid.nx : x1) - region.x0;
  region.ny = (part.high ? grid.ny : y1) - region.y0;
  region.pitch = static_cast<std::size_t>(region.nx);
  region.grid_nx = grid.nx;
  region.up = grid.y0;
  region.whole_ny = grid.whole_ny;
  region.friction = grid.friction[0];
  region.layers = medium.layers;
  part.first_x = tile.x - region.x0;
  part.first_y = tile.y - region.y0;
  const std::size_t area = region.pitch * static_cast<std::size_t>(region.ny);
  const std::size_t along_x = 2 * static_cast<std::size_t>(medium.layers.width) * static_cast<std::size_t>(region.ny);
  const std::size_t along_y = 2 * static_cast<std::size_t>(medium.layers.width) * region.pitch;
  const auto take = [&scratch](std::size_t values) {
    Real* const taken = scratch;
    scratch += values;
    return taken;
  };
  for (int turn = 0; turn < 2; ++turn) {
    part.u[turn] = take(area);
    part.memory[turn] = {take(along_x), take(along_x), take(along_y), take(along_y)};
  }
  part.d = take(area);
  part.coupling = take(area);
  part.links = reinterpret_cast<std::uint8_t*>(take(0));
  region.coupling = part.coupling;
  region.links = part.links;
  return part;
}

}  // namespace simreel
