#include "kernels/wave/medium.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/base/reduce.h"
#include "kernels/base/threads.h"
#include "kernels/wave/medium_cell.h"
#include "kernels/wave/medium_tile.h"
#ifdef __CUDACC__
#include "kernels/wave/medium_launch.cuh"
#endif

namespace simreel {
namespace {

template <class Real>
WaveRegion<Real> whole(const WaveMedium<Real>& medium) {
  WaveRegion<Real> region;
  region.nx = region.grid_nx = medium.grid.nx;
  region.ny = medium.grid.ny;
  region.up = medium.grid.y0;
  region.whole_ny = medium.grid.whole_ny;
  region.pitch = medium.grid.pitch;
  region.coupling = medium.coupling;
  region.links = medium.links;
  region.friction = medium.grid.friction[0];
  region.layers = medium.layers;
  return region;
}

// Cells of a row from x0 to x1, the ends of the part and the layers apart, so that the loop in the middle vectorises.
template <class Real>
void advance_row(const WaveRegion<Real>& shared, const WaveMediumState<Real>& from, const WaveMediumState<Real>& to,
                 int x0, int x1, int y) {
  const WaveRegion<Real> part = shared;  // a local copy, which stores through pointers cannot change
  const WavePlace<Real> up = wave_place_y(part, y), none;
  const int left = part.layers.left > 0 ? part.layers.left - part.x0 : 0;
  const int low = std::clamp(std::max(left, 1), x0, x1);
  const int high = std::clamp(std::min(part.grid_nx - part.layers.right - part.x0, part.nx - 1), low, x1);
  const std::uint8_t* const links = part.links + static_cast<std::ptrdiff_t>(part.pitch) * y;
  std::uint8_t any = 0;
  for (int x = low; x < high; ++x) any = static_cast<std::uint8_t>(any | links[x]);
  for (int x = x0; x < low; ++x) wave_medium_cell<false, false>(part, from, to, x, y, wave_place_x(part, x), up);
  if (y == 0 || y == part.ny - 1) {
    for (int x = low; x < high; ++x) wave_medium_cell<false, false>(part, from, to, x, y, none, up);
  } else if (up.depth >= 0 && any == 0) {
    SIMREEL_INDEPENDENT
    for (int x = low; x < high; ++x) wave_medium_cell<true, true>(part, from, to, x, y, none, up);
  } else if (up.depth >= 0) {
    for (int x = low; x < high; ++x) wave_medium_cell<true, false>(part, from, to, x, y, none, up);
  } else if (any == 0) {
    SIMREEL_INDEPENDENT
    for (int x = low; x < high; ++x) wave_medium_cell<true, true>(part, from, to, x, y, none, none);
  } else {
    SIMREEL_INDEPENDENT
    for (int x = low; x < high; ++x) wave_medium_cell<true, false>(part, from, to, x, y, none, none);
  }
  for (int x = high; x < x1; ++x) wave_medium_cell<false, false>(part, from, to, x, y, wave_place_x(part, x), up);
}

template <class Real>
struct MediumStep {
  WaveRegion<Real> region;
  WaveMediumState<Real> from, to;

  HD void operator()(int x, int y) const {
    wave_medium_cell<false, false>(region, from, to, x, y, wave_place_x(region, x), wave_place_y(region, y));
  }
  void span(int x0, int x1, int y) const { advance_row(region, from, to, x0, x1, y); }
};

template <class Real>
struct DriveStep {
  WaveDrive<Real> drive;
  std::size_t pitch;
  WaveState<Real> from, to;

  HD void operator()(int i, int) const {
    const WaveDriven cell = drive.cells[i];
    wave_drive_cell(drive, cell, 0, static_cast<std::ptrdiff_t>(static_cast<std::size_t>(cell.y) * pitch) + cell.x,
                    from, to);
  }
};

// The pass of a marked tile on a CPU.
template <class Real>
struct CpuPart {
  const WaveMedium<Real>& medium;
  int steps;
  const WaveMediumState<Real>&from, &to;

  void run(const WaveTileBox& tile, Real* scratch) const {
    const WavePart<Real> part = wave_part(medium, tile, steps, scratch);
    load(part);
    const WaveRegion<Real>& region = part.region;
    for (int step = 0; step < steps; ++step) {
      const int gone = step + 1;  // cells at the ends of the halo that are not known any more
      const int x0 = part.left ? 0 : gone, x1 = region.nx - (part.right ? 0 : gone);
      const int y0 = part.low ? 0 : gone, y1 = region.ny - (part.high ? 0 : gone);
      const WaveMediumState<Real> before = part.state(step % 2), after = part.state(1 - step % 2);
      for (int y = y0; y < y1; ++y) {
        advance_row(region, before, after, x0, x1, y);
        if (medium.drive.count > 0) drive_row(part, before.state, after.state, x0, x1, y, step);
      }
    }
    store(part, tile);
  }

