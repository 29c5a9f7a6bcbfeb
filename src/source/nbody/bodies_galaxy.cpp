// A galaxy near equilibrium: an exponential disk, a bulge and a halo after Hernquist (1990, Astrophys. J. 356, 359),
// with velocities from the moments of the collisionless Boltzmann equation (Hernquist 1993, Astrophys. J. Suppl. 86,
// 389).

#include <algorithm>
#include <functional>
#include <vector>

#include "source/nbody/bodies.h"
#include "source/nbody/bodies_generate.h"
#include "source/nbody/disk_model.h"

namespace simreel {
namespace {

constexpr double pi = 3.14159265358979323846;

// Normal velocities whose fastest are left out have a smaller dispersion than before. This finds what to multiply it by
// beforehand, so that it is right in the end.
class Spread {
 public:
  // With b as the largest speed over the dispersion before: the square of the dispersion after over that before, along
  // one axis, is the integral of x^4 exp(-x^2 / 2) from 0 to b over three times that of x^2 exp(-x^2 / 2).
  Spread() {
    double fourth = 0, second = 0;
    for (int i = 0; i < 16 * 64; ++i) {
      const double middle = (i + 0.5) * step, square = middle * middle, part = square * exact::exp(-0.5 * square);
      second += part;
      fourth += part * square;
      const double b = (i + 1) * step;
      share_.push_back(std::sqrt(fourth / (3 * second)) / b);
    }
  }

  // `share` is the dispersion wanted, along one axis, over the largest speed.
  double operator()(double share) const {
    const auto place = std::ranges::lower_bound(share_, share, std::greater<>());
    if (place == share_.end()) return 1;
    const auto i = static_cast<double>(place - share_.begin());
    const double b = place == share_.begin() ? step : (i + (place[-1] - share) / (place[-1] - place[0])) * step;
    return std::max(1.0, 1 / (std::max(b, 1.0) * share));
  }

 private:
  static constexpr double step = 1.0 / 64;
  std::vector<double> share_;  // after, over the largest speed, at b = step, 2 step, ...; falls
};

// Everything here is in scale lengths of the disk, with a total mass of 1 and G = 1.
class GalaxyModel {
 public:
  explicit GalaxyModel(const BodiesOptions& o)
      : cut_(o.cut),
        softening2_(o.softening * o.softening / (o.radius * o.radius)),
        disk_(1 - o.bulge_mass - o.halo_mass),
        bulge_{o.bulge_mass, o.bulge_radius, {}, {}},
        halo_{o.halo_mass, o.halo_radius, {}, {}},
        height_(o.thickness * 1.1026577908435840),  // of sech^2, whose standard deviation is pi / sqrt(12)
        disk_square_(o.cut, softening2_ + o.thickness * o.thickness) {
    // From the cut inwards.
    depth_.assign(steps + 1, 1 / cut_);
    bulge_.pressure.assign(steps + 1, 0);
    halo_.pressure.assign(steps + 1, 0);
    for (int i = steps - 1; i >= 0; --i) {
      const double inner = radius_at(i), outer = radius_at(i + 1), middle = 0.5 * (inner + outer);
      const double pull = within(middle) * middle / cube(middle), part = pull * (outer - inner);
      depth_[at(i)] = depth_[at(i + 1)] + part;
      for (Sphere* s : {&bulge_, &halo_}) s->pressure[at(i)] = s->pressure[at(i + 1)] + part * s->density(middle);
    }
    const Spread spread;
    for (Sphere* s : {&bulge_, &halo_})
      for (int i = 0; i <= steps; ++i) {
        const double r = radius_at(i);
        s->spread.push_back(spread(std::sqrt(s->pressure[at(i)] / s->density(r)) / fastest(r)));
      }
    const double reference = 2.4;
    stray_ = o.toomre * 3.36 * surface_density(reference) / std::sqrt(epicycle_square(reference)) *
             exact::exp(0.5 * reference);
  }

  // A body of the disk, from random numbers; lengths and speeds in the units of this class.
  void in_disk(BodyRandom& random, Vec4<double>& q, Vec4<double>& v) const {
    const double r = disk_radius_of_share(disk_share_within(cut_) * random.unit(), cut_), turn = random.symmetric();
    const double cosine = exact::sinpi(turn + 0.5), sine = exact::sinpi(turn), level = 0.999 * random.symmetric();
    q = {r * cosine, r * sine, 0.5 * height_ * exact::log((1 + level) / (1 - level)), 0};
    const double circle = circular_square(r), ratio = epicycle_square(r) / (4 * circle / (r * r));
    const double escape = std::sqrt(2 * depth(r));
    const double along_r = std::min(stray_ * exact::exp(-0.5 * r), escape / 3), square = along_r * along_r;
    const double mean = std::sqrt(std::max(0.0, circle + square * (1 - ratio - 2 * r)));
    const double across = std::sqrt(pi * surface_density(r) * height_);
    do {
      const Vec4<double> n = random.normal();
      const double out = along_r * n.x, around = mean + std::sqrt(ratio) * along_r * n.y;
      v = {out * cosine - around * sine, out * sine + around * cosine, across * n.z, 0};
    } while (v.x * v.x + v.y * v.y + v.z * v.z > 0.9 * escape * escape);
  }

