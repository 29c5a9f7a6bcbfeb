#include "exec/gpu_link.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "base/error.h"

namespace simreel {
namespace {

[[noreturn]] void fail(const Nccl& nccl, NcclResult result, const char* call, ncclComm* comm) {
  const char* const words = nccl.last_error(comm);
  throw RuntimeError(
      fmt::format("{}: {}{}{}; NCCL_DEBUG=WARN tells more, and SIMREEL_NCCL=off moves memory between the "
                  "processes through the host instead",
                  call, nccl.error_string(result), words && *words ? ": " : "", words ? words : ""));
}

bool begun(NcclResult result) { return result == NcclResult::success || result == NcclResult::in_progress; }

}  // namespace

NcclId make_id(const Nccl& nccl) {
  NcclId id;
  const NcclResult result = nccl.get_unique_id(&id);
  if (result != NcclResult::success) fail(nccl, result, "ncclGetUniqueId", nullptr);
  return id;
}

GpuLink::GpuLink(const Nccl& nccl, const NcclId& id, int rank, int size) : nccl_(nccl), rank_(rank) {
  NcclConfig config;
  check(nccl_.init(&comm_, size, id, rank, &config), "ncclCommInitRankConfig");
}

GpuLink::~GpuLink() { abort(); }

void GpuLink::check(NcclResult result, const char* call) const {
  if (!begun(result)) fail(nccl_, result, call, comm_);
}

bool GpuLink::ready() const {
  NcclResult state = NcclResult::success;
  check(nccl_.async_error(comm_, &state), "ncclCommGetAsyncError");
  check(state, "NCCL");
  return state == NcclResult::success;
}

void GpuLink::begin(const Executor& executor, std::span<const Transfer> sends, std::span<const Transfer> receives) {
  const auto each = [&](std::span<const Transfer> transfers, const auto& give) {
    for (const Transfer& t : transfers)
      for (std::size_t i = 0; t.peer != rank_ && t.bytes > 0 && i < t.count; ++i)
        give(static_cast<std::byte*>(t.memory) + i * t.stride, t.bytes, t.peer);
  };
  check(nccl_.group_start(), "ncclGroupStart");
  NcclResult first = NcclResult::success;  // a group that was started must be ended
  const auto note = [&](NcclResult result) {
    if (begun(first)) first = result;
  };
  each(receives, [&](std::byte* memory, std::size_t bytes, int peer) {
    note(nccl_.receive(memory, bytes, nccl_bytes, peer, comm_, executor.stream()));
  });
  each(sends, [&](std::byte* memory, std::size_t bytes, int peer) {
    note(nccl_.send(memory, bytes, nccl_bytes, peer, comm_, executor.stream()));
  });
  const NcclResult end = nccl_.group_end();
  check(first, "ncclSend or ncclRecv");
  check(end, "ncclGroupEnd");
}

void GpuLink::begin_end() { check(nccl_.finalize(comm_), "ncclCommFinalize"); }
bool GpuLink::close() noexcept { return end_by(nccl_.destroy, std::chrono::seconds(60)); }
bool GpuLink::abort() noexcept { return end_by(nccl_.abort, std::chrono::seconds(3)); }

// On a thread of its own, because some versions wait for ever here in some cases.
bool GpuLink::end_by(NcclResult (*end)(ncclComm*), std::chrono::seconds longest) noexcept {
  ncclComm* const comm = std::exchange(comm_, nullptr);
  if (!comm) return true;
  try {
    std::promise<void> done;
    const std::future<void> ended = done.get_future();
    std::thread thread([end, comm, at_end = std::move(done)]() mutable {
      end(comm);
      at_end.set_value();
    });
    const bool in_time = ended.wait_for(longest) == std::future_status::ready;
    in_time ? thread.join() : thread.detach();
    return in_time;
  } catch (const std::exception&) {  // no thread can be had
    return false;
  }
}

}  // namespace simreel
