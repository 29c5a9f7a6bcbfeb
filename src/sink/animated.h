#pragma once
// Animated pictures (GIF, WebP, APNG): encoded in segments like every video, laid out by an AnimatedFormat. Internal to
// the video sink.

#include <memory>
#include <string>

#include "sink/codec.h"
#include "sink/encoder_plan.h"
#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_animated(const std::string& target, const Container&, EncoderPlan, int encoders,
                                    const StreamInfo&, Opening);

}  // namespace simreel
