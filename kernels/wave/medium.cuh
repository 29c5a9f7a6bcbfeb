#pragma once
// The pass over a medium on a GPU. Tiles without marks go to the plain kernel, by a list. The others are cut into
// parts: a block copies a part and its halo into memory of its own, which stays in the caches, advances it cell by
// cell, and stores what is still valid. A barrier of the block separates the steps.

#include <vector>

#include "exec/cuda_check.h"
#include "kernels/wave/medium_tile.h"
#include "kernels/wave/tuned.cuh"

namespace simreel {

inline constexpr int wave_cuda_part = 64;                                      // cells of a part along an axis, at most
inline constexpr int wave_cuda_part_threads = 512, wave_cuda_part_blocks = 2;  // blocks per multiprocessor

inline WavePartSize wave_cuda_part_size(int layer_width) {
  constexpr int most = wave_cuda_part + 2 * wave_pass_steps;
  return {most, most, layer_width};
}
inline std::size_t wave_part_scratch_values(const Executor& executor, int layer_width) {
  return static_cast<std::size_t>(executor.multiprocessors()) * wave_cuda_part_blocks *
         wave_cuda_part_size(layer_width).values();
}

template <class Real>
__device__ void wave_load_part(const WaveMedium<Real>& medium, const WavePart<Real>& part,
                               const WaveMediumState<Real>& from) {
  const WaveRegion<Real>& region = part.region;
  const int cells = region.nx * region.ny;
  for (int i = threadIdx.x; i < cells; i += blockDim.x) {
    const int x = wave_wrapped(region.x0 + i % region.nx, medium.grid.nx, medium.wraps_x);
    const int y = wave_wrapped(region.y0 + i / region.nx, medium.grid.ny, medium.wraps_y);
    const std::size_t k = wave_offset(medium.grid, x, y);
    part.u[0][i] = from.state.u[k];
    part.d[i] = from.state.d[k];
    part.coupling[i] = medium.coupling[k];
    part.links[i] = medium.links[k];
  }
  const int slots = 2 * medium.layers.width;
  if (from.memory.x_face != nullptr) {
    for (int i = threadIdx.x; i < slots * region.ny; i += blockDim.x) {
      const int y = wave_wrapped(region.y0 + i / slots, medium.grid.ny, medium.wraps_y);
      const std::size_t k = static_cast<std::size_t>(y) * slots + i % slots;
      part.memory[0].x_face[i] = from.memory.x_face[k];
      part.memory[0].x_cell[i] = from.memory.x_cell[k];
    }
  }
  if (from.memory.y_face != nullptr) {
    for (int i = threadIdx.x; i < cells; i += blockDim.x) {
      const WavePlace<Real> up = wave_place_y(region, i / region.nx);
      if (up.depth < 0) continue;
      const int column = i % region.nx;
      const int x = wave_wrapped(region.x0 + column, medium.grid.nx, medium.wraps_x);
      const std::size_t k = static_cast<std::size_t>(up.slot) * medium.grid.pitch + static_cast<std::size_t>(x);
      const int place = up.slot * region.nx + column;
      part.memory[0].y_face[place] = from.memory.y_face[k];
      part.memory[0].y_cell[place] = from.memory.y_cell[k];
    }
  }
}

template <class Real>
__device__ void wave_store_part(const WaveMedium<Real>& medium, const WavePart<Real>& part, const WaveTileBox& box,
                                int turn, const WaveMediumState<Real>& to) {
  const WaveRegion<Real>& region = part.region;
  const int slots = 2 * medium.layers.width;
  for (int i = threadIdx.x; i < box.width * box.height; i += blockDim.x) {
    const int x = part.first_x + i % box.width, y = part.first_y + i / box.width;
    const int copied = y * region.nx + x;
    const std::size_t k = wave_offset(medium.grid, region.x0 + x, region.y0 + y);
    to.state.u[k] = part.u[turn][copied];
    to.state.d[k] = part.d[copied];
    const WavePlace<Real> across = wave_place_x(region, x), up = wave_place_y(region, y);
    if (across.depth >= 0) {
      const std::size_t place = static_cast<std::size_t>(region.y0 + y) * slots + across.slot;
      to.memory.x_face[place] = part.memory[turn].x_face[y * slots + across.slot];
      to.memory.x_cell[place] = part.memory[turn].x_cell[y * slots + across.slot];
    }
    if (up.depth >= 0) {
      const std::size_t place = static_cast<std::size_t>(up.slot) * medium.grid.pitch + (region.x0 + x);
      to.memory.y_face[place] = part.memory[turn].y_face[up.slot * region.nx + x];
      to.memory.y_cell[place] = part.memory[turn].y_cell[up.slot * region.nx + x];
    }
  }
}

template <class Real>
__global__ void __launch_bounds__(wave_cuda_part_threads, wave_cuda_part_blocks)
    wave_parts(const __grid_constant__ WaveMedium<Real> medium, int steps,
               const __grid_constant__ WaveMediumState<Real> from, const __grid_constant__ WaveMediumState<Real> to,
               const WaveTileBox* boxes, int count, Real* scratch, std::size_t values) {
  for (int number = static_cast<int>(blockIdx.x); number < count; number += static_cast<int>(gridDim.x)) {
    const WaveTileBox box = boxes[number];
    const WavePart<Real> part = wave_part(medium, box, steps, scratch + blockIdx.x * values);
    const WaveRegion<Real>& region = part.region;
    wave_load_part(medium, part, from);
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
      const int gone = step + 1;
      const int x0 = part.left ? 0 : gone, x1 = region.nx - (part.right ? 0 : gone);
      const int y0 = part.low ? 0 : gone, y1 = region.ny - (part.high ? 0 : gone);
      const WaveMediumState<Real> before = part.state(step % 2), after = part.state(1 - step % 2);
      const int width = x1 - x0;
      for (int i = threadIdx.x; i < width * (y1 - y0); i += blockDim.x) {
        const int x = x0 + i % width, y = y0 + i / width;
        wave_medium_cell<false, false>(region, before, after, x, y, wave_place_x(region, x), wave_place_y(region, y));
      }
      __syncthreads();
      if (medium.drive.count > 0) {
        // A warp takes a row.
        for (int y = y0 + static_cast<int>(threadIdx.x) / 32; y < y1; y += static_cast<int>(blockDim.x) / 32) {
          const int row = wave_wrapped(region.y0 + y, medium.grid.ny, medium.wraps_y);
          for (std::uint32_t i = medium.drive.row[row] + threadIdx.x % 32; i < medium.drive.row[row + 1]; i += 32) {
            const WaveDriven& cell = medium.drive.cells[i];
            int x = cell.x - region.x0;
            if (medium.wraps_x) x = wave_wrapped(x, medium.grid.nx, true);
            for (; x < x1; x += medium.grid.nx) {
              if (x >= x0)
                wave_drive_cell(medium.drive, cell, step, std::ptrdiff_t{y} * region.nx + x, before.state, after.state);
              if (!medium.wraps_x) break;
            }
          }
        }
        __syncthreads();
      }
    }
    wave_store_part(medium, part, box, steps % 2, to);
    __syncthreads();
  }
}

