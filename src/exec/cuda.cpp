// Executor in a build with CUDA. It must also work on machines without a device or driver, with the CPU only.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/error.h"
#include "exec/cuda_check.h"
#include "exec/driver.h"
#include "exec/threads.h"

namespace simreel {

bool succeeds(cudaError_t code) noexcept {
  if (code != cudaSuccess) static_cast<void>(cudaGetLastError());
  return code == cudaSuccess;
}

void throw_cuda_error(cudaError_t code, const char* expression, const char* file, int line) {
  static_cast<void>(cudaGetLastError());
  throw RuntimeError("{}:{}: {} failed: {} ({})", file, line, expression, cudaGetErrorName(code),
                     cudaGetErrorString(code));
}

void check_launch(const char* kernel) {
  cudaError_t code = cudaGetLastError();
#ifndef NDEBUG
  if (code == cudaSuccess) code = cudaDeviceSynchronize();
#endif
  if (code != cudaSuccess)
    throw RuntimeError("kernel {} failed: {} ({})", kernel, cudaGetErrorName(code), cudaGetErrorString(code));
}

std::vector<DeviceInfo> cuda_devices() {
  int count = 0;
  // No driver, no device, or a driver that is too old: there is no device to run on.
  if (!succeeds(cudaGetDeviceCount(&count))) return {};
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    // It keeps its place, because the list is indexed by numbers of devices. No build has kernels for it.
    if (!succeeds(cudaGetDeviceProperties(&properties, i))) {
      DeviceInfo& silent = devices.emplace_back();
      silent.index = i;
      silent.name = "a device that does not answer";
      continue;
    }
    devices.push_back({i, properties.name, std::string(properties.uuid.bytes, sizeof properties.uuid.bytes),
                       properties.major, properties.minor, properties.multiProcessorCount, properties.totalGlobalMem});
  }
  return devices;
}

std::string driver_problem() {
  int count = 0, driver = 0, runtime = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  static_cast<void>(cudaGetLastError());
  if (code == cudaSuccess || code == cudaErrorNoDevice) return "";
  if (!succeeds(cudaDriverGetVersion(&driver)) || !succeeds(cudaRuntimeGetVersion(&runtime)) || driver == 0) return "";
  const std::string old = old_driver_text(driver, runtime);
  return old.empty() ? fmt::format("CUDA cannot use its driver: {}", cudaGetErrorString(code)) : old;
}

std::string unchecked_cuda_error() {
  const cudaError_t code = cudaGetLastError();
  // Where there is no driver or GPU, each call says so, this one too.
  const bool none = code == cudaSuccess || code == cudaErrorInsufficientDriver || code == cudaErrorNoDevice;
  return none ? "" : fmt::format("{} ({})", cudaGetErrorName(code), cudaGetErrorString(code));
}

std::string cuda_runtime() {
  int version = 0;
  CUDA_CHECK(cudaRuntimeGetVersion(&version));
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string_view compiled_architectures() { return SIMREEL_CUDA_ARCHITECTURES; }

Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
Event& Event::operator=(Event&& other) noexcept {
  std::swap(event_, other.event_);
  return *this;
}
Event::~Event() {
  if (event_) succeeds(cudaEventDestroy(static_cast<cudaEvent_t>(event_)));
}
void Event::wait() const {
  if (event_) CUDA_CHECK(cudaEventSynchronize(static_cast<cudaEvent_t>(event_)));
}

namespace {

cudaStream_t open_stream(int priority) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority));
  return stream;
}

}  // namespace

Executor Executor::cuda(int device, int threads) {
  const std::vector<DeviceInfo> devices = cuda_devices();
  if (devices.empty())
    throw UsageError("no CUDA device was found; check that the NVIDIA driver is loaded, or ", Hint::cpu);
  if (device < 0 || device >= static_cast<int>(devices.size()))
    throw UsageError("--device {}: this machine has CUDA devices 0 to {}", device, devices.size() - 1);
  Executor executor(Backend::cuda, threads);
  executor.device_ = device;
  executor.device_name_ = devices[static_cast<std::size_t>(device)].name;
  executor.multiprocessors_ = devices[static_cast<std::size_t>(device)].multiprocessors;
  // Before queues beside it, which fill the gaps, and after what is urgent (kernels/base/side_stream.cuh).
  int min = 0, greatest = 0;
  CUDA_CHECK(cudaSetDevice(device));
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&min, &greatest));
  executor.stream_ = open_stream((min + greatest) / 2);
  executor.copy_stream_ = open_stream((min + greatest) / 2);
  return executor;
}

