#pragma once
// What a decoder must know before the first picture (ITU-T H.264, 7.3.2.1, 7.3.2.2, annexes A and E).

#include <cstdint>
#include <vector>

#include "base/pixels.h"

namespace simreel {

// The lowest level that allows macroblocks, rate and bits of such a video, as level_idc (42: level 4.2), not below 11;
// the highest there is, 62, where they exceed that too. The bits are those that scenes take at this `quality`
// (H264Options) in the mean; those of noise are not known beforehand and do not count.
int h264_level(int macroblocks_x, int macroblocks_y, int fps_numerator, int fps_denominator, int quality);

// Sequence and picture parameter set, each after a start code. `size` is even.
std::vector<std::uint8_t> h264_parameter_sets(Size size, int fps_numerator, int fps_denominator, int quality);

}  // namespace simreel
