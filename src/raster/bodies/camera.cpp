#include "raster/bodies/camera.h"

#include <cmath>

#include "base/error.h"
#include "kernels/base/math.h"

namespace simreel {
namespace {

using Vector = std::array<double, 3>;

constexpr std::size_t components = 12;  // of a pose: position, target, up, fov, extent, orbit

std::array<double, components> flat(const CameraPose& p) {
  return {p.position[0], p.position[1], p.position[2], p.target[0], p.target[1], p.target[2],
          p.up[0],       p.up[1],       p.up[2],       p.fov,       p.extent,    p.orbit};
}

// Steffen's slopes, limited such that the cubic between two keys stays within the interval of their values.
std::vector<double> slopes_of(const std::vector<double>& times, const std::vector<double>& values) {
  std::vector<double> slopes(values.size(), 0.0);
  for (std::size_t i = 1; i + 1 < values.size(); ++i) {
    const double before = times[i] - times[i - 1], after = times[i + 1] - times[i];
    const double from = (values[i] - values[i - 1]) / before, to = (values[i + 1] - values[i]) / after;
    const double parabola = (from * after + to * before) / (before + after);
    if (from * to <= 0) continue;
    slopes[i] = std::copysign(2.0, from) * std::min({std::fabs(from), std::fabs(to), 0.5 * std::fabs(parabola)});
  }
  return slopes;
}

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
// Scaled by the largest component first, so that no square can overflow or underflow.
Vector normalized(Vector v) {
  const double largest = std::max({std::fabs(v[0]), std::fabs(v[1]), std::fabs(v[2])});
  for (double& x : v) x /= largest;
  const double length = std::sqrt(dot(v, v));
  for (double& x : v) x /= length;
  return v;
}

double sine(double degrees) { return exact::sinpi(degrees / 180); }
double cosine(double degrees) { return exact::sinpi(degrees / 180 + 0.5); }

// `v` turned around `axis` of length 1, counterclockwise as seen from its tip (Rodrigues' formula).
Vector turned(const Vector& v, const Vector& axis, double degrees) {
  const double s = sine(degrees), c = cosine(degrees), along = dot(axis, v) * (1 - c);
  const Vector side = cross(axis, v);
  return {v[0] * c + side[0] * s + axis[0] * along, v[1] * c + side[1] * s + axis[1] * along,
          v[2] * c + side[2] * s + axis[2] * along};
}

// What points to the right, upwards and forwards in the picture.
struct Axes {
  Vector right, up, forward;

