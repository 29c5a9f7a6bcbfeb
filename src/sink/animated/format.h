#pragma once
// How the files of animated pictures are laid out: a head, the frames one behind the other, an end. A growing file is
// cut and gone on with between any two frames. Not libavformat's muxers: those hold a picture back, so a growing file
// would play less than it holds, and FFmpeg 5.1 cannot read an animated WebP again. Internal to the video sink.

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sink/origin.h"
#include "sink/video/encoder_plan.h"
#include "sink/video/segment_encoder.h"

namespace simreel {

// For how long each frame is shown, in whole units of time. They are rounded so that no error adds up.
class FrameClock {
 public:
  // Of `units` a second. Players show what comes faster than `most` frames a second for a tenth of a second each, so a
  // faster video becomes a slower one.
  FrameClock(AVRational fps, int most, std::int64_t units);

  std::int64_t units_a_second() const { return units_; }
  std::int64_t duration(std::int64_t frame) const;
  // What a user who asked for too much should know; empty where nothing is lost.
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
    bool complete = false;     // the end is part of it
  };
  // A file's first bytes: for every extent as many, to be written again whenever it has grown. Throws RuntimeError
  // where no file of this format can be so large.
  virtual std::string head(const Extent&) const = 0;
  virtual std::string frames(Segment&) const = 0;  // takes its packets away, one by one: they may be large
  virtual std::string end() const = 0;

  // How long the file is up to the end of its first `frames` frames; nothing where there are fewer, or where its head
  // is not that of this video.
  virtual std::optional<std::uintmax_t> length_of(std::istream&, std::int64_t frames) const = 0;

  std::string remark() const { return clock_.remark(name_); }

 protected:
  AnimatedFormat(std::string_view name, FrameClock clock) : name_(name), clock_(clock) {}

  std::string_view name_;
  FrameClock clock_;
};

// Throws UsageError for pictures larger than the format allows.
std::unique_ptr<AnimatedFormat> make_gif(const EncoderPlan&, const Tags&);
std::unique_ptr<AnimatedFormat> make_webp(const EncoderPlan&, const Tags&);
std::unique_ptr<AnimatedFormat> make_apng(const EncoderPlan&, const Tags&);

}  // namespace simreel
