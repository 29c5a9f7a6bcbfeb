#pragma once
// [solver.phases]: its keys, and what they mean.

#include <array>
#include <string>
#include <vector>

#include "kernels/lbm/phases.h"
#include "scene/scene.h"
#include "source/grid_values.h"

namespace simreel {

struct LbmOptions;

// A disk of liquid or of gas at step 0, in cells and steps.
struct PhaseDisk {
  std::array<double, 2> center = {0, 0}, velocity = {0, 0};
  double radius = 0;
  bool liquid = true;
};

struct PhasesOptions {
  bool on = false;
  Table keys;        // [solver.phases], for the place in messages
  LbmFluids fluids;  // the gravity points down
  double level = 0;  // height of a layer of liquid above the bottom side; 0: none
  std::vector<PhaseDisk> disks;
  PlacedText liquid_text;  // a formula of the distance to the interface, above 0 in the liquid
  GridValues liquid;       // and what it stands for
  std::array<int, 2> grid = {1, 1};

  double atwood() const { return (fluids.density_ratio - 1) / (fluids.density_ratio + 1); }
  double fall() const;               // the speed of liquid that falls through the height of the grid
  double speed() const;              // the larger of that and of the fastest disk
  const PhaseDisk* largest() const;  // null: no disks
  double pace() const;               // steps in a second of video, in which something happens
  double capillary_time() const;     // sqrt(R^3 / tension) of the largest disk, else of a quarter of the shorter side
};

// Throws UsageError.
void read_phases(Table& keys, LbmOptions&);
void open_phases(PhasesOptions&, const Scene&);
// Fills a state with what is there at step 0.
template <class Real>
void start_phases(const Executor&, const LbmOptions&, const LbmParams<Real>&, Real* state);

std::vector<std::string> phases_facts(const LbmOptions&);
std::vector<std::string> phases_warnings(const LbmOptions&);

}  // namespace simreel
