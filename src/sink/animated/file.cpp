#include "sink/video/file.h"
#include "sink/animated/format.h"
#include "sink/sink.h"

namespace simreel {
namespace {

class AnimatedFile : public VideoFile {
 public:
  AnimatedFile(std::unique_ptr<PartFile> part, std::vector<Checksum> kept, std::unique_ptr<AnimatedFormat> format,
               std::int64_t segment_frames, std::int64_t resume, Opening opening)
      : VideoFile(std::move(part), std::move(kept)), format_(std::move(format)), segment_frames_(segment_frames) {
    if (resume == 0 || opening == Opening::trial) return;
    frames_ = resume;
    bytes_ = part_->file().size();
    const std::string head = format_->head({resume, bytes_});
    part_->file().rewrite_start(head.data(), head.size());
  }

  void end() override { append(format_->end(), {.frames = frames_, .complete = true}); }

 private:
  void append(Segment& segment) override {
    append(format_->frames(segment), {.frames = segment.first + segment.frames});
    checksums_.set(static_cast<std::size_t>(segment.first / segment_frames_), part_->take_checksum());
  }

  // The head is updated after the frames are written, so that after a crash it never promises more than the file has.
  void append(const std::string& bytes, AnimatedFormat::Extent extent) {
    const bool fresh = bytes_ == 0;
    extent.bytes = bytes_ + bytes.size() + (fresh ? format_->head(extent).size() : 0);
    const std::string head = format_->head(extent);
    if (fresh) {
      part_->write(head);
      part_->take_checksum();  // the head changes later
    }
    part_->write(bytes);
    if (!fresh) part_->file().rewrite_start(head.data(), head.size());
    bytes_ = extent.bytes;
  }

  std::int64_t cut_to_what_plays() override {
    part_->file().cut(bytes_);
    return frames_;
  }

  std::unique_ptr<AnimatedFormat> format_;
  std::int64_t segment_frames_;
  std::uintmax_t bytes_ = 0;  // of the file: its head and whole segments
};

}  // namespace

std::unique_ptr<VideoFile> open_animated(const std::string& target, const Container& container, const EncoderPlan& plan,
                                         const StreamInfo& info, Opening opening) {
  std::unique_ptr<AnimatedFormat> format = container.animated(plan, origin_tags(info));
  const auto length = [&](std::istream& in) { return format->length_of(in, info.resume); };
  const std::int64_t stride = plan.segment_frames();
  std::unique_ptr<PartFile> part = open_part(target, info, length, opening, stride, VideoFile::leftover_note);
  return std::make_unique<AnimatedFile>(std::move(part), kept_checksums(info, target, stride), std::move(format),
                                        stride, info.resume, opening);
}

std::int64_t FrameClock::duration(std::int64_t frame) const {
  const auto start = [&](std::int64_t index) { return av_rescale(index, units_ * rate_.den, rate_.num); };
  return start(frame + 1) - start(frame);
}

}  // namespace simreel
