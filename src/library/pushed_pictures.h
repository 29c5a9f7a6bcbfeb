#pragma once
// The source of a pushed video whose frames are pictures already.

#include <array>
#include <utility>
#include <vector>

#include "base/error.h"
#include "exec/buffer.h"
#include "library/pushed.h"
#include "library/pushed_source.h"

namespace simreel {

class PushedPictures final : public PushedFrames {
 public:
  PushedPictures(PushedVideo& video, const Executor& executor, Color background)
      : PushedFrames(video, executor), background_(background) {
    if (!kept_where_gathered()) pixels_ = Buffer<Color>(executor, pixels_in(video.shape_));
  }

  void advance_towards(std::int64_t frame) override {
    const PushedFrame* const next = begin_frame(frame);
    if (!next) return;
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

  std::span<const FieldInfo> fields() const override { return infos_; }
  bool finite() override { return true; }

 private:
  bool kept_where_gathered() const { return executor_.backend() == Backend::cpu; }

  Color background_;
  std::array<FieldInfo, 1> infos_{FieldInfo{.name = "value", .unit = ""}};
  std::vector<std::byte> gathered_;
  Buffer<Color> pixels_;
};

}  // namespace simreel
