#include "panels/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/input_image.h"
#include "base/limits.h"
#include "base/text.h"
#include "figure/overlay.h"
#include "figure/page.h"
#include "panels/film.h"
#include "panels/runs.h"
#include "run/plan.h"
#include "scene/mistakes.h"

namespace simreel {
namespace {

using Bar = FigureOptions::Bar;

// A mistake that begins with the words of --set stands in "set" of the figure. Empty if the line is another.
std::string place_of_override(const PanelOptions& options, const std::string& line) {
  for (std::size_t i = options.set.size(); i-- > 0;) {
    const std::string start = fmt::format("--set {}: ", shorten(options.set[i], 120));
    if (!line.starts_with(start)) continue;
    PanelOptions there = options;
    there.position = options.set_positions[i];
    return fmt::format("{}{} in \"set\": {}", place_of(there), quote(shorten(options.set[i], 120)),
                       line.substr(start.size()));
  }
  return "";
}

// Calls `work`; a UsageError that it throws gets the place of the panel in front, unless it has one in the same file.
template <class Work>
auto in_panel(const PanelOptions& options, Work&& work) {
  try {
    return work();
  } catch (const UsageError& error) {
    const PlacedMessage placed = split_place(error.what(), options.position.source);
    PanelOptions there = options;
    if (!placed.place.source.empty()) there.position = placed.place;
    std::string text;
    for (std::string_view rest = error.what(); !rest.empty();) {
      const std::string line(take_line(rest));
      const std::string own = place_of_override(options, line);
      text += !own.empty() ? own : text.empty() ? place_of(there) + std::string(first_line(placed.message)) : line;
      if (!rest.empty()) text += '\n';
    }
    throw UsageError(text);
  }
}

}  // namespace

std::string lettered(const PanelOptions& options, const std::string& title) {
  return options.letter.empty() || title.empty() ? options.letter + title : options.letter + "   " + title;
}

std::string place_of(const PanelOptions& options) {
  return options.position.before() + (options.letter.empty() ? "" : fmt::format("panel {}: ", options.letter));
}

PanelFigure::PanelFigure(const FigureFile& file)
    : file_(file),
      overlays_(file.overlays),
      print_{file.print.dpi, file.print.font_points.value_or(7), file.labels == FigureFile::Labels::inside} {
  if (!file.parts.empty())
    throw UsageError("{0}: its parts make a video: simreel figure {0} -o x.mp4", file.file.string());
  const ImageCount count(limits::figure_image_pixels);
  load_overlay_images(overlays_);
  load();
  check_shared();
  place();
  if (!file.print.title.empty()) title_page();
}

void PanelFigure::load() {
  std::vector<std::array<int, 2>> spans;
  for (const PanelOptions& options : file_.panels) {
    spans.push_back(options.span);
    panels_.push_back(in_panel(options, [&]() -> std::unique_ptr<Panel> {
      if (options.plot) return make_plot_panel(options, print_);
      if (!options.image.empty()) return make_image_panel(options, print_);
      auto scene = std::make_unique<ScenePanel>(options, print_);
      scenes_.push_back(scene.get());
      return scene;
    }));
  }
  cells_ = place_cells(spans, file_.columns);
  int rows = 0;
  for (const GridCell& cell : cells_) rows = std::max(rows, cell.row + cell.rows);
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    auto* const scene = dynamic_cast<ScenePanel*>(panels_[i].get());
    if (!scene) continue;
    if (file_.share_colorbar) {
      const Bar bar = scene->take_colorbar();
      if (bar_ == Bar::none && bar != Bar::none) bar_ = bar;
    }
    // The lowest scene of a column keeps the numbers below it.
    const auto below = [&](const GridCell& other) {
      return other.row > cells_[i].row && other.column < cells_[i].column + cells_[i].columns &&
             cells_[i].column < other.column + other.columns;
    };
    bool lowest = true;
    for (std::size_t k = 0; k < panels_.size(); ++k)
      if (below(cells_[k]) && dynamic_cast<ScenePanel*>(panels_[k].get())) lowest = false;
    if (file_.share_x && !lowest) scene->drop_numbers_x();
    if (file_.share_y && cells_[i].column > 0) scene->drop_numbers_y();
  }
  if (file_.share_colorbar && (bar_ == Bar::none || bar_ == Bar::inside)) bar_ = Bar::right;
  if (!file_.share_range) return;
  // What is one range has one colormap: the one that is given, or else that of both signs.
  auto lead = std::ranges::find_if(scenes_, [](const auto* panel) { return panel->scene().gives("view.colormap"); });
  if (lead == scenes_.end()) lead = std::ranges::find_if(scenes_, &ScenePanel::is_symmetric);
  if (lead == scenes_.end()) return;
  for (ScenePanel* panel : scenes_) panel->take_colormap((*lead)->scene().view.colormap);
}

