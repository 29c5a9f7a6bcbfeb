#pragma once
// The deblocking filter on a GPU: the same bytes as deblock.h, for a shorter way through the wave. Strengths are found
// first, for all edges at once. A warp then follows a row of macroblocks: it holds the next macroblock in registers,
// filters vertical edges with a row of pixels a lane, and horizontal ones with a column a lane. Luma and chroma do not
// depend on each other and have a warp each.
//
// Horizontal edges of a macroblock need the one above after the vertical edges of that one's right neighbour, which
// reach into it. So a row is one macroblock behind the row above.

#include "kernels/encode/deblock.h"

namespace simreel::h264 {

// Strengths of the edges of a macroblock as numbers of four bits: vertical ones in words 0 and 1, horizontal ones in
// words 2 and 3, four blocks an edge. A higher bit says that one side of the edge is I_PCM, whose QP is 0.
inline constexpr int edge_words = 4;
inline constexpr std::uint32_t beside_pcm = 8;

struct EdgeStrengths {
  struct Shared {
    std::uint8_t strength[32];
  };
  Picture p;

  template <class Team>
  HD void operator()(const Team& team, Shared& s, int i) const {
    const Deblock plain{p};
    for (int k = team.lane; k < 32; k += Team::lanes)
      s.strength[k] = static_cast<std::uint8_t>(strength(plain, i, k >> 4, k >> 2 & 3, k & 3));
    team.sync();
    for (int word = team.lane; word < edge_words; word += Team::lanes) {
      std::uint32_t eight = 0;
      for (int k = 0; k < 8; ++k) eight |= static_cast<std::uint32_t>(s.strength[8 * word + k]) << (4 * k);
      p.edges[edge_words * i + word] = eight;
    }
  }

 private:
  HD std::uint32_t strength(const Deblock& plain, int i, int direction, int edge, int k) const {
    const int x = i % p.width, y = i / p.width;
    if (edge == 0 && (direction == 0 ? x : y) == 0) return 0;
    const int other = edge > 0 ? i : direction == 0 ? i - 1 : i - p.width;
    const bool pcm = p.mode[i].kind == Mode::pcm, other_pcm = p.mode[other].kind == Mode::pcm;
    if (pcm && other_pcm) return 0;
    return static_cast<std::uint32_t>(plain.strength_of(x, y, i, direction, edge, k)) |
           (pcm || other_pcm ? beside_pcm : 0);
  }
};

// Thresholds in registers.
struct EdgeLimits : EdgeTest {
  std::uint32_t changes;  // max_change() of strengths 1 to 3 in bytes 1 to 3

  explicit EdgeLimits(int qp) : EdgeTest(Thresholds(qp)), changes(0) {
    const Thresholds t(qp);
    for (int strength = 1; strength <= 3; ++strength)
      changes |= static_cast<std::uint32_t>(t.max_change(strength)) << (8 * strength);
  }
  HD int max_change(int strength) const { return static_cast<int>(changes >> (8 * strength) & 255); }
};

// Of luma or chroma: between macroblocks of the picture's QP, and beside I_PCM.
struct PlaneLimits {
  EdgeLimits usual, pcm;

