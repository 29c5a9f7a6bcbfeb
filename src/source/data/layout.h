#pragma once
// What of the files of a series is drawn: decided by the keys and the first file, and the same for every step. And the
// times of the steps.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/grid_axis.h"
#include "formats/array_file.h"
#include "scene/scene.h"
#include "source/data/options.h"

namespace simreel {

// A field on a grid: arrays of equal axes.
struct GridLayout {
  static constexpr int all_components = -1;              // their magnitude
  std::vector<std::string> names, arrays, units;         // of each field, the default first
  std::map<std::string, std::vector<ValueClass>> flags;  // what whole numbers mean, by array
  std::vector<int> components;                           // which of the axis c; without one it has no meaning
  std::string roles;                                     // a letter for each axis, as DataOptions::axes
  Extents extents;                                       // of each axis; along t those of the first file
  std::optional<DataOptions::Slice> slice;
  char row = 'y', column = 'x';  // the axes that are drawn upwards and to the right
  int nx = 0, ny = 0;
  // Of each row from below, and of each column from the left, the entry of the file; empty: as they are.
  std::vector<std::uint32_t> rows, columns;
  double aspect = 1;  // height of a cell by its width
  GridAxes axes;      // with coordinates where they are evenly spaced and rise in the picture
  static std::size_t entry(const std::vector<std::uint32_t>& order, std::size_t i) {
    return order.empty() ? i : order[i];
  }
  bool has_time() const { return roles.find('t') != std::string::npos; }
};

// Some of the bodies of a file; an empty name: the file has none of that.
struct BodyPart {
  std::string position, velocity, mass, group, id;
  bool rows = false;               // `position` has columns for all: x, y, z, vx, vy, vz, mass
  std::optional<double> one_mass;  // of all, without an array of masses; unset: not given, and each counts as 1
  std::uint8_t one_group = 0;
  std::size_t count = 0;
};

struct BodyLayout {
  std::vector<BodyPart> parts;  // one after the other
  bool has_time = false;        // the arrays have a time axis in front
  bool groups = false;
  std::size_t count() const;
};

struct DataLayout {
  std::optional<GridLayout> grid;  // otherwise bodies
  BodyLayout bodies;
  bool own = false;                            // simreel wrote the file
  std::string time;                            // as DataOptions::time; empty: the number of the step times `timestep`
  std::string time_unit, calendar;             // of the dataset of times: "hours since 2020-01-01", "noleap"
  double interval = 0;                         // simulated time between frames, as simreel wrote it; 0: not known
  std::string solid;                           // the array of solid cells; empty: none
  std::vector<std::string> remarks, warnings;  // what was decided by looking, and what may not be meant
  std::string choice;                          // which array is drawn where none is named; empty: there is no other
  std::vector<std::string> facts;              // about the axes, for `check`
};

// `wanted`: the field of [view]; empty: none is named. `many`: the file is one of a series. Throws RuntimeError with
// the file and what is there.
DataLayout find_layout(const ArrayFile&, const DataOptions&, const std::string& wanted, bool many);

// Where the cells of a file lie in the picture: rows, columns, their number, aspect and axes.
void place_cells(const ArrayFile&, const DataOptions&, DataLayout&);

// Throws RuntimeError if another file of the series differs in what find_layout looked at; lengths along t may.
void expect_layout(const ArrayFile&, const DataLayout&, const std::string& first_file);

// The number of steps in a file.
std::uint64_t steps_in(const ArrayFile&, const DataLayout&);

// The way out of times that a file does not have.
inline constexpr std::string_view other_times =
    "time = \"dataset:/NAME\" in [solver] takes times from an array, \"file:NAME.csv\" from a file with a number a "
    "line, and timestep = 0.1 counts";

constexpr std::size_t max_times = 1 << 24;

// The first number of each line of a text; a first line without one is a heading. Throws RuntimeError with file and
// line.
std::vector<double> numbers_in(const std::string& file);

// The unit of times given as text ("2005-08-28_06:00:00", WRF's Times): "minutes since" the first of them. Empty:
// there are none such.
std::string unit_of_dates(const ArrayFile&, const std::string& name);

// The values of a dataset of times; NaN where it has none. A file of a series may count them from a date of its own;
// they are given as the first file counts them, whose layout this is. Throws RuntimeError where that cannot be.
std::vector<double> times_in(const ArrayFile&, const std::string& name, const DataLayout&);

}  // namespace simreel
