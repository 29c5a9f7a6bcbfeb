#pragma once
// A view's values side by side, as data files hold them.

#include <cstddef>

#include "base/state.h"
#include "exec/executor.h"
#include "kernels/base/view.h"

namespace simreel {

StateLayout state_layout(const View&);

// Copies the view into state_layout(view).bytes() bytes at `to`: executor memory, aligned to 32 bytes. Asynchronous on
// a GPU.
void pack_view(const Executor&, const View&, std::byte* to);

}  // namespace simreel
