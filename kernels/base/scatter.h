#pragma once
// Scattered integer sums: many bodies add integers to pixels in any order. Integer addition is associative, so the sums
// are the same for any number of threads and on any GPU. A GPU uses atomic additions. On the CPU each thread adds to
// its own copy of the picture, a layer, and readers sum over the layers.

#include <cstddef>
#include <cstdint>

#include "kernels/base/launch.h"

namespace simreel {

// A view of executor memory: sums[layer][pixel][word], pixels in rows from the top of the picture.
struct PixelSums {
  std::uint64_t* sums = nullptr;
  std::size_t pixels = 0;
  int words = 1;
  int layers = 1;

  std::size_t layer_size() const { return pixels * static_cast<std::size_t>(words); }
  // The sum at `index` (pixel * words + word) over all layers.
  HD std::uint64_t total(std::size_t index) const {
    std::uint64_t sum = 0;
    for (int layer = 0; layer < layers; ++layer)
      sum += sums[static_cast<std::size_t>(layer) * pixels * static_cast<std::size_t>(words) + index];
    return sum;
  }
};

// Receives the contributions of one body.
struct SumsTarget {
  std::uint64_t* sums;

  HD void add(std::size_t index, std::uint64_t amount) const {
#ifdef __CUDA_ARCH__
    atomicAdd(reinterpret_cast<unsigned long long*>(sums + index), static_cast<unsigned long long>(amount));
#else
    sums[index] += amount;
#endif
  }
};

// The number of layers for pictures of `layer_bytes`: one per thread of the executor, or fewer if they would take more
// than half a GiB.
inline int scatter_layers(const Executor& executor, std::size_t layer_bytes) {
  if (executor.backend() == Backend::cuda) return 1;
  constexpr std::size_t max_bytes = std::size_t{512} << 20;
  const std::size_t max = std::max<std::size_t>(1, max_bytes / std::max<std::size_t>(1, layer_bytes));
  return static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(executor.threads()), max));
}

#ifdef __CUDACC__
namespace detail {
template <class Body>
__global__ void scatter_each(std::int64_t count, SumsTarget target, const __grid_constant__ Body body) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) body(i, target);
}
}  // namespace detail
#endif

// Calls body(i, target) for 0 <= i < count. Asynchronous on a GPU. `name` appears in error messages.
template <class Body>
void scatter(const Executor& executor, const char* name, std::int64_t count, const PixelSums& sums, const Body& body) {
  if (count <= 0) return;
#ifdef __CUDACC__
  if (executor.backend() == Backend::cuda) {
    constexpr int width = 256;
    detail::scatter_each<<<static_cast<unsigned>((count + width - 1) / width), width, 0, executor.stream()>>>(
        count, SumsTarget{sums.sums}, body);
    return check_launch(name);
  }
#else
  if (executor.backend() == Backend::cuda)
    throw std::logic_error(std::string(name) + ": compiled by the host's compiler, so it has no form for the device");
#endif
  struct Context {
    const Body& body;
    const PixelSums& sums;
    std::int64_t count, tasks;
  };
  constexpr std::int64_t min = 1024;  // fewest bodies worth a task
  const std::int64_t tasks = std::clamp<std::int64_t>(count / min, 1, sums.layers);
  const Context context{body, sums, count, tasks};
  const auto task = [](const void* erased, std::int64_t i, int) {
    const Context& c = *static_cast<const Context*>(erased);
    const Body own = c.body;
    const SumsTarget target{c.sums.sums + static_cast<std::size_t>(i) * c.sums.layer_size()};
    const std::int64_t share = c.count / c.tasks, rest = c.count % c.tasks;
    const std::int64_t from = i * share + std::min(i, rest), to = from + share + (i < rest ? 1 : 0);
    for (std::int64_t k = from; k < to; ++k) own(k, target);
  };
  executor.run_tasks(tasks, task, &context);
}

}  // namespace simreel
