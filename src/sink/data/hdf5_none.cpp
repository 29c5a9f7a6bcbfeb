// In a build without HDF5.

#include "base/error.h"
#include "sink/data/hdf5.h"

namespace simreel {

std::unique_ptr<Sink> open_hdf5(const std::string& target, const OutputOptions&, const StreamInfo&, Opening) {
  throw UsageError("{}: this build has no HDF5; configure with -DSIMREEL_HDF5=ON", target);
}

}  // namespace simreel
