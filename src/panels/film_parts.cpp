#include "panels/film_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "exec/buffer.h"
#include "picture/rasterizer.h"
#include "raster/color/colormap.h"
#include "run/checkpointer.h"
#include "run/duration.h"
#include "run/memory.h"
#include "run/plan.h"
#include "run/prepared_run.h"
#include "run/repeat_store.h"

namespace simreel {
namespace {

ScenePart load_part(const FigureFile& file, std::size_t i) {
  const PartOptions& options = file.parts[i];
  std::vector<std::string> set = options.set;
  if (file.size) set.push_back(fmt::format("view.size=[{}, {}]", file.size->width, file.size->height));
  if (file.gives_fps)
    set.push_back(fmt::format("animation.fps=[{}, {}]", file.animation.fps_numerator, file.animation.fps_denominator));
  if (options.duration) set.push_back(fmt::format("animation.duration={:.17g} s", *options.duration));
  ScenePart part{options, fmt::format("{}part {}: ", options.position.before(), i + 1), {}, {}};
  try {
    expect_scene(options.scene);
    part.scene = load_complete_scene(options.scene, set);
    part.scene.overlays.insert(part.scene.overlays.end(), options.captions.begin(), options.captions.end());
    part.plan = plan_run(part.scene);
    if (std::exchange(part.scene.view.background.a, 255) < 255)
      part.plan.texts.warnings.push_back("its background is drawn as if it were opaque");
  } catch (const UsageError& error) {
    throw UsageError(part.name + error.what());
  }
  const AnimationOptions& animation = part.scene.animation;
  if (animation.end() > animation.frames || animation.first >= animation.end())
    throw UsageError("{}\"first\" and \"last\" in its [animation] are {} and {}, and it has {} frames, from 0",
                     part.name, animation.first, animation.end() - 1, animation.frames);
  part.count = animation.end() - animation.first;
  return part;
}

// One that is running.
class PlayedPart {
 public:
  PlayedPart(const ScenePart& part, const Executor& executor, const std::function<bool()>& stop)
      : part_(part),
        executor_(executor),
        rasterizer_(executor, part.scene.view, draw_context(part.scene, part.plan)),
        canvas_(executor, frame_bytes(part.scene.view.size, PixelLayout::rgba) / sizeof(Color)),
        stop_(stop),
        measures_(comes_from_all_frames(rasterizer_.range_mode()) || rasterizer_.fits_all_frames()) {
    open();
  }

  Source& source() { return *source_; }
  const Source& source() const { return *source_; }
  bool lost() const { return lost_; }

  std::int64_t work_to(std::int64_t frame) const {
    if (measures_) return 1 + part_.scene.animation.frames - pass_.frames;
    return at_ == frame ? 0 : std::max<std::int64_t>(1, source_->work_to(frame));
  }

  void advance_towards(std::int64_t frame) {
    if (measures_) return measure();
    if (drawn_ < at_ && is_remembered(at_)) draw(false);
    const std::int64_t next = is_remembered(at_ + 1) ? at_ + 1 : frame;
    if (!reach(next)) return;
    at_ = next;
    lost_ = !source_->finite();
  }

  // Of the frame that was reached.
  const std::vector<Color>& picture() {
    while (source_->work_to(at_) > 0) source_->advance_towards(at_);  // after a resume, where no state is saved
    if (drawn_ == at_) rasterizer_.forget_last();
    draw(true);
    std::vector<double> measured;
    if (rasterizer_.figure_wants_diagnostics()) measured = source_->diagnose();
    for (const int half : {0, 1})
      if (rasterizer_.figure_wants_vectors())
        rasterizer_.take_vectors(half, source_->view(part_.plan.grid.vectors[static_cast<std::size_t>(half)]), at_);
    rasterizer_.write_figure(source_->view(part_.plan.field), {at_, source_->steps_done(), source_->time(), measured});
    rasterizer_.convert(PixelLayout::rgba, reinterpret_cast<std::byte*>(canvas_.data()));
    pixels_.resize(canvas_.size());
    canvas_.download_to(pixels_.data());
    return pixels_;
  }

  void save(Checkpoint& checkpoint) const {
    source_->save(checkpoint);
    rasterizer_.save(checkpoint);
    checkpoint.save_value("frame of the part", at_);
    checkpoint.save_value("drawn frame of the part", drawn_);
    checkpoint.save_value("part is measured", static_cast<std::int64_t>(measures_));
    checkpoint.save_value("pass of the part", pass_);
  }

