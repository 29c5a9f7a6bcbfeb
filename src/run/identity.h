#pragma once
// What a run is: a checkpoint belongs to a run of the same version, scene, overrides, outputs and input files.

#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "sink/sink.h"

namespace simreel {

// The blocks of a checkpoint that identify the run; their names begin with run_prefix.
Checkpoint identity(const std::vector<std::string>& outputs, const StreamInfo&);

// The outputs of the run that a checkpoint is of, in the order of its command.
std::vector<std::string> outputs_of(const Checkpoint& run);

// Describes the first difference between the runs of two checkpoints; empty if there is none. Numbers of frames given
// by
// --frames or --set do not count with Frames::any.
enum class Frames { same, any };
std::string difference(const Checkpoint& before, const Checkpoint& now, Frames = Frames::same);

// Whether they differ in such numbers, and in nothing else.
bool differ_in_frames_only(const Checkpoint& before, const Checkpoint& now);

// Gives `run` the identity of another.
void identify(Checkpoint& run, const Checkpoint& identity);

}  // namespace simreel