struct WaveTileNumbers {
  std::vector<std::uint32_t> plain;
  std::vector<WaveTileBox> parts;
};

template <class Pass, class Real>
WaveTileNumbers wave_sorted_tiles(const WaveParams<Real>& grid, const WaveMarks& marks, int steps) {
  WaveTileNumbers numbers;
  const int tiles_x = Pass::tiles_x(grid, steps), width = Pass::inner_width(steps), height = Pass::inner_height(steps);
  const std::int64_t tiles = Pass::tiles(grid, steps);
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const int x = static_cast<int>(tile % tiles_x) * width, y = static_cast<int>(tile / tiles_x) * height;
    const int x1 = std::min(x + width, grid.nx), y1 = std::min(y + height, grid.ny);
    if (!marks.any(x - steps, y - steps, x1 + steps, y1 + steps, grid.nx, grid.ny)) {
      numbers.plain.push_back(static_cast<std::uint32_t>(tile));
      continue;
    }
    for (int part_y = y; part_y < y1; part_y += wave_cuda_part)
      for (int part_x = x; part_x < x1; part_x += wave_cuda_part)
        numbers.parts.push_back(
            {part_x, part_y, std::min(wave_cuda_part, x1 - part_x), std::min(wave_cuda_part, y1 - part_y)});
  }
  return numbers;
}
template <class Real>
WaveTileNumbers wave_medium_tiles(const Executor& executor, const WaveParams<Real>& grid, const WaveMarks& marks,
                                  int steps) {
  using Passes = WavePasses<Real>;
  return Passes::large(executor, grid, steps) ? wave_sorted_tiles<typename Passes::Large>(grid, marks, steps)
                                              : wave_sorted_tiles<typename Passes::Small>(grid, marks, steps);
}

template <class Real>
void launch_wave_medium_pass(const Executor& executor, const WaveMedium<Real>& medium, int steps,
                             const WaveMediumState<Real>& from, const WaveMediumState<Real>& to,
                             const Buffer<std::uint32_t>& plain, const Buffer<WaveTileBox>& parts, Real* scratch) {
  using Passes = WavePasses<Real>;
  const WaveState<const Real> now{from.state.u, from.state.d};
  if (Passes::large(executor, medium.grid, steps))
    Passes::Large::launch_listed(executor, medium.grid, steps, now, to.state, plain.data(), plain.size());
  else
    Passes::Small::launch_listed(executor, medium.grid, steps, now, to.state, plain.data(), plain.size());
  if (parts.size() == 0) return;
  const auto blocks =
      std::min<std::size_t>(parts.size(), static_cast<std::size_t>(executor.multiprocessors()) * wave_cuda_part_blocks);
  wave_parts<<<static_cast<unsigned>(blocks), wave_cuda_part_threads, 0, executor.stream()>>>(
      medium, steps, from, to, parts.data(), static_cast<int>(parts.size()), scratch,
      wave_cuda_part_size(medium.layers.width).values());
  check_launch("wave_parts");
}

}  // namespace simreel
