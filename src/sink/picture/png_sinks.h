#pragma once
// Pictures: one PNG per frame, or one of the last frame.

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

// "x/%06d.png": the file of each frame appears when it is complete; one thread per core encodes them. Throws UsageError
// if any file of the planned frames exists.
std::unique_ptr<Sink> open_png_sequence(const std::string& target, const OutputOptions&, const StreamInfo&,
                                        Opening = Opening::real);
// "x.png": the last frame, written by `finish`.
std::unique_ptr<Sink> open_png(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);

}  // namespace simreel
