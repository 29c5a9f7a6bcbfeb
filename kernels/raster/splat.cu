#include "kernels/raster/splat.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/math.h"
#include "kernels/raster/field_color.h"
#include "kernels/raster/splat_dab.h"
#ifdef __CUDACC__
#include "kernels/raster/splat_gaussian.cuh"
#include "kernels/raster/splat_tuned.cuh"
#endif

namespace simreel {

namespace {

constexpr int max_points = 4096;     // along the segment of a trail between two frames
constexpr double longest_point = 4;  // spacings that a point represents at most
constexpr double fresh_trail = 0.5;  // brightness of the fresh end of a trail, relative to its body

// The smallest k with n <= 2^k, n >= 1/2.
int bits_of(double n) {
  int k = 0;
  return std::frexp(n, &k) == 0.5 ? k - 1 : k;
}

}  // namespace

double light_quanta(double total, BodyField field, int segments) {
  // One pixel may get the light of all bodies and of their trails, times the places. A segment of a trail, a cubic
  // curve, adds at most the light of 18 bodies: seen through a lens the curve turns back at most four times in each
  // direction, so its length within the four pixels around one is at most 9 * 4 pixels, at half the brightness of a
  // body.
  constexpr double max_of_step = 18;
  int bits = 63 - bits_of(1 + max_of_step * segments);
  if (field != BodyField::density) bits -= bits_of(max_place);
  bits -= 1;  // for weights that are rounded up
  if (!(total > 0)) return 1;
  int exponent = 0;
  std::frexp(total, &exponent);  // total < 2^exponent
  return std::ldexp(1.0, std::clamp(bits - exponent, -1000, 1000));
}

namespace {

HD inline double place_of(const PlaceScale& scale, double value) {
  const double t = (curve_at(scale.curve, scale.linear_width, value) - scale.start) * scale.factor;
  return (t > 0 ? t < 1 ? t : 1.0 : 0.0) * max_place;
}

HD inline std::uint64_t rounded_place(double place) {
  return static_cast<std::uint64_t>(static_cast<int>(place + 0.5));
}

template <class Real, SplatShape shape, bool colored>
struct SplatBody {
  ParticlesView<Real> bodies;
  SplatParams p;

  // False for a body that is not visible.
  HD bool look(std::int64_t i, Dab& dab) const {
    const Vec4<Real> body = bodies.position[i];
    const ScreenPoint at =
        p.lens(static_cast<double>(body.x), static_cast<double>(body.y), static_cast<double>(body.z));
    if (!at.visible()) return false;
    const double mass = static_cast<double>(body.w), size = size_of(p, mass);
    dab = {at.x, at.y, size * (p.world_radius ? p.radius * at.scale : p.radius),
           light_of(weight_of(p, mass, size), p.quanta), 0};
    if constexpr (colored) {
      const Vec4<Real> velocity = p.field == BodyField::speed ? bodies.velocity[i] : Vec4<Real>{};
      dab.place =
          rounded_place(place_of(p.place, body_value(p.field, body, velocity, bodies.group ? bodies.group[i] : 0)));
    }
    return true;
  }
  HD void operator()(std::int64_t i, SumsTarget target) const {
    if (Dab dab; look(i, dab)) put<shape>(LightCanvas<colored>{target, p.size}, dab);
  }
};

// A cubic on [0, 1], given by the values and slopes at its ends.
struct Cubic {
  double a, b, c, d;

  HD Cubic(double from, double slope_from, double to, double slope_to)
      : a(2 * (from - to) + slope_from + slope_to),
        b(3 * (to - from) - 2 * slope_from - slope_to),
        c(slope_from),
        d(from) {}
  HD double operator()(double t) const { return std::fma(std::fma(std::fma(a, t, b), t, c), t, d); }
};

// The path of a body from one frame to the next.
struct Segment {
  Cubic x, y, z;
  double weight, size;
  int age;      // of its newer end, in frames
  double step;  // from one point to the next; the whole is 1
  double place_from = 0, place_to = 0;
};

template <SplatShape shape, bool colored>
struct SplatTrail {
  TrailView trail;
  SplatParams p;

