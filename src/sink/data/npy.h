#pragma once
// "x/%06d.npy": the state of each frame as one array in numpy's format 1.0, little-endian, C order, in the precision of
// the solver. Fields are [ny][nx] with row 0 at y = 0; bodies are [n][7] = x, y, z, vx, vy, vz, mass.

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_npy(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);

}  // namespace simreel
