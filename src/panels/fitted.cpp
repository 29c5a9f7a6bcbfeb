#include "panels/fitted.h"

#include "figure/color_axis.h"
#include "figure/style.h"
#include "figure/time_text.h"
#include "kernels/base/blend.h"
#include "raster/color/colormap.h"
#include "raster/shaped_map.h"

namespace simreel {
namespace {

// As Rasterizer does it, without one.
FigureLayout figure_layout(const ViewOptions& view, const DrawContext& stage, std::optional<Interval> range) {
  std::vector<Color> colors = load_colormap(view.colormap, view.colormap_position.text());
  const Color under = under_of(view, colors), over = over_of(view, colors);
  for (const Color color : {under, view.nan, over}) colors.push_back(blend(color, view.background));
  return lay_out(view, stage, TimeText(stage), axis_of(view, stage, colors, range));
}

}  // namespace

Margins trimmed(Margins margins, const ViewOptions& view, const FigureOptions& figure) {
  const FigureStyle style = style_of(view, figure);
  const auto trim = [&](int& side, int hundredths) {
    if (side >= style.px(80)) side -= style.px(hundredths);
  };
  trim(margins.left, 40);
  trim(margins.bottom, 60);
  trim(margins.top, 40);
  // A number at the end of the x axis reaches into it.
  if (figure.axes != FigureOptions::Axes::ticks || figure.colorbar == FigureOptions::Bar::right)
    trim(margins.right, 40);
  return margins;
}

FittedLayout fit_layout(ViewOptions view, const DrawContext& stage, Size field, std::optional<Interval> range) {
  const int much = stage.figure.options.dpi;  // more than labels need; then what these do, until it stays the same
  FittedLayout fitted;
  fitted.margins = {much, much, much, much};
  for (int pass = 0; pass < 6; ++pass) {
    const Margins& before = fitted.margins;
    fitted.size = {field.width + before.left + before.right, field.height + before.top + before.bottom};
    view.size = fitted.size;
    // A field keeps its proportions, so in a high picture its width decides.
    if (stage.bodies == 0) view.size.height += field.height + much;
    fitted.layout = figure_layout(view, stage, range);
    const Rectangle& f = fitted.layout.field;
    const int above = fitted.layout.unused_rows / 2;
    const Margins found{f.x, f.y - above, view.size.width - f.x - f.width,
                        view.size.height - f.y - f.height - (fitted.layout.unused_rows - above)};
    if (found == before) break;
    fitted.margins = found;
  }
  view.size = fitted.size;
  fitted.layout = figure_layout(view, stage, range);
  return fitted;
}

}  // namespace simreel
