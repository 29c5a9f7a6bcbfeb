#include "figure/figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "figure/colorbar.h"
#include "figure/contour_labels.h"
#include "figure/space.h"
#include "figure/streamlines.h"
#include "figure/style.h"
#include "kernels/base/blend.h"
#include "kernels/base/elementary.h"
#include "raster/color/colormap.h"
#include "raster/shaped_map.h"
#include "raster/window.h"

namespace simreel {
namespace {

constexpr std::u32string_view number_letters = U"0123456789.e+\u2212naif";
constexpr std::u32string_view date_letters = U"0123456789-:/., TZJFMASONDabceglnoprtuvy";

bool lies_over(const Rectangle& field, const Rectangle& box) { return box.y < field.y + field.height; }

// Makes a page as large as its marks.
void crop(Page& page) {
  constexpr int margin = 2;
  int left = page.size.width, top = page.size.height, right = 0, bottom = 0;
  for (const Mark& mark : page.marks) {
    const Rectangle box = extent_of(mark);
    if (box.width == 0) continue;
    left = std::min(left, box.x), right = std::max(right, box.x + box.width);
    top = std::min(top, box.y), bottom = std::max(bottom, box.y + box.height);
  }
  for (Mark& mark : page.marks) move(mark, margin - left, margin - top);
  page.size = {right - left + 2 * margin, bottom - top + 2 * margin};
  page.field = {};
}

TimeText read_time(const DrawContext& stage) {
  try {
    return TimeText(stage);
  } catch (const UsageError& error) {
    const FigureOptions& options = stage.figure.options;
    throw UsageError("{}\"time\" in [figure]: {}", options.position_of("time").before(), error.what());
  }
}

}  // namespace

Spans spans_of(const Sheet& sheet) {
  Spans all;
  for (std::size_t y = 0; y < sheet.size(); ++y) {
    const std::vector<Color>& row = sheet[y];
    for (std::size_t x = 0; x < row.size(); ++x) {
      if (row[x].a == 0) continue;
      OverlaySpan span{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), 0,
                       static_cast<std::int32_t>(all.colors.size())};
      for (; x < row.size() && row[x].a > 0 && span.length < OverlaySpan::max; ++x, ++span.length)
        all.colors.push_back(row[x]);
      --x;
      all.spans.push_back(span);
    }
  }
  return all;
}

Figure::Figure(const Executor& executor, const ViewOptions& view, const DrawContext& stage, std::vector<Color> colors)
    : executor_(executor),
      view_(view),
      stage_(stage),
      colors_(std::move(colors)),
      time_(read_time(stage_)),
      layout_(lay_out(view_, stage_, time_, color_axis({}))) {
  fill_atlas();
}

std::size_t Figure::memory_bytes(const ViewOptions& view, const DrawContext& stage) {
  if (!stage.figure.options.given) return 0;
  // Measured: text and axes cover up to a twentieth of a picture, a plate with a bar inside up to a fifth.
  const std::size_t pixels = pixel_count(view.size);
  const bool inside = stage.figure.options.colorbar == FigureOptions::Bar::inside;
  return pixels / (inside ? 4 : 10) * sizeof(Color);
}

std::vector<Color> colors_of(const ViewOptions& view) {
  std::vector<Color> colors = load_colormap(view.hue.empty() ? view.colormap : "gray", view.colormap_position.text());
  const Color under = under_of(view, colors), over = over_of(view, colors);
  for (const Color color : {under, view.nan, over}) colors.push_back(blend(color, view.background));
  return colors;
}

std::vector<Color> hues_of(const ViewOptions& view) {
  if (view.hue.empty()) return {};
  std::vector<Color> hues = load_colormap(view.colormap, view.colormap_position.text());
  const auto apart = [](int a, int b) { return std::abs(a - b) > 32; };
  const Color first = hues.front(), last = hues.back();
  if (apart(first.r, last.r) || apart(first.g, last.g) || apart(first.b, last.b))
    throw UsageError(
        "{}\"colormap\" in [view] is {}, whose ends differ, and \u03C0 and \u2212\u03C0 are one angle; take \"phase\", "
        "\"dusk\", \"romaO\" or \"vikO\"",
        view.colormap_position.before(), quote(view.colormap));
  return hues;
}

