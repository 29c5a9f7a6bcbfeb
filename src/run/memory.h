#pragma once
// The memory of a run, before anything is allocated.

#include <cstddef>
#include <vector>

#include "encode/packets.h"
#include "exec/executor.h"
#include "scene/scene.h"
#include "sink/sink.h"
#include "source/rank_memory.h"
#include "source/solver.h"

namespace simreel {

// The size of a checkpoint of the run in bytes.
std::size_t saved_bytes(const Scene&, const SourcePlan&);

// The part of it that this host keeps in memory from the first checkpoint on: all of it, but of a grid that lies in
// processes of several hosts about the share of this one, if they see the folder of the checkpoints.
std::size_t kept_bytes(const Scene&, const SourcePlan&);

// The memory of a run in bytes: on the executor, and on the host. On the CPU `executor` counts both, and `host` is 0.
struct RenderMemory {
  std::size_t executor = 0, host = 0;
  std::size_t trails = 0;              // the part of `executor` for the history of trails
  std::size_t solver = 0;              // the part of both for the state
  std::size_t outputs = 0;             // and for encoders and files; the rest is for pictures
  std::vector<RankMemory> ranks = {};  // of several, with what the first one writes; check_memory fills it in
  PacketPlan packets = {};             // of sinks that want packets; counted in the others
  std::size_t spare = 0;               // more of the executor's that the run may take; check_memory finds it
};
RenderMemory render_memory(const Scene&, const SolverPlan&, const Executor&, const SinkNeeds&);

// The memory of a run with these sinks. Throws UsageError, with the place of the key to reduce, if it does not fit.
RenderMemory check_memory(const Scene&, const SolverPlan&, const Executor&, const SinkNeeds&);

}  // namespace simreel
