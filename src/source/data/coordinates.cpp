#include "source/data/coordinates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numeric>

#include "base/cf_time.h"
#include "base/error.h"
#include "base/text.h"
#include "source/data/layout.h"

namespace simreel {
namespace {

constexpr double turn = 360;
constexpr double min_evenness = 0.01;  // of a step
constexpr std::size_t max_coordinates = 1 << 24;
constexpr std::size_t max_refinement = 16, max_resampled = 1 << 14;

double step_at(const std::vector<double>& at, std::size_t i) { return at[i + 1] - at[i]; }

double median_step(const std::vector<double>& at) {
  std::vector<double> steps(at.size() - 1);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = step_at(at, i);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  return *middle;
}

// The first entry from which on they do not rise; the number of entries if all do.
std::size_t first_fall(const std::vector<double>& at, std::size_t from) {
  while (from + 1 < at.size() && step_at(at, from) > 0) ++from;
  return from + 1;
}

[[noreturn]] void refuse(const std::vector<double>& at, std::size_t i, const PlacedAxis& axis) {
  const std::size_t entry = axis.falls ? at.size() - 1 - i : i, before = axis.falls ? entry + 1 : entry - 1;
  throw RuntimeError(
      "its coordinates neither rise nor fall: {:.9g} at entry {}, from 0, and {:.9g} at entry {}; sort the "
      "file along this axis, or leave its coordinates out: coordinates = false in [solver]",
      at[axis.falls ? i : i - 1], std::min(entry, before), at[axis.falls ? i - 1 : i], std::max(entry, before));
}

// Coordinates that begin again once: 0 .. 170, -180 .. -10.
void mend_wrap(std::vector<double>& at, double step, bool turns, const DataOptions& o, PlacedAxis& axis) {
  const std::size_t again = first_fall(at, 0);
  if (again == at.size()) return;
  if (first_fall(at, again) != at.size()) refuse(at, again, axis);
  const double joint = at.front() - at.back();
  const bool closed = joint > 0 && joint < 1.5 * step;
  if (closed && o.roll == DataOptions::Roll::automatic) {
    std::ranges::rotate(at, at.begin() + static_cast<std::ptrdiff_t>(again));
    std::ranges::rotate(axis.order, axis.order.begin() + static_cast<std::ptrdiff_t>(again));
    axis.notes.push_back(fmt::format("rolled by {} entries", at.size() - again));
    return;
  }
  if (!turns || at.back() - at.front() > step / 2) {
    if (!closed) refuse(at, again, axis);
    axis.even = false;
    return;
  }
  for (std::size_t i = again; i < at.size(); ++i) at[i] += turn;
  if (at.front() + at.back() > turn)
    for (double& value : at) value -= turn;
}

// Equal cells, in each of which lies what the file has at its centre: a cell of the file ends halfway to the next.
// About so many for the smallest of the file.
void resample(const std::vector<double>& at, double fineness, PlacedAxis& axis) {
  const std::size_t n = at.size();
  std::vector<double> ends(n);  // of each cell, above
  for (std::size_t i = 0; i + 1 < n; ++i) ends[i] = at[i] + step_at(at, i) / 2;
  ends[n - 1] = at[n - 1] + step_at(at, n - 2) / 2;
  const double low = at[0] - step_at(at, 0) / 2, length = ends[n - 1] - low;
  double min = length;
  for (std::size_t i = 0; i < n; ++i) min = std::min(min, ends[i] - (i == 0 ? low : ends[i - 1]));
  const double max = static_cast<double>(std::max(n, std::min(max_refinement * n, max_resampled)));
  const auto cells =
      static_cast<std::size_t>(std::clamp(std::ceil(fineness * length / min), static_cast<double>(n), max));
  axis.step = length / static_cast<double>(cells);
  axis.first = low + axis.step / 2;
  std::vector<std::uint32_t> order(cells);
  for (std::size_t k = 0, i = 0; k < cells; ++k) {
    while (i + 1 < n && low + axis.step * (static_cast<double>(k) + 0.5) >= ends[i]) ++i;
    order[k] = axis.order[i];
  }
  axis.order = std::move(order);
  axis.even = true;
  axis.notes.push_back(fmt::format("{} uneven cells drawn as {} equal ones", n, cells));
}

// The coordinates that a dataset of the file lists; null if there is none.
const ArrayInfo* scale_of(const ArrayFile& file, const ArrayInfo& array, std::size_t axis) {
  if (axis >= array.dimensions.size()) return nullptr;
  const ArrayInfo* const scale = file.find(array.dimensions[axis]);
  if (scale == nullptr || scale->extents.size() != 1) return nullptr;
  // One more than there are entries: the ends of cells.
  return scale->extents[0] - array.extents[axis] <= 1 ? scale : nullptr;
}

std::optional<PlacedAxis> place_scale(const ArrayFile& file, const ArrayInfo& scale, std::uint64_t entries,
                                      const DataOptions& o) {
  std::vector<double> at = file.values(scale, max_coordinates, true);
  if (at.size() > entries) {
    for (std::size_t i = 0; i + 1 < at.size(); ++i) at[i] = (at[i] + at[i + 1]) / 2;
    at.pop_back();
  }
  double max = 0;
  for (const double value : at) max = std::max(max, std::abs(value));
  const bool single = scale.element == Element{Element::Kind::real, 4};
  const double rounding = max * (single ? double{FLT_EPSILON} : DBL_EPSILON);
  const bool turns = for_figure(scale.unit) == "\u00B0E" || lower_case(last_part(scale.name)).starts_with("lon");
  try {
    const bool dates = parse_cf_time(scale.unit, file.text(scale.name + "/calendar").value_or("")).has_value();
    return place_axis(std::move(at), rounding, turns, dates, o);
  } catch (const RuntimeError& error) {
    throw RuntimeError("{}: {}", place_of(file.path(), scale.name), error.what());
  }
}

// Coordinates that the format gives by a first one and a step.
PlacedAxis place_steps(const ArrayInfo::Steps& steps, std::uint64_t entries) {
  PlacedAxis axis;
  axis.first = steps.first;
  axis.step = std::abs(steps.step);
  axis.falls = steps.step < 0;
  if (!axis.falls) return axis;
  axis.first += steps.step * static_cast<double>(entries - 1);
  for (std::uint64_t i = entries; i-- > 0;) axis.order.push_back(static_cast<std::uint32_t>(i));
  axis.notes.emplace_back("falls in the file");
  return axis;
}

// One of the two axes of the picture, `which` 0: x.
struct Drawn {
  std::optional<PlacedAxis> placed;
  std::vector<std::uint32_t> order;
};

Drawn place_drawn(const ArrayFile& file, const ArrayInfo& array, const DataOptions& o, DataLayout& layout, int which) {
  GridLayout& grid = *layout.grid;
  const char letter = which == 0 ? grid.column : grid.row;
  const std::size_t axis = grid.roles.find(letter);
  std::string name(1, letter), unit, calendar;
  Drawn drawn;
  bool shown = false;
  if (const ArrayInfo* const scale = o.coordinates ? scale_of(file, array, axis) : nullptr) {
    drawn.placed = place_scale(file, *scale, array.extents[axis], o);
    if (shown = drawn.placed && drawn.placed->even; shown) {
      if (const std::string own = for_figure(last_part(scale->name)); !own.empty()) name = own;
      unit = for_figure(scale->unit);
      calendar = file.text(scale->name + "/calendar").value_or("");
    } else if (drawn.placed) {
      layout.warnings.push_back(fmt::format(
          "{}: its coordinates are not evenly spaced; they are drawn as if they were, and the axis counts cells; "
          "uneven = \"resample\" in [solver] draws each cell as large as it is",
          place_of(file.path(), scale->name)));
    }
  } else if (o.coordinates && !layout.own && axis < array.steps.size() && std::isnormal(array.steps[axis].step) &&
             std::isfinite(array.steps[axis].first)) {
    drawn.placed = place_steps(array.steps[axis], array.extents[axis]);
    shown = true;
  }
  if (drawn.placed) drawn.order = drawn.placed->order;
  const bool falls = drawn.placed && drawn.placed->falls;
  if (which == 1 && o.origin != DataOptions::Origin::automatic && (o.origin == DataOptions::Origin::upper) != falls) {
    if (drawn.order.empty())
      for (std::uint32_t i = 0; i < array.extents[axis]; ++i) drawn.order.push_back(i);
    std::ranges::reverse(drawn.order);
    shown = false;
  }
  std::optional<GridAxis>& result = grid.axes[static_cast<std::size_t>(which)];
  result.reset();
  if (shown)
    result = GridAxis{drawn.placed->first, drawn.placed->step, name, unit, false, calendar};
  else if (letter != (which == 0 ? 'x' : 'y'))
    result = GridAxis{0, 1, name, "", true};
  const auto cells = static_cast<int>(drawn.order.empty() ? array.extents[axis] : drawn.order.size());
  (which == 0 ? grid.nx : grid.ny) = cells;
  if (shown || (drawn.placed && !drawn.placed->notes.empty())) {
    const PlacedAxis& at = *drawn.placed;
    layout.facts.push_back(
        fmt::format("{:10} {}{}{}{}", which == 0 ? "x" : "y", name,
                    shown ? fmt::format(" from {:.6g} to {:.6g}{}{}", at.first, at.first + at.step * (cells - 1),
                                        unit.empty() ? "" : " ", unit)
                          : "",
                    at.notes.empty() ? "" : ", ", fmt::join(at.notes, ", ")));
  }
  return drawn;
}

}  // namespace

std::optional<PlacedAxis> place_axis(std::vector<double> at, double rounding, bool turns, bool dates,
                                     const DataOptions& o) {
  const std::size_t n = at.size();
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(at[i]))
      throw RuntimeError(
          "its coordinate at entry {}, from 0, is not a number; correct it, or ignore the coordinates: "
          "coordinates = false in [solver]",
          i);
  if (n < 2 || std::ranges::all_of(at, [&](double value) { return value == at[0]; })) return {};
  PlacedAxis axis;
  axis.order = std::vector<std::uint32_t>(n);
  std::iota(axis.order.begin(), axis.order.end(), std::uint32_t{0});
  axis.falls = median_step(at) < 0;
  if (axis.falls) {
    std::ranges::reverse(at);
    std::ranges::reverse(axis.order);
    axis.notes.emplace_back("falls in the file");
  }
  axis.step = median_step(at);
  if (!(axis.step > 0)) refuse(at, first_fall(at, 0), axis);
  mend_wrap(at, axis.step, turns, o, axis);
  axis.first = at[0];
  double worst = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) worst = std::max(worst, std::abs(step_at(at, i) - axis.step));
  if (axis.even && worst <= min_evenness * axis.step + 2 * rounding)
    axis.step = (at.back() - at.front()) / static_cast<double>(n - 1);
  else if (axis.even &&
           (o.uneven == DataOptions::Uneven::resample || (dates && o.uneven == DataOptions::Uneven::automatic)))
    resample(at, dates ? 8 : 1, axis);  // months, one of which would be twice as long as the next
  else
    axis.even = false;
  bool as_they_are = axis.order.size() == n;
  for (std::size_t i = 0; as_they_are && i < n; ++i) as_they_are = axis.order[i] == i;
  if (as_they_are) axis.order.clear();
  return axis;
}

