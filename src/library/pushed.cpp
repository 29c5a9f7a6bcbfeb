#include "library/pushed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "exec/machine.h"
#include "library/pushed_source.h"
#include "picture/rasterizer.h"
#include "run/plan.h"
#include "run/prepared_run.h"
#include "run/render_loop.h"
#include "sink/sink.h"
#include "source/data/options.h"
#include "source/solver.h"

namespace simreel {
namespace {

Scene scene_of(const std::string& view, const std::string& name) {
  Scene scene = parse_view(view, name);
  load_overlay_images(scene.overlays);
  const AnimationOptions& animation = scene.animation;
  if (animation.first > 0 || animation.last || !animation.speed.empty())
    throw UsageError("{}\"first\", \"last\" and \"speed\" in [animation] are for scenes; push only the frames to show",
                     animation.positions.at(animation.first > 0 ? "first"
                                            : animation.last    ? "last"
                                                                : "speed")
                         .before());
  if (animation.loop != AnimationOptions::Loop::none)
    throw UsageError("{}\"loop\" in [animation] is for scenes; push the frames in the order of the video",
                     animation.positions.at("loop").before());
  if (scene.gives("animation.frames")) return scene;
  if (!scene.camera.keys.empty() || scene.camera.pose.orbit != 0)
    throw UsageError("{}the camera moves, so its path needs the number of frames: set frames in [animation]",
                     scene.camera.position.before());
  scene.animation.frames = endless_frames;
  return scene;
}

void refuse_what_comes_from_all(const Scene& scene, bool bodies) {
  if (!bodies && comes_from_all_frames(scene.view.range))
    throw UsageError(
        "{}frames that are pushed are drawn at once, so that the range of the colours cannot come from all "
        "of them; set range = [low, high] or \"first\" in [view]",
        scene.view.range_position.before());
  if (scene.camera.fits_all_frames())
    throw UsageError(
        "{}frames that are pushed are drawn at once, so that the camera cannot be fitted to all of them; set fit = "
        "\"first\", or position and target in [camera]",
        scene.camera.fit_position.before());
}

// Where the bodies of a frame are; `values` are those of a frame in host memory.
template <class Real>
std::vector<Vec4<double>> positions(const Executor& executor, const PushedFrame& frame, const std::byte* values) {
  std::vector<Real> numbers(numbers_in(frame));
  if (frame.on_gpu) {
    Buffer<Real> gathered(executor, numbers.size());
    gather_frame(executor, frame, gathered.data());
    gathered.download_to(numbers.data());
  } else {
    std::copy_n(values, numbers.size() * sizeof(Real), reinterpret_cast<std::byte*>(numbers.data()));
  }
  std::vector<Vec4<double>> all(static_cast<std::size_t>(frame.main().rows));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {numbers[4 * i], numbers[4 * i + 1], numbers[4 * i + 2], numbers[4 * i + 3]};
  return all;
}

// The bodies of a frame as gather_frame writes them.
template <class Real>
void expect_finite(const Real* body, const PushedFrame& frame) {
  const std::int64_t count = frame.main().rows;
  for (std::int64_t i = 0; i < count; ++i) {
    const Real *const b = body + 4 * i, *const v = b + 4 * count;
    if (!(std::isfinite(b[0]) && std::isfinite(b[1]) && std::isfinite(b[2])))
      throw UsageError("the {} of body {} is not finite", frame.position_name, i);
    if (!(b[3] >= 0 && std::isfinite(b[3]))) throw UsageError("the {} of body {} is {}", frame.mass_name, i, b[3]);
    if (!(v[3] >= 0 && std::isfinite(v[3]))) throw UsageError("the {} of body {} is {}", frame.velocity_name, i, v[3]);
    if (!(std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2])))
      throw UsageError("the {} of body {} is not finite", frame.velocity_name, i);
  }
}

}  // namespace

bool PushedFrame::in_float() const {
  return fits_float(main().type) && (!velocity || fits_float(velocity->type)) && (!mass || fits_float(mass->type));
}

