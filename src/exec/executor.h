#pragma once
// Where work runs: some threads of the CPU, or one CUDA device. Everything that computes takes an Executor; nothing
// else knows which of the two it is. A closed set on purpose: no plugins, no virtuals.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct CUstream_st;  // cudaStream_t is a pointer to this; kept opaque so that no CUDA header is needed here

namespace simreel {

enum class Backend { cpu, cuda };

// Kinds of memory an Executor hands out. On the CPU both are ordinary memory.
enum class Memory {
  device,  // where kernels work
  pinned,  // the host's, page-locked: copies to it run beside kernels
};

struct DeviceInfo {
  int index = 0;
  std::string name;
  int capability_major = 0, capability_minor = 0;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
};

// The CUDA devices of this machine. Empty without a device, without a driver, or in a build without CUDA: never an
// error.
std::vector<DeviceInfo> cuda_devices();

// A mark behind the copies submitted so far. A default one is already passed. Any thread may wait.
class Event {
 public:
  Event() = default;
  Event(Event&&) noexcept;
  Event& operator=(Event&&) noexcept;
  ~Event();

  void wait() const;  // throws RuntimeError where the device failed

 private:
  friend class Executor;
  void* event_ = nullptr;  // cudaEvent_t
};

// Bytes of the host's memory that could be taken without swapping.
std::size_t host_memory_available();

class Executor {
 public:
  // `threads` 0 means one a core. Throws UsageError for a negative count.
  static Executor cpu(int threads = 0);
  // Throws UsageError where `device` is not one of cuda_devices(), RuntimeError where it cannot be used. The executor
  // belongs to the thread that made it, which works with one device: the one of the executor it made last.
  static Executor cuda(int device = 0, int threads = 0);

  Executor(Executor&&) noexcept;
  Executor& operator=(Executor&&) noexcept;
  ~Executor();

  Backend backend() const { return backend_; }
  int threads() const;                                      // of the host side; 1 or more
  std::string name() const;                                 // "CPU, 2 threads", "NVIDIA H200 (device 0)"
  int multiprocessors() const { return multiprocessors_; }  // 0 on the CPU

  // Returns when all that was submitted is done. Throws RuntimeError with the device's words if any of it failed.
  void wait() const;

  // Calls task(context, i, thread) for every 0 <= i < count on the host threads, in any order, and returns when all are
  // done. 0 <= thread < threads(), so that a task can use a scratch area of its own. Exceptions pass through.
  using Task = void (*)(const void* context, std::int64_t i, int thread);
  void run_tasks(std::int64_t count, Task task, const void* context) const;

  // Uninitialised memory, aligned to 256 bytes; throws RuntimeError naming the amount. Use Buffer instead of calling
  // these.
  void* allocate(std::size_t bytes, Memory) const;
  void release(void* memory, Memory) const noexcept;

  // Copies after all submitted work and before later work, in any direction between host and executor memory.
  // `copy` returns when the host side may be touched again.
  void copy(void* to, const void* from, std::size_t bytes) const;
  void clear(void* memory, std::size_t bytes) const;  // zero bytes; asynchronous
  // Copies to pinned memory behind the work submitted so far, beside whatever is submitted later; `done` passes when it
  // is complete. Until then `from` must not be written and `to` not be read.
  void download(void* to, const void* from, std::size_t bytes, Event& done) const;

  std::size_t memory_available() const;  // bytes of executor memory that could be taken now

  CUstream_st* stream() const { return stream_; }  // null on the CPU

 private:
  struct Threads;
  Executor(Backend, int threads);

  Backend backend_;
  std::unique_ptr<Threads> threads_;
  int device_ = -1;
  int multiprocessors_ = 0;
  std::string device_name_;
  CUstream_st* stream_ = nullptr;       // kernels and copies in order
  CUstream_st* copy_stream_ = nullptr;  // downloads
};

}  // namespace simreel
