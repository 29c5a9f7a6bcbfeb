#include "kernels/lbm/split.h"

#include <cmath>

#include "kernels/lbm/boundary.h"

namespace simreel {
namespace {

// Of plain cells. The code for edges would take registers from them on a GPU, as in lbm_step.
template <class Real>
struct Stream {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const Real* from;
  Real* to;

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    if (cell[place] != lbm_plain) return;
    Real q[9];
    lbm_pull_plain(p, from, place, q);
    lbm_store_cell(p, to, place, q);
  }
};

template <class Real>
struct StreamEdges {
  LbmParams<Real> p;
  LbmCells cells;
  const Real* from;
  Real* to;

  HD void operator()(int column, int row) const {
    const std::size_t n = static_cast<std::size_t>(row) * lbm_edge_columns + static_cast<std::size_t>(column);
    if (n >= cells.edges) return;
    const std::size_t place = cells.edge[n];
    Real q[9];
    if (lbm_is_edge(cells.cell[place])) {
      const int y = static_cast<int>(place / p.pitch), x = static_cast<int>(place % p.pitch);
      LbmPull<Real, LbmPlanes<Real, Real>>{p, cells, {p, from}, x, y}.all(q);
    } else {
      lbm_pull_plain(p, from, place, q);
    }
    lbm_store_cell(p, to, place, q);
  }
};

// Before collision a population lacks half of the step's force, which lbm_macroscopic expects of one after collision.
template <class Real>
HD void store_moments(const LbmParams<Real>& p, const Real (&q)[9], LbmMoments<Real> moments, std::size_t place) {
  const LbmPush<Real> push = lbm_push_at(p, place, 1);
  const LbmMacroscopic<Real> at = lbm_macroscopic(push, q);
  moments.density[place] = at.density;
  moments.ux[place] = at.ux + push.x;
  moments.uy[place] = at.uy + push.y;
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
    lbm_collide<model, forced>(p, lbm_rates_at(p, kind, x, y), lbm_push_at(p, place, 1), q);
    lbm_store_cell(p, state, place, q);
  }
};

#ifdef __CUDACC__
// One velocity at a time: the values of the tile are loaded into shared memory, and a cell reads its neighbour's value
// from there if the neighbour is in the tile.
template <int side, class Real>
__global__ void __launch_bounds__(side* side) in_tile(const __grid_constant__ Stream<Real> body) {
  __shared__ Real tile[side][side];
  const LbmParams<Real>& p = body.p;
  const int column = threadIdx.x, row = threadIdx.y;
  const int tiles_x = (p.nx + side - 1) / side;
  const int x = static_cast<int>(blockIdx.x % tiles_x) * side + column,
            y = static_cast<int>(blockIdx.x / tiles_x) * side + row;
  const bool inside = x < p.nx && y < p.ny;
  const std::size_t place = inside ? lbm_place(p, x, y) : 0;
  const bool plain = inside && body.cell[place] == lbm_plain;
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
}

template <int side, class Real>
__global__ void __launch_bounds__(side* side) in_tile(const __grid_constant__ Moments<Real> body) {
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

template <int side, class Body>
void launch_tiles(const Executor& executor, const char* name, const Body& body) {
  const std::int64_t tiles =
      (std::int64_t{body.p.nx} + side - 1) / side * ((std::int64_t{body.p.ny} + side - 1) / side);
  in_tile<side><<<static_cast<unsigned>(tiles), dim3(side, side), 0, executor.stream()>>>(body);
  check_launch(name);
}
#endif

// Over tiles in shared memory where the backend and `tile` say so, over single cells otherwise.
template <class Body>
void in_tiles(const Executor& executor, const char* name, [[maybe_unused]] int tile, const Body& body) {
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    switch (tile) {
      case 4: return launch_tiles<4>(executor, name, body);
      case 8: return launch_tiles<8>(executor, name, body);
      case 10: return launch_tiles<10>(executor, name, body);
      case 16: return launch_tiles<16>(executor, name, body);
      case 32: return launch_tiles<32>(executor, name, body);
    }
  }
#endif
  parallel_for(executor, name, {body.p.nx, body.p.ny}, body);
}

}  // namespace

template <class Real>
void lbm_split_step(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, int tile,
                    const Real* from, Real* to, LbmMoments<Real> moments) {
  const Extent extent{p.nx, p.ny};
  in_tiles(executor, "lbm_stream", tile, Stream<Real>{p, cells.cell, from, to});
  parallel_for(executor, "lbm_stream_edges", {lbm_edge_columns, lbm_edge_rows(cells)},
               StreamEdges<Real>{p, cells, from, to});
  in_tiles(executor, "lbm_moments", tile, Moments<Real>{p, cells.cell, to, moments});
  lbm_with_model(p, [&]<LbmModel model, bool forced>() {
    parallel_for(executor, "lbm_collide", extent, Collide<Real, model, forced>{p, cells.cell, to});
  });
}

template void lbm_split_step(const Executor&, const LbmParams<float>&, const LbmCells&, int, const float*, float*,
                             LbmMoments<float>);
template void lbm_split_step(const Executor&, const LbmParams<double>&, const LbmCells&, int, const double*, double*,
                             LbmMoments<double>);

}  // namespace simreel
