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

}  // namespace

void aim(DrawContext& stage, const ViewOptions& view) {
  FigureContext& figure = stage.figure;
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
