#pragma once
// The floating-point types of states, for all solvers.

#include <string_view>

namespace simreel {

enum class Precision { float32, float64, float16 };

// As the key `precision` names them, in the order of the enum.
inline constexpr std::string_view precision_names[] = {"float", "double", "half"};

}  // namespace simreel
