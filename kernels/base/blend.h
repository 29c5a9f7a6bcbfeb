#pragma once
// A colour over another one.

#include "base/pixels.h"
#include "kernels/base/launch.h"

namespace simreel {

// `color` blended over `background`, both with straight alpha; rounded to nearest.
HD inline Color blend(Color color, Color background) {
  const int front = 255 * color.a, back = background.a * (255 - color.a), alpha = front + back;  // of 255 * 255
  if (alpha == 0) return {0, 0, 0, 0};
  const auto mix = [&](int a, int b) { return static_cast<std::uint8_t>((a * front + b * back + alpha / 2) / alpha); };
  return {mix(color.r, background.r), mix(color.g, background.g), mix(color.b, background.b),
          static_cast<std::uint8_t>((alpha + 127) / 255)};
}

}  // namespace simreel
