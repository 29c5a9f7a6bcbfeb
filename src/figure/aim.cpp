#include "figure/aim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "figure/space.h"
#include "kernels/base/axis_samples.h"

namespace simreel {
namespace {

std::string reach(const std::array<AxisRange, 2>& axes) {
  const auto ends = [](const AxisRange& axis) {
    return fmt::format("{}", fmt::join(told_apart(axis.low, axis.high), " to "));
  };
  return fmt::format("x from {} and y from {}", ends(axes[0]), ends(axes[1]));
}

// Places in the units of the axes -> cells of the part of the grid that the stage shows.
class Places {
 public:
  mutable std::vector<std::string> remarks;  // on parts that were moved

  explicit Places(const DrawContext& stage) : stage_(stage.figure) {
    const FigureSpace space(stage);
    axes_ = {space.x({}), space.y({})};
  }

  // Rounded to what AxisPart can name.
  double cell(std::size_t axis, double at) const {
    const auto& [low, high] = std::array{axes_[axis].low, axes_[axis].high};
    return std::round((at - low) / (high - low) * stage_.grid[axis] * AxisPart::max_parts) / AxisPart::max_parts;
  }
  bool is_there(std::size_t axis, double cell) const { return cell >= 0 && cell <= stage_.grid[axis]; }

  std::string in_words() const {
    return fmt::format("the picture shows {}{}", reach(axes_),
                       stage_.within ? ", and with layers = true the absorbing layers, too" : "");
  }

  // Of a part that reaches beyond the field, as much, moved into it.
  FieldWindow window(const std::array<double, 4>& part, const char* table, const Position& position) const {
    const std::string given =
        fmt::format("{}\"crop\" in {} is [{}], ", position.before(), table, fmt::join(part, ", "));
    FieldWindow window;
    bool all_there = true;
    for (std::size_t i = 0; i < 2; ++i) {
      const double low = cell(i, part[i]), high = cell(i, part[i + 2]), all = stage_.grid[i];
      if (!(low < high))
        throw UsageError("{}but left comes before right, and bottom before top; {}", given, in_words());
      if (!(low < all && high > 0)) throw UsageError("{}of which nothing is there; {}", given, in_words());
      if (high - low < 1) throw UsageError("{}which is less than a cell of the grid", given);
      all_there = all_there && is_there(i, low) && is_there(i, high);
      const double count = std::min(high - low, all);
      window.first[i] = stage_.first[i] + std::clamp(low, 0.0, all - count), window.count[i] = count;
    }
    if (!all_there)
      remarks.push_back(fmt::format("{}which reaches beyond the field, {}, and is moved into it{}", given, reach(axes_),
                                    stage_.within ? "; layers = true shows the absorbing layers, too" : ""));
    return window;
  }

  FieldWindow window(const ViewKey& key) const {
    if (key.crop) return window(*key.crop, "[[view.key]]", key.position);
    const std::array<double, 2>& center = *key.center;
    const double x = cell(0, center[0]), y = cell(1, center[1]);
    if (!is_there(0, x) || !is_there(1, y))
      throw UsageError("{}\"center\" in [[view.key]] is [{}], which is not there; {}", key.position.before(),
                       fmt::join(center, ", "), in_words());
    const double count = cell(0, center[0] + key.width) - x;
    if (!(count >= 1 && count <= stage_.grid[0]))
      throw UsageError("{}\"width\" in [[view.key]] is {}, which is {}; {}", key.position.before(), key.width,
                       count < 1 ? "less than a cell of the grid" : "more than all", in_words());
    return {{stage_.first[0] + x - count / 2, stage_.first[1] + y}, {count, 0}};
  }

