#include "picture/rasterizer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "figure/aim.h"
#include "figure/lines.h"
#include "figure/style.h"
#include "figure/ticks.h"
#include "kernels/raster/convert.h"
#include "kernels/raster/overlay.h"
#include "raster/shaped_map.h"
#include "raster/window.h"

namespace simreel {
namespace {

constexpr int extra_colors = 3;

Interval usable_range(Interval range, bool log) {
  if (!(range.low <= range.high)) return {0, 1};
  constexpr double max = std::numeric_limits<double>::max() / 4;  // so that high - low is finite
  range = {std::max(range.low, -max), std::min(range.high, max)};
  if (range.low < range.high) return range;
  const double value = range.low;
  if (log) return {value / 2, value * 2};
  const double reach = std::max(std::fabs(value) / 2, std::numeric_limits<double>::min());
  return value == 0 ? Interval{-0.5, 0.5} : Interval{value - reach, value + reach};
}

// The canvases that some layouts need.
struct Depths {
  bool deep, shallow;

  explicit Depths(const std::vector<PixelLayout>& layouts)
      : deep(std::ranges::any_of(layouts, is_deep)), shallow(!deep || !std::ranges::all_of(layouts, is_deep)) {}
  std::size_t pixel_bytes() const { return (shallow ? sizeof(Color) : 0) + (deep ? sizeof(DeepColor) : 0); }
};

using Painter = std::variant<FieldPainter, ParticlePainter>;

// Where a picture of this size shows a field of a known grid.
Rectangle place_of(const DrawContext& stage, Size size) {
  const auto [nx, ny] = stage.figure.grid;
  const FigureOptions& figure = stage.figure.options;
  if (figure.given || stage.figure.covers || figure.aspect == FigureOptions::Aspect::automatic)
    return Viewport::whole(size).area;
  if (stage.fills) return fit_field((*stage.fills)[0], (*stage.fills)[1], size, stage.cell_aspect);
  return fit_field(nx, ny, size, stage.cell_aspect);
}

bool has_grid(const DrawContext& stage) {
  return stage.bodies == 0 && stage.figure.grid[0] > 0 && stage.figure.grid[1] > 0;
}

Painter make_painter(const Executor& executor, const ViewOptions& view, const DrawContext& stage) {
  if (stage.bodies > 0) return Painter(std::in_place_type<ParticlePainter>, executor, view, stage);
  std::optional<Rectangle> place;
  if (has_grid(stage)) place = place_of(stage, view.size);
  return Painter(std::in_place_type<FieldPainter>, executor, view, place, hues_of(view));
}

ViewOptions sized(ViewOptions view, Size size) {
  view.size = size;
  return view;
}

std::unique_ptr<Overlays> make_overlays(const Executor& executor, const ViewOptions& view, const DrawContext& stage,
                                        const Viewport& viewport, const Figure* figure) {
  if (stage.figure.overlays.empty() || stage.figure.options.only != FigureOptions::Only::all) return nullptr;
  Rectangle field = viewport.area;
  if (has_grid(stage)) {
    field = place_of(stage, viewport.size());
    field.x += viewport.area.x, field.y += viewport.area.y;
  }
  return std::make_unique<Overlays>(executor, view, stage, viewport, field,
                                    figure ? figure->labels_inside() : std::vector<Rectangle>());
}

// Whether more of a field is shown than means in colours of the map, or not even those, or not always.
bool needs_field(const ViewOptions& view, const FigureContext& stage) {
  const FigureOptions& figure = stage.options;
  if (!stage.keys.empty() || is_shaped(view) || !view.hue.empty() || view.particles.drawn ||
      view.interpolation == Interpolation::nearest)
    return true;
  return figure.given && (figure.profile || figure.space_time || figure.contour_count > 0 || !figure.contours.empty() ||
                          figure.shows_vectors() || figure.inset || figure.only != FigureOptions::Only::all);
}

// What a picture of this size shows of a field in a frame.
FieldPart part_of(const DrawContext& stage, Size size, std::int64_t frame = 0) {
  const FigureContext& figure = stage.figure;
  const Rectangle all{0, 0, static_cast<int>(figure.grid[0]), static_cast<int>(figure.grid[1])};
  if (!has_grid(stage)) return FieldPart();
  if (figure.line) return FieldPart(*figure.within);
  const Rectangle place = place_of(stage, size);
  const FieldWindow window = window_of(figure, stage.cell_aspect, {place.width, place.height}, frame);
  return {window.first, window.count, figure.within.value_or(all)};
}

template <class Painter, class Shown>
constexpr bool paints = std::is_same_v<Painter, ParticlePainter> == requires(const Shown& shown) {
  shown.position;
};

[[noreturn]] void refuse_view() { throw std::logic_error("the solver shows something else than its plan says"); }

// What `on_field` makes of a painter of fields and a field, or `on_bodies` of one of bodies and bodies.
template <class Result, class OnField, class OnBodies>
Result by_kind(Painter& painter, const View& view, const OnField& on_field, const OnBodies& on_bodies) {
  return std::visit(
      [&]<class Own, class Shown>(Own& own, const Shown& shown) -> Result {
        if constexpr (!paints<Own, Shown>)
          refuse_view();
        else if constexpr (std::is_same_v<Own, ParticlePainter>)
          return on_bodies(own, shown);
        else
          return on_field(own, shown);
      },
      painter, view);
}

}  // namespace

Rasterizer::Rasterizer(const Executor& executor, const ViewOptions& view, const DrawContext& stage,
                       const std::optional<Viewport>& viewport)
    : executor_(executor),
      map_(colors_of(view)),
      figure_(stage.figure.options.given ? std::make_unique<Figure>(executor, view, stage, map_) : nullptr),
      viewport_(figure_ ? figure_->viewport() : viewport.value_or(Viewport::whole(view.size))),
      overlays_(make_overlays(executor, view, stage, viewport_, figure_.get())),
      view_(sized(view, viewport_.size())),
      seen_(part_of(stage, view_.size)),
      needs_field_(needs_field(view, stage.figure)),
      followed_part_(std::min(1.0, 1 / (0.25 * stage.animation.fps()))),
      painter_(make_painter(executor, view_, stage)) {
  if (!stage.figure.keys.empty()) moving_ = stage;
  if (overlays_ && stage.animation.held() > 0) last_ = stage.animation.end() - 1;
  set_layouts({});
  if (const FigureContext& figure = stage.figure; figure.line)
    line_ = {*figure.line, static_cast<int>(figure.grid[0]),
             Buffer<double>(executor, static_cast<std::size_t>(figure.grid[0]))};
  if (const FigureContext& figure = stage.figure; figure.options.space_time) {
    space_time_ = {line_->columns, static_cast<int>(figure.grid[1]),
                   Buffer<double>(executor, space_time_bytes(stage) / sizeof(double)), FieldPart()};
    const std::vector<double> none(static_cast<std::size_t>(space_time_->columns),
                                   std::numeric_limits<double>::quiet_NaN());
    for (int row = 0; row < space_time_->rows; ++row)
      executor.copy(space_time_->values.data() + static_cast<std::ptrdiff_t>(row) * space_time_->columns, none.data(),
                    none.size() * sizeof(double));
  }
  map_colors_ = static_cast<int>(shaped_size(view, map_.size() - extra_colors));
  colors_ = Buffer<Color>(executor, static_cast<std::size_t>(map_colors_) + extra_colors);
  if (!is_shaped(view)) colors_.upload(map_.data());
  if (figure_ && figure_->inset()) {
    const Rectangle& inset = *figure_->inset();
    const Size size{inset.width, inset.height};
    inset_ = FieldPart(figure_->inset_cells());
    inset_painter_ =
        std::make_unique<FieldPainter>(executor, sized(view, size), Viewport::whole(size).area, hues_of(view));
  }
  if (view.range == RangeMode::fixed) set_range({view.low, view.high});
}

std::size_t Rasterizer::memory_bytes(const Executor& executor, const ViewOptions& view, const DrawContext& stage,
                                     const std::vector<PixelLayout>& layouts) {
  return pixel_count(view.size) * Depths(layouts).pixel_bytes() *
             (1 + stage.animation.fades() + (stage.animation.held() > 0 && !stage.figure.overlays.empty())) +
         space_time_bytes(stage) + color_count(view) * sizeof(Color) + Figure::memory_bytes(view, stage) +
         Overlays::memory_bytes(view, stage) +
         (stage.bodies > 0 ? ParticlePainter::memory_bytes(executor, view, stage)
                           : FieldPainter::memory_bytes(view, stage.figure.grid)) +
         (stage.figure.options.inset && stage.bodies == 0
              ? FieldPainter::memory_bytes(sized(view, Figure::largest_inset(view.size)), stage.figure.grid)
              : 0);
}

void Rasterizer::set_layouts(const std::vector<PixelLayout>& layouts) {
  const Depths depths(layouts);
  const auto resize = [&]<class Pixel>(Buffer<Pixel>& canvas, bool wanted) {
    const std::size_t pixels = wanted ? pixel_count(viewport_.canvas) : 0;
    if (canvas.size() == pixels) return;
    canvas = Buffer<Pixel>(executor_, pixels);
  };
  resize(canvas_, depths.shallow);
  resize(deep_canvas_, depths.deep);
  margins_clear_ = viewport_.size() == viewport_.canvas;
}

void Rasterizer::clear_around(const Rectangle& painted) {
  const Viewport whole = Viewport::whole(viewport_.canvas);
  const OverlayBase base{painted, view_.background};
  if (canvas_.size() > 0) simreel::clear_around(executor_, base, whole.of(canvas_.data()));
  if (deep_canvas_.size() > 0) simreel::clear_around(executor_, base, whole.of(deep_canvas_.data()));
}

// What lay over them in the frame before, or nothing that was ever drawn.
void Rasterizer::clear_margins() {
  if (!std::exchange(margins_clear_, true)) clear_around(viewport_.area);
}

RangeMode Rasterizer::range_mode() const {
  const auto* particles = std::get_if<ParticlePainter>(&painter_);
  return particles ? particles->range_mode() : view_.range;
}

View Rasterizer::measured(const View& view) {
  if (!line_) return view;
  line_->row.upload(values_along(view).values.data());
  return FieldView<double>{line_->row.data(), line_->columns, 1, static_cast<std::size_t>(line_->columns)};
}

HostField Rasterizer::values_along(const View& view) {
  return along(executor_, seen(view), line_->ends, line_->columns, view_.interpolation);
}

Interval Rasterizer::measure(const View& view, std::int64_t frame) {
  return by_kind<Interval>(
      painter_, measured(view), [](auto& painter, const auto& field) { return painter.measure(field); },
      [&](auto& painter, const auto& bodies) { return painter.measure(bodies, frame); });
}

bool Rasterizer::fits_all_frames() const {
  const auto* particles = std::get_if<ParticlePainter>(&painter_);
  return particles && particles->fits_all_frames();
}

Reach Rasterizer::measure_reach(const View& view) {
  return by_kind<Reach>(
      painter_, view, [](auto&, const auto&) -> Reach { refuse_view(); },
      [](auto& painter, const auto& bodies) { return painter.measure_reach(bodies); });
}

void Rasterizer::set_reach(const Reach& reach) { std::get<ParticlePainter>(painter_).set_reach(reach); }

Spread Rasterizer::measure_spread(const View& view) {
  return by_kind<Spread>(
      painter_, measured(view), [](auto& painter, const auto& field) { return painter.measure_spread(field); },
      [](auto&, const auto&) -> Spread { refuse_view(); });
}

// Whether the range must be above 0. The density of bodies is 0 in most places, and its tone curve handles 0.
bool Rasterizer::log_range() const {
  const auto* particles = std::get_if<ParticlePainter>(&painter_);
  return view_.scale == Scale::log && !(particles && particles->shows_density());
}

void Rasterizer::set_range(Interval range) {
  if (!view_.hue.empty() && view_.range != RangeMode::fixed && !log_range())  // black at 0
    range = {0, range.high > 0 || !std::isfinite(range.high) ? range.high : 1};
  if (view_.center && range.low <= range.high)
    range = {std::min(range.low, *view_.center), std::max(range.high, *view_.center)};
  if (log_range() && range.low <= range.high && !(range.low > 0))
    throw UsageError(
        "{}the range of values is {}, and scale = \"log\" in [view] needs one above 0; set range = [low, high] with "
        "low > 0, or take scale = \"symlog\", \"asinh\" or \"sqrt\"",
        view_.range_position.before(), range_text(range.low, range.high));
  range_ = usable_range(range, log_range());
  if (log_range() && !(range_.low > 0)) range_.low = std::numeric_limits<double>::min();
  if (view_.linear_width > 0)
    AxisRange{range_.low, range_.high, curve_of(view_.scale), view_.linear_width}.check_places(
        view_.range_position.before() + "the range of the colours");
  if (view_.range != RangeMode::follow) fit();
}

// What must not change in a video is fitted to one range: if that follows, to the first that is known.
void Rasterizer::fit() {
  fitted_ = range_;
  auto* const painter = std::get_if<FieldPainter>(&painter_);
  if (!painter || !view_.classes.empty()) return;
  const double quiet = std::clamp(0.0, range_.low, range_.high);
  const Color color = color_of(view_, {map_.begin(), map_.end() - extra_colors}, range_, quiet);
  const bool both_signs = range_.low < 0 && range_.high > 0;
  painter->fit(color, both_signs);
  if (inset_painter_) inset_painter_->fit(color, both_signs);
}

void Rasterizer::follow(Interval now) {
  const auto part = [this](double from, double to) { return from + (to - from) * followed_part_; };
  const bool known = followed_.low < followed_.high;
  if (!known)
    followed_ = now;
  else if (now.low <= now.high)
    followed_ = {part(followed_.low, now.low), part(followed_.high, now.high)};
  set_range(followed_);
  if (!known) fit();
}

void Rasterizer::save(Checkpoint& checkpoint) const {
  checkpoint.save_value("range", range_);
  if (view_.range == RangeMode::follow) {
    checkpoint.save_value("followed range", followed_);
    checkpoint.save_value("fitted range", fitted_);
  }
  if (space_time_) checkpoint.save("space_time", space_time_->values);
  if (const auto* particles = std::get_if<ParticlePainter>(&painter_)) particles->save(checkpoint);
}

bool Rasterizer::load(const Checkpoint& checkpoint) {
  if (!checkpoint.has("range")) return false;
  if (view_.range == RangeMode::follow) {
    followed_ = checkpoint.load_value<Interval>("followed range");
    range_ = checkpoint.load_value<Interval>("fitted range");
    fit();
  }
  set_range(checkpoint.load_value<Interval>("range"));
  if (space_time_) checkpoint.load("space_time", space_time_->values);
  if (auto* particles = std::get_if<ParticlePainter>(&painter_)) particles->load(checkpoint);
  return true;
}

void Rasterizer::forget_last() {
  if (auto* particles = std::get_if<ParticlePainter>(&painter_)) particles->forget_last();
}

// Uploads the map of the range, where it depends on that.
void Rasterizer::shape_map() {
  if (!is_shaped(view_) || (shaped_for_ && shaped_for_->low == range_.low && shaped_for_->high == range_.high)) return;
  std::vector<Color> colors = shaped_map(view_, {map_.begin(), map_.end() - extra_colors}, range_);
  colors.insert(colors.end(), map_.end() - extra_colors, map_.end());
  const Veil veil(view_, range_);
  if (!view_.under) colors.end()[-extra_colors] = veil(colors.end()[-extra_colors], 0);
  if (!view_.over) colors.back() = veil(colors.back(), 1);
  executor_.wait();  // the old ones may still be in use
  colors_.upload(colors.data());
  shaped_for_ = range_;
}

void Rasterizer::aim(DrawContext& stage, const ViewOptions& view) { simreel::aim(stage, view); }

void Rasterizer::aim(std::int64_t frame) {
  if (moving_) seen_ = part_of(*moving_, view_.size, frame);
}

std::size_t Rasterizer::space_time_bytes(const DrawContext& stage) {
  const auto [columns, rows] = stage.figure.grid;
  return stage.figure.options.space_time
             ? static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows) * sizeof(double)
             : 0;
}

