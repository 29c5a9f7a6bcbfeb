#pragma once
// A figure of a field, whose options a test changes.

#include "base/error.h"
#include "figure/layout.h"
#include "tests/support/test.h"

namespace simreel::test {

struct Scenery {
  ViewOptions view;
  DrawContext stage;
  ColorAxis colors;

  Scenery() {
    view.size = {640, 360};
    view.range = RangeMode::first;
    stage.interval = 0.5;
    stage.animation.frames = 100;
    stage.animation.steps_per_frame = 10;
    stage.figure.options.given = true;
    stage.figure.field = "height";
    stage.figure.grid = {200, 100};
    stage.figure.diagnostics = {"step", "time", "energy"};
    colors.map = {{0, 0, 0, 255}, {255, 255, 255, 255}};
    colors.under = Color{0, 0, 255, 255};
    colors.over = Color{255, 0, 0, 255};
  }
  FigureOptions& options() { return stage.figure.options; }
  FigureLayout layout(std::optional<AxisRange> range = AxisRange{-0.9, 0.9}) {
    colors.range = range;
    return lay_out(view, stage, TimeText(stage), colors);
  }
};

inline std::string mistake(Scenery& s) {
  try {
    s.layout();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace simreel::test
