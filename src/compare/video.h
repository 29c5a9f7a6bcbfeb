#pragma once
// A video file, decoded frame by frame.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "compare/picture.h"

namespace simreel {

// Reads the best video stream of a file in one of the usual containers. Opens no other file, whatever the contents
// refer to. Decodes one frame ahead on its own thread; holds a few frames for a file of any length.
class VideoReader {
 public:
  // Throws UsageError, with libav's message, if there is no such file or nothing in it to decode.
  explicit VideoReader(const std::filesystem::path&);
  ~VideoReader();
  VideoReader& operator=(VideoReader&&) = delete;

  const std::string& name() const;
  std::string frame_rate() const;  // "30", "30000/1001"; "unknown"
  bool rotated() const;            // whether the file asks players to rotate or mirror it

  // Advances to the next frame in presentation order; false at the end. Throws UsageError for a damaged frame.
  bool next();
  std::int64_t index() const;  // of the current frame; the first one is 0
  Size size() const;           // of the current frame
  bool rounded() const;        // Picture::rounded of the current frame
  bool matrix_named() const;   // whether the current frame names its colour matrix or needs none

  // The current frame as opaque RGB, or RGBA if the video has alpha; deeper channels are rounded to 8 bits. YUV is
  // converted with the stream's matrix and range, or BT.709 in limited range if it names none.
  Picture picture();

  // The same by rows: row y, stored in `room` (size().width pixels) or elsewhere. After prepare_rows was called for
  // this frame, any thread may ask for any row.
  void prepare_rows();
  const Color* row(int y, Color* room) const;

  // Whether the current frames have equal stored data, so that their pictures are equal. Much faster than comparing
  // pictures. False: not known.
  bool stored_alike(const VideoReader&) const;
  // The same for a row, if the frames have the same layout.
  bool row_stored_alike(const VideoReader&, int y) const;
  bool same_layout(const VideoReader&) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace simreel
