#pragma once
// Bodies from a file. Which of the two formats it has shows in its first bytes.
//
// CSV: a header that names the columns x, y, z, vx, vy, vz and mass, and group where there is one, in any order; then a
// line a body. Names and numbers may stand in double quotes, and a first column without a name, in which R and pandas
// write the names of rows, does not count; nor do blank lines and those that begin with #.
//
// Tipsy binary (faculty.washington.edu/trq/hpcc/tools/tipsy): a header of 32 bytes - time as double, then the numbers
// of bodies, dimensions, gas, dark and star particles, and 4 bytes of padding - then gas (48 bytes each), dark (36) and
// star particles (44), mass, position and velocity first in each, all as floats. Big-endian as the standard says, or
// little-endian as programs that write their structs as they are leave it; the header tells which. Gas is group 0, dark
// matter 1, stars 2.

#include <filesystem>
#include <limits>

#include "source/nbody/bodies.h"

namespace simreel {

// What the numbers of a body may be.
struct BodyLimits {
  double largest;     // of all
  double least_mass;  // above 0
};
inline constexpr BodyLimits float_bodies = {std::numeric_limits<float>::max(), std::numeric_limits<float>::min()};
inline constexpr BodyLimits double_bodies = {1e100, 1e-100};  // cubes of distances are finite

// At least one body, each with numbers within the limits, a mass of 0 or more, of one at least more, and a group from 0
// to 255. Throws UsageError: the path with the line (CSV) or with the byte offset (Tipsy) where it is wrong.
Bodies read_bodies_file(const std::filesystem::path&, const BodyLimits& = float_bodies);

}  // namespace simreel