PushedVideo::PushedVideo(std::vector<std::string> outputs, const std::string& view, const PushedOptions& options)
    : scene_(scene_of(view, options.view_name)),
      outputs_(std::move(outputs)),
      overwrite_(options.overwrite),
      host_(Executor::cpu(options.threads)),
      process_(process_number()) {
  if (outputs_.empty()) throw UsageError("a video needs an output: \"x.mp4\"");
  SourcePlan plan;
  plan.view_bytes = 1;
  plan.state_fields = {"value"};
  check_sinks(outputs_, scene_.output, stream_info(scene_, plan, overwrite_));
  thread_ = std::thread([this, options] { loop(options); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ready_ || ended_; });
  if (!failure_) return;
  lock.unlock();
  thread_.join();
  throw_failure();
}

PushedVideo::~PushedVideo() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = !closed_;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool PushedVideo::belongs_here() const { return process_ == process_number(); }

void PushedVideo::throw_failure() {
  if (failure_) std::rethrow_exception(failure_);
}

void PushedVideo::remark(std::string_view text) {
  const std::lock_guard lock(mutex_);
  remarks_.emplace_back(text);
}

void PushedVideo::expect_shape(const PushedFrame& frame) const {
  if (frames_ == 0) return;
  const StridedArray &is = frame.main(), &was = shape_.main();
  const auto kind = [](const PushedFrame& f) {
    return f.is_picture() ? "picture" : f.field ? "field" : "set of bodies";
  };
  if (std::string_view(kind(frame)) != kind(shape_))
    throw UsageError("frame {} is a {}, and the first one a {}; a video shows one kind", frames_, kind(frame),
                     kind(shape_));
  if (is.rows != was.rows || is.columns != was.columns)
    throw UsageError(frame.field
                         ? fmt::format("frame {} is {} x {}, and the first one {} x {} (rows x columns)", frames_,
                                       is.rows, is.columns, was.rows, was.columns)
                         : fmt::format("frame {} has {} bodies, and the first one {}", frames_, is.rows, was.rows));
  if (!frame.in_float() && shape_.in_float())
    throw UsageError("frame {} has numbers that need double, and the first one has not; give all the same type",
                     frames_);
}

void PushedVideo::expect_readable(const PushedFrame& frame) const {
  if (!frame.on_gpu) return;
  if (executor().backend() == Backend::cpu)
    throw UsageError(
        "the array lies on a GPU, and this video is drawn on the CPU; draw it on the GPU, with a simreel that was "
        "built with CUDA, or copy the array to host memory");
  for (const auto& array : {frame.field, frame.position, frame.velocity, frame.mass}) {
    if (!array) continue;
    const std::string why = unreadable(array->data, device_);
    if (!why.empty()) throw UsageError("the array " + why);
    const auto size = static_cast<std::int64_t>(bytes_of(array->type));
    if (reinterpret_cast<std::uintptr_t>(array->data) % static_cast<std::size_t>(size) != 0)
      throw UsageError("the array begins at an address that is no multiple of {} bytes; copy it", size);
  }
}

std::size_t PushedVideo::value_bytes() const {
  if (shape_.is_picture()) return pixels_in(shape_) * sizeof(Color);
  return numbers_in(shape_) * (shape_.in_float() ? sizeof(float) : sizeof(double));
}

void PushedVideo::gather_values(const Executor& executor, const PushedFrame& frame, std::byte* to) const {
  if (frame.is_picture())
    gather_pixels(executor, *frame.field, frame.channel_bytes, frame.channels, scene_.view.background,
                  reinterpret_cast<Color*>(to));
  else if (shape_.in_float())
    gather_frame(executor, frame, reinterpret_cast<float*>(to));
  else
    gather_frame(executor, frame, reinterpret_cast<double*>(to));
}

void PushedVideo::stage(const PushedFrame& frame) {
  spare_.resize(value_bytes());
  gather_values(host_, frame, spare_.data());
  if (frame.field) return;
  if (shape_.in_float())
    expect_finite(reinterpret_cast<const float*>(spare_.data()), frame);
  else
    expect_finite(reinterpret_cast<const double*>(spare_.data()), frame);
}

void PushedVideo::gather_next(const PushedFrame& frame) {
  const OnDevice there(device_);
  reading_->wait_for(drawn_);
  try {
    gather_values(*reading_, frame, next_.data());
    gathered_ = StreamFence(*reading_);
  } catch (...) {
    finish_reading();  // a part of the caller's arrays
    throw;
  }
}

void PushedVideo::finish_reading() noexcept {
  try {
    reading_->wait();
  } catch (const RuntimeError&) {  // it is that of the failure before
  }
}

