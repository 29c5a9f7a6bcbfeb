#include "kernels/lbm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/lbm_boundary.h"
#include "kernels/math.h"

#if defined(__AVX__) && defined(__F16C__)
#include <immintrin.h>
#endif

namespace simreel {
namespace {

constexpr std::size_t line = 128;  // bytes that rows start on

// On a GPU plain cells and edge cells are two launches: what an edge needs would take registers from the many that are
// plain.
template <class Real, class Stored, bool mrt, bool forced>
struct PlainStep {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const Stored* from;
  Stored* to;

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    if (cell[place] != lbm_plain) return;
    Real q[9];
    lbm_pull_plain(p, from, place, q);
    lbm_collide<mrt, forced>(p, q);
    lbm_store_cell(p, to, place, q);
  }
};

constexpr int edge_columns = 1024;  // the list of edge cells is launched as rows of so many

template <class Real, class Stored, bool mrt, bool forced>
struct EdgeStep {
  LbmParams<Real> p;
  LbmCells cells;
  const Stored* from;
  Stored* to;

  HD void operator()(int column, int row) const {
    const std::size_t n = static_cast<std::size_t>(row) * edge_columns + static_cast<std::size_t>(column);
    if (n >= cells.edges) return;
    const std::size_t place = cells.edge[n];
    const int y = static_cast<int>(place / p.pitch), x = static_cast<int>(place % p.pitch);
    Real q[9];
    LbmPull<Real, LbmPlanes<Real, Stored>>{p, cells.cell, {p, from}, x, y}.all(q);
    lbm_collide<mrt, forced>(p, q);
    lbm_store_cell(p, to, place, q);
  }
};

// The CPU's way through plain cells: runs of up to `longest` of them, collided into buffers in the innermost cache.
// From there they go out by stores that pass the caches by, where the state is larger than those: it saves reading the
// lines that are overwritten.
constexpr int longest = 256;

inline void load_run(const Half* from, int count, float* to) {
  int k = 0;
#if defined(__AVX__) && defined(__F16C__)
  for (; k + 8 <= count; k += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k));
    _mm256_store_ps(to + k, _mm256_mul_ps(_mm256_cvtph_ps(halves), _mm256_set1_ps(0x1p-15f)));
  }
#endif
  for (; k < count; ++k) to[k] = lbm_load(from + k);
}

inline void store_run(const float* from, int count, Half* to, bool) {
  int k = 0;
#if defined(__AVX__) && defined(__F16C__)
  for (; k + 8 <= count; k += 8) {
    const __m256 scaled = _mm256_mul_ps(_mm256_load_ps(from + k), _mm256_set1_ps(0x1p15f));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + k), _mm256_cvtps_ph(scaled, _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  for (; k < count; ++k) lbm_store(to + k, from[k]);
}

template <class Real>
void store_run(const Real* from, int count, Real* to, [[maybe_unused]] bool past_caches) {
#ifdef __AVX__
  if (past_caches) {
    constexpr int wide = 32 / static_cast<int>(sizeof(Real));
    int k = 0;
    for (; k < count && reinterpret_cast<std::uintptr_t>(to + k) % 32 != 0; ++k) to[k] = from[k];
    for (; k + wide <= count; k += wide)
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to + k),
                          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + k)));
    for (; k < count; ++k) to[k] = from[k];
    return;
  }
#endif
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(Real));
}

// Stores that pass the caches by are seen by other threads in any order until then.
inline void fence_stores() {
#ifdef __AVX__
  _mm_sfence();
#endif
}

template <class Real, class Stored, bool mrt, bool forced>
struct CpuStep {
  LbmParams<Real> p;
  const std::int8_t* cell;
  const Stored* from;
  Stored* to;
  int rows;  // of a task
  bool past_caches;

  void run(std::size_t place, int count) const {
    alignas(64) Real out[9][longest];
    const Stored* const f = from + place;
    const Stored* const source[9] = {f + lbm_pull(p, 0, 0, 0),   f + lbm_pull(p, 1, 1, 0),  f + lbm_pull(p, 2, -1, 0),
                                     f + lbm_pull(p, 3, 0, 1),   f + lbm_pull(p, 4, 0, -1), f + lbm_pull(p, 5, 1, 1),
                                     f + lbm_pull(p, 6, -1, -1), f + lbm_pull(p, 7, 1, -1), f + lbm_pull(p, 8, -1, 1)};
    const Real* in[9];
    if constexpr (std::is_same_v<Real, Stored>) {
      for (int i = 0; i < 9; ++i) in[i] = source[i];
      collide(in, out, count);
    } else {
      alignas(64) Real converted[9][longest];
      for (int i = 0; i < 9; ++i) {
        load_run(source[i], count, converted[i]);
        in[i] = converted[i];
      }
      collide(in, out, count);
    }
    for (int i = 0; i < 9; ++i)
      store_run(out[i], count, to + static_cast<std::size_t>(i) * p.plane + place, past_caches);
  }

