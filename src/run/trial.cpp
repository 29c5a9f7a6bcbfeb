#include "run/trial.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "exec/machine.h"
#include "exec/processes.h"
#include "run/plan.h"
#include "run/render_loop.h"
#include "sink/outputs.h"
#include "sink/sink.h"

namespace simreel {
namespace {

namespace fs = std::filesystem;

// Seconds of the parts, on an idle machine: of the solver alone, of reaching frames, and of drawing and writing.
constexpr double solver_seconds = 0.4, reach_seconds = 0.8, pictures_seconds = 0.6;
constexpr double all_seconds = 2;  // after which nothing more begins, or whatever else runs:
constexpr double waiting_seconds = 4;
constexpr double compiling_seconds = 10;  // that a driver may take to compile kernels, in addition
constexpr double first_updates = 1e6;     // of the smallest solver that is measured: moments on any machine
constexpr double max_bytes = 256 << 20;   // of states, and half of it of frames
constexpr double max_encoder_bytes = 900 << 20;
constexpr std::int64_t max_pixels = 1 << 23;

double now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

const double program_start = now(CLOCK_MONOTONIC);

Cost positive(const Cost& cost) { return {std::max(0.0, cost.seconds), std::max(0.0, cost.cpu)}; }

// What a first time took in addition: loading kernels. More is compiling them, which a driver does once and keeps.
Cost loading(const Cost& cost) {
  constexpr double longest = 0.5;
  return {std::clamp(cost.seconds, 0.0, longest), std::clamp(cost.cpu, 0.0, longest)};
}

// Of the bytes at edges of a picture, which differ from those before them, the part that differs in another picture.
double moving_part(const std::vector<std::byte>& picture, const std::vector<std::byte>& other) {
  double edges = 0, moving = 0;
  for (std::size_t i = 1; i < std::min(picture.size(), other.size()); ++i)
    if (picture[i] != picture[i - 1]) ++edges, moving += picture[i] != other[i];
  return edges > 0 ? moving / edges : 1;
}

// Of this process and of programs that it has waited for.
double cpu_now() {
  rusage programs{};
  getrusage(RUSAGE_CHILDREN, &programs);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return now(CLOCK_PROCESS_CPUTIME_ID) + seconds(programs.ru_utime) + seconds(programs.ru_stime);
}

// Where other programs take the cores, too, time passes in which this thread waits for one; it does its share of all
// work, so its own time is that of a free machine. With a GPU it waits for the GPU.
class Watch {
 public:
  explicit Watch(const Executor& executor) {
    if (executor.backend() == Backend::cpu) pthread_getcpuclockid(pthread_self(), &clock_);
    start_ = now(clock_);
  }

  double wall() const { return now(CLOCK_MONOTONIC) - wall_; }
  Cost cost() const { return {now(clock_) - start_, cpu_now() - cpu_}; }

 private:
  clockid_t clock_ = CLOCK_MONOTONIC;  // of the thread that made this; others may ask, too
  double wall_ = now(CLOCK_MONOTONIC), start_, cpu_ = cpu_now();
};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "simreel-check-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw RuntimeError("{}: cannot be created", name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  // A name in it for an output of the same kind.
  std::string name_for(const std::string& output) const {
    return path_ / (output == "-" ? fs::path("out.y4m") : fs::path(output).filename());
  }
  // The bytes of all files in it, which are removed.
  double take_bytes() const {
    double bytes = 0;
    std::vector<fs::path> all;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file()) bytes += static_cast<double>(entry.file_size());
      if (entry.path().parent_path() == path_) all.push_back(entry.path());
    }
    for (const fs::path& path : all) fs::remove_all(path);
    return bytes;
  }

 private:
  fs::path path_;
};

struct KeptFrame {
  std::vector<std::byte> pixels, values;
  std::vector<double> diagnostics;
  State state;
  EncodedPacket packet;
  std::shared_ptr<const Page> page;

