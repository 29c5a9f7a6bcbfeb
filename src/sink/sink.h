#pragma once
// Sinks write frames to files. One sink is one `-o`; it is used from its own thread (see run/ring.h).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/grid_axis.h"
#include "base/log.h"
#include "base/pixels.h"
#include "base/state.h"
#include "encode/packet.h"
#include "files/checksum.h"
#include "files/part_file.h"
#include "scene/scene.h"

namespace simreel {

struct StreamInfo;

// The origin of an output as metadata, so that a result can be reproduced: pairs of key and text.
using Tags = std::vector<std::pair<std::string, std::string>>;

// title, scene, overrides (one per line) and version; empty ones are left out. The tags are the same on every machine
// and every day: a date, a host or a backend would make the bytes of equal runs differ. An override of the number of
// frames is left out where pictures do not depend on it, because a run can be extended: the length of a file, or the
// number in its name, tells it. A single picture has neither, so its tags have that override.
enum class Origin { growing, single };
Tags origin_tags(const StreamInfo&, Origin = Origin::growing);

struct Page;  // figure/page.h: a frame for vector files

// One finished frame in host memory. Its pointers are valid during Sink::write only.
struct Frame {
  std::int64_t index = 0;                 // 0 for the first frame of the animation
  const std::byte* pixels = nullptr;      // in the sink's layout, frame_bytes() long; null if the sink needs none
  std::span<const double> diagnostics;    // one value per name; empty unless a sink of the run wants them
  State state = {};                       // its values are null unless a sink of the run wants them
  const EncodedPacket* packet = nullptr;  // null unless the sink wants packets
  std::shared_ptr<const Page> page = {};  // null unless the sink wants pages
};

// What a sink wants of every frame, and what is known of it when it is open.
struct SinkTraits {
  std::optional<PixelLayout> layout = {};    // nullopt: needs no pixels
  std::optional<PacketStream> packets = {};  // nullopt: needs no packets
  bool diagnostics = false, state = false, pages = false;
  std::int64_t stride = 1;       // a run can be resumed at multiples of it only; for a video: the frames of a segment
  std::int64_t every = 1;        // only the first of so many frames is written
  std::size_t memory_bytes = 0;  // an estimate of the peak of host memory, without the frames of the ring
  // The part of it for encoded frames, as if they were noise, and how many there are; how many encoders there may be at
  // work at once, and what each takes.
  struct Encoded {
    double frames = 0, bytes = 0;
    double encoders = 1, each = 0;
  };
  Encoded encoded = {};
  double cores = 1;                         // that it can keep busy, where there are so many
  std::vector<std::string> remarks = {};    // differences to what was requested, each with the sink's name
  std::string_view replaceable_codec = {};  // of a video, if --set output.codec=h264_fast alone would replace it
};

class Sink {
 public:
  // An unfinished sink removes its partial file if no frame was written, and otherwise leaves it as NAME.part.
  virtual ~Sink() = default;

  const SinkTraits& traits() const { return traits_; }

  // Frames come in order, without gaps. Throws RuntimeError with the path and the message of the library or system.
  virtual void write(const Frame&) = 0;
  // Completes the output: flush, trailer, fsync, rename to the final name. Called once, also when a run ends early.
  virtual void finish() = 0;

  // The number of leading frames that survive a crash of the process; for a video, those of the segments that are in
  // the .part file and synced. Called from another thread. An output that does not depend on earlier frames returns the
  // largest number.
  virtual std::int64_t safe_frames() const { return std::numeric_limits<std::int64_t>::max(); }
  // Syncs those frames to disk, so that they survive a power cut as well. Called from another thread. Throws
  // RuntimeError; the sink then cannot be finished either.
  virtual void sync() const {}
  // Checksums of the first `frames` frames, which are safe: one for every stride of them, the last of which may be
  // shorter. Empty for an output that does not depend on earlier frames. Called from another thread.
  virtual std::vector<Checksum> checksums(std::int64_t) const { return {}; }

  // Time spent so far, in seconds summed over all threads of the sink: encoding frames, and writing files. Both 0: not
  // measured separately. Called when the sink is finished.
  struct Times {
    double encode = 0, write = 0;
  };
  virtual Times times() const { return {}; }
  // Of a video: the bytes of the first frames of its segments, which lean on no other frame. Called when the sink is
  // finished.
  virtual double first_bytes() const { return 0; }

 protected:
  explicit Sink(SinkTraits traits) : traits_(std::move(traits)) {}

