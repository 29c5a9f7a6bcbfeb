#include "sink/animated.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <optional>

#include "error.h"
#include "sink/animated_format.h"
#include "sink/part_file.h"
#include "sink/segment_encoder.h"

namespace simreel {
namespace {

class Animated : public Sink {
 public:
  Animated(const std::string& target, const Container& container, EncoderPlan plan, int encoders,
           const StreamInfo& info, Opening opening)
      : target_(target),
        plan_(std::move(plan)),
        encoders_(encoders),
        format_(container.animated(plan_, origin_tags(info))),
        part_(open_part(
            target, info, [&](std::istream& in) { return format_->length_of(in, info.resume); }, opening)) {
    if (opening == Opening::trial) return;
    if (info.resume > 0) take_over(info.resume);
    encoder_.emplace(plan_, encoders_, info.resume);
  }

  // The frames of a run that fails elsewhere are in the encoders in part; the .part file shall have them all.
  ~Animated() override {
    if (!encoder_ || frames_ == 0) return;
    try {
      complete();
    } catch (const std::exception& error) {
      spdlog::error("{}", error.what());
    }
  }

  std::optional<PixelLayout> layout() const override { return plan_.pixels().layout; }
  std::int64_t stride() const override { return plan_.segment_frames(); }
  std::int64_t safe_frames() const override { return safe_frames_; }
  std::size_t memory_bytes() const override { return SegmentEncoder::memory_bytes(plan_, encoders_); }

  std::vector<std::string> remarks() const override {
    std::vector<std::string> remarks = plan_.remarks(target_);
    const std::string remark = format_->remark();
    if (!remark.empty()) remarks.push_back(fmt::format("{}: {}", target_, remark));
    return remarks;
  }

  void write(const Frame& frame) override {
    ++frames_;
    salvage_on_error([&] { encoder_->send(frame.pixels, [&](Segment& segment) { put(segment); }); });
  }

  void finish() override {
    if (frames_ == 0) return encoder_.reset();
    complete();
    part_->commit();
  }

 private:
  void take_over(std::int64_t frames) {
    frames_ = safe_frames_ = frames;
    bytes_ = part_->file().size();
    const std::string head = format_->head({frames, bytes_});
    part_->file().rewrite_start(head.data(), head.size());
  }

  void put(Segment& segment) {
    append(format_->frames(segment), {segment.first + segment.frames});
    part_->sync();
    part_->keep();
    safe_frames_ = segment.first + segment.frames;
  }

  // The head is told of the rest when that is there: it never promises what a crash could have kept from the file.
  void append(const std::string& bytes, AnimatedFormat::Extent extent) {
    const bool fresh = bytes_ == 0;
    extent.bytes = bytes_ + bytes.size() + (fresh ? format_->head(extent).size() : 0);
    const std::string head = format_->head(extent);
    if (fresh) part_->write(head);
    part_->write(bytes);
    if (!fresh) part_->file().rewrite_start(head.data(), head.size());
    bytes_ = extent.bytes;
  }

  void complete() {
    salvage_on_error([&] {
      encoder_->drain([&](Segment& segment) { put(segment); });
      append(format_->end(), {.frames = frames_, .complete = true});
    });
    encoder_.reset();
  }

  template <class Work>
  void salvage_on_error(const Work& work) {
    try {
      work();
    } catch (const RuntimeError& error) {
      encoder_.reset();
      part_->file().cut(bytes_);
      part_->keep(safe_frames_ > 0);
      if (safe_frames_ == 0) throw RuntimeError(fmt::format("{}; no frame could be kept", error.what()));
      throw RuntimeError(fmt::format("{}; {} holds {} frames and plays as it is", error.what(),
                                     part_->file().path().string(), safe_frames_.load()));
    }
  }

  std::string target_;
  EncoderPlan plan_;
  int encoders_;
  std::unique_ptr<AnimatedFormat> format_;
  std::unique_ptr<PartFile> part_;
  std::optional<SegmentEncoder> encoder_;  // none: the file is complete, or given up
  std::int64_t frames_ = 0;
  std::uintmax_t bytes_ = 0;  // of the file, whole segments and its head
  std::atomic<std::int64_t> safe_frames_ = 0;
};

}  // namespace

std::unique_ptr<Sink> open_animated(const std::string& target, const Container& container, EncoderPlan plan,
                                    int encoders, const StreamInfo& info, Opening opening) {
  return std::make_unique<Animated>(target, container, std::move(plan), encoders, info, opening);
}

FrameClock::FrameClock(AVRational fps, int most, std::int64_t units)
    : asked_(fps), rate_(av_cmp_q(fps, {most, 1}) > 0 ? AVRational{most, 1} : fps), units_(units) {}

std::int64_t FrameClock::duration(std::int64_t frame) const {
  const auto start = [&](std::int64_t index) { return av_rescale(index, units_ * rate_.den, rate_.num); };
  return start(frame + 1) - start(frame);
}

std::string FrameClock::remark(std::string_view format) const {
  if (av_cmp_q(asked_, rate_) == 0) return "";
  return fmt::format(
      "players show at most {0} frames a second of {1}, so {2:.4g} of them become {0} and it plays {3:.3g} times as "
      "long; "
      "choose {0} or fewer with \"fps\" in [animation]",
      rate_.num, format, av_q2d(asked_), av_q2d(asked_) / av_q2d(rate_));
}

}  // namespace simreel
