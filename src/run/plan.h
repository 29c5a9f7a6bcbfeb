#pragma once
// The parameters of a run that follow from its scene, its overlay images, and the frames that --at names.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "picture/rasterizer.h"
#include "scene/overlay.h"
#include "scene/scene.h"
#include "sink/sink.h"
#include "source/solver.h"
#include "source/source.h"

namespace simreel {

// The parameters of a rasterizer that are not in [view].
DrawContext draw_context(const Scene&, const SourcePlan&);

// Gives the scene the size of picture that [figure] width asks for, and the transparent background of labels alone
// (`only`); changes nothing without these keys. To be called before anything else sees the size. Throws UsageError for
// labels that do not fit.
void fit_to_print(Scene&, const SourcePlan&);

// The output of a run without -o: [output] path, or the scene's name with an extension for its codec.
std::string default_output(const Scene&);

// The parameters of sinks.
StreamInfo stream_info(const Scene&, const SourcePlan&, bool overwrite);

// The size of the packed state of one frame in bytes, with all fields that outputs of the state contain.
std::size_t state_bytes(const SourcePlan&);

// The outputs of a user or, where it names none, of the scene. Throws UsageError, with the place of the scene's `path`,
// if that names no kind of output.
std::vector<std::string> outputs_of(const std::vector<std::string>& given, const Scene&);

// The images of [[overlay]].
// Reads those that are not read yet. Throws UsageError, with the place, for files that are no such images.
void load_overlay_images(std::vector<OverlayOptions>&);

// The files that they come from.
std::vector<std::string> image_files(const std::vector<OverlayOptions>&);

// Frames that are chosen by their time.
// The frame nearest to a simulated time, in the unit that the scene's labels have. Throws UsageError, without a place,
// for a time outside the scene, or if the source does not say the time between frames.
std::int64_t frame_at(const Scene&, const SourcePlan&, double time);
// That nearest to a date, "2001-03-05" or "2001-03-05 12:30", of a source with dates.
std::int64_t frame_at(const Scene&, const SourcePlan&, const std::string& date);

// The time of a frame of the scene, in that unit. Throws as `frame_at` does.
double time_at(const Scene&, const SourcePlan&, std::int64_t frame);

// The frames of `--at`, increasing: "0,3.2,5" are times, "2001-03-05" is a date, "frame:40" a frame. Throws UsageError
// for a text that is none of them, for what is outside the scene, and for two that are the same frame.
std::vector<std::int64_t> stills_at(const Scene&, const SourcePlan&, const std::string& list);

// Throws UsageError for an output that cannot hold so many pictures, and for videos.
void check_stills(const std::vector<std::string>& outputs, std::size_t count);

}  // namespace simreel
