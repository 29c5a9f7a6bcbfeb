#include "raster/figure/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "raster/curve.h"
#include "raster/figure/style.h"

namespace simreel {
namespace {

constexpr std::u32string_view number_letters = U"0123456789.e+\u2212naif";

std::u32string decoded(std::string_view text) {
  std::u32string codes;
  for (std::size_t i = 0; i < text.size();) {
    const bool is_minus = static_cast<unsigned char>(text[i]) >= 0x80;
    codes += is_minus ? U'\u2212' : static_cast<char32_t>(text[i]);
    i += utf8_length(text.substr(i));
  }
  return codes;
}

TimeText read_time(const ParticleStage& stage) {
  try {
    return TimeText(stage);
  } catch (const UsageError& error) {
    const FigureOptions& options = stage.figure.options;
    throw UsageError(fmt::format("{}\"time\" in [figure]: {}", options.position_of("time").before(), error.what()));
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
      for (; x < row.size() && row[x].a > 0 && span.length < OverlaySpan::most; ++x, ++span.length)
        all.colors.push_back(row[x]);
      --x;
      all.spans.push_back(span);
    }
  }
  return all;
}

Figure::Figure(const Executor& executor, const ViewOptions& view, const ParticleStage& stage, std::vector<Color> colors)
    : executor_(executor),
      view_(view),
      stage_(stage),
      colors_(std::move(colors)),
      time_(read_time(stage_)),
      layout_(lay_out(view_, stage_, time_, color_axis({}))) {
  fill_atlas();
}

std::size_t Figure::memory_bytes(const ViewOptions& view, const ParticleStage& stage) {
  if (!stage.figure.options.given) return 0;
  // Measured: text and axes cover up to a twentieth of a picture, a plate with a bar inside up to a fifth.
  const std::size_t pixels = static_cast<std::size_t>(view.size.width) * static_cast<std::size_t>(view.size.height);
  const bool inside = stage.figure.options.colorbar == FigureOptions::Bar::inside;
  return pixels / (inside ? 4 : 10) * sizeof(Color);
}

ColorAxis Figure::color_axis(std::optional<Interval> range) const {
  ColorAxis axis;
  const bool bodies = stage_.bodies > 0, density = bodies && stage_.figure.field == "density";
  axis.range_is_fixed = view_.range == RangeMode::fixed && !(bodies && !view_.range_given);
  axis.shows_groups = bodies && stage_.figure.field == "group";
  axis.map.assign(colors_.begin(), colors_.end() - 3);
  if (!range && axis.range_is_fixed) range = Interval{view_.low, view_.high};
  // Values beyond the ends can occur, unless these are the extremes of all frames.
  const RangeMode mode = bodies && !view_.range_given ? RangeMode::first : view_.range;
  if (!axis.shows_groups && (mode != RangeMode::global || density)) {
    if (!density) axis.under = colors_[colors_.size() - 3];
    axis.over = colors_.back();
  }
  if (std::ranges::find(view_.field_keys, "nan", &GivenKey::key) != view_.field_keys.end())
    axis.nan = colors_[colors_.size() - 2];
  if (!range) return axis;
  const double factor = stage_.figure.options.units.factor;
  Curve curve = curve_of(view_.scale);
  double width = view_.linear_width > 0 ? view_.linear_width : (range->high - range->low) / 100;
  double shift = 0;
  if (density) {  // as ParticlePainter::draw
    curve = view_.light.tone ? curve_of(*view_.light.tone) : view_.scale_given ? curve : Curve::asinh;
    if (!(view_.linear_width > 0)) width = (range->high - range->low) / view_.light.contrast;
    if (curve == Curve::log && range->low == 0) shift = width;
  }
  axis.range = AxisRange{range->low * factor, range->high * factor, curve, width * factor, shift * factor};
  if (axis.shows_groups) axis.groups = std::max(1, rounded_to_int(range->high) + 1);
  return axis;
}

void Figure::draw(const View& view, Interval range, const FrameFacts& facts, const Canvas<Color>& shallow,
                  const Canvas<DeepColor>& deep) {
  if (!shown_ || shown_->low != range.low || shown_->high != range.high) {
    upload(lay_out(view_, stage_, time_, color_axis(range)).marks);
    shown_ = range;
  }
  const OverlayBase base{layout_.field, view_.background};
  const Spans lines = lines_of(view, range);
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
  blend(shallow);
  blend(deep);
  for (std::size_t i = 0; i < layout_.numbers.size(); ++i) {
    const NumberPlace& place = layout_.numbers[i];
    GlyphLine line;
    line.box = place.box;
    line.color = place.color;
    const std::u32string text = decoded(time_.write(place.number, facts));
    int x = place.box.width;
    for (std::size_t k = text.size(); k-- > 0 && line.count < GlyphLine::most;) {
      const auto letter = std::ranges::find(letters_[i], text[k], &Letter::code);
      if (letter == letters_[i].end()) continue;
      x -= letter->advance;
      line.glyphs[line.count++] = {x + letter->left, letter->width, letter->first};
    }
    if (shallow.pixels) blend_glyphs(executor_, line, atlas_.data(), base, shallow);
    if (deep.pixels) blend_glyphs(executor_, line, atlas_.data(), base, deep);
  }
}

// Contours and arrows of one frame.
Spans Figure::lines_of(const View& view, Interval range) const {
  const FigureOptions& options = stage_.figure.options;
  const bool has_contours = options.contour_count > 0 || !options.contours.empty();
  if (!has_contours && options.arrows == 0) return {};
  const FigureStyle style = style_of(view_, options);
  const Rectangle& f = layout_.field;
  const Color color = line_color({colors_.begin(), colors_.end() - 3});
  Path path;
  const std::int32_t width = std::max(256, style.em * 4 * 7 / 100);  // units of a path
  if (has_contours) {
    std::vector<double> levels;
    for (const double level : options.contours) levels.push_back(level / options.units.factor);
    for (int i = 1; i <= options.contour_count; ++i)
      levels.push_back(range.low + (range.high - range.low) * i / (options.contour_count + 1));
    path.append(contour_lines(download(executor_, view), levels, f, width));
  }
  if (options.arrows > 0) path.append(arrows_of(vectors_[0], vectors_[1], options.arrows, f, width));
  // An inset lies over the lines.
  const Rectangle hole = layout_.inset.value_or(Rectangle{});
  Sheet sheet(static_cast<std::size_t>(view_.size.height));
  path.cover(f.x, f.y, f.x + f.width, f.y + f.height, [&](int y, int x, std::span<const std::uint8_t> levels) {
    std::vector<Color>& row = sheet[static_cast<std::size_t>(y)];
    row.assign(static_cast<std::size_t>(x), Color{0, 0, 0, 0});
    for (const std::uint8_t level : levels) {
      Color front = color;
      const int column = static_cast<int>(row.size());
      const bool hidden = y >= hole.y && y < hole.y + hole.height && column >= hole.x && column < hole.x + hole.width;
      front.a = hidden ? std::uint8_t{0} : static_cast<std::uint8_t>((level * color.a + 127) / 255);
      row.push_back(front);
    }
  });
  return spans_of(sheet);
}

void Figure::upload(const Marks& marks) {
  const Spans spans = spans_of(paint_marks(marks, view_.size));
  executor_.wait();  // the old memory may still be in use
  spans_ = Buffer<OverlaySpan>(executor_, spans.spans.size());
  span_colors_ = Buffer<Color>(executor_, spans.colors.size());
  spans_.upload(spans.spans.data());
  span_colors_.upload(spans.colors.data());
}

// The pictures of the characters that numbers can have. Digits have one advance, in whole pixels.
void Figure::fill_atlas() {
  std::vector<std::uint8_t> levels;
  for (const NumberPlace& place : layout_.numbers) {
    std::vector<Letter>& letters = letters_.emplace_back();
    for (const char32_t code : number_letters) {
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
  atlas_ = Buffer<std::uint8_t>(executor_, levels.size());
  atlas_.upload(levels.data());
}

}  // namespace simreel
