#pragma once
// What of a slot is filled, so that it can be copied and the slot be used again before the picture is coded.

#include <cstddef>
#include <cstring>

#include "kernels/encode/packed.h"

namespace simreel {

// The bytes at the beginning of a finished slot that H264Encoder::packet and is_key read.
inline std::size_t filled_bytes(const std::byte* slot) {
  h264::SlotHead head;
  std::memcpy(&head, slot, sizeof head);
  const std::size_t macroblocks = std::size_t{head.width} * head.height;
  return sizeof head + macroblocks * sizeof(h264::Mode) + std::size_t{head.words} * 4;
}

}  // namespace simreel
