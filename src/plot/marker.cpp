#include "plot/marker.h"

namespace simreel {

Shape marker_shape(std::size_t index, Spot at, std::int32_t r, Color color) {
  Shape shape;
  shape.color = color;
  const auto add = [&](std::int32_t dx, std::int32_t dy) { shape.points.push_back({at.x + dx, at.y + dy}); };
  switch (index % 4) {
    case 0: {
      constexpr std::int32_t c[] = {1024, 946, 724, 392, 0};  // of a sixteenth of a circle of radius 1024
      for (int i = 0; i < 16; ++i) {
        const std::int32_t u = c[i % 4] * r / 1024, v = c[4 - i % 4] * r / 1024;
        const std::int32_t turned[4][2] = {{u, v}, {-v, u}, {-u, -v}, {v, -u}};
        add(turned[i / 4][0], turned[i / 4][1]);
      }
      break;
    }
    case 1:
      add(-r * 9 / 10, -r * 9 / 10), add(r * 9 / 10, -r * 9 / 10), add(r * 9 / 10, r * 9 / 10),
          add(-r * 9 / 10, r * 9 / 10);
      break;
    case 2: add(0, -r * 12 / 10), add(r * 11 / 10, r * 8 / 10), add(-r * 11 / 10, r * 8 / 10); break;
    default: add(0, -r * 13 / 10), add(r * 13 / 10, 0), add(0, r * 13 / 10), add(-r * 13 / 10, 0); break;
  }
  return shape;
}

}  // namespace simreel
