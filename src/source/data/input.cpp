#include "source/data/input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>

#include "base/error.h"
#include "source/data/stacked.h"

namespace simreel {
namespace {

constexpr std::string_view time_length = "length/time";

void resolve_paths(DataOptions& o, const Scene& scene) {
  o.files = scene.resolve(o.files).string();
  if (!o.end.empty()) o.end = scene.resolve(o.end).string();
  if (o.mask.ends_with(".npy")) o.mask = scene.resolve(o.mask).string();
  if (o.time.starts_with("file:")) o.time = "file:" + scene.resolve(o.time.substr(5)).string();
}

// The steps of all files. A file with a time axis has several, and only its header tells how many.
std::vector<InputStep> steps_of(const FileSeries& series, const std::string& array, const DataLayout& layout) {
  const bool has_time = layout.grid ? layout.grid->has_time() : layout.bodies.has_time;
  std::vector<InputStep> steps;
  for (std::size_t f = 0; f < series.files().size(); ++f) {
    const std::string& name = series.files()[f];
    std::uint64_t count = 1;
    if (has_time) {
      const std::unique_ptr<ArrayFile> file = open_stacked_file(name, array);
      expect_layout(*file, layout, series.files().front());
      count = steps_in(*file, layout);
    }
    for (std::uint64_t i = 0; i < count; ++i) steps.push_back({name, i, count == 1 ? series.time(f) : std::nullopt});
  }
  return steps;
}

// Of all steps, if that takes no more than opening so many files. A step that cannot be read is an error when its frame
// comes.
std::vector<double> times_of(const DataInput& input, StepReader reader) {
  constexpr std::size_t max_opened = 1000;
  const std::string& where = input.layout.time;
  const bool opens = where.starts_with("attr:") || where.starts_with("dataset:");
  if (input.options.follow || (opens && !input.options.by_time && input.series.files().size() > max_opened)) return {};
  std::vector<double> times;
  const std::size_t last = input.steps.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) try {
      times.push_back(reader.time(input.steps[i], static_cast<std::int64_t>(i)));
    } catch (const RuntimeError&) {
      if (i == 0 || i == last || input.options.by_time) throw;
      return {};
    }
  return times;
}

// Bodies are the same in every step. A file that cannot be read is an error when its frame comes.
void expect_same_bodies(const DataInput& input) {
  constexpr std::size_t max_opened = 1000;
  const std::vector<std::string>& files = input.series.files();
  for (std::size_t i = 1; i < std::min(files.size(), max_opened) && input.bodies() && !input.options.follow; ++i) {
    std::unique_ptr<ArrayFile> file;
    try {
      file = open_stacked_file(files[i], input.options.array);
    } catch (const RuntimeError&) {
      continue;
    }
    expect_layout(*file, input.layout, input.first_file);
  }
}

// Sorts steps by the times that their files give, and says what times have no order.
void order_steps(DataInput& input) {
  std::vector<double>& times = input.times;
  std::vector<std::string>& warnings = input.layout.warnings;
  const auto at = [&](std::size_t i) {
    return fmt::format("{}, step {} from 0", input.steps[i].file, input.steps[i].index);
  };
  const auto unknown = std::ranges::find_if_not(times, [](double t) { return std::isfinite(t); });
  if (unknown != times.end()) {
    const auto without = std::ranges::count_if(times, [](double t) { return !std::isfinite(t); });
    warnings.push_back(fmt::format(
        "{}: its time is {}, and no number, as of {} of {} steps, perhaps because it was never written; "
        "steps are drawn in the order of the file; {}",
        at(static_cast<std::size_t>(unknown - times.begin())), *unknown, without, times.size(), other_times));
    return;
  }
  const auto fall = std::ranges::is_sorted_until(times);
  if (fall != times.end()) {
    const auto i = static_cast<std::size_t>(fall - times.begin());
    const bool sorts = input.layout.time.starts_with("attr:") || input.layout.time.starts_with("dataset:");
    warnings.push_back(fmt::format("{}: times do not rise: {:.9g} comes after {:.9g}; steps are drawn {}", at(i),
                                   times[i], times[i - 1], sorts ? "by rising time" : "in the order that is given"));
    if (!sorts) return;
    std::vector<std::size_t> order(times.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return times[k]; });
    const std::vector<InputStep> steps = input.steps;
    for (std::size_t k = 0; k < order.size(); ++k) input.steps[k] = steps[order[k]];
    std::ranges::sort(times);
  }
  if (const auto twice = std::ranges::adjacent_find(times); twice != times.end()) {
    const auto i = static_cast<std::size_t>(twice - times.begin());
    warnings.push_back(fmt::format("{}: its time {:.9g} is also that of {}; both are drawn", at(i + 1), *twice, at(i)));
  }
  if (times.size() < 3) return;
  std::vector<double> gaps(times.size() - 1);
  for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = times[i + 1] - times[i];
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>((gaps.size() - 1) / 2);
  std::ranges::nth_element(gaps, middle);
  const double usual = *middle;
  for (std::size_t i = 0; usual > 0 && i + 1 < times.size(); ++i) {
    if (!(times[i + 1] - times[i] > 10 * usual)) continue;
    input.layout.remarks.push_back(
        fmt::format("{}: the next step comes {:.6g} later, at {:.9g}, and steps are usually {:.6g} apart", at(i),
                    times[i + 1] - times[i], times[i + 1], usual));
    break;
  }
}

