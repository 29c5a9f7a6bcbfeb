#pragma once

namespace simreel {

// The part of a pass that a call submits. On a GPU a pass may be cut in two: inner tiles, whose results depend on
// nothing of a rank's halo, are computed while it is exchanged, the outer ones afterwards.
enum class Share { all, inner, outer };

}  // namespace simreel
