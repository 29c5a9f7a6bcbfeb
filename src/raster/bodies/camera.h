#pragma once
// The pose and the lens of the camera at each frame.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/pixels.h"
#include "kernels/raster/lens.h"
#include "kernels/raster/splat.h"
#include "scene/scene.h"

namespace simreel {

// Whether something holds in a frame of [first, end): of many, `most` in equal distances are tried.
template <class Holds>
bool any_frame(std::int64_t first, std::int64_t end, std::int64_t most, const Holds& holds) {
  const std::int64_t frames = end - first, tried = std::min(frames, most);
  const double apart = static_cast<double>(frames) / static_cast<double>(most);
  for (std::int64_t i = 0; i < tried; ++i)
    if (holds(first + (frames <= most ? i : static_cast<std::int64_t>(static_cast<double>(i) * apart)))) return true;
  return false;
}
// Of a camera.
inline constexpr std::int64_t most_frames = 1 << 16;

class CameraPath {
 public:
  // Throws UsageError, starting with the place, if the key frames lead to an invalid pose at a frame: the camera at its
  // target, or looking along its up direction. Of a long video most_frames are tried.
  CameraPath(const CameraOptions&, const AnimationOptions&);

  // The pose at a frame, already turned around `up` (`orbit` of the result is 0). Each number of a pose is interpolated
  // separately by Steffen's monotone cubic (1990, A&A 239, 443, equations 8 and 11): smooth, never outside the interval
  // of the two keys around it, at rest at the first and last key. The pose of [camera] is a key at time 0 unless the
  // first key is at 0. `orbit` turns by orbit * frame / frames, so that whole turns make a loop.
  CameraPose pose(std::int64_t frame) const;

  // The pose's projection onto a picture of that size, for bodies measured as the pose, or with the pose
  // measured from `origin`. The same bits on every machine.
  Lens lens(std::int64_t frame, Size, const Vec4<double>& origin = {}) const;

 private:
  double value(std::size_t component, double seconds) const;

  Projection projection_;
  double fps_;
  double frames_;
  std::vector<double> times_;                // of the keys, seconds
  std::vector<std::vector<double>> values_;  // for each component of a pose, one value per key
  std::vector<std::vector<double>> slopes_;
};

// Along what the bodies have to be measured (find_reach) for a camera of this pose that is moved, without turning it,
// to where its picture holds all of them.
Directions directions_of(const CameraPose&, Projection, Size);
// That camera. Where the bodies have no extent, or there is none, it keeps its distance. `aimed`: it keeps its target,
// and moves along the view only.
CameraPose fitted(const CameraPose&, Projection, Size, const Reach&, bool aimed);

}  // namespace simreel
