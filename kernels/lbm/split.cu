#include "kernels/lbm/split.h"

#include <cmath>

#include "kernels/lbm/boundary.h"

namespace simreel {
namespace {

template <class Real>
struct Stream {
  LbmParams<Real> p;
  LbmCells cells;
  const Real* from;
  Real* to;

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    if (cells.cell[place] < 0) return;
    Real q[9];
    LbmPull<Real, LbmPlanes<Real, Real>>{p, cells, {p, from}, x, y}.all(q);
    for (int i = 0; i < 9; ++i) to[static_cast<std::size_t>(i) * p.plane + place] = q[i];
  }
};

// Before collision a population lacks half of the step's force, which lbm_macroscopic expects of one after collision.
template <class Real>
HD void store_moments(const LbmParams<Real>& p, const Real (&q)[9], LbmMoments<Real> moments, std::size_t place) {
  const LbmMacroscopic<Real> at = lbm_macroscopic(p, q);
  moments.density[place] = at.density;
  moments.ux[place] = at.ux + p.force_x;
  moments.uy[place] = at.uy + p.force_y;
}

template <class Real>
struct Moments {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const Real* state;
  LbmMoments<Real> moments;

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    if (cell[place] < 0) return;
    Real q[9];
    lbm_load_cell(p, state, place, q);
    store_moments(p, q, moments, place);
  }
};

template <class Real, LbmModel model, bool forced>
struct Collide {
  LbmParams<Real> p;
  const std::int8_t* cell;
  Real* state;

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    const std::int8_t kind = cell[place];
    if (kind < 0) return;
    Real q[9];
    lbm_load_cell(p, state, place, q);
    lbm_collide<model, forced>(p, lbm_rates_at(p, kind, x, y), q);
    for (int i = 0; i < 9; ++i) state[static_cast<std::size_t>(i) * p.plane + place] = q[i];
  }
};

#ifdef __CUDACC__
// One velocity at a time: the values of the tile are loaded into shared memory, and a cell reads its neighbour's value
// from there if the neighbour is in the tile.
template <int side, class Real>
__global__ void __launch_bounds__(side* side) stream_tile(const __grid_constant__ Stream<Real> body) {
  __shared__ Real tile[side][side];
  const LbmParams<Real>& p = body.p;
  const int column = threadIdx.x, row = threadIdx.y;
  const int tiles_x = (p.nx + side - 1) / side;
  const int x = static_cast<int>(blockIdx.x % tiles_x) * side + column,
            y = static_cast<int>(blockIdx.x / tiles_x) * side + row;
  const bool inside = x < p.nx && y < p.ny;
  const std::size_t place = inside ? lbm_place(p, x, y) : 0;
  const bool plain = inside && body.cells.cell[place] == lbm_plain;
  constexpr int ex[9] = {0, 1, -1, 0, 0, 1, -1, 1, -1}, ey[9] = {0, 0, 0, 1, -1, 1, -1, -1, 1};
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    const Real* const f = body.from + static_cast<std::size_t>(i) * p.plane;
    if (inside) tile[row][column] = f[place];
    __syncthreads();
    const int source_column = column - ex[i], source_row = row - ey[i];
    const bool shared = source_column >= 0 && source_column < side && source_row >= 0 && source_row < side;
    if (plain)
      body.to[static_cast<std::size_t>(i) * p.plane + place] =
          shared ? tile[source_row][source_column] : f[lbm_place(p, x - ex[i], y - ey[i])];
    __syncthreads();
  }
  if (inside && body.cells.cell[place] > 0) body(x, y);
}

template <int side, class Real>
__global__ void __launch_bounds__(side* side) moments_tile(const __grid_constant__ Moments<Real> body) {
  __shared__ Real tile[side][side];
  const LbmParams<Real>& p = body.p;
  const int column = threadIdx.x, row = threadIdx.y;
  const int tiles_x = (p.nx + side - 1) / side;
  const int x = static_cast<int>(blockIdx.x % tiles_x) * side + column,
            y = static_cast<int>(blockIdx.x / tiles_x) * side + row;
  const bool fluid = x < p.nx && y < p.ny && body.cell[lbm_place(p, x, y)] >= 0;
  const std::size_t place = fluid ? lbm_place(p, x, y) : 0;
  Real q[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    tile[row][column] = fluid ? body.state[static_cast<std::size_t>(i) * p.plane + place] : Real(0);
    __syncthreads();
    q[i] = tile[row][column];
    __syncthreads();
  }
  if (fluid) store_moments(p, q, body.moments, place);
}

template <int side, class Real>
void launch_tiles(const Executor& executor, const Stream<Real>& stream, const Moments<Real>& moments) {
  const std::int64_t tiles =
      (std::int64_t{stream.p.nx} + side - 1) / side * ((std::int64_t{stream.p.ny} + side - 1) / side);
  stream_tile<side><<<static_cast<unsigned>(tiles), dim3(side, side), 0, executor.stream()>>>(stream);
  check_launch("stream_tile");
  moments_tile<side><<<static_cast<unsigned>(tiles), dim3(side, side), 0, executor.stream()>>>(moments);
  check_launch("moments_tile");
}
#endif

template <class Real>
bool stream_in_tiles([[maybe_unused]] const Executor& executor, [[maybe_unused]] int tile,
                     [[maybe_unused]] const Stream<Real>& stream, [[maybe_unused]] const Moments<Real>& moments) {
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    switch (tile) {
      case 4: launch_tiles<4>(executor, stream, moments); return true;
      case 8: launch_tiles<8>(executor, stream, moments); return true;
      case 10: launch_tiles<10>(executor, stream, moments); return true;
      case 16: launch_tiles<16>(executor, stream, moments); return true;
      case 32: launch_tiles<32>(executor, stream, moments); return true;
    }
  }
#endif
  return false;
}

}  // namespace

template <class Real>
void lbm_split_step(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, int tile,
                    const Real* from, Real* to, LbmMoments<Real> moments) {
  const Extent extent{p.nx, p.ny};
  const Stream<Real> stream{p, cells, from, to};
  const Moments<Real> sums{p, cells.cell, to, moments};
  if (!stream_in_tiles(executor, tile, stream, sums)) {
    parallel_for(executor, "lbm_stream", extent, stream);
    parallel_for(executor, "lbm_moments", extent, sums);
  }
  lbm_with_model(p, [&]<LbmModel model, bool forced>() {
    parallel_for(executor, "lbm_collide", extent, Collide<Real, model, forced>{p, cells.cell, to});
  });
}

template void lbm_split_step(const Executor&, const LbmParams<float>&, const LbmCells&, int, const float*, float*,
                             LbmMoments<float>);
template void lbm_split_step(const Executor&, const LbmParams<double>&, const LbmCells&, int, const double*, double*,
                             LbmMoments<double>);

}  // namespace simreel
