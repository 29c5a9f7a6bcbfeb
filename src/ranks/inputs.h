#pragma once
// Whether all processes read the same files: those of a scene may lie on each host.

#include <string>
#include <vector>

#include "exec/communicator.h"

namespace simreel {

// For rank 0: throws UsageError if another rank has other contents under one of these names; the others tell theirs.
// Reads the files. Collective, with the same names on all ranks.
void refuse_other_inputs(const Communicator&, const std::vector<std::string>& files);

}  // namespace simreel
