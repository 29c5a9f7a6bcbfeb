#pragma once
// Accepts the current frames of a scene as its golden.

#include <string>
#include <vector>

#include "golden/capture.h"
#include "golden/folder.h"

namespace simreel {

// Names of files in the folder.
struct Acceptance {
  std::vector<std::string> written, removed;
};

enum class Accept {
  only,     // what the scene shows becomes all that is accepted of it
  also,     // it becomes one more set, unless a set that is there passes
  dry_run,  // as `only`, but no file is changed
};

// Writes the files of a scene that are missing or differ from the capture, each atomically, and removes stills, numbers
// and sets that are accepted no more. A still with the same pixels is not rewritten. Throws RuntimeError for a capture
// that diverged or ended early, and then changes nothing.
Acceptance accept_capture(const GoldenFolder&, const std::string& name, const Scene&, const Capture&, Accept);

}  // namespace simreel
