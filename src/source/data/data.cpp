#include "source/solvers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <future>
#include <iterator>
#include <limits>
#include <map>
#include <thread>
#include <utility>

#include "base/cf_time.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/outline.h"
#include "base/text.h"
#include "exec/buffer.h"
#include "source/data/input.h"
#include "source/data/options.h"

namespace simreel {
namespace {

constexpr std::string_view diagnostics[] = {"step", "time"};  // and of fields, of the one that is shown:
constexpr std::string_view statistics[] = {"min", "max", "mean"};
constexpr std::int64_t max_followed_frames = 1'000'000;  // of a series of unknown length

template <class Real>
Real between(Real a, Real b, double part) {
  return static_cast<Real>(static_cast<double>(a) * (1 - part) + static_cast<double>(b) * part);
}

template <class Real>
Vec4<Real> between(const Vec4<Real>& a, const Vec4<Real>& b, double part) {
  return {between(a.x, b.x, part), between(a.y, b.y, part), between(a.z, b.z, part), between(a.w, b.w, part)};
}

template <class T>
void blend_into(std::vector<T>& a, const std::vector<T>& b, double part) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = between(a[i], b[i], part);
}

template <class Real>
class DataSource final : public Source {
 public:
  DataSource(const Executor& executor, std::shared_ptr<const DataInput> input, const Scene& scene)
      : input_(std::move(input)),
        animation_(scene.animation),
        series_(input_->series),
        steps_(input_->steps),
        reader_(input_->reader(scene)),
        shown_(input_->fields(scene)) {
    if (input_->bodies()) {
      const std::size_t count = input_->layout.bodies.count();
      position_ = Buffer<Vec4<Real>>(executor, count);
      velocity_ = Buffer<Vec4<Real>>(executor, count);
      if (input_->layout.bodies.groups) group_ = Buffer<std::uint8_t>(executor, count);
      return;
    }
    const GridLayout& grid = *input_->layout.grid;
    const std::size_t cells = static_cast<std::size_t>(grid.nx) * static_cast<std::size_t>(grid.ny);
    for (std::size_t i = 0; i < shown_.size(); ++i) fields_.emplace_back(executor, cells);
    std::vector<std::int8_t> solid = reader_.solid_cells(steps_.front());
    if (!input_->options.obstacles.empty()) {
      LbmGeometry geometry =
          paint_obstacles(input_->options.obstacles, grid.nx, grid.ny, static_cast<std::size_t>(grid.nx), scene.seed);
      solid = std::move(geometry.cell);
      outline_ = std::move(geometry.outline);
    }
    cell_ = Buffer(executor, solid);
  }

  std::optional<std::int64_t> frames() const override {
    if (input_->options.interpolate || (input_->options.follow && !ended_)) return {};
    return frames_of(static_cast<std::int64_t>(steps_.size()), animation_);
  }

  std::int64_t work_to(std::int64_t frame) const override {
    return frame_ == frame || (ended_ && !is_there(frame)) ? 0 : 1;
  }

  void advance_towards(std::int64_t frame) override {
    if (!input_->options.follow) return show(frame);
    if (is_there(frame) && show_if_whole(frame)) return;
    wait_for_files();
  }

  std::int64_t steps_done() const override { return place_.step; }
  double time() const override { return time_; }
  std::span<const FieldInfo> fields() const override { return input_->infos; }

  View view(std::string_view field) override {
    if (frame_ < 0) show(0);
    const std::size_t index = field_index(field);
    if (input_->bodies())
      return ParticlesView<Real>{position_.data(), velocity_.data(), group_.size() > 0 ? group_.data() : nullptr,
                                 position_.size()};
    const auto found = std::ranges::find(shown_, index);
    if (found == shown_.end())
      throw UsageError("the field \"{}\" is not read: name it in [view] or in \"fields\" in [output]", field);
    const GridLayout& grid = *input_->layout.grid;
    FieldView<Real> view{fields_[static_cast<std::size_t>(found - shown_.begin())].data(), grid.nx, grid.ny,
                         static_cast<std::size_t>(grid.nx)};
    if (cell_.size() > 0) view.cell = cell_.data();
    if (!outline_.shapes.empty()) view.outline = &outline_;
    return view;
  }

