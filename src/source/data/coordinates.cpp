#include "source/data/coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace simreel {
namespace {

constexpr double turn = 360;
constexpr double min_evenness = 0.01;  // of a step
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
void resample(const std::vector<double>& at, PlacedAxis& axis) {
  const std::size_t n = at.size();
  std::vector<double> ends(n);  // of each cell, above
  for (std::size_t i = 0; i + 1 < n; ++i) ends[i] = at[i] + step_at(at, i) / 2;
  ends[n - 1] = at[n - 1] + step_at(at, n - 2) / 2;
  const double low = at[0] - step_at(at, 0) / 2, length = ends[n - 1] - low;
  double min = length;
  for (std::size_t i = 0; i < n; ++i) min = std::min(min, ends[i] - (i == 0 ? low : ends[i - 1]));
  const double max = static_cast<double>(std::max(n, std::min(max_refinement * n, max_resampled)));
  const auto cells = static_cast<std::size_t>(std::clamp(std::ceil(length / min), static_cast<double>(n), max));
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

}  // namespace

std::optional<PlacedAxis> place_axis(std::vector<double> at, double rounding, bool turns, const DataOptions& o) {
  const std::size_t n = at.size();
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(at[i]))
      throw RuntimeError(
          "its coordinate at entry {}, from 0, is no number; mend it, or leave the coordinates out: "
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
  else if (axis.even && o.uneven == DataOptions::Uneven::resample)
    resample(at, axis);
  else
    axis.even = false;
  bool as_they_are = axis.order.size() == n;
  for (std::size_t i = 0; as_they_are && i < n; ++i) as_they_are = axis.order[i] == i;
  if (as_they_are) axis.order.clear();
  return axis;
}

}  // namespace simreel
