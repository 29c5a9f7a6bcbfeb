#include "raster/bodies/particle_painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "raster/shaped_map.h"

namespace simreel {
namespace {

constexpr double lit_below_white = 0.995;  // share of the lit pixels that an automatic exposure keeps below white
constexpr double followed_within = 0.25;   // seconds of video in which an exposure that follows closes most of a gap
constexpr double values_beyond = 0.01;     // share of the bodies outside either end of a measured range

BodyField field_of(const std::string& name) {
  if (name == "speed") return BodyField::speed;
  if (name == "mass") return BodyField::mass;
  return name == "group" ? BodyField::group : BodyField::density;
}

Curve tone_of(const ViewOptions& view) {
  if (view.light.tone) return curve_of(*view.light.tone);
  const bool scaled = field_of(view.field) == BodyField::density && view.scale_given;
  return scaled ? curve_of(view.scale) : Curve::asinh;
}

SplatShape shape_of(LightOptions::Splat splat) {
  switch (splat) {
    case LightOptions::Splat::pixel: return SplatShape::pixel;
    case LightOptions::Splat::bilinear: return SplatShape::bilinear;
    case LightOptions::Splat::gaussian: return SplatShape::gaussian;
  }
  return SplatShape::bilinear;
}

PixelSums sums_of(const Executor& executor, const ViewOptions& view) {
  PixelSums sums;
  sums.pixels = pixel_count(view.size);
  sums.words = light_words(field_of(view.field));
  sums.layers = scatter_layers(executor, sums.layer_size() * sizeof(std::uint64_t));
  return sums;
}

std::size_t sums_size(const PixelSums& sums) { return sums.layer_size() * static_cast<std::size_t>(sums.layers); }

// The length of a trail in frames.
int trail_length(const ViewOptions& view, const DrawContext& stage) {
  return static_cast<int>(std::min(std::round(view.light.trails * stage.animation.fps()), 0x1p20));
}

// A trail that is longer than the run needs memory for the frames of the run only.
std::size_t history_frames(const ViewOptions& view, const DrawContext& stage) {
  const std::int64_t length = trail_length(view, stage);
  if (length == 0) return 0;
  return static_cast<std::size_t>(stage.figure.endless ? length + 1 : std::min(length + 1, stage.animation.frames));
}

// The simulated time from the frame before to this one.
double interval_to(const DrawContext& stage, std::int64_t frame) {
  const std::vector<double>& times = stage.figure.times;
  if (const auto i = static_cast<std::size_t>(frame); frame > 0 && i < times.size())
    if (const double interval = times[i] - times[i - 1]; std::isfinite(interval)) return interval;
  const AnimationOptions& animation = stage.animation;
  return stage.interval * (static_cast<double>(animation.step_at(frame) - animation.step_at(frame - 1)) /
                           static_cast<double>(animation.steps_per_frame));
}

// Whether each frame decides on its exposure. A range and a colour bar say what a density is throughout.
bool follows(const ViewOptions& view, const DrawContext& stage) {
  const bool measures = view.range_given || stage.figure.options.colorbar != FigureOptions::Bar::none;
  return view.light.follows && !(measures && field_of(view.field) == BodyField::density);
}

// In pixels, unless it is in units of the world.
double radius_of(const LightOptions& light, const DrawContext& stage) {
  return light.radius_unit == LightOptions::RadiusUnit::points
             ? light.radius * stage.figure.options.dpi / FigureOptions::points_per_inch
             : light.radius;
}

void refuse_wide_splats(const ViewOptions& view, const DrawContext& stage) {
  const double radius = radius_of(view.light, stage);
  if (view.light.radius_unit == LightOptions::RadiusUnit::world || radius <= max_gaussian_radius) return;
  const auto key = std::ranges::find(view.light_keys, "radius", &GivenKey::key);
  throw UsageError("{}\"radius\" in [view] is {:.6g} pixels; a splat has at most {:.0f}",
                   key == view.light_keys.end() ? "" : key->position.before(), radius, max_gaussian_radius);
}

void refuse_contradictions(const ViewOptions& view, const DrawContext& stage) {
  refuse_wide_splats(view, stage);
  const CameraOptions& camera = stage.camera;
  if (const auto& follow = camera.follow;
      follow && follow->of == BodyChoice::Of::body && static_cast<std::size_t>(follow->number) >= stage.bodies)
    throw UsageError("{}\"follow\" in [camera] is body {}, and there are {}, from 0 to {}",
                     camera.follow_position.before(), follow->number, stage.bodies, stage.bodies - 1);
  if (field_of(view.field) != BodyField::density) return;
  if (camera.fits_all_frames() && view.range_given && view.range == RangeMode::global)
    throw UsageError(
        "{}how dense the brightest place is depends on the camera, which \"fit\" places after it has seen all frames; "
        "take range = \"first\" or [low, high] in [view], or fit = \"first\"",
        view.range_position.before());
  if (view.light.tone && view.scale_given)
    throw UsageError(
        "{}\"tone\" and \"scale\" in [view] both set the curve for the density of bodies; leave one of them out",
        view.light.tone_position.before());
  if (view.light.exposure && view.range_given)
    throw UsageError("{}\"exposure\" and \"range\" in [view] both set the density that is white; leave one of them out",
                     view.light.exposure_position.before());
  const bool asked = std::ranges::count(view.light_keys, "exposure", &GivenKey::key) > 0;
  if (asked && view.light.follows && !follows(view, stage))
    throw UsageError(
        "{}exposure = \"follow\" shows the density relative to each frame, so it has no range and no colour bar; take "
        "\"auto\"",
        view.light.exposure_position.before());
  if (view.range == RangeMode::fixed && view.low < 0)
    throw UsageError("{}the range of the density starts at {}, but no density is below 0", view.range_position.before(),
                     view.low);
}

}  // namespace

ParticlePainter::ParticlePainter(const Executor& executor, const ViewOptions& view, const DrawContext& stage)
    : executor_(executor),
      view_(view),
      stage_(stage),
      field_(field_of(view.field)),
      tone_(tone_of(view)),
      follows_(follows(view, stage)),
      trail_length_(trail_length(view, stage)),
      camera_(stage.camera, stage.animation),
      sums_(sums_of(executor, view)),
      light_(executor, sums_size(sums_)),
      burnt_(executor, 1),
      scratch_(executor, splat_scratch_bytes(stage.bodies)) {
  refuse_contradictions(view, stage);
  sums_.sums = light_.data();
  light_.clear();
  burnt_.clear();
  const std::size_t frames = history_frames(view, stage);
  past_position_ = Buffer<Vec4<float>>(executor, frames * stage.bodies);
  past_velocity_ = Buffer<Vec4<float>>(executor, frames * stage.bodies);
  past_interval_ = Buffer<double>(executor, frames);
}

std::size_t ParticlePainter::memory_bytes(const Executor& executor, const ViewOptions& view, const DrawContext& stage) {
  return (sums_size(sums_of(executor, view)) + 1) * sizeof(std::uint64_t) + splat_scratch_bytes(stage.bodies) +
         trail_bytes(view, stage);
}

std::size_t ParticlePainter::trail_bytes(const ViewOptions& view, const DrawContext& stage) {
  return history_frames(view, stage) * (2 * stage.bodies * sizeof(Vec4<float>) + sizeof(double));
}

RangeMode ParticlePainter::range_mode() const { return view_.range_given ? view_.range : RangeMode::first; }

// The position or velocity (`of`) of what the camera moves along with.
template <class Real>
Vec4<double> ParticlePainter::followed(const ParticlesView<Real>& bodies, const Vec4<Real>* of) {
  const std::optional<BodyChoice>& choice = stage_.camera.follow;
  if (!choice) return {};
  if (choice->of == BodyChoice::Of::body) {
    Vec4<Real> body;
    executor_.copy(&body, of + choice->number, sizeof body);
    return {body.x, body.y, body.z, 0};
  }
  const int group = choice->of == BodyChoice::Of::group ? choice->number : every_group;
  const Vec4<double> mean = mean_by_mass(executor_, bodies, of, group, scratch_.data());
  if (mean.w > 0) return mean;
  throw UsageError("{}\"follow\" in [camera] needs bodies with mass, and {} has none",
                   stage_.camera.follow_position.before(),
                   group == every_group ? "this scene" : fmt::format("group {}", group));
}

template <class Real>
Reach ParticlePainter::measure_reach(const ParticlesView<Real>& bodies) {
  const BodyChoice& choice = stage_.camera.fit->bodies;
  Directions directions = directions_of(stage_.camera.pose, stage_.camera.projection, view_.size);
  directions.origin = followed(bodies, bodies.position);
  return find_reach(executor_, bodies, choice.of == BodyChoice::Of::group ? choice.number : every_group, directions,
                    scratch_.data());
}

void ParticlePainter::set_reach(const Reach& reach) {
  reach_ = reach;
  const BodyChoice& choice = stage_.camera.fit->bodies;
  if (choice.of == BodyChoice::Of::group && reach[0] > std::numeric_limits<double>::max())
    throw UsageError("{}no body belongs to group {}, to which \"fit\" in [camera] fits the camera",
                     stage_.camera.fit_position.before(), choice.number);
  CameraOptions moved = stage_.camera;
  moved.pose = fitted(moved.pose, moved.projection, view_.size, reach, moved.follow.has_value());
  camera_ = CameraPath(moved, stage_.animation);
}

template <class Real>
void ParticlePainter::fit_to_first(const ParticlesView<Real>& bodies) {
  if (stage_.camera.fit && stage_.camera.fit->first && !reach_) set_reach(measure_reach(bodies));
}

template <class Real>
SplatParams ParticlePainter::params(const ParticlesView<Real>& bodies, std::int64_t frame, Interval range) {
  fit_to_first(bodies);
  SplatParams p;
  p.lens = camera_.lens(frame, view_.size, followed(bodies, bodies.position));
  p.size = view_.size;
  p.shape = shape_of(view_.light.splat);
  p.radius = radius_of(view_.light, stage_);
  p.world_radius = view_.light.radius_unit == LightOptions::RadiusUnit::world;
  p.by_mass = view_.light.weight == LightOptions::Weight::mass;
  if (view_.light.radius_by == LightOptions::Size::mass && heaviest_ == 0) {
    std::vector<Vec4<Real>> all(bodies.count);
    executor_.copy(all.data(), bodies.position, bodies.count * sizeof(Vec4<Real>));
    for (const Vec4<Real>& body : all) heaviest_ = std::max(heaviest_, static_cast<double>(body.w));
  }
  p.heaviest = heaviest_;
  p.quanta = known_.quanta;
  p.field = field_;
  const double width = view_.linear_width > 0 ? view_.linear_width : (range.high - range.low) / 100;
  const ColorScale scale = color_scale(curve_of(view_.scale), width, range.low, range.high, nullptr, 0);
  p.place = {scale.curve, width, curve_value(scale.curve, width, range.low), scale.factor};
  return p;
}

// Masses do not change, so they are summed once.
template <class Real>
void ParticlePainter::weigh(const ParticlesView<Real>& bodies) {
  if (known_.quanta > 0) return;
  const bool by_mass = view_.light.weight == LightOptions::Weight::mass;
  known_.total = by_mass ? total_mass(executor_, bodies, scratch_.data()) : static_cast<double>(bodies.count);
  known_.quanta = light_quanta(known_.total, field_, trail_length_);
}

// The light that becomes white, from `exposure` or from the current sums.
double ParticlePainter::white_of_light() {
  const double mean = std::max(known_.total, std::numeric_limits<double>::min()) / static_cast<double>(sums_.pixels);
  if (view_.light.exposure) return mean / *view_.light.exposure;
  const std::ptrdiff_t bin =
      quantile_bin(count_light(executor_, sums_, known_.quanta, scratch_.data()), lit_below_white);
  return bin < 0 ? mean : std::max(bin_edge(static_cast<std::size_t>(bin) + 1), std::numeric_limits<double>::min());
}

template <class Real>
Interval ParticlePainter::measure(const ParticlesView<Real>& bodies, std::int64_t frame) {
  if (shows_density()) {
    weigh(bodies);
    splat_bodies(executor_, bodies, params(bodies, frame, {0, 1}), sums_);
    const double white = white_of_light();
    light_.clear();
    return {0, white};
  }
  const auto counts = count_values(executor_, bodies, field_, scratch_.data());
  const double beyond = field_ == BodyField::group ? 0 : values_beyond;
  const std::ptrdiff_t low = quantile_bin(counts, beyond), high = quantile_bin(counts, 1 - beyond);
  if (low < 0) return {1, -1};
  return {bin_edge(static_cast<std::size_t>(low)), bin_edge(static_cast<std::size_t>(high))};
}

template <class Real>
void ParticlePainter::keep_trails(const ParticlesView<Real>& bodies, std::int64_t frame, const SplatParams* seen) {
  const int entries = trail_length_ + 1, newest = static_cast<int>(known_.kept % entries);
  const auto segments = static_cast<int>(std::min<std::int64_t>(known_.kept++, trail_length_));
  MovingFrame moving;
  if (stage_.camera.follow) moving = {followed(bodies, bodies.position), followed(bodies, bodies.velocity), true};
  keep_entry(executor_, bodies, newest, past_position_.data(), past_velocity_.data(), moving);
  if (!seen) return;
  std::vector<double> intervals;
  for (std::size_t age = 0; age < past_interval_.size(); ++age)
    intervals.push_back(interval_to(stage_, frame - static_cast<std::int64_t>(age)));
  if (intervals != intervals_) past_interval_.upload((intervals_ = intervals).data());
  TrailView trail;
  trail.position = past_position_.data();
  trail.velocity = past_velocity_.data();
  trail.group = bodies.group;
  trail.count = bodies.count;
  trail.entries = entries;
  trail.newest = newest;
  trail.segments = segments;
  trail.interval = past_interval_.data();
  splat_trails(executor_, trail, *seen, sums_);
}

template <class Real>
void ParticlePainter::draw(const ParticlesView<Real>& bodies, std::int64_t frame, Interval range, const Color* colors,
                           int count, Canvases canvases) {
  weigh(bodies);
  const SplatParams p = params(bodies, frame, range);
  const bool seen = canvases.shallow.pixels || canvases.deep.pixels,
             exposes = follows_ || (!shows_density() && known_.white == 0);
  if (seen || exposes) splat_bodies(executor_, bodies, p, sums_);
  if (follows_) {
    const double now = white_of_light();
    const double part = again_ ? 0 : std::min(1.0, 1 / (followed_within * stage_.animation.fps()));
    known_.white = known_.white == 0 ? now : known_.white + (now - known_.white) * part;
  } else if (shows_density())
    known_.white = range.high;
  else if (exposes)
    known_.white = white_of_light();
  again_ = false;
  if (trail_length_ > 0) {  // as seen from what the camera follows
    SplatParams own = p;
    own.lens = camera_.lens(frame, view_.size);
    keep_trails(bodies, frame, seen ? &own : nullptr);
  }
  if (!seen) return exposes ? light_.clear() : void();

  const double low = shows_density() ? range.low : 0, white = known_.white;
  const bool own_width = shows_density() && view_.linear_width > 0;
  const double width = own_width ? view_.linear_width : (white - low) / view_.light.contrast;
  const auto shade = [&](const auto& canvas, SumsAfter after) {
    shade_light(executor_, sums_, after, known_.quanta, tone_scale(tone_, width, low, white), colors, count,
                view_.background, canvas, burnt_.data());
  };
  if (canvases.shallow.pixels) shade(canvases.shallow, canvases.deep.pixels ? SumsAfter::kept : SumsAfter::cleared);
  if (canvases.deep.pixels) shade(canvases.deep, SumsAfter::cleared);
  ++known_.frames_drawn;
}

template <class Real>
std::vector<ScreenPoint> ParticlePainter::places(const ParticlesView<Real>& bodies, std::int64_t frame,
                                                 const std::vector<std::size_t>& which) {
  const Lens lens = camera_.lens(frame, view_.size, followed(bodies, bodies.position));
  std::vector<ScreenPoint> places;
  for (const std::size_t i : which) {
    Vec4<Real> body;
    executor_.copy(&body, bodies.position + i, sizeof body);
    places.push_back(lens(static_cast<double>(body.x), static_cast<double>(body.y), static_cast<double>(body.z)));
  }
  return places;
}

std::vector<std::string> ParticlePainter::findings() const {
  std::vector<std::string> lines;
  if (known_.frames_drawn == 0) return lines;
  const double mean = known_.total / static_cast<double>(sums_.pixels);
  const bool found = !view_.light.exposure && !follows_ && !(shows_density() && range_mode() != RangeMode::first);
  if (found) lines.push_back(fmt::format("exposure   {:.4g}, from the first frame", mean / known_.white));
  const double burnt = static_cast<double>(burnt_.download()[0]) /
                       (static_cast<double>(sums_.pixels) * static_cast<double>(known_.frames_drawn));
  constexpr double much = 0.01;
  if (burnt > much)
    lines.push_back(
        fmt::format("saturated  {:.1f} % of the pixels on average over all frames; an exposure below {:.4g} shows "
                    "their structure",
                    100 * burnt, mean / known_.white));
  return lines;
}

void ParticlePainter::save(Checkpoint& checkpoint) const {
  checkpoint.save_value("light", known_);
  if (reach_) checkpoint.save_value("reach", *reach_);
  checkpoint.save("saturated pixels", burnt_);
  checkpoint.save("past positions", past_position_);
  checkpoint.save("past velocities", past_velocity_);
}

void ParticlePainter::load(const Checkpoint& checkpoint) {
  known_ = checkpoint.load_value<Known>("light");
  if (checkpoint.has("reach")) set_reach(checkpoint.load_value<Reach>("reach"));
  checkpoint.load("saturated pixels", burnt_);
  // A run that is extended may have room for more frames than before; those that were kept come first.
  const auto load_first = [&](std::string_view name, Buffer<Vec4<float>>& past) {
    auto values = checkpoint.load_list<Vec4<float>>(name);
    const std::size_t kept = static_cast<std::size_t>(known_.kept) * stage_.bodies;
    if (values.size() < past.size() && kept <= values.size()) values.resize(past.size());
    if (values.size() != past.size()) throw RuntimeError("the trails of the checkpoint are of another length");
    if (!values.empty()) past.upload(values.data());
  };
  load_first("past positions", past_position_);
  load_first("past velocities", past_velocity_);
}

template Reach ParticlePainter::measure_reach(const ParticlesView<float>&);
template Reach ParticlePainter::measure_reach(const ParticlesView<double>&);
template SplatParams ParticlePainter::params(const ParticlesView<float>&, std::int64_t, Interval);
template SplatParams ParticlePainter::params(const ParticlesView<double>&, std::int64_t, Interval);
template std::vector<ScreenPoint> ParticlePainter::places(const ParticlesView<float>&, std::int64_t,
                                                          const std::vector<std::size_t>&);
template std::vector<ScreenPoint> ParticlePainter::places(const ParticlesView<double>&, std::int64_t,
                                                          const std::vector<std::size_t>&);
template void ParticlePainter::weigh(const ParticlesView<float>&);
template void ParticlePainter::weigh(const ParticlesView<double>&);
template Interval ParticlePainter::measure(const ParticlesView<float>&, std::int64_t);
template Interval ParticlePainter::measure(const ParticlesView<double>&, std::int64_t);
template void ParticlePainter::draw(const ParticlesView<float>&, std::int64_t, Interval, const Color*, int, Canvases);
template void ParticlePainter::draw(const ParticlesView<double>&, std::int64_t, Interval, const Color*, int, Canvases);

}  // namespace simreel
