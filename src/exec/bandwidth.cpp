#include "exec/bandwidth.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

#include "exec/buffer.h"

namespace simreel {
namespace {

struct Copy {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
  std::int64_t pieces;
};

void copy_all(const Executor& executor, const Copy& copy) {
  if (executor.backend() == Backend::cuda) return executor.copy(copy.to, copy.from, copy.bytes);
  const auto task = [](const void* erased, std::int64_t i, int) {
    const Copy& c = *static_cast<const Copy*>(erased);
    const auto start = [&](std::int64_t k) {
      return c.bytes * static_cast<std::size_t>(k) / static_cast<std::size_t>(c.pieces);
    };
    std::memcpy(c.to + start(i), c.from + start(i), start(i + 1) - start(i));
  };
  executor.run_tasks(copy.pieces, task, &copy);
}

}  // namespace

double copy_bandwidth(const Executor& executor, std::size_t bytes, int runs) {
  Buffer<std::byte> from(executor, bytes), to(executor, bytes);
  const Copy copy{to.data(), from.data(), bytes, executor.threads() * 4};
  // Not zeros: some machines copy zeros faster.
  std::vector<std::uint64_t> random(std::min<std::size_t>(bytes, std::size_t{1} << 24) / 8);
  std::uint64_t state = 1;
  for (std::uint64_t& word : random) word = state = state * 6364136223846793005u + 1442695040888963407u;
  for (std::size_t done = 0; done < bytes; done += random.size() * 8)
    executor.copy(from.data() + done, random.data(), std::min(random.size() * 8, bytes - done));
  copy_all(executor, copy);  // excludes the first touch of the pages from the measurement
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    copy_all(executor, copy);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + runs / 2);
  return 2.0 * static_cast<double>(bytes) / seconds[static_cast<std::size_t>(runs) / 2];
}

}  // namespace simreel
