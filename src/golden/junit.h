#pragma once
// Results of a golden check as JUnit XML for CI systems: one test case per scene.

#include <string>
#include <vector>

#include "golden/check.h"

namespace simreel {

// What a result depends on besides the scenes.
struct CheckOrigin {
  std::string version, machine;  // of simreel; where it ran
};

// `suite` names the folder, `accept` is the command for each scene that can be accepted. Different and missing goldens
// are failures; scenes that cannot be read or rendered are errors.
std::string junit_xml(const std::string& suite, const CheckOrigin&, const std::vector<SceneCheck>&,
                      const std::vector<std::string>& accept);

}  // namespace simreel
