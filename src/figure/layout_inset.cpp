#include "figure/layout_attempt.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/raster/field.h"

namespace simreel {

void LayoutAttempt::refuse_inset(const std::string& why) const {
  throw UsageError("{}\"inset\" in [figure] {}", options_.position_of("inset").before(), why);
}

void LayoutAttempt::draw_inset() {
  if (!options_.inset) return;
  if (stage_.bodies > 0) refuse_inset("magnifies a part of a field, and this scene shows bodies; leave it out");
  if (bar_inside()) refuse_inset("and colorbar = \"inside\" both lie over the picture; take another side for the bar");
  if (inside_) refuse_inset("and labels = \"inside\" of the panels both lie over the picture; leave one of them out");
  if (!stage_.figure.keys.empty())
    refuse_inset("says what it magnifies of a picture that stays; leave out [[view.key]]");
  const auto& view = options_.inset->view;
  const auto [first, grid] = space_.window(layout_.field);
  if (view[0] < first[0] || view[1] < first[1] || view[2] > first[0] + grid[0] || view[3] > first[1] + grid[1])
    refuse_inset(fmt::format("shows cells from [{}, {}] to [{}, {}], and {}", view[0], view[1], view[2], view[3],
                             !stage_.figure.within && !stage_.figure.covers
                                 ? fmt::format("the grid has {} x {}", grid[0], grid[1])
                                 : fmt::format("the picture those from [{}, {}] to [{}, {}]", first[0], first[1],
                                               first[0] + grid[0], first[1] + grid[1])));
  const Rectangle f = layout_.field;
  const int margin = px(60), rule = style_.rule;
  const Size room{f.width * 40 / 100, f.height * 45 / 100};
  if (room.width < 16 || room.height < 16) throw Misfit{"inset", "the picture is too small for an inset"};
  const Rectangle fitted = fit_field(view[2] - view[0], view[3] - view[1], room, stage_.cell_aspect);
  const bool left = options_.inset->at == FigureOptions::Inset::At::upper_left ||
                    options_.inset->at == FigureOptions::Inset::At::lower_left;
  const bool upper = options_.inset->at == FigureOptions::Inset::At::upper_left ||
                     options_.inset->at == FigureOptions::Inset::At::upper_right;
  const int x = left ? f.x + margin : f.x + f.width - margin - fitted.width;
  const int y = upper ? f.y + margin : f.y + f.height - margin - fitted.height;
  layout_.inset = Rectangle{x, y, fitted.width, fitted.height};
  add_frame(*layout_.inset, rule);
  // What is magnified.
  const auto across = [&](int cell) { return f.x + rounded_to_int((cell - first[0]) * f.width / grid[0]); };
  const auto down = [&](int cell) { return f.y + f.height - rounded_to_int((cell - first[1]) * f.height / grid[1]); };
  const int x0 = std::max(f.x + rule, across(view[0])), x1 = std::min(f.x + f.width - rule, across(view[2]));
  const int y0 = std::max(f.y + rule, down(view[3])), y1 = std::min(f.y + f.height - rule, down(view[1]));
  add_frame({x0, y0, std::max(1, x1 - x0), std::max(1, y1 - y0)}, rule);
}

void LayoutAttempt::add_frame(const Rectangle& box, int rule) {
  const Color color = line_color(colors_.map);
  const Rectangle o{box.x - rule, box.y - rule, box.width + 2 * rule, box.height + 2 * rule};
  add_box("inset", {o.x, o.y, o.width, rule}, color);
  add_box("inset", {o.x, o.y + o.height - rule, o.width, rule}, color);
  add_box("inset", {o.x, o.y + rule, rule, o.height - 2 * rule}, color);
  add_box("inset", {o.x + o.width - rule, o.y + rule, rule, o.height - 2 * rule}, color);
}

}  // namespace simreel