  Frame as(std::int64_t index) const {
    Frame frame{index, pixels.empty() ? nullptr : pixels.data(), diagnostics, state, &packet, page};
    frame.state.values = values.empty() ? nullptr : values.data();
    return frame;
  }
};

// Takes what another sink wants.
class Recorder : public Sink {
 public:
  Recorder(SinkTraits traits, Size size, std::vector<KeptFrame>& frames)
      : Sink(std::move(traits)), size_(size), frames_(frames) {}
  void write(const Frame& frame) override {
    KeptFrame& kept = frames_.emplace_back();
    if (frame.pixels) kept.pixels.assign(frame.pixels, frame.pixels + frame_bytes(size_, *traits_.layout));
    kept.state = frame.state;
    if (frame.state.values && traits_.state)
      kept.values.assign(frame.state.values, frame.state.values + frame.state.layout.bytes());
    kept.diagnostics.assign(frame.diagnostics.begin(), frame.diagnostics.end());
    if (frame.packet) kept.packet = *frame.packet;
    kept.page = frame.page;
  }
  void finish() override {}

 private:
  Size size_;
  std::vector<KeptFrame>& frames_;
};

// `bursts` of `length` frames each, spread over [first, end).
struct Bursts {
  int count, length;

  std::int64_t frames() const { return std::int64_t{count} * length; }
  std::vector<std::int64_t> over(std::int64_t first, std::int64_t end) const {
    std::vector<std::int64_t> all;
    for (int i = 0; i < count; ++i) {
      const std::int64_t middle = first + (end - first) * (2 * i + 1) / (2 * count);
      for (int j = 0; j < length; ++j) all.push_back(std::clamp(middle - length / 2, first, end - length) + j);
    }
    return all;
  }
};
constexpr Bursts choices[] = {{3, 8}, {3, 5}, {2, 5}, {2, 3}, {1, 3}, {1, 2}, {1, 1}};  // the more, the better

class Attempt {
 public:
  Attempt(PreparedRun& run, const std::function<bool()>& stop)
      : run_(run),
        stop_([&stop, this] {
          return stop() || whole_.cost().seconds > all_seconds + starts_ || whole_.wall() > waiting_seconds + starts_;
        }),
        scene_(run.scene),
        plan_(run.plan) {
    for (const std::string& output : run.outputs)
      if (output != "null:") outputs_.push_back(output);
  }

  // What the first solver and the first pictures take in addition to later ones, and opening a run.
  Cost start() const { return first_ + open_; }