  void load(const Checkpoint& checkpoint) {
    source_->load(checkpoint);
    rasterizer_.load(checkpoint);
    at_ = checkpoint.load_value<std::int64_t>("frame of the part");
    drawn_ = checkpoint.load_value<std::int64_t>("drawn frame of the part");
    measures_ = checkpoint.load_value<std::int64_t>("part is measured") != 0;
    pass_ = checkpoint.load_value<RangePass>("pass of the part");
  }

 private:
  void open() {
    source_.reset();
    source_ = part_.plan.open(executor_);
    source_->stop_when(stop_);
  }

  // Whether later pictures depend on that of the frame.
  bool is_remembered(std::int64_t frame) const {
    const RangeMode range = rasterizer_.range_mode();
    return part_.plan.bodies > 0 || part_.scene.figure.space_time || range == RangeMode::follow ||
           (range == RangeMode::first && frame == 0);
  }

  bool reach(std::int64_t frame) {
    if (source_->work_to(frame) > 0) source_->advance_towards(frame);
    return source_->work_to(frame) == 0;
  }

  // A portion of the pass over all frames, from which the range of the colours or the camera follows.
  void measure() {
    const bool ranges = comes_from_all_frames(rasterizer_.range_mode());
    const bool symmetric = rasterizer_.range_mode() == RangeMode::symmetric;
    if (pass_.frames < part_.scene.animation.frames) {
      if (!reach(pass_.frames)) return;
      const View view = source_->view(part_.plan.field);
      if (source_->finite()) {
        if (rasterizer_.fits_all_frames()) {
          const Reach now = rasterizer_.measure_reach(view);
          for (std::size_t i = 0; i < now.size(); ++i)
            pass_.reach[i] = pass_.frames == 0 ? now[i] : std::min(pass_.reach[i], now[i]);
        }
        if (ranges && symmetric) pass_.add(rasterizer_.measure_spread(view));
        if (ranges && !symmetric) pass_.add(rasterizer_.measure(view, pass_.frames));
        ++pass_.frames;
        return pass_.keep();
      }
      pass_.take_back();  // the part itself ends here, and says why
    }
    if (ranges) rasterizer_.set_range(rasterizer_.range_mode() == RangeMode::robust ? pass_.robust() : pass_.range);
    if (rasterizer_.fits_all_frames()) rasterizer_.set_reach(pass_.reach);
    measures_ = false;
    open();
  }

  void draw(bool seen) {
    for (const int half : {0, 1})
      if (rasterizer_.wants_hue())
        rasterizer_.take_hue(half, source_->view(part_.scene.view.hue[static_cast<std::size_t>(half)]));
    const View view = source_->view(part_.plan.field);
    if (rasterizer_.range_mode() == RangeMode::follow && drawn_ < at_) {
      const double reach = part_.scene.view.follows_evenly ? rasterizer_.measure_spread(view).reach() : 0;
      rasterizer_.follow(part_.scene.view.follows_evenly ? Interval{-reach, reach} : rasterizer_.measure(view, at_));
    }
    if (rasterizer_.range_mode() == RangeMode::first && at_ == 0) rasterizer_.set_range(rasterizer_.measure(view, 0));
    seen ? rasterizer_.draw(view, at_) : rasterizer_.remember(view, at_);
    drawn_ = at_;
  }

  const ScenePart& part_;
  const Executor& executor_;
  Rasterizer rasterizer_;
  Buffer<Color> canvas_;
  std::vector<Color> pixels_;
  const std::function<bool()>& stop_;
  std::unique_ptr<Source> source_;
  RangePass pass_;
  bool measures_, lost_ = false;
  std::int64_t at_ = -1, drawn_ = -1;  // frames of the scene
};

// The parts that a frame of the video shows are open: one, or two in a fade.
class PartsSource final : public Source {
 public:
  PartsSource(const std::vector<ScenePart>& parts, const Executor& executor)
      : parts_(parts),
        executor_(executor),
        stopped_([this] { return stop_ && stop_(); }),
        picture_(executor, frame_bytes(parts[0].scene.view.size, PixelLayout::rgba) / sizeof(Color)) {}