ColorAxis axis_of(const ViewOptions& view, const DrawContext& stage, const std::vector<Color>& colors,
                  std::optional<Interval> range) {
  ColorAxis axis;
  const bool bodies = stage.bodies > 0, density = bodies && stage.figure.field == "density";
  axis.range_is_fixed = view.range == RangeMode::fixed && !(bodies && !view.range_given);
  axis.shows_groups = bodies && stage.figure.field == "group";
  axis.map.assign(colors.begin(), colors.end() - 3);
  axis.hues = hues_of(view);
  if (stage.figure.options.curve && !axis.hues.empty()) {
    axis.angles = true;
    axis.map = std::exchange(axis.hues, {});
  }
  if (!range && axis.range_is_fixed) range = Interval{view.low, view.high};
  // Values beyond the ends can occur, unless these are the extremes of all frames.
  const RangeMode mode = bodies && !view.range_given ? RangeMode::first : view.range;
  const std::vector<Color> class_list = class_colors(view, axis.map);
  for (std::size_t i = 0; i < class_list.size(); ++i) axis.classes.emplace_back(view.classes[i].name, class_list[i]);
  if (!axis.shows_groups && axis.classes.empty() && view.hue.empty() && (mode != RangeMode::global || density)) {
    if (!density) axis.under = colors[colors.size() - 3];
    axis.over = colors.back();
  }
  if (std::ranges::find(view.field_keys, "nan", &GivenKey::key) != view.field_keys.end())
    axis.nan = colors[colors.size() - 2];
  const bool even = view.range == RangeMode::symmetric || view.follows_evenly;
  axis.both_signs = even || view.center;
  axis.has_powers = view.scale != Scale::linear && view.scale != Scale::sqrt;
  axis.has_powers |= density && !(view.light.tone == Scale::linear || view.light.tone == Scale::sqrt);
  const FigureOptions& options = stage.figure.options;
  const double factor = options.units.factor;
  const auto check = [&](const AxisRange& shown) {
    // A range that is found of equal values is widened where it is drawn.
    if (options.colorbar != FigureOptions::Bar::none && shown.low != shown.high)
      shown.check_places(options.position_of("colorbar").before() + "the colour bar");
  };
  if (const auto& e = stage.figure.expected; e && (*e)[0] < (*e)[1] && !bodies && !axis.has_powers) {
    const double reach = std::max(std::abs((*e)[0]), std::abs((*e)[1]));
    axis.both_signs |= (*e)[0] < 0;
    axis.expected = AxisRange{(even ? -reach : (*e)[0]) * factor, (even ? reach : (*e)[1]) * factor};
    constexpr double found = std::numeric_limits<double>::max() / 4;  // no larger range is found
    if (reach <= found) check(*axis.expected);
  }
  if (!range) return axis;
  Curve curve = curve_of(view.scale);
  double width = view.linear_width > 0 ? view.linear_width : (range->high - range->low) / 100;
  double shift = 0;
  if (density) {  // as ParticlePainter::draw
    curve = view.light.tone ? curve_of(*view.light.tone) : view.scale_given ? curve : Curve::asinh;
    if (!(view.linear_width > 0)) width = (range->high - range->low) / view.light.contrast;
    if (curve == Curve::log && range->low == 0) shift = width;
  }
  if (is_shaped(view) && axis.classes.empty() && !axis.angles) {
    const std::vector<Color> entries = shaped_map(view, axis.map, *range);
    const Veil veil(view, *range);
    if (axis.under && !view.under) axis.under = veil(*axis.under, 0);
    if (axis.over && !view.over) axis.over = veil(*axis.over, 1);
    axis.bands = band_places(view, *range);
    if (axis.bands.empty())
      axis.map = entries;
    else
      axis.map.clear();
    for (std::size_t i = 0; i + 1 < axis.bands.size(); ++i)
      axis.map.push_back(entries[static_cast<std::size_t>(0.5 * (axis.bands[i] + axis.bands[i + 1]) *
                                                          static_cast<double>(entries.size() - 1))]);
    for (const double level : view.levels) axis.levels.push_back(level * factor);
  }
  axis.range = AxisRange{range->low * factor, range->high * factor, curve, width * factor, shift * factor};
  check(*axis.range);
  if (axis.shows_groups) axis.groups = std::max(1, rounded_to_int(range->high) + 1);
  return axis;
}

