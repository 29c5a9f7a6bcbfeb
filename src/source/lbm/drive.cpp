#include "source/lbm/drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "kernels/lbm/cell.h"

namespace simreel {
namespace {

constexpr double fastest_allowed = 0.71 / 1.7320508075688772;  // cells a step

bool names_array(const std::string& text) { return text.ends_with(".npy"); }

void refuse_others(const PlacedText& text, const Table& keys, std::string_view key, std::string_view form) {
  if (Formula::is_formula(text.text) || names_array(text.text)) return;
  keys.fail(key, "\"{}\" holds {}; it must be a number, or {}", key, quote(shorten(text.text, 60)), form);
}

// Calls visit(i, j, a, b) for the values of two grids in each cell, or in those that `effort` bears.
template <class Visit>
void over_cells(const GridValues& a, const GridValues& b, std::array<int, 2> grid, Effort& effort, const Visit& visit) {
  std::vector<double> row_a, row_b;
  const double share = effort.share(look_cost(grid[0], grid[1], a.cost() + b.cost()));
  look_over(grid[0], grid[1], share, [&](int j, int from, int count) {
    row_a.resize(static_cast<std::size_t>(count)), row_b.resize(row_a.size());
    a.row(j, row_a, from);
    b.row(j, row_b, from);
    for (int i = 0; i < count; ++i)
      visit(from + i, j, row_a[static_cast<std::size_t>(i)], row_b[static_cast<std::size_t>(i)]);
  });
}

void check_force(const Formula& formula, double time, double value) {
  if (!(std::abs(value) <= lbm_largest_force))
    formula.fail(fmt::format("the force at t = {} is {:.4g}; it must be at most {}, and is {}", time, value,
                             lbm_largest_force, lbm_usual_force));
}

void open_force(LbmDrive& drive, const LbmDriveTexts& texts, const Scene& scene, std::array<int, 2> grid) {
  for (std::size_t i = 0; i < 2; ++i) {
    const PlacedText& text = texts.force[i];
    const std::string_view key = i == 0 ? "x" : "y";
    if (text.text.empty()) continue;
    refuse_others(text, texts.force_keys, key, "a formula \"= ...\" of x and y or of t, or a .npy file");
    if (Formula::is_formula(text.text)) {
      const Formula formula = Formula::parse(text);
      const bool over_space = formula.uses(Formula::x) || formula.uses(Formula::y);
      if (over_space && formula.uses(Formula::t))
        formula.fail(
            "a force depends on the place or on the time, not on both; write it as a formula of x and y, or of t");
      if (!over_space) {
        for (int step = 0; step < 1000; ++step) {
          const double force = formula.at({grid[0], grid[1], scene.seed}, 0, 0, step);
          check_force(formula, step, force);
          drive.strongest = std::max(drive.strongest, std::abs(force));
        }
        drive.force_in_time[i] = formula;
        continue;
      }
    }
    drive.force_field[i] = GridValues(text, texts.force_keys, key, scene, grid[0], grid[1]);
    const GridValues::Extremes extremes = drive.force_field[i]->extremes();
    const double max = std::max(-extremes.low, extremes.high);
    if (max > lbm_largest_force)
      drive.force_field[i]->fail(fmt::format("a force of {:.4g} is too strong; it must be at most {}, and is {}", max,
                                             lbm_largest_force, lbm_usual_force));
    drive.strongest = std::max(drive.strongest, max);
  }
}

// Calls visit(side, half, x, y) for the points of inlets at which links meet them, or each `step`-th of them; `half` as
// in lbm_profile_place.
template <class Visit>
void over_inlets(std::array<int, 2> grid, const std::array<LbmSide, 4>& sides, int step, const Visit& visit) {
  for (int side = 0; side < 4; ++side) {
    if (sides[static_cast<std::size_t>(side)] != LbmSide::inlet) continue;
    const int cells = grid[side < 2 ? 1 : 0], last = grid[side < 2 ? 0 : 1];
    const double across = side % 2 == 0 ? -0.5 : last - 0.5;
    for (int half = 0; half <= 2 * cells; half += step) {
      const double along = 0.5 * (half - 1);
      visit(side, half, side < 2 ? across : along, side < 2 ? along : across);
    }
  }
}

double largest_share(const Formula& profile, std::array<int, 2> grid, const std::array<LbmSide, 4>& sides,
                     const Scene& scene, double time) {
  double max = 0;
  const double points = 4.0 * std::max(grid[0], grid[1]),
               part = scene.effort->share(look_cost(1, static_cast<int>(points), profile.cost()));
  over_inlets(grid, sides, static_cast<int>(std::min(points, 1 / part)), [&](int, int, double x, double y) {
    const double share = profile.at({grid[0], grid[1], scene.seed}, x, y, time);
    if (!std::isfinite(share))
      profile.fail(fmt::format("the value at x = {}, y = {}, t = {} is {}", x, y, time, share));
    max = std::max(max, std::abs(share));
  });
  return max;
}

void open_start(LbmDrive& drive, const LbmDriveTexts& texts, const Table& keys, const Scene& scene,
                std::array<int, 2> grid) {
  for (std::size_t i = 0; i < 3; ++i) {
    const PlacedText& text = texts.initial_text[i];
    const std::string_view key = lbm_initial_keys[i];
    if (!text.text.empty()) refuse_others(text, keys, key, "a formula \"= ...\" of x and y, or a .npy file");
    drive.initial[i] =
        text.text.empty() ? GridValues(texts.initial[i]) : GridValues(text, keys, key, scene, grid[0], grid[1]);
  }
  drive.initial[1].extremes();
  drive.initial[2].extremes();
  const GridValues::Extremes density = drive.initial[0].extremes();
  if (density.low < 0.5 || density.high > 2)
    keys.fail(lbm_initial_keys[0],
              "the density is {:.6g} somewhere; it must be between 0.5 and 2, and near 1 "
              "for a nearly incompressible flow",
              density.low < 0.5 ? density.low : density.high);
  over_cells(drive.initial[1], drive.initial[2], grid, *scene.effort, [&](int i, int j, double u, double v) {
    const double speed = std::sqrt(u * u + v * v);
    drive.fastest = std::max(drive.fastest, speed);
    if (speed > fastest_allowed)
      keys.fail(
          keys.has(lbm_initial_keys[1]) ? lbm_initial_keys[1] : lbm_initial_keys[2],
          fmt::format("the speed at the cell [{}, {}] is {:.4g}; it must be at most {:.2f} cells a step, and below "
                      "0.06 for nearly incompressible flow",
                      i, j, speed, fastest_allowed));
  });
}

}  // namespace

bool gives_start(const Table& keys) {
  return std::ranges::any_of(lbm_initial_keys, [&](std::string_view key) { return keys.has(key); });
}

std::vector<std::string> LbmDrive::files() const {
  std::vector<std::string> names;
  const auto add = [&](const GridValues& values) {
    if (!values.file().empty()) names.push_back(values.file());
  };
  for (const std::optional<GridValues>& field : force_field)
    if (field) add(*field);
  std::ranges::for_each(initial, add);
  return names;
}

LbmDrive open_drive(const LbmDriveTexts& texts, const Table& keys, const Scene& scene, std::array<int, 2> grid,
                    const std::array<LbmSide, 4>& sides) {
  LbmDrive drive;
  drive.given = gives_start(keys);
  const std::size_t cells = static_cast<std::size_t>(grid[0]) * static_cast<std::size_t>(grid[1]);
  if (drive.given || texts.gives_force()) check_grid_memory(keys, 0, 8 * cells, "two numbers for each cell");
  open_force(drive, texts, scene, grid);
  if (!texts.profile.text.empty()) {
    drive.profile = Formula::parse(texts.profile);
    drive.peak = largest_share(*drive.profile, grid, sides, scene, 0.5);
  }
  if (drive.given) open_start(drive, texts, keys, scene, grid);
  return drive;
}

template <class Real>
LbmDriver<Real>::LbmDriver(const Executor& executor, const LbmDrive& drive, std::uint64_t seed, LbmParams<Real>& p)
    : drive_(drive), seed_(seed) {
  p.driven = drive.forces();
  if (drive.force_field[0] || drive.force_field[1]) {
    const std::size_t plane = p.pitch * static_cast<std::size_t>(p.ny);
    std::vector<Real> values(2 * plane);
    std::vector<double> row(static_cast<std::size_t>(p.nx));
    for (std::size_t i = 0; i < 2; ++i) {
      if (!drive.force_field[i]) continue;
      for (int j = 0; j < p.ny; ++j) {
        drive.force_field[i]->row(lbm_row_of_whole(p, j), row);
        Real* const to = values.data() + i * plane + static_cast<std::size_t>(j) * p.pitch;
        std::ranges::transform(row, to, [](double value) { return static_cast<Real>(value); });
      }
    }
    push_ = Buffer(executor, values);
    p.push = push_.data();
  }
  if (drive.profile) {
    shares_.resize(lbm_profile_values(p));
    profile_ = Buffer<Real>(executor, shares_.size());
    p.profile = profile_.data();
    set_profile(0, p);
  }
}

template <class Real>
void LbmDriver<Real>::set_profile(std::int64_t step, const LbmParams<Real>& p) {
  for (int i = 0; i < 2; ++i)
    over_inlets({p.nx, p.whole_ny}, {p.left, p.right, p.bottom, p.top}, 1, [&](int side, int half, double x, double y) {
      const double share = drive_.profile->at({p.nx, p.whole_ny, seed_}, x, y, static_cast<double>(step + i) + 0.5);
      shares_[lbm_profile_place(p, i, side, half)] = static_cast<Real>(share);
    });
  profile_.upload(shares_.data());
}

template <class Real>
void LbmDriver<Real>::set(std::int64_t step, LbmParams<Real>& p) {
  if (drive_.profile && drive_.profile->uses(Formula::t)) set_profile(step, p);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (!drive_.force_in_time[axis]) continue;
    for (int i = 0; i < 3; ++i) {
      const double time = std::max(static_cast<double>(step + i) - 0.5, 0.0);  // the middle of the step
      const double value = drive_.force_in_time[axis]->at({p.nx, p.whole_ny, seed_}, 0, 0, time);
      check_force(*drive_.force_in_time[axis], time, value);
      (axis == 0 ? p.swing[i].x : p.swing[i].y) = static_cast<Real>(value);
    }
  }
}

template <class Real, class Stored>
void start_given(const Executor& executor, const LbmDrive& drive, const LbmParams<Real>& p, const LbmCells& cells,
                 Stored* state) {
  const auto fill = [&](int row, const auto& values) {
    for (std::size_t i = 0; i < 3; ++i) drive.initial[i].row(row, values(i));
  };
  start_by_rows(executor, p, 3, fill, [&](const double* given, std::size_t plane, int y, int rows) {
    lbm_start(executor, p, cells, LbmGiven{given, given + plane, given + 2 * plane, y, rows}, state);
  });
}

template class LbmDriver<float>;
template class LbmDriver<double>;
template void start_given(const Executor&, const LbmDrive&, const LbmParams<float>&, const LbmCells&, float*);
template void start_given(const Executor&, const LbmDrive&, const LbmParams<double>&, const LbmCells&, double*);
template void start_given(const Executor&, const LbmDrive&, const LbmParams<float>&, const LbmCells&, Half*);

}  // namespace simreel
