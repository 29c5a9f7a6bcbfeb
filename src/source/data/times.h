#pragma once
// When the steps of files are.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "source/data/layout.h"

namespace simreel {

// The way out of times that a file does not have.
inline constexpr std::string_view other_times =
    "time = \"dataset:/NAME\" in [solver] takes times from an array, \"file:NAME.csv\" from a file with a number a "
    "line, and timestep = 0.1 counts";

constexpr std::size_t max_times = 1 << 24;

// The first number of each line of a text; a first line without one is a heading. Throws RuntimeError with file and
// line.
std::vector<double> numbers_in(const std::string& file);

// The unit of times that stand as text ("2005-08-28_06:00:00", WRF's Times): "minutes since" the first of them. Empty:
// there are none such.
std::string unit_of_dates(const ArrayFile&, const std::string& name);

// The values of a dataset of times; NaN where it has none. A file of a series may count them from a date of its own;
// they are given as the first file counts them, whose layout this is. Throws RuntimeError where that cannot be.
std::vector<double> times_in(const ArrayFile&, const std::string& name, const DataLayout&);

}  // namespace simreel
