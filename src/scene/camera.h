#pragma once
// The keys of [camera]. Only load.cpp includes this.

#include "scene/scene.h"

namespace simreel {

// Reads [camera] with its key frames. Throws UsageError.
CameraOptions read_camera(Table camera);

// Throws UsageError for a key frame after the last frame, unless --set makes the video shorter than the scene has it.
void refuse_keys_after_the_end(const CameraOptions&, const Table& animation, const AnimationOptions&);

}  // namespace simreel