  // Runs of columns that follow each other in the grid: calls copy(first column of the part, of the grid, how many).
  template <class Copy>
  void for_columns(const WaveRegion<Real>& region, const Copy& copy) const {
    for (int x = 0; x < region.nx;) {
      const int column = wave_wrapped(region.x0 + x, medium.grid.nx, medium.wraps_x);
      const int count = std::min(region.nx - x, medium.grid.nx - column);
      copy(x, column, count);
      x += count;
    }
  }

  void load(const WavePart<Real>& part) const {
    const WaveRegion<Real>& region = part.region;
    for (int y = 0; y < region.ny; ++y) {
      const int row = wave_wrapped(region.y0 + y, medium.grid.ny, medium.wraps_y);
      const std::ptrdiff_t in = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * medium.grid.pitch);
      const std::ptrdiff_t out = std::ptrdiff_t{y} * region.nx;
      for_columns(region, [&](int x, int column, int count) {
        std::copy_n(from.state.u + in + column, count, part.u[0] + out + x);
        std::copy_n(from.state.d + in + column, count, part.d + out + x);
        std::copy_n(medium.coupling + in + column, count, part.coupling + out + x);
        std::copy_n(medium.links + in + column, count, part.links + out + x);
      });
      if (from.memory.x_face != nullptr) {
        const int slots = 2 * medium.layers.width;
        std::copy_n(from.memory.x_face + std::ptrdiff_t{row} * slots, slots,
                    part.memory[0].x_face + std::ptrdiff_t{y} * slots);
        std::copy_n(from.memory.x_cell + std::ptrdiff_t{row} * slots, slots,
                    part.memory[0].x_cell + std::ptrdiff_t{y} * slots);
      }
      const WavePlace<Real> up = wave_place_y(region, y);
      if (up.depth < 0) continue;
      const std::ptrdiff_t slot = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(up.slot) * medium.grid.pitch);
      for_columns(region, [&](int x, int column, int count) {
        std::copy_n(from.memory.y_face + slot + column, count,
                    part.memory[0].y_face + std::ptrdiff_t{up.slot} * region.nx + x);
        std::copy_n(from.memory.y_cell + slot + column, count,
                    part.memory[0].y_cell + std::ptrdiff_t{up.slot} * region.nx + x);
      });
    }
  }

  void store(const WavePart<Real>& part, const WaveTileBox& tile) const {
    const WaveRegion<Real>& region = part.region;
    const int turn = steps % 2;
    for (int r = 0; r < tile.height; ++r) {
      const int y = part.first_y + r;
      const std::ptrdiff_t in = std::ptrdiff_t{y} * region.nx + part.first_x;
      const std::size_t out = wave_offset(medium.grid, tile.x, tile.y + r);
      std::copy_n(part.u[turn] + in, tile.width, to.state.u + out);
      std::copy_n(part.d + in, tile.width, to.state.d + out);
      if (to.memory.x_face != nullptr) {
        const int slots = 2 * medium.layers.width;
        for (int x = part.first_x; x < part.first_x + tile.width; ++x) {
          const WavePlace<Real> across = wave_place_x(region, x);
          if (across.depth < 0) continue;
          const std::ptrdiff_t copied = std::ptrdiff_t{y} * slots + across.slot;
          const std::ptrdiff_t place = std::ptrdiff_t{tile.y + r} * slots + across.slot;
          to.memory.x_face[place] = part.memory[turn].x_face[copied];
          to.memory.x_cell[place] = part.memory[turn].x_cell[copied];
        }
      }
      const WavePlace<Real> up = wave_place_y(region, y);
      if (up.depth < 0) continue;
      const std::ptrdiff_t copied = std::ptrdiff_t{up.slot} * region.nx + part.first_x;
      const std::ptrdiff_t place =
          static_cast<std::ptrdiff_t>(static_cast<std::size_t>(up.slot) * medium.grid.pitch) + tile.x;
      std::copy_n(part.memory[turn].y_face + copied, tile.width, to.memory.y_face + place);
      std::copy_n(part.memory[turn].y_cell + copied, tile.width, to.memory.y_cell + place);
    }
  }

  void drive_row(const WavePart<Real>& part, const WaveState<Real>& before, const WaveState<Real>& after, int x0,
                 int x1, int y, int step) const {
    const WaveRegion<Real>& region = part.region;
    const int row = wave_wrapped(region.y0 + y, medium.grid.ny, medium.wraps_y);
    for (std::uint32_t i = medium.drive.row[row]; i < medium.drive.row[row + 1]; ++i) {
      const WaveDriven& cell = medium.drive.cells[i];
      // Where the part is wider than a grid that wraps, it has a cell more than once.
      int x = cell.x - region.x0;
      if (medium.wraps_x) x = wave_wrapped(x, medium.grid.nx, true);
      for (; x < x1; x += medium.grid.nx) {
        if (x >= x0) wave_drive_cell(medium.drive, cell, step, std::ptrdiff_t{y} * region.nx + x, before, after);
        if (!medium.wraps_x) break;
      }
    }
  }
};

