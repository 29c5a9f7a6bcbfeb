#pragma once
// Reductions over a grid (sums, extremes) in one fixed order. Each strip of 32 rows is folded along its columns, each
// piece of 256 results along x, and the host folds the rest. The order depends on the extent only, so a floating-point
// sum has the same bits on the CPU with any number of threads, on any GPU, and on any number of ranks.
//
// A body is a functor with
//   using Value = ...;                              trivially copyable
//   HD static Value empty();                        the neutral element
//   HD static Value combine(const Value&, const Value&);
//   HD Value operator()(int x, int y) const;        the value of one point

#include <span>
#include <vector>

#include "exec/buffer.h"
#include "exec/communicator.h"
#include "exec/domain.h"
#include "kernels/base/launch.h"

namespace simreel {

// The rows of a grid in memory that a rank owns. With other ranks, results are those over the rows of all.
struct OwnRows {
  int first = 0, count = 0;
  const Communicator* ranks = nullptr;  // null: alone

  bool hold(int begin, int end) const { return begin >= first && end <= first + count; }
};

namespace detail {

inline constexpr int strip_rows = Domain::unit;
inline constexpr int piece_columns = 256;

inline Extent strips(Extent whole) { return {whole.nx, (whole.ny + strip_rows - 1) / strip_rows}; }
inline Extent pieces(Extent whole) { return {(whole.nx + piece_columns - 1) / piece_columns, strips(whole).ny}; }
inline std::size_t count(Extent extent) {
  return static_cast<std::size_t>(extent.nx) * static_cast<std::size_t>(extent.ny);
}

template <class Body>
struct FoldColumns {
  Body body;
  typename Body::Value* strips;
  int nx, first, end;  // columns, and rows

  HD void operator()(int x, int strip) const {
    const int y0 = first + strip * strip_rows, y1 = y0 + strip_rows < end ? y0 + strip_rows : end;
    typename Body::Value value = Body::empty();
    for (int y = y0; y < y1; ++y) value = Body::combine(value, body(x, y));
    strips[static_cast<std::size_t>(strip) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(x)] = value;
  }

  // Row by row: in a column of a grid whose pitch is a power of two, all cells map to the same cache sets.
  void span(int x0, int x1, int strip) const {
    constexpr int block = 512;
    const int y0 = first + strip * strip_rows, y1 = std::min(y0 + strip_rows, end);
    typename Body::Value* const row = strips + static_cast<std::ptrdiff_t>(strip) * nx;
    for (int left = x0; left < x1; left += block) {
      const int right = std::min(left + block, x1);
      std::fill(row + left, row + right, Body::empty());
      for (int y = y0; y < y1; ++y) {
        SIMREEL_INDEPENDENT
        for (int x = left; x < right; ++x) row[x] = Body::combine(row[x], body(x, y));
      }
    }
  }
};

template <class Body>
struct FoldPieces {
  const typename Body::Value* strips;
  typename Body::Value* pieces;
  int nx, pieces_x;

  HD static typename Body::Value fold(const typename Body::Value* values, int count) {
    typename Body::Value value = Body::empty();
    for (int x = 0; x < count; ++x) value = Body::combine(value, values[x]);
    return value;
  }
  HD int columns(int piece) const {
    const int left = nx - piece * piece_columns;
    return left < piece_columns ? left : piece_columns;
  }
  HD const typename Body::Value* strip_values(int piece, int strip) const {
    return strips + static_cast<std::ptrdiff_t>(strip) * nx + static_cast<std::ptrdiff_t>(piece) * piece_columns;
  }
  HD void operator()(int piece, int strip) const {
    pieces[static_cast<std::ptrdiff_t>(strip) * pieces_x + piece] = fold(strip_values(piece, strip), columns(piece));
  }
};

#ifdef __CUDACC__
// On a GPU a block reads a piece at once and one thread folds it. A thread that read it by itself would wait for memory
// up to 256 times.
template <class Body>
__global__ void fold_piece(FoldPieces<Body> pieces) {
  using Value = typename Body::Value;
  __shared__ alignas(Value) unsigned char memory[piece_columns * sizeof(Value)];
  Value* const values = reinterpret_cast<Value*>(memory);
  const int piece = static_cast<int>(blockIdx.x % pieces.pieces_x), count = pieces.columns(piece);
  const Value* const from = pieces.strip_values(piece, static_cast<int>(blockIdx.x / pieces.pieces_x));
  for (int x = static_cast<int>(threadIdx.x); x < count; x += static_cast<int>(blockDim.x)) values[x] = from[x];
  __syncthreads();
  if (threadIdx.x == 0) pieces.pieces[blockIdx.x] = FoldPieces<Body>::fold(values, count);
}
#endif

template <class Body>
void fold_pieces(const Executor& executor, [[maybe_unused]] const char* name, Extent extent,
                 const FoldPieces<Body>& fold) {
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    const auto blocks = static_cast<unsigned>(count(extent));
    if (blocks == 0) return;
    fold_piece<<<blocks, piece_columns, 0, executor.stream()>>>(fold);
    return check_launch(name);
  }
#endif
  parallel_for_on_cpu(executor, extent, fold);
}

}  // namespace detail

// Bytes of scratch memory that `reduce` needs for values of `value_bytes` bytes each.
inline std::size_t reduce_scratch_bytes(Extent whole, std::size_t value_bytes) {
  return (detail::count(detail::strips(whole)) + detail::count(detail::pieces(whole))) * value_bytes;
}

// Folds body(x, y) over the columns 0 <= x < nx of the rows; `scratch` is executor memory of reduce_scratch_bytes.
// Waits for the executor.
template <class Body>
typename Body::Value reduce(const Executor& executor, const char* name, int nx, const OwnRows& rows, const Body& body,
                            void* scratch) {
  using Value = typename Body::Value;
  const Extent own{nx, rows.count}, strips = detail::strips(own), pieces = detail::pieces(own);
  Value* const strip_values = static_cast<Value*>(scratch);
  Value* const piece_values = strip_values + detail::count(strips);
  parallel_for(executor, name, strips,
               detail::FoldColumns<Body>{body, strip_values, nx, rows.first, rows.first + rows.count});
  detail::fold_pieces(executor, name, pieces, detail::FoldPieces<Body>{strip_values, piece_values, nx, pieces.nx});
  std::vector<Value> values(detail::count(pieces));
  if (!values.empty()) executor.copy(values.data(), piece_values, values.size() * sizeof(Value));
  if (rows.ranks && !rows.ranks->alone()) values = rows.ranks->gather(std::span<const Value>(values));
  Value total = Body::empty();
  for (const Value& value : values) total = Body::combine(total, value);
  return total;
}

// The same over a grid that one rank has.
template <class Body>
typename Body::Value reduce(const Executor& executor, const char* name, Extent whole, const Body& body, void* scratch) {
  return reduce(executor, name, whole.nx, OwnRows{0, whole.ny}, body, scratch);
}

}  // namespace simreel