  std::optional<Trial> result() {
    measure_solver();
    if (outputs_.empty()) return trial_;
    const Size size = scene_.view.size;
    const auto small = [](int side) { return std::max(side / 8 * 2, std::min(side, 128)); };
    const Size less{small(size.width), small(size.height)};
    const bool first_pass = run_.has_first_pass() && trial_.part == 1;
    // First a picture of fewer pixels, without labels, tells what the whole will take.
    Scene sketch = scene_;
    sketch.view.size = less;
    sketch.figure = {};
    sketch.overlays.clear();
    if (trial_.part < 1) {  // these may lie beyond the part
      for (Scene* scene : {&sketch, &scene_})
        scene->view.crop.reset(), scene->view.keys.clear(), scene->figure.inset.reset();
    }
    const double ratio = pixels(size) / pixels(less);
    const std::int64_t first = run_.first, end = std::min(run_.end, scene_.animation.frames);
    const std::int64_t two = std::min<std::int64_t>(frame_seconds(scene_.animation) > reach_seconds ? 1 : 2, end);
    const Bursts start{1, static_cast<int>(two)};
    const auto begin = [&] {
      draw_and_write(sketch, start, 0, two, false);
      return (trial_.draw * drawn_part() + trial_.picture) * static_cast<double>(two);
    };
    if (run_.executor.backend() == Backend::cuda) {
      starts_ += compiling_seconds;
      const Cost cold = begin();
      starts_ = whole_.cost().seconds;
      first_ = first_ + loading(cold - begin());
    } else {
      begin();
    }
    if (trial_.frames == 0) return {};  // as where it diverges
    Trial sketched = trial_;
    sketched.drawn = 1 / ratio;
    const auto cost_of = [&](Bursts bursts, double times) {
      double cost = static_cast<double>(bursts.frames()) * (trial_.draw.seconds + trial_.picture.seconds);
      for (const Trial::Output& output : trial_.outputs)
        cost += (2 * bursts.count * output.cpu_first + static_cast<double>(bursts.frames()) * output.cpu_next) /
                std::min<double>(output.cores, usable_cores());
      return times * cost;
    };
    if (cost_of(start, ratio) < 4 * pictures_seconds && pixels(size) <= max_pixels) {
      a_drawing_ = ratio * trial_.draw.seconds;
      draw_and_write(scene_, start, 0, two, false);
      a_drawing_ = trial_.draw.seconds;
      for (const Bursts bursts : choices) {
        if (trial_.frames == 0 || bursts.frames() > (two < 2 ? 1 : end - first)) continue;
        if (bursts.frames() > 2 && cost_of(bursts, 1) > pictures_seconds) continue;
        if (static_cast<double>(bursts.frames()) * 4 * pixels(size) > max_bytes / 2) continue;
        draw_and_write(scene_, bursts, first, end, first_pass);
        return trial_.frames > 0 ? trial_ : sketched;
      }
    }
    if (two < 2 || end - first < 6) return sketched;
    a_drawing_ = sketched.draw.seconds;
    draw_and_write(sketch, {2, 3}, first, end, false);
    trial_.drawn = 1 / ratio;
    return trial_.frames > 0 ? trial_ : sketched;
  }

  // To reach a frame from the one before.
  double frame_seconds(const AnimationOptions& animation) const {
    return plan_.create
               ? trial_.part * trial_.step.seconds * static_cast<double>(animation.last_step() - animation.start) /
                     static_cast<double>(animation.frames)
               : 0;
  }

  // Of each picture of bodies a part is drawn where fewer bodies move.
  double drawn_part() const { return plan_.bodies > 0 ? trial_.part : 1; }

  static double pixels(Size size) { return static_cast<double>(size.width) * size.height; }

  bool bears(const SolverPlan& plan) const {
    const std::size_t device = run_.executor.backend() == Backend::cpu ? plan.bytes(run_.executor) : 0;
    return static_cast<double>(device + plan.made_bytes + 4 * plan.view_bytes) <= max_bytes;
  }

  // Finds a solver that can be measured, the run's own or a smaller one, and what its step costs.
  void measure_solver() {
    const SolverPlan& whole = run_.plan;
    if (!whole.create) return;
    const Executor& executor = run_.executor;
    for (double updates = first_updates / std::max(1.0, whole.update_work);;) {
      const bool all = updates >= whole.updates_per_step && bears(whole);
      SolverPlan part = all ? whole : whole.smaller(std::min(updates, 0.5 * whole.updates_per_step));
      if (!all && trial_.step.seconds > 0 && !bears(part)) return;
      part.field = whole.field;
      if (!all) {  // a part has a step between frames, and no plan says how it is opened
        Solver::Pace pace{.animation = run_.scene.animation, .timestep = part.timestep};
        pace.animation.steps_per_frame = 1, pace.animation.start = 0, pace.animation.speed.clear();
        part.open = [create = part.create, pace](const Executor& on) -> std::unique_ptr<Source> {
          std::unique_ptr<Solver> made = create(on);
          made->set_pace(pace);
          return made;
        };
      }
      const auto make = [&] {
        std::unique_ptr<Solver> made = part.create(executor);
        made->stop_when(stop_);
        made->finite();  // finds what only the first step needs
        return made;
      };
      const bool cold = trial_.step.seconds == 0;
      if (cold) {
        const Watch making(executor);
        make()->step(1);
        executor.wait();
        first_ = making.cost();
        starts_ = first_.seconds;
      }
      const Watch making(executor);
      const std::unique_ptr<Solver> solver = make();
      const auto time_of = [&](std::int64_t steps) {
        const Watch watch(executor);
        solver->step(steps);
        executor.wait();
        return watch.cost() * (1 / static_cast<double>(steps));
      };
      Cost step = time_of(1);
      if (solver->steps_done() < 1 && trial_.step.seconds > 0) return;
      const Cost once = making.cost();
      if (cold) first_ = loading(first_ - once);
      for (std::int64_t steps = 2; step.seconds * static_cast<double>(steps) < solver_seconds / 16; steps *= 2)
        step = time_of(steps);
      trial_.part = all ? 1 : part.updates_per_step / whole.updates_per_step;
      trial_.step = step * (1 / trial_.part);
      plan_ = std::move(part);
      const double growth = (solver_seconds + starts_ - whole_.cost().seconds) / 2 / std::max(once.seconds, 1e-3);
      if (all || growth < 2 || stop_()) return;
      updates = std::max(updates, plan_.updates_per_step) * std::min(growth, 1000.0);
      if (updates >= whole.updates_per_step && !bears(whole)) return;
    }
  }

