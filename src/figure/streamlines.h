#pragma once
// Streamlines of a field of vectors, found on the host: the same bits on every machine, + - * / and sqrt only.

#include "figure/lines.h"

namespace simreel {

// Lines along the flow, about evenly spaced with some `across` along the longer side, each with an arrow
// head in its middle. A lattice of squares keeps them apart, as in matplotlib's streamplot: a line ends where it would
// enter a square that another one or an earlier part of itself has passed, at a solid cell, at the edge and where
// nothing moves. `place` is where the field is drawn.
inline constexpr int streamlines_across = 32;
Strokes streamlines_of(const HostField& x, const HostField& y, const Rectangle& place,
                       double across = streamlines_across);

}  // namespace simreel
