#include "source/nbody/disk_model.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/math.h"

namespace simreel {
namespace {

constexpr int rings = 256;
std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The acceleration over G, towards the centre, of a point in the plane of a ring of mass 1 and radius `ring` at
// distance r from the centre, with softened distances (Lass and Blitzer 1983, Celestial Mechanics 30, 225, with the
// softening as the height above the plane). The complete elliptic integrals K and E are computed by the
// arithmetic-geometric mean (Abramowitz and Stegun 1964, 17.6).
double ring_pull(double r, double ring, double softening2) {
  const double far2 = (r + ring) * (r + ring) + softening2, near2 = (r - ring) * (r - ring) + softening2;
  double a = 1, b = std::sqrt(near2 / far2), weight = 0.5, lost = weight * (1 - b * b);
  while (a - b > 1e-14 * a) {
    const double difference = 0.5 * (a - b), root = std::sqrt(a * b);
    a = 0.5 * (a + b);
    b = root;
    weight *= 2;
    lost += weight * difference * difference;
  }
  // K = pi / (2 a) and E = K (1 - lost).
  return (1 - (ring * ring - r * r + softening2) / near2 * (1 - lost)) / (2 * a * r * std::sqrt(far2));
}

}  // namespace

double disk_share_within(double r) { return 1 - (1 + r) * exact::exp(-r); }

// By bisection, which gives the same number on every machine.
double disk_radius_of_share(double share, double cut) {
  double low = 0, high = cut;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (disk_share_within(middle) < share ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

DiskSpeeds::DiskSpeeds(double cut, double softening2)
    : step_(std::min(cut, 20.0) / rings), softening2_(std::max(softening2, step_ * step_)), square_(rings + 1, 0.0) {
  const double inside = disk_share_within(rings * step_);
  std::vector<double> mass(rings);
  for (int k = 0; k < rings; ++k)
    mass[at(k)] = (disk_share_within((k + 1) * step_) - disk_share_within(k * step_)) / inside;
  for (int i = 1; i <= rings; ++i) {
    double pull = 0;
    for (int k = 0; k < rings; ++k) pull += mass[at(k)] * ring_pull(i * step_, (k + 0.5) * step_, softening2_);
    square_[at(i)] = std::max(0.0, pull * i * step_);
  }
}

double DiskSpeeds::operator()(double r) const {
  const double place = r / step_;
  if (place >= rings) return square_.back() * rings / place;  // nearly a point mass from there on
  const int i = static_cast<int>(place);
  return square_[at(i)] + (square_[at(i + 1)] - square_[at(i)]) * (place - i);
}

}  // namespace simreel