  HD std::size_t entry(int age) const {
    const int index = trail.newest - age;
    return static_cast<std::size_t>(index < 0 ? index + trail.entries : index) * trail.count;
  }

  HD std::size_t body_of(std::int64_t i) const { return static_cast<std::size_t>(i) % trail.count; }
  // Of the newer end of a segment, in frames.
  HD int age_of(std::int64_t i) const { return static_cast<int>(static_cast<std::size_t>(i) / trail.count); }

  // The number of points for the segment, from the control polygon of the curve, which is never shorter and whose
  // convex hull contains the curve; 0 if none of it is in the picture.
  HD int points(std::int64_t i) const {
    const std::size_t old_entry = entry(age_of(i) + 1) + body_of(i), new_entry = entry(age_of(i)) + body_of(i);
    const Vec4<float> from = trail.position[old_entry], to = trail.position[new_entry];
    const Vec4<float> slope_from = trail.velocity[old_entry], slope_to = trail.velocity[new_entry];
    const double third = trail.interval[age_of(i)] / 3;
    const ScreenPoint corner[4] = {
        p.lens(from.x, from.y, from.z),
        p.lens(std::fma(third, static_cast<double>(slope_from.x), static_cast<double>(from.x)),
               std::fma(third, static_cast<double>(slope_from.y), static_cast<double>(from.y)),
               std::fma(third, static_cast<double>(slope_from.z), static_cast<double>(from.z))),
        p.lens(std::fma(-third, static_cast<double>(slope_to.x), static_cast<double>(to.x)),
               std::fma(-third, static_cast<double>(slope_to.y), static_cast<double>(to.y)),
               std::fma(-third, static_cast<double>(slope_to.z), static_cast<double>(to.z))),
        p.lens(to.x, to.y, to.z)};
    int visible = 0;
    for (const ScreenPoint& point : corner) visible += point.visible();
    if (visible == 0) return 0;
    if (visible < 4) return max_points / 8;  // it passes the camera, so the polygon tells nothing
    double low_x = corner[0].x, high_x = low_x, low_y = corner[0].y, high_y = low_y, longest = 0;
    for (int k = 0; k < 4; ++k) {
      low_x = std::fmin(low_x, corner[k].x), high_x = std::fmax(high_x, corner[k].x);
      low_y = std::fmin(low_y, corner[k].y), high_y = std::fmax(high_y, corner[k].y);
      if (k == 0) continue;
      const double dx = corner[k].x - corner[k - 1].x, dy = corner[k].y - corner[k - 1].y;
      longest = std::fmax(longest, std::sqrt(std::fma(dx, dx, dy * dy)));
    }
    const double margin = 3 * max_gaussian_radius;
    if (!(high_x > -margin && low_x < p.size.width + margin && high_y > -margin && low_y < p.size.height + margin))
      return 0;
    double scale = corner[0].scale;  // where the curve is farthest, so where its dabs are smallest
    for (const ScreenPoint& point : corner) scale = std::fmin(scale, point.scale);
    // The speed along the curve is at most three times the longest side.
    const double wanted = std::fma(3 / spacing(radius(wide(size_of(p, to.w), scale))), longest, 1.0);
    return wanted < max_points ? static_cast<int>(wanted) : max_points;
  }

  HD double place_at(const Vec4<float>& position, const Vec4<float>& velocity, std::size_t body) const {
    if (p.field == BodyField::speed && velocity.w > 0) return place_of(p.place, static_cast<double>(velocity.w));
    return place_of(p.place, body_value(p.field, position, velocity, trail.group ? trail.group[body] : 0));
  }

