#pragma once
// The layouts of animated pictures, for the table of outputs: as Container::animated has them.

#include <memory>

#include "sink/sink.h"

namespace simreel {

class AnimatedFormat;
class EncoderPlan;

// Throws UsageError for pictures larger than the format allows.
std::unique_ptr<AnimatedFormat> make_gif(const EncoderPlan&, const Tags&);
std::unique_ptr<AnimatedFormat> make_webp(const EncoderPlan&, const Tags&);
std::unique_ptr<AnimatedFormat> make_apng(const EncoderPlan&, const Tags&);

}  // namespace simreel
