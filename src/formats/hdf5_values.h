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

constexpr std::size_t max_text = 1 << 20;  // bytes

// Makes the library unpack what h5py packed with lzf.
void register_lzf();

// The numbers of a dataset as they are read; nullopt for what is not a number.
std::optional<Element> element_of(hid_t type);
// Why the values of a dataset are not read.
std::string why_unread(hid_t type);
// The library's type of such numbers in memory.
hid_t memory_type(const Element&);

// Attributes of an object: at most `max` numbers, one number, a text. Empty, or nullopt, if there is none such.
std::vector<double> numbers_of(hid_t object, const char* name, std::size_t max);
std::optional<double> number_of(hid_t object, const char* name);
std::optional<std::string> text_of(hid_t object, const char* name);
// As ArrayFile::words.
std::vector<std::string> words_in(hid_t dataset, std::size_t max);
// The names of the axes that NetCDF-4 notes as references to datasets with their coordinates.
std::vector<std::string> dimensions_of(hid_t dataset, std::size_t axes);

}  // namespace simreel::hdf5
