#include "run/loop.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "kernels/base/pack.h"
#include "run/ring.h"
#include "sink/video/video.h"

namespace simreel {
namespace {

// Adds the time from one `lap` to the next to a stage.
class StopWatch {
 public:
  StopWatch(const Executor& executor, bool exact) : executor_(executor), exact_(exact) {}

  void lap(double& stage) {
    if (exact_) executor_.wait();
    const auto now = std::chrono::steady_clock::now();
    stage += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  const Executor& executor_;
  bool exact_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Takes the source to a frame, in portions that are waited for, so that a signal is heard within a moment however much
// lies between two frames. `pause` is called after each.
template <class Pause>
void advance_to(const RenderJob& job, Source& source, std::int64_t frame, const Pause& pause) {
  while (source.work_to(frame) > 0 && !job.interrupted()) {
    source.advance(frame);
    const std::int64_t left = source.work_to(frame), done = source.steps_done();
    if (left > 0) job.executor.wait();
    if (frame == 0) job.report({RenderProgress::Stage::start, done, done + left});
    pause();
  }
}

// The interval that all frames together span, found by running the simulation once for nothing else.
Interval find_global_range(const RenderJob& job) {
  const std::unique_ptr<Source> source = job.plan.open(job.executor);
  const std::int64_t frames = job.scene.animation.frames;
  Interval range{1, -1};
  for (std::int64_t frame = 0; frame < frames; ++frame) {
    advance_to(job, *source, frame, [] {});
    if (job.interrupted() || !source->finite()) break;  // the run itself will end here and say why
    const Interval here = job.rasterizer.measure(source->view(job.plan.field), frame);
    range = range.low > range.high ? here : Interval{std::min(range.low, here.low), std::max(range.high, here.high)};
    job.rasterizer.set_range(range);  // throws at once where a scale takes no such range: later frames only widen it
    job.report({RenderProgress::Stage::range, frame + 1, frames});
  }
  return range;
}

// Takes a fresh source to where an interrupted run was, and returns how many frames it had drawn.
std::int64_t resume(const Checkpoint& checkpoint, Source& source) {
  if (checkpoint.has("step")) source.load(checkpoint);
  return checkpoint.load_value<std::int64_t>(frames_block);
}

}  // namespace

RenderResult render(const RenderJob& job) {
  RenderResult result;
  double searching = 0, simulate = 0, draw = 0, convert = 0, measure = 0, copy = 0, wait = 0;
  StopWatch whole(job.executor, false), watch(job.executor, job.profile);

  const RangeMode mode = job.rasterizer.range_mode();
  const bool range_known = job.resumed && job.rasterizer.load(*job.resumed);
  if (mode == RangeMode::global && !range_known) {
    job.rasterizer.set_range(find_global_range(job));
    if (job.checkpointer && !job.interrupted()) job.checkpointer->keep_range(job.rasterizer);
  }
  watch.lap(searching);

  const std::unique_ptr<Source> source = job.plan.open(job.executor);
  if (job.resumed) result.frames = resume(*job.resumed, *source);
  const auto offer_checkpoint = [&] {
    if (job.checkpointer) job.checkpointer->offer(result.frames, *source, job.rasterizer);
  };
  const bool diagnostics = std::ranges::any_of(job.sinks, [](const auto& sink) { return sink->wants_diagnostics(); });
  FrameRing ring(job.executor, job.sinks, job.scene.view.size, result.frames, job.plan.view_bytes);
  job.rasterizer.set_layouts(ring.layouts());
  for (std::int64_t frame = result.frames; frame < job.scene.animation.frames; ++frame) {
    offer_checkpoint();
    advance_to(job, *source, frame, offer_checkpoint);
    result.signal = job.interrupted();
    if (result.signal) break;
    result.diverged = !source->finite();
    if (result.diverged) break;
    watch.lap(simulate);

    const View view = source->view(job.plan.field);
    if (frame == 0 && mode == RangeMode::first) job.rasterizer.set_range(job.rasterizer.measure(view, frame));
    job.rasterizer.draw(view, frame);
    watch.lap(draw);

    FrameRing::Slot& slot = ring.acquire();
    watch.lap(wait);

    for (const PixelLayout layout : ring.layouts()) job.rasterizer.convert(layout, slot.target(layout));
    if (ring.wants_state()) {
      pack_view(job.executor, view, slot.state_target());
      slot.state = {state_layout(view), nullptr, source->steps_done(), source->time()};
    }
    watch.lap(convert);
    slot.diagnostics = diagnostics ? source->diagnose() : std::vector<double>();
    watch.lap(measure);
    ring.publish(slot);
    watch.lap(copy);

    result.frames = frame + 1;
    job.report({RenderProgress::Stage::render, result.frames, job.scene.animation.frames});
  }
  result.range = job.rasterizer.range();
  result.steps = source->steps_done();
  if (result.diverged) result.divergence = source->divergence();
  result.findings = source->findings();
  std::ranges::move(job.rasterizer.findings(), std::back_inserter(result.findings));
  ring.finish();
  watch.lap(wait);

  if (job.checkpointer) {
    // Before the first step there may be no range yet, and nothing is worth saving.
    const bool begun = result.frames + result.steps > 0;
    result.resumable = result.signal && (begun || job.resumed);
    if (result.signal && begun) job.checkpointer->close(result.frames, *source, job.rasterizer);
    if (!result.resumable) job.checkpointer->remove();
  }

  whole.lap(result.seconds);
  result.stages = {{"range", searching}, {"simulate", simulate}, {"draw", draw},         {"convert", convert},
                   {"measure", measure}, {"copy", copy},         {"wait for ring", wait}};
  const std::vector<double> busy = ring.times().sink_busy;
  for (std::size_t i = 0; i < busy.size(); ++i) result.sinks.push_back({busy[i], job.sinks[i]->times()});
  return result;
}

ParticleStage particle_stage(const Scene& scene, const SolverPlan& plan) {
  return {plan.bodies, plan.timestep, scene.camera, scene.animation};
}

std::string default_output(const Scene& scene) {
  if (!scene.output.path.empty()) return scene.output.path.string();
  return scene.resolve(scene.file.stem().string() + default_extension(scene.output)).string();
}

StreamInfo stream_info(const Scene& scene, const SolverPlan& plan, bool overwrite) {
  StreamInfo info;
  info.size = scene.view.size;
  info.fps_numerator = scene.animation.fps_numerator;
  info.fps_denominator = scene.animation.fps_denominator;
  info.frames = scene.animation.frames;
  info.diagnostics = plan.diagnostics;
  if (info.diagnostics.empty()) {
    const auto names = solver_kind(scene).diagnostics;
    info.diagnostics.assign(names.begin(), names.end());
  }
  info.field = scene.view.field.empty() ? std::string(solver_kind(scene).fields.front()) : scene.view.field;
  info.state_bytes = plan.view_bytes;
  info.alpha = scene.view.background.a < 255;
  info.title = scene.title;
  info.scene_text = scene.text;
  info.overrides = scene.overrides;
  info.overwrite = overwrite;
  info.inputs = {scene.file.string()};
  info.inputs.insert(info.inputs.end(), plan.inputs.begin(), plan.inputs.end());
  if (const std::string colormap = colormap_file(scene.view.colormap); !colormap.empty())
    info.inputs.push_back(colormap);
  return info;
}

std::size_t saved_bytes(const Scene& scene, const SolverPlan& plan) {
  return plan.saved_bytes + ParticlePainter::trail_bytes(scene.view, particle_stage(scene, plan));
}

RenderMemory render_memory(const Scene& scene, const SolverPlan& plan, const Executor& executor,
                           const SinkNeeds& sinks) {
  const std::size_t frames = FrameRing::memory_bytes(sinks.layouts, scene.view.size, sinks.state ? plan.view_bytes : 0);
  const ParticleStage stage = particle_stage(scene, plan);
  const std::size_t trails = ParticlePainter::trail_bytes(scene.view, stage);
  const std::size_t model = plan.bytes(executor) + Rasterizer::memory_bytes(executor, scene.view, stage, sinks.layouts);
  const std::size_t host = plan.made_bytes + sinks.memory_bytes;
  if (executor.backend() == Backend::cpu) return {model + frames + host, 0, trails};
  // Every slot lies on both sides: the device writes one, the sinks read the other.
  return {model + frames, frames + host, trails};
}

}  // namespace simreel
