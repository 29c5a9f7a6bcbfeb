#include "library/pushed.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "exec/buffer.h"
#include "raster/rasterizer.h"
#include "run/loop.h"
#include "run/opening.h"
#include "run/plan.h"
#include "sink/sink.h"
#include "source/data/pose.h"
#include "source/solver.h"

namespace simreel {

constexpr std::int64_t most_frames = 1'000'000'000;  // nobody knows how many will come

template <class Real>
class PushedSource final : public Source {
 public:
  PushedSource(PushedVideo& video, const Executor& executor, const PushedFrame& shape, std::vector<FieldInfo> infos)
      : video_(video), shape_(shape), infos_(std::move(infos)) {
    if (shape.position.empty())
      field_ = Buffer<Real>(executor, static_cast<std::size_t>(shape.nx) * static_cast<std::size_t>(shape.ny));
    position_ = Buffer<Vec4<Real>>(executor, shape.position.size());
    velocity_ = Buffer<Vec4<Real>>(executor, shape.position.size());
  }

  std::optional<std::int64_t> frames() const override { return over_ ? std::optional(frame_ + 1) : std::nullopt; }
  std::int64_t work_to(std::int64_t frame) const override { return frame_ == frame || over_ ? 0 : 1; }

  void advance_towards(std::int64_t frame) override {
    const std::optional<PushedFrame> next = video_.take(over_);
    if (!next) return;
    upload(next->field, field_);
    upload(next->position, position_);
    upload(next->velocity, velocity_);
    time_ = next->time;
    frame_ = frame;
  }

  std::int64_t steps_done() const override { return frame_; }
  double time() const override { return time_; }
  std::span<const FieldInfo> fields() const override { return infos_; }
  View view(std::string_view field) override {
    field_index(field);
    if (position_.size() > 0) return ParticlesView<Real>{position_.data(), velocity_.data(), nullptr, position_.size()};
    return FieldView<Real>{field_.data(), shape_.nx, shape_.ny, static_cast<std::size_t>(shape_.nx)};
  }
  std::vector<double> diagnose() override { return {static_cast<double>(frame_), time_}; }
  bool finite() override { return true; }
  bool resumable() const override { return false; }

 private:
  static Real converted(double value) { return static_cast<Real>(value); }
  static Vec4<Real> converted(const Vec4<double>& v) {
    return {static_cast<Real>(v.x), static_cast<Real>(v.y), static_cast<Real>(v.z), static_cast<Real>(v.w)};
  }
  template <class From, class To>
  static void upload(const std::vector<From>& from, Buffer<To>& to) {
    if (from.empty()) return;
    std::vector<To> values;
    values.reserve(from.size());
    for (const From& value : from) values.push_back(converted(value));
    to.upload(values.data());
  }

  PushedVideo& video_;
  PushedFrame shape_;
  std::vector<FieldInfo> infos_;
  Buffer<Real> field_;
  Buffer<Vec4<Real>> position_, velocity_;
  std::int64_t frame_ = -1;
  double time_ = 0;
  bool over_ = false;
};

namespace {

// The scene of a view; its [solver] only says that the frames come from outside.
Scene scene_of(const std::string& view) {
  Scene scene = parse_scene(view + "\n[solver]\nkind = \"data\"\nfiles = \"pushed\"\n", "view");
  scene.text = view;
  if (!scene.gives("animation.frames")) scene.animation.frames = most_frames;
  return scene;
}

void refuse_range_of_all(const Scene& scene) {
  if (comes_from_all_frames(scene.view.range))
    throw UsageError(
        fmt::format("{}frames that are pushed are drawn at once, so that the range of the colours cannot come from all "
                    "of them; set range = [low, high] or \"first\" in [view]",
                    scene.view.range_position.before()));
}

}  // namespace

PushedVideo::PushedVideo(std::vector<std::string> outputs, const std::string& view, Executor executor, bool overwrite)
    : scene_(scene_of(view)), outputs_(std::move(outputs)), executor_(std::move(executor)), overwrite_(overwrite) {
  if (outputs_.empty()) throw UsageError("a video needs an output: \"x.mp4\"");
  SourcePlan plan;
  plan.view_bytes = 1;
  plan.state_fields = {"value"};
  check_sinks(outputs_, scene_.output, stream_info(scene_, plan, overwrite_));
  const Rasterizer trial(executor_, scene_.view);  // reads the colormap
}

PushedVideo::~PushedVideo() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = !closed_;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void PushedVideo::throw_failure() {
  if (failure_) std::rethrow_exception(failure_);
}

void PushedVideo::write(PushedFrame frame) {
  const auto bodies = [](const PushedFrame& f) { return f.position.size(); };
  if (frames_ > 0 && (frame.nx != shape_.nx || frame.ny != shape_.ny || bodies(frame) != bodies(shape_)))
    throw UsageError(
        bodies(shape_) > 0 || bodies(frame) > 0
            ? fmt::format("frame {} has {} bodies, and the first one {}", frames_, bodies(frame), bodies(shape_))
            : fmt::format("frame {} is {} x {}, and the first one {} x {} (rows x columns)", frames_, frame.ny,
                          frame.nx, shape_.ny, shape_.nx));
  if (frames_ > 0 && !frame.in_float && shape_.in_float)
    throw UsageError(fmt::format(
        "frame {} has numbers that need double, and the first one has not; give all the same type", frames_));
  const bool first = frames_ == 0;
  if (first) start(frame);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !waiting_ || ended_; });
  throw_failure();
  if (ended_)
    throw UsageError(fmt::format("the {} frames that [animation] asks for are written", scene_.animation.frames));
  waiting_ = std::move(frame);
  ++frames_;
  changed_.notify_all();
  if (!first) return;
  changed_.wait(lock, [&] { return !waiting_ || ended_; });  // its outputs are open
  throw_failure();
}

