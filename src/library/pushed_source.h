#pragma once
// The source of a pushed video: the caller's arrays in executor memory, one frame after the other.

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "exec/buffer.h"
#include "kernels/base/finite.h"
#include "library/pushed.h"
#include "source/source.h"

namespace simreel {

// Writes the numbers of a frame without gaps: a field to `to`; of bodies x, y, z, mass to `to` and the velocities, four
// numbers a body, after them. Asynchronous on a GPU.
template <class Real>
void gather_frame(const Executor& executor, const PushedFrame& frame, Real* to) {
  const StridedArray& first = frame.main();
  if (frame.field) return gather(executor, first, to, static_cast<std::size_t>(first.columns));
  gather(executor, first, to, 4);
  if (frame.mass)
    gather(executor, *frame.mass, to + 3, 4);
  else
    fill_column(executor, Real(1), first.rows, to + 3, 4);
  Real* const velocity = to + 4 * first.rows;
  const std::int64_t given = frame.velocity ? frame.velocity->columns : 0;
  if (given > 0) gather(executor, *frame.velocity, velocity, 4);
  for (std::int64_t i = given; i < 3; ++i) fill_column(executor, Real(0), first.rows, velocity + i, 4);
  // The last number is not drawn. A speed takes its place, because all_finite refuses what is below 0 there.
  if (given == 1)
    gather(executor, *frame.velocity, velocity + 3, 4);
  else
    fill_column(executor, Real(0), first.rows, velocity + 3, 4);
}

inline std::size_t numbers_in(const PushedFrame& frame) {
  const StridedArray& first = frame.main();
  return static_cast<std::size_t>(first.rows) * static_cast<std::size_t>(frame.field ? first.columns : 8);
}

inline std::size_t pixels_in(const PushedFrame& frame) {
  return static_cast<std::size_t>(frame.field->rows) * static_cast<std::size_t>(frame.field->columns);
}

// What sources of pushed frames have in common: a frame a step, until the video is closed.
class PushedFrames : public Source {
 public:
  std::optional<std::int64_t> frames() const override { return over_ ? std::optional(frame_ + 1) : std::nullopt; }
  std::int64_t work_to(std::int64_t frame) const override { return frame_ == frame || over_ ? 0 : 1; }
  std::int64_t steps_done() const override { return frame_; }
  double time() const override { return time_; }
  std::vector<double> diagnose() override { return {static_cast<double>(frame_), time_}; }
  bool resumable() const override { return false; }

 protected:
  explicit PushedFrames(PushedVideo& video)
      : video_(video), kept_(video.shape_.field && video.executor().backend() == Backend::cpu) {
    if (!kept_) video.allocate();
  }

  // The frame of this number, whose `values` are there; null at the end. To be followed by PushedVideo::end_frame.
  const PushedFrame* begin_frame(std::int64_t frame) {
    const PushedFrame* const next = video_.begin_frame(over_);
    if (!next) return nullptr;
    time_ = next->time, frame_ = frame;
    if (kept_)
      std::swap(gathered_, video_.pending_);
    else
      video_.show_next(*next);
    return next;
  }

  const std::byte* values() const { return kept_ ? gathered_.data() : video_.shown_.data(); }

  PushedVideo& video_;

 private:
  // Whether a frame is drawn from the memory that `write` gathered it in. Bodies need more alignment than that has.
  const bool kept_;
  std::vector<std::byte> gathered_;
  std::int64_t frame_ = -1;
  double time_ = 0;
  bool over_ = false;
};

template <class Real>
class PushedSource final : public PushedFrames {
 public:
  PushedSource(PushedVideo& video, const Executor& executor, const PushedFrame& shape, std::vector<FieldInfo> infos)
      : PushedFrames(video),
        bodies_(!shape.field),
        rows_(shape.main().rows),
        columns_(shape.main().columns),
        infos_(std::move(infos)) {
    if (bodies_) scratch_ = Buffer<std::byte>(executor, finite_scratch_bytes(2 * count()));
  }

  void advance_towards(std::int64_t frame) override {
    const PushedFrame* const next = begin_frame(frame);
    if (!next) return;
    if (next->on_gpu && bodies_) {
      // The host's bodies were looked at before; the call that brought these is still waiting for its answer.
      finite_ = all_finite(*video_.reading_, position(), 2 * count(), scratch_.data());
      if (!finite_) return;
    }
    video_.end_frame();
  }

  std::span<const FieldInfo> fields() const override { return infos_; }
  View view(std::string_view field) override {
    field_index(field);
    if (bodies_) return ParticlesView<Real>{position(), position() + count(), nullptr, count()};
    return FieldView<Real>{reinterpret_cast<const Real*>(values()), static_cast<int>(columns_), static_cast<int>(rows_),
                           static_cast<std::size_t>(columns_)};
  }
  bool finite() override { return finite_; }
  std::string divergence() override {
    const PushedFrame& bodies = video_.shape_;
    const bool speeds = bodies.velocity && bodies.velocity->columns == 1;
    return fmt::format("a number of {}, {} or {} is not finite, or one of {}{} is negative", bodies.position_name,
                       bodies.velocity_name, bodies.mass_name, bodies.mass_name,
                       speeds ? " or " + bodies.velocity_name : "");
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(rows_); }
  const Vec4<Real>* position() const { return reinterpret_cast<const Vec4<Real>*>(values()); }

  bool bodies_;
  std::int64_t rows_, columns_;
  std::vector<FieldInfo> infos_;
  Buffer<std::byte> scratch_;
  bool finite_ = true;
};

// The source of a pushed video whose frames are pictures already.

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