  // A segment with `count` points, count > 0.
  HD Segment segment(std::int64_t i, int count) const {
    const std::size_t body = body_of(i), old_entry = entry(age_of(i) + 1) + body, new_entry = entry(age_of(i)) + body;
    const Vec4<float> from = trail.position[old_entry], to = trail.position[new_entry];
    const Vec4<float> slope_from = trail.velocity[old_entry], slope_to = trail.velocity[new_entry];
    const double h = trail.interval[age_of(i)];
    Segment s{.x = {from.x, h * static_cast<double>(slope_from.x), to.x, h * static_cast<double>(slope_to.x)},
              .y = {from.y, h * static_cast<double>(slope_from.y), to.y, h * static_cast<double>(slope_to.y)},
              .z = {from.z, h * static_cast<double>(slope_from.z), to.z, h * static_cast<double>(slope_to.z)},
              .weight = 0,
              .size = size_of(p, to.w),
              .age = age_of(i),
              .step = 1.0 / count};
    s.weight = weight_of(p, to.w, s.size);
    if constexpr (colored) s.place_from = place_at(from, slope_from, body), s.place_to = place_at(to, slope_to, body);
    return s;
  }

  // Of a body, in pixels, and of the dabs of its trail: half as wide.
  HD double wide(double size, double scale) const {
    const double whole = size * (p.world_radius ? p.radius * scale : p.radius);
    return std::fmin(std::fmax(whole, min_gaussian_radius), max_gaussian_radius);
  }
  HD static double radius(double wide) { return std::fmax(0.5 * wide, min_gaussian_radius); }
  // Of points, in pixels. A row of Gaussians at two thirds of their radius is even to 2 exp(-9 pi^2 / 4) = 5e-10.
  HD static double spacing(double radius) { return shape == SplatShape::gaussian ? 2 * radius / 3 : 0.5; }

  HD ScreenPoint screen(const Segment& s, int k) const {
    const double t = k * s.step;
    return p.lens(s.x(t), s.y(t), s.z(t));
  }

  // The light between point k - 1 of a segment, at `last`, and point k, at `here`. False if it is not visible.
  HD bool look(const Segment& s, int k, const ScreenPoint& last, const ScreenPoint& here, Dab& dab) const {
    if (!here.visible() || !last.visible()) return false;
    const double middle = (k - 0.5) * s.step, life = 1.0 / (trail.entries - 1);
    const double dx = here.x - last.x, dy = here.y - last.y;
    const double body = wide(s.size, here.scale), own = radius(body);
    const double length = std::fmin(std::sqrt(std::fma(dx, dx, dy * dy)), longest_point * spacing(own));
    const double left = 1 - (s.age + 1 - middle) * life;
    double light = fresh_trail * length * left * left;
    // In the middle, a line of radius r has 1 / (sqrt(pi) r) of its light per pixel, a body of radius R has
    // 1 / (pi R^2).
    if constexpr (shape == SplatShape::gaussian) light *= 0.56418958354775628 * own / (body * body);
    dab = {0.5 * (last.x + here.x), 0.5 * (last.y + here.y), own, light_of(s.weight * light, p.quanta),
           colored ? rounded_place(std::fma(middle, s.place_to - s.place_from, s.place_from)) : 0};
    return true;
  }
  // Point k alone.
  HD bool look(std::int64_t i, int count, int k, Dab& dab) const {
    const Segment s = segment(i, count);
    return look(s, k, screen(s, k - 1), screen(s, k), dab);
  }

