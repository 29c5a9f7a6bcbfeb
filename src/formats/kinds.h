#pragma once
// The kinds of array files. Each function opens one that begins as its kind does; throws RuntimeError.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "formats/array_file.h"

namespace simreel {

std::unique_ptr<ArrayFile> open_npy_file(const std::string& path);
std::unique_ptr<ArrayFile> open_npz_file(const std::string& path);
std::unique_ptr<ArrayFile> open_hdf5_file(const std::string& path);  // without HDF5: throws, and names the option
std::unique_ptr<ArrayFile> open_netcdf3_file(const std::string& path);
std::unique_ptr<ArrayFile> open_vtk_file(const std::string& path);
std::unique_ptr<ArrayFile> open_vti_file(const std::string& path);
// The same for one of several pieces: its points are counted from those of the whole, and always have their steps.
std::unique_ptr<ArrayFile> open_vti_piece(const std::string& path);
std::unique_ptr<ArrayFile> open_gadget_file(const std::string& path);
// Luminance of a picture, from 0 black to 1 white: array "luminance", the lowest row first.
std::unique_ptr<ArrayFile> open_picture_file(const std::string& path);
// Rows of numbers, as numpy.savetxt writes them: array "value", in the order of the file.
std::unique_ptr<ArrayFile> open_text_grid(const std::string& path);
inline constexpr std::uint64_t max_text_grid = 1 << 28;  // bytes
bool is_gadget(std::string_view head);                   // the first 8 bytes of a file

}  // namespace simreel
