#pragma once
// Takes frames and drops them: what a run costs without an encoder. It asks for the pixels a video would take, so that
// drawing, conversion and the copy to the host are part of the time.

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_null(const std::string& target, const OutputOptions&, const StreamInfo&,
                                Opening = Opening::real);

}  // namespace simreel
