#pragma once
// The layout of animated picture files: a head, the frames in sequence, an end. A growing file can be truncated and
// resumed between any two frames. libavformat's muxers are not used: they hold a picture back, so a growing file would
// play less than it contains, and FFmpeg 5.1 cannot read an animated WebP. Internal to the video sink.

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "sink/video/encoder_plan.h"
#include "sink/video/segment_encoder.h"

namespace simreel {

// The display time of each frame in whole units of time, rounded such that errors do not accumulate.
class FrameClock {
 public:
  // With `units` per second. Players show frames faster than `max` per second for a tenth of a second each, so a
  // faster video is slowed down to `max`.
  FrameClock(AVRational fps, int max, std::int64_t units);

  std::int64_t units_a_second() const { return units_; }
  std::int64_t duration(std::int64_t frame) const;
  // A remark if the video is slowed down; otherwise empty.
  std::string remark(std::string_view format) const;

 private:
  AVRational asked_, rate_;
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

  std::string remark() const { return clock_.remark(name_); }

 protected:
  AnimatedFormat(std::string_view name, FrameClock clock) : name_(name), clock_(clock) {}

  std::string_view name_;
  FrameClock clock_;
};

}  // namespace simreel