std::vector<Rectangle> Figure::labels_inside() const {
  std::vector<Rectangle> found;
  for (const Mark& mark : layout_.marks)
    if (mark.key == "plate") found.push_back(extent_of(mark));
  if (layout_.arrow_key && lies_over(layout_.field, *layout_.arrow_key)) found.push_back(*layout_.arrow_key);
  if (layout_.inset) found.push_back(*layout_.inset);
  return found;
}

ColorAxis Figure::color_axis(std::optional<Interval> range) const { return axis_of(view_, stage_, colors_, range); }

Viewport Figure::viewport(const ViewOptions& view, const DrawContext& stage, const std::vector<Color>& colors) {
  return {view.size, lay_out(view, stage, read_time(stage), axis_of(view, stage, colors, {})).field};
}

Size Figure::picture_size(const ViewOptions& given, const DrawContext& stage, const std::vector<Color>& colors) {
  const FigureOptions& options = stage.figure.options;
  if (!options.width) return given.size;
  ViewOptions view = given;
  constexpr int min = 16, max = 16384;
  const auto side = [&](double pixels) { return static_cast<int>(std::clamp(pixels, 1.0 * min, 1.0 * max)); };
  view.size.width = side(std::round(*options.width / FigureOptions::mm_per_inch * options.dpi));
  view.size.height = side(std::round(static_cast<double>(view.size.width) * given.size.height / given.size.width));
  if (stage.bodies > 0 || stage.figure.covers || options.aspect == FigureOptions::Aspect::automatic) return view.size;
  // A field that has more height than it needs fills the width.
  view.size.height = max;
  view.size.height -= lay_out(view, stage, read_time(stage), axis_of(view, stage, colors, {})).unused_rows;
  return view.size;
}

void Figure::draw(const View& view, Interval range, const FrameFacts& facts, const Canvas<Color>& shallow,
                  const Canvas<DeepColor>& deep, Page* page) {
  if (stage_.figure.options.curve && view_.range != RangeMode::fixed && view_.scale == Scale::linear) {
    const double margin = 0.04 * (range.high - range.low);
    range = {range.low - margin, range.high + margin};
  }
  if (!shown_ || shown_->low != range.low || shown_->high != range.high) {
    FigureLayout found = lay_out(view_, stage_, time_, color_axis(range));
    marks_ = std::move(found.marks);
    layout_.numbers = std::move(found.numbers);  // the label of the bar may leave them less room
    if (stage_.figure.options.only == FigureOptions::Only::colorbar)
      std::erase_if(marks_, [](const Mark& mark) { return !is_among(mark.key, "colorbar label plate"); });
    shown_ = range;
    spare_.clear();
  }
  if (std::vector<int> spare = spare_room(facts); spare_.empty() || spare != spare_) {
    spare_ = std::move(spare);
    Marks closed = marks_;
    for (Mark& mark : closed)
      if (auto* const label = std::get_if<Label>(&mark.what); label && mark.key == "time")
        label->origin.x += shift_at(label->origin.x / fine) * fine;
    upload(closed);
  }
  const OverlayBase base{layout_.field, view_.background};
  Lines found = lines_of(view, range, facts.frame);
  const Spans lines = spans_of_lines(found);
  if (page) write_page(*page, std::move(found), facts);
  // Buffers grow and never shrink, so most frames allocate nothing.
  if (lines.spans.size() > line_spans_.size()) line_spans_ = Buffer<OverlaySpan>(executor_, 2 * lines.spans.size());
  if (lines.colors.size() > line_colors_.size()) line_colors_ = Buffer<Color>(executor_, 2 * lines.colors.size());
  if (!lines.spans.empty()) {
    executor_.copy(line_spans_.data(), lines.spans.data(), lines.spans.size() * sizeof(OverlaySpan));
    executor_.copy(line_colors_.data(), lines.colors.data(), lines.colors.size() * sizeof(Color));
  }
  const auto blend = [&](const auto& canvas) {
    if (!canvas.pixels) return;
    blend_spans(executor_, line_spans_.data(), static_cast<int>(lines.spans.size()), line_colors_.data(), base, canvas);
    blend_spans(executor_, spans_.data(), static_cast<int>(spans_.size()), span_colors_.data(), base, canvas);
  };
  if (std::ranges::any_of(layout_.numbers, [](const NumberPlace& place) { return place.number.loose; })) {
    // Margins are not redrawn: clears the text where it stood before.
    GlyphLine line;
    line.box = layout_.numbers.front().box;
    const int end = layout_.numbers.back().box.x + layout_.numbers.back().box.width;
    for (const Mark& mark : marks_)
      if (const auto* const label = std::get_if<Label>(&mark.what); label && mark.key == "time")
        line.box.x = std::max(0, std::min(line.box.x, label->origin.x / fine - 2));
    line.box.width = end - line.box.x;
    line.color = layout_.numbers.front().color;
    if (shallow.pixels) blend_glyphs(executor_, line, atlas_.data(), base, shallow);
    if (deep.pixels) blend_glyphs(executor_, line, atlas_.data(), base, deep);
  }
  blend(shallow);
  blend(deep);
  if (stage_.figure.options.only == FigureOptions::Only::colorbar) return;
  for (std::size_t i = 0; i < layout_.numbers.size(); ++i) {
    const NumberPlace& place = layout_.numbers[i];
    GlyphLine line;
    line.box = place.box;
    line.box.x += shift_at(place.box.x) + spare_[i];
    line.box.width -= spare_[i];
    line.color = place.color;
    const std::u32string text = decoded(time_.write(place.number, facts));
    int x = line.box.width;
    for (std::size_t k = text.size(); k-- > 0 && line.count < GlyphLine::max;) {
      const auto letter = std::ranges::find(letters_[i], text[k], &Letter::code);
      if (letter == letters_[i].end()) continue;
      x -= letter->advance;
      line.glyphs[line.count++] = {x + letter->left, letter->width, letter->first};
    }
    if (shallow.pixels) blend_glyphs(executor_, line, atlas_.data(), base, shallow);
    if (deep.pixels) blend_glyphs(executor_, line, atlas_.data(), base, deep);
  }
}

