// Ranks that are processes: the memory of their GPUs by NCCL, and how they agree on that.

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <span>
#include <utility>

#include "base/error.h"
#include "exec/foreign.h"
#include "exec/process_team.h"

namespace simreel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* through_host = "MPI, through host memory";
constexpr auto longest_connecting = std::chrono::seconds(60);
// So long a rank whose connection broke waits to hear why from the rank at its other end.
constexpr auto longest_explanation = std::chrono::seconds(1);

}  // namespace

void Communicator::ProcessTeam::link(const Executor& executor) {
  if (linked_for_ == executor.backend()) return;
  unlink();
  linked_for_ = executor.backend();
  transport_ = through_host;
  given_up_ = false;  // before any rank can have said so: it may be heard in each of the meetings that follow
  const NcclFound found = find_nccl(executor.backend());
  std::string problem = agree_on_nccl(found);
  if (problem.empty()) problem = connect_gpus(found.nccl);
  if (problem.empty())
    transport_ = fmt::format("NCCL {}", nccl_version_text(found.nccl.version));
  else if (mpi.rank == 0 && executor.backend() == Backend::cuda && !found.off)
    tell(log_, LogLevel::info,
         fmt::format("memory of GPUs goes from process to process through the host, which is slower than NCCL: {}. "
                     "With SIMREEL_NCCL=off it takes that way silently",
                     problem));
}

std::string Communicator::ProcessTeam::first_reason(const std::string& own) {
  std::array<char, 400> mine{};
  own.copy(mine.data(), mine.size() - 1);
  const std::vector<std::byte> all = gather(mpi.rank, std::as_bytes(std::span(mine)));
  for (int rank = 0; rank < size; ++rank) {
    const auto* const text = reinterpret_cast<const char*>(all.data()) + static_cast<std::size_t>(rank) * mine.size();
    if (*text != 0) return rank == 0 ? text : fmt::format("rank {}: {}", rank, text);
  }
  return {};
}

std::string Communicator::ProcessTeam::agree_on_nccl(const NcclFound& found) {
  int version = found.nccl.version;
  broadcast(mpi.rank, &version, sizeof version);
  std::string own = found.problem;
  if (own.starts_with("libnccl"))
    own +=
        ". NVIDIA's package libnccl2 has it, and so has pip's nvidia-nccl-cu13, in a folder that $SIMREEL_NCCL may "
        "name: /.../nvidia/nccl/lib/libnccl.so.2";
  if (found.usable && found.nccl.version != version)
    own = fmt::format("{} has NCCL {}, rank 0 another version, {}", mpi.host, nccl_version_text(found.nccl.version),
                      nccl_version_text(version));
  return first_reason(own);
}

std::string Communicator::ProcessTeam::connect_gpus(const Nccl& nccl) {
  struct Offer {
    NcclId id = {};
    bool made = false;
  } offer;
  std::string own;
  const auto attempt = [&](const auto& action) {
    try {
      action();
    } catch (const RuntimeError& error) {
      own = error.what();
    }
  };
  if (mpi.rank == 0)
    attempt([&] {
      offer.id = make_id(nccl);
      offer.made = true;
    });
  broadcast(mpi.rank, &offer, sizeof offer);
  if (offer.made) {
    const Clock::time_point start = Clock::now();
    bool connected = false;
    attempt([&] {
      link_ = std::make_unique<GpuLink>(nccl, offer.id, mpi.rank, size);
      until([&] {
        connected = link_->ready();
        return connected || given_up_ || Clock::now() - start > longest_connecting;
      });
      if (!connected && !given_up_)
        throw RuntimeError(
            fmt::format("NCCL did not connect the ranks in {} s; NCCL_DEBUG=INFO shows the network that "
                        "it takes, and NCCL_SOCKET_IFNAME names one",
                        longest_connecting.count()));
    });
    if (!own.empty()) tell_all(std::string_view(&no_link_message, 1));
  }
  const std::string reason = first_reason(own);
  if (!reason.empty()) stuck_ |= !abort_link();
  return reason;
}

void Communicator::ProcessTeam::exchange_by_link(const Executor& executor, std::span<const Transfer> sends,
                                                 std::span<const Transfer> receives) {
  try {
    link_->begin(executor, sends, receives);
    until([&] { return link_->ready(); });
    const StreamMark end(executor);
    until([&] {
      static_cast<void>(link_->ready());  // throws where the connection is broken: then the end is never reached
      return end.reached();
    });
  } catch (const RuntimeError&) {
    const Clock::time_point start = Clock::now();
    until([&] { return Clock::now() - start > longest_explanation; });
    throw;
  }
}

bool Communicator::ProcessTeam::unlink() noexcept {
  if (!link_) return !stuck_;
  bool ended = false;
  try {
    meet();  // what this rank has sent has arrived
    link_->begin_end();
    const Clock::time_point start = Clock::now();
    until([&] { return (ended = link_->ready()) || Clock::now() - start > longest_connecting; });
  } catch (const std::exception&) {  // a rank that failed, which `failure` tells; or NCCL, which is no longer needed
    ended = false;
  }
  stuck_ |= !(ended ? link_->close() : abort_link());
  link_.reset();
  return !stuck_;
}

bool Communicator::ProcessTeam::abort_link() noexcept {
  const std::unique_ptr<GpuLink> link = std::move(link_);
  return !link || link->abort();
}

void Communicator::ProcessTeam::drop_link() noexcept {
  if (abort_link()) return;
  stuck_ = true;
  if (mpi.rank != 0) return;
  tell(log_, LogLevel::error,
       "NCCL does not let go of the GPU after a failure; the run ends here, as if it were killed");
  mpi.abort(static_cast<int>(ExitCode::failed));
}

std::string Communicator::ProcessTeam::transport() const { return transport_; }

}  // namespace simreel
