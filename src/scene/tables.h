#pragma once
// The tables of a scene that have a file of their own. Each function reads the keys of its table and throws UsageError.

#include "scene/scene.h"

namespace simreel {

// [camera] with its key frames.
CameraOptions read_camera(Table camera);

// Throws UsageError for a key frame of a table, "camera.key", that comes after the last frame.
void refuse_after_the_end(std::string_view table, double time, const Position&, const AnimationOptions&,
                          bool has_duration);

// [view]; a colormap's path starts at the scene's folder.
ViewOptions read_view(Table view, const Scene&);

// [view.particles].
ParticleLook read_particle_look(Table& view);

// The keys of [view] for bodies.
void read_light(Table& view, ViewOptions&);

// [animation]. `ends`: only the input, or the caller, knows how many frames there are; `all`: these are meant.
AnimationOptions read_animation(Table animation, bool ends, bool all);

// Of [animation]: "fps"; "duration" in seconds, nullopt where it is not given or "frames" overrides it; the speed of
// the frames, what of them is written, and how it begins and ends.
void read_fps(Table& animation, AnimationOptions&);
std::optional<double> read_duration(Table& animation, std::string_view name = "[animation]");
void read_part(Table& animation, AnimationOptions&);

// [output] with [output.options]; its path starts at the scene's folder.
OutputOptions read_output(Table output, const Scene&);

}  // namespace simreel