std::string last_part(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

std::string for_figure(const std::string& text) {
  for (const auto& [side, letter] : {std::pair{"east", "E"}, {"north", "N"}})
    for (const char* degree : {"degrees_", "degree_", "degrees", "degree"})
      if (text == std::string(degree) + side || text == std::string(degree) + letter)
        return std::string("\u00B0") + letter;
  return text.find_first_of("$\\{}") == std::string::npos ? text : "";
}

void place_cells(const ArrayFile& file, const DataOptions& o, DataLayout& layout) {
  GridLayout& grid = *layout.grid;
  layout.facts.clear();
  const ArrayInfo& array = file.at(grid.arrays[0]);
  Drawn x = place_drawn(file, array, o, layout, 0), y = place_drawn(file, array, o, layout, 1);
  grid.columns = std::move(x.order);
  grid.rows = std::move(y.order);
  std::optional<std::array<double, 2>> spacing = o.spacing;
  if (o.extent) {
    const auto& e = *o.extent;
    spacing = {(e[1] - e[0]) / grid.nx, (e[3] - e[2]) / grid.ny};
    for (std::size_t i = 0; i < 2; ++i)
      grid.axes[i] =
          GridAxis{e[2 * i] + (*spacing)[i] / 2, (*spacing)[i], std::string(1, i == 0 ? grid.column : grid.row), ""};
  }
  if (!spacing && x.placed && y.placed) spacing = {x.placed->step, y.placed->step};
  if (spacing) grid.aspect = (*spacing)[1] / (*spacing)[0];
  if (!(grid.aspect > 1e-6 && grid.aspect < 1e6)) grid.aspect = 1;
}

}  // namespace simreel