void describe_fields(DataInput& input) {
  if (input.bodies()) {
    input.infos = {{"density", "mass/pixel", FieldInfo::Shape::bodies, "magma"},
                   {"speed", time_length, FieldInfo::Shape::bodies, "stars"},
                   {"mass", "mass", FieldInfo::Shape::bodies, "stars"}};
    if (input.layout.bodies.groups) input.infos.push_back({"group", "", FieldInfo::Shape::bodies, "duo"});
    return;
  }
  const GridLayout& grid = *input.layout.grid;
  for (std::size_t i = 0; i < grid.names.size(); ++i) input.infos.push_back({grid.names[i], grid.units[i]});
}

std::string types_of(const ArrayFile& file, const DataInput& input, const std::vector<std::size_t>& fields) {
  const std::string shown = input.in_float ? "float" : "double";
  const ArrayInfo& array =
      file.at(input.bodies() ? input.layout.bodies.parts[0].position : input.layout.grid->arrays[fields[0]]);
  std::string type = name_of(array.element);
  if (array.packed)
    return fmt::format("{}, unpacked as {} x {:.6g} + {:.6g} in {}", type, type, array.scale, array.offset, shown);
  const Element own{Element::Kind::real, input.in_float ? std::size_t{4} : std::size_t{8}};
  if (array.element == own) return type;
  const bool wide = array.element.bytes == 8 && array.element.kind != Element::Kind::real;
  return fmt::format("{}, as {}, {}", type, shown, wide ? "exactly up to 2^53" : "exactly");
}

// Of several arrays the first is drawn, which may not be the one that is meant.
void note_choice(DataInput& input, const Scene& scene) {
  if (input.bodies() || scene.gives("view.field") || !input.options.array.empty() || input.layout.own) return;
  if (!input.layout.choice.empty()) input.layout.remarks.push_back(input.layout.choice);
  const std::vector<std::string>& names = input.layout.grid->names;
  if (names.size() < 2) return;
  constexpr std::ptrdiff_t shown = 8;
  const auto more = static_cast<std::ptrdiff_t>(names.size()) - 1;
  input.layout.remarks.push_back(fmt::format(
      "{}: {} is drawn; field in [view] may also be {}{}", input.first_file, names[0],
      fmt::join(names.begin() + 1, names.begin() + 1 + std::min(shown, more), ", "), more > shown ? ", ..." : ""));
}

}  // namespace

