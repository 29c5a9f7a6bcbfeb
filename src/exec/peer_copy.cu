#include <algorithm>
#include <cstdint>

#include "exec/cuda_check.h"
#include "exec/peers.h"

namespace simreel {
namespace {

struct Batch {
  static constexpr int max = 48;  // the parameters of a kernel have 4 KiB
  RowCopy copies[max];
};

// Threads take units of 16, 4 or 1 bytes, whatever all addresses and sizes of a copy are multiples of.
template <class Unit>
__device__ void copy_units(const RowCopy& copy) {
  const std::size_t units = copy.bytes / sizeof(Unit), all = units * copy.count;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all; i += threads) {
    const std::size_t row = copy.count == 1 ? 0 : i / units, at = i - row * units;
    auto* const to = static_cast<unsigned char*>(copy.to) + row * copy.to_stride;
    const auto* const from = static_cast<const unsigned char*>(copy.from) + row * copy.from_stride;
    reinterpret_cast<Unit*>(to)[at] = reinterpret_cast<const Unit*>(from)[at];
  }
}

__global__ void copy_batch(const __grid_constant__ Batch batch) {
  const RowCopy& copy = batch.copies[blockIdx.y];
  const std::uintptr_t all = reinterpret_cast<std::uintptr_t>(copy.to) | reinterpret_cast<std::uintptr_t>(copy.from) |
                             copy.bytes | (copy.count == 1 ? 0 : copy.to_stride | copy.from_stride);
  if (all % sizeof(uint4) == 0)
    copy_units<uint4>(copy);
  else if (all % sizeof(std::uint32_t) == 0)
    copy_units<std::uint32_t>(copy);
  else
    copy_units<unsigned char>(copy);
}

}  // namespace

void copy_by_kernel(const Executor& executor, std::span<const RowCopy> copies) {
  constexpr unsigned threads = 256, max_blocks = 64;  // of a copy: enough loads at once to fill a link
  while (!copies.empty()) {
    const std::span<const RowCopy> now = copies.first(std::min<std::size_t>(copies.size(), Batch::max));
    copies = copies.subspan(now.size());
    Batch batch{};
    std::size_t longest = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      batch.copies[i] = now[i];
      longest = std::max(longest, now[i].bytes * now[i].count);
    }
    const std::size_t wanted = longest / (threads * sizeof(uint4)) + 1;
    const dim3 blocks(static_cast<unsigned>(std::min<std::size_t>(wanted, max_blocks)),
                      static_cast<unsigned>(now.size()));
    copy_batch<<<blocks, threads, 0, executor.stream()>>>(batch);
    check_launch("copy between GPUs");
  }
}

}  // namespace simreel
