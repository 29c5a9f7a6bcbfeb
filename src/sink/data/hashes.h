#pragma once
// One line per frame: its index, a space, and 16 hexadecimal digits, which are XXH3_64bits with seed 0 of the frame's
// RGB bytes: three bytes per pixel, rows from the top, no padding. `xxhsum -H3` prints the same digits for those bytes,
// for example for the output of `ffmpeg -i 000000.png -f rawvideo -pix_fmt rgb24 -` if the picture is opaque.

#include <cstddef>
#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

// The digits of one frame in the layout `rgb`.
std::string hash_digits(const std::byte* rgb, Size);

std::unique_ptr<Sink> open_hashes(const std::string& target, const OutputOptions&, const StreamInfo&,
                                  Opening = Opening::real);

}  // namespace simreel
