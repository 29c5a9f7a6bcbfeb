#pragma once
// The parameters of a run that follow from its scene, and its memory, before anything is allocated.

#include <cstddef>
#include <string>
#include <vector>

#include "encode/packets.h"
#include "exec/executor.h"
#include "ranks/memory.h"
#include "scene/scene.h"
#include "sink/sink.h"
#include "source/solver.h"

namespace simreel {

// The parameters of a rasterizer that are not in [view].
ParticleStage particle_stage(const Scene&, const SourcePlan&);

// Gives the scene the size of picture that [figure] width asks for, and the transparent background of labels alone
// (`only`); changes nothing without these keys. To be called before anything else sees the size. Throws UsageError for
// labels that do not fit.
void fit_to_print(Scene&, const SourcePlan&);

// The output of a run without -o: [output] path, or the scene's name with an extension for its codec.
std::string default_output(const Scene&);

// The parameters of sinks.
StreamInfo stream_info(const Scene&, const SourcePlan&, bool overwrite);

// The size of the packed state of one frame in bytes, with all fields that outputs of the state contain.
std::size_t state_bytes(const SourcePlan&);

// The size of a checkpoint of the run in bytes.
std::size_t saved_bytes(const Scene&, const SourcePlan&);

// The part of it that this host keeps in memory from the first checkpoint on: all of it, but of a grid that lies in
// processes of several hosts about the share of this one, if they see the folder of the checkpoints.
std::size_t kept_bytes(const Scene&, const SourcePlan&);

// The memory of a run in bytes: on the executor, and on the host. On the CPU `executor` counts both, and `host` is 0.
struct RenderMemory {
  std::size_t executor = 0, host = 0;
  std::size_t trails = 0;         // the part of `executor` for the history of trails
  std::vector<RankMemory> ranks;  // of several, with what the first one writes; check_memory fills it in
  PacketPlan packets = {};        // of sinks that want packets; counted in the others
};
RenderMemory render_memory(const Scene&, const SolverPlan&, const Executor&, const SinkNeeds&);

// The outputs of a user or, where it names none, of the scene. Throws UsageError, with the place of the scene's `path`,
// if that names no kind of output.
std::vector<std::string> outputs_of(const std::vector<std::string>& given, const Scene&);

// The memory of a run with these sinks. Throws UsageError, with the place of the key to reduce, if it does not fit.
RenderMemory check_memory(const Scene&, const SolverPlan&, const Executor&, const SinkNeeds&);

std::string format_bytes(double bytes);  // "3.1 MiB"

}  // namespace simreel
