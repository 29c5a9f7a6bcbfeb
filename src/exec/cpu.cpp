// The CPU half of Executor: threads and host memory. The device half is in cuda.cpp or cuda_none.cpp.

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "exec/machine.h"
#include "exec/threads.h"

namespace simreel {
namespace {

constexpr std::size_t alignment = 256;

int checked_threads(int threads) {
  if (threads < 0) throw UsageError("--threads {}: the number of threads cannot be negative", threads);
  return threads > 0 ? threads : usable_cores();
}

// Calls part(offset, bytes) for pieces of memory, on all threads of the executor.
constexpr std::size_t piece = std::size_t{1} << 20;
template <class Part>
void in_pieces(const Executor& executor, std::size_t bytes, const Part& part) {
  struct Context {
    const Part& part;
    std::size_t bytes;
  } const context{part, bytes};
  const auto task = [](const void* erased, std::int64_t i, int) {
    const Context& c = *static_cast<const Context*>(erased);
    const std::size_t from = static_cast<std::size_t>(i) * piece;
    c.part(from, std::min(c.bytes - from, piece));
  };
  executor.run_tasks(static_cast<std::int64_t>((bytes + piece - 1) / piece), task, &context);
}

}  // namespace

Executor::Threads::Threads(int wanted) : count(checked_threads(wanted)), arena(count) {
  if (count > bound_cores())
    more.emplace(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
}

Executor::Executor(Backend backend, int threads) : backend_(backend), threads_(std::make_unique<Threads>(threads)) {}

Executor Executor::cpu(int threads) { return Executor(Backend::cpu, threads); }

int Executor::threads() const { return threads_->count; }

std::string Executor::name() const {
  if (backend_ == Backend::cuda) return fmt::format("{} (device {})", device_name_, device_);
  return fmt::format("CPU, {} thread{}", threads(), threads() == 1 ? "" : "s");
}

void Executor::run_tasks(std::int64_t count, Task task, const void* context) const {
  // An arena of one thread has a place for a second one, which ranks that share it would take.
  if (count == 1 || threads() == 1) {
    for (std::int64_t i = 0; i < count; ++i) task(context, i, 0);
    return;
  }
  threads_->arena.execute([&] {
    oneapi::tbb::parallel_for(std::int64_t{0}, count, [&](std::int64_t i) {
      task(context, i, oneapi::tbb::this_task_arena::current_thread_index());
    });
  });
}

// Whole pages of a large buffer go back to the system, which fills them with zeros when they are touched again: what
// nothing is written to takes no memory.
void clear_host(const Executor& executor, void* memory, std::size_t bytes) {
  constexpr std::size_t large = std::size_t{64} << 20, page = std::size_t{2} << 20;
  void* pages = memory;
  std::size_t room = bytes;
  if (bytes >= large && std::align(page, page, pages, room) &&
      ::madvise(pages, room / page * page, MADV_DONTNEED) == 0) {
    std::memset(memory, 0, bytes - room);
    room %= page;
    std::memset(static_cast<std::byte*>(memory) + (bytes - room), 0, room);
    return;
  }
  in_pieces(executor, bytes, [start = static_cast<std::byte*>(memory)](std::size_t from, std::size_t count) {
    std::memset(start + from, 0, count);
  });
}

void copy_rows_host(const Executor& executor, void* to, std::size_t to_stride, const void* from,
                    std::size_t from_stride, std::size_t bytes, std::size_t count) {
  for (std::size_t row = 0; row < count; ++row) {
    std::byte* const target = static_cast<std::byte*>(to) + row * to_stride;
    const std::byte* const source = static_cast<const std::byte*>(from) + row * from_stride;
    in_pieces(executor, bytes,
              [=](std::size_t offset, std::size_t some) { std::memcpy(target + offset, source + offset, some); });
  }
}

void* allocate_host(std::size_t bytes) {
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = rounded >= bytes ? std::aligned_alloc(alignment, rounded) : nullptr;
  if (!memory) throw RuntimeError("cannot allocate {:.1f} MiB of memory", static_cast<double>(bytes) / (1 << 20));
  return memory;
}

void release_host(void* memory) noexcept { std::free(memory); }

}  // namespace simreel
