#pragma once
// Types of numbers and values of attributes in HDF5, as NetCDF and others use them. All calls need the Lock of
// hdf5_library.h.

#include <hdf5.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "formats/element.h"

namespace simreel::hdf5 {

constexpr std::size_t most_text = 1 << 20;  // bytes

// The numbers of a dataset as they are read; nullopt for what is no number.
std::optional<Element> element_of(hid_t type);
// Why the values of a dataset are not read.
std::string why_unread(hid_t type);
// The library's type of such numbers in memory.
hid_t memory_type(const Element&);

// A number of an attribute as the values of the array hold it: NetCDF writes 255 of unsigned bytes as -1, and one that
// is kept as double may lie beside float.
double as_stored(const Element&, double value);
// What NetCDF writes where nothing was written (NC_FILL_SHORT, NC_FILL_INT, ... of netcdf.h); nullopt for bytes, all of
// whose values are meant.
std::optional<double> netcdf_fill(const Element& in_file);

// Attributes of an object: at most `most` numbers, one number, a text. Empty, or nullopt, if there is none such.
std::vector<double> numbers_of(hid_t object, const char* name, std::size_t most);
std::optional<double> number_of(hid_t object, const char* name);
std::optional<std::string> text_of(hid_t object, const char* name);
// The names of the axes that NetCDF-4 notes as references to datasets with their coordinates.
std::vector<std::string> dimensions_of(hid_t dataset, std::size_t axes);

}  // namespace simreel::hdf5
