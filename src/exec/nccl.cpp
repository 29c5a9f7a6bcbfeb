#include "exec/nccl.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace simreel {
namespace {

// The first whose communicators never block, also while they connect at the first message (2.14 began with it).
constexpr int oldest = 21800;

template <class Function>
bool take(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool take_all(void* library, Nccl& nccl) {
  return take(library, "ncclGetVersion", nccl.get_version) && take(library, "ncclGetUniqueId", nccl.get_unique_id) &&
         take(library, "ncclCommInitRankConfig", nccl.init) && take(library, "ncclGroupStart", nccl.group_start) &&
         take(library, "ncclGroupEnd", nccl.group_end) && take(library, "ncclSend", nccl.send) &&
         take(library, "ncclRecv", nccl.receive) && take(library, "ncclCommGetAsyncError", nccl.async_error) &&
         take(library, "ncclCommFinalize", nccl.finalize) && take(library, "ncclCommDestroy", nccl.destroy) &&
         take(library, "ncclCommAbort", nccl.abort) && take(library, "ncclGetErrorString", nccl.error_string) &&
         take(library, "ncclGetLastError", nccl.last_error);
}

}  // namespace

std::string nccl_version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

NcclFound find_nccl(Backend backend) {
  const char* const named = std::getenv("SIMREEL_NCCL");
  NcclFound found;
  const std::string_view wanted = named ? named : "on";
  found.off = wanted == "off";
  const auto unusable = [&](std::string why) {
    found.problem = std::move(why);
    return found;
  };
  if (found.off) return unusable("SIMREEL_NCCL is off");
  const bool any = wanted == "on";
  if (backend == Backend::cpu && any) return unusable("the ranks compute on the CPU");
  // Its memory for multicast, which it takes at the start otherwise, is for sums.
  ::setenv("NCCL_NVLS_ENABLE", "0", 0);
  const char* const file = any ? "libnccl.so.2" : named;
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) return unusable(dlerror());
  found.nccl.host = dlsym(library, "simreel_nccl_of_the_host") != nullptr;
  const bool complete = take_all(library, found.nccl);
  if (!complete || found.nccl.get_version(&found.nccl.version) != NcclResult::success || found.nccl.version < oldest)
    return unusable(fmt::format("{} is {}, and {} or newer is needed", file,
                                found.nccl.version > 0 ? "NCCL " + nccl_version_text(found.nccl.version) : "no NCCL",
                                nccl_version_text(oldest)));
  if (found.nccl.host != (backend == Backend::cpu))
    return unusable(fmt::format("{} does not move memory of the {}", file, found.nccl.host ? "GPU" : "CPU"));
  found.usable = true;
  return found;
}

}  // namespace simreel
