#pragma once
// What works on one macroblock: a warp of a GPU, or one thread of a CPU. Kernels are written for a team with `lanes`
// members, of which each has a number `lane`; they share a struct (shared memory on a GPU), and sync() lets all see
// what each wrote there.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

#include "kernels/base/launch.h"

namespace simreel::h264 {

struct Warp {
  static constexpr int lanes = 32;
  int lane;

  HD void sync() const {
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
  }
  HD std::uint32_t sum(std::uint32_t value) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, value);
#elif defined(__CUDA_ARCH__)
    for (int other = lanes / 2; other > 0; other /= 2) value += __shfl_xor_sync(0xffffffffu, value, other);
    return value;
#else
    return value;
#endif
  }
  HD std::uint32_t min(std::uint32_t value) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_min_sync(0xffffffffu, value);
#elif defined(__CUDA_ARCH__)
    for (int other = lanes / 2; other > 0; other /= 2) value = ::min(value, __shfl_xor_sync(0xffffffffu, value, other));
    return value;
#else
    return value;
#endif
  }
  // What lane `from` has; what the lane has whose number differs in the bits of `mask`.
  HD std::uint32_t from_lane(std::uint32_t value, [[maybe_unused]] int from) const {
#ifdef __CUDA_ARCH__
    value = __shfl_sync(0xffffffffu, value, from);
#endif
    return value;
  }
  HD std::uint32_t across(std::uint32_t value, [[maybe_unused]] int mask) const {
#ifdef __CUDA_ARCH__
    value = __shfl_xor_sync(0xffffffffu, value, mask);
#endif
    return value;
  }
};

struct Thread {
  static constexpr int lanes = 1, lane = 0;

  HD void sync() const {}
  HD std::uint32_t sum(std::uint32_t value) const { return value; }
  HD std::uint32_t min(std::uint32_t value) const { return value; }
};

namespace detail {

#ifdef __CUDACC__
inline constexpr int warps = 4;  // per block

template <class Body>
__global__ void __launch_bounds__(32 * warps) for_each_team(int count, const __grid_constant__ Body body) {
  __shared__ typename Body::Shared shared[warps];
  const int i = static_cast<int>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / 32;
  if (i < count) body(Warp{static_cast<int>(threadIdx.x) % 32}, shared[threadIdx.x / 32], i);
}

// One block of one warp a row. Blocks take rows in order, so the first unfinished row never waits for a row that no
// block works on.
template <class Body>
__global__ void __launch_bounds__(32) for_each_in_wave(int nx, int* progress, const __grid_constant__ Body body) {
  __shared__ typename Body::Shared shared;
  if (!body.wanted()) return;
  const int lane = static_cast<int>(threadIdx.x);
  int row = lane == 0 ? atomicAdd(progress, 1) : 0;
  row = __shfl_sync(0xffffffffu, row, 0);
  volatile int* const done = progress + 1;
  for (int x = 0; x < nx; ++x) {
    if (row > 0) {
      const int needed = min(x + 2, nx);
      if (lane == 0)
        while (done[row - 1] < needed) __nanosleep(20);
      __syncwarp();
      __threadfence();
    }
    body(Warp{lane}, shared, row * nx + x);
    __threadfence();
    __syncwarp();
    if (lane == 0) done[row] = x + 1;
  }
}
#endif

template <class Body>
void refuse_device([[maybe_unused]] const Executor& executor, [[maybe_unused]] const char* name) {
#ifndef __CUDACC__
  if (executor.backend() == Backend::cuda)
    throw std::logic_error(std::string(name) + ": compiled by the host's compiler, so it has no form for the device");
#endif
}

}  // namespace detail

// Calls body(team, shared, i) for 0 <= i < count in any order, where `shared` is a Body::Shared of undefined contents.
// The calls must not depend on each other. Asynchronous on a GPU.
template <class Body>
void for_teams(const Executor& executor, const char* name, int count, const Body& body) {
  detail::refuse_device<Body>(executor, name);
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    detail::for_each_team<<<static_cast<unsigned>((count + detail::warps - 1) / detail::warps), 32 * detail::warps, 0,
                            executor.stream()>>>(count, body);
    return check_launch(name);
  }
#endif
  constexpr int piece = 32;
  struct Context {
    const Body& body;
    int count;
  } context{body, count};
  const auto task = [](const void* erased, std::int64_t i, int) {
    const Context& c = *static_cast<const Context*>(erased);
    const Body own = c.body;
    typename Body::Shared shared;
    const int first = static_cast<int>(i) * piece, last = std::min(first + piece, c.count);
    for (int k = first; k < last; ++k) own(Thread{}, shared, k);
  };
  executor.run_tasks((count + piece - 1) / piece, task, &context);
}

// The same for the nx * ny points of a grid, where the call for point y * nx + x begins after those for (x - 1, y) and
// (x + 1, y - 1) have ended, and so after all points above and to the left. `progress`: ny + 1 zeros in executor
// memory. Does nothing where body.wanted() is false.
template <class Body>
void for_teams_in_wave(const Executor& executor, const char* name, int nx, int ny, int* progress, const Body& body) {
  detail::refuse_device<Body>(executor, name);
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    detail::for_each_in_wave<<<static_cast<unsigned>(ny), 32, 0, executor.stream()>>>(nx, progress, body);
    return check_launch(name);
  }
#endif
  if (!body.wanted()) return;
  struct Context {
    const Body& body;
    int nx;
    int* progress;
  } context{body, nx, progress};
  const auto task = [](const void* erased, std::int64_t, int) {
    const Context& c = *static_cast<const Context*>(erased);
    const Body own = c.body;
    typename Body::Shared shared;
    const int row = std::atomic_ref(c.progress[0]).fetch_add(1);
    for (int x = 0; x < c.nx; ++x) {
      if (row > 0) {
        const std::atomic_ref above(c.progress[row]);
        while (above.load(std::memory_order_acquire) < std::min(x + 2, c.nx)) std::this_thread::yield();
      }
      own(Thread{}, shared, row * c.nx + x);
      std::atomic_ref(c.progress[row + 1]).store(x + 1, std::memory_order_release);
    }
  };
  executor.run_tasks(ny, task, &context);
}

}  // namespace simreel::h264