  void collide(const Real* const (&in)[9], Real (&out)[9][longest], int count) const {
    const LbmParams<Real> params = p;
    const Real *f0 = in[0], *f1 = in[1], *f2 = in[2], *f3 = in[3], *f4 = in[4], *f5 = in[5], *f6 = in[6], *f7 = in[7],
               *f8 = in[8];
    SIMREEL_INDEPENDENT
    for (int k = 0; k < count; ++k) {
      Real q[9] = {f0[k], f1[k], f2[k], f3[k], f4[k], f5[k], f6[k], f7[k], f8[k]};
      lbm_collide<mrt, forced>(params, q);
      out[0][k] = q[0];
      out[1][k] = q[1];
      out[2][k] = q[2];
      out[3][k] = q[3];
      out[4][k] = q[4];
      out[5][k] = q[5];
      out[6][k] = q[6];
      out[7][k] = q[7];
      out[8][k] = q[8];
    }
  }

  // How many of the next `count` cells are plain, at most `longest`.
  static int plain_cells(const std::int8_t* cell, int count) {
    count = std::min(count, longest);
    int n = 0;
    for (std::uint64_t eight; n + 8 <= count; n += 8) {
      std::memcpy(&eight, cell + n, 8);
      if (eight != 0) break;
    }
    while (n < count && cell[n] == lbm_plain) ++n;
    return n;
  }

  void row(int y) const {
    const std::size_t start = lbm_place(p, 0, y);
    for (int x = 1; x < p.nx - 1;) {
      const std::size_t place = start + static_cast<std::size_t>(x);
      // A run ends where the next buffer's worth of the row begins, so that what follows is aligned.
      const int count = plain_cells(cell + place, std::min(p.nx - 1 - x, longest - x % longest));
      if (count > 0) run(place, count);
      x += std::max(count, 1);
    }
  }
};

template <class Real, class Stored, bool mrt, bool forced>
void step(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const Stored* from, Stored* to) {
  if (executor.backend() == Backend::cuda) {
    parallel_for(executor, "lbm_step", {p.nx, p.ny}, PlainStep<Real, Stored, mrt, forced>{p, cells.cell, from, to});
  } else {
    constexpr std::size_t caches = std::size_t{16} << 20;
    const int rows = std::clamp(p.ny / (executor.threads() * 8), 1, 32);
    const CpuStep<Real, Stored, mrt, forced> plain{p,  cells.cell, from,
                                                   to, rows,       2 * lbm_values(p) * sizeof(Stored) > caches};
    const auto task = [](const void* erased, std::int64_t i, int) {
      const auto& body = *static_cast<const CpuStep<Real, Stored, mrt, forced>*>(erased);
      const int first = static_cast<int>(i) * body.rows, last = std::min(first + body.rows, body.p.ny);
      for (int y = first; y < last; ++y) body.row(y);
      fence_stores();
    };
    executor.run_tasks((p.ny + rows - 1) / rows, task, &plain);
  }
  const int edge_rows = static_cast<int>((cells.edges + edge_columns - 1) / edge_columns);
  parallel_for(executor, "lbm_edges", {edge_columns, edge_rows},
               EdgeStep<Real, Stored, mrt, forced>{p, cells, from, to});
}

// The populations after collision of a fluid in equilibrium, shifted by its weights; half of a step's force is part of
// the momentum.
template <class Real, class Stored>
struct Start {
  LbmParams<Real> p;
  const std::int8_t* cell;
  LbmInitial initial;
  double velocity;
  Stored* state;

  HD void flow(int x, int y, double& density, double& ux, double& uy) const {
    const double s = (x + 0.5) / p.nx, t = (y + 0.5) / p.ny;
    if (initial == LbmInitial::uniform) ux = velocity;
    if (initial == LbmInitial::taylor_green) {
      const double ratio = static_cast<double>(p.ny) / p.nx;  // kx / ky
      ux = -velocity * exact::sinpi(2 * s + 0.5) * exact::sinpi(2 * t);
      uy = velocity * ratio * exact::sinpi(2 * s) * exact::sinpi(2 * t + 0.5);
      density = -0.75 * velocity * velocity * (exact::sinpi(4 * s + 0.5) + ratio * ratio * exact::sinpi(4 * t + 0.5));
    }
    if (initial == LbmInitial::shear_layer) {
      const double from_layer = t <= 0.5 ? t - 0.25 : 0.75 - t;
      const double growth = exact::exp(160 * from_layer);  // tanh a = 1 - 2 / (e^(2 a) + 1)
      ux = velocity * (1 - 2 / (growth + 1));
      uy = 0.05 * velocity * exact::sinpi(2 * (s + 0.25));
    }
  }

