#pragma once
// What the program takes of NCCL, which moves memory between the GPUs of several processes: C functions of
// libnccl.so.2, loaded by runs of several processes on GPUs unless $SIMREEL_NCCL is off, so that no build needs NCCL
// and no other run loads it. Declared here after NVIDIA's interface of NCCL 2.18, which later versions keep.

#include <cstddef>
#include <string>

#include "exec/executor.h"

struct ncclComm;

namespace simreel {

struct NcclId {
  char bytes[128];
};

// NCCL reads as many bytes as `size` says, and takes what a caller of that `version` could not know as unset.
struct NcclConfig {
  std::size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 0;
};

// What the functions return.
enum class NcclResult : int { success = 0, in_progress = 7 };

// The type of what is sent: bytes.
inline constexpr int nccl_bytes = 0;

struct Nccl {
  int version = 0;  // 22809 is 2.28.9
  bool host =
      false;  // it moves memory of the CPU: the stand-in of tests, which has the symbol simreel_nccl_of_the_host

  NcclResult (*get_version)(int*) = nullptr;
  NcclResult (*get_unique_id)(NcclId*) = nullptr;
  NcclResult (*init)(ncclComm**, int size, NcclId, int rank, NcclConfig*) = nullptr;
  NcclResult (*group_start)() = nullptr;
  NcclResult (*group_end)() = nullptr;
  NcclResult (*send)(const void*, std::size_t count, int type, int peer, ncclComm*, CUstream_st*) = nullptr;
  NcclResult (*receive)(void*, std::size_t count, int type, int peer, ncclComm*, CUstream_st*) = nullptr;
  NcclResult (*async_error)(ncclComm*, NcclResult*) = nullptr;
  NcclResult (*finalize)(ncclComm*) = nullptr;
  NcclResult (*destroy)(ncclComm*) = nullptr;
  NcclResult (*abort)(ncclComm*) = nullptr;
  const char* (*error_string)(NcclResult) = nullptr;
  const char* (*last_error)(ncclComm*) = nullptr;
};

struct NcclFound {
  Nccl nccl;
  bool usable = false;
  bool off = false;     // $SIMREEL_NCCL = off
  std::string problem;  // why it is not usable
};

// Loads the library that $SIMREEL_NCCL names, libnccl.so.2 where it says "on", for the memory of such executors;
// without the variable, none. For the CPU it is usable only if it is the stand-in.
NcclFound find_nccl(Backend);

std::string nccl_version_text(int version);  // "2.28.9"

}  // namespace simreel