  std::int64_t work_to(std::int64_t frame) const override {
    std::int64_t work = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i].shows(frame)) continue;
      const auto found = open_.find(i);
      work += found == open_.end() ? 1 : found->second.work_to(parts_[i].frame_of(frame));
    }
    return work;
  }

  void advance_towards(std::int64_t frame) override {
    frame_ = frame;
    std::erase_if(open_, [&](const auto& one) { return !parts_[one.first].shows(frame); });
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const ScenePart& part = parts_[i];
      if (!part.shows(frame)) continue;
      const auto found = open_.find(i);
      if (found == open_.end()) return play(i);
      if (found->second.work_to(part.frame_of(frame)) == 0) continue;
      return in_part(part, [&] { found->second.advance_towards(part.frame_of(frame)); });
    }
  }

  std::int64_t steps_done() const override { return open_.empty() ? 0 : open_.rbegin()->second.source().steps_done(); }
  double time() const override { return open_.empty() ? 0 : open_.rbegin()->second.source().time(); }
  std::span<const FieldInfo> fields() const override { return infos_; }
  View view(std::string_view) override { throw UsageError("a video of parts has no fields"); }

  const Color* picture() override {
    const auto first = open_.begin(), last = std::prev(open_.end());
    std::vector<Color> shown = first->second.picture();
    const ScenePart& part = parts_[last->first];
    if (first != last) blend(shown, last->second.picture(), share(frame_ - part.start, part.fade));
    // Through black: half of the time belongs to the part before, half to the one behind.
    const std::vector<Color> black(shown.size());
    const std::int64_t shown_for = frame_ - part.start, left = part.start + part.count - 1 - frame_;
    if (part.options.black && shown_for < part.fade - part.fade / 2)
      blend(shown, black, AnimationOptions::fade_whole - share(shown_for, part.fade - part.fade / 2));
    if (const std::size_t next = last->first + 1; next < parts_.size() && parts_[next].options.black)
      if (const std::int64_t half = parts_[next].fade / 2; left < half)
        blend(shown, black, AnimationOptions::fade_whole - share(left, half));
    picture_.upload(shown.data());
    return picture_.data();
  }

  bool finite() override { return !lost(); }
  std::string divergence() override { return lost()->first + lost()->second->divergence(); }
  std::string warning() override {
    for (auto& [i, played] : open_)
      if (const std::string text = played.source().warning(); !text.empty()) return parts_[i].name + text;
    return {};
  }

  bool resumable() const override { return true; }

  void save(Checkpoint& checkpoint) const override {
    std::vector<std::int64_t> numbers;
    checkpoint.keep_only(run_prefix);  // not the parts that are over; all else is saved after the source
    for (const auto& [i, played] : open_) {
      numbers.push_back(static_cast<std::int64_t>(i));
      Checkpoint own;
      played.save(own);
      checkpoint.nest(fmt::format("part {}/", i), std::move(own));
    }
    checkpoint.save("open parts", std::span<const std::int64_t>(numbers));
    checkpoint.save_value("frame of the parts", frame_);
  }

  void load(const Checkpoint& checkpoint) override {
    frame_ = checkpoint.load_value<std::int64_t>("frame of the parts");
    for (const std::int64_t number : checkpoint.load_list<std::int64_t>("open parts")) {
      const auto i = static_cast<std::size_t>(number);
      play(i);
      open_.at(i).load(checkpoint.nested(fmt::format("part {}/", i)));
    }
  }

 private:
  // Of the later one, in frame k of a fade: none is of one part alone.
  static int share(std::int64_t k, std::int64_t fade) {
    return static_cast<int>((k + 1) * AnimationOptions::fade_whole / (fade + 1));
  }

  static void in_part(const ScenePart& part, const std::function<void()>& work) {
    try {
      work();
    } catch (const UsageError& error) {
      throw UsageError(part.name + error.what());
    }
  }

  void play(std::size_t i) {
    in_part(parts_[i], [&] { open_.try_emplace(i, parts_[i], executor_, stopped_); });
  }

  std::optional<std::pair<std::string, Source*>> lost() {
    for (auto& [i, played] : open_)
      if (played.lost()) return std::pair(parts_[i].name, &played.source());
    return {};
  }

  const std::vector<ScenePart>& parts_;
  const Executor& executor_;
  const std::function<bool()> stopped_;
  std::map<std::size_t, PlayedPart> open_;
  std::int64_t frame_ = 0;
  Buffer<Color> picture_;
  std::array<FieldInfo, 1> infos_{FieldInfo{.name = "picture", .unit = ""}};
};

