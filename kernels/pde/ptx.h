#pragma once
// A pass as PTX text, which a GPU's driver compiles. Every operation says how it rounds, so that nothing is contracted.
// A thread computes four cells of each of some rows, and intermediates where it needs them; it also writes what lies
// beyond periodic and mirroring sides.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/pde/pass.h"

namespace simreel {

inline constexpr int pde_quad = 4;                       // cells of a thread in a row
inline constexpr int pde_block_x = 32, pde_block_y = 8;  // threads of a block
enum PdeFlags : std::int32_t { pde_periodic_x = 1, pde_periodic_y = 2, pde_fill_columns = 4, pde_fill_rows = 8 };

// A kernel `name`, and what must come before all kernels of a text. Empty if the text would be too long to compile.
// Arguments: the inputs, the outputs, the uniforms as Real, seed and number (64 bits), and as 32 bits nx, ny, pitch,
// the rows from and to, y0, whole_ny, halo, flags. Threads are blocks of pde_block_x by pde_block_y.
template <class Real>
std::optional<std::string> pde_ptx(const PdePass&, int uniforms, int rows, std::string_view name);
std::string pde_ptx_head(const PdePass&);

// The functions that nvcc compiled to PTX when the program was built; empty in a build without CUDA.
std::string_view pde_functions();

}  // namespace simreel