  HD void operator()(std::int64_t i, SumsTarget target) const {
    const int count = points(i);
    if (count == 0) return;
    const Segment s = segment(i, count);
    const LightCanvas<colored> canvas{target, p.size};
    ScreenPoint last = screen(s, 0);
    for (int k = 1; k <= count; ++k) {
      const ScreenPoint here = screen(s, k);
      if (Dab dab; look(s, k, last, here, dab)) put<shape>(canvas, dab);
      last = here;
    }
  }
};

// Calls launch<shape, colored>() for the shape and field of `p`.
template <class Launch>
void choose_shape(const SplatParams& p, const Launch& launch) {
  const auto choose = [&]<bool colored>() {
    switch (p.shape) {
      case SplatShape::pixel: return launch.template operator()<SplatShape::pixel, colored>();
      case SplatShape::bilinear: return launch.template operator()<SplatShape::bilinear, colored>();
      case SplatShape::gaussian: return launch.template operator()<SplatShape::gaussian, colored>();
    }
  };
  p.field == BodyField::density ? choose.template operator()<false>() : choose.template operator()<true>();
}

template <class Real>
struct KeepEntry {
  ParticlesView<Real> bodies;
  Vec4<float>*position, *velocity;
  MovingFrame frame;

  HD static Vec4<float> rounded(const Vec4<Real>& v, const Vec4<double>& from) {
    return {static_cast<float>(static_cast<double>(v.x) - from.x),
            static_cast<float>(static_cast<double>(v.y) - from.y),
            static_cast<float>(static_cast<double>(v.z) - from.z), static_cast<float>(v.w)};
  }
  HD void operator()(int i, int) const {
    position[i] = rounded(bodies.position[i], frame.origin);
    velocity[i] = rounded(bodies.velocity[i], frame.velocity);
    if (!frame.moves) return;
    const double speed = body_value(BodyField::speed, bodies.position[i], bodies.velocity[i], 0);
    velocity[i].w = std::fmax(static_cast<float>(speed), std::numeric_limits<float>::min());
  }
};

}  // namespace

template <class Real>
void splat_bodies(const Executor& executor, const ParticlesView<Real>& bodies, const SplatParams& p,
                  const PixelSums& sums) {
  choose_shape(p, [&]<SplatShape shape, bool colored>() {
    const SplatBody<Real, shape, colored> body{bodies, p};
    const auto count = static_cast<std::int64_t>(bodies.count);
#ifdef __CUDACC__
    if (executor.backend() == Backend::cuda) {
      if constexpr (shape == SplatShape::gaussian) return splat_gaussians<colored>(executor, count, sums, body);
      if constexpr (shape == SplatShape::bilinear)
        if (splat_many<colored>(executor, count, sums, body)) return;
    }
#endif
    scatter(executor, "splat bodies", count, sums, body);
  });
}

void splat_trails(const Executor& executor, const TrailView& trail, const SplatParams& p, const PixelSums& sums) {
  choose_shape(p, [&]<SplatShape shape, bool colored>() {
    const auto count = static_cast<std::int64_t>(trail.count) * trail.segments;
    const SplatTrail<shape, colored> segments{trail, p};
#ifdef __CUDACC__
    if constexpr (shape == SplatShape::gaussian)
      if (executor.backend() == Backend::cuda) return splat_gaussian_trails<colored>(executor, count, sums, segments);
#endif
    scatter(executor, "splat trails", count, sums, segments);
  });
}

template <class Real>
void keep_entry(const Executor& executor, const ParticlesView<Real>& bodies, int entry, Vec4<float>* position,
                Vec4<float>* velocity, const MovingFrame& frame) {
  const std::size_t start = static_cast<std::size_t>(entry) * bodies.count;
  parallel_for(executor, "keep where bodies are", {static_cast<int>(bodies.count), 1},
               KeepEntry<Real>{bodies, position + start, velocity + start, frame});
}

template void splat_bodies(const Executor&, const ParticlesView<float>&, const SplatParams&, const PixelSums&);
template void splat_bodies(const Executor&, const ParticlesView<double>&, const SplatParams&, const PixelSums&);
template void keep_entry(const Executor&, const ParticlesView<float>&, int, Vec4<float>*, Vec4<float>*,
                         const MovingFrame&);
template void keep_entry(const Executor&, const ParticlesView<double>&, int, Vec4<float>*, Vec4<float>*,
                         const MovingFrame&);

}  // namespace simreel
