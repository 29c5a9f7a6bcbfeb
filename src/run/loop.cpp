#include "run/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "kernels/base/pack.h"
#include "run/advance.h"
#include "run/packets.h"
#include "run/plan.h"
#include "run/range_pass.h"
#include "run/ring.h"

namespace simreel {
namespace {

// Measures the time between two calls of `lap` and adds it to a stage.
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

// The source at its start, or in the state of an interrupted run.
std::unique_ptr<Source> open_or_resume(const RenderJob& job) {
  std::unique_ptr<Source> source = open_source(job);
  if (job.resumed && job.resumed->has(step_block)) source->load(*job.resumed);
  return source;
}

// Puts the fields that outputs of the state hold one behind the other.
void pack_state(const RenderJob& job, Source& source, FrameRing::Slot& slot) {
  slot.state = {{}, nullptr, source.steps_done(), source.time()};
  std::byte* to = slot.state_target();
  for (const std::string& field : job.plan.state_fields) {
    const View view = source.view(field);
    pack_view(job.executor, view, to);
    slot.state.layout = state_layout(view);
    to += slot.state.layout.bytes();
    if (field == job.plan.state_fields.back()) slot.state.layout.solid = pack_solid(job.executor, view, to);
  }
  slot.state.layout.fields = static_cast<int>(job.plan.state_fields.size());
}

// Views are valid until the next one, so the parts of a vector are handed over before the view that is drawn.
// Returns the page of the frame if `paged`.
std::shared_ptr<const Page> write_figure(const RenderJob& job, Source& source, std::int64_t frame,
                                         const std::vector<double>& diagnostics, bool paged) {
  if (!job.rasterizer.has_figure() && !paged) return nullptr;
  if (job.rasterizer.figure_wants_vectors())
    for (const int part : {0, 1})
      job.rasterizer.take_vectors(part, source.view(job.plan.vectors[static_cast<std::size_t>(part)]));
  const View view = source.view(job.plan.field);
  const FrameFacts facts{frame, source.steps_done(), source.time(), diagnostics};
  if (paged) return std::make_shared<const Page>(job.rasterizer.write_page(view, facts));
  job.rasterizer.write_figure(view, facts);
  return nullptr;
}

}  // namespace

RenderResult render(const RenderJob& job) {
  RenderResult result;
  double searching = 0, simulate = 0, draw = 0, figure = 0, convert = 0, encode = 0, measure = 0, copy = 0, wait = 0;
  StopWatch whole(job.executor, false), watch(job.executor, job.profile);

  if (job.resumed) result.frames = job.resumed->load_value<std::int64_t>(frames_block);
  FrameRing ring(job.executor, job.sinks, job.scene.view.size, result.frames, state_bytes(job.plan),
                 FrameRing::default_slots, job.log);
  const SinkNeeds needs = needs_of(job.sinks);
  job.rasterizer.set_layouts(needs.converted());
  result.drawn = needs.drawn();
  std::optional<PacketStage> packets;
  if (ring.packets()) packets.emplace(job.executor, job.scene, *ring.packets());
  if (packets && ring.layouts().empty()) packets->watch();
  const bool diagnostics = std::ranges::any_of(job.sinks, [](const auto& sink) { return sink->wants_diagnostics(); });

  const RangeMode mode = job.rasterizer.range_mode();
  const bool range_known = job.resumed && job.rasterizer.load(*job.resumed) && !job.resumed->has(range_pass_block);
  if (result.drawn && comes_from_all_frames(mode) && !range_known) result.signal = find_range_of_all(job);
  watch.lap(searching);

  const std::unique_ptr<Source> source = result.signal ? nullptr : open_or_resume(job);
  Checkpointer* const checkpointer = source && source->resumable() ? job.checkpointer : nullptr;
  const auto offer_checkpoint = [&] {
    if (checkpointer) checkpointer->offer(result.frames, *source, job.rasterizer);
  };
  const auto warn = [&](const std::string& text) {
    tell(job.log, LogLevel::warning, text);
    result.warnings.push_back(text);
  };
  const std::int64_t end = job.stills.empty() ? job.scene.animation.frames : job.stills.back() + 1;
  while (source && result.frames < end) {
    const std::int64_t frame = result.frames;
    offer_checkpoint();
    try {
      result.signal = advance_to(job, *source, frame, offer_checkpoint);
    } catch (const RunAbandoned&) {
      ring.drain();
      throw;
    } catch (const RuntimeError&) {  // of an input: the frames before it are valid
      ring.finish();
      if (checkpointer) checkpointer->close(result.frames, *source, job.rasterizer);
      throw;
    }
    if (result.signal) break;
    if (const auto available = source->frames(); available && frame >= *available) break;
    result.diverged = !source->finite();
    if (result.diverged) break;
    watch.lap(simulate);

    const bool shown = job.stills.empty() || std::ranges::binary_search(job.stills, frame);
    // Of a frame that nobody sees, the range may follow from the first, and bodies leave trails.
    if (result.drawn && (shown || frame == 0 || job.plan.bodies > 0)) {
      const View view = source->view(job.plan.field);
      if (frame == 0 && mode == RangeMode::first) job.rasterizer.set_range(job.rasterizer.measure(view, frame));
      job.rasterizer.draw(view, frame);
      if (frame == 0 || frame + 1 == job.scene.animation.frames)
        if (const auto reason = job.rasterizer.unseen(view, frame)) warn(*reason);
    }
    watch.lap(draw);
    if (!shown) {
      job.report({RenderProgress::Stage::render, result.frames = frame + 1, end});
      continue;
    }

    std::vector<double> measured;
    if (diagnostics || (result.drawn && job.rasterizer.figure_wants_diagnostics())) measured = source->diagnose();
    watch.lap(measure);
    std::shared_ptr<const Page> page;
    if (result.drawn) page = write_figure(job, *source, frame, measured, ring.wants_pages());
    watch.lap(figure);

    FrameRing::Slot& slot = ring.acquire();
    watch.lap(wait);

    for (const PixelLayout layout : ring.layouts()) job.rasterizer.convert(layout, slot.target(layout));
    if (ring.wants_state()) pack_state(job, *source, slot);
    slot.page = std::move(page);
    watch.lap(convert);
    if (packets) packets->encode(job.rasterizer, frame, slot);
    watch.lap(encode);
    slot.diagnostics = diagnostics ? std::move(measured) : std::vector<double>();
    ring.publish(slot);
    watch.lap(copy);

    result.frames = frame + 1;
    job.report({RenderProgress::Stage::render, result.frames, end});
  }
  result.range = job.rasterizer.range();
  if (source) {
    result.steps = source->steps_done();
    if (result.diverged) result.divergence = source->divergence();
    result.findings = source->findings();
  }
  std::ranges::move(job.rasterizer.findings(), std::back_inserter(result.findings));
  ring.finish();
  watch.lap(wait);
  if (job.stills.empty() && (ring.stands_still() || (packets && packets->stands_still())) && result.frames == job.scene.animation.frames)
    warn(
        fmt::format("{}: all {} frames are the same picture: nothing in it moves. Look at [view] range, at what moves "
                    "the state in [solver], and at steps_per_frame in [animation]",
                    job.scene.file.string(), result.frames));

  if (result.signal && checkpointer) checkpointer->close(result.frames, *source, job.rasterizer);
  result.resumable = result.signal && job.checkpointer && job.checkpointer->begun();
  const bool complete = !result.signal && !result.diverged;
  if (complete && checkpointer && checkpointer->keeps_end())
    checkpointer->complete(result.frames, *source, job.rasterizer);
  else if (job.checkpointer && !result.resumable)
    job.checkpointer->remove();

  whole.lap(result.seconds);
  result.stages = {{"range", searching}, {"simulate", simulate}, {"draw", draw},
                   {"figure", figure},   {"convert", convert},   {"encode", encode},
                   {"measure", measure}, {"copy", copy},         {"wait for ring", wait}};
  const std::vector<double> busy = ring.times().sink_busy;
  for (std::size_t i = 0; i < busy.size(); ++i)
    result.sinks.push_back({busy[i], job.sinks[i]->times(), job.sinks[i]->replaceable_codec()});
  return result;
}

}  // namespace simreel
