#pragma once
// "x/%06d.h5": the state of each frame as VTKHDF 1.0, which ParaView, VTK and h5py open (VTK from 9.2.7 on, ParaView
// from 5.12 on: the reader of older ones writes beyond its own array for every ImageData that is flat, however it is
// stored; they read bodies). Values have the
// precision that was computed and carry Fletcher's checksums.
//   A field is ImageData whose points are the cells, a unit apart: /VTKHDF/PointData/NAME [ny][nx], row 0 at y = 0;
//   solid cells are NaN. Bodies are an UnstructuredGrid of vertices: /VTKHDF/Points [n][3], and in PointData velocity
//   [n][3], mass [n] and, where bodies have one, group [n].
// The file and the group /VTKHDF have attributes: step, time (simulated), title, scene, overrides, version.

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_hdf5(const std::string& target, const OutputOptions&, const StreamInfo&,
                                Opening = Opening::real);

}  // namespace simreel
