#pragma once
// Two steps per pass over memory on a CPU. A tile is swept upwards: a row takes its second step as soon as the rows
// around it have taken their first, so only three rows are held between the steps.

#include "kernels/base/threads.h"
#include "kernels/lbm/boundary.h"
#include "kernels/lbm/cpu.h"

namespace simreel {

// Where row y begins among the three that are held.
HD inline int lbm_between_row(int y) { return (y + 3) % 3 * (static_cast<int>(lbm_near_plane) / 3); }

// The rows between the steps, as a source of populations for the cells of a row. HD because LbmPull is HD; not used on
// a GPU.
template <class Stored>
struct LbmBetween {
  const Stored* rows;
  int x0, x1, nx;  // of the tile, and the grid
  int row;

  HD const Stored* where(int i, int x, int y) const {
    int column = x - x0 + 1;
    if (column < 0) column += nx;
    if (column > x1 - x0 + 1) column -= nx;
    const int ring_y = y > row + 1 ? row - 1 : y < row - 1 ? row + 1 : y;  // wraps around a periodic grid
    return rows + lbm_between_row(ring_y) + i * static_cast<int>(lbm_near_plane) + column;
  }
};

template <class Real, class Stored>
class LbmFused {
 public:
  static constexpr int width = 512;

  // For the cells x0 <= x < x0 + width, y0 <= y < y1 of the grid.
  LbmFused(const LbmParams<Real>& p, const LbmCells& cells, const Stored* from, Stored* to, int x0)
      : p_(p), cells_(cells), cell_(cells.cell), from_(from), to_(to), x0_(x0), x1_(std::min(x0 + width, p.nx)) {}

  void rows(int y0, int y1) {
    first_step(y0 - 1);
    first_step(y0);
    for (int y = y0; y < y1; ++y) {
      first_step(y + 1);
      second_step(y);
    }
    lbm_fence();
  }

 private:
  static constexpr int plane = lbm_near_plane;
  static_assert(plane / 3 >= width + 2);

  // Row y after its first step, starting with the left halo cell of the tile.
  Stored* between(int y) { return between_ + lbm_between_row(y); }
  const Stored* between(int y) const { return between_ + lbm_between_row(y); }

  void first_step(int ring_y) {
    const int y = lbm_fold_ring(ring_y, p_.ny, p_.bottom == LbmSide::periodic);
    if (y < 0) return;
    Stored* const row = between(ring_y);
    const auto general = [&](int x, int column) {
      const std::int8_t kind = cell_[lbm_place(p_, x, y)];
      if (kind < 0) return;
      Real q[9];
      LbmPull<Real, LbmPlanes<Real, Stored>>{p_, cells_, {p_, from_}, x, y}.all(q);
      lbm_collide_any(p_, lbm_rates_at(p_, kind, x, y), lbm_push_at(p_, lbm_place(p_, x, y), 1), q);
      for (int i = 0; i < 9; ++i) lbm_store(row + i * plane + column, q[i]);
    };
    const int first = std::max(x0_ - 1, 0), last = std::min(x1_ + 1, p_.nx), ring = x0_ - 1;
    cpu_.row(cell_ + lbm_place(p_, 0, y), y, first, last, 0, lbm_rows(p_, from_, first, y),
             {row + (first - ring), plane, false}, [&](int x) { general(x, x - ring); });
    if (p_.left != LbmSide::periodic) return;
    if (x0_ == 0) general(p_.nx - 1, 0);
    if (x1_ == p_.nx) general(0, p_.nx - ring);
  }

  void second_step(int y) const {
    const std::size_t start = lbm_place(p_, x0_, y);
    cpu_.row(cell_ + lbm_place(p_, 0, y), y, x0_, x1_, 1,
             LbmRows<Stored>{between(y - 1), between(y), between(y + 1), plane} + 1,
             {to_ + start, p_.plane, past_caches_}, [&](int x) {
               const std::int8_t kind = cell_[lbm_place(p_, x, y)];
               if (kind < 0) return;
               Real q[9];
               LbmPull<Real, LbmBetween<Stored>>{p_, cells_, {between_, x0_, x1_, p_.nx, y}, x, y, 1}.all(q);
               lbm_collide_any(p_, lbm_rates_at(p_, kind, x, y), lbm_push_at(p_, lbm_place(p_, x, y), 2), q);
               lbm_store_cell(p_, to_, lbm_place(p_, x, y), q);
             });
  }

  const LbmParams<Real>& p_;
  const bool past_caches_ = lbm_past_caches<Real, Stored>(p_);
  const LbmCpu<Real, Stored> cpu_{p_};
  const LbmCells& cells_;
  const std::int8_t* const cell_;
  const Stored* const from_;
  Stored* const to_;
  const int x0_, x1_;
  alignas(64) Stored between_[9 * plane];
};

template <class Real, class Stored>
void lbm_fused_cpu(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const Stored* from,
                   Stored* to) {
  using S = LbmFused<Real, Stored>;
  const int across = (p.nx + S::width - 1) / S::width;
  const int height = std::clamp(across * p.ny / (executor.threads() * 8), 1, 64);
  on_threads(executor, std::int64_t{across} * ((p.ny + height - 1) / height), [&](std::int64_t n, int) {
    const int y0 = static_cast<int>(n / across) * height;
    S(p, cells, from, to, static_cast<int>(n % across) * S::width).rows(y0, std::min(y0 + height, p.ny));
  });
}

}  // namespace simreel
