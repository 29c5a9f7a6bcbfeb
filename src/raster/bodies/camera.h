#pragma once
// Where the camera is at each frame, and the lens that goes with it.

#include <cstdint>
#include <vector>

#include "base/pixels.h"
#include "kernels/raster/lens.h"
#include "scene/scene.h"

namespace simreel {

class CameraPath {
 public:
  // Throws UsageError, place first, where the key frames lead through a frame that no camera can take: in its own
  // target, or looking along its up direction.
  CameraPath(const CameraOptions&, const AnimationOptions&);

  // The pose at a frame, already turned around `up` (`orbit` of the result is 0). Every number of a pose goes through
  // the key frames by itself on Steffen's cubic (1990, A&A 239, 443, equations 8 and 11): smooth, never beyond the
  // values of the two keys around it, at rest at the first and last key. The pose of [camera] itself is a key at time 0
  // unless the first key is at 0. `orbit` turns by orbit * frame / frames, so that whole turns make a loop.
  CameraPose pose(std::int64_t frame) const;

  // The pose's projection onto a picture of that size. The same bits on every machine.
  Lens lens(std::int64_t frame, Size) const;

 private:
  double value(std::size_t component, double seconds) const;

  Projection projection_;
  double fps_;
  double frames_;
  std::vector<double> times_;                // of the keys, seconds
  std::vector<std::vector<double>> values_;  // of each component of a pose, one a key
  std::vector<std::vector<double>> slopes_;
};

}  // namespace simreel