  HD void operator()(int x, int y) const {
    const std::size_t place = lbm_place(p, x, y);
    double density = 0, ux = 0, uy = 0;
    const bool fluid = cell[place] >= 0;
    if (fluid) flow(x, y, density, ux, uy);
    const double rho = 1 + density, half_x = 0.5 * static_cast<double>(p.force_x),
                 half_y = 0.5 * static_cast<double>(p.force_y);
    for (int i = 0; i < 9; ++i) {
      const int ex = (i == 1 || i == 5 || i == 7) - (i == 2 || i == 6 || i == 8);
      const int ey = (i == 3 || i == 5 || i == 8) - (i == 4 || i == 6 || i == 7);
      const double w = i == 0 ? 4.0 / 9 : i < 5 ? 1.0 / 9 : 1.0 / 36;
      const double along = ex * ux + ey * uy, pushed = along + (ex * half_x + ey * half_y);
      const double value = w * (density + rho * (3 * pushed + 4.5 * along * along - 1.5 * (ux * ux + uy * uy)));
      lbm_store(state + static_cast<std::size_t>(i) * p.plane + place, static_cast<Real>(fluid ? value : 0.0));
    }
  }
};

}  // namespace

template <class Real>
void lbm_set_rates(LbmParams<Real>& p, LbmCollision collision, double viscosity, double magic) {
  const double half_width = 3 * viscosity;  // tau - 1/2
  const double even = 1 / (half_width + 0.5);
  p.mrt = collision == LbmCollision::mrt;
  p.even = p.odd = p.energy = p.energy_square = static_cast<Real>(even);
  if (collision == LbmCollision::trt) p.odd = static_cast<Real>(1 / (magic / half_width + 0.5));
  if (collision == LbmCollision::mrt) {
    // s2, s3 and s5 = s7 of Lallemand and Luo.
    p.energy = static_cast<Real>(1.63);
    p.energy_square = static_cast<Real>(1.14);
    p.odd = static_cast<Real>(1.92);
  }
}

template <class Real>
void lbm_layout(LbmParams<Real>& p, std::size_t bytes) {
  p.pitch = (static_cast<std::size_t>(p.nx) * bytes + line - 1) / line * line / bytes;
  // Nine planes, each 640 bytes further into the 4096 after which addresses share a set.
  const std::size_t plane = p.pitch * static_cast<std::size_t>(p.ny) * bytes;
  p.plane = (plane + (4096 - plane % 4096) % 4096 + 640) / bytes;
}

template <class Real, class Stored>
void lbm_step(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, const Stored* from,
              Stored* to) {
  const bool forced = p.force_x != 0 || p.force_y != 0;
  if (p.mrt)
    forced ? step<Real, Stored, true, true>(executor, p, cells, from, to)
           : step<Real, Stored, true, false>(executor, p, cells, from, to);
  else
    forced ? step<Real, Stored, false, true>(executor, p, cells, from, to)
           : step<Real, Stored, false, false>(executor, p, cells, from, to);
}

template <class Real, class Stored>
void lbm_start(const Executor& executor, const LbmParams<Real>& p, const LbmCells& cells, LbmInitial initial,
               double velocity, Stored* state) {
  parallel_for(executor, "lbm_start", {p.nx, p.ny}, Start<Real, Stored>{p, cells.cell, initial, velocity, state});
}

#define SIMREEL_INSTANTIATE(Real, Stored)                                                                   \
  template void lbm_step(const Executor&, const LbmParams<Real>&, const LbmCells&, const Stored*, Stored*); \
  template void lbm_start(const Executor&, const LbmParams<Real>&, const LbmCells&, LbmInitial, double, Stored*);
SIMREEL_INSTANTIATE(float, float)
SIMREEL_INSTANTIATE(double, double)
SIMREEL_INSTANTIATE(float, Half)
#undef SIMREEL_INSTANTIATE
template void lbm_set_rates(LbmParams<float>&, LbmCollision, double, double);
template void lbm_set_rates(LbmParams<double>&, LbmCollision, double, double);
template void lbm_layout(LbmParams<float>&, std::size_t);
template void lbm_layout(LbmParams<double>&, std::size_t);

}  // namespace simreel