std::size_t bytes_of(const ScenePart& part, const Executor& executor) {
  const DrawContext stage = draw_context(part.scene, part.plan);
  return part.plan.bytes(executor) + part.plan.made_bytes +
         Rasterizer::memory_bytes(executor, part.scene.view, stage, {PixelLayout::rgba}) +
         2 * frame_bytes(part.scene.view.size, PixelLayout::rgba);
}

}  // namespace

std::vector<ScenePart> load_parts(const FigureFile& file) {
  std::vector<ScenePart> parts;
  for (std::size_t i = 0; i < file.parts.size(); ++i) {
    ScenePart part = load_part(file, i);
    const AnimationOptions& own = part.scene.animation;
    if (i > 0) {
      const Scene& first = parts[0].scene;
      const Size size = part.scene.view.size, wanted = first.view.size;
      if (size != wanted)
        throw UsageError(
            "{}its pictures have {} x {} pixels, and those of part 1 {} x {}; give all one size: size = [{}, {}] in "
            "[figure]",
            part.name, size.width, size.height, wanted.width, wanted.height, wanted.width, wanted.height);
      if (own.fps() != first.animation.fps())
        throw UsageError(
            "{}it has {:.6g} frames a second, and part 1 has {:.6g}; give all one rate: fps in [animation]", part.name,
            own.fps(), first.animation.fps());
      const ScenePart& before = parts.back();
      const bool black = part.options.black;
      part.fade = own.frames_in(part.options.fade);
      part.start = before.start + before.count - (black ? 0 : part.fade);
      // What is left of the part before, when its own fade is over.
      const std::int64_t left = before.count - (before.options.black ? before.fade - before.fade / 2 : before.fade);
      if ((black ? part.fade / 2 : part.fade) > left || (black ? part.fade - part.fade / 2 : part.fade) > part.count)
        throw UsageError(
            "{}its fade of {:.6g} s is longer than the parts on both sides leave; take a shorter one, or "
            "longer parts",
            part.name, part.options.fade);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

Film plan_parts(const std::vector<ScenePart>& parts, const FigureFile& file, const Executor& executor) {
  const Scene& first = parts[0].scene;
  AnimationOptions animation = file.animation;
  animation.fps_numerator = first.animation.fps_numerator;
  animation.fps_denominator = first.animation.fps_denominator;
  std::vector<OverlayOptions> overlays = file.overlays;
  load_overlay_images(overlays);
  Film film = begin_film(file, animation, parts.back().start + parts.back().count, first.view.size, overlays);
  film.scene.view.background = {0, 0, 0, 255};
  SolverPlan& plan = film.plan;
  std::size_t most = 0, before = 0;
  for (const ScenePart& part : parts) {
    plan.inputs.push_back(part.options.scene);
    plan.inputs.insert(plan.inputs.end(), part.plan.inputs.begin(), part.plan.inputs.end());
    std::ranges::move(image_files(part.scene.overlays), std::back_inserter(plan.inputs));
    if (const std::string map = colormap_file(part.scene.view.colormap); !map.empty()) plan.inputs.push_back(map);
    const std::size_t bytes = bytes_of(part, executor);
    most = std::max(most, bytes + before);
    before = bytes;
    plan.saved_bytes = std::max(plan.saved_bytes, 2 * saved_bytes(part.scene, part.plan));
    Rasterizer(executor, part.scene.view, draw_context(part.scene, part.plan));  // mistakes of colours and cameras
    const AnimationOptions& own = part.scene.animation;
    if (own.hold_last > 0 || own.fades() || own.loop != AnimationOptions::Loop::none)
      plan.texts.warnings.push_back(part.name +
                                    "loop, hold_last, fade_in and fade_out of its [animation] are for its own video; "
                                    "those of this file apply");
    for (const std::string& warning : part.plan.texts.warnings) plan.texts.warnings.push_back(part.name + warning);
    const bool twice = comes_from_all_frames(part.scene.view.range) || part.scene.camera.fits_all_frames();
    if (const auto warning = long_run(part.scene, part.plan, executor, twice))
      plan.texts.warnings.push_back(part.name + *warning);
  }
  plan.part_bytes = [most](const Executor&, int, int) { return most; };
  plan.open = [&parts](const Executor& on) { return std::make_unique<PartsSource>(parts, on); };
  return film;
}

}  // namespace simreel