  // Frames of the scene, which is the run's or shows less, to `end`, as far as they can be reached.
  void draw_and_write(Scene scene, Bursts bursts, std::int64_t first, std::int64_t end, bool first_pass) {
    const Executor& executor = run_.executor;
    AnimationOptions& animation = scene.animation;
    const std::int64_t frames = animation.frames;
    const double before_start = static_cast<double>(animation.start) * trial_.step.seconds * trial_.part;
    if (before_start > reach_seconds) animation.start = 0;
    if (plan_.create) {
      const double a_frame =
          std::max(1e-9, (first_pass ? 2 : 1) * frame_seconds(animation) + (plan_.bodies > 0 ? a_drawing_ : 0));
      const auto reached = static_cast<std::int64_t>(std::min(reach_seconds / a_frame, 1e9));
      if (reached < end) first = std::min(first, std::max<std::int64_t>(0, reached - bursts.frames()));
      end = std::min(end, std::max(reached, first + bursts.frames()));
    }
    trial_.reached = end;
    if (first_pass && end < frames) {  // what moves over all frames is as fast as there
      scene.camera.pose.orbit *= static_cast<double>(end) / static_cast<double>(frames);
      animation.frames = end;
    }
    animation.first = 0;
    animation.last.reset();
    if (!first_pass && comes_from_all_frames(run_.rasterizer().range_mode())) scene.view.range = RangeMode::first;
    if (!first_pass && scene.camera.fits_all_frames()) scene.camera.fit->first = true;

    StreamInfo info = run_.info;
    info.size = scene.view.size;
    info.first = info.held = 0;
    info.overwrite = true;
    info.state_bytes = state_bytes(plan_);
    info.inputs.clear(), info.log = {}, info.stop_asked = {};
    OutputOptions options = scene.output;
    const TemporaryFolder folder;
    std::vector<std::vector<KeptFrame>> kept(outputs_.size());
    std::vector<std::unique_ptr<Sink>> recorders;
    StreamInfo alone = info;
    alone.encoders = 1;
    double bytes = 0;  // of encoders
    trial_.frames = 0;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const auto sinks = open(folder.name_for(outputs_[i]), options, outputs_[i], alone);
      SinkTraits traits = sinks[0]->traits();
      bytes = std::max(bytes, static_cast<double>(traits.memory_bytes) - traits.encoded.bytes);
      traits.stride = traits.every = 1;
      recorders.push_back(std::make_unique<Recorder>(traits, scene.view.size, kept[i]));
    }
    folder.take_bytes();
    if (bytes > max_encoder_bytes) return;
    PreparedRun run(std::move(scene), plan_, executor, std::move(recorders));
    if (run.needs.packets) bursts = {1, bursts.length};  // an encoder takes frames that follow each other
    const std::vector<std::int64_t> numbers = bursts.over(first, end);
    run.end = numbers.back() + 1;
    if (run.needs.packets)
      run.first = numbers.front();
    else
      run.stills = numbers;
    run.info.frames = static_cast<std::int64_t>(numbers.size());
    const Watch watch(executor);
    const RenderResult result =
        render({.run = run, .interrupted = [this] { return stop_() ? 1 : 0; }, .profile = true});
    const auto written = static_cast<std::int64_t>(kept[0].size());
    read_stages(result, watch, run, numbers, written < bursts.length ? 0 : written, first_pass);
    trial_.outputs.clear();
    for (std::size_t i = 0; i < outputs_.size() && trial_.frames > 0; ++i)
      trial_.outputs.push_back(write(folder, outputs_[i], options, info, kept[i], bursts));
  }

  static std::vector<std::unique_ptr<Sink>> open(const std::string& name, OutputOptions options,
                                                 const std::string& output, const StreamInfo& info) {
    if (options.path == output) options.path = name;
    return open_sinks({name}, options, info);
  }

  // Shares the time of the loop among its parts, which are measured by a clock that runs while others work, too.
  void read_stages(const RenderResult& result, const Watch& watch, PreparedRun& run,
                   const std::vector<std::int64_t>& numbers, std::int64_t written, bool first_pass) {
    const Cost all = watch.cost();
    const double wall = std::max(watch.wall(), 1e-9);
    const auto stage = [&](std::string_view name) {
      double seconds = 0;
      for (const auto& [known, taken] : result.stages)
        if (known == name) seconds = taken;
      return all * (seconds / wall);
    };
    const auto per = [](const Cost& cost, double count) { return cost * (1 / std::max(count, 1.0)); };
    trial_.frames = static_cast<int>(written);
    if (written == 0) return;
    Cost pictures;
    for (const char* name : {"draw", "figure", "convert", "encode", "measure", "copy"})
      pictures = pictures + stage(name);
    const AnimationOptions& animation = run.scene.animation;
    const auto steps = static_cast<double>(result.steps), frames = static_cast<double>(written);
    if (!plan_.create)
      trial_.step = per(stage("simulate"), frames);
    else if (trial_.part == 1 && steps * trial_.step.seconds > solver_seconds / 8)  // of fewer the start tells too much
      trial_.step = per(stage("simulate"), steps);
    if (first_pass) {
      trial_.measure = per(stage("range") - trial_.step * static_cast<double>(animation.last_step()),
                           static_cast<double>(animation.frames));
      trial_.measure = positive(trial_.measure);
    } else {
      const double simulated = plan_.create ? steps * trial_.part : frames;
      open_ = positive(all - pictures - stage("wait for ring") - trial_.step * simulated);
    }
    // Where later frames depend on it, every frame is drawn, or the first one.
    const RangeMode range = run.scene.view.range;
    const double drawn = plan_.bodies > 0 || range == RangeMode::follow
                             ? static_cast<double>(numbers[static_cast<std::size_t>(written) - 1] + 1)
                             : frames + (range == RangeMode::first && numbers[0] > 0 ? 1 : 0);
    trial_.draw = per(stage("draw"), drawn) * (1 / drawn_part());
    trial_.picture = per(pictures - stage("draw"), frames);
  }

  Trial::Output write(const TemporaryFolder& folder, const std::string& output, const OutputOptions& options,
                      const StreamInfo& info, const std::vector<KeptFrame>& frames, Bursts bursts) const {
    const SinkKind& kind = kind_of(output);
    Trial::Output result;
    result.shows = kind.shows_pictures();
    result.single = !kind.numbered() && kind.content != Content::video && kind.content != Content::diagnostics &&
                    kind.content != Content::hashes;
    // What comes after the last frame that was reached takes as long as that did. In the file it grows on as it did up
    // to there.
    const double reached = std::min(1.0, static_cast<double>(trial_.reached) / static_cast<double>(run_.end));
    double weights = 0;
    std::vector<double> sizes;  // of all frames of a burst
    const auto length = static_cast<std::size_t>(bursts.length);
    for (std::size_t at = 0; at + length <= frames.size() && !(weights > 0 && stop_()); at += length) {
      const bool last = at + 2 * length > frames.size();
      const double weight = reached * bursts.length / static_cast<double>(frames.size()) + (last ? 1 - reached : 0);
      double cpu[2]{}, bytes[2]{}, keys[2]{};  // of the first frame, and of all
      for (const bool all : {false, true}) {
        const double before = cpu_now();
        auto sinks = open(folder.name_for(output), options, output, info);
        Sink& sink = *sinks[0];
        const std::size_t least = sink.traits().packets ? 1 : 2;  // one alone comes twice, but that is no packet
        for (std::size_t i = 0; i < (all ? std::max(least, length) : 1); ++i)
          sink.write(frames[at + std::min(i, length - 1)].as(static_cast<std::int64_t>(i) * sink.traits().every));
        sink.finish();
        cpu[all] = cpu_now() - before;
        result.segment = static_cast<double>(sink.traits().stride);
        result.every = static_cast<double>(sink.traits().every);
        result.cores = sink.traits().cores;
        result.encoded = sink.traits().encoded;
        keys[all] = sink.first_bytes();
        sinks.clear();
        bytes[all] = folder.take_bytes();
      }
      // Encoders that look ahead give a frame more where others lean on it: the first one only where nothing moves,
      // otherwise later ones, too, in longer segments than this.
      const double still = 1 - moving_part(frames[at].pixels, frames[at + std::min<std::size_t>(1, length - 1)].pixels);
      bytes[0] += still * (keys[1] - keys[0]);
      const double others = std::max(1, bursts.length - 1);
      weights += weight;
      sizes.push_back(bytes[1]);
      result.cpu_first += weight * cpu[0];
      result.bytes_first += weight * bytes[0];
      result.cpu_next += weight * std::max(0.0, cpu[1] - cpu[0]) / others;
      result.bytes_next += weight * std::max(0.0, bytes[1] - bytes[0]) / others;
    }
    const double later = later_bytes(sizes, reached);
    result.bytes_first *= later, result.bytes_next *= later;
    for (double* sum : {&result.cpu_first, &result.bytes_first, &result.cpu_next, &result.bytes_next})
      *sum /= std::max(weights, 1e-9);
    if (result.segment > 1)
      result.head = std::min(result.bytes_first, 600.0 + static_cast<double>(info.scene_text.size()));
    return result;
  }

  PreparedRun& run_;
  const Watch whole_{run_.executor};
  const std::function<bool()> stop_;
  std::vector<std::string> outputs_;
  Scene scene_;
  SolverPlan plan_;
  Trial trial_;
  Cost first_, open_;
  double starts_ = 0;     // seconds of what is tried for the first time
  double a_drawing_ = 0;  // seconds, about
};

}  // namespace

