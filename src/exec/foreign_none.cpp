// Foreign memory and streams in a build without CUDA.

#include "exec/foreign.h"

namespace simreel {

int current_device() { return 0; }
std::string unreadable(const void*, int) { return "lies on a GPU, and this build of simreel has no CUDA backend"; }

OnDevice::OnDevice(int) {}
OnDevice::~OnDevice() = default;

StreamMark::StreamMark(int, CUstream_st*) {}
StreamMark::StreamMark(const Executor&) {}
StreamMark::StreamMark(StreamMark&&) noexcept = default;
StreamMark& StreamMark::operator=(StreamMark&&) noexcept = default;
StreamMark::~StreamMark() = default;
void StreamMark::hold(const Executor&) const {}
void StreamMark::wait() const {}

}  // namespace simreel