  std::vector<double> diagnose() override {
    std::vector<double> values = {static_cast<double>(place_.step), time_};
    if (!input_->bodies()) std::ranges::copy(statistics(), std::back_inserter(values));
    return values;
  }

  // What is not a number is data as well.
  bool finite() override { return true; }

  bool resumable() const override { return true; }
  void save(Checkpoint& checkpoint) const override { checkpoint.save_value("step", place_.step); }

 private:
  using Values = StepValues<Real>;

  // The smallest, the largest and the mean value of the field that is shown; NaN where there is none.
  std::array<double, 3> statistics() const {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::int8_t> cells = cell_.size() > 0 ? cell_.download() : std::vector<std::int8_t>();
    const std::vector<Real> field = fields_.front().download();
    double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < field.size(); ++i) {
      const double value = static_cast<double>(field[i]);
      if (!std::isfinite(value) || (!cells.empty() && cells[i] < 0)) continue;
      low = std::min(low, value), high = std::max(high, value);
      sum += value;
      ++count;
    }
    if (count == 0) return {none, none, none};
    return {low, high, sum / static_cast<double>(count)};
  }

  bool is_there(std::int64_t frame) const {
    return place_of_frame(*input_, animation_, frame).step < static_cast<std::int64_t>(steps_.size());
  }

  void show(std::int64_t frame) {
    const Place place = place_of_frame(*input_, animation_, frame);
    const Values* values = &values_of(place.step);
    Values blended;
    if (place.part > 0) {
      blended = *values;
      const Values& next = values_of(place.step + 1);
      for (std::size_t i = 0; i < blended.fields.size(); ++i) blend_into(blended.fields[i], next.fields[i], place.part);
      blend_into(blended.position, next.position, place.part);
      blend_into(blended.velocity, next.velocity, place.part);
      blended.time = between(blended.time, next.time, place.part);
      values = &blended;
    }
    for (std::size_t i = 0; i < fields_.size(); ++i) fields_[i].upload(values->fields[i].data());
    if (input_->bodies()) {
      position_.upload(values->position.data());
      velocity_.upload(values->velocity.data());
      if (group_.size() > 0) group_.upload(values->group.data());
    }
    place_ = place;
    time_ = values->time;
    frame_ = frame;
    read_ahead(frame + 1);
  }

  // A file that is still written cannot be read yet, unless a later one is there.
  bool show_if_whole(std::int64_t frame) {
    try {
      show(frame);
      return true;
    } catch (const RuntimeError&) {
      if (is_there(frame + 1) || ended_) throw;
      return false;
    }
  }

  void wait_for_files() {
    // What was written before the end is looked for after it was seen.
    std::error_code error;
    const bool over = !input_->options.end.empty() && std::filesystem::exists(input_->options.end, error);
    if (!series_.look_again(over) && !over) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (!series_.late().empty())
      throw RuntimeError(
          "{} appeared when later steps were known, so that its frame would be missing; write the files in "
          "order, or draw them without \"follow\" when all are there",
          series_.late());
    for (std::size_t i = steps_.size(); i < series_.files().size(); ++i)
      steps_.push_back({series_.files()[i], 0, series_.time(i)});
    if (const std::string lost = over ? series_.awaited() : ""; !lost.empty()) throw RuntimeError(words_for_gap(lost));
    ended_ |= over;
  }

  // The values of a step, read now unless they were read ahead.
  const Values& values_of(std::int64_t step) {
    if (const auto found = kept_.find(step); found != kept_.end()) return found->second;
    std::erase_if(kept_, [&](const auto& entry) { return entry.first + 1 < step || entry.first > step; });
    if (ahead_.valid()) {
      const std::int64_t before = std::exchange(ahead_step_, -1);
      if (before == step) return kept_.emplace(step, ahead_.get()).first->second;
      ahead_.wait();
      ahead_ = {};
    }
    const InputStep& from = steps_.at(static_cast<std::size_t>(step));
    return kept_.emplace(step, reader_.template read<Real>(from, step)).first->second;
  }