void PushedVideo::allocate() {
  shown_ = Buffer<std::byte>(executor(), value_bytes());
  if (executor().backend() == Backend::cuda) next_ = Buffer<std::byte>(executor(), value_bytes());
  if (waiting_->on_gpu) gather_next(*waiting_);
}

void PushedVideo::show_next(const PushedFrame& frame) {
  if (executor().backend() == Backend::cpu) return executor().copy(shown_.data(), pending_.data(), shown_.bytes());
  if (!frame.on_gpu) {
    reading_->wait_for(drawn_);
    reading_->copy(next_.data(), pending_.data(), next_.bytes());
  }
  gathered_.make_wait(executor());
  executor().record(drawn_);
  std::swap(next_, shown_);
}

void PushedVideo::write(const PushedFrame& frame) {
  if (writing_.exchange(true))
    throw UsageError(
        "another thread is writing to this video; one at a time may: lock it, or open one for each thread");
  struct Written {
    std::atomic<bool>& now;
    ~Written() { now = false; }
  } const written{writing_};
  enqueue(frame);
}

bool PushedVideo::ready(std::chrono::duration<double> patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return !waiting_ || ended_; });
}

void PushedVideo::enqueue(const PushedFrame& frame) {
  expect_shape(frame);
  expect_readable(frame);
  if (frames_ == scene_.animation.frames)
    throw UsageError("the {} frames that [animation] asks for are written; set more frames there, or leave the key out",
                     frames_);
  const bool first = frames_ == 0;
  if (first) shape_ = frame;
  if (!frame.on_gpu) stage(frame);
  StreamFence ready;
  if (frame.on_gpu && foreign_ != stream()) ready = StreamFence(device_, foreign_);

  std::unique_lock lock(mutex_);
  const auto taken = [&] { return !waiting_ || ended_; };
  changed_.wait(lock, taken);
  throw_failure();
  if (ended_) throw RuntimeError("the video has ended; open another one");
  if (!frame.on_gpu) std::swap(spare_, pending_);
  ready.make_wait(*reading_);
  if (frame.on_gpu && !first) gather_next(frame);
  waiting_ = frame;
  changed_.notify_all();
  // The first frame opens the outputs and has its memory allocated; bodies on a GPU may be refused.
  if (first || (frame.on_gpu && !frame.field)) {
    changed_.wait(lock, taken);
    throw_failure();
  }
  ++frames_;
  lock.unlock();
  if (frame.on_gpu) gathered_.wait();
}

// On the thread to which the executor belongs.
void PushedVideo::loop(const PushedOptions& options) {
  std::exception_ptr failure;
  try {
    drawing_.emplace(open_executor(options.wanted, options.device, options.threads,
                                   [this](LogLevel, std::string_view text) { remark(text); }));
    const Executor& executor = *drawing_;
    reading_.emplace(executor.beside(Priority::high));
    { const Rasterizer trial(executor, scene_.view); }  // reads the colormap
    {
      const std::lock_guard lock(mutex_);
      if (executor.backend() == Backend::cuda) device_ = current_device();
      ready_ = true;
    }
    changed_.notify_all();
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return waiting_ || closed_ || abandoned_; });
      if (abandoned_) throw RunAbandoned();
    }
    if (waiting_) run(executor);
  } catch (const RunAbandoned&) {
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    ended_ = true;  // from now on nothing is gathered
    if (reading_) finish_reading();
    next_ = {}, shown_ = {};  // on the thread whose device it is
  }
  changed_.notify_all();
}

// A video of pictures has their size, and shows nothing else.
void PushedVideo::fit_to_picture(const PushedFrame& frame) {
  const Size size{static_cast<int>(frame.field->columns), static_cast<int>(frame.field->rows)};
  if (scene_.figure.given)
    throw UsageError(
        "labels ([figure]) are written around fields and bodies, and these frames are pictures; draw the labels into "
        "them, or write fields");
  if (scene_.camera.given)
    throw UsageError("{}[camera] is for bodies, and these frames are pictures; leave the table out",
                     scene_.camera.position.before());
  for (const auto* keys : {&scene_.view.field_keys, &scene_.view.light_keys})
    for (const GivenKey& key : *keys)
      if (!key.is_default)
        throw UsageError(
            "{}\"{}\" in [view] is for fields or bodies, and these frames are pictures, which are shown as they are; "
            "leave the key out",
            key.position.before(), key.key);
  if (scene_.gives("view.size") && scene_.view.size != size)
    throw UsageError(
        "size in [view] is {} x {}, and the pictures are {} x {} (width x height); leave size out, or resize "
        "the pictures: simreel does not",
        scene_.view.size.width, scene_.view.size.height, size.width, size.height);
  scene_.view.size = size;
  scene_.view.range = RangeMode::first;  // not used
}