void Rasterizer::keep_row(const View& view, std::int64_t frame) {
  if (!space_time_ || frame >= space_time_->rows) return;
  const HostField row = values_along(view);
  executor_.copy(space_time_->values.data() + frame * space_time_->columns, row.values.data(),
                 row.values.size() * sizeof(double));
}

View Rasterizer::shown(const View& view) const {
  if (!space_time_) return view;
  const auto& [columns, rows, values, all] = *space_time_;
  return FieldView<double>{values.data(), columns, rows, static_cast<std::size_t>(columns)};
}

void Rasterizer::draw(const View& view, std::int64_t frame) {
  keep_row(view, frame);
  aim(frame);
  if (figure_ && !figure_->shows_colors()) return clear_around({});
  clear_margins();
  shape_map();
  const Canvases canvases = this->canvases();
  const auto draw = [&](auto& painter, const auto& shown, auto& when_or_where) {
    painter.draw(shown, when_or_where, range_, colors_.data(), map_colors_, canvases);
  };
  by_kind<void>(
      painter_, shown(view),
      [&](auto& painter, const auto& field) { draw(painter, field, space_time_ ? space_time_->all : seen_); },
      [&](auto& painter, const auto& bodies) { draw(painter, bodies, frame); });
}

void Rasterizer::take_hue(int part, const View& view) {
  if (figure_ && figure_->wants_hue()) return figure_->take_hue(part, seen(view));
  by_kind<void>(
      painter_, view,
      [&](auto& painter, const auto& field) {
        painter.take_hue(part, field);
        if (inset_painter_) inset_painter_->take_hue(part, field);
      },
      [](auto&, const auto&) { refuse_view(); });
}

