// SVG 1.1 with fonts in it: text stays text, for readers that know no fonts in SVG the family is the one of the font.

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/escape.h"
#include "sink/page/compressed.h"
#include "sink/page/document.h"
#include "sink/page/fonts.h"

namespace simreel {
namespace {

std::string paint(const char* what, const Color& c) {
  std::string text = fmt::format("{}=\"#{:02x}{:02x}{:02x}\"", what, c.r, c.g, c.b);
  if (c.a < 255) text += fmt::format(" {}-opacity=\"{}\"", what, short_number(c.a / 255.0));
  return text;
}

std::string_view weight(FontStyle style) { return is_bold(style) ? "bold" : "normal"; }

class Writer {
 public:
  Writer(const PageGroup& group, const PageFacts& facts) : group_(group), facts_(facts) {}

  std::string file() {
    const double mm = 25.4 / facts_.pixels_per_inch;
    text_ = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
        "xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\" width=\"{:.4f}mm\" height=\"{:.4f}mm\" "
        "viewBox=\"0 0 "
        "{} {}\">\n",
        group_.size.width * mm, group_.size.height * mm, group_.size.width, group_.size.height);
    add_metadata();
    add_fonts();
    if (group_.background.a > 0)
      text_ += fmt::format("<rect width=\"{}\" height=\"{}\" {}/>\n", group_.size.width, group_.size.height,
                           paint("fill", group_.background));
    for (std::size_t i = 0; i < group_.parts.size(); ++i) {
      const Page& page = group_.parts[i];
      if (!page.pixels.empty()) add_image(page.field, page.field.width, page.field.height, page.pixels);
      add_lines(page, i == 0 ? "field" : fmt::format("field{}", i + 1));
      for (const Mark& mark : page.marks) std::visit(*this, mark.what);
    }
    return text_ + "</svg>\n";
  }

  void operator()(const Shape& shape) {
    std::string path;
    for (const Spot& spot : shape.points)
      path += fmt::format("{}{} {}", path.empty() ? "M" : "L", pixels(spot.x), pixels(spot.y));
    const bool closed = shape.filled || (shape.points.front().x == shape.points.back().x &&
                                         shape.points.front().y == shape.points.back().y);
    text_ += fmt::format("<path d=\"{}{}\" ", path, closed ? "Z" : "");
    text_ += shape.filled ? paint("fill", shape.color) + "/>\n"
                          : fmt::format("fill=\"none\" stroke-width=\"{}\" stroke-linejoin=\"round\" {}/>\n",
                                        pixels(shape.width), paint("stroke", shape.color));
  }

  void operator()(const Label& label) {
    const std::vector<TextPiece> pieces = pieces_of(label.run);
    if (pieces.empty()) return;
    const std::string x = pixels(label.origin.x), y = pixels(label.origin.y);
    const auto part = [](std::int32_t v) { return short_number(static_cast<double>(v) / Direction::unit); };
    const Direction& along = label.along;
    const std::string turn = along == rightwards ? ""
                             : along == upwards  ? " rotate(-90)"
                                                 : fmt::format(" matrix({} {} {} {} 0 0)", part(along.x), part(along.y),
                                                               part(-along.y), part(along.x));
    text_ += fmt::format("<text xml:space=\"preserve\" transform=\"translate({} {}){}\" {}>", x, y, turn,
                         paint("fill", label.color));
    for (const TextPiece& piece : pieces) {
      text_ += fmt::format("<tspan x=\"{}\" y=\"{}\" font-size=\"{}\"", pixels(piece.x), pixels(piece.y),
                           pixels(piece.size));
      if (is_bold(piece.style)) text_ += " font-weight=\"bold\"";
      if (is_oblique(piece.style)) text_ += " font-style=\"oblique\"";
      text_ += '>';
      for (const Glyph* glyph : piece.glyphs) text_ += escape_markup(utf8_of(*glyph));
      text_ += "</tspan>";
    }
    text_ += "</text>\n";
  }

  void operator()(const Image& image) { add_image(image.place, image.columns, image.rows, image.pixels); }

 private:
  static std::string pixels(std::int32_t length) { return short_number(static_cast<double>(length) / fine); }

  void add_metadata() {
    const std::string title = tag_of(facts_.tags, "title");
    if (!title.empty()) text_ += fmt::format("<title>{}</title>\n", escape_markup(title));
    text_ += "<metadata xmlns:simreel=\"urn:simreel:\">\n";
    for (const auto& [key, value] : facts_.tags)
      text_ += fmt::format("<simreel:{0}>{1}</simreel:{0}>\n", key, escape_markup(value));
    text_ += "</metadata>\n";
  }

  void add_fonts() {
    const std::vector<PageFont> fonts = fonts_of(group_.marks());
    if (fonts.empty()) return;
    text_ += "<style>\n";
    for (const PageFont& font : fonts)
      text_ += fmt::format(
          "@font-face {{ font-family: \"{}\"; font-weight: {}; font-style: {}; src: "
          "url(data:font/ttf;base64,{}) format(\"truetype\"); }}\n",
          font_family, weight(font.style), is_oblique(font.style) ? "oblique" : "normal", base64(font.file()));
    text_ += fmt::format(
        "text {{ font-family: \"{}\", sans-serif; font-kerning: none; white-space: pre; "
        "text-rendering: geometricPrecision; }}\n</style>\n",
        font_family);
  }

  // Contours, arrows and streamlines. One path for all lines, so that a place where two meet is painted once.
  void add_lines(const Page& page, const std::string& id) {
    if (page.lines.empty()) return;
    const auto box = [](const Rectangle& r) {
      return fmt::format("M{} {}h{}v{}h{}Z", r.x, r.y, r.width, r.height, -r.width);
    };
    text_ += fmt::format("<clipPath id=\"{}\"><path clip-rule=\"evenodd\" d=\"{}{}\"/></clipPath>\n", id,
                         box(page.field), page.hole ? box(*page.hole) : "");
    text_ += fmt::format("<g clip-path=\"url(#{})\">\n", id);
    for (const bool filled : {false, true}) {
      std::string path;
      for (const Stroke& stroke : page.lines) {
        if (stroke.filled != filled) continue;
        for (std::size_t i = 0; i < stroke.points.size(); ++i)
          path += fmt::format("{}{} {}", i == 0 ? "M" : "L", short_number(stroke.points[i].x / 256.0),
                              short_number(stroke.points[i].y / 256.0));
        if (filled) path += "Z";
      }
      if (path.empty()) continue;
      text_ += filled ? fmt::format("<path {} d=\"{}\"/>\n", paint("fill", page.line_color), path)
                      : fmt::format(
                            "<path fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" "
                            "stroke-width=\"{}\" {} d=\"{}\"/>\n",
                            short_number(page.line_width / 256.0), paint("stroke", page.line_color), path);
    }
    text_ += "</g>\n";
  }

  void add_image(const Rectangle& place, int columns, int rows, std::span<const Color> colors) {
    text_ += fmt::format(
        "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
        "style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64,{}\"/>\n",
        place.x, place.y, place.width, place.height, base64(packed_png(colors, {columns, rows}, {}, 0)));
  }

  const PageGroup& group_;
  const PageFacts& facts_;
  std::string text_;
};

}  // namespace

std::string svg_of(const PageGroup& group, const PageFacts& facts) { return Writer(group, facts).file(); }

}  // namespace simreel
