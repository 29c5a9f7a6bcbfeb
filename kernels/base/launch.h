#pragma once
// parallel_for: one kernel source for CPU and GPU. A kernel body is a functor over plain structs with
// `void operator()(int x, int y) const`. parallel_for calls it once per point of an extent: one thread per point on a
// GPU, rows distributed over threads with a vectorised inner loop on the CPU. The calls of one launch run in any order
// and must not depend on each other.
//
// A body may also have `void interior(int x, int y) const`, which computes the same bits for points with a neighbour on
// every side, so it needs no boundary test and vectorises; or `void span(int x0, int x1, int y) const` for the CPU,
// equivalent to calling the body for x0 <= x < x1, with its loops in a cache-friendly order. `static constexpr int
// blocks` is how many blocks of 256 threads a multiprocessor is to hold at once, which bounds their registers.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "exec/executor.h"

#ifdef __CUDACC__
#include "exec/cuda_check.h"
#define HD __host__ __device__
#else
#define HD
#endif

// Tells GCC that the iterations of the following loop are independent. Without it the compiler must assume that output
// and input overlap (0.66 instead of 2.1 Gcell/s for the wave step). Clang's pragma for it would also let
// the compiler reorder sums of floating-point numbers.
#ifdef __clang__
#define SIMREEL_INDEPENDENT
#else
#define SIMREEL_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace simreel {

struct Extent {
  int nx = 0;
  int ny = 1;
};

namespace detail {

template <class Body>
concept HasInterior = requires(const Body& body) {
  body.interior(0, 0);
};

template <class Body>
concept HasSpan = requires(const Body& body) {
  body.span(0, 0, 0);
};

template <class Body>
concept HasBlocks = requires {
  Body::blocks;
};

#ifdef __CUDACC__
inline constexpr unsigned most_blocks_along_y = 65535;  // more lie along z

// The body stays in constant memory (__grid_constant__), where indexing one of its arrays by a variable is free; a
// plain parameter would be copied to the stack of every thread.
template <class Body>
__device__ void at_a_point(Extent extent, const Body& body) {
  const auto x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const auto y = static_cast<int>((blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y);
  if (x >= extent.nx || y >= extent.ny) return;
  if constexpr (HasInterior<Body>) {
    if (x > 0 && x < extent.nx - 1 && y > 0 && y < extent.ny - 1) return body.interior(x, y);
  }
  body(x, y);
}
template <class Body>
__global__ void for_each_point(Extent extent, const __grid_constant__ Body body) {
  at_a_point(extent, body);
}
template <class Body>
__global__ void __launch_bounds__(256, Body::blocks)
    for_each_point_in_blocks(Extent extent, const __grid_constant__ Body body) {
  at_a_point(extent, body);
}
#endif

template <class Body>
void run_span(const Body& shared, Extent extent, int y, int x0, int x1) {
  // A local copy: the compiler would otherwise assume that stores through the body's pointers can change the body, and
  // would not vectorise the loop.
  const Body body = shared;
  if constexpr (HasSpan<Body>) {
    body.span(x0, x1, y);
  } else {
    if constexpr (HasInterior<Body>) {
      if (y > 0 && y < extent.ny - 1) {
        if (x0 == 0) body(x0++, y);
        const int last = std::min(x1, extent.nx - 1);
        SIMREEL_INDEPENDENT
        for (int x = x0; x < last; ++x) body.interior(x, y);
        x0 = std::max(x0, last);
      }
    }
    SIMREEL_INDEPENDENT
    for (int x = x0; x < x1; ++x) body(x, y);
  }
}

// Splits an extent into tasks: whole rows if there are enough of them, otherwise pieces of rows.
struct Cut {
  Extent extent;
  int rows, columns;  // per task
  std::int64_t tasks_x, tasks_y;

  Cut(Extent whole, int threads) : extent(whole) {
    constexpr std::int64_t min = 4096;  // fewest points worth a task
    const std::int64_t points = std::int64_t{whole.nx} * whole.ny;
    const std::int64_t wanted = std::clamp<std::int64_t>(points / min, 1, std::int64_t{threads} * 8);
    rows = static_cast<int>((whole.ny + wanted - 1) / wanted);
    tasks_y = (whole.ny + rows - 1) / rows;
    const std::int64_t wanted_x = (wanted + tasks_y - 1) / tasks_y;
    columns = static_cast<int>((whole.nx + wanted_x - 1) / wanted_x);
    tasks_x = (whole.nx + columns - 1) / columns;
  }
};

}  // namespace detail

#ifdef __CUDACC__
template <class Body>
void parallel_for_on_gpu(const Executor& executor, const char* name, Extent extent, const Body& body) {
  if (extent.nx <= 0 || extent.ny <= 0) return;
  const dim3 block = extent.nx >= 64 ? dim3(64, 4) : dim3(8, 32);
  const auto blocks_x = (static_cast<unsigned>(extent.nx) + block.x - 1) / block.x;
  const auto blocks_y = (static_cast<unsigned>(extent.ny) + block.y - 1) / block.y;
  const unsigned layers = (blocks_y + detail::most_blocks_along_y - 1) / detail::most_blocks_along_y;
  const dim3 blocks(blocks_x, (blocks_y + layers - 1) / layers, layers);
  if constexpr (detail::HasBlocks<Body>)
    detail::for_each_point_in_blocks<<<blocks, block, 0, executor.stream()>>>(extent, body);
  else
    detail::for_each_point<<<blocks, block, 0, executor.stream()>>>(extent, body);
  check_launch(name);
}
#endif

template <class Body>
void parallel_for_on_cpu(const Executor& executor, Extent extent, const Body& body) {
  if (extent.nx <= 0 || extent.ny <= 0) return;
  struct Context {
    const Body& body;
    detail::Cut cut;
  } context{body, detail::Cut(extent, executor.threads())};
  const auto task = [](const void* erased, std::int64_t i, int) {
    const Context& c = *static_cast<const Context*>(erased);
    const int y0 = static_cast<int>(i / c.cut.tasks_x) * c.cut.rows, y1 = std::min(y0 + c.cut.rows, c.cut.extent.ny);
    const int x0 = static_cast<int>(i % c.cut.tasks_x) * c.cut.columns;
    const int x1 = std::min(x0 + c.cut.columns, c.cut.extent.nx);
    for (int y = y0; y < y1; ++y) detail::run_span(c.body, c.cut.extent, y, x0, x1);
  };
  executor.run_tasks(context.cut.tasks_x * context.cut.tasks_y, task, &context);
}

// Runs `body` for 0 <= x < nx, 0 <= y < ny; does nothing for an empty extent. Asynchronous on a GPU. `name` appears in
// error messages.
template <class Body>
void parallel_for(const Executor& executor, const char* name, Extent extent, const Body& body) {
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) return parallel_for_on_gpu(executor, name, extent, body);
#else
  if (executor.backend() == Backend::cuda)
    throw std::logic_error(std::string(name) + ": compiled by the host's compiler, so it has no form for the device");
#endif
  parallel_for_on_cpu(executor, extent, body);
}

}  // namespace simreel
