#pragma once
// What a run needs to know of its scene, and what it takes, before anything is made.

#include <cstddef>
#include <string>

#include "exec/executor.h"
#include "raster/rasterizer.h"
#include "scene/scene.h"
#include "sink/sink.h"
#include "source/source.h"

namespace simreel {

// What a rasterizer needs to know of the scene beside [view].
ParticleStage particle_stage(const Scene&, const SourcePlan&);

// Where frames go if the user does not say: [output] path, or the scene's name with an extension for its codec.
std::string default_output(const Scene&);

// What sinks need to know of the scene.
StreamInfo stream_info(const Scene&, const SourcePlan&, bool overwrite);

// Bytes of a checkpoint of the run.
std::size_t saved_bytes(const Scene&, const SourcePlan&);

// Memory of a run in bytes: on the executor, and on the host beside it; on the CPU it is all one, and `host` is 0.
struct RenderMemory {
  std::size_t executor = 0, host = 0;
  std::size_t trails = 0;  // the part of `executor` that remembers the paths of bodies
};
RenderMemory render_memory(const Scene&, const SourcePlan&, const Executor&, const SinkNeeds&);

}  // namespace simreel
