// The grid of a figure's panels.

#include "panels/grid.h"

#include <fmt/format.h>

#include "base/error.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

TEST(PanelGrid, FillsRowsAndHeedsSpans) {
  const auto cells = place_cells({{1, 1}, {2, 2}, {1, 1}, {1, 1}, {3, 1}, {1, 1}}, 3);
  const int expected[][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}};
  ASSERT_EQ(cells.size(), 6u);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_EQ(cells[i].column, expected[i][0]) << i;
    EXPECT_EQ(cells[i].row, expected[i][1]) << i;
  }
}

Rectangle with(const Rectangle& field, const Margins& margins) {
  return {field.x - margins.left, field.y - margins.top, field.width + margins.left + margins.right,
          field.height + margins.top + margins.bottom};
}
bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

// For any spans, shapes and labels nothing overlaps or leaves the page, and fields stand in lines.
TEST(PanelGrid, PanelsStandInLinesAndKeepApart) {
  std::mt19937_64 random(5);
  const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 300; ++round) {
    const int columns = 1 + up_to(4), count = 1 + up_to(9);
    std::vector<std::array<int, 2>> spans;
    for (int i = 0; i < count; ++i) spans.push_back({1 + up_to(columns), 1 + up_to(round % 2 == 0 ? 2 : 1)});
    const std::vector<GridCell> cells = place_cells(spans, columns);
    std::vector<Margins> margins;
    std::vector<GridPanel> panels;
    for (int i = 0; i < count; ++i) margins.push_back({up_to(90), up_to(60), up_to(40), up_to(70)});
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::optional<double> aspect;
      if (up_to(3) > 0) aspect = 0.3 + 0.1 * up_to(20);
      // Numbers need more room in a wide field.
      panels.push_back({cells[i], aspect, 0.7, [m = margins[i]](Size field) {
                          Margins more = m;
                          more.left += field.width > 300 ? 10 : 0;
                          return more;
                        }});
    }
    const Margins bar{0, 0, up_to(2) * 120, up_to(2) * 80};
    const GridOuter outer{[&](Size) { return bar; }, 8};
    const int width = 1400 + up_to(1000), gap = up_to(30);
    const GridPlan plan = plan_grid(panels, columns, width, gap, outer);
    const std::string where = fmt::format("round {}", round);
    EXPECT_EQ(plan.size.width, width);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Rectangle box = with(plan.fields[i], panels[i].margins({plan.fields[i].width, plan.fields[i].height}));
      EXPECT_TRUE(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= plan.size.height)
          << where << ": panel " << i;
      for (std::size_t k = 0; k < i; ++k) {
        const Rectangle other = with(plan.fields[k], panels[k].margins({plan.fields[k].width, plan.fields[k].height}));
        EXPECT_FALSE(overlap(box, other)) << where << ": panels " << k << " and " << i;
        if (cells[i].column == cells[k].column) {
          EXPECT_EQ(plan.fields[i].x, plan.fields[k].x) << where;
        }
        if (cells[i].row == cells[k].row) {
          EXPECT_EQ(plan.fields[i].y, plan.fields[k].y) << where;
        }
        if (cells[i].columns == cells[k].columns && columns == cells[i].columns) {
          EXPECT_EQ(plan.fields[i].width, plan.fields[k].width) << where;
        }
      }
      if (panels[i].aspect) {
        EXPECT_NEAR(plan.fields[i].height, std::max(24.0, plan.fields[i].width * *panels[i].aspect), 1) << where;
      }
    }
    const Rectangle& all = plan.all;
    EXPECT_LE(all.x + all.width + bar.right, width) << where << ": the bar leaves the page";
    EXPECT_LE(all.y + all.height + bar.bottom, plan.size.height) << where;
  }
}

// No strips below the flatter of two pictures, where the columns can have other widths.
TEST(PanelGrid, PicturesOfARowHaveOneHeight) {
  const auto none = [](Size) { return Margins{}; };
  std::vector<GridPanel> panels;
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 3; ++column)
      panels.push_back({{column, row, 1, 1}, std::array{1.0, 0.5, 0.75}[column], 1.0, none});
  GridPlan plan = plan_grid(panels, 3, 1300, 0, {none, 0});
  for (const Rectangle& field : plan.fields) EXPECT_NEAR(field.height, 300, 1);
  panels.back().aspect = 1.0;  // a column of two shapes
  plan = plan_grid(panels, 3, 1300, 0, {none, 0});
  for (const Rectangle& field : plan.fields) EXPECT_EQ(field.width, 433);
}

TEST(PanelGrid, SaysWhatLeavesNoRoom) {
  const std::vector<GridPanel> panels(4, {{0, 0, 1, 1}, 1.0, 1.0, [](Size) { return Margins{100, 0, 100, 0}; }});
  const auto refusal = [](const std::vector<GridPanel>& all) {
    return test::thrown([&] { plan_grid(all, 4, 810, 0, {[](Size) { return Margins{}; }, 0}); });
  };
  EXPECT_EQ(refusal(panels), "") << "all four are in one column, so three are empty and take no labels";
  std::vector<GridPanel> row = panels;
  for (int i = 0; i < 4; ++i) row[i].cell.column = i;
  EXPECT_TRUE(test::says(refusal(row), "the labels take 800 of 810 pixels"));
}

}  // namespace
}  // namespace simreel
