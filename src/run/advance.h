#pragma once
// Advances a source from frame to frame and reacts to signals on the way.

#include <cstdint>
#include <functional>
#include <memory>

#include "run/loop.h"

namespace simreel {

// Advances the source to frame `frame` in portions, waiting for each, so that the run reacts to a signal quickly
// however much work is between two frames. Calls `pause` after each portion. Returns the signal that ended it, or 0.
int advance_to(const RenderJob&, Source&, std::int64_t frame, const std::function<void()>& pause);

// Opens the source of the run at its start; it gives up a long portion when the run is interrupted.
std::unique_ptr<Source> open_source(const RenderJob&);

}  // namespace simreel
