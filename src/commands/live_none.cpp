// In a build without libmicrohttpd.

#include "base/error.h"
#include "commands/live.h"

namespace simreel {

std::unique_ptr<Live> open_live(const LiveOptions&) {
  throw UsageError("--live: this build has no server for it; configure with -DSIMREEL_LIVE=ON");
}

}  // namespace simreel
