#pragma once
// Projects world space to pixels: the pose of a camera for kernels. Double precision with + - * / fma only, so the bits
// are the same on every machine.

#include <cmath>

#include "kernels/base/launch.h"

namespace simreel {

// A projected point, in pixels from the top left corner of the picture, y downwards; the centre of the first pixel is
// (0.5, 0.5).
struct ScreenPoint {
  double x = 0, y = 0;
  double depth = 0;  // world units along the view direction
  double scale = 0;  // pixels per world unit at this depth

  // Whether the point is in front of the camera; otherwise the other members are meaningless.
  HD bool visible() const { return depth > 0; }
};

struct Lens {
  double origin[3] = {}, right[3] = {}, up[3] = {}, forward[3] = {};  // right, up and forward have length 1
  double scale = 1;                   // pixels per world unit: at depth 1 if perspective, at any depth if orthographic
  double centre_x = 0, centre_y = 0;  // of the picture, pixels
  bool perspective = true;

  HD static double dot(const double (&axis)[3], double x, double y, double z) {
    return std::fma(axis[0], x, std::fma(axis[1], y, axis[2] * z));
  }

  HD ScreenPoint operator()(double x, double y, double z) const {
    x -= origin[0], y -= origin[1], z -= origin[2];
    ScreenPoint point;
    point.depth = dot(forward, x, y, z);
    point.scale = perspective ? scale / point.depth : scale;
    point.x = std::fma(dot(right, x, y, z), point.scale, centre_x);
    point.y = std::fma(-dot(up, x, y, z), point.scale, centre_y);
    return point;
  }
};

}  // namespace simreel