WavePartSize cpu_part_size(int layer_width) {
  return {wave_part_width + 2 * wave_pass_steps, wave_part_height + 2 * wave_pass_steps, layer_width};
}

template <class Real>
struct MediumEnergy {
  using Value = double;
  WaveRegion<Real> region;
  WaveState<const Real> state;
  double kinetic, potential, largest;

  HD static double empty() { return 0; }
  HD static double combine(double a, double b) { return a + b; }

  // The product of a link to the cell at `other`, which lies in `direction`.
  HD double link(std::ptrdiff_t k, std::ptrdiff_t other, int direction) const {
    const std::uint8_t links = region.links[k];
    if ((links & direction) != 0) return 0;
    const double u = state.u[k], before = u - static_cast<double>(state.d[k]);
    if ((links & (direction * wave_zero)) != 0) return u * before;
    const double u_other = state.u[other], before_other = u_other - static_cast<double>(state.d[other]);
    return (u_other - u) * (before_other - before);
  }

  HD double operator()(int x, int y) const {
    const std::ptrdiff_t pitch = static_cast<std::ptrdiff_t>(region.pitch), k = y * pitch + x;
    const double coupling = region.coupling[k], d = state.d[k];
    const bool last_x = x == region.nx - 1, last_y = y == region.ny - 1;
    double links = link(k, last_x ? k - region.nx + 1 : k + 1, wave_east) +
                   link(k, last_y ? k - (region.ny - 1) * pitch : k + pitch, wave_north);
    if (x == 0 && (region.links[k] & wave_west * wave_zero) != 0) links += link(k, k, wave_west);
    if (y == 0 && (region.links[k] & wave_south * wave_zero) != 0) links += link(k, k, wave_south);
    const double lack = wave_lack(wave_absorbing_faces(region.links[k]));
    const double mass = coupling > 0 ? kinetic * (largest / coupling) * (1 - lack) : 0;
    return std::fma(mass * d, d, potential * links);
  }
};

template <class Real>
struct ClearSolids {
  WaveMedium<Real> medium;
  WaveState<Real> state;

  HD void operator()(int x, int y) const {
    const std::size_t k = wave_offset(medium.grid, x, y);
    if (medium.coupling[k] == 0) state.u[k] = state.d[k] = 0;
  }
};

}  // namespace

bool WaveMarks::any(int x0, int y0, int x1, int y1, int cells_x, int cells_y) const {
  const auto blocks = [](int from, int to, int cells, int count, bool wraps) {
    std::pair<int, int> range{std::max(from, 0) / wave_mark, (std::min(to, cells) - 1) / wave_mark};
    if (wraps && (from < 0 || to > cells)) range = {0, count - 1};  // near the seam: all of the line, to be simple
    return range;
  };
  const auto [left, right] = blocks(x0, x1, cells_x, nx, wraps_x);
  const auto [low, high] = blocks(y0, y1, cells_y, ny, wraps_y);
  for (int y = low; y <= high; ++y)
    for (int x = left; x <= right; ++x)
      if (marked[static_cast<std::size_t>(y) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(x)] != 0)
        return true;
  return false;
}

template <class Real>
void wave_medium_step(const Executor& executor, const WaveMedium<Real>& medium, const WaveMediumState<Real>& from,
                      const WaveMediumState<Real>& to) {
  parallel_for(executor, "wave_medium_step", {medium.grid.nx, medium.grid.ny},
               MediumStep<Real>{whole(medium), from, to});
  parallel_for(executor, "wave_drive", {static_cast<int>(medium.drive.count), 1},
               DriveStep<Real>{medium.drive, medium.grid.pitch, from.state, to.state});
}

template <class Real>
std::size_t WaveMediumPass<Real>::bytes(const Executor& executor, int layer_width) {
  if (executor.backend() == Backend::cuda) return 0;
  return static_cast<std::size_t>(executor.threads()) * cpu_part_size(layer_width).values() * sizeof(Real);
}

template <class Real>
bool WaveMediumPass<Real>::fits(const Executor& executor, [[maybe_unused]] const WaveMedium<Real>& medium) {
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) return WaveMediumLaunches<Real>::Small::fits(medium);
#endif
  return executor.backend() == Backend::cpu;
}

