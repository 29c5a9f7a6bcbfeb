#pragma once
// Discards frames, to measure the simulation alone. It requests no pixels, so nothing is drawn for it; x.hashes
// measures drawing as well.

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_null(const std::string& target, const OutputOptions&, const StreamInfo&,
                                Opening = Opening::real);

}  // namespace simreel
