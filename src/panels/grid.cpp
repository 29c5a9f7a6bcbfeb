#include "panels/grid.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "figure/figure.h"
#include "figure/style.h"
#include "figure/time_text.h"
#include "raster/shaped_map.h"

namespace simreel {
namespace {

constexpr int min_field = 24;  // pixels

int sum(const std::vector<int>& values, int from, int to) {
  int total = 0;
  for (int i = from; i < to; ++i) total += values[static_cast<std::size_t>(i)];
  return total;
}

// Room beside each column and row.
struct Sides {
  std::vector<int> left, right, top, bottom;

  Sides() = default;
  Sides(int columns, int rows)
      : left(static_cast<std::size_t>(columns)), right(left), top(static_cast<std::size_t>(rows)), bottom(top) {}
};

class Plan {
 public:
  Plan(const std::vector<GridPanel>& panels, int columns, int width, int gap, const GridOuter& outer)
      : panels_(panels), columns_(columns), width_(width), gap_(gap), outer_(outer) {
    for (const GridPanel& panel : panels) rows_ = std::max(rows_, panel.cell.row + panel.cell.rows);
    widths_.assign(static_cast<std::size_t>(columns), width / columns);
    heights_.assign(static_cast<std::size_t>(rows_), width / columns);
    find_shares();
    own_ = sides_ = Sides(columns_, rows_);
  }

  GridPlan run() {
    // Margins follow from numbers, which follow from sizes, which follow from margins.
    for (int pass = 0; pass < 4; ++pass) {
      const std::vector<int> before = widths_;
      measure(pass > 1);
      find_width();
      find_heights();
      if (pass > 0 && widths_ == before) break;
    }
    measure(true);
    find_width();
    find_heights();
    GridPlan plan;
    for (const GridPanel& panel : panels_) {
      const Size size = size_of(panel);
      plan.fields.push_back({x_of(panel.cell.column), y_of(panel.cell.row), size.width, size.height});
    }
    const Size all = size_of_all();
    plan.all = {x_of(0), y_of(0), all.width, all.height};
    plan.size = {width_, plan.all.y + all.height + sides_.bottom.back()};
    plan.around = {own_.left.front(), own_.top.front(), own_.right.back(), own_.bottom.back()};
    return plan;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // `grows`: no room of a panel becomes smaller, so that this ends.
  void measure(bool grows) {
    std::vector<Margins> margins;
    for (const GridPanel& panel : panels_) margins.push_back(panel.margins(size_of(panel)));
    const Margins outer = outer_.margins(size_of_all());
    if (!grows) own_ = Sides(columns_, rows_);
    const auto widen = [](int& room, int needed) { room = std::max(room, needed); };
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      const GridCell& cell = panels_[i].cell;
      widen(own_.left[at(cell.column)], margins[i].left);
      widen(own_.right[at(cell.column + cell.columns - 1)], margins[i].right);
      widen(own_.top[at(cell.row)], margins[i].top);
      widen(own_.bottom[at(cell.row + cell.rows - 1)], margins[i].bottom);
    }
    sides_ = own_;
    const auto add = [&](int& panels, int own) {
      if (own > 0) panels = std::max(panels, outer_.from(panels) + own);
    };
    add(sides_.left.front(), outer.left), add(sides_.right.back(), outer.right);
    add(sides_.top.front(), outer.top), add(sides_.bottom.back(), outer.bottom);
  }

  // Where the pictures of each column have one shape, columns are so wide that those of a row have one height, within
  // limits. Otherwise all are alike.
  void find_shares() {
    shares_.assign(static_cast<std::size_t>(columns_), 0);
    for (const GridPanel& panel : panels_) {
      if (!panel.aspect) continue;
      double& share = shares_[at(panel.cell.column)];
      const double own = 1 / *panel.aspect;
      if (panel.cell.columns > 1 || panel.cell.rows > 1 || (share > 0 && std::fabs(own - share) > 0.02 * share))
        return shares_.assign(static_cast<std::size_t>(columns_), 1);
      if (share == 0) share = own;
    }
    const auto [least, most] = std::ranges::minmax(shares_);
    constexpr double limit = 3;
    if (!(least > 0) || most > limit * least) shares_.assign(static_cast<std::size_t>(columns_), 1);
  }

  void find_width() {
    const int labels = sum(sides_.left, 0, columns_) + sum(sides_.right, 0, columns_) + (columns_ - 1) * gap_;
    for (std::size_t i = 0; i < widths_.size(); ++i)
      widths_[i] =
          static_cast<int>((width_ - labels) * shares_[i] / std::accumulate(shares_.begin(), shares_.end(), 0.0));
    if (*std::ranges::min_element(widths_) < min_field)
      throw UsageError(
          "the labels take {} of {} pixels, which leaves no room for {} panels in a row; take a "
          "larger \"width\", a smaller \"font_size\" or fewer \"columns\" in [figure], or share axes and bar",
          labels, width_, columns_);
  }

