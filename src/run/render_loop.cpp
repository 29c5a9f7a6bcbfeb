#include "run/render_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <iterator>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/numbers.h"
#include "encode/packets.h"
#include "kernels/base/pack.h"
#include "run/advance.h"
#include "run/memory.h"
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

// One run.
class Loop {
 public:
  explicit Loop(const RenderJob&);
  ~Loop();
  Loop& operator=(Loop&&) = delete;
  RenderResult run();

 private:
  std::int64_t frame() const { return frame_; }  // the number of the next one, among all of the scene
  std::int64_t passed() const { return std::max<std::int64_t>(frame_ - run_.first, 0); }  // of those for outputs
  // Whether the outputs get the frame.
  bool is_shown() const {
    return frame() >= run_.first && (run_.stills.empty() || std::ranges::binary_search(run_.stills, frame()));
  }
  // Whether a loop shows its picture again.
  bool is_kept() const {
    return run_.open.store && frame() >= run_.info.kept_first && frame() < run_.info.kept_first + run_.info.kept;
  }
  // Whether later pictures depend on that of the next frame: the range may follow, and bodies leave trails.
  bool is_remembered() const {
    const RangeMode range = run_.scene.view.range;
    return result_.drawn && (run_.plan.bodies > 0 || run_.scene.figure.space_time || range == RangeMode::follow ||
                             (range == RangeMode::first && frame() == 0));
  }

  void find_range();
  void run_frames();
  void skip();
  void hold();
  void lay_over_held(std::int64_t held);
  // After an error, the one that is being handled: the frames before it are valid.
  void keep_what_is_done();
  // Brings the source to the next frame; false if there is none: after a signal, at the end of an input, where the
  // state is not finite.
  bool advance();
  void publish();
  std::vector<double> measure();
  // Draws the frame with its figure, and packs its state; without a slot only what later pictures need is kept.
  void show(FrameRing::Slot*, const std::vector<double>& measured);
  void take(const std::string& field, const View&, FrameRing::Slot&);
  Interval follow_of(FrameView&, const View&);
  void draw(FrameView&, const View&, bool seen);
  void write_figure(const View&, const std::vector<double>& measured, FrameRing::Slot&);
  void fill(FrameRing::Slot&, std::int64_t picture);
  void keep_or_blend();
  void show_kept(std::int64_t index);
  void release_store(bool needed);
  void finish();
  void finish_checkpoints();
  void list_times();

  void offer_checkpoint();
  void warn(const std::string&);
  void warn_of_even_frame(Interval);

  const RenderJob& job_;
  PreparedRun& run_;
  const Checkpoint* const resumed_;
  Rasterizer& rasterizer_;
  RenderResult result_;
  std::int64_t frame_;
  struct Seconds {
    double range = 0, simulate = 0, draw = 0, measure = 0, figure = 0, wait = 0, convert = 0, encode = 0, copy = 0;
  } seconds_;
  StopWatch whole_, watch_;
  std::unique_ptr<PacketStage> packets_;  // null: no sink wants them. The sinks wait for them, so it outlives the ring
  FrameRing ring_;
  const bool vectors_, hue_;  // whether the figure wants them, and the picture
  PixelLayout live_layout_ = PixelLayout::rgb;
  std::set<std::string> beside_;  // the fields that the frames take, without that of the picture
  std::unique_ptr<Source> source_;
  std::shared_ptr<const Page> page_;   // of the last frame, where outputs want pages
  std::vector<double> last_measured_;  // in that frame, where it is held
  Buffer<Color> picture_;              // of a loop, to and from its store
  std::vector<Color> on_host_, kept_;
  Checkpointer* checkpointer_ = nullptr;  // null: no checkpoints of the source
  // Whether a state of the source and the rasterizer that is saved now continues after `frame()` frames: nothing of the
  // next one has been drawn.
  bool between_frames_ = true;
};

std::unique_ptr<PacketStage> open_packets(const PreparedRun& run, bool alone) {
  const SinkNeeds needs = needs_of(run.open.sinks);
  if (!needs.packets) return nullptr;
  const PacketPlan plan = render_memory(run.scene, run.plan, run.executor, needs).packets;
  return std::make_unique<PacketStage>(run.executor, run.scene, *needs.packets, plan, alone);
}

