#pragma once
// Whether the first frame of a run will show its bodies, known before the run.

#include <optional>
#include <string>

#include "exec/executor.h"
#include "raster/rasterizer.h"
#include "scene/scene.h"
#include "source/source.h"

namespace simreel {

// Why the first frame shows no body, and a way out. Nullopt if it shows one or a field, and where nothing is known: a
// first frame after step 0 has to be computed, and more than a million bodies take long to make.
std::optional<std::string> unseen_at_start(const Scene&, const SourcePlan&, const Executor&, Rasterizer&);

}  // namespace simreel
