#pragma once
// A figure of panels as a golden: a scene of one frame. Its picture is drawn by simreel itself from the page that
// x.pdf and x.svg are written from, and the text of x.svg stands for them, but for the pictures in it, whose bytes
// depend on libdeflate.

#include <functional>

#include "golden/capture.h"
#include "scene/figure_file.h"

namespace simreel {

// What the checks of goldens look at of a scene: title, text, one frame, nothing that may differ.
Scene as_scene(const FigureFile&);

// Throws UsageError for a figure that cannot be drawn, and what scenes throw.
Capture capture_figure(const FigureFile&, const Executor&, const std::function<int()>& interrupted);

}  // namespace simreel
