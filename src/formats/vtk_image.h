#pragma once
// Where the points of VTK's images lie: origin + direction * (spacing * index).

#include <array>
#include <string>
#include <string_view>

#include "formats/array_file.h"

namespace simreel {

// How the time of an image is asked for with ArrayFile::attribute.
inline constexpr std::string_view file_time = "TimeValue";
// What follows the kind of data that is no image.
inline constexpr std::string_view not_a_mesh =
    "; simreel reads ImageData and RectilinearGrid: in ParaView the filter Resample To Image makes one of a mesh, "
    "saved as .vti";

struct ImageAxes {
  std::array<double, 3> origin{}, spacing = {1, 1, 1};
  std::array<double, 9> direction = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // rows of a matrix
  std::array<double, 3> start{};                                  // the index of the first point
  std::string
      scales;  // what the names of arrays with the coordinates begin with, "/coordinates/"; empty: there are none

  bool operator==(const ImageAxes&) const = default;
  bool is_upright() const;  // whether x, y and z of the index run along those of the world, in either direction

  // Names the axes of an array of points or of cells after those of the world along which they run, and gives their
  // steps, unless all is 0 and 1, which counts points. An image that is not aligned keeps its own axes, from its
  // corner. The extents are those of z, y, x, the first of which may be left out, and of components in a fourth.
  // `always`: gives them also then.
  void describe(ArrayInfo&, bool cells, bool always = false) const;
};

}  // namespace simreel
