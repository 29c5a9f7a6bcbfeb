// Bodies that no picture shows: what a run says about them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "raster/bodies/particle_painter.h"

namespace simreel {
namespace {

// Where the bodies are, seen from the camera.
struct Whereabouts {
  std::array<double, 3> low, high;
  bool any = false;  // has finite coordinates
  bool in_picture = false;

  double middle(std::size_t axis) const { return (low[axis] + high[axis]) / 2; }
  double reach() const { return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) / 2; }
};

template <class Real>
Whereabouts whereabouts(const Executor& executor, const ParticlesView<Real>& bodies, const Lens& lens, Size size) {
  std::vector<Vec4<Real>> positions(bodies.count);
  executor.copy(positions.data(), bodies.position, bodies.count * sizeof(Vec4<Real>));
  constexpr double max = std::numeric_limits<double>::max();
  Whereabouts w{{max, max, max}, {-max, -max, -max}};
  for (const Vec4<Real>& position : positions) {
    const std::array<double, 3> at = {position.x, position.y, position.z};
    if (!std::ranges::all_of(at, [](double x) { return std::isfinite(x); })) continue;
    w.any = true;
    for (std::size_t i = 0; i < 3; ++i) {
      w.low[i] = std::min(w.low[i], at[i]);
      w.high[i] = std::max(w.high[i], at[i]);
    }
    const ScreenPoint point = lens(at[0], at[1], at[2]);
    w.in_picture |= point.visible() && point.x >= 0 && point.y >= 0 && point.x < size.width && point.y < size.height;
  }
  return w;
}

std::string as_toml(const std::array<double, 3>& v) {
  return fmt::format("[{:.4g}, {:.4g}, {:.4g}]", v[0], v[1], v[2]);
}

// Keys of [camera] with which all bodies are in the picture, looking along the same direction.
std::string better_camera(const Whereabouts& w, const CameraPose& pose, bool perspective, Size size) {
  std::array<double, 3> arm{}, target{}, position{};
  for (std::size_t i = 0; i < 3; ++i) {
    arm[i] = pose.position[i] - pose.target[i];
    target[i] = w.middle(i);
  }
  const double narrow = std::min(1.0, static_cast<double>(size.width) / size.height);
  const double reach = std::max(w.reach() * 1.1 / narrow, 1e-3);
  const double sine = std::sin(pose.fov / 2 * std::acos(-1.0) / 180);
  const double distance = (perspective ? reach / sine : 2 * reach) / std::hypot(arm[0], arm[1], arm[2]);
  for (std::size_t i = 0; i < 3; ++i) position[i] = target[i] + arm[i] * distance;
  return fmt::format("position = {}, target = {}{}", as_toml(position), as_toml(target),
                     perspective ? "" : fmt::format(", extent = {:.4g}", reach));
}

}  // namespace

template <class Real>
std::optional<std::string> ParticlePainter::unseen(const ParticlesView<Real>& bodies, std::int64_t frame) {
  if (fits_all_frames() && !reach_) return {};  // not known yet
  weigh(bodies);
  SplatParams p = params(bodies, frame, {0, 1});
  // The centre of a body in the picture is found soonest; only without one the rims of wide splats matter.
  for (const SplatShape shape : {SplatShape::pixel, p.shape}) {
    p.shape = shape;
    splat_bodies(executor_, bodies, p, sums_);
    const bool lit = quantile_bin(count_light(executor_, sums_, known_.quanta, scratch_.data()), 1) >= 0;
    light_.clear();
    if (lit) return {};
  }

  const std::string which = frame == 0                             ? "the first frame"
                            : frame + 1 == stage_.animation.frames ? "the last frame"
                                                                   : fmt::format("frame {}", frame);
  const Whereabouts w = whereabouts(executor_, bodies, p.lens, view_.size);
  const std::string place = stage_.camera.position.before();
  if (!w.any) return fmt::format("{}no body is in the picture of {}: no position is a number", place, which);
  if (w.in_picture)
    return fmt::format(
        "{}no body is seen in the picture of {}: those that are in it have too little mass to give "
        "light; weight = \"one\" in [view] gives each the same",
        place, which);
  return fmt::format(
      "{}no body is in the picture of {}: they lie within {:.4g} of {}; {} in [camera] shows all of them", place, which,
      w.reach(), as_toml({w.middle(0), w.middle(1), w.middle(2)}),
      stage_.camera.follow
          ? "fit = \"all\""
          : better_camera(w, camera_.pose(frame), stage_.camera.projection == Projection::perspective, view_.size));
}

template std::optional<std::string> ParticlePainter::unseen(const ParticlesView<float>&, std::int64_t);
template std::optional<std::string> ParticlePainter::unseen(const ParticlesView<double>&, std::int64_t);

}  // namespace simreel
