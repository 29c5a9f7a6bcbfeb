#pragma once
// Frames that are chosen by their time.

#include <cstdint>
#include <string>
#include <vector>

#include "scene/scene.h"
#include "source/source.h"

namespace simreel {

// The frame nearest to a simulated time, in the unit that the scene's labels have. Throws UsageError, without a place,
// for a time outside the scene, or if the source does not say the time between frames.
std::int64_t frame_at(const Scene&, const SourcePlan&, double time);

// The time of a frame of the scene, in that unit. Throws as `frame_at` does.
double time_at(const Scene&, const SourcePlan&, std::int64_t frame);

// The frames of `--at`, increasing: "0,3.2,5" are times, "frame:40" is a frame. Throws UsageError for a text that is
// none of them, for what is outside the scene, and for two that are the same frame.
std::vector<std::int64_t> stills_at(const Scene&, const SourcePlan&, const std::string& list);

// Throws UsageError for an output that cannot hold so many pictures, and for videos.
void check_stills(const std::vector<std::string>& outputs, std::size_t count);

}  // namespace simreel
