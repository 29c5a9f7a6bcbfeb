#pragma once
// Tasks of few bodies on the CPU, for work that is expensive per body; parallel_for would make larger tasks.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "exec/executor.h"

namespace simreel {

// Calls body(i) for 0 <= i < count, `piece` calls per task.
template <class Body>
void each_on_cpu(const Executor& executor, std::size_t count, std::size_t piece, const Body& body) {
  struct Context {
    const Body& body;
    std::size_t count, piece;
  } const context{body, count, piece};
  const auto task = [](const void* erased, std::int64_t i, int) {
    const Context& c = *static_cast<const Context*>(erased);
    const std::size_t first = static_cast<std::size_t>(i) * c.piece, last = std::min(first + c.piece, c.count);
    for (std::size_t k = first; k < last; ++k) c.body(k);
  };
  executor.run_tasks(static_cast<std::int64_t>((count + piece - 1) / piece), task, &context);
}

}  // namespace simreel
