// In a build without PNG.

#include <fmt/format.h>

#include "base/error.h"
#include "compare/picture.h"

namespace simreel {

Picture decode_png(const std::string&, const std::string& name) {
  throw UsageError(fmt::format("{}: this build cannot read PNG; configure with -DSIMREEL_PNG=ON", name));
}

}  // namespace simreel
