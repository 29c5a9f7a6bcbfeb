#include "figure/page.h"

#include <algorithm>

namespace simreel {

void move(Mark& mark, int x, int y) {
  const auto shift = [&](Spot& spot) { spot.x += x * fine, spot.y += y * fine; };
  if (auto* shape = std::get_if<Shape>(&mark.what)) std::ranges::for_each(shape->points, shift);
  if (auto* label = std::get_if<Label>(&mark.what)) shift(label->origin);
  if (auto* image = std::get_if<Image>(&mark.what)) image->place.x += x, image->place.y += y;
}

void move(Page& page, int x, int y) {
  const auto shift = [&](Rectangle& place) { place.x += x, place.y += y; };
  constexpr int path_units = 256;  // in a pixel
  shift(page.field);
  if (page.hole) shift(*page.hole);
  for (Stroke& stroke : page.lines)
    for (Path::Point& point : stroke.points) point.x += x * path_units, point.y += y * path_units;
  for (Mark& mark : page.marks) move(mark, x, y);
}

}  // namespace simreel
