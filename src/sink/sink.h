#pragma once
// Where frames go. One sink is one `-o`; it is used from one thread of its own (see ring.h).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/pixels.h"
#include "base/state.h"
#include "files/part_file.h"
#include "scene/scene.h"

namespace simreel {

// One finished frame in host memory. Everything it points to is valid during Sink::write only.
struct Frame {
  std::int64_t index = 0;               // 0 for the first frame of the animation
  const std::byte* pixels = nullptr;    // in the sink's layout, frame_bytes() long; null where the sink asks for none
  std::span<const double> diagnostics;  // one value a name; empty unless a sink of the run asked for them
  State state = {};                     // its values are null unless a sink of the run asked for them
};

class Sink {
 public:
  // An unfinished sink takes its partial file away if no frame was written, and leaves it as NAME.part otherwise.
  virtual ~Sink() = default;

  virtual std::optional<PixelLayout> layout() const = 0;  // nothing: no pixels wanted
  virtual bool wants_diagnostics() const { return false; }
  virtual bool wants_state() const { return false; }

  // Frames come in order, without gaps. Throws RuntimeError with the path and the library's or system's own words.
  virtual void write(const Frame&) = 0;
  // Completes the output: flush, trailer, fsync, rename to the final name. Called once, also when a run ends early.
  virtual void finish() = 0;

  // A run can be resumed at frames that are multiples of this only; for a video: the frames of a segment.
  virtual std::int64_t stride() const { return 1; }
  // How many of the first frames a crash of the process would leave in the output, whole and without a gap; for a
  // video: those of the segments that are in the .part file and synced. Asked from another thread. An output that needs
  // nothing of earlier frames says the largest number.
  virtual std::int64_t safe_frames() const { return std::numeric_limits<std::int64_t>::max(); }
  // Brings those frames to where a power cut leaves them, too. Called from another thread. Throws RuntimeError; the
  // sink then cannot be finished either.
  virtual void sync() const {}

  // Time spent so far, in seconds of all its threads together: making the output's form of the frames, and writing
  // files. Both 0: not told apart. Asked when the sink is finished.
  struct Times {
    double encode = 0, write = 0;
  };
  virtual Times times() const { return {}; }

  // In what the output will differ from what was asked for, its name in front. open_sinks logs them.
  virtual std::vector<std::string> remarks() const { return {}; }

  // About how much host memory the sink holds at its peak, in bytes; the frames of the ring are not part of it.
  virtual std::size_t memory_bytes() const { return 0; }
};

// What a sink needs to know of the run before the first frame.
struct StreamInfo {
  Size size;  // of the picture; a sink pads by itself where it must (pixels.h)
  int fps_numerator = 60, fps_denominator = 1;
  std::int64_t frames = 0;               // planned; a run may end early
  std::vector<std::string> diagnostics;  // names
  std::string field;                     // the name of the viewed one, for files that hold the state
  std::size_t state_bytes = 0;           // of one frame
  bool alpha = false;                    // the background is not opaque
  std::string title;
  std::string scene_text;  // stored in the output with the overrides, so a result names its origin
  std::vector<std::string> overrides;
  bool overwrite = false;
  // Frames that the output of an interrupted run has already, a multiple of Sink::stride: the sink finds what that run
  // left (NAME.part, or NAME where it was still finished), cuts it back to exactly so many frames, and goes on with the
  // frame of this number. What lies under its final names is replaced. Throws MissingFrames where fewer are there. 0: a
  // fresh output.
  std::int64_t resume = 0;
  int encoders = 0;  // of a video that work at once; 0: as many as the machine's cores and memory allow
  // Files the run reads: never written, not even with `overwrite`, and a run is resumed only while they are as they
  // were.
  std::vector<std::string> inputs;
  Log log;                           // what a user should know of the outputs; a trial is silent
  std::function<bool()> stop_asked;  // whether the user wants an end, asked from a sink's thread; empty: never
};

// Opens every target, before the first step: creates missing folders, opens the .part file and the encoder. Throws
// UsageError for a target that no sink takes, that exists without `overwrite` (its .part too), that cannot be written,
// that another run is writing, that the run reads, or that another target would overwrite (a pattern of numbers meets
// another output), and for encoder options the encoder does not know. What was opened before the error is taken away
// again: nothing is left behind.
std::vector<std::unique_ptr<Sink>> open_sinks(const std::vector<std::string>& targets, const OutputOptions&,
                                              const StreamInfo&);

// What to say of a picture that grows because of its layout (pixels.h: padded); empty where it does not.
std::string padding_remark(const std::string& target, Size, PixelLayout);

// What sinks ask of the machine.
struct SinkNeeds {
  std::vector<PixelLayout> layouts;       // each once
  std::size_t memory_bytes = 0;           // the sum of Sink::memory_bytes
  bool state = false;                     // some sink wants it
  std::vector<std::string> remarks = {};  // of all
};
SinkNeeds needs_of(const std::vector<std::unique_ptr<Sink>>&);

// Throws what open_sinks would throw, but touches no file: the encoders are tried, the names, folders and the room in
// their file systems are looked at.
SinkNeeds check_sinks(const std::vector<std::string>& targets, const OutputOptions&, const StreamInfo&);

}  // namespace simreel
