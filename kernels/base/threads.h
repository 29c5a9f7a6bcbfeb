#pragma once
// Work for the host threads, of any callable.

#include <cstdint>

#include "exec/executor.h"

namespace simreel {

// Calls body(i, thread) for 0 <= i < count as Executor::run_tasks does.
template <class Body>
void on_threads(const Executor& executor, std::int64_t count, const Body& body) {
  const auto task = [](const void* erased, std::int64_t i, int thread) {
    (*static_cast<const Body*>(erased))(i, thread);
  };
  executor.run_tasks(count, task, &body);
}

// Calls body(y) for 0 <= y < rows, several rows in a task.
template <class Body>
void rows_on_threads(const Executor& executor, int rows, const Body& body) {
  const int most = rows / (executor.threads() * 8), piece = most < 1 ? 1 : most > 32 ? 32 : most;
  on_threads(executor, (rows + piece - 1) / piece, [&](std::int64_t i, int) {
    const int first = static_cast<int>(i) * piece, last = first + piece < rows ? first + piece : rows;
    for (int y = first; y < last; ++y) body(y);
  });
}

}  // namespace simreel