void PanelFigure::check_shared() const {
  if (!file_.share_range) return;
  if (scenes_.empty())
    throw UsageError("{}: \"share\" in [figure] names the range or the bar of scenes, and no panel shows one",
                     file_.file.string());
  // Fields of other names may be the same quantity: of two models, or arrays without a name.
  const SolverPlan& first = scenes_.front()->plan();
  for (const ScenePanel* panel : scenes_) {
    const SolverPlan& own = panel->plan();
    const bool units = own.unit.empty() || first.unit.empty() || own.unit == first.unit;
    if (units && panel->shows_bodies() == scenes_.front()->shows_bodies()) continue;
    const auto words = [](const SolverPlan& plan) {
      return plan.field + (plan.unit.empty() ? "" : fmt::format(" in {}", plan.unit));
    };
    throw UsageError(
        "{}shows {}, and the first scene {}; a range is shared by panels of one quantity: set view.field, or leave "
        "\"range\" and \"colorbar\" out of \"share\" in [figure]",
        place_of(panel->options()), words(own), words(first));
  }
}

FigureStyle PanelFigure::style() const {
  ViewOptions view;
  view.background = {255, 255, 255, 255};
  FigureOptions options;
  options.dpi = print_.dpi;
  options.font_points = print_.font_points;
  return style_of(view, options);
}

// The bar beside all panels, as it would stand beside one picture of their size.
FittedLayout PanelFigure::bar_layout(Size all, std::optional<Interval> range) const {
  const ScenePanel& first = *scenes_.front();
  DrawContext stage = first.stage();
  FigureOptions figure;
  const FigureOptions& own = stage.figure.options;
  figure.given = true;
  figure.colorbar = bar_;
  figure.label = own.label;
  figure.units = own.units;
  figure.theme = FigureOptions::Theme::light;
  figure.dpi = print_.dpi;
  figure.font_points = print_.font_points;
  figure.position = own.position;
  stage.figure.options = figure;
  stage.figure.beside_panels = true;
  if (stage.bodies == 0) stage.figure.grid = {1.0 * all.width, 1.0 * all.height};
  return fit_layout(first.scene().view, stage, all, range);
}

Margins PanelFigure::bar_margins(Size all) const {
  if (bar_ == Bar::none) return {};
  const FittedLayout bar = bar_layout(all, {});
  Margins margins;
  if (bar_ == Bar::left) margins.left = bar.margins.left;
  if (bar_ == Bar::right) margins.right = bar.margins.right;
  if (bar_ == Bar::top) margins.top = bar.margins.top;
  if (bar_ == Bar::bottom) margins.bottom = bar.margins.bottom;
  return margins;
}

void PanelFigure::place() {
  std::vector<GridPanel> panels;
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    Panel& panel = *panels_[i];
    panels.push_back({cells_[i], panel.aspect(), panel.usual_aspect(), [&panel](Size field) {
                        return in_panel(panel.options(), [&] {
                          try {
                            return panel.margins(field);
                          } catch (const NoRoom& error) {
                            throw UsageError(
                                "{}; the panel has the room that \"width\" and \"columns\" of the figure leave it",
                                error.what());
                          }
                        });
                      }});
  }
  const double pixels_per_mm = print_.dpi / FigureOptions::mm_per_inch;
  const GridOuter outer{[this](Size all) { return bar_margins(all); }, style().px(80)};
  int width = rounded_to_int(*file_.print.width * pixels_per_mm);
  const auto plan = [&] {
    grid_ = plan_grid(panels, file_.columns, width, rounded_to_int(file_.gap * pixels_per_mm), outer);
  };
  plan();
  // In a video of a given size the panels get narrower until they are low enough.
  while (file_.size && size().height > file_.size->height) {
    const double ratio = static_cast<double>(file_.size->height) / size().height;
    width = static_cast<int>(width * std::clamp(ratio, 0.8, 0.99));
    if (width < file_.size->width / 4)
      throw UsageError(
          "{}\"size\" in [figure], {} x {} pixels, is too low for so many rows of panels; take more columns",
          file_.print.position_of("width").before(), file_.size->width, file_.size->height);
    plan();
  }
}