// The room that loose numbers leave. Never empty.
std::vector<int> Figure::spare_room(const FrameFacts& facts) const {
  std::vector<int> spare(layout_.numbers.size() + 1);
  for (std::size_t i = 0; i < layout_.numbers.size(); ++i)
    if (const NumberPlace& place = layout_.numbers[i]; place.number.loose)
      spare[i] = std::max(0, place.box.width - width_of(time_.write(place.number, facts), place.number, place.size));
  return spare;
}

// How far what begins at column `x` of the line moves to the right, towards the numbers after it.
int Figure::shift_at(int x) const {
  int shift = 0;
  for (std::size_t i = 0; i < layout_.numbers.size(); ++i)
    if (layout_.numbers[i].box.x > x) shift += spare_[i];
  return shift;
}

std::int32_t Figure::line_width() const {
  const FigureOptions& options = stage_.figure.options;
  if (options.line_width) return rounded_to_int(Path::per_pixel * options.line_width.pixels_at(options.dpi));
  return std::max(Path::per_pixel, style_of(view_, options).em * 4 * 7 / 100);
}

Color Figure::line_color() const {
  if (stage_.figure.options.curve)
    return stage_.figure.options.line_color.value_or(style_of(view_, stage_.figure.options).ink);
  return stage_.figure.options.line_color.value_or(simreel::line_color({colors_.begin(), colors_.end() - 3}));
}