  // Reads what the next frame needs while this one is drawn.
  void read_ahead(std::int64_t frame) {
    if (frame >= animation_.frames) return;
    const Place place = place_of_frame(*input_, animation_, frame);
    std::int64_t step = kept_.contains(place.step) ? place.step + (place.part > 0 ? 1 : 0) : place.step;
    if (!input_->options.interpolate) kept_.clear();  // it lies in the executor's memory
    if (kept_.contains(step) || step >= static_cast<std::int64_t>(steps_.size()) || ahead_step_ == step) return;
    if (input_->options.follow && step + 1 >= static_cast<std::int64_t>(steps_.size())) return;  // it may be incomplete
    if (ahead_.valid()) ahead_.wait();
    ahead_step_ = step;
    ahead_ = std::async(std::launch::async, [this, step, from = steps_[static_cast<std::size_t>(step)]] {
      return reader_.template read<Real>(from, step);
    });
  }

  std::shared_ptr<const DataInput> input_;
  AnimationOptions animation_;
  FileSeries series_;
  std::vector<InputStep> steps_;
  StepReader reader_;
  std::vector<std::size_t> shown_;  // the fields that are read
  std::vector<Buffer<Real>> fields_;
  Buffer<std::int8_t> cell_;
  Outline outline_;
  Buffer<Vec4<Real>> position_, velocity_;
  Buffer<std::uint8_t> group_;

  std::int64_t frame_ = -1;  // that is shown
  Place place_;
  double time_ = 0;
  bool ended_ = false;                   // follow: no file will come
  std::map<std::int64_t, Values> kept_;  // of at most two steps
  std::int64_t ahead_step_ = -1;
  std::future<Values> ahead_;  // the last member: it ends before what it uses
};

template <class Real>
std::string range_in_words(const StepValues<Real>& values) {
  if (values.fields.empty()) return fmt::format("{} bodies", values.position.size());
  const ValueRange range = range_of(values.fields[0]);
  return range.low > range.high ? "no finite value" : range_text(range.low, range.high);
}

// A value at an end of the range, in more than one cell, which is five times as far from all others as these are
// apart: none, perhaps.
struct FarValue {
  double value, low, high;  // and the range of the others
  std::size_t cells;
};
template <class Real>
std::optional<FarValue> far_value(const std::vector<Real>& values) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  struct End {
    double outer, next = infinite;  // times the sign
    std::size_t cells = 0;
    void add(double v) {
      if (v < outer) next = std::exchange(outer, v), cells = 0;
      if (v == outer) ++cells;
      if (v > outer) next = std::min(next, v);
    }
  };
  End low{infinite}, high{infinite};
  for (const Real v : values)
    if (std::isfinite(v)) low.add(static_cast<double>(v)), high.add(-static_cast<double>(v));
  constexpr double far = 5;
  const auto is_far = [](const End& end, const End& other) {
    const double span = -other.outer - end.next;
    return end.cells > 1 && span > 0 && end.next - end.outer > far * span;
  };
  if (is_far(low, high)) return FarValue{low.outer, low.next, -high.outer, low.cells};
  if (is_far(high, low)) return FarValue{-high.outer, low.outer, -high.next, high.cells};
  return {};
}

