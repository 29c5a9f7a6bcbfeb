#pragma once
// kind = "data": states that other programs computed, read from their files. docs/data.md is its manual.

#include "source/solver.h"

namespace simreel {

SolverKind data_source();

}  // namespace simreel
