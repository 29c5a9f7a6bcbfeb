#pragma once
// The true shapes of solid cells, which a picture larger than the grid shows instead of the cells.

#include <cstddef>
#include <functional>
#include <vector>

namespace simreel {

// Shapes in cells: integer coordinates are centres of cells, x points right and y up. They may overlap.
struct Outline {
  struct Span {
    double low, high;
  };
  struct Shape {
    double bottom, top;  // no line outside of these meets the shape
    // Appends the parts of x that the shape covers on the line at y, in any order, for bottom <= y <= top.
    std::function<void(double y, std::vector<Span>&)> cut;
  };
  std::vector<Shape> shapes;
  std::size_t bytes = 0;  // host memory that `cut` of all shapes refers to, about
};

}  // namespace simreel
