#pragma once
// What a scene gives of a flow over space and time: forces, inlet profiles and the flow at step 0, as formulas or
// arrays.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "exec/buffer.h"
#include "formula/formula.h"
#include "kernels/lbm/cell.h"
#include "kernels/lbm/lbm.h"
#include "scene/scene.h"
#include "source/grid_values.h"

namespace simreel {

// As a scene writes them; a text is empty where there is a number.
struct LbmDriveTexts {
  Table force_keys;                 // [solver.force]
  std::array<PlacedText, 2> force;  // along x and y
  PlacedText profile;
  double initial[3] = {1, 0, 0};  // density, and velocity along x and y, where they are numbers
  std::array<PlacedText, 3> initial_text;

  bool gives_force() const { return !force[0].text.empty() || !force[1].text.empty(); }
};

// What the texts stand for.
struct LbmDrive {
  std::array<std::optional<Formula>, 2> force_in_time;   // cells per step^2, everywhere
  std::array<std::optional<GridValues>, 2> force_field;  // the same, at each cell
  std::optional<Formula> profile;                        // of inlets: shares of the velocity
  double peak = 1;                                       // the largest share at step 0
  bool given = false;                                    // whether the scene gives the flow at step 0
  std::array<GridValues, 3> initial;                     // density, and velocity along x and y, cells per step
  double fastest = 0;                                    // of the flow at step 0, cells per step
  double strongest = 0;                                  // of the forces that are texts; in time, of 1000 steps

  bool forces() const { return force_in_time[0] || force_in_time[1] || force_field[0] || force_field[1]; }
  std::vector<std::string> files() const;
};

// Opens files and evaluates what does not depend on time. `sides`: left, right, bottom, top. Throws UsageError for
// texts that are not understood and for values beyond what the method allows.
LbmDrive open_drive(const LbmDriveTexts&, const Table& keys, const Scene&, std::array<int, 2> grid,
                    const std::array<LbmSide, 4>& sides);

// The keys of the flow at step 0.
inline constexpr std::string_view lbm_initial_keys[] = {"initial_density", "initial_ux", "initial_uy"};
bool gives_start(const Table& keys);

// The largest force that is accepted, cells per step^2.
inline constexpr double lbm_largest_force = 0.01;
inline constexpr std::string_view lbm_usual_force =
    "of the order of 1e-6 in most flows; one in m/s^2 is to be multiplied by step^2 / cell, which `check` prints where "
    "[solver.units] is given";

// Forces and inlet profiles on an executor.
template <class Real>
class LbmDriver {
 public:
  LbmDriver(const Executor&, const LbmDrive&, std::uint64_t seed, LbmParams<Real>&);

  // Sets the forces of the step before `step`, counted from 0, of that step and of the next one, and the inlets of the
  // latter two. Throws UsageError for a force that is not finite or too large.
  void set(std::int64_t step, LbmParams<Real>&);

 private:
  void set_profile(std::int64_t step, const LbmParams<Real>&);

  LbmDrive drive_;
  std::uint64_t seed_;
  Buffer<Real> push_, profile_;
  std::vector<Real> shares_;  // on the host
};

// Fills a state from `planes` numbers of each cell, as many rows at once as a buffer holds: fill(row of the whole grid,
// values) sets the nx numbers values(0), values(1) ... of a row; start(given, plane, y, rows) takes those of `rows`
// rows from row y on, in executor memory, in planes so many numbers apart.
template <class Real, class Fill, class Start>
void start_by_rows(const Executor& executor, const LbmParams<Real>& p, std::size_t planes, const Fill& fill,
                   const Start& start) {
  const auto width = static_cast<std::size_t>(p.nx);
  const int max = std::clamp(static_cast<int>((std::size_t{1} << 22) / width), 1, p.ny);
  const std::size_t plane = static_cast<std::size_t>(max) * width;
  std::vector<double> values(planes * plane);
  Buffer<double> buffer(executor, values.size());
  for (int y = 0; y < p.ny; y += max) {
    const int rows = std::min(max, p.ny - y);
    for (int row = 0; row < rows; ++row)
      fill(lbm_row_of_whole(p, y + row), [&](std::size_t i) {
        return std::span(values).subspan(i * plane + static_cast<std::size_t>(row) * width, width);
      });
    buffer.upload(values.data());
    start(std::as_const(buffer).data(), plane, y, rows);
  }
  executor.wait();
}

// Fills a state with the flow at step 0 that the scene gives.
template <class Real, class Stored>
void start_given(const Executor&, const LbmDrive&, const LbmParams<Real>&, const LbmCells&, Stored* state);

}  // namespace simreel
