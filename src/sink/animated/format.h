#pragma once
// The layout of animated picture files: a head, the frames in sequence, an end. A growing file can be truncated and
// resumed between any two frames. libavformat's muxers are not used: they hold a picture back, so a growing file would
// play less than it contains, and FFmpeg 5.1 cannot read an animated WebP. Internal to the video sink.

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

#include "sink/video/encoder_plan.h"
#include "sink/video/segment_encoder.h"

namespace simreel {

// The display time of each frame in whole units of time, rounded such that errors do not accumulate.
class FrameClock {
 public:
  FrameClock(AVRational fps, std::int64_t units) : rate_(fps), units_(units) {}  // `units` a second

  std::int64_t units_a_second() const { return units_; }
  std::int64_t duration(std::int64_t frame) const;

 private:
  AVRational rate_;
  std::int64_t units_;
};

class AnimatedFormat {
 public:
  virtual ~AnimatedFormat() = default;

  struct Extent {
    std::int64_t frames = 0;
    std::uintmax_t bytes = 0;  // of the whole file
    bool complete = false;     // whether the end is included
  };
  // The first bytes of a file, of the same length for every extent, to be rewritten whenever the file has grown. Throws
  // RuntimeError if the format does not allow so large a file.
  virtual std::string head(const Extent&) const = 0;
  virtual std::string frames(Segment&) const = 0;  // releases the packets one by one, because they may be large
  virtual std::string end() const = 0;

  // The length of the file up to the end of its first `frames` frames; nullopt if there are fewer, or if its head is
  // not that of this video.
  virtual std::optional<std::uintmax_t> length_of(std::istream&, std::int64_t frames) const = 0;

 protected:
  explicit AnimatedFormat(FrameClock clock) : clock_(clock) {}

  FrameClock clock_;
};

}  // namespace simreel
