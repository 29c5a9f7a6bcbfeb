#pragma once
// Opens the outputs and checkpoints of a run, fresh or resumed.

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
  std::unique_ptr<Checkpointer> checkpointer;  // null: no checkpoints
  const Checkpoint* resumed = nullptr;         // the state to resume from, owned by the checkpointer until it takes one
};

// The checkpoint folder of a run with these outputs, beside the first one that is a file. Nullopt if none is a file, or
// if one is the standard output, which cannot be resumed.
std::optional<std::filesystem::path> checkpoint_folder(const std::vector<std::string>& outputs);

// Opens a fresh run. Throws what open_sinks throws, and then leaves nothing behind. Without an interval the run takes
// no checkpoints.
OpenRun open_fresh(const std::vector<std::string>& outputs, const OutputOptions&, const StreamInfo&,
                   std::optional<CheckpointInterval>);

// Opens a run that resumes an interrupted one, from the newest checkpoint whose frames all outputs have, otherwise from
// the first frame. Throws UsageError if there is nothing to resume, if the scene, the --set arguments, the outputs or
// the version differ (with the key that does), and what open_sinks throws.
OpenRun open_interrupted(const std::vector<std::string>& outputs, const OutputOptions&, const StreamInfo&,
                         std::optional<CheckpointInterval>);

}  // namespace simreel