Executor Executor::beside(Priority priority) const {
  if (backend_ == Backend::cpu) return cpu(1);
  Executor executor(Backend::cuda, 1);
  executor.device_ = device_;
  executor.device_name_ = device_name_;
  executor.multiprocessors_ = multiprocessors_;
  CUDA_CHECK(cudaSetDevice(device_));
  int min = 0, greatest = 0;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&min, &greatest));
  executor.stream_ = open_stream(priority == Priority::low ? min : greatest);
  executor.copy_stream_ = open_stream(priority == Priority::low ? min : greatest);
  return executor;
}

Executor::Executor(Executor&& other) noexcept
    : backend_(other.backend_),
      threads_(std::move(other.threads_)),
      device_(other.device_),
      multiprocessors_(other.multiprocessors_),
      device_name_(std::move(other.device_name_)),
      stream_(std::exchange(other.stream_, nullptr)),
      copy_stream_(std::exchange(other.copy_stream_, nullptr)) {}

Executor& Executor::operator=(Executor&& other) noexcept {
  std::swap(backend_, other.backend_);
  std::swap(threads_, other.threads_);
  std::swap(device_, other.device_);
  std::swap(multiprocessors_, other.multiprocessors_);
  std::swap(device_name_, other.device_name_);
  std::swap(stream_, other.stream_);
  std::swap(copy_stream_, other.copy_stream_);
  return *this;
}

Executor::~Executor() {
  if (copy_stream_) succeeds(cudaStreamDestroy(copy_stream_));
  if (stream_) succeeds(cudaStreamDestroy(stream_));
}

void Executor::wait() const {
  if (backend_ == Backend::cpu) return;
  CUDA_CHECK(cudaStreamSynchronize(stream_));
  CUDA_CHECK(cudaStreamSynchronize(copy_stream_));
}

void* Executor::allocate(std::size_t bytes, Memory where) const {
  if (backend_ == Backend::cpu) return allocate_host(bytes);
  void* memory = nullptr;
  const cudaError_t code = where == Memory::device ? cudaMalloc(&memory, bytes) : cudaMallocHost(&memory, bytes);
  if (!succeeds(code))
    throw RuntimeError("cannot allocate {:.1f} MiB of {} memory on {}: {}", static_cast<double>(bytes) / (1 << 20),
                       where == Memory::device ? "device" : "pinned host", name(), cudaGetErrorString(code));
  return memory;
}

void Executor::release(void* memory, Memory where) const noexcept {
  if (backend_ == Backend::cpu) return release_host(memory);
  succeeds(where == Memory::device ? cudaFree(memory) : cudaFreeHost(memory));
}

void Executor::copy(void* to, const void* from, std::size_t bytes) const {
  if (backend_ == Backend::cpu) {
    std::memcpy(to, from, bytes);
    return;
  }
  CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_));
  CUDA_CHECK(cudaStreamSynchronize(stream_));
}

void Executor::clear(void* memory, std::size_t bytes) const {
  if (backend_ == Backend::cpu)
    clear_host(*this, memory, bytes);
  else
    CUDA_CHECK(cudaMemsetAsync(memory, 0, bytes, stream_));
}

void Executor::download(void* to, const void* from, std::size_t bytes, Event& done) const {
  if (backend_ == Backend::cpu) {
    std::memcpy(to, from, bytes);
    return;
  }
  record(done);
  const auto event = static_cast<cudaEvent_t>(done.event_);
  CUDA_CHECK(cudaStreamWaitEvent(copy_stream_, event, 0));
  CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, copy_stream_));
  CUDA_CHECK(cudaEventRecord(event, copy_stream_));
}

void Executor::record(Event& done) const {
  if (backend_ == Backend::cpu) return;
  if (!done.event_) {
    cudaEvent_t event = nullptr;
    // Blocking: the threads of sinks sleep while they wait and leave the cores to the encoders.
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming));
    done.event_ = event;
  }
  CUDA_CHECK(cudaEventRecord(static_cast<cudaEvent_t>(done.event_), stream_));
}

void Executor::wait_for(const Event& event) const {
  if (backend_ == Backend::cuda && event.event_)
    CUDA_CHECK(cudaStreamWaitEvent(stream_, static_cast<cudaEvent_t>(event.event_), 0));
}

std::size_t Executor::memory_available() const {
  if (backend_ == Backend::cpu) return host_memory_available();
  std::size_t available = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&available, &total));
  return available;
}

}  // namespace simreel