template <class Real>
void look_at_ends(const DataInput& input, const Scene& scene, SolverPlan& plan) {
  StepReader reader = input.reader(scene);
  const auto last = static_cast<std::int64_t>(input.steps.size()) - 1;
  const StepValues<Real> start = reader.read<Real>(input.steps.front(), 0);
  const StepValues<Real> end = input.options.follow ? start : reader.read<Real>(input.steps.back(), last);
  plan.texts.facts = input.layout.facts;
  plan.texts.facts.push_back(fmt::format("values     {}", input.types));
  const std::string unit = input.layout.time_unit, calendar = input.layout.calendar;
  plan.time_unit = unit;
  plan.calendar = calendar;
  std::string dates;
  if (const std::optional<CfTime> since = parse_cf_time(unit, calendar)) {
    const auto date = [&](double time) {
      return format_cf_date(since->seconds(time), calendar, "%Y-%m-%d %H:%M").value_or("");
    };
    dates = fmt::format(", {} to {}", date(start.time), date(end.time));
  }
  plan.texts.facts.push_back(fmt::format(
      "steps      {}{}, times {}{}{}{}", input.steps.size(), input.options.follow ? " so far" : "",
      fmt::join(told_apart(start.time, end.time), " to "), unit.empty() ? "" : " ", shorten(unit, 60), dates));
  if (input.options.follow) plan.times = {start.time};
  for (std::int64_t frame = 0; !input.times.empty() && frame < scene.animation.frames; ++frame) {
    const Place place = place_of_frame(input, scene.animation, frame);
    if (place.step > last) break;
    const double time = input.times[static_cast<std::size_t>(place.step)];
    plan.times.push_back(
        place.part > 0 ? between(time, input.times[static_cast<std::size_t>(place.step) + 1], place.part) : time);
  }
  plan.texts.facts.push_back(fmt::format("first      {}", range_in_words(start)));
  plan.texts.facts.push_back(fmt::format("last       {}", range_in_words(end)));
  if (!start.fields.empty() && (input.steps.size() <= 2 || scene.view.range == RangeMode::first)) {
    const ValueRange low = range_of(start.fields[0]);
    const ValueRange high = scene.view.range == RangeMode::first ? low : range_of(end.fields[0]);
    plan.expected = {std::min(low.low, high.low), std::max(low.high, high.high)};
  }
  // As drawing would find it, after all before it was computed.
  if (!start.fields.empty() && scene.view.scale == Scale::log && scene.view.range != RangeMode::fixed)
    for (const StepValues<Real>* step : {&start, &end})
      if (const ValueRange range = range_of(step->fields[0]); range.low <= 0 && range.low <= range.high)
        throw UsageError(
            "{}scale = \"log\" in [view] needs values above 0, and the {} step has {:.6g}; set range = [low, high] "
            "above 0, or take scale = \"symlog\" or \"asinh\"",
            scene.view.range_position.before(), step == &start ? "first" : "last", range.low);
  if (!start.fields.empty() && !input.options.missing && !scene.view.has_bands())
    if (const auto found = far_value(start.fields[0]))
      plan.texts.warnings.push_back(fmt::format(
          "{}: {} of {} values of the first step are {:.9g}, far from all others, {:.6g} to {:.6g}; if it stands for "
          "no value, set missing = {:.9g} in [solver]",
          input.first_file, found->cells, start.fields[0].size(), found->value, found->low, found->high, found->value));
  constexpr double first_rounded = 9007199254740992;  // 2^53
  if (!start.fields.empty() && input.types.ends_with("up to 2^53"))
    if (const ValueRange range = range_of(start.fields[0]); std::max(-range.low, range.high) >= first_rounded)
      plan.texts.warnings.push_back(fmt::format(
          "{}: integers of 2^53 and beyond are rounded, so that neighbours may have one value and one colour",
          place_of(input.first_file, input.layout.grid->arrays[input.fields(scene)[0]])));
  const auto no_value = [](const StepValues<Real>& step) {
    return !step.fields.empty() && range_of(step.fields[0]).low > range_of(step.fields[0]).high;
  };
  if (no_value(start))
    plan.texts.warnings.push_back(
        fmt::format("{}: the first step{} no finite value, and is drawn in the colour nan of [view]",
                    place_of(input.first_file, input.layout.grid->arrays[input.fields(scene)[0]]),
                    last > 0 && no_value(end) ? " and the last have" : " has"));
  double interval = input.layout.interval;
  if (interval == 0)
    interval = input.times.size() > 1              ? input.times[1] - input.times[0]
               : last > 0 && !input.options.follow ? reader.time(input.steps[1], 1) - start.time
                                                   : input.options.timestep;
  if (!std::isfinite(interval)) interval = input.options.timestep;
  plan.frame_interval = input.options.interpolate && scene.animation.frames > 1
                            ? (end.time - start.time) / static_cast<double>(scene.animation.frames - 1)
                            : interval * static_cast<double>(scene.animation.steps_per_frame);
}