  explicit Axes(const CameraPose& p)
      : forward(normalized({p.target[0] - p.position[0], p.target[1] - p.position[1], p.target[2] - p.position[2]})) {
    right = normalized(cross(forward, normalized(p.up)));
    up = cross(right, forward);
  }
};

constexpr double filled = 0.9;  // share of the picture's width or height, by bodies that a camera is fitted to

// Half the width and half the height of what is seen at a distance of 1 in perspective; of the part that is filled.
std::array<double, 2> slopes(const CameraPose& p, Size size) {
  const double upwards = filled * sine(p.fov / 2) / cosine(p.fov / 2);
  return {upwards * size.width / size.height, upwards};
}

}  // namespace

// In perspective a body is in the picture if it is inwards of the four planes through the camera and the picture's
// sides; in an orthographic one, of four planes along the view. The last two directions find the depth.
Directions directions_of(const CameraPose& pose, Projection projection, Size size) {
  const Axes axes(pose);
  const std::array<double, 2> slope =
      projection == Projection::perspective ? slopes(pose, size) : std::array<double, 2>{};
  Directions directions{};
  const auto set = [&](std::size_t index, const Vector& along, double sign, double forwards) {
    const auto part = [&](std::size_t i) { return sign * along[i] + forwards * axes.forward[i]; };
    directions.normals[index] = {part(0), part(1), part(2), 0};
  };
  set(0, axes.right, 1, slope[0]);
  set(1, axes.right, -1, slope[0]);
  set(2, axes.up, 1, slope[1]);
  set(3, axes.up, -1, slope[1]);
  set(4, axes.forward, 1, 0);
  set(5, axes.forward, -1, 0);
  return directions;
}

CameraPose fitted(const CameraPose& pose, Projection projection, Size size, const Reach& reach, bool aimed) {
  if (!std::ranges::all_of(reach, [](double least) { return std::isfinite(least); })) return pose;
  const Axes axes(pose);
  CameraPose result = pose;
  const Vector arm = {pose.target[0] - pose.position[0], pose.target[1] - pose.position[1],
                      pose.target[2] - pose.position[2]};
  double distance = std::sqrt(dot(arm, arm));
  double across = (reach[0] - reach[1]) / 2, upwards = (reach[2] - reach[3]) / 2;
  const double near = reach[4], far = -reach[5];
  double middle = (near + far) / 2, wide = -(reach[0] + reach[1]) / 2, high = -(reach[2] + reach[3]) / 2;
  if (aimed) {
    across = dot(axes.right, pose.target), upwards = dot(axes.up, pose.target);
    middle = dot(axes.forward, pose.target);
    wide = std::max(across - reach[0], -across - reach[1]), high = std::max(upwards - reach[2], -upwards - reach[3]);
  }
  if (projection == Projection::perspective) {
    const std::array<double, 2> slope = slopes(pose, size);
    const double before = std::min(-wide / slope[0], -high / slope[1]);
    const double from = std::min(before, near - 0.05 * (far - near));
    if (middle - from > 1e-9 * (std::fabs(middle) + std::fabs(from))) distance = middle - from;
  } else {
    if (const double half = std::max(wide * size.height / size.width, high); half > 0) result.extent = half / filled;
    distance = std::max(distance, aimed ? 2 * (middle - near) : far - near);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    result.target[i] = axes.right[i] * across + axes.up[i] * upwards + axes.forward[i] * middle;
    result.position[i] = result.target[i] - axes.forward[i] * distance;
  }
  return result;
}

CameraPath::CameraPath(const CameraOptions& options, const AnimationOptions& animation)
    : projection_(options.projection),
      fps_(animation.fps()),
      frames_(static_cast<double>(animation.frames)),
      values_(components),
      slopes_(components) {
  const auto add = [&](double time, const CameraPose& pose) {
    times_.push_back(time);
    const auto numbers = flat(pose);
    for (std::size_t i = 0; i < components; ++i) values_[i].push_back(numbers[i]);
  };
  if (options.keys.empty() || options.keys.front().time > 0) add(0, options.pose);
  for (const CameraKey& key : options.keys) add(key.time, key.pose);
  for (std::size_t i = 0; i < components; ++i) slopes_[i] = slopes_of(times_, values_[i]);

  // Without keys there is one pose, which was checked when it was read; turning it around `up` changes no angle.
  if (options.keys.empty()) return;
  const double moving = std::min(std::ceil(times_.back() * fps_) + 1, frames_);  // then it rests
  any_frame(0, static_cast<std::int64_t>(moving), most_frames, [&](std::int64_t frame) {
    const CameraPose pose = this->pose(frame);
    if (pose.position == pose.target || looks_along_up(pose))
      throw UsageError(
          "{}between its key frames the camera {} at frame {} ({:.4g} s); add a [[camera.key]] that leads around it",
          options.position.before(),
          pose.position == pose.target ? "meets its target" : "looks along its own up direction", frame,
          static_cast<double>(frame) / fps_);
    return false;
  });
}

double CameraPath::value(std::size_t component, double seconds) const {
  const std::vector<double>&values = values_[component], &slopes = slopes_[component];
  const auto after = std::ranges::upper_bound(times_, seconds);
  if (after == times_.begin()) return values.front();
  if (after == times_.end()) return values.back();
  const auto i = static_cast<std::size_t>(after - times_.begin()) - 1;
  const double h = times_[i + 1] - times_[i], t = seconds - times_[i];
  const double mean = (values[i + 1] - values[i]) / h;
  const double a = (slopes[i] + slopes[i + 1] - 2 * mean) / (h * h);
  const double b = (3 * mean - 2 * slopes[i] - slopes[i + 1]) / h;
  return ((a * t + b) * t + slopes[i]) * t + values[i];
}

CameraPose CameraPath::pose(std::int64_t frame) const {
  const double seconds = static_cast<double>(frame) / fps_;
  std::array<double, components> v{};
  for (std::size_t i = 0; i < components; ++i) v[i] = value(i, seconds);
  CameraPose pose{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}, v[9], v[10], 0};
  const double angle = v[11] * (static_cast<double>(frame) / frames_);
  if (angle != 0 && pose.up != Vector{}) {
    Vector arm = {v[0] - v[3], v[1] - v[4], v[2] - v[5]};
    arm = turned(arm, normalized(pose.up), angle);
    for (std::size_t i = 0; i < 3; ++i) pose.position[i] = pose.target[i] + arm[i];
  }
  return pose;
}

Lens CameraPath::lens(std::int64_t frame, Size size, const Vec4<double>& origin) const {
  const CameraPose p = pose(frame);
  const auto [right, up, forward] = Axes(p);
  const Vector from = {origin.x, origin.y, origin.z};
  Lens lens;
  for (std::size_t i = 0; i < 3; ++i) {
    lens.origin[i] = p.position[i] + from[i];
    lens.right[i] = right[i];
    lens.up[i] = up[i];
    lens.forward[i] = forward[i];
  }
  const double half_height = 0.5 * size.height;
  lens.perspective = projection_ == Projection::perspective;
  lens.scale = lens.perspective ? half_height * cosine(p.fov / 2) / sine(p.fov / 2) : half_height / p.extent;
  lens.centre_x = 0.5 * size.width;
  lens.centre_y = half_height;
  return lens;
}

}  // namespace simreel