void Rasterizer::remember(const View& view, std::int64_t frame) {
  keep_row(view, frame);
  by_kind<void>(
      painter_, view, [](auto&, const auto&) {},
      [&](auto& painter, const auto& bodies) { painter.draw(bodies, frame, range_, nullptr, 0, {}); });
}

std::optional<Size> Rasterizer::divided_size(const ViewOptions& view, const DrawContext& stage) {
  if (!has_grid(stage) || needs_field(view, stage.figure)) return {};
  const Size size = stage.figure.options.given ? Figure::viewport(view, stage, colors_of(view)).size() : view.size;
  return FieldPainter::shrunk(part_of(stage, size), place_of(stage, size));
}

std::optional<Size> Rasterizer::divided_size() const {
  const auto* const painter = std::get_if<FieldPainter>(&painter_);
  return painter && !needs_field_ ? painter->shrunk(seen_) : std::nullopt;
}

std::size_t Rasterizer::color_count(const ViewOptions& view) {
  return shaped_size(view, colors_of(view).size() - extra_colors) + extra_colors;
}

std::optional<FieldPicture> Rasterizer::divided_picture() const {
  const std::optional<Size> size = divided_size();
  if (!size) return {};
  FieldPicture picture = std::get<FieldPainter>(painter_).picture(*size, seen_, range_, map_colors_);
  picture.shallow = canvas_.size() > 0;
  picture.deep = deep_canvas_.size() > 0;
  return picture;
}

