#include "run/range_pass.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <variant>

#include "kernels/base/pack.h"
#include "run/advance.h"
#include "run/memory.h"

namespace simreel {
namespace {

// The checkpointer of a source, while both are there; null: its states are not saved.
class Attached {
 public:
  Attached(const PreparedRun& run, Source& source)
      : checkpointer_(source.resumable() ? run.open.checkpointer.get() : nullptr) {
    if (checkpointer_) checkpointer_->attach(source, saved_bytes(run.scene, run.plan));
  }
  ~Attached() {
    if (checkpointer_) checkpointer_->release();
  }
  Attached& operator=(Attached&&) = delete;

  Checkpointer* get() const { return checkpointer_; }

 private:
  Checkpointer* checkpointer_;
};

std::size_t stride_of(const SolverPlan& plan) {
  constexpr std::size_t aligned = 32;  // as pack_view wants it
  return (plan.view_bytes + aligned - 1) / aligned * aligned;
}

template <class Real>
void look_at(FieldView<Real>& field, const std::byte* values, const std::int8_t* cells) {
  field.value = reinterpret_cast<const Real*>(values);
  field.pitch = static_cast<std::size_t>(field.nx);
  if (field.cell) field.cell = cells;
}
template <class Real>
void look_at(ParticlesView<Real>& bodies, const std::byte* values, const std::int8_t*) {
  bodies.position = reinterpret_cast<const Vec4<Real>*>(values);
  bodies.velocity = bodies.position + bodies.count;
}

}  // namespace

void RangePass::add(Interval values) {
  range = hull(range, values);
  recent = hull(recent, values);
}

void RangePass::add(const Spread& values) {
  spread = Spread::combine(spread, values);
  range = {-spread.reach(), spread.reach()};
}

void RangePass::keep() {
  if (frames % stride != 0) return;
  if (count == most) {
    for (int i = 0; i < most / 2; ++i) {
      const Interval before = earlier[2 * i].own;
      earlier[i] = earlier[2 * i + 1];
      earlier[i].own = hull(before, earlier[i].own);
    }
    count = most / 2;
    stride *= 2;
    if (frames % stride != 0) return;
  }
  earlier[count++] = {frames, range, spread, reach, recent};
  recent = {1, -1};
}

Interval RangePass::robust() const {
  std::vector<double> low, high;
  const auto take = [&](const Interval& values) {
    if (values.low <= values.high) low.push_back(values.low), high.push_back(values.high);
  };
  for (int i = 0; i < count; ++i) take(earlier[i].own);
  take(recent);
  const auto odd = static_cast<std::ptrdiff_t>((low.size() + 10) / 20);
  if (odd == 0) return range;
  std::ranges::nth_element(low, low.begin() + odd);
  std::ranges::nth_element(high, high.begin() + odd, std::greater());
  const Interval most{low[static_cast<std::size_t>(odd)], high[static_cast<std::size_t>(odd)]};
  const double left = (most.high - most.low) / (range.high - range.low);
  return left < 0.8 && left > 0.01 ? most : range;  // what is at rest else has only those
}

void RangePass::take_back() {
  const auto width = [](const Found& found) { return std::max(std::abs(found.range.low), std::abs(found.range.high)); };
  // What doubles in a sixteenth of the frames, up to the last of them, grows without end.
  const int step = std::max(1, count / 16);
  int last = count - 1;
  while (last > 0 && !(width(earlier[last]) <= 2 * width(earlier[std::max(0, last - step)]))) --last;
  if (last < 0 || !(width(earlier[last]) > 0)) return;
  count = last + 1;
  range = earlier[last].range;
  spread = earlier[last].spread;
  reach = earlier[last].reach;
  recent = {1, -1};
}

FirstPass find_range_of_all(const RenderJob& job) {
  PreparedRun& run = job.run;
  Rasterizer& rasterizer = run.rasterizer();
  const Checkpoint* const resumed = run.open.resumed;
  const bool symmetric = rasterizer.range_mode() == RangeMode::symmetric,
             robust = rasterizer.range_mode() == RangeMode::robust;
  std::unique_ptr<Source> source = open_source(job);
  FrameView shown(*source, run.plan, rasterizer);
  RangePass pass;
  if (resumed && resumed->has(range_pass_block)) {
    pass = resumed->load_value<RangePass>(range_pass_block);
    source->load(*resumed);
  }
  const std::int64_t frames = run.scene.animation.frames;
  std::unique_ptr<KeptFrames> kept;
  if (pass.frames == 0 && run.keeps_frames()) kept = std::make_unique<KeptFrames>(run.executor, run.plan, frames);
  const Attached attached(run, *source);
  Checkpointer* const checkpointer = attached.get();
  const auto offer_checkpoint = [&] {
    if (checkpointer) checkpointer->offer(pass, *source, rasterizer);
  };
  const bool ranges = comes_from_all_frames(rasterizer.range_mode());
  const auto measure = [&] {
    const InStep in_step(job);
    if (rasterizer.fits_all_frames()) {
      const Reach now = rasterizer.measure_reach(source->view(run.plan.field));
      for (std::size_t i = 0; i < now.size(); ++i)
        pass.reach[i] = pass.frames == 0 ? now[i] : std::min(pass.reach[i], now[i]);
    }
    if (!ranges) return;
    if (symmetric)
      pass.add(shown.measure_spread());
    else
      pass.add(shown.measure(pass.frames));
  };
  while (pass.frames < frames) {
    if (const int signal = advance_to(job, *source, pass.frames, offer_checkpoint)) {
      if (checkpointer) checkpointer->close(pass, *source, rasterizer);
      return {signal, nullptr};
    }
    if (!source->finite()) {  // the run itself ends here and reports the reason
      pass.take_back();
      break;
    }
    measure();
    if (kept) kept->keep(*source);
    if (ranges && !robust) {
      const InStep in_step(job);
      rasterizer.set_range(pass.range);  // throws early if the scale does not allow the range: frames only widen it
    }
    ++pass.frames;
    pass.keep();
    job.report({RenderProgress::Stage::range, pass.frames, frames});
    offer_checkpoint();
  }
  if (ranges) rasterizer.set_range(robust ? pass.robust() : pass.range);
  if (rasterizer.fits_all_frames()) rasterizer.set_reach(pass.reach);
  if (checkpointer) checkpointer->keep_range(rasterizer);
  if (kept) kept->end_with(std::move(source));
  return {0, std::move(kept)};
}

std::size_t KeptFrames::bytes(const SolverPlan& plan, std::int64_t frames) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const std::size_t stride = stride_of(plan), count = static_cast<std::size_t>(frames);
  return stride > most / count ? most : stride * count;
}

KeptFrames::KeptFrames(const Executor& executor, const SolverPlan& plan, std::int64_t frames)
    : executor_(executor), field_(plan.field), stride_(stride_of(plan)), values_(executor, bytes(plan, frames)) {}

void KeptFrames::keep(Source& source) {
  const View view = source.view(field_);
  if (const StateLayout layout = state_layout(view); frames_.empty() && layout.kind == StateLayout::Kind::field) {
    cells_ = Buffer<std::int8_t>(executor_, layout.field_values());
    pack_cells(executor_, view, cells_.data());
  }
  pack_view(executor_, view, values(std::ssize(frames_)));
  frames_.push_back({source.steps_done(), source.time()});
}

View KeptFrames::view(std::string_view field) {
  View view = source_->view(field);
  std::visit([&](auto& v) { look_at(v, values(frame_), cells_.data()); }, view);
  return view;
}

}  // namespace simreel
