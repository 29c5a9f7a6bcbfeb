#pragma once
// Makes what a scene shows now the accepted golden.

#include <string>
#include <vector>

#include "golden/capture.h"
#include "golden/folder.h"

namespace simreel {

// Names of files in the folder.
struct Acceptance {
  std::vector<std::string> written, removed;
};

// Writes the hashes and stills that are not there or not as captured, each as a whole or not at all, and takes away
// stills of this scene that [golden] does not name. A still of the same pixels is left as it is. Throws RuntimeError
// for a capture that diverged or was ended early: nothing is touched then.
Acceptance accept_capture(const GoldenFolder&, const std::string& name, const Scene&, const Capture&);

}  // namespace simreel