 private:
  const FigureContext& stage_;
  std::array<AxisRange, 2> axes_;
};

// Lets the stage show a row of each frame, one over the other.
void take_rows(DrawContext& stage) {
  FigureContext& figure = stage.figure;
  const FigureOptions& options = figure.options;
  const auto refuse = [&](const std::string& why) {
    throw UsageError("{}\"space_time\" in [figure] {}", options.position_of("space_time").before(), why);
  };
  if (figure.endless) refuse("needs to know how many frames come; set frames in [animation]");
  if (!stage.animation.speed.empty())
    refuse("has an axis of time, and \"speed\" in [animation] makes times uneven; leave one of them out");
  const std::int64_t frames = stage.animation.frames;
  GridAxis time{.name = figure.time_unit.empty() ? "t" : "time", .unit = options.units.time};
  if (const std::vector<double>& times = figure.times; times.size() > 1 && !options.units.step) {
    time.first = times.front(), time.step = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
    for (std::size_t i = 0; i < times.size(); ++i)
      if (!(std::fabs(times[i] - time.first - static_cast<double>(i) * time.step) <= 0.01 * time.step))
        refuse(
            "has an axis of time, and the times of the frames are uneven; set step in [figure.units] to count frames");
    if (!figure.time_unit.empty()) time.unit = figure.time_unit, time.calendar = figure.calendar;
  } else {
    const double steps = static_cast<double>(stage.animation.steps_per_frame);
    const double step = options.units.step.value_or(stage.interval / steps);
    time.step = step * steps;
    time.first = step * static_cast<double>(stage.animation.start) + time.step / 2;  // a row reaches up to the next
  }
  if (!(time.step > 0)) time = GridAxis{0, 1, "frame", ""};
  figure.grid[1] = static_cast<double>(frames);
  figure.axes[1] = time;
}

// Lets the stage show the values along a line, or of the only row, as a grid of one row.
void take_profile(DrawContext& stage, const ViewOptions& view) {
  FigureContext& figure = stage.figure;
  FigureOptions& options = figure.options;
  const std::string key = options.profile ? "profile" : "space_time";
  const auto refuse = [&](const std::string& why) {
    throw UsageError("{}\"{}\" in [figure] {}", options.position_of(key).before(), key, why);
  };
  if (figure.grid[0] <= 0 || figure.grid[1] <= 0) refuse("needs a grid that the source knows before the first frame");
  if (view.crop || !view.keys.empty())
    refuse("shows rows, of which \"crop\" and [[view.key]] show no part; leave one of them out");
  const bool contours = options.contour_count > 0 || !options.contours.empty();
  if ((contours && !options.space_time) || options.shows_vectors() || options.inset)
    refuse(fmt::format("shows rows, which have no {}arrows, streamlines and inset; leave one of them out",
                       options.space_time ? "" : "contours, "));
  const Places places(stage);
  const FigureSpace space(stage);
  const std::array<AxisRange, 2> axes = {space.x({}), space.y({})};
  FigureOptions::Profile profile;
  profile.y = (axes[1].low + axes[1].high) / 2;
  if (options.profile) profile = *options.profile;
  const double middle = (axes[0].low + axes[0].high) / 2;
  const std::array<double, 2> from = profile.y ? std::array{middle, *profile.y} : profile.from,
                              to = profile.y ? from : profile.to;
  std::array<double, 4> line{};
  for (const std::size_t i : {0, 1}) {
    line[i] = places.cell(i, from[i]), line[i + 2] = places.cell(i, to[i]);
    if (places.is_there(i, line[i]) && places.is_there(i, line[i + 2])) continue;
    const bool first = !places.is_there(i, line[i]);
    refuse(fmt::format("has {}, which is not there; {}",
                       profile.y ? fmt::format("y = {}", *profile.y)
                                 : fmt::format("{} = [{}]", first ? "from" : "to", fmt::join(first ? from : to, ", ")),
                       places.in_words()));
  }
  // A value for each cell of a row, and otherwise about two.
  const std::optional<GridAxis>& x = figure.axes[0];
  GridAxis along;
  double cells = 0, low = 0, length = 0;
  if (profile.y) {
    line[0] = 0, line[2] = cells = figure.grid[0];
    if (x) along = *x, along.counted = false;
    if (along.name.empty()) along.name = "x";
    low = axes[0].low, length = axes[0].high - low;
  } else {
    const double dx = to[0] - from[0], dy = to[1] - from[1];
    cells = std::ceil(2 * std::max({1.0, std::fabs(line[2] - line[0]), std::fabs(line[3] - line[1])}));
    along.name = "distance";
    length = std::sqrt(dx * dx + dy * dy);
    const auto unit = [&](std::size_t i) {
      const std::optional<GridAxis>& axis = figure.axes[i];
      const bool own = axis && !axis->counted && !options.units.cell && options.units.length.empty();
      const std::string all = own ? axis->unit : space.unit();
      return all.starts_with("\u00B0") ? "\u00B0" : all.substr(0, all.find(" since "));
    };
    along.unit = unit(dx == 0 ? 1 : 0);
    if (dx != 0 && dy != 0 && unit(0) != unit(1))
      refuse(
          fmt::format("goes through {} and {}, which make no distance; take a line along one axis", unit(0), unit(1)));
  }
  if (profile.y && (!x || along.unit.empty() || !options.units.length.empty())) along.unit = space.unit();
  along.step = length / cells, along.first = low + along.step / 2;
  Rectangle beside;
  const auto span = [](double a, double b, double all, int& start, int& count) {
    start = std::max(0, static_cast<int>(std::floor(std::min(a, b) - 0.5)));
    count = std::min(static_cast<int>(all), static_cast<int>(std::ceil(std::max(a, b) + 0.5))) - start;
  };
  span(line[0], line[2], figure.grid[0], beside.x, beside.width);
  span(line[1], line[3], figure.grid[1], beside.y, beside.height);
  const int left = static_cast<int>(figure.first[0]), below = static_cast<int>(figure.first[1]);
  figure.within = Rectangle{beside.x + left, beside.y + below, beside.width, beside.height};
  for (const std::size_t i : {0, 1, 2, 3}) line[i] += figure.first[i % 2];
  figure.line = line;
  figure.grid = {cells, 1}, figure.first = {};
  figure.axes = {along, std::nullopt};
  options.aspect = FigureOptions::Aspect::automatic;
  options.units.cell.reset();
  options.units.length.clear();
  stage.cell_aspect = 1;
  stage.fills.reset();
  if (options.space_time) take_rows(stage);
}

}  // namespace

void aim(DrawContext& stage, const ViewOptions& view) {
  FigureContext& figure = stage.figure;
  if (figure.options.profile || figure.options.space_time) return take_profile(stage, view);
  if (view.fit) {
    using Aspect = FigureOptions::Aspect;
    figure.options.aspect = *view.fit == ViewOptions::Fit::stretch ? Aspect::automatic : Aspect::equal;
    figure.covers = *view.fit == ViewOptions::Fit::cover;
  }
  if (!view.crop && view.keys.empty()) return;
  if (figure.grid[0] <= 0 || figure.grid[1] <= 0)
    throw UsageError("{}[view] shows a part of a grid that this source does not know before the first frame",
                     view.crop ? view.crop_position.before() : view.keys.front().position.before());
  // Places are those of all that may be seen.
  const bool covers = std::exchange(figure.covers, false);
  const Places places(stage);
  std::vector<FieldKey> keys;
  for (const ViewKey& key : view.keys)
    keys.push_back({key.time * stage.animation.fps(), places.window(key), !key.crop});
  if (view.crop) {
    const FieldWindow window = places.window(*view.crop, "[view]", view.crop_position);
    if (window.count != figure.grid) {
      stage.fills.reset();
      if (!figure.within)
        figure.within = Rectangle{0, 0, static_cast<int>(figure.grid[0]), static_cast<int>(figure.grid[1])};
    }
    figure.first = window.first, figure.grid = window.count;
  }
  figure.keys = std::move(keys);
  figure.covers = covers;
  figure.remarks = places.remarks;
}

std::string seen_in_words(const DrawContext& stage) {
  DrawContext whole = stage;
  whole.figure.keys.clear(), whole.figure.covers = false;
  const FigureSpace space(whole);
  return reach({space.x({}), space.y({})});
}

}  // namespace simreel
