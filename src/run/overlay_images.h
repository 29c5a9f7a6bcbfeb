#pragma once
// The images of [[overlay]].

#include <string>
#include <vector>

#include "scene/overlay.h"

namespace simreel {

// Reads those that are not read yet. Throws UsageError, with the place, for files that are no such images.
void load_overlay_images(std::vector<OverlayOptions>&);

// The files that they come from.
std::vector<std::string> image_files(const std::vector<OverlayOptions>&);

}  // namespace simreel
