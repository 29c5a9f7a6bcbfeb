#pragma once
// Arrays of one file whose names hold a number, "/step_12/rho", as one array with a time axis in front.

#include <memory>
#include <string>

#include "formats/array_file.h"

namespace simreel {

// Opens a file as open_array_file. Where `array` is a pattern and no array's name, those that fit it, in natural order,
// are one array of that name besides the others; its attributes are lists of those of each, or of the groups around it.
// Throws RuntimeError where none fits, or where they differ in shape or type.
std::unique_ptr<ArrayFile> open_stacked_file(const std::string& path, const std::string& array);

// What such an array is called in a picture: "/step_%d/rho" is rho, "rho_%d" too; "value" where nothing is left.
std::string plain_name(const std::string& name);

}  // namespace simreel
