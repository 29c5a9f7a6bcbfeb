// In a build without FFmpeg's libraries.

#include "base/error.h"
#include "sink/animated/layouts.h"
#include "sink/video/video.h"

namespace simreel {
namespace {

[[noreturn]] void refuse(const std::string& target) {
  throw UsageError("{}: this build has no video encoders; configure with -DSIMREEL_VIDEO=ON", target);
}

}  // namespace

std::unique_ptr<Sink> open_video(const std::string& target, const OutputOptions&, const StreamInfo&, Opening) {
  refuse(target);
}

std::string default_extension(const OutputOptions&) { return ".mp4"; }
std::string_view default_codec() { return "h264"; }
void refuse_unknown_codec(const OutputOptions&) {}
std::vector<VideoCodec> video_codecs() { return {}; }
std::string codecs_markdown() { return ""; }
std::string options_markdown() { return ""; }
std::string ffmpeg_in_words() { return ""; }
void silence_ffmpeg() {}

// For the table of outputs only: open_video comes first.
std::unique_ptr<AnimatedFormat> make_gif(const EncoderPlan&, const Tags&) { refuse("a GIF"); }
std::unique_ptr<AnimatedFormat> make_webp(const EncoderPlan&, const Tags&) { refuse("a WebP"); }
std::unique_ptr<AnimatedFormat> make_apng(const EncoderPlan&, const Tags&) { refuse("an APNG"); }

}  // namespace simreel
