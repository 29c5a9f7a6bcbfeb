#pragma once
// The beginning of a run: its outputs and its checkpoints are opened, fresh or as an interrupted run left them.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/checkpointer.h"
#include "sink/sink.h"

namespace simreel {

struct OpenRun {
  std::vector<std::unique_ptr<Sink>> sinks;
  std::unique_ptr<Checkpointer> checkpointer;  // null: the run takes no checkpoints
  const Checkpoint* resumed = nullptr;         // what it goes on from, owned by the checkpointer until it takes another
};

// Where the checkpoints of a run with these outputs lie: beside the first that is a file. Nothing where none is, or
// where one is the standard output, which cannot be resumed.
std::optional<std::filesystem::path> checkpoint_folder(const std::vector<std::string>& outputs);

// A run that begins. Throws what open_sinks throws; nothing is left behind then. Without an interval it takes no
// checkpoints.
OpenRun open_fresh(const std::vector<std::string>& outputs, const OutputOptions&, const StreamInfo&,
                   std::optional<CheckpointInterval>);

// A run that goes on where an interrupted one can be gone on with: the newest checkpoint whose frames all outputs have,
// and else its first frame. Throws UsageError where there is nothing to resume, where the scene, the --set arguments,
// the outputs or the version differ (it says which key does), and what open_sinks throws.
OpenRun open_interrupted(const std::vector<std::string>& outputs, const OutputOptions&, const StreamInfo&,
                         std::optional<CheckpointInterval>);

}  // namespace simreel
