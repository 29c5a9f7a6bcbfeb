#pragma once
// StreamInfo::frames of a stream whose length nobody knows.

#include <cstdint>

namespace simreel {

inline constexpr std::int64_t endless_frames = 1'000'000'000;

}  // namespace simreel