std::array<std::string, 2> DataInput::vectors(const Scene& scene) const {
  const std::vector<std::string>& named = scene.figure.vector;
  if (bodies() || named.size() == 2)
    return named.size() == 2 ? std::array{named[0], named[1]} : std::array<std::string, 2>{};
  constexpr std::array<std::string_view, 2> usual[] = {
      {"ux", "uy"}, {"vx", "vy"}, {"u", "v"}, {"u10", "v10"}, {"uo", "vo"}};
  for (const auto& [x, y] : usual)
    if (named.empty() && is_there(x) && is_there(y)) return {std::string(x), std::string(y)};
  const GridLayout& grid = *layout.grid;  // or those of the components of an array
  for (const std::string& name : grid.names) {
    const std::string x = fmt::format("{}_{}", name, grid.column), y = fmt::format("{}_{}", name, grid.row);
    if ((named.empty() || name == named[0]) && is_there(x) && is_there(y)) return {x, y};
  }
  return {};
}

bool DataInput::is_there(std::string_view name) const { return find_field(infos, name).has_value(); }

std::vector<std::size_t> DataInput::fields(const Scene& scene) const {
  if (bodies()) return {};
  std::vector<std::size_t> fields = {find_field(infos, scene.view.field).value_or(0)};
  std::vector<std::string> others = scene.output.fields;
  std::ranges::copy(scene.view.hue, std::back_inserter(others));
  if (scene.figure.shows_vectors()) std::ranges::copy(vectors(scene), std::back_inserter(others));
  for (const std::string& name : others)
    if (const auto field = find_field(infos, name); field && std::ranges::find(fields, *field) == fields.end())
      fields.push_back(*field);
  return fields;
}

std::vector<ValueClass> DataInput::classes(std::size_t field) const {
  if (bodies()) return {};
  const auto found = layout.grid->flags.find(layout.grid->arrays[field]);
  return found == layout.grid->flags.end() ? std::vector<ValueClass>() : found->second;
}

StepReader DataInput::reader(const Scene& scene) const {
  return {options, layout, fields(scene), first_file, scene.view.light.trails > 0};
}

std::shared_ptr<const DataInput> find_input(Table& keys, const Scene& scene) {
  constexpr int no_grid_yet = 1 << 24;
  DataOptions options = read_data_options(keys, no_grid_yet, no_grid_yet);
  resolve_paths(options, scene);
  try {
    const auto input = std::make_shared<DataInput>(
        DataInput{options, FileSeries(options.files, options.follow), {}, {}, {}, {}, true, {}, {}});
    if (options.follow && !input->series.many())
      keys.fail(
          "follow",
          "a single file is not a series: to follow, name files with a number or a wildcard, \"run/%05d.npy\", or a "
          "list, \"run.pvd\"");
    if (input->series.files().empty())
      keys.fail("files", "no file fits {}: {}{}", options.files, input->series.what_is_there(),
                options.follow ? "; begin to follow when the first file is complete" : "");
    if (const std::string missing = input->series.missing(); !missing.empty()) keys.fail("files", missing);
    input->first_file = input->series.files().front();
    const std::unique_ptr<ArrayFile> file = open_stacked_file(input->first_file, options.array);
    input->layout = find_layout(*file, options, scene.view.field, input->series.many());
    input->steps = steps_of(input->series, options.array, input->layout);
    if (input->steps.empty()) keys.fail("files", "{}: the time axis is empty", input->first_file);
    expect_same_bodies(*input);
    describe_fields(*input);
    note_choice(*input, scene);
    const std::vector<std::size_t> fields = input->fields(scene);
    input->in_float = StepReader::in_float(*file, input->layout, fields);
    input->types = types_of(*file, *input, fields);
    input->times = times_of(*input, input->reader(scene));
    if (options.time.empty() && !input->times.empty() &&
        std::ranges::all_of(input->times, [](double t) { return std::isnan(t); })) {
      input->layout.warnings.push_back(fmt::format(
          "{}: none of its times was ever written; steps are counted; {}",
          place_of(input->first_file, input->layout.time.substr(input->layout.time.find(':') + 1)), other_times));
      input->layout.time.clear(), input->layout.time_unit.clear();
      input->times = times_of(*input, input->reader(scene));
    }
    order_steps(*input);
    if (options.by_time &&
        std::ranges::adjacent_find(input->times, [](double a, double b) { return !(b > a); }) != input->times.end())
      keys.fail("interpolate",
                "\"time\" needs times that rise from step to step, and these do not; take true, which "
                "goes from step to step, or give times that rise: {}",
                other_times);
    if (input->layout.grid && !options.obstacles.empty()) {
      Table again = scene.solver;
      input->options.obstacles = read_data_options(again, input->layout.grid->nx, input->layout.grid->ny).obstacles;
      open_obstacles(input->options.obstacles, scene, input->layout.grid->nx, input->layout.grid->ny);
    }
    return input;
  } catch (const RuntimeError& error) {
    keys.fail("files", error.what());
  }
}

