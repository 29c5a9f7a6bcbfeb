#pragma once
// The growing file of a video, written segment by segment as NAME.part. One class writes libav's containers, one
// animated pictures. Internal to the video sink.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/part_file.h"
#include "sink/outputs.h"
#include "sink/sink.h"
#include "sink/video/av.h"
#include "sink/video/encoder_plan.h"

namespace simreel {

// Segments of a video, and who makes them of frames. Internal to the video sink.
// Closed groups of pictures in decoding order; timestamps and durations in frames of the whole video.
struct Segment {
  std::int64_t first = 0, frames = 0;
  std::vector<AvPtr<AVPacket>> packets;
};

// Makes segments of frames. Every segment but the last has EncoderPlan::segment_frames() frames.
class SegmentMaker {
 public:
  virtual ~SegmentMaker() = default;

  using Take = std::function<void(Segment&)>;  // in order, on the caller's thread

  // Takes the next frame, which is read before this returns, and delivers whole segments. Throws RuntimeError with
  // libav's message; after that, or if `take` throws, only the destructor may be called.
  virtual void send(const Frame& frame, const Take& take) = 0;
  // Ends the stream: delivers all remaining segments.
  virtual void drain(const Take& take) = 0;
};

class VideoFile {
 public:
  static constexpr std::string_view leftover_note = "it plays as it is";  // of the .part file of an earlier run

  virtual ~VideoFile() = default;  // the .part file stays if it contains a frame
  VideoFile& operator=(VideoFile&&) = delete;

  // All throw RuntimeError with the path and the message of the library or system; then only `salvage` may be called.
  void put(Segment& segment) {  // synced to disk on return
    append(segment);
    accept(segment.first + segment.frames);
  }
  virtual void end() = 0;                     // no more segments follow
  virtual void commit() { part_->commit(); }  // after `end`: gives the file its final name

  // After a failure: truncates the file to what plays, and returns the remaining number of frames. The file stays if
  // there are any, or if this throws.
  std::int64_t salvage() {
    const std::int64_t held = part_->file().has_its_name() ? cut_to_what_plays() : 0;
    part_->keep(held > 0);
    return held;
  }

  std::vector<Checksum> checksums(std::size_t segments) const { return checksums_.first(segments); }
  std::int64_t frames() const { return frames_; }  // written, including those of a resumed run; any thread may call it
  std::string path() const { return part_->file().path().string(); }

 protected:
  VideoFile(std::unique_ptr<PartFile> part, std::vector<Checksum> kept)
      : part_(std::move(part)), checksums_(std::move(kept)) {}

  void accept(std::int64_t frames) {
    part_->file().expect_its_name();
    part_->sync();
    part_->keep();
    frames_ = frames;
  }
  virtual void append(Segment&) = 0;
  virtual std::int64_t cut_to_what_plays() = 0;

  std::unique_ptr<PartFile> part_;
  ChecksumList checksums_;  // of the segments
  std::atomic<std::int64_t> frames_ = 0;
};

// Open a file for frames from StreamInfo::resume on. Both throw as open_sinks does; the arguments must outlive the
// result.
std::unique_ptr<VideoFile> open_container(const std::string& target, const Container&, const EncoderPlan&,
                                          const StreamInfo&, Opening);
std::unique_ptr<VideoFile> open_animated(const std::string& target, const Container&, const EncoderPlan&,
                                         const StreamInfo&, Opening);

}  // namespace simreel
