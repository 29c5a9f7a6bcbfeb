#pragma once
// Raw 4:2:0 video for a pipe or a file (YUV4MPEG2): a text header, then each frame's planes behind a line "FRAME".

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

// "x.y4m", or "-" for the standard output. The size of a file is known to the byte, so a file system without the room
// for it is a UsageError.
std::unique_ptr<Sink> open_y4m(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);

}  // namespace simreel
