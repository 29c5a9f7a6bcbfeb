#pragma once
// Coordinates of the cells of a field, for the axes of figures.

#include <array>
#include <optional>
#include <string>

namespace simreel {

// The coordinates of a grid along x or y, where its source knows them.
struct GridAxis {
  double first = 0, step = 1;  // of the centre of the first cell, and from one to the next, > 0
  std::string name, unit;
};
using GridAxes = std::array<std::optional<GridAxis>, 2>;

}  // namespace simreel
