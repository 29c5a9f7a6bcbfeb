#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "figure/figure.h"
#include "figure/layout_attempt.h"
#include "kernels/raster/field.h"

namespace simreel {

using At = FigureOptions::Inset::At;

void LayoutAttempt::refuse_inset(const std::string& why) const {
  throw UsageError("{}\"inset\" in [figure] {}", options_.position_of("inset").before(), why);
}

// The part that is magnified, y upwards.
Rectangle LayoutAttempt::inset_cells() const {
  const auto [first, grid] = space_.window(layout_.field);
  std::array<int, 4> view = options_.inset->view;
  if (const auto& box = options_.inset->box) {
    const std::array<AxisRange, 2> axes = {space_.x(layout_.field), space_.y(layout_.field)};
    for (std::size_t i = 0; i < 4; ++i) {
      const AxisRange& axis = axes[i % 2];
      if (!((*box)[i] >= axis.low && (*box)[i] <= axis.high))
        refuse_inset(fmt::format("shows {} from {} to {}, and the picture has those from {:.6g} to {:.6g}",
                                 i % 2 == 0 ? "x" : "y", (*box)[i % 2], (*box)[i % 2 + 2], axis.low, axis.high));
      constexpr double rounding = 1e-6;  // whole cells that hold it
      const double cell = first[i % 2] + axis.place((*box)[i]) * grid[i % 2];
      view[i] = static_cast<int>(i < 2 ? std::floor(cell + rounding) : std::ceil(cell - rounding));
    }
    for (const std::size_t i : {0, 1}) view[i + 2] = std::max(view[i + 2], view[i] + 2);  // of fewer nothing is seen
  }
  if (view[0] < first[0] || view[1] < first[1] || view[2] > first[0] + grid[0] || view[3] > first[1] + grid[1])
    refuse_inset(fmt::format("shows cells from [{}, {}] to [{}, {}], and {}", view[0], view[1], view[2], view[3],
                             !stage_.figure.within && !stage_.figure.covers
                                 ? fmt::format("the grid has {} x {}", grid[0], grid[1])
                                 : fmt::format("the picture those from [{}, {}] to [{}, {}]", first[0], first[1],
                                               first[0] + grid[0], first[1] + grid[1])));
  return {view[0], view[1], view[2] - view[0], view[3] - view[1]};
}

void LayoutAttempt::draw_inset() {
  if (!options_.inset) return;
  if (stage_.bodies > 0) refuse_inset("magnifies a part of a field, and this scene shows bodies; leave it out");
  if (bar_inside()) refuse_inset("and colorbar = \"inside\" both lie over the picture; take another side for the bar");
  if (inside_) refuse_inset("and labels = \"inside\" of the panels both lie over the picture; leave one of them out");
  if (!stage_.figure.keys.empty())
    refuse_inset("says what it magnifies of a picture that stays; leave out [[view.key]]");
  const Rectangle cells = layout_.inset_cells = inset_cells(), f = layout_.field;
  const auto [first, grid] = space_.window(f);
  const bool ticks = options_.inset->axes == FigureOptions::Inset::Axes::ticks;
  const int margin = px(ticks ? 100 : 60), rule = style_.rule;
  const Size room = Figure::largest_inset({f.width, f.height});
  if (room.width < 16 || room.height < 16) throw Misfit{"inset", "the picture is too small for an inset"};
  const Rectangle fitted = fit_field(cells.width, cells.height, room, stage_.cell_aspect);
  const std::array<Ticks, 2> places = ticks ? inset_ticks({fitted.width, fitted.height}) : std::array<Ticks, 2>();
  const int beside = ticks ? rule + px(60) + widest(places[1]) : 0, below = ticks ? rule + px(75) + style_.capital : 0;
  const At at = options_.inset->at;
  const bool left = at == At::upper_left || at == At::lower_left, upper = at == At::upper_left || at == At::upper_right;
  const int x = left ? f.x + margin + beside : f.x + f.width - margin - fitted.width;
  const int y = upper ? f.y + margin : f.y + f.height - margin - fitted.height - below;
  const Rectangle inset{x, y, fitted.width, fitted.height};
  if (inset.x - beside < f.x || inset.y + inset.height + below > f.y + f.height)
    throw Misfit{"inset", "the picture is too small for an inset with ticks"};
  layout_.inset = inset;
  // What is magnified.
  const auto across = [&](int cell) { return f.x + rounded_to_int((cell - first[0]) * f.width / grid[0]); };
  const auto down = [&](int cell) { return f.y + f.height - rounded_to_int((cell - first[1]) * f.height / grid[1]); };
  const int x0 = std::max(f.x + rule, across(cells.x)),
            x1 = std::min(f.x + f.width - rule, across(cells.x + cells.width));
  const int y0 = std::max(f.y + rule, down(cells.y + cells.height)),
            y1 = std::min(f.y + f.height - rule, down(cells.y));
  const Rectangle part{x0, y0, std::max(1, x1 - x0), std::max(1, y1 - y0)};
  if (options_.inset->connect) connect(part, inset);
  if (ticks) draw_inset_ticks(places);
  add_frame(inset, rule);
  add_frame(part, rule);
}

void LayoutAttempt::add_frame(const Rectangle& box, int rule) {
  const Color color = line_color(colors_.map);
  const Rectangle o{box.x - rule, box.y - rule, box.width + 2 * rule, box.height + 2 * rule};
  add_box("inset", {o.x, o.y, o.width, rule}, color);
  add_box("inset", {o.x, o.y + o.height - rule, o.width, rule}, color);
  add_box("inset", {o.x, o.y + rule, rule, o.height - 2 * rule}, color);
  add_box("inset", {o.x + o.width - rule, o.y + rule, rule, o.height - 2 * rule}, color);
}

void LayoutAttempt::connect(const Rectangle& part, const Rectangle& inset) {
  const auto corner = [](const Rectangle& box, int i) {
    return std::array<double, 2>{box.x + (i % 2) * 1.0 * box.width, box.y + (i / 2) * 1.0 * box.height};
  };
  // Whether a line goes through the inside of a box: of its middle parts some point does.
  const auto enters = [](const std::array<double, 2>& from, const std::array<double, 2>& to, const Rectangle& box) {
    constexpr int parts = 256;
    for (int i = 1; i < parts; ++i) {
      const double t = static_cast<double>(i) / parts, x = from[0] + (to[0] - from[0]) * t,
                   y = from[1] + (to[1] - from[1]) * t;
      if (x > box.x + 0.5 && x < box.x + box.width - 0.5 && y > box.y + 0.5 && y < box.y + box.height - 0.5)
        return true;
    }
    return false;
  };
  for (int i = 0; i < 4; ++i) {
    const auto from = corner(part, i), to = corner(inset, i);
    if (enters(from, to, part) || enters(from, to, inset)) continue;
    const auto spot = [](const std::array<double, 2>& at) {
      return Spot{rounded_to_int(at[0] * fine), rounded_to_int(at[1] * fine)};
    };
    layout_.marks.push_back(
        {"inset", Shape{{spot(from), spot(to)}, false, style_.rule * fine, line_color(colors_.map)}});
  }
}

// With their whole numbers: what the axes of the picture share need not be what these share.
std::array<Ticks, 2> LayoutAttempt::inset_ticks(Size inset) const {
  const auto [first, grid] = space_.window(layout_.field);
  const Rectangle& cells = layout_.inset_cells;
  const auto part = [](AxisRange axis, double from, double to) {
    const double low = axis.low, reach = axis.high - axis.low;
    axis.low = low + reach * from, axis.high = low + reach * to;
    return axis;
  };
  const std::array<AxisRange, 2> ranges = {
      part(space_.x(layout_.field), (cells.x - first[0]) / grid[0], (cells.x + cells.width - first[0]) / grid[0]),
      part(space_.y(layout_.field), (cells.y - first[1]) / grid[1], (cells.y + cells.height - first[1]) / grid[1])};
  const std::array<TickRoom, 2> rooms = {TickRoom{static_cast<double>(inset.width), static_cast<double>(px(60)),
                                                  std::clamp(inset.width / px(400), 2, 4), 2},
                                         TickRoom{static_cast<double>(inset.height), static_cast<double>(px(40)),
                                                  std::clamp(inset.height / px(300), 2, 4), 2}};
  const std::array<LabelExtent, 2> extents = {
      [&](const std::string& label) { return static_cast<double>(width_of(label)); },
      [&](const std::string&) { return static_cast<double>(px(80)); }};
  std::array<Ticks, 2> both;
  for (const std::size_t i : {0, 1}) {
    both[i] = find_ticks(ranges[i], rooms[i], extents[i]);
    if (both[i].factor == 0 && both[i].offset.digits == 0) continue;
    std::vector<double> values;
    for (const Tick& tick : both[i].ticks) values.push_back(tick.value);
    const std::vector<std::string> texts = number_texts(values);
    for (std::size_t k = 0; k < texts.size(); ++k) both[i].ticks[k].label = texts[k];
  }
  return both;
}

void LayoutAttempt::draw_inset_ticks(const std::array<Ticks, 2>& ticks) {
  const Rectangle& in = *layout_.inset;
  const int rule = style_.rule, length = px(20), gap = px(20), cap = style_.capital;
  const int beside = rule + px(60) + widest(ticks[1]), below = rule + px(75) + cap;
  int over = 0;  // how far the numbers below reach beyond the right end
  for (const Tick& tick : ticks[0].ticks)
    over = std::max(over, rounded_to_int(tick.place * in.width) + width_of(tick.label) / 2 + px(15) - in.width);
  add_box("inset", {in.x - beside, in.y - px(20), beside, in.height + px(20) + below}, plates_.plate);
  add_box("inset", {in.x, in.y + in.height, in.width + std::max(over, rule), below}, plates_.plate);
  for (const Tick& tick : ticks[0].ticks) {
    const int at = in.x + rounded_to_int(tick.place * in.width) - rule / 2;
    add_box("inset", {at, in.y + in.height + rule, rule, length}, plates_.ink);
    const GlyphRun run = number(tick.label);
    add_text("inset", run, at + rule / 2 - pixels_of(run.width) / 2, in.y + in.height + rule + length + gap + cap,
             plates_.ink, false, 0.5);
  }
  for (const Tick& tick : ticks[1].ticks) {
    const int at = in.y + in.height - rounded_to_int(tick.place * in.height) - rule / 2;
    add_box("inset", {in.x - rule - length, at, length, rule}, plates_.ink);
    const GlyphRun run = number(tick.label);
    add_text("inset", run, in.x - rule - length - gap - pixels_of(run.width), at + rule / 2 + cap / 2, plates_.ink,
             false, 1);
  }
}

}  // namespace simreel