void PushedVideo::run(const Executor& executor) {
  const PushedFrame& first = *waiting_;
  const bool first_is_picture = first.is_picture(), bodies = !first.field, in_float = first.in_float();
  ViewDefaults look;
  look.steps_per_second = 0;
  if (first_is_picture)
    fit_to_picture(first);
  else
    for (const std::string& said : reject_inapplicable_view_keys(scene_, bodies, "this video")) remark(said);
  refuse_what_comes_from_all(scene_, bodies);
  if (!bodies) {
    look.shown = FieldInfo{.name = "value", .unit = ""};
  } else {
    const bool speeds = first.velocity && first.velocity->columns == 1;  // there is nothing else to see of them
    const std::string& wanted = scene_.view.field;
    const bool speed = wanted == "speed" || (wanted.empty() && speeds), mass = wanted == "mass";
    look.shown = FieldInfo{speed  ? "speed"
                           : mass ? "mass"
                                  : "density",
                           "", FieldInfo::Shape::bodies, speed || mass ? "stars" : "magma"};
    look.scale_for(first.main().rows);
    look.pose = pose_for(in_float ? positions<float>(*reading_, first, pending_.data())
                                  : positions<double>(*reading_, first, pending_.data()));
  }
  if (!scene_.view.field.empty() && scene_.view.field != look.shown->name)
    throw UsageError("{}there is no field \"{}\"; choose from: {}", scene_.view.field_position.before(),
                     scene_.view.field, bodies ? "density, speed, mass" : "value");
  complete_scene(scene_, look);
  scene_.view.field = look.shown->name;

  SolverPlan plan;
  plan.bodies = bodies ? static_cast<std::size_t>(first.main().rows) : 0;
  if (!bodies) plan.grid.cells = {static_cast<int>(first.main().columns), static_cast<int>(first.main().rows)};
  plan.view_bytes = value_bytes();
  plan.part_bytes = [this](const Executor& with, int, int) {
    return value_bytes() * (with.backend() == Backend::cuda ? 2 : 1);
  };
  plan.field = scene_.view.field;
  plan.state_fields = {plan.field};
  plan.diagnostics = {"step", "time"};
  plan.frame_interval = 1;
  fit_to_print(scene_, plan);
  const FieldInfo info{plan.field, "", bodies ? FieldInfo::Shape::bodies : FieldInfo::Shape::scalar};
  plan.open = [&](const Executor& with) -> std::unique_ptr<Source> {
    if (shape_.is_picture()) return std::make_unique<PushedPictures>(*this);
    if (in_float) return std::make_unique<PushedSource<float>>(*this, with, shape_, std::vector{info});
    return std::make_unique<PushedSource<double>>(*this, with, shape_, std::vector{info});
  };
  PreparedRun prepared(
      scene_, plan, executor,
      {.outputs = outputs_, .overwrite = overwrite_, .log = [this](LogLevel, std::string_view text) { remark(text); }});
  if (first.is_picture() && (prepared.needs.state || prepared.needs.pages))
    throw UsageError("pictures go to videos, pictures and hashes; files of the state and pages show fields and bodies");
  prepared.open_outputs();
  const RenderResult result = render({.run = prepared});
  const std::lock_guard lock(mutex_);
  if (result.drawn && !first_is_picture) range_ = result.range;
  seconds_ = result.seconds;
  if (result.diverged) throw UsageError("frame {}: {}", result.frames, result.divergence);
}

const PushedFrame* PushedVideo::begin_frame(bool& over) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(100), [&] { return waiting_ || closed_ || abandoned_; });
  if (abandoned_ && !waiting_) throw RunAbandoned();
  over = !waiting_ && closed_;
  return waiting_ ? &*waiting_ : nullptr;
}

void PushedVideo::end_frame() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.reset();
  }
  changed_.notify_all();
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
