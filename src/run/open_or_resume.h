#pragma once
// Opens the outputs and checkpoints of a run, fresh or resumed.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/checkpointer.h"
#include "sink/sink.h"

namespace simreel {

// Which checkpoints a run takes.
struct CheckpointOptions {
  std::optional<CheckpointInterval> interval = std::nullopt;  // empty: none on the way
  bool keep_end = false;                                      // one of a complete run, so that it can be extended

  bool any() const { return interval || keep_end; }
  CheckpointInterval or_none() const { return interval.value_or(CheckpointInterval{0, 0}); }
};

struct OpenRun {
  std::vector<std::unique_ptr<Sink>> sinks = {};
  std::unique_ptr<LoopStore> store = {};            // null: no loop
  std::unique_ptr<Checkpointer> checkpointer = {};  // null: no checkpoints
  const Checkpoint* resumed = nullptr;  // the state to resume from, owned by the checkpointer until it takes one
  std::string resume_limited_by = {};   // why a resumed run begins no later; empty: nothing did
};

// The checkpoint folder of a run with these outputs, next to the first one that is a file. Nullopt if none is a file,
// or if one is the standard output, which cannot be resumed.
std::optional<std::filesystem::path> checkpoint_folder(const std::vector<std::string>& outputs);

// The same for equal runs: of the version, the scene, its overrides, the outputs as seen from the folder of the first,
// and what the files hold that the run reads.
std::uint64_t fingerprint(const std::vector<std::string>& outputs, const StreamInfo&);

// That of the run whose checkpoint lies next to these outputs; nullopt where there is none, or another process works
// on it.
std::optional<std::uint64_t> newest_fingerprint(const std::vector<std::string>& outputs);

// How far a run with these outputs is, as the disk tells: nothing of it is there, or it has checkpoints to resume, or
// all outputs are whole, or it has diverged. Throws UsageError for outputs of which none is a file, or that come from
// another run, and where such a run named them in another order.
enum class RunStage { fresh, interrupted, complete, diverged };
RunStage find_stage(const std::vector<std::string>& outputs, const OutputOptions&, const StreamInfo&);
// Of a run at that stage.
Divergence find_divergence(const std::vector<std::string>& outputs);

// Opens a fresh run. Throws what open_sinks throws, and then leaves nothing behind.
OpenRun open_fresh(const std::vector<std::string>& outputs, const OutputOptions&, const StreamInfo&,
                   const CheckpointOptions&);

// Opens a run that resumes an interrupted one, or extends a complete one that kept its last state, from the newest
// checkpoint whose frames all outputs have, otherwise from the first frame. Throws UsageError if there is nothing to
// resume, if the scene, the --set arguments, the outputs or the version differ (with the key that does), if pictures
// depend on the number of frames of an extended run, and what open_sinks throws.
OpenRun open_interrupted(const std::vector<std::string>& outputs, const OutputOptions&, const StreamInfo&,
                         const CheckpointOptions&);

}  // namespace simreel