Loop::Loop(const RenderJob& job)
    : job_(job),
      run_(job.run),
      resumed_(run_.open.resumed),
      rasterizer_(run_.rasterizer()),
      frame_(resumed_ && resumed_->has(passed_block) ? resumed_->load_value<std::int64_t>(passed_block) : 0),
      whole_(run_.executor, false),
      watch_(run_.executor, job.profile),
      packets_(open_packets(run_, job.alone)),
      ring_(run_.executor, run_.open.sinks, run_.scene.view.size, passed(), state_bytes(run_.plan),
            FrameRing::default_slots, run_.info.log, packets_ ? packets_->frames_ahead() : FrameRing::default_slots),
      vectors_(ring_.needs().drawn() && rasterizer_.figure_wants_vectors()),
      hue_(ring_.needs().drawn() && rasterizer_.wants_hue()) {
  result_.drawn = ring_.needs().drawn();
  rasterizer_.set_layouts(ring_.needs().converted());
  if (packets_ && ring_.needs().layouts.empty()) packets_->watch();
  const std::vector<PixelLayout> converted = ring_.needs().converted();
  if (!converted.empty() && std::ranges::all_of(converted, is_deep)) live_layout_ = PixelLayout::rgb16;
  const SourcePlan& plan = run_.plan;
  if (ring_.needs().state) beside_.insert(plan.state_fields.begin(), plan.state_fields.end());
  if (vectors_) beside_.insert(plan.grid.vectors.begin(), plan.grid.vectors.end());
  if (result_.drawn) beside_.erase(plan.field);
}

Loop::~Loop() {
  if (checkpointer_) checkpointer_->release();
}

RenderResult Loop::run() {
  find_range();
  watch_.lap(seconds_.range);
  if (!result_.signal && !source_) {
    source_ = open_source(job_);
    if (const Checkpoint* const resumed = run_.open.resumed; resumed && resumed->has(step_block))
      source_->load(*resumed);
  }
  if (source_ && source_->resumable()) checkpointer_ = run_.open.checkpointer.get();
  if (checkpointer_) checkpointer_->attach(*source_, saved_bytes(run_.scene, run_.plan));

  if (source_) run_frames();
  result_.frames = passed();
  result_.frame = frame();
  finish();
  finish_checkpoints();
  list_times();
  return std::move(result_);
}

void Loop::run_frames() {
  try {
    for (skip(); frame() < run_.end && advance(); ++frame_, skip()) {
      watch_.lap(seconds_.simulate);
      if (is_shown() || is_kept())
        publish();
      else if (is_remembered())
        show(nullptr, {});
      job_.report({RenderProgress::Stage::render, frame() + 1, run_.end});
    }
    if (!result_.signal && !result_.diverged && passed() > 0) hold();
  } catch (const RunAbandoned&) {
    ring_.drain();
    throw;
  } catch (...) {
    keep_what_is_done();
    throw;
  }
}

void Loop::skip() {
  if (is_remembered()) return;
  const std::int64_t first = run_.open.store ? std::min(run_.first, run_.info.kept_first) : run_.first;
  const std::int64_t next = checkpointer_ ? checkpointer_->next() - 1 : first;
  frame_ = std::max(frame_, std::min(first, next));
}

// Only the pictures of a frame that was drawn now can be repeated, so nothing of this is saved.
void Loop::hold() {
  between_frames_ = false;
  for (std::int64_t i = 0; i < run_.held && (result_.signal = job_.interrupted()) == 0; ++i) {
    FrameRing::Slot& slot = ring_.acquire();
    if (run_.open.store)
      show_kept(run_.held - 1 - i);
    else
      lay_over_held(i + 1);
    fill(slot, passed() + i);
    slot.page = page_;
    ring_.publish(slot, true);
    ++result_.held;
  }
}

void Loop::lay_over_held(std::int64_t held) {
  const FrameFacts facts{frame() - 1, source_->steps_done(), source_->time(), last_measured_, held};
  if (!page_) return void(rasterizer_.lay_over_held(facts));
  Page page = *page_;
  if (rasterizer_.lay_over_held(facts, &page)) page_ = std::make_shared<const Page>(std::move(page));
}

