#pragma once
// The source of a pushed video whose frames are pictures already.

#include <array>

#include "base/error.h"
#include "library/pushed.h"
#include "library/pushed_source.h"

namespace simreel {

class PushedPictures final : public PushedFrames {
 public:
  explicit PushedPictures(PushedVideo& video) : PushedFrames(video) {}

  void advance_towards(std::int64_t frame) override {
    if (begin_frame(frame)) video_.end_frame();
  }

  const Color* picture() override { return reinterpret_cast<const Color*>(values()); }
  View view(std::string_view) override { throw UsageError("these frames are pictures, which have no fields"); }

  std::span<const FieldInfo> fields() const override { return infos_; }
  bool finite() override { return true; }

 private:
  std::array<FieldInfo, 1> infos_{FieldInfo{.name = "value", .unit = ""}};
};

}  // namespace simreel
