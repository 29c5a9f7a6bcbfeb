#pragma once
// A video file, decoded frame by frame.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "compare/picture.h"

namespace simreel {

// Reads the best video stream of a file in one of the usual containers. Nothing but the file itself is opened, whatever
// stands in it. Decodes one frame ahead on a thread of its own; holds a few frames, whatever the file's length.
class VideoReader {
 public:
  // Throws UsageError, with libav's words, where there is no such file or nothing in it to decode.
  explicit VideoReader(const std::filesystem::path&);
  ~VideoReader();
  VideoReader(const VideoReader&) = delete;
  VideoReader& operator=(const VideoReader&) = delete;

  const std::string& name() const;
  std::string frame_rate() const;  // "30", "30000/1001"; "unknown"
  bool rotated() const;            // the file asks to be shown turned or mirrored

  // Goes to the next frame in the order of display; false at the end. Throws UsageError for a frame that is damaged.
  bool next();
  std::int64_t index() const;  // of the current frame; the first one is 0
  Size size() const;           // of the current frame
  bool rounded() const;        // as Picture says, of the current frame
  bool matrix_named() const;   // the current frame says which, or needs none

  // The current frame as opaque RGB, or RGBA where the video has alpha; deeper channels are rounded to 8 bits. YUV is
  // converted by the stream's own matrix and range, where it names none by BT.709 in limited range.
  Picture picture();

  // The same by rows: row y, in `room` for size().width pixels or elsewhere. Any thread may ask for any row, once
  // prepare_rows was called for this frame.
  void prepare_rows();
  const Color* row(int y, Color* room) const;

  // The current frames are stored alike, so that their pictures are equal. Much faster than comparing those. False says
  // nothing.
  bool stored_alike(const VideoReader&) const;
  // The same of a row, where the frames have the same layout.
  bool row_stored_alike(const VideoReader&, int y) const;
  bool same_layout(const VideoReader&) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace simreel