std::string summary_of(const DataInput& input) {
  const std::string files =
      input.series.many() ? fmt::format("{} files", input.series.files().size()) : input.first_file;
  if (input.bodies())
    return fmt::format("data, {} bodies, {} step{} of {}", input.layout.bodies.count(), input.steps.size(),
                       input.steps.size() == 1 ? "" : "s", files);
  const GridLayout& grid = *input.layout.grid;
  return fmt::format("data, {} x {} cells{}, {} step{} of {}", grid.nx, grid.ny,
                     grid.aspect == 1 ? "" : fmt::format(" of {:.4g} times their width", grid.aspect),
                     input.steps.size(), input.steps.size() == 1 ? "" : "s", files);
}

// A picture of [height][width][3] is read as so many steps of 3 columns. Empty for what looks like no picture.
std::string picture_hint(const DataInput& input) {
  if (input.bodies() || !input.options.axes.empty()) return "";
  const GridLayout& grid = *input.layout.grid;
  constexpr std::uint64_t min = 8;
  if (grid.roles != "tyx" || grid.extents[0] < min || grid.extents[1] < min) return "";
  if (grid.extents[2] != 3 && grid.extents[2] != 4) return "";
  return fmt::format(
      "{}: an array of {} x {} x {} may be one picture with {} channels, and is drawn as {} steps of {} x "
      "{} cells; if it is a picture, give one of its channels, if not, axes = \"tyx\" in [solver] says so",
      input.first_file, grid.extents[0], grid.extents[1], grid.extents[2], grid.extents[2], grid.extents[0], grid.nx,
      grid.ny);
}

std::int64_t frames_of(std::int64_t steps, const AnimationOptions& animation) {
  if (!animation.speed.empty()) {
    const auto step_at = [&](std::int64_t frame) { return animation.step_at(frame); };
    const auto frames = std::views::iota(std::int64_t{0}, max_paced_frames);
    return std::ranges::lower_bound(frames, steps, {}, step_at) - frames.begin();
  }
  return animation.start >= steps ? 0 : (steps - 1 - animation.start) / animation.steps_per_frame + 1;
}

Place place_of_frame(const DataInput& input, const AnimationOptions& animation, std::int64_t frame) {
  if (!input.options.interpolate) return {animation.step_at(frame), 0};
  if (input.options.by_time && animation.frames > 1) {
    const auto first = input.times.begin() + animation.start, last = input.times.end() - 1;
    const double part = animation.share_at(frame);
    const double time = frame + 1 == animation.frames ? *last : *first + (*last - *first) * part;
    const auto next = std::upper_bound(first, last, time);
    if (next == first || time >= *last) return {(next == first ? next : last) - input.times.begin(), 0};
    return {next - 1 - input.times.begin(), (time - next[-1]) / (next[0] - next[-1])};
  }
  const std::int64_t whole = static_cast<std::int64_t>(input.steps.size()) - 1 - animation.start;
  if (!animation.speed.empty() && animation.frames > 1) {
    const double at = animation.share_at(frame) * static_cast<double>(whole);
    const auto step = std::min(static_cast<std::int64_t>(at), whole);
    return {animation.start + step, at - static_cast<double>(step)};
  }
  const std::int64_t parts = std::max<std::int64_t>(1, animation.frames - 1);
  const __int128 at = static_cast<__int128>(frame) * whole;
  return {animation.start + static_cast<std::int64_t>(at / parts),
          static_cast<double>(static_cast<std::int64_t>(at % parts)) / static_cast<double>(parts)};
}

}  // namespace simreel