void check_frames(const Table& keys, const DataInput& input, const Scene& scene) {
  if (!scene.view.field.empty() && !input.is_there(scene.view.field)) return;  // plan_solver refuses that
  const std::int64_t there = frames_of(input.step_count(), scene.animation);
  const auto steps = input.steps.size();
  if (there == 0)
    keys.fail("files", "\"start\" in [animation] is {}, and the input has {} steps, from 0", scene.animation.start,
              steps);
  if (input.options.interpolate || input.options.follow || scene.animation.frames <= there) return;
  keys.fail("files",
            "\"frames\" in [animation] is {}, and the {} steps of the input make {}; write frames = "
            "\"all\", or interpolate = true in [solver] to spread them",
            scene.animation.frames, steps, there);
}

template <class Real>
SolverPlan make_plan(const std::shared_ptr<const DataInput>& input, const Table& keys, const Scene& scene) {
  SolverPlan plan;
  const std::size_t shown = input->fields(scene).size();
  if (input->bodies()) {
    plan.bodies = input->layout.bodies.count();
    const std::size_t body = 2 * sizeof(Vec4<Real>);
    plan.part_bytes = [bytes = plan.bodies * (body + 1)](const Executor&, int, int) { return bytes; };
    plan.view_bytes = plan.bodies * (body + (input->layout.bodies.groups ? 1 : 0));
  } else {
    const GridLayout& grid = *input->layout.grid;
    const std::size_t cells = static_cast<std::size_t>(grid.nx) * static_cast<std::size_t>(grid.ny);
    plan.part_bytes = [bytes = cells * (shown * sizeof(Real) + 1)](const Executor&, int, int) { return bytes; };
    plan.view_bytes = cells * sizeof(Real);
    plan.diagnostics.assign(std::begin(diagnostics), std::end(diagnostics));
    plan.diagnostics.insert(plan.diagnostics.end(), std::begin(statistics), std::end(statistics));
    plan.grid.cell_aspect = grid.aspect;
    plan.grid.axes = grid.axes;
    plan.grid.cells = {grid.nx, grid.ny};
    plan.grid.vectors = input->vectors(scene);
    plan.grid.outlined = !input->options.obstacles.empty();
    if (plan.grid.outlined || !input->layout.solid.empty() || !input->options.mask.empty())
      plan.grid.solid_bytes = cells;
  }
  // The step that is read ahead and, to interpolate, two more and their mixture.
  plan.made_bytes = (input->options.interpolate ? 4 : 2) * input->reader(scene).read_bytes(sizeof(Real));
  if (plan.made_bytes > host_memory_available())
    keys.fail("files", "{}: reading a step needs {} MiB of memory, and the host has {} MiB", input->first_file,
              plan.made_bytes >> 20, host_memory_available() >> 20);
  plan.saved_bytes = sizeof(std::int64_t);
  plan.size_key = "files";
  plan.updated = "";
  plan.texts.summary = summary_of(*input);
  plan.texts.remarks = input->layout.remarks;
  plan.texts.warnings = input->layout.warnings;
  plan.inputs = input->options.follow ? std::vector{input->first_file} : input->series.inputs();
  if (input->options.mask.ends_with(".npy")) plan.inputs.push_back(input->options.mask);
  for (const ObstacleOptions& obstacle : input->options.obstacles)
    if (obstacle.shape == ObstacleShape::image) plan.inputs.push_back(obstacle.file.string());
  plan.fields = input->infos;
  plan.computed_for = fmt::format("{} {} {}", scene.view.field, fmt::join(input->fields(scene), " "),
                                  scene.view.light.trails > 0 ? "velocities" : "");
  if (const std::string hint = picture_hint(*input); !hint.empty())
    plan.texts.warnings.push_back(keys.position("files").before() + hint);
  try {
    look_at_ends<Real>(*input, scene, plan);
    input->reader(scene).solid_cells(input->steps.front());  // for its mistakes
  } catch (const RuntimeError& error) {
    keys.fail("files", error.what());
  }
  plan.open = [input, scene](const Executor& executor) -> std::unique_ptr<Source> {
    return std::make_unique<DataSource<Real>>(executor, input, scene);
  };
  return plan;
}

