// Foreign memory and streams in a build with CUDA.

#include "exec/foreign.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <utility>

#include "exec/cuda_check.h"

namespace simreel {
namespace {

cudaEvent_t record(CUstream_st* stream) {
  cudaEvent_t event = nullptr;
  CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  const cudaError_t code = cudaEventRecord(event, stream);
  if (code != cudaSuccess) {
    succeeds(cudaEventDestroy(event));
    throw_cuda_error(code, "cudaEventRecord (is this a stream of the video's GPU?)", __FILE__, __LINE__);
  }
  return event;
}

}  // namespace

int current_device() {
  int device = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

std::string unreadable(const void* memory, int device) {
  cudaPointerAttributes attributes{};
  if (!succeeds(cudaPointerGetAttributes(&attributes, memory))) return "is not memory known to CUDA";
  if (attributes.type == cudaMemoryTypeUnregistered) return "is not GPU memory";
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != device)
    return fmt::format("lies on GPU {}, and the video is drawn on GPU {}; open the video on GPU {}, or copy the array",
                       attributes.device, device, attributes.device);
  return "";
}

OnDevice::OnDevice(int device) {
  CUDA_CHECK(cudaGetDevice(&before_));
  CUDA_CHECK(cudaSetDevice(device));
  static_cast<void>(cudaGetLastError());
}
OnDevice::~OnDevice() { succeeds(cudaSetDevice(before_)); }

StreamFence::StreamFence(int device, CUstream_st* stream) {
  const OnDevice there(device);
  event_ = record(stream);
}
StreamFence::StreamFence(const Executor& executor) {
  if (executor.backend() == Backend::cuda) event_ = record(executor.stream());
}
StreamFence::StreamFence(StreamFence&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
StreamFence& StreamFence::operator=(StreamFence&& other) noexcept {
  std::swap(event_, other.event_);
  return *this;
}
StreamFence::~StreamFence() {
  if (event_) succeeds(cudaEventDestroy(static_cast<cudaEvent_t>(event_)));
}

void StreamFence::make_wait(const Executor& executor) const {
  if (event_) CUDA_CHECK(cudaStreamWaitEvent(executor.stream(), static_cast<cudaEvent_t>(event_), 0));
}
void StreamFence::wait() const {
  if (event_) CUDA_CHECK(cudaEventSynchronize(static_cast<cudaEvent_t>(event_)));
}

}  // namespace simreel