  static PlaneLimits luma(int qp) { return {EdgeLimits(qp), EdgeLimits((qp + 1) >> 1)}; }
  static PlaneLimits chroma(int qp) {
    const int own = chroma_qp_of(qp);
    return {EdgeLimits(own), EdgeLimits((own + chroma_qp_of(0) + 1) >> 1)};
  }
  HD EdgeLimits of(std::uint32_t edge) const {
    const bool beside = (edge & beside_pcm) != 0;
    EdgeLimits limits = usual;
    limits.alpha = beside ? pcm.alpha : usual.alpha, limits.beta = beside ? pcm.beta : usual.beta;
    limits.changes = beside ? pcm.changes : usual.changes;
    return limits;
  }
};

// filter_luma() and filter_chroma() of strengths 0 to 3 without branches; v[4] is the first pixel behind the edge.
template <bool luma>
HD inline void filter_weak(int* v, const EdgeLimits& t, int strength) {
  const int p1 = v[2], p0 = v[3], q0 = v[4], q1 = v[5];
  const bool apply = strength != 0 && t.apply(p1, p0, q0, q1);
  const int max = t.max_change(strength);
  int limit = max + 1;
  if constexpr (luma) {
    const int p2 = v[1], q2 = v[6], middle = (p0 + q0 + 1) >> 1;
    const bool smooth_p = magnitude(p2 - p0) < t.beta, smooth_q = magnitude(q2 - q0) < t.beta;
    const int change_p = clamp((p2 + middle - 2 * p1) >> 1, -max, max),
              change_q = clamp((q2 + middle - 2 * q1) >> 1, -max, max);
    v[2] = p1 + (apply && smooth_p ? change_p : 0);
    v[5] = q1 + (apply && smooth_q ? change_q : 0);
    limit = max + smooth_p + smooth_q;
  }
  const int change = clamp((((q0 - p0) * 4) + (p1 - q1) + 4) >> 3, -limit, limit);
  v[3] = apply ? clip_pixel(p0 + change) : p0;
  v[4] = apply ? clip_pixel(q0 - change) : q0;
}

// All parallel edges of one line across them: v[0] to v[3] lie before the macroblock, `n` pixels in it. `words`: the
// strengths of these edges.
template <bool luma>
HD inline void filter_line(int* v, int line, const std::uint32_t* words, const PlaneLimits& limits) {
  constexpr int n = luma ? 16 : 8, lines_a_block = luma ? 4 : 2;
  H264_UNROLL
  for (int k = 0; k < n / 4; ++k) {
    const int edge = luma ? k : 2 * k;
    const std::uint32_t four = words[edge >> 1] >> (16 * (edge & 1)) & 0xffff;
    if (four == 0) continue;
    const std::uint32_t own = four >> (4 * (line / lines_a_block));
    const EdgeLimits t = limits.of(own);
    const int strength = static_cast<int>(own & 7);
    int* const at = v + 4 * k;
    if (k == 0 && (four & 7) == 4) {  // all four have this strength then
      if constexpr (luma)
        filter_strong_luma(at, t);
      else
        filter_strong_chroma(at + 2, t);
    } else {
      filter_weak<luma>(at, t, strength);
    }
  }
}

// The last four rows of pixels of eight macroblocks in sequence, from a row of them to the one below: of luma, or of
// both chroma planes.
struct Bottoms {
  static constexpr int count = 8;
  std::uint32_t word[count][16];
};

// Filters a row of macroblocks of luma, or of both chroma planes. progress.tell(team, k) says that the vertical edges
// of the first k macroblocks and the horizontal edges of those before the last are filtered, and k = width + 1 that all
// are; wait_above(team, k) and wait_below(team, k) return when the row above or below has told k.
template <bool luma>
struct DeblockRow {
  static constexpr int n = luma ? 16 : 8, words = n / 4;
  static constexpr std::uint32_t first_edge = 0xffff, used = luma ? 0xffffffffu : 0xffffu;

  struct Tile {
    alignas(16) std::uint32_t word[luma ? 64 : 32];
  };

  Picture p;
  PlaneLimits limits;

