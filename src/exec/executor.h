#pragma once
// Where work runs: threads of the CPU, or one CUDA device. Everything that computes takes an Executor, and only the
// executor knows which of the two it is. A closed set on purpose: no plugins, no virtual functions.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct CUstream_st;  // cudaStream_t is a pointer to this; kept opaque so that no CUDA header is needed here

namespace simreel {

enum class Backend { cpu, cuda };

// The kinds of memory of an Executor. On the CPU both are ordinary memory.
enum class Memory {
  device,  // memory that kernels access
  pinned,  // page-locked host memory: copies to it overlap with kernels
};

struct DeviceInfo {
  int index = 0;
  std::string name;
  std::string uuid;  // 16 bytes, of this GPU alone in the world
  int capability_major = 0, capability_minor = 0;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
};

// The CUDA devices of this machine. Empty without a device, without a driver, or in a build without CUDA: never an
// error.
std::vector<DeviceInfo> cuda_devices();

// Which work of a device goes first where both could: that of an executor is between these.
enum class Priority { low, high };

// Marks the end of the copies, or of all work, submitted so far. A default-constructed event is complete. Any thread
// may wait.
class Event {
 public:
  Event() = default;
  Event(Event&&) noexcept;
  Event& operator=(Event&&) noexcept;
  ~Event();

  void wait() const;  // throws RuntimeError if the device failed

 private:
  friend class Executor;
  void* event_ = nullptr;  // cudaEvent_t
};

// Host memory that can be allocated without swapping and within the control group, in bytes.
std::size_t host_memory_available();

class Executor {
 public:
  // `threads` 0 means usable_cores() (exec/machine.h). Throws UsageError for a negative count.
  static Executor cpu(int threads = 0);
  // Throws UsageError if `device` is not one of cuda_devices(), RuntimeError if it cannot be used. The executor belongs
  // to the thread that created it; others may submit work to it while they are OnDevice (foreign.h). A thread works
  // with one device: that of the executor it created last.
  static Executor cuda(int device = 0, int threads = 0);

  // Another queue of the same device: its work runs at the same time as that of this executor. On the CPU, where work
  // is done when its submission returns, merely another executor. Has one thread on the host side.
  Executor beside(Priority = Priority::low) const;

  Executor(Executor&&) noexcept;
  Executor& operator=(Executor&&) noexcept;
  ~Executor();

  Backend backend() const { return backend_; }
  int threads() const;                                      // of the host side; 1 or more
  std::string name() const;                                 // "CPU, 2 threads", "NVIDIA H200 (device 0)"
  int multiprocessors() const { return multiprocessors_; }  // 0 on the CPU

  // Returns when all submitted work is done. Throws RuntimeError with the device's message if any of it failed.
  void wait() const;

  // Calls task(context, i, thread) for every 0 <= i < count on the host threads, in any order, and returns when all are
  // done. 0 <= thread < threads(), so that each thread can have its own scratch memory. Exceptions pass through.
  using Task = void (*)(const void* context, std::int64_t i, int thread);
  void run_tasks(std::int64_t count, Task task, const void* context) const;

  // Uninitialised memory, aligned to 256 bytes. Throws RuntimeError with the amount. Use Buffer instead of these.
  void* allocate(std::size_t bytes, Memory) const;
  void release(void* memory, Memory) const noexcept;

  // Copies after all submitted work and before later work, in any direction between host and executor memory.
  // `copy` returns when the host memory may be accessed again.
  void copy(void* to, const void* from, std::size_t bytes) const;
  void clear(void* memory, std::size_t bytes) const;  // zero bytes; asynchronous
  // Copies to pinned memory after the work submitted so far, concurrently with later work; `done` completes with the
  // copy. Until then `from` must not be written and `to` not be read.
  void download(void* to, const void* from, std::size_t bytes, Event& done) const;

  // `done` completes with the work submitted so far. Work submitted later to an executor that waits for an event begins
  // when it is complete; the host does not wait.
  void record(Event& done) const;
  void wait_for(const Event&) const;

  std::size_t memory_available() const;  // bytes of executor memory that can be allocated now

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
