#pragma once
// The diagnostics as text: a header with their names, then one row per frame. Numbers have as many digits as are needed
// to read back the same double, integers no fraction.

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_csv(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);

}  // namespace simreel
