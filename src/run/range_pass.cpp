#include "run/range_pass.h"

#include <algorithm>

#include "run/advance.h"
#include "run/plan.h"
#include "run/shown.h"

namespace simreel {
namespace {

Interval hull(Interval a, Interval b) {
  if (a.low > a.high) return b;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// The checkpointer of a source, while both are there; null: its states are not saved.
class Attached {
 public:
  Attached(const RenderJob& job, Source& source) : checkpointer_(source.resumable() ? job.checkpointer : nullptr) {
    if (checkpointer_) checkpointer_->attach(source, saved_bytes(job.scene, job.plan));
  }
  ~Attached() {
    if (checkpointer_) checkpointer_->release();
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

  Checkpointer* get() const { return checkpointer_; }

 private:
  Checkpointer* checkpointer_;
};

}  // namespace

int find_range_of_all(const RenderJob& job) {
  const bool symmetric = job.rasterizer.range_mode() == RangeMode::symmetric;
  const std::unique_ptr<Source> source = open_source(job);
  Shown shown(*source, job.plan, job.rasterizer);
  RangePass pass;
  if (job.resumed && job.resumed->has(range_pass_block)) {
    pass = job.resumed->load_value<RangePass>(range_pass_block);
    source->load(*job.resumed);
  }
  const Attached attached(job, *source);
  Checkpointer* const checkpointer = attached.get();
  const auto offer_checkpoint = [&] {
    if (checkpointer) checkpointer->offer(pass, *source, job.rasterizer);
  };
  const std::int64_t frames = job.scene.animation.frames;
  while (pass.frames < frames) {
    if (const int signal = advance_to(job, *source, pass.frames, offer_checkpoint)) {
      if (checkpointer) checkpointer->close(pass, *source, job.rasterizer);
      return signal;
    }
    if (!source->finite()) break;  // the run itself ends here and reports the reason
    if (symmetric) {
      pass.spread = Spread::combine(pass.spread, shown.measure_spread());
      pass.range = {-pass.spread.reach(), pass.spread.reach()};
    } else {
      pass.range = hull(pass.range, shown.measure(pass.frames));
    }
    job.rasterizer.set_range(pass.range);  // throws early if the scale does not allow the range: frames only widen it
    ++pass.frames;
    job.report({RenderProgress::Stage::range, pass.frames, frames});
    offer_checkpoint();
  }
  job.rasterizer.set_range(pass.range);
  if (checkpointer) checkpointer->keep_range(job.rasterizer);
  return 0;
}

}  // namespace simreel