SolverPlan plan_data(Table& keys, const Scene& scene) {
  const std::shared_ptr<const DataInput> input = find_input(keys, scene);
  keys.finish();
  if (!input->options.obstacles.empty() && !input->options.mask.empty())
    keys.fail("mask", "the solid cells are those of [[solver.obstacle]]; leave \"mask\" or them out");
  check_frames(keys, *input, scene);
  if (input->options.follow && comes_from_all_frames(scene.view.range) && !input->bodies())
    keys.fail("follow",
              "a series that is still written has no last step, so that the range of the colours cannot come "
              "from all frames; set range = [low, high] or \"first\" in [view]");
  if (input->options.follow && (scene.animation.hold_last > 0 || scene.animation.fade_out > 0))
    keys.fail("follow",
              "a series that is still written has no last picture; leave hold_last and fade_out out of [animation]");
  if (input->options.follow && scene.camera.fits_all_frames())
    keys.fail("follow",
              "a series that is still written has no last step, so that the camera cannot be fitted to all frames; set "
              "fit = \"first\", or position and target in [camera]");
  return input->in_float ? make_plan<float>(input, keys, scene) : make_plan<double>(input, keys, scene);
}

// Whether the field that is shown has values on both sides of 0, in its first step or its last. A few small ones, such
// as a density below 0 by a filter or the cold end of a sea, do not count.
template <class Real>
bool has_both_signs(const DataInput& input, const Scene& scene) {
  StepReader reader = input.reader(scene);
  const auto both = [&](std::int64_t step) {
    const auto values = reader.read<Real>(input.steps[static_cast<std::size_t>(step)], step);
    const ValueRange range = range_of(values.fields.front());
    return std::min(-range.low, range.high) > 0.1 * std::max(-range.low, range.high);
  };
  const std::int64_t last = input.step_count() - 1;
  return both(0) || (last > 0 && both(last));
}

ViewDefaults look_of_data(Table& keys, const Scene& scene) {
  const std::shared_ptr<const DataInput> input = find_input(keys, scene);
  ViewDefaults look;
  const std::optional<std::size_t> shown = find_field(input->infos, scene.view.field);
  if (shown) look.shown = input->infos[*shown];
  look.classes = input->classes(shown.value_or(0));
  look.owner = input;
  look.field = input->infos.front().name;
  look.steps_per_second = 0;  // a frame shows a step
  look.frames = frames_of(
      input->step_count(), scene.gives("animation.steps_per_frame") ? scene.animation : [&] {
        AnimationOptions every = scene.animation;
        every.steps_per_frame = 1;
        return every;
      }());
  if (look.frames == max_paced_frames && !scene.gives("animation.frames"))
    throw UsageError(
        "{}\"speed\" in [animation] does not reach the last step of the input; raise its last factor, or "
        "give \"frames\"",
        scene.animation.positions.at("speed").before());
  if (input->options.follow) look.frames = max_followed_frames;
  try {
    if (input->bodies()) {
      StepReader reader = input->reader(scene);
      const auto position = reader.read<double>(input->steps.front(), 0).position;
      look.scale_for(static_cast<std::int64_t>(position.size()));
      look.pose = pose_for(position);
    } else if (shown && !input->options.follow && look.classes.empty() && look.shown->unit != "rad" &&
               !scene.view.range_given) {
      look.shown->has_sign =
          input->in_float ? has_both_signs<float>(*input, scene) : has_both_signs<double>(*input, scene);
    }
  } catch (const RuntimeError& error) {
    keys.fail("files", error.what());
  }
  return look;
}

}  // namespace

SolverKind data_source() {
  return {
      "data",       "files that other programs wrote, a step a frame: docs/data.md", {},   diagnostics, {}, plan_data,
      look_of_data, [](Table& keys) { read_data_options(keys, 1 << 24, 1 << 24); },  false};
}

}  // namespace simreel
