#pragma once
// Launches the pass over a medium on a GPU. The kernels of marked and of plain tiles run at the same time, the marked
// tiles first, so that the cheap ones fill the gaps at the end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/cuda_check.h"
#include "kernels/base/side_stream.cuh"
#include "kernels/wave/medium_pass.cuh"

namespace simreel {

// The numbers of all tiles of a pass, those near marks first.
struct WaveTileNumbers {
  std::vector<std::uint32_t> tiles;
  std::size_t marked = 0;
};

template <class Pass>
struct WaveMediumLaunch;
template <class Real, int columns, int rows, int warps, int blocks>
struct WaveMediumLaunch<WavePass<Real, columns, rows, warps, blocks>> {
  using Pass = WavePass<Real, columns, rows, warps, blocks>;
  using Tile = WaveTile<Real, columns, rows, warps>;
  using Memory = WaveMediumMemory<Real, columns, rows, warps>;

  static bool fits(const WaveMedium<Real>& medium) {
    int device = 0, max = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&max, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return sizeof(typename Tile::Seams) + Memory::bytes(medium) <= static_cast<std::size_t>(max);
  }

  static WaveTileNumbers sort(const WaveParams<Real>& grid, const WaveMarks& marks, int steps) {
    WaveTileNumbers numbers;
    std::vector<std::uint32_t> plain;
    const int tiles_x = Pass::tiles_x(grid, steps);
    const int width = Pass::inner_width(steps), height = Pass::inner_height(steps);
    const std::int64_t tiles = Pass::tiles(grid, steps);
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      const int x = static_cast<int>(tile % tiles_x) * width;
      const int y = Tile::first_row(grid, steps, static_cast<int>(tile / tiles_x)) + steps;
      const int x1 = std::min(x + width, grid.nx), y1 = std::min(y + height, grid.ny);
      const bool marked = marks.any(x - steps, y - steps, x1 + steps, y1 + steps, grid.nx, grid.ny);
      (marked ? numbers.tiles : plain).push_back(static_cast<std::uint32_t>(tile));
    }
    numbers.marked = numbers.tiles.size();
    numbers.tiles.insert(numbers.tiles.end(), plain.begin(), plain.end());
    return numbers;
  }

  static void launch(const Executor& executor, const SideStream& side, const WaveMedium<Real>& medium, int steps,
                     const WaveMediumState<Real>& from, const WaveMediumState<Real>& to,
                     const Buffer<std::uint32_t>& tiles, std::size_t marked) {
    const int halo_x = Pass::halo_x(steps), tiles_x = Pass::tiles_x(medium.grid, steps);
    if (marked > 0) {
      const auto kernel = wave_medium_tile<Real, columns, rows, warps, blocks>;
      const std::size_t bytes = Memory::bytes(medium);
      CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
      kernel<<<static_cast<unsigned>(marked), Tile::threads, bytes, side.after(executor.stream())>>>(
          medium, from, to, steps, halo_x, tiles_x, tiles.data(), Memory::max_x(medium), Memory::max_y(medium));
      check_launch("wave_medium_tile");
    }
    if (tiles.size() > marked) {
      const auto kernel = wave_listed_tile<Real, columns, rows, warps, blocks>;
      kernel<<<static_cast<unsigned>(tiles.size() - marked), Tile::threads, 0, executor.stream()>>>(
          medium.grid, {from.state.u, from.state.d}, to.state, steps, halo_x, tiles_x, tiles.data() + marked);
      check_launch("wave_listed_tile");
    }
    if (marked > 0) side.join(executor.stream());
  }
};

template <class Real>
struct WaveMediumLaunches {
  using Passes = WavePasses<Real>;
  using Large = WaveMediumLaunch<typename Passes::Large>;
  using Small = WaveMediumLaunch<typename Passes::Small>;
  static bool large(const Executor& executor, const WaveMedium<Real>& medium, int steps) {
    return Passes::large(executor, medium.grid, steps) && Large::fits(medium);
  }
};

}  // namespace simreel
