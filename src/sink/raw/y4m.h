#pragma once
// Raw 4:2:0 video for a pipe or a file (YUV4MPEG2): a text header, then the planes of each frame after a line "FRAME".

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

// "x.y4m", or "-" for the standard output. The exact size of a file is known in advance, so too little free space is a
// UsageError.
std::unique_ptr<Sink> open_y4m(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);

}  // namespace simreel
