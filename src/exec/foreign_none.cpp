// Foreign memory and streams in a build without CUDA.

#include "exec/foreign.h"

namespace simreel {

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

}  // namespace simreel
