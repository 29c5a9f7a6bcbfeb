#pragma once
// Memory and streams of a caller's own CUDA code. In a build without CUDA there are none.

#include <string>

#include "exec/executor.h"

namespace simreel {

// The device of the calling thread: that of the executor it created last. 0 without CUDA.
int current_device();

// Why kernels on a device cannot read this memory, as the end of "the array ..."; empty: they can. Any thread may ask.
std::string unreadable(const void* memory, int device);

// Makes a device that of the calling thread, which may be a caller's, for a while. Drops the error that CUDA keeps for
// the thread: it is not of what follows.
class OnDevice {
 public:
  explicit OnDevice(int device);  // throws RuntimeError if it cannot be used
  ~OnDevice();
  OnDevice& operator=(OnDevice&&) = delete;

 private:
  [[maybe_unused]] int before_ = 0;
};

// A point in a stream. A default-constructed fence waits for nothing.
class StreamFence {
 public:
  StreamFence() = default;
  // The end of what a stream of the device holds now. To be made on the thread of the caller, whose current device
  // stays; for the stream may be that thread's own (cudaStreamPerThread). Null is CUDA's default stream. Throws
  // RuntimeError if it is no stream of the device.
  StreamFence(int device, CUstream_st* stream);
  // The end of what the executor was given so far.
  explicit StreamFence(const Executor&);
  StreamFence(StreamFence&&) noexcept;
  StreamFence& operator=(StreamFence&&) noexcept;
  ~StreamFence();

  void make_wait(const Executor&) const;  // what the executor is given from now on begins after the fence
  void wait() const;                      // until the work before the fence is done

 private:
  void* event_ = nullptr;  // cudaEvent_t
};

}  // namespace simreel
