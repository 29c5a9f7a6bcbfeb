#pragma once
// An exponential disk: its mass, and the speeds of circles in it.

#include <vector>

namespace simreel {

// The share of the mass of an exponential disk within r scale lengths: 1 - (1 + r) exp(-r).
double disk_share_within(double r);

// Its inverse, up to `cut`.
double disk_radius_of_share(double share, double cut);

// Squares of the circular speeds in the plane of an exponential disk of mass 1 and scale length 1, G = 1. The disk is a
// sum of rings; its thickness is treated as softening, which gives the force of its bodies to within 3 %.
class DiskSpeeds {
 public:
  DiskSpeeds(double cut, double softening2);

  double operator()(double r) const;

 private:
  double step_, softening2_;
  std::vector<double> square_;  // at 0, step, 2 step, ...
};

}  // namespace simreel
