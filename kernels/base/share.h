#pragma once

namespace simreel {

// The part of a pass that a call submits. On a GPU a pass may be cut in two: inner tiles read nothing of a rank's halo
// and are computed while it is exchanged, the outer ones afterwards.
enum class Share { all, inner, outer };

}  // namespace simreel