std::optional<Trial> try_run(PreparedRun& run, const std::function<bool()>& stop) {
  if (processes().size > 1 || run.scene.animation.frames == endless_frames || !run.stills.empty()) return {};
  if (!run.scene.effort->bears(1.2e9, 0)) return {};  // what it did of formulas so far comes again
  const double before = cpu_now(), seconds = now(CLOCK_MONOTONIC) - program_start;
  constexpr double long_since = 2;  // seconds: of the five that `check` may take the trial needs the rest
  if (before > long_since) return {};
  try {
    Attempt attempt(run, stop);
    std::optional<Trial> trial = attempt.result();
    if (!trial) return {};
    // It waits for the driver of a GPU, which works elsewhere; but a library's process may have lived for hours.
    constexpr double longest = 2;
    const double waited = run.executor.backend() == Backend::cuda ? std::clamp(seconds - before, 0.0, longest) : 0;
    trial->start = attempt.start() + Cost{before + waited, before};
    for (std::size_t i = 0; i < run.outputs.size(); ++i)
      if (run.outputs[i] == "null:")
        trial->outputs.insert(trial->outputs.begin() + static_cast<std::ptrdiff_t>(i), Trial::Output{});
    return trial;
  } catch (const std::exception&) {  // the run itself will say it, or what is smaller cannot be shown
    return {};
  }
}

