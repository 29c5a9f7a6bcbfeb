#pragma once
// "x/%06d.npy": the state of each frame as one array of numpy's format 1.0, little-endian, C order, in the precision
// that was computed. Of a field [ny][nx] with row 0 at y = 0; of bodies [n][7] = x, y, z, vx, vy, vz, mass.

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_npy(const std::string& target, const OutputOptions&, const StreamInfo&,
                               Opening = Opening::real);

}  // namespace simreel