  void in_bulge(BodyRandom& random, Vec4<double>& q, Vec4<double>& v) const { in_sphere(bulge_, random, q, v); }
  void in_halo(BodyRandom& random, Vec4<double>& q, Vec4<double>& v) const { in_sphere(halo_, random, q, v); }

 private:
  static constexpr int steps = 1024;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  struct Sphere {
    double mass, radius;
    std::vector<double> pressure;  // density * dispersion^2, at the steps
    std::vector<double> spread;    // what the dispersion is multiplied by before speeds above `fastest` are left out

    double density(double r) const { return 1 / (r * (r + radius) * (r + radius) * (r + radius)); }
    double share_within(double r) const { return r * r / ((r + radius) * (r + radius)); }
  };

  // Steps are fine in the middle: r / (r + 1) grows evenly.
  double radius_at(int i) const {
    const double x = (i + 1e-3) / (steps + 1e-3) * cut_ / (cut_ + 1);
    return x / (1 - x);
  }
  double interpolated(const std::vector<double>& values, double r) const {
    const double place = r / (r + 1) * (cut_ + 1) / cut_ * (steps + 1e-3) - 1e-3;
    const int i = std::clamp(static_cast<int>(place), 0, steps - 1);
    return values[at(i)] + (values[at(i + 1)] - values[at(i)]) * std::clamp(place - i, 0.0, 1.0);
  }

  double cube(double r) const { return (r * r + softening2_) * std::sqrt(r * r + softening2_); }
  double spheres_within(double r) const {
    return bulge_.mass * bulge_.share_within(r) / bulge_.share_within(cut_) +
           halo_.mass * halo_.share_within(r) / halo_.share_within(cut_);
  }
  double within(double r) const { return disk_ * disk_share_within(r) / disk_share_within(cut_) + spheres_within(r); }
  double depth(double r) const { return interpolated(depth_, r); }      // minus the potential
  double fastest(double r) const { return std::sqrt(1.8 * depth(r)); }  // 95 % of the speed of escape

  double surface_density(double r) const { return disk_ * exact::exp(-r) / (2 * pi * disk_share_within(cut_)); }
  double circular_square(double r) const { return disk_ * disk_square_(r) + spheres_within(r) * r * r / cube(r); }
  // Between those of a point mass and of a homogeneous ball.
  double epicycle_square(double r) const {
    const double step = 0.05 + 0.02 * r, low = std::max(0.5 * r, r - step), high = r + step;
    const auto turns = [&](double radius) { return circular_square(radius) / (radius * radius); };
    const double here = turns(r), slope = (turns(high) - turns(low)) / (high - low);
    return std::clamp(4 * here + r * slope, here, 4 * here);
  }

  void in_sphere(const Sphere& sphere, BodyRandom& random, Vec4<double>& q, Vec4<double>& v) const {
    const double root = std::sqrt(sphere.share_within(cut_) * random.unit());
    const double r = std::max(1e-6, sphere.radius * root / (1 - root));
    q = random.on_sphere(r);
    // Pressure falls with the radius as the density does, so that it is divided where it was found.
    const double sigma = std::sqrt(interpolated(sphere.pressure, r) / sphere.density(r));
    const double spread = sigma * interpolated(sphere.spread, r), limit = fastest(r);
    do {
      const Vec4<double> n = random.normal();
      v = {spread * n.x, spread * n.y, spread * n.z, 0};
    } while (v.x * v.x + v.y * v.y + v.z * v.z > limit * limit);
  }

  double cut_, softening2_, disk_;
  Sphere bulge_, halo_;
  double height_;
  DiskSpeeds disk_square_;
  std::vector<double> depth_;
  double stray_ = 0;  // dispersion of radial speeds in the middle of the disk
};

}  // namespace

Bodies galaxy_bodies(const Executor& executor, const BodiesOptions& o, std::int64_t first) {
  const GalaxyModel model(o);
  // Bodies of all parts have about the same mass.
  const auto share = [&](double mass) {
    return static_cast<std::int64_t>(std::floor(mass * static_cast<double>(o.count) + 0.5));
  };
  const std::int64_t bulge = share(o.bulge_mass), halo = std::min(share(o.halo_mass), o.count - bulge);
  const std::int64_t disk = o.count - bulge - halo;
  const double pace = std::sqrt(o.gravity * o.mass / o.radius);
  Bodies bodies = generate_bodies(executor, o.count, [&](std::int64_t i) {
    BodyRandom random(o.seed, static_cast<std::uint64_t>(first + i));
    Vec4<double> q, v;
    int group = 0;
    double mass = 0;
    if (i < disk) {
      model.in_disk(random, q, v);
      group = 1;
      mass = (1 - o.bulge_mass - o.halo_mass) / static_cast<double>(disk);
    } else if (i < disk + bulge) {
      model.in_bulge(random, q, v);
      group = 2;
      mass = o.bulge_mass / static_cast<double>(bulge);
    } else {
      model.in_halo(random, q, v);
      mass = o.halo_mass / static_cast<double>(halo);
    }
    return Body{{q.x * o.radius, q.y * o.radius, q.z * o.radius, mass * o.mass},
                {v.x * pace, v.y * pace, v.z * pace, 0},
                group};
  });
  center_bodies(bodies);
  return bodies;
}

}  // namespace simreel
