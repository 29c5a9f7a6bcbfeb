// What needs CUDA, in a build without it: devices, foreign memory and streams, graphs and peers. There is the CPU only.

#include <cstring>

#include "base/error.h"
#include "exec/driver.h"
#include "exec/foreign.h"
#include "exec/graph.h"
#include "exec/peers.h"
#include "exec/threads.h"

namespace simreel {

std::vector<DeviceInfo> cuda_devices() { return {}; }
std::string driver_problem() { return ""; }
std::string unchecked_cuda_error() { return ""; }

std::string cuda_runtime() { return ""; }
std::string_view compiled_architectures() { return ""; }

Event::Event(Event&&) noexcept = default;
Event& Event::operator=(Event&&) noexcept = default;
Event::~Event() = default;
void Event::wait() const {}

Executor Executor::cuda(int, int) {
  throw UsageError("this build of simreel has no CUDA; build it with CUDA where nvcc is installed, or ", Hint::cpu);
}

Executor Executor::beside(Priority) const { return cpu(1); }

Executor::Executor(Executor&&) noexcept = default;
Executor& Executor::operator=(Executor&&) noexcept = default;
Executor::~Executor() = default;

void Executor::wait() const {}
void* Executor::allocate(std::size_t bytes, Memory) const { return allocate_host(bytes); }
void Executor::release(void* memory, Memory) const noexcept { release_host(memory); }
void Executor::copy(void* to, const void* from, std::size_t bytes) const { std::memcpy(to, from, bytes); }
void Executor::clear(void* memory, std::size_t bytes) const { clear_host(*this, memory, bytes); }
void Executor::download(void* to, const void* from, std::size_t bytes, Event&) const { std::memcpy(to, from, bytes); }
void Executor::record(Event&) const {}
void Executor::wait_for(const Event&) const {}
std::size_t Executor::memory_available() const { return host_memory_available(); }

int current_device() { return 0; }
std::string unreadable(const void*, int) { return "lies on a GPU, and this build of simreel has no CUDA backend"; }

OnDevice::OnDevice(int) {}
OnDevice::~OnDevice() = default;

StreamFence::StreamFence(int, CUstream_st*) {}
StreamFence::StreamFence(const Executor&) {}
StreamFence::StreamFence(StreamFence&&) noexcept = default;
StreamFence& StreamFence::operator=(StreamFence&&) noexcept = default;
StreamFence::~StreamFence() = default;
void StreamFence::make_wait(const Executor&) const {}
void StreamFence::wait() const {}

Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;
void Graph::submit(const Executor&, const std::function<void()>& work) { work(); }
bool Graph::repeat(const Executor&) { return false; }

void copy_rows(const Executor& executor, void* to, std::size_t to_stride, const void* from, std::size_t from_stride,
               std::size_t bytes, std::size_t count) {
  copy_rows_host(executor, to, to_stride, from, from_stride, bytes, count);
}

void copy_all(const Executor& executor, std::span<const RowCopy> copies) {
  for (const RowCopy& c : copies) copy_rows(executor, c.to, c.to_stride, c.from, c.from_stride, c.bytes, c.count);
}

void reach(std::span<const int>) {}

bool reaches(int) { return false; }

}  // namespace simreel
