#pragma once
// Packs the values of a view without gaps, in the layout of data files.

#include <cstddef>
#include <cstdint>

#include "base/state.h"
#include "exec/executor.h"
#include "kernels/base/view.h"

namespace simreel {

StateLayout state_layout(const View&);

// Writes state_layout(view).bytes() bytes to `to`: executor memory, aligned to 32 bytes. Asynchronous on a GPU.
void pack_view(const Executor&, const View&, std::byte* to);

// Writes the map of solid cells of a field, which follows its values in such a file: a byte a cell, 1 if it is solid.
// Returns whether there is one. Asynchronous on a GPU.
bool pack_solid(const Executor&, const View&, std::byte* to);

// Writes FieldView::cell of a field without gaps: nx * ny of them. Nothing where it is null. Asynchronous on a GPU.
void pack_cells(const Executor&, const View&, std::int8_t* to);

}  // namespace simreel