  // `above`: what the row above left; null: it lies in the picture only. `own`: for the row below, or null.
  template <class Team, class Progress>
  HD void operator()(const Team& team, Tile& tile, int row, const Progress& progress, const Bottoms* above,
                     Bottoms* own) const {
    const bool active = team.lane < 16;
    const int line = team.lane & (n - 1), plane = luma ? 0 : team.lane >> 3 & 1, pitch = n * p.width;
    std::uint8_t* const origin =
        p.decoded + p.plane_at(luma ? 0 : 1 + plane) + static_cast<std::ptrdiff_t>(n * row) * pitch;
    std::uint8_t* const pixels = origin + static_cast<std::ptrdiff_t>(line) * pitch;
    std::uint32_t* const rows = tile.word + n * words * plane;
    std::uint8_t* const columns = reinterpret_cast<std::uint8_t*>(rows);
    const std::uint32_t* const edges = p.edges + static_cast<std::ptrdiff_t>(edge_words) * row * p.width;
    const bool handed = own && active && line >= n - 4;  // this lane's row of pixels goes to the row below
    const int hand = 8 * plane + (line - (n - 4)) * words;

    std::uint32_t next[words], next_edges[edge_words], left = 0;
    load_words<words>(next, pixels);
    load_words<edge_words>(next_edges, reinterpret_cast<const std::uint8_t*>(edges));
    for (int x = 0; x < p.width; ++x) {
      std::uint32_t w[words], strength[edge_words];
      H264_UNROLL
      for (int k = 0; k < words; ++k) w[k] = next[k];
      H264_UNROLL
      for (int k = 0; k < edge_words; ++k) strength[k] = next_edges[k];
      if (x + 1 < p.width) {
        load_words<words>(next, pixels + n * (x + 1));
        load_words<edge_words>(next_edges, reinterpret_cast<const std::uint8_t*>(edges + edge_words * (x + 1)));
      }
      const bool vertical = ((strength[0] | strength[1]) & used) != 0;
      const bool horizontal = ((strength[2] | strength[3]) & used) != 0;
      if (vertical && active) {
        int v[4 + n];
        unpack(v, left);
        H264_UNROLL
        for (int k = 0; k < words; ++k) unpack(v + 4 + 4 * k, w[k]);
        filter_line<luma>(v, line, strength, limits);
        H264_UNROLL
        for (int k = 0; k < words; ++k) w[k] = packed(v + 4 + 4 * k);
        if (strength[0] & first_edge) {
          store_four(pixels + n * x - 4, packed(v));
          if (handed) own->word[(x - 1) % Bottoms::count][hand + words - 1] = packed(v);
        }
      }
      progress.tell(team, x + 1);
      if (horizontal) {
        const bool top = (strength[2] & first_edge) != 0;
        if (active) {
          H264_UNROLL
          for (int k = 0; k < words; ++k) rows[words * line + k] = w[k];
        }
        team.sync();
        if (top) progress.wait_above(team, x + 2);
        if (active) {
          std::uint8_t* const upper = origin + n * x + line;
          const std::uint8_t* const kept =
              above ? reinterpret_cast<const std::uint8_t*>(above->word[x % Bottoms::count] + 8 * plane) + line
                    : nullptr;
          int v[4 + n];
          H264_UNROLL
          for (int k = 0; k < 4; ++k)
            v[k] = !top || (!luma && k < 2) ? 0
                   : kept                   ? kept[n * k]
                                            : load_far(upper + (k - 4) * static_cast<std::ptrdiff_t>(pitch));
          H264_UNROLL
          for (int k = 0; k < n; ++k) v[4 + k] = columns[n * k + line];
          filter_line<luma>(v, line, strength + 2, limits);
          H264_UNROLL
          for (int k = 0; k < n; ++k) columns[n * k + line] = static_cast<std::uint8_t>(v[4 + k]);
          if (top) {
            H264_UNROLL
            for (int k = luma ? 1 : 3; k < 4; ++k)
              upper[(k - 4) * static_cast<std::ptrdiff_t>(pitch)] = static_cast<std::uint8_t>(v[k]);
          }
        }
        team.sync();
        if (active) {
          H264_UNROLL
          for (int k = 0; k < words; ++k) w[k] = rows[words * line + k];
        }
      }
      if ((vertical || horizontal) && active) {
        H264_UNROLL
        for (int k = 0; k < words; ++k) store_four(pixels + n * x + 4 * k, w[k]);
      }
      if (own) {
        // Its horizontal edges at x - count are filtered when it has told one more.
        progress.wait_below(team, x - Bottoms::count + 2);
        if (handed) {
          H264_UNROLL
          for (int k = 0; k < words; ++k) own->word[x % Bottoms::count][hand + k] = w[k];
        }
      }
      left = w[words - 1];
    }
    progress.tell(team, p.width + 1);
  }

