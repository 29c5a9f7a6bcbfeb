#pragma once
// The diagnostics as text: a header with their names, then one row a frame. Numbers are written with as many digits as
// it takes to read the same double back, whole ones without a fraction.

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_csv(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);

}  // namespace simreel