Figure::Lines Figure::lines_of(const View& view, Interval range, std::int64_t frame) {
  const FigureOptions& options = stage_.figure.options;
  const Rectangle& f = layout_.field;
  Lines lines;
  if (options.only == FigureOptions::Only::colorbar) return lines;
  HostField field;
  std::vector<Contour> levels;
  const bool contours = options.contour_count > 0 || !options.contours.empty();
  if (contours || options.curve) field = host_field(view, frame);
  if (contours) levels = add_contours(field, range, lines);
  if (options.curve) {
    const ColorAxis axis = color_axis(range);
    add_curve(field, *axis.range, lines);
    if (axis.angles) {  // the curve lies over it
      lines.above.push_back({"picture", hued_area(field, axis)});
      for (const Stroke& stroke : clipped(std::exchange(lines.strokes, {}), f))
        lines.above.push_back({"picture", shape_of(stroke, line_color())});
    }
  }
  const ArrowScale scale = arrow_scale(vectors_[0], vectors_[1], std::max(1, options.arrows), f);
  if (options.arrows > 0)
    std::ranges::move(arrows_of(vectors_[0], vectors_[1], scale, f), std::back_inserter(lines.strokes));
  if (layout_.arrow_key) add_arrow_key(*layout_.arrow_key, scale, lines.above);
  if (options.streamlines)
    std::ranges::move(streamlines_of(vectors_[0], vectors_[1], f), std::back_inserter(lines.strokes));
  if (layout_.inset) add_inset_lines(field, levels, scale, lines.above);
  return lines;
}

// As far from each other as those of the picture, and arrows as long as there.
void Figure::add_inset_lines(HostField& field, const std::vector<Contour>& levels, const ArrowScale& scale,
                             Marks& marks) {
  const Rectangle &f = layout_.field, &in = *layout_.inset, &cells = layout_.inset_cells;
  const auto first = window_of(stage_.figure, stage_.cell_aspect, {f.width, f.height}).first;
  for (HostField* const each : {&field, &vectors_[0], &vectors_[1]}) {  // the next frame brings others
    each->left += cells.x - first[0], each->below += cells.y - first[1];
    each->width = cells.width, each->height = cells.height;
  }
  Strokes strokes;
  Marks labels;
  std::vector<Rectangle> taken;
  for (const Contour& contour : levels) add_contour(field, contour, in, taken, 0, strokes, labels);
  if (stage_.figure.options.arrows > 0)
    std::ranges::move(arrows_of(vectors_[0], vectors_[1], scale, in), std::back_inserter(strokes));
  if (stage_.figure.options.streamlines)
    std::ranges::move(
        streamlines_of(vectors_[0], vectors_[1], in,
                       1.0 * streamlines_across * std::max(in.width, in.height) / std::max(f.width, f.height)),
        std::back_inserter(strokes));
  for (const Stroke& stroke : clipped(std::move(strokes), in))
    marks.push_back({"inset", shape_of(stroke, line_color())});
  std::ranges::move(labels, std::back_inserter(marks));
}

HostField Figure::host_field(const View& view, std::int64_t frame) const {
  const Rectangle& f = layout_.field;
  if (stage_.figure.options.profile && stage_.figure.options.curve)
    return along(executor_, view, *stage_.figure.line, static_cast<int>(stage_.figure.grid[0]), view_.interpolation);
  const auto [first, count] = window_of(stage_.figure, stage_.cell_aspect, {f.width, f.height}, frame);
  return download(executor_, view, first, count);
}

// Levels below 0 are dashed, as lines of one colour do not say otherwise which they are.
bool Figure::add_contour(const HostField& field, const Contour& contour, const Rectangle& box,
                         std::vector<Rectangle>& taken, int group, Strokes& strokes, Marks& labels) const {
  const double width = line_width();
  std::vector<std::vector<Path::Point>> found = contour_lines(field, contour.level, box);
  if (contour.label)
    found = labelled(found, *contour.label, style_of(view_, stage_.figure.options), contour.level < 0, box, taken,
                     line_color(), labels);
  for (std::vector<Path::Point>& line : found) {
    Strokes pieces;
    if (contour.level < 0)
      pieces = dashed(line, 6 * width, 3 * width);
    else
      pieces.push_back({std::move(line)});
    for (Stroke& piece : pieces) {
      piece.group = group;
      strokes.push_back(std::move(piece));
    }
  }
  return !found.empty();
}

