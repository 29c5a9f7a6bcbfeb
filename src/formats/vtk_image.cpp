#include "formats/vtk_image.h"

#include <algorithm>
#include <cmath>

namespace simreel {
namespace {

constexpr double straight = 1 - 1e-6;

// Along which axis of the world that of an index runs; 3: along none.
std::size_t world_axis(const std::array<double, 9>& direction, std::size_t index) {
  for (std::size_t w = 0; w < 3; ++w)
    if (std::abs(direction[3 * w + index]) > straight) return w;
  return 3;
}

}  // namespace

bool ImageAxes::is_upright() const {
  return world_axis(direction, 0) == 0 && world_axis(direction, 1) == 1 && world_axis(direction, 2) == 2;
}

void ImageAxes::describe(ArrayInfo& array, bool cells, bool always) const {
  const std::size_t axes = std::min<std::size_t>(array.extents.size(), 3);
  ImageAxes plain;
  plain.scales = scales;
  const bool counted = !always && *this == plain;
  std::array<std::size_t, 3> along{};
  for (std::size_t i = 0; i < 3; ++i) along[i] = world_axis(direction, i);
  const bool askew = (1 << along[0] | 1 << along[1] | 1 << along[2]) != 7;  // not each axis of the world once
  array.dimensions.clear();
  array.steps.clear();
  for (std::size_t k = axes; k-- > 0;) {  // x is the last
    const std::size_t w = askew ? k : along[k];
    array.dimensions.push_back(scales + "xyz"[w]);
    const double step = askew ? std::abs(spacing[k]) : std::copysign(1.0, direction[3 * w + k]) * spacing[k];
    const double first = askew ? 0 : origin[w] + step * start[k];
    if (!counted) array.steps.push_back({first + (cells ? step / 2 : 0), step});
  }
  if (array.extents.size() == 4) array.dimensions.emplace_back("components");
  if (array.extents.size() == 4 && !counted) array.steps.push_back({0, 0});
}

}  // namespace simreel