std::vector<std::string> PanelFigure::inputs() const {
  std::vector<std::string> files = {file_.file.string()};
  for (const PanelOptions& panel : file_.panels) {
    for (const std::string& one : {panel.scene, panel.image})
      if (!one.empty()) files.push_back(one);
    if (!panel.plot) continue;
    for (const PanelPlot::Line& line : panel.plot->lines) files.push_back(line.file);
  }
  std::ranges::move(image_files(overlays_), std::back_inserter(files));
  for (const ScenePanel* panel : scenes_) {
    std::ranges::copy(panel->plan().inputs, std::back_inserter(files));
    std::ranges::move(image_files(panel->scene().overlays), std::back_inserter(files));
  }
  return files;
}

int PanelFigure::runs() const { return static_cast<int>(runs_of(scenes_, false).size()); }

std::vector<std::string> PanelFigure::warnings() const {
  std::vector<std::string> all;
  std::set<std::string> known;
  for (const ScenePanel* panel : scenes_) {
    std::vector<std::string> own = panel->plan().texts.warnings;
    // No other command has said of a file which of its arrays is drawn, and what of it is not as usual.
    if (!panel->options().data.empty())
      own.insert(own.end(), panel->plan().texts.remarks.begin(), panel->plan().texts.remarks.end());
    for (const std::string& warning : own)
      if (known.insert(warning).second) all.push_back(place_of(panel->options()) + warning);
  }
  const auto has_numbers = [](const ScenePanel* panel) {
    return panel->scene().figure.axes == FigureOptions::Axes::ticks;
  };
  if ((file_.share_x || file_.share_y) && std::ranges::none_of(scenes_, has_numbers))
    all.push_back(
        fmt::format("{}: \"share\" in [figure] names axes, and no panel has any; axes = \"ticks\" in its "
                    "[figure], or set = [\"figure.axes=ticks\"], draws them",
                    file_.file.string()));
  return all;
}

std::size_t PanelFigure::image_bytes() const {
  std::size_t bytes = 0;
  for (const auto& panel : panels_) bytes += panel->bytes();
  return bytes;
}

void PanelFigure::share_ranges(bool bodies) {
  Interval all{1, 0};
  Spread spread;
  bool symmetric = false;
  for (ScenePanel* panel : scenes_) {
    if (panel->shows_bodies() != bodies || !panel->range()) continue;
    const Interval own = *panel->range();
    if (!file_.share_range) panel->set_range(own);
    symmetric = symmetric || panel->is_symmetric();
    spread = Spread::combine(spread, panel->spread());
    all = hull(all, own);
  }
  if (!file_.share_range) return;
  if (symmetric) all = {std::min(all.low, -spread.reach()), std::max(all.high, spread.reach())};
  for (ScenePanel* panel : scenes_)
    if (panel->shows_bodies() == bodies) panel->set_range(all);
}

void PanelFigure::prepare(const Executor& executor) {
  for (std::size_t i = 0; i < panels_.size(); ++i)
    if (auto* const scene = dynamic_cast<ScenePanel*>(panels_[i].get())) {
      const Rectangle& field = grid_.fields[i];
      in_panel(scene->options(), [&] { scene->prepare(executor, {field.width, field.height}); });
    }
}