std::vector<Figure::Contour> Figure::add_contours(const HostField& field, Interval range, Lines& lines) {
  const FigureOptions& options = stage_.figure.options;
  const double factor = options.units.factor;
  std::vector<double> numbers = options.contours;  // in the unit of the bar
  std::vector<Contour> levels;                     // in that of the field
  seen_contours_.resize(numbers.size());
  if (options.contour_labels && options.contour_count > 0) {  // about so many, at values that are short to write
    const TickRoom room{.length = 1e6, .wanted = options.contour_count, .least = 1};
    const auto none = [](const std::string&) { return 0.0; };
    for (const Tick& tick : find_ticks({range.low * factor, range.high * factor}, room, none).ticks)
      numbers.push_back(tick.value);
  }
  for (const double number : numbers) levels.push_back({number / factor, {}});
  for (int i = 1; !options.contour_labels && i <= options.contour_count; ++i)
    levels.push_back({range.low + (range.high - range.low) * i / (options.contour_count + 1), {}});
  if (options.contour_labels) {
    const std::vector<std::string> texts = contour_texts(options, numbers);
    const int em = style_of(view_, options).em;
    for (std::size_t i = 0; i < levels.size(); ++i) levels[i].label = set_text(texts[i], em);
  }
  contoured_ = {HUGE_VAL, -HUGE_VAL};
  for (const double value : field.values)
    if (std::isfinite(value)) contoured_ = {std::min(contoured_.low, value), std::max(contoured_.high, value)};
  std::vector<Rectangle> taken;  // by the inset with its plates, and by labels
  if (layout_.inset) taken.push_back(*layout_.inset);
  for (const Mark& mark : marks_)
    if (const auto* const shape = std::get_if<Shape>(&mark.what); shape && shape->filled && mark.key == "inset")
      taken.push_back(extent_of(mark));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const bool seen =
        add_contour(field, levels[i], layout_.field, taken, static_cast<int>(i), lines.strokes, lines.labels);
    if (i < seen_contours_.size() && seen) seen_contours_[i] = true;
  }
  return levels;
}

// Of more cells than pixels, the least and the greatest value of those of half a pixel.
void Figure::add_curve(const HostField& field, const AxisRange& axis, Lines& lines) const {
  const Rectangle& f = layout_.field;
  const double factor = stage_.figure.options.units.factor;
  const int every = std::max(1, static_cast<int>(field.width / f.width));
  Stroke line;
  const auto end = [&] {
    if (line.points.size() > 1) lines.strokes.push_back(line);
    line.points.clear();
  };
  const auto add = [&](int i) {
    const double x = (i + 0.5 - field.left) / field.width, y = axis.place(field.at(i, 0) * factor);
    line.points.push_back(path_point(f.x + x * f.width, f.y + (1 - std::clamp(y, -1.0, 2.0)) * f.height));
  };
  for (int i = 0; i < field.nx; i += every) {
    int least = i, most = i;
    bool whole = true;
    for (int k = i; k < std::min(field.nx, i + every); ++k) {
      whole = whole && std::isfinite(field.at(k, 0));
      if (field.at(k, 0) < field.at(least, 0)) least = k;
      if (field.at(k, 0) > field.at(most, 0)) most = k;
    }
    if (!whole) {  // solid
      end();
      continue;
    }
    constexpr double half_turn = 3.14159265358979;  // an angle that goes on at the other end is no line
    if (stage_.figure.unit == "rad" && i > 0 && std::fabs(field.at(i, 0) - field.at(i - 1, 0)) > half_turn) end();
    add(std::min(least, most));
    if (least != most) add(std::max(least, most));
  }
  end();
}

// What lies under the curve, in the hues of its angles. Between cells both parts of the vector change evenly.
Image Figure::hued_area(const HostField& field, const ColorAxis& axis) const {
  constexpr double pi = 3.14159265358979;
  constexpr std::int64_t steps = 65536;
  const Rectangle& f = layout_.field;
  const double factor = stage_.figure.options.units.factor;
  // In rows from below, as `filled`: of 0, or of the lower end where the scale has no 0.
  const double zero = axis.range->place(0), base = std::isfinite(zero) ? std::clamp(zero, 0.0, 1.0) * f.height : 0;
  Image area{
      f, f.width, f.height,
      std::vector<Color>(static_cast<std::size_t>(f.width) * static_cast<std::size_t>(f.height), Color{0, 0, 0, 0})};
  for (int x = 0; x < f.width; ++x) {
    const double at = (x + 0.5) / f.width * field.width + field.left - 0.5;
    const int cell = std::clamp(static_cast<int>(at), 0, std::max(field.nx - 2, 0)),
              next = std::min(cell + 1, field.nx - 1);
    if (at < 0 || at > field.nx - 1) continue;  // beyond the ends of the curve
    const auto value = [&](const HostField& of) {
      return of.at(cell, 0) + (of.at(next, 0) - of.at(cell, 0)) * (at - cell);
    };
    const double top = axis.range->place(value(field) * factor), angle = exact::atan2(value(hues_[1]), value(hues_[0]));
    if (!std::isfinite(top) || !std::isfinite(angle)) continue;
    Color color = map_color(axis.map, std::llround((angle + pi) / (2 * pi) * steps), steps);
    const double filled = std::clamp(top, 0.0, 1.0) * f.height;  // rows from below
    for (int row = static_cast<int>(base); row < filled; ++row) {
      color.a = static_cast<std::uint8_t>(
          std::lround(255 * std::max(0.0, std::min(row + 1.0, filled) - std::max<double>(row, base))));
      area.pixels[static_cast<std::size_t>(f.height - 1 - row) * static_cast<std::size_t>(f.width) +
                  static_cast<std::size_t>(x)] = color;
    }
  }
  return area;
}

