#pragma once
// What NetCDF's attributes say about the values of an array: which are missing, scale and offset, limits, unit.

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/array_file.h"

namespace simreel {

struct Attribute {
  std::vector<double> numbers;  // empty: it holds none, or too many
  std::string text;             // empty: it is none
  bool integers = false;        // whether the numbers are of such a type
};
// The attribute of that name, with at most so many numbers; nullopt: there is none.
using AttributeOf = std::function<std::optional<Attribute>(const char* name, std::size_t max)>;

// Fills in what they say. Numbers may be written as text. What is not understood goes to ArrayInfo::unheeded.
// `in_file`: the type before `_Unsigned`. `netcdf`: NetCDF's library wrote the file, so that values that were never
// written are known. The names of arrays that are coordinates or bounds of this one go to `auxiliary`.
void apply_cf_attributes(ArrayInfo&, const AttributeOf&, const Element& in_file, bool netcdf,
                         std::set<std::string>& auxiliary);

}  // namespace simreel