void Rasterizer::put(const FieldRows& rows) {
  clear_margins();
  std::get<FieldPainter>(painter_).put(rows, canvases());
}

void Rasterizer::show(const Color* picture) {
  if (canvas_.size() > 0) executor_.copy(canvas_.data(), picture, canvas_.bytes());
  if (deep_canvas_.size() > 0) deepen(executor_, picture, viewport_.canvas, deep_canvas_.data());
}

// What of a view is in the picture.
View Rasterizer::seen(const View& view) {
  return std::visit(
      [&]<class Shown>(const Shown& shown) -> View {
        if constexpr (paints<FieldPainter, Shown>)
          return seen_.of(shown);
        else
          return shown;
      },
      view);
}

template <class Real>
void Rasterizer::draw_inset(const FieldView<Real>& field) {
  const Viewport viewport{viewport_.canvas, *figure_->inset()};
  inset_painter_->draw(field, inset_, range_, colors_.data(), map_colors_,
                       {viewport.of(canvas_.data()), viewport.of(deep_canvas_.data())});
}

void Rasterizer::write_figure(const View& view, const FrameFacts& facts, Page* page) {
  if (figure_ && inset_painter_ && figure_->shows_picture())
    std::visit(
        [&]<class Shown>(const Shown& shown) {
          if constexpr (paints<FieldPainter, Shown>) draw_inset(shown);
        },
        view);
  if (page) download_picture(*page);
  if (overlays_ && viewport_.size() != viewport_.canvas) clear_around(viewport_.area);
  const Viewport whole = Viewport::whole(viewport_.canvas);
  if (figure_)
    figure_->draw(space_time_ ? shown(view) : seen(view), range_, facts, whole.of(canvas_.data()),
                  whole.of(deep_canvas_.data()), page);
  if (overlays_)
    if (const std::vector<std::size_t> bodies = overlays_->followed(); !bodies.empty())
      std::visit(
          [&]<class Shown>(const Shown& shown) {
            if constexpr (paints<ParticlePainter, Shown>)
              overlays_->set_places(std::get<ParticlePainter>(painter_).places(shown, facts.frame, bodies));
          },
          view);
  lay_over(facts, page);
}

