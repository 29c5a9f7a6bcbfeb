#pragma once
// "x/%06d.npz", "x.npz": the state of each frame, or of the last, as numpy's archive of arrays, stored without
// compression, which numpy.load opens. Of fields [ny][nx] each, row 0 at y = 0, under its name; of bodies position
// [n][3], velocity [n][3], mass [n] and, where bodies have one, group [n]. Values have the precision that was computed.
// Equal runs give equal bytes.

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_npz(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);

}  // namespace simreel
