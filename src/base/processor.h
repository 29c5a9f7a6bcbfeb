#pragma once
// Whether this processor has the instructions that the inner loops use without asking.

#include <string>

namespace simreel {

// Why simreel cannot run here; empty: it can.
std::string processor_problem();

}  // namespace simreel
