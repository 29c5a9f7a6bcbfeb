#pragma once
// Whether bodies can be drawn.

#include <cstddef>

#include "exec/executor.h"
#include "kernels/base/view.h"

namespace simreel {

std::size_t finite_scratch_bytes(std::size_t count);

// Whether all numbers are finite and no w, which is a mass, is negative. `scratch`: finite_scratch_bytes of executor
// memory, aligned to 4 bytes. Waits for the executor.
template <class Real>
bool all_finite(const Executor&, const Vec4<Real>*, std::size_t count, void* scratch);

}  // namespace simreel