PageGroup PanelFigure::draw(const Executor& executor, const std::function<bool()>& stop,
                            const std::function<void(std::int64_t, std::int64_t)>& report) {
  prepare(executor);
  Page above = overlay_page(executor);
  const std::size_t bytes = bytes_of(runs_of(scenes_, false), executor) + image_bytes();
  if (bytes > executor.memory_available())
    throw UsageError(
        "{}: the scenes and panels need {} of memory, and {} has {} available; take a smaller "
        "dpi, or fewer different scenes",
        file_.file.string(), format_bytes(static_cast<double>(bytes)), executor.name(),
        format_bytes(static_cast<double>(executor.memory_available())));
  show_page(*this, executor, stop, report);
  PageGroup group = page();
  if (!above.marks.empty()) group.parts.push_back(std::move(above));
  return group;
}

PageGroup PanelFigure::page() {
  PageGroup group;
  group.size = size();
  group.background = {255, 255, 255, 255};
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const Rectangle& place = grid_.fields[i];
    Page page = in_panel(panels_[i]->options(), [&] { return panels_[i]->draw({place.width, place.height}); });
    move(page, place.x - page.field.x, place.y + title_height() - page.field.y);
    group.parts.push_back(std::move(page));
  }
  if (bar_ != Bar::none) group.parts.push_back(colorbar_page());
  if (!file_.print.title.empty()) group.parts.push_back(title_page());
  return group;
}

Page PanelFigure::colorbar_page() const {
  FittedLayout bar = bar_layout({grid_.all.width, grid_.all.height}, scenes_.front()->range());
  const int pad = style().px(80);
  const auto beyond = [&](int margin) { return std::max(0, margin - pad); };
  const Margins& around = grid_.around;
  const int dx = bar_ == Bar::left ? -beyond(around.left) : bar_ == Bar::right ? beyond(around.right) : 0;
  const int dy = bar_ == Bar::top ? -beyond(around.top) : bar_ == Bar::bottom ? beyond(around.bottom) : 0;
  const Rectangle& f = bar.layout.field;
  Page page{};
  for (Mark& mark : bar.layout.marks) {
    move(mark, grid_.all.x - f.x + dx, grid_.all.y + title_height() - f.y + dy);
    page.marks.push_back(std::move(mark));
  }
  return page;
}

// As they are at the end of a video.
Page PanelFigure::overlay_page(const Executor& executor) const {
  ViewOptions view;
  view.size = size();
  view.background = {255, 255, 255, 255};
  DrawContext stage;
  stage.figure.overlays = overlays_;
  stage.figure.grid = {1.0 * view.size.width, 1.0 * view.size.height};
  stage.figure.options.dpi = print_.dpi;
  stage.figure.options.units.cell = mm_per_pixel();
  const Viewport whole = Viewport::whole(view.size);
  Page page{};
  FrameFacts last;
  if (const auto shows = std::ranges::find_if(overlays_, &OverlayOptions::has_numbers); shows != overlays_.end()) {
    if (std::ranges::all_of(scenes_, &ScenePanel::stands))
      throw UsageError("{}\"text\" in [[overlay]] is {}, a number of the video, and no panel moves; leave it out",
                       shows->position_of("text").before(), quote(shows->text));
    last = end_of_film(*this, file_, stage);
  }
  last.held = std::int64_t{1} << 60;
  page.marks = Overlays(executor, view, stage, whole, whole.area).marks(last);
  return page;
}

int PanelFigure::title_height() const { return file_.print.title.empty() ? 0 : style().px(180); }

Page PanelFigure::title_page() const {
  const FigureStyle look = style();
  const auto refuse = [&](const std::string& why) {
    throw UsageError("{}\"title\" in [figure] {}", file_.print.position_of("title").before(), why);
  };
  GlyphRun run;
  try {
    run = set_text(file_.print.title, look.em, FontStyle::bold);
  } catch (const UsageError& error) {
    refuse(fmt::format("cannot be set: {}", error.what()));
  }
  const int width = pixels_of(run.width), pad = look.px(20);
  if (width + 2 * pad > grid_.size.width) refuse("is wider than the figure; shorten it or take a larger \"width\"");
  const int x = std::min(std::max(pad, grid_.all.x), grid_.size.width - pad - width);
  Page page{};
  page.marks.push_back({"title", Label{run, {x * fine, (pad + pixels_of(run.ascent)) * fine}, {}, look.ink}});
  return page;
}

}  // namespace simreel
