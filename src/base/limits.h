#pragma once
// How much a file may ask for that a scene, a figure or a golden folder names. docs/security.md lists these rows, and
// tests/base/limits_test.cpp compares.

#include <array>
#include <cstdint>
#include <string_view>

namespace simreel::limits {

inline constexpr std::uint64_t image_pixels = std::uint64_t{1} << 26;
inline constexpr std::uint64_t scene_image_pixels = std::uint64_t{1} << 27;
inline constexpr std::uint64_t figure_image_pixels = std::uint64_t{3} << 26;
inline constexpr std::uint64_t picture_pixels = std::uint64_t{16384} * 16384;  // the largest [view] size
inline constexpr std::uint64_t picture_bytes = std::uint64_t{1} << 30;
inline constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 24;
inline constexpr std::uint64_t text_bytes = std::uint64_t{1} << 26;
inline constexpr std::uint64_t unpacked_bytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t group_depth = 64;
inline constexpr std::uint64_t grains = std::uint64_t{1} << 21;
inline constexpr std::uint64_t formula_bytes = 4096;
inline constexpr std::uint64_t formula_parts = 4000;
inline constexpr std::uint64_t formula_levels = 200;
inline constexpr std::uint64_t stencil_reach = 8;

struct Row {
  std::string_view what;
  std::uint64_t max;
};
inline constexpr std::array table = {
    Row{"pixels of an image that a scene or figure names (PNG, JPEG, BMP)", image_pixels},
    Row{"pixels of all images that a scene reads, and of all as its overlays draw them", scene_image_pixels},
    Row{"pixels of all images that a figure and its scenes read", figure_image_pixels},
    Row{"pixels of a picture that is compared", picture_pixels},
    Row{"bytes of a picture that is compared", picture_bytes},
    Row{"bytes of texts within a picture, unpacked", chunk_bytes},
    Row{"bytes of a .hashes or .csv file", text_bytes},
    Row{"bytes of an array of a packed .npz file, unpacked", unpacked_bytes},
    Row{"groups within each other in an HDF5 file", group_depth},
    Row{"grains of all obstacles of the shape \"porous\"", grains},
    Row{"bytes of a formula", formula_bytes},
    Row{"parts of a formula, or of all equations of a scene", formula_parts},
    Row{"parentheses, operators and names of formulas within each other", formula_levels},
    Row{"cells away that an equation reads, through all its operators and fields", stencil_reach},
};

}  // namespace simreel::limits
