#include "panels/scene_panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "run/plan.h"
#include "scene/scene_text.h"

namespace simreel {
namespace {

Scene scene_of(const PanelOptions& options, const std::vector<std::string>& more = {}) {
  std::vector<std::string> set = options.set;
  set.insert(set.end(), more.begin(), more.end());
  if (options.data.empty()) {
    expect_scene(options.scene);
    return load_complete_scene(options.scene, set);
  }
  const std::string text = fmt::format("[solver]\nkind = \"data\"\nfiles = {}\n", quote(options.data));
  Scene scene = parse_made_scene(text, "data", set, check_solver);
  complete_scene(scene);
  return scene;
}

// Overrides that change how a state is shown, and not the state.
bool is_look(const std::string& override_text) {
  return std::ranges::any_of(std::array{"view.", "figure.", "camera.", "output.", "golden.", "overlay.", "title"},
                             [&](const char* table) { return trim(override_text).starts_with(table); });
}

}  // namespace

Snapshot::Snapshot(const Executor& executor, const View& view) {
  const auto keep = [&]<class Real>(FieldView<Real> field, Buffer<Real>& values) {
    // The last row may end before its pitch.
    const std::size_t count = static_cast<std::size_t>(field.ny - 1) * field.pitch + static_cast<std::size_t>(field.nx);
    values = Buffer<Real>(executor, count);
    executor.copy(values.data(), field.value, count * sizeof(Real));
    field.value = values.data();
    if (field.cell) {
      cells_ = Buffer<std::int8_t>(executor, count);
      executor.copy(cells_.data(), field.cell, count);
      field.cell = cells_.data();
    }
    if (field.paths) {
      paths_ = *field.paths;
      const auto copy = [&](const PathPoint*& points, std::size_t number, Buffer<PathPoint>& own) {
        if (number == 0) return;
        own = Buffer<PathPoint>(executor, number);
        executor.copy(own.data(), points, number * sizeof(PathPoint));
        points = own.data();
      };
      const auto particles = static_cast<std::size_t>(paths_.count);
      copy(paths_.now, particles, now_);
      copy(paths_.past, particles * static_cast<std::size_t>(paths_.rows), past_);
      field.paths = &paths_;
    }
    view_ = field;
  };
  if (const auto* single = std::get_if<FieldView<float>>(&view)) keep(*single, floats_);
  if (const auto* twice = std::get_if<FieldView<double>>(&view)) keep(*twice, doubles_);
}

ScenePanel::ScenePanel(const PanelOptions& options, const PanelPrint& print)
    : Panel(options), scene_(scene_of(options)), plan_(plan_solver(scene_)) {
  // What is dark by default would be a black block on white paper.
  const bool dark = (shows_bodies() || scene_.view.colormap == "glow") && !scene_.gives("view.colormap");
  if ((dark || scene_.figure.curve || scene_.figure.space_time) && !scene_.gives("view.background"))
    scene_ = scene_of(options, {"view.background=#ffffff"});
  load_overlay_images(scene_.overlays);
  run_key_ =
      fmt::format("{}\n{}\n{}\n{}", options.scene, options.data, plan_.computed_for, scene_.animation.steps_per_frame);
  for (const std::string& one : options.set)
    if (!is_look(one)) run_key_ += "\n" + one;
  if (!scene_.gives("camera.fit")) scene_.camera.fit.reset();
  find_frame();
  fit_figure(print);
  if (scene_.view.range == RangeMode::follow && !scene_.view.range_given) scene_.view.range = RangeMode::robust;
  if (scene_.view.range == RangeMode::follow)
    throw UsageError(
        "{}range = \"follow\" looks at each frame, and a figure sees only some; set range = \"first\" or [low, high] "
        "in [view]",
        scene_.view.range_position.before());
  if (shows_bodies() && scene_.camera.fits_all_frames())
    throw UsageError(
        "{}the camera is fitted to all frames, and a figure sees only some; set fit = \"first\", or position and "
        "target in [camera]",
        scene_.camera.fit_position.before());
  if (shows_bodies() && comes_from_all_frames(scene_.view.range) && scene_.view.range_given)
    throw UsageError(
        "{}range = \"{}\" of bodies comes from all frames, and a figure sees only some; set "
        "range = \"first\" or [low, high] in [view]",
        scene_.view.range_position.before(), range_mode_names[static_cast<std::size_t>(scene_.view.range) - 1]);
}

DrawContext ScenePanel::stage() const {
  DrawContext stage = draw_context(scene_, plan_);
  stage.figure.inside = labels_inside_;
  stage.figure.theme_over_picture = theme_;
  return stage;
}

void ScenePanel::find_frame() {
  const std::int64_t frames = scene_.animation.frames;
  const auto refuse = [&](const std::string& what) { throw UsageError("{}{}", options_.time_position.before(), what); };
  if (options_.frame && *options_.frame >= frames)
    refuse(
        fmt::format("frame {} is none of the scene, which has {}, from 0 to {}", *options_.frame, frames, frames - 1));
  frame_ = options_.frame.value_or(frames - 1);
  if (!options_.time && options_.date.empty()) return;
  try {
    frame_ = options_.time ? frame_at(scene_, plan_, *options_.time) : frame_at(scene_, plan_, options_.date);
  } catch (const UsageError& error) {
    refuse(error.what());
  }
}

// The figure around the panel decides about the size in print.
void ScenePanel::fit_figure(const PanelPrint& print) {
  FigureOptions& figure = scene_.figure;
  figure.given = true;
  figure.width.reset();
  figure.font_pixels.reset();
  figure.font_share.reset();
  figure.dpi = print.dpi;
  scene_.measure_radius_in_points();
  figure.font_points = print.font_points;
  figure.only = FigureOptions::Only::all;
  figure.title = lettered(options_, options_.title.value_or(figure.title));
  labels_inside_ = print.labels_inside;
  theme_ = figure.theme;
  if (theme_ == FigureOptions::Theme::automatic && !shows_bodies() && !scene_.gives("view.background"))
    theme_ = FigureOptions::Theme::light;  // as a figure of this scene alone has it on paper
  // Labels next to the picture stand on white paper; those on plates over it choose.
  if (figure.theme == FigureOptions::Theme::automatic && figure.colorbar != FigureOptions::Bar::inside)
    figure.theme = FigureOptions::Theme::light;
}

void ScenePanel::drop_numbers_x() {
  numbers_x_ = false;
  scene_.figure.xlabel = "";
}
void ScenePanel::drop_numbers_y() {
  numbers_y_ = false;
  scene_.figure.ylabel = "";
}

// Numbers of the x axis are those below it; the lowest of the y axis may reach half of its height below the field.
bool ScenePanel::is_number_x(const Mark& mark, const Rectangle& field) const {
  const auto* label = std::get_if<Label>(&mark.what);
  return label && mark.key == "axes" && label->origin.y > (field.y + field.height + style().px(80)) * fine;
}
bool ScenePanel::is_number_y(const Mark& mark, const Rectangle& field) const {
  return std::holds_alternative<Label>(mark.what) && mark.key == "axes" && !is_number_x(mark, field);
}

FigureOptions::Bar ScenePanel::take_colorbar() {
  return std::exchange(scene_.figure.colorbar, FigureOptions::Bar::none);
}

std::optional<double> ScenePanel::aspect() const {
  if (shows_bodies()) return static_cast<double>(scene_.view.size.height) / scene_.view.size.width;
  const DrawContext shown = stage();
  if (shown.figure.covers || shown.figure.options.aspect == FigureOptions::Aspect::automatic) return {};
  const auto [nx, ny] = shown.figure.grid;
  return ny * shown.cell_aspect / nx;
}

Margins ScenePanel::margins(Size field) {
  const FittedLayout fitted = fit_layout(scene_.view, stage(), field);
  const FigureOptions& figure = scene_.figure;
  Margins margins = fitted.margins;
  using Bar = FigureOptions::Bar;
  const FigureStyle look = style();
  int widest = 0, row = 0;
  for (const Mark& mark : fitted.layout.marks) {
    if (is_number_y(mark, fitted.layout.field))
      widest = std::max(widest, pixels_of(std::get<Label>(mark.what).run.width) + look.px(25));
    if (is_number_x(mark, fitted.layout.field)) row = look.line + look.px(25);
  }
  // The room of numbers that are left out, unless something stands beyond it.
  if (!numbers_y_ && figure.colorbar != Bar::left) margins.left -= widest;
  const bool row_below = !figure.scale_bar.empty() || !figure.arrow_key.empty() || !figure.legend.empty();
  if (!numbers_x_ && figure.colorbar != Bar::bottom && !row_below) margins.bottom -= row;
  return trimmed(margins, scene_.view, figure);
}

Page ScenePanel::draw(Size) {
  Page page = page_;
  std::erase_if(page.marks, [&](const Mark& mark) {
    return (!numbers_x_ && (is_number_x(mark, page.field) || mark.key == "xlabel")) ||
           (!numbers_y_ && (is_number_y(mark, page.field) || mark.key == "ylabel"));
  });
  return page;
}

void ScenePanel::prepare(const Executor& executor, Size field) {
  executor_ = &executor;
  // By default bodies and particles are as large in pixels as the picture is.
  if (shows_bodies() || scene_.view.particles.drawn) {
    const Scene own = scene_of(options_, {fmt::format("view.size=[{}, {}]", field.width, field.height)});
    scene_.view.light.radius = own.view.light.radius;
    scene_.view.particles.radius = own.view.particles.radius;
  }
  scene_.view.size = fit_layout(scene_.view, stage(), field).size;
  rasterizer_ = std::make_unique<Rasterizer>(executor, scene_.view, stage());
  if (rasterizer_->range_mode() == RangeMode::fixed) range_ = Interval{scene_.view.low, scene_.view.high};
}

std::size_t ScenePanel::memory_bytes(const Executor& executor) const {
  const std::size_t cells =
      static_cast<std::size_t>(plan_.grid.cells[0]) * static_cast<std::size_t>(plan_.grid.cells[1]);
  return Rasterizer::memory_bytes(executor, scene_.view, stage()) +
         (shows_bodies() ? 0 : Snapshot::memory_bytes(cells) + plan_.grid.path_bytes);
}

bool ScenePanel::needs(std::int64_t frame) const {
  if (frame == frame_) return true;
  if (frame > frame_) return false;
  if (shows_bodies()) return frame == 0 || scene_.view.light.trails > 0 || scene_.view.light.follows;
  return scene_.figure.space_time || (frame == 0 && scene_.view.range == RangeMode::first);
}

void ScenePanel::set_range(Interval range) {
  range_ = range;
  rasterizer_->set_range(range);
}

void ScenePanel::measure_first(Source& source) {
  if (rasterizer_->range_mode() == RangeMode::first) range_ = rasterizer_->measure(source.view(plan_.field), 0);
}

bool ScenePanel::is_ranged_by_all() const {
  return !shows_bodies() && comes_from_all_frames(rasterizer_->range_mode());
}

void ScenePanel::measure(Source& source, std::int64_t frame) {
  const View view = source.view(plan_.field);
  if (rasterizer_->range_mode() == RangeMode::symmetric)
    measured_.add(rasterizer_->measure_spread(view));
  else
    measured_.add(rasterizer_->measure(view, frame));
  ++measured_.frames;
  measured_.keep();
  range_ = rasterizer_->range_mode() == RangeMode::robust ? measured_.robust() : measured_.range;
}

void ScenePanel::take_back() {
  if (measured_.frames == 0) return;
  measured_.take_back();
  range_ = rasterizer_->range_mode() == RangeMode::robust ? measured_.robust() : measured_.range;
}

void ScenePanel::note_facts(Source& source, std::int64_t frame) {
  if (rasterizer_->figure_wants_diagnostics()) diagnostics_ = source.diagnose();
  facts_ = {frame, source.steps_done(), source.time(), diagnostics_};
  for (const int part : {0, 1})
    if (rasterizer_->wants_hue())
      rasterizer_->take_hue(part, source.view(scene_.view.hue[static_cast<std::size_t>(part)]));
  for (const int part : {0, 1})
    if (rasterizer_->figure_wants_vectors())
      rasterizer_->take_vectors(part, source.view(plan_.grid.vectors[static_cast<std::size_t>(part)]), frame);
}

void ScenePanel::show(Source& source, std::int64_t frame) {
  note_facts(source, frame);
  const View view = source.view(plan_.field);
  rasterizer_->draw(view, frame);
  page_ = rasterizer_->write_page(view, facts_);
}

void ScenePanel::show_again(Source& source, std::int64_t frame) {
  rasterizer_->forget_last();
  show(source, frame);
}

void ScenePanel::see(Source& source, std::int64_t frame) {
  const bool shown = frame == frame_;
  if (shows_bodies()) {
    if (shown) return show(source, frame);
    rasterizer_->remember(source.view(plan_.field), frame);
    return;
  }
  if (shown) {
    note_facts(source, frame);
    snapshot_.emplace(*executor_, source.view(plan_.field));
  } else if (scene_.figure.space_time) {
    rasterizer_->remember(source.view(plan_.field), frame);
  } else {
    return;
  }
  if (is_ranged_by_all()) measure(source, frame);
}

void ScenePanel::develop() {
  if (!snapshot_) return;
  rasterizer_->draw(snapshot_->view(), frame_);
  page_ = rasterizer_->write_page(snapshot_->view(), facts_);
  snapshot_.reset();
}

void ScenePanel::save(Checkpoint& checkpoint) const { rasterizer_->save(checkpoint); }

void ScenePanel::load(const Checkpoint& checkpoint) {
  rasterizer_->load(checkpoint);
  range_ = rasterizer_->range();
}

}  // namespace simreel
