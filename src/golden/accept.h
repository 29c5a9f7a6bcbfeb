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

// Writes the hashes and stills that are missing or differ from the capture, each file atomically, and removes stills of
// this scene that [golden] does not list. A still with the same pixels is not rewritten. Throws RuntimeError for a
// capture that diverged or ended early, and then changes nothing.
Acceptance accept_capture(const GoldenFolder&, const std::string& name, const Scene&, const Capture&);

}  // namespace simreel
