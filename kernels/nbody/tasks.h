#pragma once
// Tasks of few bodies on the CPU, for work that is expensive per body; parallel_for would make larger tasks.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "exec/executor.h"

namespace simreel {

// Calls body(i) for 0 <= i < count, `piece` calls per task. Each task asks `stop` first, if it is not empty: once it
// says true, no further task calls `body`, and the result is false.
template <class Body>
bool each_on_cpu(const Executor& executor, std::size_t count, std::size_t piece, const Body& body,
                 const std::function<bool()>& stop = {}) {
  std::atomic<bool> stopped = false;
  struct Context {
    const Body& body;
    std::size_t count, piece;
    const std::function<bool()>& stop;
    std::atomic<bool>& stopped;
  } const context{body, count, piece, stop, stopped};
  const auto task = [](const void* erased, std::int64_t i, int) {
    const Context& c = *static_cast<const Context*>(erased);
    if (c.stopped.load(std::memory_order_relaxed)) return;
    if (c.stop && c.stop()) return c.stopped.store(true, std::memory_order_relaxed);
    const std::size_t first = static_cast<std::size_t>(i) * c.piece, last = std::min(first + c.piece, c.count);
    for (std::size_t k = first; k < last; ++k) c.body(k);
  };
  executor.run_tasks(static_cast<std::int64_t>((count + piece - 1) / piece), task, &context);
  return !stopped;
}

}  // namespace simreel
