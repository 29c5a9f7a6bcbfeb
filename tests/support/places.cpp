#include "tests/support/places.h"

#include <cstdlib>

namespace simreel::test {

// The one file that knows the build's folder, so that compiler caches serve every clone.
std::filesystem::path root() {
  const char* const bundle = std::getenv("SIMREEL_ROOT");
  return bundle ? bundle : SIMREEL_ROOT;
}

}  // namespace simreel::test
