#pragma once
// Discards frames, to measure a run without an encoder. It requests the pixels of a video, so that drawing, conversion
// and the copy to the host are part of the time.

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_null(const std::string& target, const OutputOptions&, const StreamInfo&,
                                Opening = Opening::real);

}  // namespace simreel