void Loop::keep_what_is_done() {
  job_.in_step(false);
  ring_.finish_after(std::current_exception());
  try {
    if (checkpointer_ && between_frames_) checkpointer_->keep(frame(), *source_, rasterizer_);
  } catch (const std::exception&) {  // what has failed cannot be saved either
  }
  release_store(run_.open.checkpointer && run_.open.checkpointer->begun());
}

void Loop::publish() {
  std::vector<double> measured = measure();
  watch_.lap(seconds_.measure);
  FrameRing::Slot& slot = ring_.acquire();
  watch_.lap(seconds_.wait);
  slot.state = {{}, nullptr, source_->steps_done(), source_->time()};
  show(&slot, measured);
  if (run_.open.store) keep_or_blend();
  if (!is_shown()) return;  // the slot is free for the next
  fill(slot, passed());
  if (run_.held > 0) last_measured_ = measured;
  slot.diagnostics = ring_.needs().diagnostics ? std::move(measured) : std::vector<double>();
  ring_.publish(slot);
  watch_.lap(seconds_.copy);
}

void Loop::find_range() {
  const bool known = resumed_ && rasterizer_.load(*resumed_) && !resumed_->has(range_pass_block);
  if (!run_.has_first_pass() || known) return;
  FirstPass pass = find_range_of_all(job_);
  result_.signal = pass.signal;
  source_ = std::move(pass.again);
}

bool Loop::advance() {
  between_frames_ = true;
  offer_checkpoint();
  result_.signal = advance_to(job_, *source_, frame(), [this] { offer_checkpoint(); });
  if (result_.signal) return false;
  if (const auto available = source_->frames(); available && frame() >= *available) return false;
  {
    const InStep in_step(job_);
    result_.diverged = !source_->finite();
  }
  if (const std::string text = source_->warning(); !text.empty()) warn(text);
  between_frames_ = false;
  return !result_.diverged;
}

// On several ranks a view is gathered, so each field is fetched once, and goes to all that want it. A view is valid
// until the next one: that of the picture, which the figure shows too, comes last.
void Loop::show(FrameRing::Slot* slot, const std::vector<double>& measured) {
  const InStep in_step(job_);
  const SourcePlan& plan = run_.plan;
  if (slot)
    for (const std::string& field : beside_) take(field, source_->view(field), *slot);
  if (!result_.drawn) return;
  for (const int part : {0, 1})
    if (hue_) rasterizer_.take_hue(part, source_->view(run_.scene.view.hue[static_cast<std::size_t>(part)]));
  if (const Color* const picture = source_->picture()) {
    rasterizer_.show(picture);
    watch_.lap(seconds_.draw);
    rasterizer_.lay_over({frame(), source_->steps_done(), source_->time(), measured});
    return watch_.lap(seconds_.figure);
  }
  FrameView shown(*source_, plan, rasterizer_);
  const bool packed = slot && ring_.needs().state && std::ranges::count(plan.state_fields, plan.field) > 0;
  const View view = packed ? source_->view(plan.field) : shown.view();
  if (slot) take(plan.field, view, *slot);
  draw(shown, view, slot != nullptr);
  watch_.lap(seconds_.draw);
  if (slot) write_figure(view, measured, *slot);
}

// The fields of a packed state lie one after the other.
void Loop::take(const std::string& field, const View& view, FrameRing::Slot& slot) {
  const SourcePlan& plan = run_.plan;
  for (const int part : {0, 1})
    if (vectors_ && plan.grid.vectors[static_cast<std::size_t>(part)] == field)
      rasterizer_.take_vectors(part, view, frame());
  watch_.lap(seconds_.figure);
  const auto place = std::ranges::find(plan.state_fields, field) - plan.state_fields.begin();
  const auto fields = std::ssize(plan.state_fields);
  if (!ring_.needs().state || place == fields) return;
  StateLayout layout = state_layout(view);
  const auto bytes = static_cast<std::ptrdiff_t>(layout.bytes());
  std::byte* const to = slot.state_target();
  pack_view(run_.executor, view, to + place * bytes);
  layout.fields = static_cast<int>(fields);
  layout.solid = place == 0 ? pack_solid(run_.executor, view, to + fields * bytes) : slot.state.layout.solid;
  slot.state.layout = layout;
  watch_.lap(seconds_.convert);
}

