#pragma once
// The options of an encoder: those of its codec, with those of [output] over them, and what the run decides alone.

#include <cstdint>
#include <functional>
#include <string>

#include "sink/sink.h"
#include "sink/video/av.h"
#include "sink/video/codecs.h"

namespace simreel {

inline constexpr std::int64_t decided_flags =
    AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_CLOSED_GOP | AV_CODEC_FLAG_GLOBAL_HEADER;

// Throws UsageError for an option, or an entry of a list of parameters, that the codec's row does not allow: others may
// name a file, which the encoder would open.
void refuse_what_is_not_allowed(const Codec&, const OutputOptions&);

// Where the scene gives a key of [output], to begin a message.
std::string place_before(const OutputOptions&, const std::string& key);

// In the codec's own scale. Throws UsageError if it is not one of its values.
double quality_of(const Codec&, const PixelFormat&, const OutputOptions&);

// Throws UsageError for two names of one option, and for words that the encoder does not know.
void set_options(AvOptions& to, const Codec&, const PixelFormat&, const OutputOptions&, Size);

// Throws UsageError for an option that changes what the run decides. `prepared` makes a context as the run has it: a
// libav option may have several names, so each is tried on one of its own.
void refuse_what_is_decided(const OutputOptions&, const std::function<AvPtr<AVCodecContext>()>& prepared);

// The key of the option that libav's words name ("Error setting option g to value x"), or else of the codec.
std::string named_option(const OutputOptions&, const std::string& words);

// The key of an encoder's own list of parameters, "options.x264-params"; empty where the scene gives none.
std::string parameter_list(const OutputOptions&);

}  // namespace simreel
