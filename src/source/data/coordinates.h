#pragma once
// Where the entries of an axis lie in a picture. It rises to the right and upwards, whatever their order in the file.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "source/data/options.h"

namespace simreel {

struct PlacedAxis {
  double first = 0, step = 1;        // of the cells of the picture; step > 0, and the median where they are uneven
  bool even = true;                  // whether first and step tell where all of them are
  bool falls = false;                // in the file
  std::vector<std::uint32_t> order;  // of each cell the entry of the file; empty: as they are
  std::vector<std::string> notes;    // what was done: "falls in the file"
};

// `at`: the coordinates in the file. `rounding`: the error of one. `turns`: they are degrees of longitude, which repeat
// after 360. `dates`: they count from a date. Nullopt if all are equal, as of an axis without coordinates.
// Throws RuntimeError, without a place, for coordinates that neither rise nor fall.
std::optional<PlacedAxis> place_axis(std::vector<double> at, double rounding, bool turns, bool dates,
                                     const DataOptions&);

// "vorticity" of "/fields/vorticity".
std::string last_part(const std::string& name);

// As a figure writes it: NetCDF's names of units of longitude and latitude, and no mathematics.
std::string for_figure(const std::string& text);

}  // namespace simreel
