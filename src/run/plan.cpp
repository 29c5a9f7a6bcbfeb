#include "run/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>

#include "base/cf_time.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/input_image.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "base/text.h"
#include "files/pattern.h"
#include "raster/color/colormap.h"
#include "sink/outputs.h"
#include "sink/video/video.h"

namespace simreel {
namespace {

constexpr std::int64_t usual_frames = 10'000;  // of a run without an end: labels leave room for the numbers of so many

// Why pictures depend on the number of frames; empty if they do not.
std::string bound_to_frames(const Scene& scene, const SourcePlan& plan) {
  const bool bodies = plan.bodies > 0;
  if (comes_from_all_frames(scene.view.range) && (!bodies || scene.view.range_given))
    return "the range of the colours comes from all frames, so more frames may change it: set range in [view]";
  if (bodies && scene.camera.fits_all_frames())
    return std::string(scene.gives("camera.fit") ? "\"fit\" in [camera] comes from" : "by default the camera sees") +
           " all frames, so more frames may move the camera: set fit = \"first\", or position, in [camera]";
  if (scene.figure.space_time) return "\"space_time\" in [figure] leaves room for all frames, so more frames move them";
  if (scene.animation.hold_last > 0 || scene.animation.fade_out > 0)
    return "\"hold_last\" and \"fade_out\" in [animation] end the video, where more frames would come";
  if (scene.animation.loop != AnimationOptions::Loop::none)
    return "\"loop\" in [animation] goes on from the last frame, where more frames would come";
  if (scene.figure.given && !scene.figure.time.empty())
    return "\"time\" in [figure] leaves room for the last number of the run, so more frames may move it";
  for (const OverlayOptions& overlay : scene.overlays)
    if (overlay.has_numbers())
      return "a text of an [[overlay]] leaves room for the last number of the run, so more frames may move it";
  const auto& keys = scene.camera.keys;
  const bool orbits = scene.camera.pose.orbit != 0 ||
                      std::ranges::any_of(keys, [](const CameraKey& key) { return key.pose.orbit != 0; });
  if (bodies && orbits) return "\"orbit\" in [camera] is an angle over all frames, so more frames change every picture";
  return "";
}

// What the hues of a picture show.
std::string hue_text(const ViewOptions& view) {
  if (view.hue.empty()) return "";
  const std::string &x = view.hue[0], &y = view.hue[1], stem = x.substr(0, x.rfind('.'));
  const bool complex = x == stem + ".re" && y == stem + ".im";
  return complex ? stem + ".arg" : fmt::format("angle of ({}, {})", x, y);
}

// Whether a unit along x may be as long along y: not degrees and kilometres, or metres and seconds.
bool has_one_unit(const FigureContext& stage) {
  const FigureUnits& units = stage.options.units;
  const auto& [x, y] = stage.axes;
  if (!units.length.empty() || units.cell) return true;
  const auto counts_time = [](const auto& axis) { return axis && axis->unit.find(" since ") != std::string::npos; };
  if (counts_time(x) != counts_time(y)) return false;
  if (!x || !y || x->unit.empty() || y->unit.empty()) return true;
  const auto is_angle = [](const GridAxis& axis) { return axis.unit.starts_with("\u00B0"); };
  return x->unit == y->unit || (is_angle(*x) && is_angle(*y));
}

// Lets the stage show a part of the grid.
void look_at(const Rectangle& part, DrawContext& stage) {
  FigureContext& figure = stage.figure;
  const auto [nx, ny] = figure.grid;
  const double off = part.width * ny - part.height * nx;
  if (std::abs(off) < std::max(nx, ny)) stage.fills = figure.grid;  // within a cell
  figure.grid = {1.0 * part.width, 1.0 * part.height};
  figure.first = {1.0 * part.x, 1.0 * part.y};
  figure.within = part;
}

// Whether the source says the time of each frame, in the unit of the labels.
bool lists_times(const Scene& scene, const SourcePlan& plan) {
  return !scene.figure.units.step && static_cast<std::int64_t>(plan.times.size()) == scene.animation.frames;
}

}  // namespace

// Those of the source, unless the scene says where the picture's edges lie.
GridAxes axes_of(const Scene& scene, const SourcePlan& plan) {
  GridAxes axes = plan.grid.axes;
  if (!scene.figure.extent || plan.bodies > 0) return axes;
  for (std::size_t i = 0; i < 2; ++i) {
    const double low = (*scene.figure.extent)[2 * i], high = (*scene.figure.extent)[2 * i + 1];
    const double step = (high - low) / plan.grid.cells[i];
    GridAxis& axis = axes[i] ? *axes[i] : axes[i].emplace();
    if (axis.name.empty()) axis.name = i == 0 ? "x" : "y";
    axis.first = low + step / 2, axis.step = step, axis.counted = false;
  }
  return axes;
}

DrawContext draw_context(const Scene& scene, const SourcePlan& plan) {
  DrawContext stage{plan.bodies,
                    plan.frame_interval,
                    scene.camera,
                    scene.animation,
                    plan.grid.cell_aspect,
                    {scene.figure,
                     plan.field,
                     plan.unit,
                     hue_text(scene.view),
                     {1.0 * plan.grid.cells[0], 1.0 * plan.grid.cells[1]},
                     plan.diagnostics,
                     !plan.grid.vectors[0].empty()}};
  stage.figure.axes = axes_of(scene, plan);
  if (FigureUnits& units = stage.figure.options.units;
      !units.length.empty() && !units.cell && !scene.figure.extent && plan.bodies == 0 && plan.grid.spacing != 1)
    units.cell = plan.grid.spacing;
  if (const auto& e = scene.figure.extent; e && plan.bodies == 0 && plan.grid.cells[0] > 0)
    stage.cell_aspect = ((*e)[3] - (*e)[2]) / plan.grid.cells[1] / (((*e)[1] - (*e)[0]) / plan.grid.cells[0]);
  if (const auto& part = plan.grid.without_layers; part && !scene.view.layers) look_at(*part, stage);
  stage.figure.expected = plan.expected;
  stage.figure.times = plan.times;
  stage.figure.vector_unit = plan.vector_unit;
  stage.figure.time_unit = plan.time_unit;
  stage.figure.calendar = plan.calendar;
  stage.figure.overlays = scene.overlays;
  load_overlay_images(stage.figure.overlays);  // the scene may not have gone through plan_run()
  stage.figure.endless = scene.animation.frames == endless_frames;
  if (stage.figure.endless) stage.animation.frames = usual_frames;
  Rasterizer::aim(stage, scene.view);
  using Aspect = FigureOptions::Aspect;
  FigureOptions& figure = stage.figure.options;
  if (figure.aspect == Aspect::units) figure.aspect = has_one_unit(stage.figure) ? Aspect::equal : Aspect::automatic;
  return stage;
}

void fit_to_print(Scene& scene, const SourcePlan& plan) {
  FigureOptions& figure = scene.figure;
  // Paper is white; the light of bodies needs a dark background.
  if (figure.width && plan.bodies == 0 && !scene.gives("view.background")) scene.view.background = {255, 255, 255, 255};
  if (figure.only != FigureOptions::Only::all) {  // the letters keep the colour that they have next to the picture
    if (figure.theme == FigureOptions::Theme::automatic) figure.theme = Rasterizer::theme_on(scene.view.background);
    scene.view.background.a = 0;
  }
  const DrawContext stage = draw_context(scene, plan);
  // What has no shape of its own, as a diagram over time, is as high as other plots.
  if (figure.width && !scene.gives("view.size") && stage.figure.options.aspect == FigureOptions::Aspect::automatic)
    scene.view.size.height = 3 * scene.view.size.width / 4;
  const int shorter = std::min(scene.view.size.width, scene.view.size.height);
  scene.view.size = Rasterizer::picture_size(scene.view, stage);
  // By default bodies have a share of the picture, whatever its dpi.
  LightOptions& light = scene.view.light;
  if (!scene.gives("view.radius") && light.radius_unit != LightOptions::RadiusUnit::world)
    light.radius *= std::min(scene.view.size.width, scene.view.size.height) / static_cast<double>(shorter);
}

std::string default_output(const Scene& scene) {
  if (const std::filesystem::path& path = scene.output.path; !path.empty()) {
    if (const std::string why = refusal_to_write(path); !why.empty() && path != "-" && path != "null:")
      throw UsageError("{}\"path\" in [output]: {}: {}; or name the output with -o",
                       scene.output.position_of("path").before(), path.string(), why);
    return path.string();
  }
  const std::string stem = scene.file == stream_name ? "stdin" : scene.file.stem().string();
  return scene.resolve(stem + default_extension(scene.output)).string();
}

StreamInfo stream_info(const Scene& scene, const SourcePlan& plan, bool overwrite) {
  StreamInfo info;
  info.size = scene.view.size;
  info.fps_numerator = scene.animation.fps_numerator;
  info.fps_denominator = scene.animation.fps_denominator;
  info.frames = scene.animation.frames;
  info.diagnostics = plan.diagnostics;
  info.fields = plan.state_fields;
  info.state_bytes = state_bytes(plan);
  info.frame_interval = scene.animation.speed.empty() ? plan.frame_interval : 0;
  info.axes = axes_of(scene, plan);
  info.alpha = scene.view.background.a < 255;
  if (scene.figure.has_print_size())
    info.dpi = scene.figure.width ? scene.view.size.width / *scene.figure.width * FigureOptions::mm_per_inch
                                  : scene.figure.dpi;
  info.title = scene.title;
  info.scene_text = scene.text;
  info.overrides = scene.overrides;
  info.overwrite = overwrite;
  info.bound_to_frames = bound_to_frames(scene, plan);
  if (!scene.file.empty() && scene.file != stream_name) info.inputs.push_back(scene.file.string());
  info.inputs.insert(info.inputs.end(), plan.inputs.begin(), plan.inputs.end());
  std::ranges::move(image_files(scene.overlays), std::back_inserter(info.inputs));
  if (const std::string colormap = colormap_file(scene.view.colormap); !colormap.empty())
    info.inputs.push_back(colormap);
  return info;
}

std::size_t state_bytes(const SourcePlan& plan) {
  return plan.view_bytes * plan.state_fields.size() + plan.grid.solid_bytes;
}

std::vector<std::string> outputs_of(const std::vector<std::string>& given, const Scene& scene) {
  if (!given.empty()) return given;
  const std::string path = default_output(scene);
  if (std::ranges::none_of(sink_kinds(), [&](const SinkKind& kind) { return kind.accepts(path); })) {
    try {
      check_sinks({path}, scene.output, {});
    } catch (const UsageError& error) {  // says what is wrong with a name, but not its place in the scene
      throw UsageError(scene.output.position_of("path").before() + error.what());
    }
  }
  return {path};
}

void load_overlay_images(std::vector<OverlayOptions>& overlays) {
  const ImageCount count(limits::scene_image_pixels);
  std::map<std::string, std::shared_ptr<OverlayImage>> known;
  for (OverlayOptions& overlay : overlays) {
    if (overlay.image.empty() || overlay.pixels) continue;
    std::shared_ptr<OverlayImage>& image = known[overlay.image.string()];
    if (!image) {
      const auto read = [file = overlay.image.string(), place = overlay.position_of("image")] {
        std::string reason = refusal_to_read(file);
        std::optional<ColorImage> found = reason.empty() ? read_color_image(file, reason) : std::nullopt;
        if (!found) throw UsageError("{}\"image\" in [[overlay]]: {}: {}", place.before(), file, reason);
        return *std::move(found);
      };
      ColorImage first = read();
      image = std::make_shared<OverlayImage>();
      image->size = {first.width, first.height};
      image->pixels = std::move(first.pixels);
      image->read = [read] { return read().pixels; };
    }
    overlay.pixels = image;
  }
}

std::vector<std::string> image_files(const std::vector<OverlayOptions>& overlays) {
  std::vector<std::string> files;
  for (const OverlayOptions& overlay : overlays)
    if (!overlay.image.empty()) files.push_back(overlay.image.string());
  return files;
}

double time_at(const Scene& scene, const SourcePlan& plan, std::int64_t frame) {
  if (lists_times(scene, plan)) return plan.times[static_cast<std::size_t>(frame)];
  const double of_step =
      scene.figure.units.step.value_or(plan.frame_interval / static_cast<double>(scene.animation.steps_per_frame));
  if (!(of_step > 0)) throw UsageError("the source does not say the time between frames; name a frame instead");
  return of_step * static_cast<double>(scene.animation.step_at(frame));
}

std::int64_t frame_at(const Scene& scene, const SourcePlan& plan, double time) {
  const bool lists = lists_times(scene, plan);
  const auto at = [&](std::int64_t frame) { return time_at(scene, plan, frame); };
  const std::int64_t last_frame = scene.animation.frames - 1;
  const auto [first, last] =
      lists ? std::ranges::minmax(plan.times) : std::ranges::minmax_result<double>{at(0), at(last_frame)};
  const double reach = (last - first) / std::max(1.0, 2 * static_cast<double>(last_frame));
  if (!(time >= first - reach && time <= last + reach))
    throw UsageError("time {} is outside the scene, which lasts from {}{}", time,
                     fmt::join(told_apart(first, last), " to "), lists ? "" : "; set animation.frames");
  if (lists)
    return std::ranges::min_element(plan.times, {}, [&](double t) { return std::abs(t - time); }) - plan.times.begin();
  const auto frames = std::views::iota(std::int64_t{0}, last_frame);
  const auto next = static_cast<std::int64_t>(std::ranges::lower_bound(frames, time, {}, at) - frames.begin());
  return next > 0 && time - at(next - 1) < at(next) - time ? next - 1 : next;
}

std::int64_t frame_at(const Scene& scene, const SourcePlan& plan, const std::string& date) {
  const std::optional<CfTime> since =
      lists_times(scene, plan) ? parse_cf_time(plan.time_unit, plan.calendar) : std::nullopt;
  if (!since)
    throw UsageError(
        "{} is a date, and the source gives no reference date for its times; name a time or a frame instead", date);
  const auto text_of = [&](double time) {
    const std::string text = format_cf_date(since->seconds(time), since->calendar, "%Y-%m-%d %H:%M").value();
    return text.ends_with(" 00:00") ? text.substr(0, text.size() - 6) : text;
  };
  const std::optional<CfTime> at = parse_cf_time("days since " + date, since->calendar);
  if (const std::string year_first = with_year_first(date); !at && !year_first.empty())
    throw UsageError("{} has its year last; write year, month and day: {}", quote(date), year_first);
  if (!at)
    throw UsageError("{} is not a date of the calendar {}; write one as in {}", quote(date), since->calendar,
                     text_of(plan.times.front()));
  try {
    return frame_at(scene, plan, (at->start - since->start) / since->unit);
  } catch (const UsageError&) {
    const auto [first, last] = std::ranges::minmax(plan.times);
    throw UsageError("{} is outside the data, which last from {} to {}", date, text_of(first), text_of(last));
  }
}

std::vector<std::int64_t> stills_at(const Scene& scene, const SourcePlan& plan, const std::string& list) {
  const auto refuse = [&](const std::string& why) { throw UsageError("--at {}: {}", list, why); };
  const auto number = [&]<class Number>(std::string_view text, Number) {
    const std::optional<Number> value = parse_number<Number>(text);
    if (!value)
      refuse(
          fmt::format("{} is no time; write times with commas, as in 0,3.2,5, frames, as in frame:0,frame:40, or "
                      "dates, as in 2001-03-05",
                      quote(text)));
    return *value;
  };
  constexpr std::string_view prefix = "frame:";
  std::map<std::int64_t, std::string> frames;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string item(trim(std::string_view(list).substr(at, comma - at)));
    at = comma + 1;
    std::int64_t frame = 0;
    if (item.starts_with(prefix)) {
      frame = number(std::string_view(item).substr(prefix.size()), std::int64_t{0});
      if (frame < 0 || frame >= scene.animation.frames)
        refuse(fmt::format("frame {} is none of the scene, which has {}, from 0 to {}", frame, scene.animation.frames,
                           scene.animation.frames - 1));
    } else {
      const bool dated = !with_year_first(item).empty() || (item.find('-') > 0 && item.find('-') != item.npos &&
                                                            item.find_first_not_of("0123456789-T: .Z") == item.npos);
      const double time = dated ? 0 : number(item, 0.0);
      try {
        frame = dated ? frame_at(scene, plan, item) : frame_at(scene, plan, time);
      } catch (const UsageError& error) {
        refuse(error.what());
      }
    }
    const auto [other, fresh] = frames.emplace(frame, item);
    if (!fresh) refuse(fmt::format("{} and {} are both frame {}; leave one of them out", other->second, item, frame));
  }
  std::vector<std::int64_t> result;
  for (const auto& [frame, item] : frames) result.push_back(frame);
  return result;
}

void check_stills(const std::vector<std::string>& outputs, std::size_t count) {
  for (const std::string& output : outputs) {
    const Content content = kind_of(output).content;
    if (content == Content::video)
      throw UsageError("{}: --at makes stills, and this is a video; write x_%d.png or x_%d.pdf", output);
    const bool single = content == Content::picture || content == Content::page || content == Content::state;
    if (!single || count == 1 || FilePattern(output).numbered()) continue;
    const std::string extension = extension_of(output);
    throw UsageError("{}: holds one frame, and --at names {}; write {}_%d{}", output, count,
                     output.substr(0, output.size() - extension.size()), extension);
  }
}

}  // namespace simreel
