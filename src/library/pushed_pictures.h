#pragma once
// The source of a pushed video whose frames are pictures already.

#include <array>
#include <utility>
#include <vector>

#include "base/error.h"
#include "exec/buffer.h"
#include "library/pushed.h"
#include "library/pushed_source.h"
#include "source/source.h"

namespace simreel {

class PushedPictures final : public Source {
 public:
  PushedPictures(PushedVideo& video, const Executor& executor, Color background)
      : video_(video), executor_(executor), background_(background) {
    if (!kept_where_gathered()) pixels_ = Buffer<Color>(executor, pixels_in(video.shape_));
  }

  std::optional<std::int64_t> frames() const override { return over_ ? std::optional(frame_ + 1) : std::nullopt; }
  std::int64_t work_to(std::int64_t frame) const override { return frame_ == frame || over_ ? 0 : 1; }

  void advance_towards(std::int64_t frame) override {
    const PushedFrame* const next = video_.begin_frame(over_);
    if (!next) return;
    time_ = next->time;
    frame_ = frame;
    if (next->on_gpu) {
      video_.mark_.hold(executor_);
      gather_pixels(executor_, *next->field, next->channel_bytes, next->channels, background_, pixels_.data());
      StreamMark(executor_).wait();
    } else if (kept_where_gathered()) {
      std::swap(gathered_, video_.pending_);
    } else {
      executor_.copy(pixels_.data(), video_.pending_.data(), pixels_.bytes());
    }
    video_.end_frame();
  }

  const Color* picture() override {
    return kept_where_gathered() ? reinterpret_cast<const Color*>(gathered_.data()) : pixels_.data();
  }
  View view(std::string_view) override { throw UsageError("these frames are pictures, which have no fields"); }

  std::int64_t steps_done() const override { return frame_; }
  double time() const override { return time_; }
  std::span<const FieldInfo> fields() const override { return infos_; }
  std::vector<double> diagnose() override { return {static_cast<double>(frame_), time_}; }
  bool finite() override { return true; }
  bool resumable() const override { return false; }

 private:
  bool kept_where_gathered() const { return executor_.backend() == Backend::cpu; }

  PushedVideo& video_;
  const Executor& executor_;
  Color background_;
  std::array<FieldInfo, 1> infos_{FieldInfo{.name = "value", .unit = ""}};
  std::vector<std::byte> gathered_;
  Buffer<Color> pixels_;
  std::int64_t frame_ = -1;
  double time_ = 0;
  bool over_ = false;
};

}  // namespace simreel