double later_bytes(const std::vector<double>& sizes, double reached) {
  constexpr double most = 4, power_of_area = 2;
  if (sizes.size() < 2 || reached >= 1 || !(sizes.front() > 0)) return 1;
  const auto count = static_cast<double>(sizes.size());
  const double power = std::clamp(std::log(sizes.back() / sizes.front()) / std::log(2 * count - 1), 0.0, power_of_area);
  const double middle = (1 + reached) / 2, last = reached * (1 - 0.5 / count);
  const double more = std::min(most, std::pow(middle / last, power));
  double sum = 0;
  for (const double size : sizes) sum += size / count;
  const double before = reached * sum, after = (1 - reached) * sizes.back();
  return (before + more * after) / (before + after);
}

Estimate extrapolated(const Trial& trial, const Work& work, int cores) {
  Estimate all;
  const double more = 1 / trial.drawn;
  const Cost before = trial.step * work.first_steps + trial.measure * work.measured;
  const Cost after = trial.step * (work.steps - work.first_steps);
  const Cost pictures = (trial.draw * work.drawn + trial.picture * std::max(work.frames, work.written)) * more;
  const double loop = after.seconds + pictures.seconds;
  double files = 0, longest = 0, end = loop;
  std::vector<double> cores_of_files;  // that each keeps busy, times all seconds
  for (const Trial::Output& output : trial.outputs) {
    const double written = (output.shows ? work.frames : work.written) / output.every;
    const double frames = output.single ? 1 : std::max(1.0, std::ceil(written));
    const double length = output.segment > 1 ? std::min(frames, output.segment / output.every) : frames;
    const double segments = std::ceil(frames / length), last = frames - (segments - 1) * length;
    const auto cpu_of = [&](double number) { return more * (output.cpu_first + (number - 1) * output.cpu_next); };
    const double cpu = (segments - 1) * cpu_of(length) + cpu_of(last);
    all.bytes.push_back(
        more * (segments * (output.bytes_first - output.head) + (frames - segments) * output.bytes_next) + output.head);
    // Each segment has an encoder of its own, which begins when its frames come.
    const double alone = std::min<double>(cores, std::max(1.0, output.cores / output.encoded.encoders));
    longest = std::max({longest, cpu / std::min<double>(cores, std::max(1.0, output.cores)), cpu_of(length) / alone});
    if (output.segment > 1) end = std::max(end, loop * (1 - (last - 1) / frames) + cpu_of(last) / alone);
    files += cpu;
    all.memory +=
        std::max(0.0, output.encoded.bytes - output.encoded.frames * (all.bytes.back() / std::max(frames, 1.0)));
    cores_of_files.push_back(cpu);
  }
  all.start = trial.start.seconds;
  all.simulation = before.seconds + after.seconds;
  all.pictures = pictures.seconds;
  all.files = longest;
  all.cpu = trial.start.cpu + before.cpu + after.cpu + pictures.cpu + files;
  all.seconds =
      trial.start.seconds + before.seconds + std::max({end, longest, (after.cpu + pictures.cpu + files) / cores});
  for (std::size_t i = 0; i < trial.outputs.size(); ++i) {  // one encoder ends while others work
    const auto& [bytes, frames, encoders, each] = trial.outputs[i].encoded;
    const double busy =
        cores_of_files[i] / std::max(all.seconds, 1e-9) * encoders / std::max(1.0, trial.outputs[i].cores);
    all.memory += each * std::max(0.0, encoders - 1 - busy);
  }
  return all;
}

}  // namespace simreel
