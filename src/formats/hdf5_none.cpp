// In a build without HDF5.

#include "base/error.h"
#include "formats/array_file.h"

namespace simreel {

std::unique_ptr<ArrayFile> open_hdf5_file(const std::string& path) {
  throw RuntimeError("{}: this build has no HDF5; configure with -DSIMREEL_HDF5=ON", path);
}

}  // namespace simreel