// The extremes of the frame; of both signs as [-m, m].
Interval Loop::follow_of(FrameView& shown, const View& view) {
  if (run_.scene.view.follows_evenly) {
    const double reach = (source_->divided() ? shown.measure_spread() : rasterizer_.measure_spread(view)).reach();
    return {-reach, reach};
  }
  return source_->divided() ? shown.measure(frame()) : rasterizer_.measure(view, frame());
}

void Loop::draw(FrameView& shown, const View& view, bool seen) {
  if (rasterizer_.range_mode() == RangeMode::follow) rasterizer_.follow(follow_of(shown, view));
  if (frame() == 0 && rasterizer_.range_mode() == RangeMode::first) {
    const Interval range = source_->divided() ? shown.measure(frame()) : rasterizer_.measure(view, frame());
    rasterizer_.set_range(range);
    if (run_.plan.bodies == 0 && !(range.low < range.high)) warn_of_even_frame(range);
  }
  if (!seen) return rasterizer_.remember(view, frame());
  shown.draw(view, frame());
  if (run_.plan.bodies == 0 || (frame() != run_.first && frame() + 1 != run_.end)) return;
  if (const auto reason = rasterizer_.unseen(view, frame())) warn(*reason);
}

std::vector<double> Loop::measure() {
  const InStep in_step(job_);
  const bool wanted = ring_.needs().diagnostics || (result_.drawn && rasterizer_.figure_wants_diagnostics());
  if (!wanted && !(job_.live && job_.live->wants_values())) return {};
  const auto start = std::chrono::steady_clock::now();
  std::vector<double> measured = source_->diagnose();
  const std::chrono::duration<double> cost = std::chrono::steady_clock::now() - start;
  if (job_.live) job_.live->add_values(source_->time(), measured, wanted ? 0 : cost.count());
  return wanted ? std::move(measured) : std::vector<double>();
}

void Loop::write_figure(const View& view, const std::vector<double>& measured, FrameRing::Slot& slot) {
  const FrameFacts facts{frame(), source_->steps_done(), source_->time(), measured};
  if (ring_.needs().pages)
    slot.page = page_ = std::make_shared<const Page>(rasterizer_.write_page(view, facts));
  else
    rasterizer_.write_figure(view, facts);
  watch_.lap(seconds_.figure);
}

// `picture`: its number among those of the outputs.
void Loop::fill(FrameRing::Slot& slot, std::int64_t picture) {
  if (!run_.outputs.empty() && run_.stills.empty())
    rasterizer_.fade(run_.scene.animation.fade_at(picture, run_.end - run_.first + run_.held));
  for (const PixelLayout layout : ring_.needs().layouts) rasterizer_.convert(layout, slot.target(layout));
  if (job_.live && result_.drawn) job_.live->show(run_.executor, rasterizer_, run_.scene.view.size, live_layout_);
  watch_.lap(seconds_.convert);
  if (packets_) slot.packet = packets_->encode(rasterizer_, picture);
  if (packets_ && job_.profile) packets_->wait();
  watch_.lap(seconds_.encode);
}

// The last pictures of a crossfade run into the first ones, which no output gets otherwise.
void Loop::keep_or_blend() {
  const std::int64_t blended = run_.held == 0 ? frame() - (run_.end - run_.info.kept) : -1;
  if (!is_kept() && blended < 0) return;
  if (picture_.size() == 0)
    picture_ = Buffer<Color>(run_.executor, frame_bytes(run_.scene.view.size, PixelLayout::rgba) / sizeof(Color));
  rasterizer_.convert(PixelLayout::rgba, reinterpret_cast<std::byte*>(picture_.data()));
  on_host_.resize(picture_.size());
  picture_.download_to(on_host_.data());
  if (is_kept()) return run_.open.store->add(on_host_);
  run_.open.store->read(blended, kept_);
  const double share = static_cast<double>(blended + 1) / static_cast<double>(run_.info.kept + 1);
  blend(on_host_, kept_, static_cast<int>(std::lround(share * AnimationOptions::fade_whole)));
  picture_.upload(on_host_.data());
  rasterizer_.show(picture_.data());
}

