// Executor in a build without CUDA: the device functions support the CPU only.

#include <cstring>

#include "base/error.h"
#include "exec/driver.h"
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

}  // namespace simreel
