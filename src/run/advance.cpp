#include "run/advance.h"

namespace simreel {
namespace {

// What is left after a portion of the work.
std::int64_t advance(const RenderJob& job, Source& source, std::int64_t frame) {
  const InStep in_step(job);
  source.advance_towards(frame);
  const std::int64_t left = source.work_to(frame);
  if (left > 0) job.run.executor.wait();
  return left;
}

}  // namespace

int advance_to(const RenderJob& job, Source& source, std::int64_t frame, const std::function<void()>& pause) {
  // A part of the frames, and a run of kept ones that is resumed, begin at the start of the source.
  const bool starts = frame == 0 || (frame > 1 && source.steps_done() <= job.run.scene.animation.start);
  while (source.work_to(frame) > 0 && !job.interrupted()) {
    const std::int64_t left = advance(job, source, frame), done = source.steps_done();
    if (starts) job.report({RenderProgress::Stage::start, done, done + left});
    pause();
  }
  job.in_step(false);  // from here on there are files to finish
  return job.interrupted();
}

std::unique_ptr<Source> open_source(const RenderJob& job) {
  const InStep in_step(job);
  std::unique_ptr<Source> source = job.run.plan.open(job.run.executor);
  source->stop_when([&job] { return job.interrupted() != 0; });
  return source;
}

Interval FrameView::measure(std::int64_t frame) {
  DividedFields* const divided = rasterizer_.measures_line() ? nullptr : source_.divided();
  if (!divided) return rasterizer_.measure(source_.view(plan_.field), frame);
  const auto [low, high] = divided->extremes(plan_.field);
  return {low, high};
}

Spread FrameView::measure_spread() {
  DividedFields* const divided = rasterizer_.measures_line() ? nullptr : source_.divided();
  return divided ? divided->spread(plan_.field) : rasterizer_.measure_spread(source_.view(plan_.field));
}

void FrameView::draw(const View& view, std::int64_t frame) {
  DividedFields* const divided = source_.divided();
  const std::optional<FieldPicture> picture = divided ? rasterizer_.divided_picture() : std::nullopt;
  if (!picture) return rasterizer_.draw(view, frame);
  divided->set_colors(rasterizer_.colors());
  rasterizer_.put(divided->draw(plan_.field, *picture));
}

}  // namespace simreel
