#include "source/data/pose.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace simreel {

CameraPose pose_for(const std::vector<Vec4<double>>& positions) {
  std::array<double, 3> low, high;
  low.fill(1e300), high.fill(-1e300);
  for (const Vec4<double>& p : positions) {
    const double at[] = {p.x, p.y, p.z};
    for (std::size_t i = 0; i < 3; ++i) low[i] = std::min(low[i], at[i]), high[i] = std::max(high[i], at[i]);
  }
  CameraPose pose;
  double reach = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    pose.target[i] = (low[i] + high[i]) / 2;
    reach = std::max(reach, (high[i] - low[i]) / 2);
  }
  if (!(reach > 0)) reach = 1;
  pose.extent = 1.05 * reach;
  constexpr double tangent = 0.41421356237309503;  // of half of the usual angle of view, 45 degrees
  const double half_depth = (high[2] - low[2]) / 2;
  pose.position = {pose.target[0], pose.target[1], pose.target[2] + half_depth + pose.extent / tangent};
  return pose;
}

}  // namespace simreel
