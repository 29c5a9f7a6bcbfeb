#pragma once
// Reads bodies from a file. The first bytes tell which of two formats it has.
//
// CSV: a header with the columns x, y, z, vx, vy, vz, mass and, optionally, group in any order; then one line per body.
// Without z and vz the bodies lie in a plane. Without a header 7 or 8 columns are taken in that order, and 5 as x, y,
// vx, vy and mass, unless a comment before it names them. Semicolons, tabs or blanks may separate columns instead of
// commas; then a comma in a number is a decimal point. Other columns are not read. Remarks tell of all of these.
// A column "name" has the names of the bodies.
// Names and numbers may be in double quotes, and exponents Fortran's (1d0). Columns without a name, in which R and
// pandas write row names, are ignored, and so are blank lines and lines that start with # or %.
//
// Tipsy binary (faculty.washington.edu/trq/hpcc/tools/tipsy): a header of 32 bytes - time as double, then the numbers
// of bodies, dimensions, gas, dark and star particles, and 4 bytes of padding - then gas (48 bytes each), dark (36) and
// star particles (44), each starting with mass, position and velocity, all as floats. Big-endian as in the standard, or
// little-endian as written by programs that dump their structs; the header tells which. Gas is group 0, dark matter 1,
// stars 2.

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "source/nbody/bodies.h"

namespace simreel {

// The valid range of the numbers of a body.
struct BodyLimits {
  double largest;   // of all
  double min_mass;  // above 0
};
inline constexpr BodyLimits float_bodies = {std::numeric_limits<float>::max(), std::numeric_limits<float>::min()};
inline constexpr BodyLimits double_bodies = {1e100, 1e-100};  // cubes of distances stay finite

// Returns at least one body of a plain file (refusal_to_read in base/input_file.h). All numbers are within the limits,
// masses are 0 or more (at least one is more) and groups are from 0 to 255. Otherwise throws UsageError: the path with
// the line (CSV) or byte offset (Tipsy) of the mistake. Appends what was guessed to `remarks`, if there is such a list.
Bodies read_bodies_file(const std::filesystem::path&, const BodyLimits& = float_bodies,
                        std::vector<std::string>* remarks = nullptr);

}  // namespace simreel