template <class Real>
WaveMediumPass<Real>::WaveMediumPass(const Executor& executor, const WaveParams<Real>& grid, WaveMarks marks,
                                     int layer_width)
    : executor_(executor),
      grid_(grid),
      marks_(std::move(marks)),
      width_(layer_width),
      scratch_(executor, bytes(executor, layer_width) / sizeof(Real)),
      tiles_(static_cast<std::size_t>(wave_pass_steps) + 1) {}

template <class Real>
void WaveMediumPass<Real>::run(const WaveMedium<Real>& medium, int steps, const WaveMediumState<Real>& from,
                               const WaveMediumState<Real>& to, Real* plain_scratch) {
  assert(steps >= 1 && steps <= wave_pass_steps);
#ifdef __CUDACC__
  if (executor_.backend() == Backend::cuda) {
    using Launches = WaveMediumLaunches<Real>;
    const bool large = Launches::large(executor_, medium, steps);
    Tiles& tiles = tiles_[static_cast<std::size_t>(steps)];
    if (tiles.numbers.size() == 0) {
      const WaveTileNumbers sorted =
          large ? Launches::Large::sort(grid_, marks_, steps) : Launches::Small::sort(grid_, marks_, steps);
      tiles.numbers = Buffer<std::uint32_t>(executor_, sorted.tiles.size());
      tiles.numbers.upload(sorted.tiles.data());
      tiles.marked = sorted.marked;
    }
    const auto launch = large ? Launches::Large::launch : Launches::Small::launch;
    if (!side_) side_ = std::make_shared<SideStream>();
    launch(executor_, *side_, medium, steps, from, to, tiles.numbers, tiles.marked);
    return;
  }
#endif
  const WaveCpuTiles all(grid_.nx, grid_.ny, executor_.threads());
  const WaveCpuPass<Real> plain{grid_, steps, {from.state.u, from.state.d}, to.state, plain_scratch};
  const CpuPart<Real> part{medium, steps, from, to};
  const std::size_t values = cpu_part_size(width_).values();
  const auto marked = [&](const WaveTileBox& tile) {
    return marks_.any(tile.x - steps, tile.y - steps, tile.x + tile.width + steps, tile.y + tile.height + steps,
                      grid_.nx, grid_.ny);
  };
  on_threads(executor_, all.count(), [&](std::int64_t number, int thread) {
    const WaveTileBox tile = all.at(number);
    if (!marked(tile)) return plain.run(tile, thread);
    const int x1 = tile.x + tile.width, y1 = tile.y + tile.height;
    for (int y = tile.y; y < y1; y += wave_part_height) {
      const auto part_at = [&](int x) {
        return WaveTileBox{x, y, std::min(wave_part_width, x1 - x), std::min(wave_part_height, y1 - y)};
      };
      for (int x = tile.x; x < x1;) {
        WaveTileBox box = part_at(x);
        if (marked(box)) {
          part.run(box, scratch_.data() + static_cast<std::size_t>(thread) * values);
        } else {
          // Parts without marks that follow each other are one tile, which wastes less at its ends.
          for (int next = x + box.width; next < x1 && !marked(part_at(next)); next = x + box.width)
            box.width += part_at(next).width;
          plain.run(box, thread);
        }
        x += box.width;
      }
    }
  });
}

template <class Real>
double wave_medium_energy(const Executor& executor, const WaveMedium<Real>& medium, const OwnRows& rows,
                          WaveState<const Real> state, double largest, double speed, double spacing, double timestep,
                          void* scratch) {
  const double kinetic = 0.5 * (spacing / timestep) * (spacing / timestep), potential = 0.5 * speed * speed;
  return reduce(executor, "wave_medium_energy", medium.grid.nx, rows,
                MediumEnergy<Real>{whole(medium), state, kinetic, potential, largest}, scratch);
}

template <class Real>
void wave_clear_solids(const Executor& executor, const WaveMedium<Real>& medium, WaveState<Real> state) {
  parallel_for(executor, "wave_clear_solids", {medium.grid.nx, medium.grid.ny}, ClearSolids<Real>{medium, state});
}

#define SIMREEL_INSTANTIATE(Real)                                                                                     \
  template void wave_medium_step(const Executor&, const WaveMedium<Real>&, const WaveMediumState<Real>&,              \
                                 const WaveMediumState<Real>&);                                                       \
  template class WaveMediumPass<Real>;                                                                                \
  template double wave_medium_energy(const Executor&, const WaveMedium<Real>&, const OwnRows&, WaveState<const Real>, \
                                     double, double, double, double, void*);                                          \
  template void wave_clear_solids(const Executor&, const WaveMedium<Real>&, WaveState<Real>);
SIMREEL_INSTANTIATE(float)
SIMREEL_INSTANTIATE(double)
#undef SIMREEL_INSTANTIATE

}  // namespace simreel