void Loop::show_kept(std::int64_t index) {
  run_.open.store->read(index, on_host_);
  picture_.upload(on_host_.data());
  rasterizer_.show(picture_.data());
}

void Loop::release_store(bool needed) {
  if (run_.open.store && !needed) run_.open.store->remove_at_end();
}

void Loop::finish() {
  job_.in_step(false);
  if (checkpointer_) checkpointer_->reach(frame());
  result_.range = rasterizer_.range();
  if (const auto reason = rasterizer_.unseen_contours()) warn(*reason);
  for (const std::string& text : rasterizer_.overlay_warnings()) warn(text);
  if (source_) {
    result_.steps = source_->steps_done();
    if (result_.diverged) result_.divergence = source_->divergence();
    result_.findings = source_->findings();
  }
  std::ranges::move(rasterizer_.findings(), std::back_inserter(result_.findings));
  ring_.finish();
  watch_.lap(seconds_.wait);
  const bool still = ring_.stands_still() || (packets_ && packets_->stands_still());
  const bool shown = run_.scene.figure.only == FigureOptions::Only::all;
  if (still && shown && run_.stills.empty() && frame() == run_.end && passed() > 1)
    warn(fmt::format("{}all {} frames are the same picture: nothing in it moves{}", run_.scene.before(), passed(),
                     run_.scene.solver_kind.empty()
                         ? ""
                         : ". Look at [view] range, at what moves the state in [solver], and "
                           "at steps_per_frame in [animation]"));
}

void Loop::finish_checkpoints() {
  if (result_.signal && checkpointer_) {
    if (between_frames_)
      checkpointer_->close(frame(), *source_, rasterizer_);
    else
      checkpointer_->close();
  }
  result_.resumable = result_.signal && run_.open.checkpointer && run_.open.checkpointer->begun();
  release_store(result_.resumable);
  const bool complete = !result_.signal && !result_.diverged;
  if (result_.diverged && run_.open.checkpointer)
    run_.open.checkpointer->diverge({frame(), result_.steps, result_.divergence});
  else if (complete && checkpointer_ && checkpointer_->keeps_end())
    checkpointer_->complete(frame(), run_.held, *source_, rasterizer_);
  else if (run_.open.checkpointer && !result_.resumable)
    run_.open.checkpointer->remove();
}

void Loop::list_times() {
  whole_.lap(result_.seconds);
  const Seconds& s = seconds_;
  result_.stages = {{"range", s.range},     {"simulate", s.simulate}, {"draw", s.draw},
                    {"figure", s.figure},   {"convert", s.convert},   {"encode", s.encode},
                    {"measure", s.measure}, {"copy", s.copy},         {"wait for ring", s.wait}};
  const std::vector<double> busy = ring_.times().sink_busy;
  for (std::size_t i = 0; i < busy.size(); ++i)
    result_.sinks.push_back({busy[i], run_.open.sinks[i]->times(), run_.open.sinks[i]->traits().replaceable_codec});
}

void Loop::offer_checkpoint() {
  if (checkpointer_) checkpointer_->offer(frame(), *source_, rasterizer_);
}

void Loop::warn(const std::string& text) {
  tell(run_.info.log, LogLevel::warning, text);
  result_.warnings.push_back(text);
}

// All frames have the range of the first, which says little where that is a state of rest.
void Loop::warn_of_even_frame(Interval range) {
  const Interval taken = rasterizer_.range();
  warn(fmt::format(
      "{}range = \"first\" takes the range of the colours from the first frame, {}: it is {} now; set "
      "range = [low, high] in [view]",
      run_.scene.view.range_position.before(),
      range.low > range.high ? "which has no finite value" : fmt::format("which is {:.6g} everywhere", range.low),
      range_text(taken.low, taken.high)));
}

}  // namespace

RenderResult render(const RenderJob& job) { return Loop(job).run(); }

}  // namespace simreel
