// In a build without PNG.

#include "base/error.h"
#include "sink/picture/png_sinks.h"

namespace simreel {
namespace {

[[noreturn]] void refuse(const std::string& target) {
  throw UsageError("{}: this build has no PNG; configure with -DSIMREEL_PNG=ON", target);
}

}  // namespace

std::unique_ptr<Sink> open_png_sequence(const std::string& target, const OutputOptions&, const StreamInfo&, Opening) {
  refuse(target);
}

std::unique_ptr<Sink> open_png(const std::string& target, const OutputOptions&, const StreamInfo&, Opening) {
  refuse(target);
}

}  // namespace simreel
