#pragma once
// One libav container file with one video stream, and what is done to such a file afterwards. Internal to the video
// sink.

#include <cstdint>
#include <filesystem>
#include <string>

#include "sink/av.h"
#include "sink/encoder_plan.h"
#include "sink/origin.h"
#include "sink/own_file.h"

namespace simreel {

class Muxer {
 public:
  // A growing file can be played up to the last end_segment, whenever the process dies. A complete one has its index in
  // front where its container allows that, and cannot be played before finish().
  enum class Form { growing, complete };

  // Writes the header to `file`, which is emptied first and must outlive this. Throws RuntimeError with the path, the
  // call and libav's words, as all do.
  Muxer(const OwnFile& file, const Container&, Form, const EncoderPlan&, const Tags&);
  ~Muxer();  // closes the file as it is
  Muxer(const Muxer&) = delete;
  Muxer& operator=(const Muxer&) = delete;

  void write(AVPacket&);  // timestamps in frames, see Segment; changes them
  void end_segment();     // what was written goes to the file as a piece that stands for itself
  void finish();          // the trailer, and what was buffered

 private:
  int close();

  const OwnFile& file_;
  AVFormatContext* context_ = nullptr;
  AVRational frame_time_;
};

// Writes the first `frames` frames of a growing file, or of a finished one, in segments. Returns how many there were.
std::int64_t copy_frames(const std::filesystem::path& name, const std::filesystem::path& handle, const EncoderPlan&,
                         std::int64_t frames, Muxer& to);

// Cuts the piece of a fragment off that a failed write left at the end of an MP4 or MOV; leaves a file it cannot
// change.
void cut_torn_fragment(const OwnFile&);

// How many whole frames a reader finds in a file, finished or not; 0 where it finds no video at all.
std::int64_t readable_frames(const OwnFile&, const EncoderPlan&);

}  // namespace simreel
