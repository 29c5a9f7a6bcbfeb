#pragma once
// Video files, written with libav in the containers of sink/outputs.h and codecs of codec.h. A file grows as
// NAME.mp4.part, which plays up to the last finished segment whatever happens to the run, and becomes NAME.mp4 with its
// index in front at the end.

#include <memory>
#include <string>
#include <vector>

#include "sink/sink.h"

namespace simreel {

std::unique_ptr<Sink> open_video(const std::string& target, const OutputOptions&, const StreamInfo&,
                                 Opening = Opening::real);

// The default extension of a video: ".mp4" unless it cannot hold the codec of [output].
std::string default_extension(const OutputOptions&);

// The codec of an .mp4 where the scene names none: "h264", or "h264_fast" where the FFmpeg that is linked has no x264.
std::string_view default_codec();

// Throws UsageError for an unknown codec name, even if no output is a video.
void refuse_unknown_codec(const OutputOptions&);

// A value of [output] codec, for `simreel info`.
struct VideoCodec {
  std::string name;                        // "h264"
  std::string encoder;                     // libav's: "libx264"
  std::vector<std::string> containers;     // ".mp4", ...
  std::string quality;                     // "20 (0 to 51)": default, best, worst; "lossless"; empty: no such scale
  std::string preset;                      // default; empty: the encoder has none
  std::vector<std::string> pixel_formats;  // the default first
  std::string note;                        // Markdown
  bool available = false;                  // whether the FFmpeg that is linked has the encoder
  std::string program;                     // that encodes it instead; empty: none
};
std::vector<VideoCodec> video_codecs();
// The same as a table of docs/outputs.md.
std::string codecs_markdown();

// The [output.options] that a scene may give, as a table in Markdown.
std::string options_markdown();

// "FFmpeg 5.1.9 (LGPL version 2.1 or later)": what is linked; empty without it.
std::string ffmpeg_in_words();

// Stops the libraries of FFmpeg from printing, for the whole process. Their messages about an error remain part of its
// text.
void silence_ffmpeg();

}  // namespace simreel
