// In a build without PNG.

#include "base/error.h"
#include "compare/picture.h"

namespace simreel {

Picture decode_png(const std::string&, const std::string& name) {
  throw UsageError("{}: this build cannot read PNG; configure with -DSIMREEL_PNG=ON", name);
}

}  // namespace simreel
