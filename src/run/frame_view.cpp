#include "run/frame_view.h"

namespace simreel {

Interval FrameView::measure(std::int64_t frame) {
  DividedFields* const divided = source_.divided();
  if (!divided) return rasterizer_.measure(source_.view(plan_.field), frame);
  const auto [low, high] = divided->extremes(plan_.field);
  return {low, high};
}

Spread FrameView::measure_spread() {
  DividedFields* const divided = source_.divided();
  return divided ? divided->spread(plan_.field) : rasterizer_.measure_spread(source_.view(plan_.field));
}

void FrameView::draw(const View& view, std::int64_t frame) {
  DividedFields* const divided = source_.divided();
  const std::optional<FieldPicture> picture = divided ? rasterizer_.divided_picture() : std::nullopt;
  if (!picture) return rasterizer_.draw(view, frame);
  divided->set_colors(rasterizer_.colors());
  rasterizer_.put(divided->draw(plan_.field, *picture));
}

}  // namespace simreel
