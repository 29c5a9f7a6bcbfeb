#pragma once
// "x/%06d.h5", "x.h5": the state of each frame, or of the last, as VTKHDF 1.0, which ParaView, VTK and h5py open (VTK
// from 9.2.7 on, ParaView from 5.12 on; older readers write beyond their own array for every flat ImageData, but read
// bodies). Values have the precision of the solver and carry Fletcher checksums.
//   Fields are an ImageData whose points are the cells, one unit apart from 0 on, or where their coordinates are:
//   /VTKHDF/PointData/NAME [ny][nx], the lowest row first, for each name in StreamInfo::fields; solid cells are NaN.
//   Coordinates are also dimension scales, as NetCDF's: /lon, /lat.
//   Bodies are an UnstructuredGrid of vertices: /VTKHDF/Points [n][3], and in PointData velocity [n][3], mass [n] and,
//   where bodies have one, group [n].
// The file and the group /VTKHDF have attributes: step, time (simulated), title, scene, overrides, version.

#include <memory>
#include <string>

#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_hdf5(const std::string& target, const OutputOptions&, const StreamInfo&,
                                Opening = Opening::real);

}  // namespace simreel
