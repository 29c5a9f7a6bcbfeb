#pragma once
// The keys of `kind = "pde"`, read and not yet given a meaning: texts stay texts (system.h).

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scene/scene.h"
#include "scene/table.h"
#include "source/grid_values.h"
#include "source/obstacles/obstacles.h"
#include "source/precision.h"

namespace simreel {

enum class PdeSchemeKind { euler, heun, rk4, rkc2 };
inline constexpr std::string_view pde_schemes[] = {"euler", "heun", "rk4", "rkc2"};

// A value of the scene: a number, or a text that begins with "=" or names a file.
struct PdeValue {
  double number = 0;
  PlacedText text;
  bool is_text = false;
  Table keys;                                // that has it,
  std::string key;                           // under this name
  mutable std::optional<GridValues> opened;  // a file, by the first system that reads it

  bool is_formula() const;
  bool is_file() const { return is_text && !is_formula(); }
};

struct PdeSideOptions {
  enum class Kind { periodic, free, value, slope, mixed };
  Kind kind = Kind::periodic;
  bool named = false;  // by the scene
  // Of a value or a slope the first; of a mixture a and b: u_n = a - b u.
  std::array<PdeValue, 2> values;
};
inline constexpr std::string_view pde_side_names[] = {"left", "right", "bottom", "top"};

struct PdeField {
  std::string name;
  bool complex = false;
  bool algebraic = false;  // `rate` is its value
  bool own_sides = false;
  PlacedText rate;
  PdeValue initial, noise;
  std::array<PdeSideOptions, 4> sides;  // as pde_side_names
  Table keys;

  int parts() const { return complex ? 2 : 1; }
  // Of which any step is as exact: "= 0", for a formula that is only to be drawn.
  bool has_constant_rate() const;
};

struct PdeParameter {
  std::string name;
  PdeValue value;
  mutable bool used = false;  // by a formula that was parsed
};

struct PdeMeasure {
  enum class Kind { integral, mean, min, max };
  std::string name;
  Kind kind = Kind::integral;
  PlacedText formula;
};

// What the cells of an obstacle are to the fields: those that it holds have a value there, and through its border
// nothing of the others flows.
struct PdeObstacle {
  struct Held {
    std::size_t field;
    PdeValue value;
  };
  std::vector<Held> held;

  bool holds(std::size_t field) const { return std::ranges::find(held, field, &Held::field) != held.end(); }
};

struct PdeOptions {
  std::array<int, 2> grid = {256, 256};
  double spacing = 1;
  std::optional<double> timestep;  // empty: "auto"
  bool unchecked = false;
  PdeSchemeKind scheme = PdeSchemeKind::rk4;
  int stages = 8;
  bool nine = false;  // lap has nine points
  Precision precision = Precision::float32;
  std::array<PdeSideOptions, 4> sides;
  std::vector<PdeParameter> parameters;
  std::vector<PdeField> fields;  // in the order of the file
  std::vector<PdeMeasure> measures;
  std::vector<ObstacleOptions> shapes;
  std::vector<PdeObstacle> obstacles;         // of each shape
  std::shared_ptr<const LbmGeometry> solids;  // once they are painted, grid[0] cells a row; null: none, or not yet
  Table keys;

  bool periodic_x() const { return sides[0].kind == PdeSideOptions::Kind::periodic; }
  bool periodic_y() const { return sides[2].kind == PdeSideOptions::Kind::periodic; }
};

// Throws UsageError. Opens no file and parses no formula.
PdeOptions read_pde_options(Table& keys);

}  // namespace simreel