void PushedVideo::start(const PushedFrame& first) {
  Scene scene = scene_;
  Look look;
  look.steps_per_second = 0;
  if (first.position.empty()) {
    refuse_range_of_all(scene);
    look.shown = FieldInfo{.name = "value", .unit = ""};
  } else {
    const bool speed = scene.view.field == "speed", mass = scene.view.field == "mass";
    look.shown = FieldInfo{speed  ? "speed"
                           : mass ? "mass"
                                  : "density",
                           "", FieldInfo::Shape::bodies, speed || mass ? "stars" : "magma"};
    look.radius = 1;
    look.pose = pose_for(first.position);
  }
  if (!scene.view.field.empty() && scene.view.field != look.shown->name)
    throw UsageError(fmt::format("{}there is no field \"{}\" to look at, but: {}", scene.view.field_position.before(),
                                 scene.view.field, first.position.empty() ? "value" : "density, speed, mass"));
  complete_scene(scene, look);
  scene.view.field = look.shown->name;
  scene_ = std::move(scene);
  shape_ = first;
  shape_.field.clear();
  thread_ = std::thread([this, shape = first] {
    std::exception_ptr failure;
    try {
      run(shape);
    } catch (const Abandoned&) {
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    ended_ = true;
    changed_.notify_all();
  });
}

void PushedVideo::run(const PushedFrame& shape) {
  SourcePlan plan;
  const std::size_t value = shape.in_float ? sizeof(float) : sizeof(double);
  plan.bodies = shape.position.size();
  plan.view_bytes = plan.bodies > 0 ? plan.bodies * 8 * value
                                    : static_cast<std::size_t>(shape.nx) * static_cast<std::size_t>(shape.ny) * value;
  plan.bytes = [bytes = plan.view_bytes](const Executor&) { return bytes; };
  plan.size_key = "files";
  plan.field = scene_.view.field;
  plan.state_fields = {plan.field};
  plan.diagnostics = {"step", "time"};
  plan.frame_interval = 1;
  const FieldInfo info{plan.field, "", plan.bodies > 0 ? FieldInfo::Shape::bodies : FieldInfo::Shape::scalar};
  plan.open = [&](const Executor& executor) -> std::unique_ptr<Source> {
    if (shape.in_float) return std::make_unique<PushedSource<float>>(*this, executor, shape, std::vector{info});
    return std::make_unique<PushedSource<double>>(*this, executor, shape, std::vector{info});
  };
  StreamInfo stream = stream_info(scene_, plan, overwrite_);
  stream.inputs.clear();
  check_memory(scene_, plan, executor_, check_sinks(outputs_, scene_.output, stream));
  Rasterizer rasterizer(executor_, scene_.view, particle_stage(scene_, plan));
  OpenRun open = open_fresh(outputs_, scene_.output, stream, {});
  render({scene_, plan, executor_, rasterizer, open.sinks, [](const RenderProgress&) {}, [] { return 0; }});
}

std::optional<PushedFrame> PushedVideo::take(bool& over) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(100), [&] { return waiting_ || closed_ || abandoned_; });
  if (abandoned_) throw Abandoned();
  std::optional<PushedFrame> frame = std::exchange(waiting_, std::nullopt);
  over = !frame && closed_;
  changed_.notify_all();
  return frame;
}

void PushedVideo::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  throw_failure();
}

}  // namespace simreel
