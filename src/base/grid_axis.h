#pragma once
// Coordinates of the cells of a field, for the axes of figures.

#include <array>
#include <optional>
#include <string>

namespace simreel {

// A grid along x or y, where its source knows more than the number of cells.
struct GridAxis {
  double first = 0, step = 1;  // of the centre of the first cell, and from one to the next, > 0
  std::string name, unit;      // "\u00B0E" and "\u00B0N": longitude and latitude
  bool counted = false;        // only the name is known, and cells are counted
  std::string calendar = {};   // of a unit that counts from a date, as parse_cf_time takes it
};
using GridAxes = std::array<std::optional<GridAxis>, 2>;

}  // namespace simreel
