#pragma once
// [solver.heat]: its keys, and what they mean in lattice units.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "scene/scene.h"
#include "source/grid_values.h"

namespace simreel {

struct LbmOptions;

// What a side or an obstacle does with heat.
struct HeatWall {
  enum class Kind { insulated, fixed, flux, inflow } kind = Kind::insulated;  // inflow: what an inlet brings
  double value = 0;  // the temperature; or how much it rises per cell towards the wall

  bool has_temperature() const { return kind == Kind::fixed || kind == Kind::inflow; }
};

// Temperatures are in the units of the scene, all else in cells and steps.
struct HeatOptions {
  bool on = false;
  Table keys;                            // [solver.heat], for the place in messages
  double rayleigh = 0;                   // 0: not given
  double prandtl = 0.71;                 // viscosity / diffusivity
  double diffusivity = 0, buoyancy = 0;  // buoyancy: acceleration per unit of temperature
  double height = 0;                     // of the Rayleigh and the Nusselt number
  double hot = 1, cold = 0;              // what these names mean
  double low = 0, high = 1;              // of the temperatures given; high > low
  bool lone = false;                     // only one is given, and neither `hot` nor `cold`
  double reference = 0.5;                // the temperature without buoyancy
  std::array<HeatWall, 4> sides;         // left, right, bottom, top
  std::vector<HeatWall> obstacles;
  std::optional<double> start;  // where it is the same everywhere; unset: linear between two sides
  double perturbation = 0;      // of the start, in shares of the span
  PlacedText initial_text;      // of the start, instead
  GridValues initial;           // and what it stands for
  bool across = false;          // two opposite sides have temperatures: left and right, not bottom and top

  double span() const { return high - low; }
  // The speed of fluid that its buoyancy brings through the height: sqrt(g beta (high - low) height).
  double free_fall() const;
  double speed() const { return 0.5 * free_fall(); }  // about what the flow reaches
  std::vector<HeatWall> walls() const;                // of sides and obstacles
  bool has(HeatWall::Kind) const;                     // whether a wall is of this kind
  bool differ(std::size_t side) const;                // whether this side and the next one have different temperatures
  bool between_sides() const;                         // whether all heat flows between two such sides
  bool is_hottest(const HeatWall& wall) const { return wall.kind == HeatWall::Kind::fixed && wall.value == high; }
  bool has_nusselt() const;  // whether a wall is
};

// Whether the left and the right side are walls unless the scene says otherwise.
bool heats_sideways(const Table& keys);

// Throws UsageError. Sets the viscosity of the flow if it follows from the Rayleigh number.
void read_heat(Table& keys, LbmOptions&);
void open_heat(HeatOptions&, const Scene&, std::array<int, 2> grid);

std::vector<std::string> heat_facts(const LbmOptions&);
std::vector<std::string> heat_warnings(const LbmOptions&);
std::vector<std::string> heat_diagnostics(const HeatOptions&);

}  // namespace simreel
