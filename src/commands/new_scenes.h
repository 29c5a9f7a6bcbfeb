#pragma once
// One commented scene for each solver, to begin with.

#include <span>
#include <string_view>

namespace simreel {

struct NewScene {
  std::string_view kind;  // of the solver
  std::string_view text;  // the whole file
};
std::span<const NewScene> new_scenes();

}  // namespace simreel
