#pragma once
// The first pass of a run whose range ("global", "robust", "symmetric") or camera (fit) comes from all frames: it
// measures all frames and draws none, and keeps them where memory allows.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exec/buffer.h"
#include "run/render_loop.h"
#include "source/solver.h"

namespace simreel {

struct FirstPass {
  int signal = 0;                 // that ended the pass early, or 0
  std::unique_ptr<Source> again;  // shows all frames again from memory; null: they were not kept
};

// Runs a source of its own over all frames and sets the range of the rasterizer to the interval of their values, or to
// [-m, m] where their larger values are, and what its camera is fitted to.
// Resumes the pass if job.resumed was saved during one, and takes checkpoints.
FirstPass find_range_of_all(const RenderJob&);

// The frames of a first pass in memory, so that the run shows them without computing them again.
// A source that shows the frames of another one again, which has been through them. It has the field of the picture
// alone, and its states cannot be saved: a resumed run computes its way to the frame again.
class KeptFrames final : public Source {
 public:
  // The executor's memory that they take; the largest number where it cannot be counted.
  static std::size_t bytes(const SolverPlan&, std::int64_t frames);

  // Room for so many frames of the picture's field. The executor must outlive it. Throws RuntimeError.
  KeptFrames(const Executor&, const SolverPlan&, std::int64_t frames);

  // Keeps the current state of the source as the next frame. Its cells, outlines and groups must stay as they are.
  void keep(Source&);
  // To be called after the last frame that was kept, before it is used as a source itself.
  void end_with(std::unique_ptr<Source> source) { source_ = std::move(source); }

  std::int64_t work_to(std::int64_t frame) const override { return frame - frame_; }
  void advance_towards(std::int64_t frame) override { frame_ = frame; }
  std::int64_t steps_done() const override { return is_kept() ? now().steps : source_->steps_done(); }
  double time() const override { return is_kept() ? now().time : source_->time(); }
  std::span<const FieldInfo> fields() const override { return source_->fields(); }
  View view(std::string_view field) override;
  bool finite() override { return is_kept(); }  // the pass ends where the state is not finite
  std::string divergence() override { return source_->divergence(); }
  std::vector<std::string> findings() override { return source_->findings(); }
  bool resumable() const override { return source_->resumable(); }
  bool saves_state() const override { return false; }

 private:
  struct Kept {
    std::int64_t steps;
    double time;
  };
  bool is_kept() const { return frame_ < std::ssize(frames_); }
  const Kept& now() const { return frames_[static_cast<std::size_t>(frame_)]; }
  std::byte* values(std::int64_t frame) { return values_.data() + static_cast<std::size_t>(frame) * stride_; }

  const Executor& executor_;
  std::string field_;
  std::size_t stride_;         // from the values of a frame to the next
  Buffer<std::byte> values_;   // of all frames, packed (kernels/base/pack.h)
  Buffer<std::int8_t> cells_;  // of a field, packed
  std::vector<Kept> frames_;
  std::unique_ptr<Source> source_;
  std::int64_t frame_ = 0;
};

}  // namespace simreel