 private:
  // `count` words at an address that is a multiple of as many bytes.
  template <int count>
  HD static void load_words(std::uint32_t* to, const std::uint8_t* from) {
#ifdef __CUDA_ARCH__
    if constexpr (count == 4) {
      const uint4 v = *reinterpret_cast<const uint4*>(from);
      to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
    } else {
      const uint2 v = *reinterpret_cast<const uint2*>(from);
      to[0] = v.x, to[1] = v.y;
    }
#else
    std::memcpy(to, from, 4 * count);
#endif
  }
  // What another multiprocessor wrote, which the cache of this one does not know.
  HD static int load_far(const std::uint8_t* at) {
#ifdef __CUDA_ARCH__
    return __ldcg(at);
#else
    return *at;
#endif
  }
  HD static void unpack(int* v, std::uint32_t four) {
    H264_UNROLL
    for (int k = 0; k < 4; ++k) v[k] = pixel_of(four, k);
  }
  HD static std::uint32_t packed(const int* v) {
    std::uint32_t four = 0;
    H264_UNROLL
    for (int k = 0; k < 4; ++k) four |= static_cast<std::uint32_t>(v[k]) << (8 * k);
    return four;
  }
};

}  // namespace simreel::h264

#ifdef __CUDACC__
namespace simreel::h264 {

struct RowProgress {
  volatile int* own;
  const volatile int *above, *below;  // null: there is none
  bool far;                           // the row above belongs to another block

  __device__ void tell(const Warp& team, int k) const {
    __threadfence_block();
    team.sync();
    if (team.lane == 0) *own = k;
  }
  __device__ void wait_above(const Warp& team, int k) const {
    while (*above < k)
      if (far) __nanosleep(20);
    __threadfence_block();  // loads from afar pass by the cache, so that they need no more
    team.sync();
  }
  __device__ void wait_below(const Warp& team, int k) const {
    while (*below < k) {
    }
    team.sync();
  }
};

// A block of a launch filters `rows` rows, which talk in shared memory, and one more warp tells the next block how far
// its last row is. Blocks take rows in order, so the first unfinished row never waits for one that no block works on.
// `progress`: zeros; the next block, then for each block what its last row of luma and that of chroma told.
template <int rows>
__global__ void __launch_bounds__(32 * (2 * rows + 1))
    deblock_rows(const __grid_constant__ Picture p, const __grid_constant__ PlaneLimits luma,
                 const __grid_constant__ PlaneLimits chroma, int* progress) {
  __shared__ DeblockRow<true>::Tile luma_tile[rows];
  __shared__ DeblockRow<false>::Tile chroma_tile[rows];
  __shared__ Bottoms bottoms[2][rows];
  __shared__ volatile int done[2][rows];
  __shared__ int taken;
  if (threadIdx.x == 0) taken = atomicAdd(progress, 1);
  if (threadIdx.x < 2 * rows) done[threadIdx.x / rows][threadIdx.x % rows] = 0;
  __syncthreads();
  const int block = taken, first = block * rows, lane = static_cast<int>(threadIdx.x) & 31;
  const int warp = static_cast<int>(threadIdx.x) / 32, plane = warp / rows, k = warp % rows, row = first + k;
  volatile int* const told = progress + 1;  // [block][luma, chroma]
  if (plane == 2) {
    if (first + rows >= p.height || lane > 1) return;
    for (int seen = 0; seen <= p.width;) {
      const int now = done[lane][rows - 1];
      if (now == seen) {
        __nanosleep(20);
        continue;
      }
      seen = now;
      __threadfence();
      told[2 * block + lane] = now;
    }
    return;
  }
  if (row >= p.height) return;
  const bool far = k == 0, hands = k + 1 < rows && row + 1 < p.height;
  const RowProgress own{&done[plane][k], far ? told + 2 * (block - 1) + plane : &done[plane][k - 1],
                        hands ? &done[plane][k + 1] : nullptr, far};
  const Bottoms* const above = far ? nullptr : &bottoms[plane][k - 1];
  Bottoms* const below = hands ? &bottoms[plane][k] : nullptr;
  if (plane == 0)
    DeblockRow<true>{p, luma}(Warp{lane}, luma_tile[k], row, own, above, below);
  else
    DeblockRow<false>{p, chroma}(Warp{lane}, chroma_tile[k], row, own, above, below);
}

inline void deblock_on_device(const Executor& executor, const Picture& p, int* progress) {
  constexpr int rows = 4;
  deblock_rows<rows>
      <<<static_cast<unsigned>((p.height + rows - 1) / rows), 32 * (2 * rows + 1), 0, executor.stream()>>>(
          p, PlaneLimits::luma(p.qp), PlaneLimits::chroma(p.qp), progress);
  check_launch("deblock");
}

}  // namespace simreel::h264
#endif
