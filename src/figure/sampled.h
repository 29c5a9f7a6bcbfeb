#pragma once
// What lines over a field share.

#include "figure/lines.h"

namespace simreel {

// The bilinear value at a place in cells, whose centres are at integers + 0.5; NaN beside solid cells.
double sampled(const HostField&, double x, double y);

// A place in pixels in units of a Path.
Path::Point path_point(double x, double y);

}  // namespace simreel