Shape Figure::shape_of(const Stroke& stroke, Color color) const {
  constexpr int part = Path::per_pixel / fine;
  Shape shape{{}, stroke.filled, line_width() / part, color};
  for (const Path::Point& p : stroke.points) shape.points.push_back({p.x / part, p.y / part});
  return shape;
}

void Figure::add_arrow_key(const Rectangle& box, const ArrowScale& scale, Marks& marks) const {
  const FigureOptions& options = stage_.figure.options;
  const bool over = lies_over(layout_.field, box);
  const FigureStyle style = over ? style_over_picture(view_, stage_.figure) : style_of(view_, options);
  // Beside the picture it hides the key of the frame before. Panels stand on white.
  const Color around = stage_.figure.theme_over_picture ? Color{255, 255, 255, 255} : view_.background;
  marks.push_back({"arrows", box_shape(box, over ? style.plate : around)});
  if (!(scale.fastest > 0)) return;
  double speed = layout_.arrow_key_speed;
  std::string text = options.arrow_key;
  if (speed == 0) {
    text = number_text(speed = round_length(scale.fastest).value());
    if (!stage_.figure.vector_unit.empty()) text += fmt::format(" {}", unit_text(stage_.figure.vector_unit));
  }
  const GlyphRun run = set_text(text, style.em);
  const int width = pixels_of(run.width), pad = over ? style.px(40) : 0;
  const double length = std::min(scale.length(speed), static_cast<double>(box.width - width - style.px(40) - 2 * pad));
  const double middle = box.y + box.height / 2.0, end = box.x + box.width - pad;
  for (const Stroke& stroke : arrow(end - length, middle, end, middle, scale))
    marks.push_back({"arrows", shape_of(stroke, style.ink)});
  const int x = static_cast<int>(end - length) - style.px(40) - width;
  marks.push_back(
      {"arrows", Label{run, {x * fine, (rounded_to_int(middle) + style.capital / 2) * fine}, {}, style.ink, 1}});
}

std::optional<std::string> Figure::unseen_contours() const {
  const FigureOptions& options = stage_.figure.options;
  std::vector<double> missing;
  for (std::size_t i = 0; i < seen_contours_.size(); ++i)
    if (!seen_contours_[i]) missing.push_back(options.contours[i]);
  if (missing.empty()) return {};
  const double factor = options.units.factor;
  return fmt::format(
      "{}\"contours\" in [figure] has {}, and no frame has {}: there is no such line. The last frame has values from "
      "{}",
      options.position_of("contours").before(), fmt::join(missing, ", "),
      missing.size() > 1 ? "these values" : "this value",
      fmt::join(told_apart(contoured_.low * factor, contoured_.high * factor), " to "));
}