  SinkTraits traits_;  // for constructors
};

// The parameters of a run that sinks need before the first frame.
struct StreamInfo {
  Size size;  // of the picture; a sink pads it if its layout requires that (pixels.h)
  int fps_numerator = 60, fps_denominator = 1;
  std::int64_t frames = 0;  // planned, with those held; a run may end early
  std::int64_t held = 0;    // of these, the last, which repeat the picture before them: not for data
  // Of a loop: so many pictures, from this frame of the scene on, are kept to be shown again.
  std::int64_t kept = 0, kept_first = 0;
  std::int64_t first = 0;                // the number of the first frame in names of files and lists
  std::vector<std::string> diagnostics;  // names
  std::vector<std::string> fields;       // names of the fields of a state on a grid, for files that contain the state
  std::size_t state_bytes = 0;           // per frame, all fields
  double frame_interval = 0;             // simulated time from one frame to the next; 0: not known
  GridAxes axes;                         // of the fields of a state
  bool alpha = false;                    // whether the background is not opaque
  double dpi = 0;  // pixels per inch of the printed picture; 0: the scene says nothing about print
  std::string title;
  std::string scene_text;  // stored in the output with the overrides, to document its origin
  std::vector<std::string> overrides;
  bool overwrite = false;
  // The number of frames to keep of an interrupted run, a multiple of SinkTraits::stride. The sink finds the earlier
  // output (NAME.part, or NAME if it was finished), truncates it to `resume` frames and appends from frame `resume` on.
  // Files under its final names are replaced. Throws MissingFrames if there are fewer frames. 0: a fresh output.
  std::int64_t resume = 0;
  // What Sink::checksums gave for these frames, or more, by target. Frames that do not match are missing frames. The
  // files of a sequence are compared by a trial only, which comes before each real opening.
  std::map<std::string, std::vector<Checksum>> checksums = {};
  // Why pictures depend on the number of frames, as a clause: such a run cannot be extended. Empty: they do not.
  std::string bound_to_frames = {};
  int encoders = 0;  // segments of a video encoded in parallel; 0: as many as cores, the GPU and memory allow
  // Files that the run reads: never written, not even with `overwrite`. A run can be resumed only if they are
  // unchanged.
  std::vector<std::string> inputs;
  Log log;                           // receives messages for the user; a trial is silent
  std::function<bool()> stop_asked;  // whether the user wants to stop; called from a sink's thread; empty: never
  // Size in bytes above which an MP4 or MOV of a run that was asked to stop keeps its fragments, instead of being
  // copied into a file with the index in front: the run then ends within about a second on a disk that writes 200 MB/s.
  std::uintmax_t copied_on_stop = std::uintmax_t{128} << 20;
};

// Opens every target, before the first step: creates missing folders, opens the .part file and the encoder. Throws
// UsageError for a target that no sink accepts, that exists (or its .part file) without `overwrite`, that cannot be
// written, that another run is writing, that the run reads, or that another target would overwrite (a numbered pattern
// may match another output), and for unknown encoder options. After an error everything opened before is removed.
std::vector<std::unique_ptr<Sink>> open_sinks(const std::vector<std::string>& targets, const OutputOptions&,
                                              const StreamInfo&);

// A remark on a picture that is padded because of its layout (pixels.h: padded); empty if it is not.
std::string padding_remark(const std::string& target, Size, PixelLayout);

// The needs of all sinks of a run.
struct SinkNeeds {
  std::vector<PixelLayout> layouts;       // each once
  std::size_t memory_bytes = 0;           // the sum of theirs
  bool state = false;                     // whether some sink wants the state
  std::vector<std::string> remarks = {};  // of all sinks
  std::optional<PacketStream> packets = {};
  bool pages = false, diagnostics = false;  // whether some sink wants them

  bool drawn() const { return !layouts.empty() || packets || pages; }  // whether some sink shows the picture
  std::vector<PixelLayout> converted() const;  // the layouts, and those that packets and pages are made of
};
SinkNeeds needs_of(const std::vector<std::unique_ptr<Sink>>&);

// Throws what open_sinks would throw, but changes no file: it tries the encoders and checks the names, folders and the
// free space of their file systems.
SinkNeeds check_sinks(const std::vector<std::string>& targets, const OutputOptions&, const StreamInfo&);

// What the outputs of a complete run lack, as a sentence. Empty if they are whole: under their final names, with all
// frames and no more, and with StreamInfo::checksums. Throws UsageError for an output that comes from another run.
std::string find_incomplete_output(const std::vector<std::string>& targets, const OutputOptions&, const StreamInfo&);

// StreamInfo::frames of a stream of unknown length.
inline constexpr std::int64_t endless_frames = 1'000'000'000;

// The checksums of the frames to keep, one for every `stride` of them; empty if they are not known.
std::vector<Checksum> kept_checksums(const StreamInfo&, const std::string& target, std::int64_t stride);

// Throws the error for frames that do not match their checksum: piece `index` of `stride` frames each.
[[noreturn]] void throw_damaged(const std::string& target, const StreamInfo&, std::int64_t stride, std::size_t index);

// Opens the file of an output that appends frame by frame, fresh or resumed. `length` finds the length of the frames to
// keep in a file that is resumed; the pieces of `stride` frames with the kept checksums end there. `note`: see
// PartFile.
std::unique_ptr<PartFile> open_part(const std::string& target, const StreamInfo&, const PartFile::Length& length,
                                    Opening, std::int64_t stride = 1, std::string_view note = "");

}  // namespace simreel