void Rasterizer::lay_over(const FrameFacts& facts, Page* page) {
  if (!overlays_) return;
  if (facts.frame == last_) {
    const auto keep = [&]<class Pixel>(const Buffer<Pixel>& canvas, Buffer<Pixel>& bare) {
      if (canvas.size() == 0) return;
      if (bare.size() == 0) bare = Buffer<Pixel>(executor_, canvas.size());
      executor_.copy(bare.data(), canvas.data(), canvas.bytes());
    };
    keep(canvas_, bare_), keep(deep_canvas_, deep_bare_);
  }
  const Viewport whole = Viewport::whole(viewport_.canvas);
  overlays_->draw(facts, whole.of(canvas_.data()), whole.of(deep_canvas_.data()));
  if (page) std::ranges::move(overlays_->marks(facts), std::back_inserter(page->marks));
}

bool Rasterizer::lay_over_held(const FrameFacts& facts, Page* page) {
  if (facts.frame != last_ || overlays_->shows(facts)) return false;
  if (bare_.size() > 0) executor_.copy(canvas_.data(), bare_.data(), bare_.bytes());
  if (deep_bare_.size() > 0) executor_.copy(deep_canvas_.data(), deep_bare_.data(), deep_bare_.bytes());
  if (page) std::erase_if(page->marks, [](const Mark& mark) { return mark.key == "overlay"; });
  lay_over(facts, page);
  return true;
}

