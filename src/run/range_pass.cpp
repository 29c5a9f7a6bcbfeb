#include "run/range_pass.h"

#include <algorithm>

#include "run/advance.h"
#include "run/memory.h"
#include "run/shown.h"

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
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

  Checkpointer* get() const { return checkpointer_; }

 private:
  Checkpointer* checkpointer_;
};

}  // namespace

int find_range_of_all(const RenderJob& job) {
  PreparedRun& run = job.run;
  Rasterizer& rasterizer = run.rasterizer();
  const Checkpoint* const resumed = run.open.resumed;
  const bool symmetric = rasterizer.range_mode() == RangeMode::symmetric;
  const std::unique_ptr<Source> source = open_source(job);
  Shown shown(*source, run.plan, rasterizer);
  RangePass pass;
  if (resumed && resumed->has(range_pass_block)) {
    pass = resumed->load_value<RangePass>(range_pass_block);
    source->load(*resumed);
  }
  const Attached attached(run, *source);
  Checkpointer* const checkpointer = attached.get();
  const auto offer_checkpoint = [&] {
    if (checkpointer) checkpointer->offer(pass, *source, rasterizer);
  };
  const auto measure = [&] {
    const InStep in_step(job);
    if (symmetric) {
      pass.spread = Spread::combine(pass.spread, shown.measure_spread());
      pass.range = {-pass.spread.reach(), pass.spread.reach()};
    } else {
      pass.range = hull(pass.range, shown.measure(pass.frames));
    }
  };
  const std::int64_t frames = run.scene.animation.frames;
  while (pass.frames < frames) {
    if (const int signal = advance_to(job, *source, pass.frames, offer_checkpoint)) {
      if (checkpointer) checkpointer->close(pass, *source, rasterizer);
      return signal;
    }
    if (!source->finite()) break;  // the run itself ends here and reports the reason
    measure();
    rasterizer.set_range(pass.range);  // throws early if the scale does not allow the range: frames only widen it
    ++pass.frames;
    job.report({RenderProgress::Stage::range, pass.frames, frames});
    offer_checkpoint();
  }
  rasterizer.set_range(pass.range);
  if (checkpointer) checkpointer->keep_range(rasterizer);
  return 0;
}

}  // namespace simreel