  // Panels of one row decide about it; where none has a shape of its own, the others do.
  void find_heights() {
    std::fill(heights_.begin(), heights_.end(), 0);
    const auto height = [&](const GridPanel& panel, double aspect) {
      return std::max(min_field, static_cast<int>(std::lround(width_of(panel.cell) * aspect)));
    };
    for (const GridPanel& panel : panels_)
      if (panel.aspect && panel.cell.rows == 1)
        heights_[at(panel.cell.row)] = std::max(heights_[at(panel.cell.row)], height(panel, *panel.aspect));
    for (const GridPanel& panel : panels_) {
      const GridCell& cell = panel.cell;
      if (panel.aspect || cell.rows > 1 || shaped(cell.row)) continue;
      heights_[at(cell.row)] = std::max(heights_[at(cell.row)], height(panel, panel.usual_aspect));
    }
    for (const GridPanel& panel : panels_) {
      const GridCell& cell = panel.cell;
      if (cell.rows == 1) continue;
      const int missing = height(panel, panel.aspect.value_or(panel.usual_aspect)) - height_of(cell);
      const bool empty = heights_[at(cell.row + cell.rows - 1)] == 0;
      if (missing > 0 && (panel.aspect || empty)) heights_[at(cell.row + cell.rows - 1)] += missing;
    }
    for (int& row : heights_) row = std::max(row, min_field);
  }
  bool shaped(int row) const {
    return std::ranges::any_of(
        panels_, [&](const GridPanel& panel) { return panel.aspect && panel.cell.rows == 1 && panel.cell.row == row; });
  }

  int x_of(int column) const {
    return sum(sides_.left, 0, column + 1) + sum(sides_.right, 0, column) + sum(widths_, 0, column) + column * gap_;
  }
  int y_of(int row) const {
    return sum(sides_.top, 0, row + 1) + sum(sides_.bottom, 0, row) + sum(heights_, 0, row) + row * gap_;
  }
  int width_of(const GridCell& cell) const {
    const int last = cell.column + cell.columns - 1;
    return x_of(last) + widths_[at(last)] - x_of(cell.column);
  }
  int height_of(const GridCell& cell) const {
    const int last = cell.row + cell.rows - 1;
    return y_of(last) + heights_[at(last)] - y_of(cell.row);
  }
  Size size_of(const GridPanel& panel) const {
    const int width = width_of(panel.cell), room = height_of(panel.cell);
    if (!panel.aspect) return {width, room};
    const int height = std::max(min_field, static_cast<int>(std::lround(width * *panel.aspect)));
    return {width, height};
  }
  Size size_of_all() const { return {width_of({0, 0, columns_, 1}), height_of({0, 0, 1, rows_})}; }

  const std::vector<GridPanel>& panels_;
  int columns_, width_, gap_, rows_ = 0;
  const GridOuter& outer_;
  Sides own_, sides_;                  // of the panels; with what stands beside all of them
  std::vector<double> shares_;         // of the columns in the width
  std::vector<int> widths_, heights_;  // of columns and rows
};

// As Rasterizer does it, without one.
FigureLayout figure_layout(const ViewOptions& view, const DrawContext& stage, std::optional<Interval> range) {
  const std::vector<Color> colors = colors_of(view);
  return lay_out(view, stage, TimeText(stage), axis_of(view, stage, colors, range));
}

}  // namespace

std::vector<GridCell> place_cells(const std::vector<std::array<int, 2>>& spans, int columns) {
  std::vector<std::vector<bool>> taken;
  const auto free = [&](const GridCell& cell) {
    for (int y = cell.row; y < cell.row + cell.rows; ++y)
      for (int x = cell.column; x < cell.column + cell.columns; ++x)
        if (static_cast<std::size_t>(y) < taken.size() &&
            taken[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)])
          return false;
    return true;
  };
  std::vector<GridCell> cells;
  int next = 0;  // row * columns + column
  for (const auto& span : spans) {
    GridCell cell{next % columns, next / columns, span[0], span[1]};
    while (cell.column + cell.columns > columns || !free(cell)) {
      ++next;
      cell.column = next % columns, cell.row = next / columns;
    }
    taken.resize(std::max(taken.size(), static_cast<std::size_t>(cell.row + cell.rows)),
                 std::vector<bool>(static_cast<std::size_t>(columns)));
    for (int y = cell.row; y < cell.row + cell.rows; ++y)
      for (int x = cell.column; x < cell.column + cell.columns; ++x)
        taken[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = true;
    next += cell.columns;
    cells.push_back(cell);
  }
  return cells;
}

GridPlan plan_grid(const std::vector<GridPanel>& panels, int columns, int width, int gap, const GridOuter& outer) {
  return Plan(panels, columns, width, gap, outer).run();
}

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