Page Rasterizer::write_page(const View& view, const FrameFacts& facts) {
  Page page;
  write_figure(view, facts, &page);
  return page;
}

// What the painters drew, before anything is written over it.
void Rasterizer::download_picture(Page& page) const {
  const Rectangle& area = viewport_.area;
  const auto in = [](int v) { return static_cast<std::size_t>(v); };
  std::vector<Color> canvas(pixel_count(viewport_.canvas));
  executor_.copy(canvas.data(), canvas_.data(), canvas.size() * sizeof(Color));
  page.size = viewport_.canvas;
  page.background = view_.background;
  page.field = area;
  page.pixels.reserve(in(area.width) * in(area.height));
  for (int y = area.y; y < area.y + area.height; ++y) {
    const auto row = canvas.begin() + static_cast<std::ptrdiff_t>(in(y)*in(viewport_.canvas.width) + in(area.x));
    page.pixels.insert(page.pixels.end(), row, row + area.width);
  }
}

FigureOptions::Theme Rasterizer::theme_on(Color background) { return theme_of(background); }

Size Rasterizer::picture_size(const ViewOptions& view, const DrawContext& stage) {
  return Figure::picture_size(view, stage, colors_of(view));
}

void Rasterizer::fade(int share) {
  fades_ = share < AnimationOptions::fade_whole;
  const auto apply = [&]<class Pixel>(const Buffer<Pixel>& canvas, Buffer<Pixel>& faded) {
    if (!fades_ || canvas.size() == 0) return;
    if (faded.size() == 0) faded = Buffer<Pixel>(executor_, canvas.size());
    fade_pixels(executor_, canvas.data(), viewport_.canvas, view_.background, share, AnimationOptions::fade_whole,
                faded.data());
  };
  apply(canvas_, faded_);
  apply(deep_canvas_, deep_faded_);
}

void Rasterizer::convert(PixelLayout layout, std::byte* to) const {
  if (is_deep(layout))
    convert_pixels(executor_, (fades_ ? deep_faded_ : deep_canvas_).data(), viewport_.canvas, view_.background, layout,
                   to);
  else
    convert_pixels(executor_, (fades_ ? faded_ : canvas_).data(), viewport_.canvas, view_.background, layout, to);
}

std::optional<std::string> Rasterizer::unseen(const View& view, std::int64_t frame) {
  using Reason = std::optional<std::string>;
  return by_kind<Reason>(
      painter_, view, [](auto&, const auto&) { return Reason(); },
      [&](auto& painter, const auto& bodies) { return painter.unseen(bodies, frame); });
}

std::optional<std::string> Rasterizer::unseen_contours() const {
  return figure_ ? figure_->unseen_contours() : std::nullopt;
}

std::vector<std::string> Rasterizer::findings() const {
  const auto* particles = std::get_if<ParticlePainter>(&painter_);
  return particles ? particles->findings() : std::vector<std::string>();
}

}  // namespace simreel
