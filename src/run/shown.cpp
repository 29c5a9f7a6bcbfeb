#include "run/shown.h"

namespace simreel {

Interval Shown::measure(std::int64_t frame) {
  DividedFields* const divided = source_.divided();
  if (!divided) return rasterizer_.measure(source_.view(plan_.field), frame);
  const auto [low, high] = divided->extremes(plan_.field);
  return {low, high};
}

Spread Shown::measure_spread() {
  DividedFields* const divided = source_.divided();
  return divided ? divided->spread(plan_.field) : rasterizer_.measure_spread(source_.view(plan_.field));
}

void Shown::draw(std::int64_t frame) {
  DividedFields* const divided = source_.divided();
  const std::optional<Size> pixels = rasterizer_.means_size();
  if (divided && pixels) return rasterizer_.draw(divided->means(plan_.field, *pixels, rasterizer_.means_offset()));
  rasterizer_.draw(source_.view(plan_.field), frame);
}

}  // namespace simreel
