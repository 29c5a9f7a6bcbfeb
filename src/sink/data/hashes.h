#pragma once
// One line a frame: its index, a space, and 16 hexadecimal digits. They are XXH3_64bits with seed 0 over the frame's
// RGB bytes: three bytes a pixel, rows from the top, no padding. `xxhsum -H3` prints the same digits for those bytes,
// for example for what `ffmpeg -i 000000.png -f rawvideo -pix_fmt rgb24 -` writes of an opaque picture.

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
