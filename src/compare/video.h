#pragma once
// A video file, decoded frame by frame.

#include <cstdint>
#include <filesystem>
#include <memory>

#include "compare/picture.h"

namespace simreel {

// Reads the first video stream of any file that libav understands. Holds a few frames, whatever the file's length.
class VideoReader {
 public:
  // Throws UsageError, with libav's words, where there is no such file or nothing in it to decode.
  explicit VideoReader(const std::filesystem::path&);
  ~VideoReader();
  VideoReader(const VideoReader&) = delete;
  VideoReader& operator=(const VideoReader&) = delete;

  // Decodes the next frame in the order of display; false at the end. Throws UsageError for a frame that is damaged.
  bool next();
  std::int64_t index() const;  // of the current frame; the first one is 0
  Size size() const;           // of the current frame

  // The current frame as opaque RGB, or RGBA where the video has alpha; deeper channels are rounded to 8 bits. YUV is
  // converted by the stream's own matrix and range, where it names none by BT.709 in limited range.
  Picture picture();

  // The current frames are stored alike, so that their pictures are equal. Much faster than comparing those. False says
  // nothing.
  bool stored_alike(const VideoReader&) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace simreel
