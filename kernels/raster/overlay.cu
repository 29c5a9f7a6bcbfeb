#include "kernels/raster/overlay.h"

#include "kernels/base/launch.h"
#include "kernels/raster/pixel_word.h"

namespace simreel {
namespace {

template <class Pixel>
struct Blend {
  using Word = PixelWord<Pixel>;
  Canvas<Pixel> canvas;
  Rectangle painted;
  Word background;

  HD Pixel* at(int x, int y) const { return canvas.pixels + static_cast<std::ptrdiff_t>(y) * canvas.pitch + x; }
  HD bool is_painted(int x, int y) const {
    return x >= painted.x && x < painted.x + painted.width && y >= painted.y && y < painted.y + painted.height;
  }
  HD Word base(int x, int y) const { return is_painted(x, y) ? load_pixel(at(x, y)) : background; }
};

template <class Pixel>
struct ClearAround {
  Blend<Pixel> blend;

  HD void operator()(int x, int y) const {
    if (!blend.is_painted(x, y)) store_pixel(blend.at(x, y), blend.background);
  }
};

template <class Pixel>
struct BlendSpans {
  Blend<Pixel> blend;
  const OverlaySpan* spans;
  const Color* colors;

  HD void put(const OverlaySpan& span, int i) const {
    const int x = span.x + i;
    const PixelWord<Pixel> front = word_of<Pixel>(colors[span.first + i]);
    store_pixel(blend.at(x, span.y), blend_over(front, blend.base(x, span.y)));
  }
  HD void operator()(int i, int k) const {
    const OverlaySpan span = spans[k];
    if (i < span.length) put(span, i);
  }
  void span(int i0, int i1, int k) const {
    const OverlaySpan span = spans[k];
    const int end = i1 < span.length ? i1 : span.length;
    for (int i = i0; i < end; ++i) put(span, i);
  }
};

template <class Pixel>
struct BlendGlyphs {
  Blend<Pixel> blend;
  const std::uint8_t* atlas;
  GlyphLine line;

  HD void operator()(int x, int y) const {
    int level = 0;
    for (int k = 0; k < line.count; ++k) {
      const int column = x - line.glyphs[k].x, width = line.glyphs[k].width;
      if (column >= 0 && column < width) level += atlas[line.glyphs[k].first + y * width + column];
    }
    Color front = line.color;
    front.a = static_cast<std::uint8_t>(((level < 255 ? level : 255) * front.a + 127) / 255);
    const int px = line.box.x + x, py = line.box.y + y;
    store_pixel(blend.at(px, py), blend_over(word_of<Pixel>(front), blend.base(px, py)));
  }
};

template <class Pixel>
Blend<Pixel> blend_of(const Canvas<Pixel>& canvas, const OverlayBase& base) {
  return {canvas, base.painted, word_of<Pixel>(base.background)};
}

}  // namespace

template <class Pixel>
void clear_around(const Executor& executor, const OverlayBase& base, const Canvas<Pixel>& canvas) {
  parallel_for(executor, "clear the margins", {canvas.size.width, canvas.size.height},
               ClearAround<Pixel>{blend_of(canvas, base)});
}

template <class Pixel>
void blend_spans(const Executor& executor, const OverlaySpan* spans, int count, const Color* colors,
                 const OverlayBase& base, const Canvas<Pixel>& canvas) {
  parallel_for(executor, "blend the labels", {OverlaySpan::max, count},
               BlendSpans<Pixel>{blend_of(canvas, base), spans, colors});
}

template <class Pixel>
void blend_glyphs(const Executor& executor, const GlyphLine& line, const std::uint8_t* atlas, const OverlayBase& base,
                  const Canvas<Pixel>& canvas) {
  parallel_for(executor, "blend the numbers", {line.box.width, line.box.height},
               BlendGlyphs<Pixel>{blend_of(canvas, base), atlas, line});
}

template void clear_around(const Executor&, const OverlayBase&, const Canvas<Color>&);
template void clear_around(const Executor&, const OverlayBase&, const Canvas<DeepColor>&);
template void blend_spans(const Executor&, const OverlaySpan*, int, const Color*, const OverlayBase&,
                          const Canvas<Color>&);
template void blend_spans(const Executor&, const OverlaySpan*, int, const Color*, const OverlayBase&,
                          const Canvas<DeepColor>&);
template void blend_glyphs(const Executor&, const GlyphLine&, const std::uint8_t*, const OverlayBase&,
                           const Canvas<Color>&);
template void blend_glyphs(const Executor&, const GlyphLine&, const std::uint8_t*, const OverlayBase&,
                           const Canvas<DeepColor>&);

}  // namespace simreel