// What the page shows next to the picture: the lines, the marks, and numbers as text.
void Figure::write_page(Page& page, Lines lines, const FrameFacts& facts) const {
  page.lines = std::move(lines.strokes);
  page.line_width = line_width();
  page.line_color = line_color();
  page.hole = layout_.inset;
  page.marks = std::move(lines.labels);
  std::ranges::move(lines.above, std::back_inserter(page.marks));
  page.marks.insert(page.marks.end(), marks_.begin(), marks_.end());
  if (!shows_picture()) page.pixels.clear();
  if (stage_.figure.options.only == FigureOptions::Only::colorbar) return crop(page);
  for (std::size_t i = 0; i < layout_.numbers.size(); ++i) {
    const NumberPlace& place = layout_.numbers[i];
    const Spot origin{place.box.x * fine, (place.box.y + place.baseline) * fine};
    Label label{number_run(time_.write(place.number, facts), place.size, place.box.width), origin, {}, place.color};
    const std::int32_t x = label.run.items.empty() ? place.box.width * fine : label.run.items.front().x;
    // A page does not move, so what stands before a number closes up to it.
    for (Mark& mark : page.marks)
      if (auto* before = std::get_if<Label>(&mark.what))
        if (mark.key == "time" && before->origin.x < label.origin.x) before->origin.x += x;
    page.marks.push_back({"time", std::move(label)});
  }
}

Spans Figure::spans_of_lines(const Lines& lines) const {
  if (lines.strokes.empty() && lines.above.empty()) return {};
  Path strokes = path_of(lines.strokes, line_width()), letters;  // of one path they would cancel where they meet
  for (const Mark& mark : lines.labels) {
    const Label& label = std::get<Label>(mark.what);
    label.run.add_to(letters, label.origin.x, label.origin.y, label.along);
  }
  const Rectangle& f = layout_.field;
  const Color color = line_color();
  // An inset lies over the lines.
  const Rectangle hole = layout_.inset.value_or(Rectangle{});
  Sheet sheet(static_cast<std::size_t>(view_.size.height));
  const auto cover = [&](int y, int x, std::span<const std::uint8_t> levels) {
    std::vector<Color>& row = sheet[static_cast<std::size_t>(y)];
    if (row.empty()) row.assign(static_cast<std::size_t>(view_.size.width), Color{0, 0, 0, 0});
    std::size_t at = static_cast<std::size_t>(x);
    for (const std::uint8_t level : levels) {
      Color front = color;
      const int column = static_cast<int>(at);
      const bool hidden = y >= hole.y && y < hole.y + hole.height && column >= hole.x && column < hole.x + hole.width;
      front.a = hidden ? std::uint8_t{0} : static_cast<std::uint8_t>((level * color.a + 127) / 255);
      Color& pixel = row[at++];
      if (front.a > pixel.a) pixel = front;
    }
  };
  for (Path* const path : {&strokes, &letters}) path->cover(f.x, f.y, f.x + f.width, f.y + f.height, cover);
  paint_marks(lines.above, view_.size, sheet);
  return spans_of(sheet);
}

void Figure::upload(const Marks& marks) {
  const Spans spans = spans_of(paint_marks(marks, view_.size));
  executor_.wait();  // the old memory may still be in use
  spans_ = Buffer(executor_, spans.spans);
  span_colors_ = Buffer(executor_, spans.colors);
}

// The pictures of the characters that numbers can have. Digits have one advance, in whole pixels.
void Figure::fill_atlas() {
  std::vector<std::uint8_t> levels;
  for (const NumberPlace& place : layout_.numbers) {
    std::vector<Letter>& letters = letters_.emplace_back();
    const bool date = place.number.of == TimeNumber::Of::date;
    for (const char32_t code : date ? date_letters : number_letters) {
      const Glyph& glyph = *find_glyph(code, FontStyle::regular);
      const int advance = rounded(advance_of(glyph, place.size)), reach = place.size / fine / 4 + 1;
      Letter letter{code, advance, -reach, advance + 2 * reach, static_cast<std::int32_t>(levels.size())};
      levels.resize(levels.size() +
                    static_cast<std::size_t>(letter.width) * static_cast<std::size_t>(place.box.height));
      Path path;
      add_glyph(path, glyph, FontStyle::regular, reach * fine, place.baseline * fine, place.size);
      path.cover(0, 0, letter.width, place.box.height, [&](int y, int x, std::span<const std::uint8_t> row) {
        const std::size_t at = static_cast<std::size_t>(letter.first + y * letter.width + x);
        std::ranges::copy(row, levels.begin() + static_cast<std::ptrdiff_t>(at));
      });
      letters.push_back(letter);
    }
  }
  atlas_ = Buffer(executor_, levels);
}

}  // namespace simreel
