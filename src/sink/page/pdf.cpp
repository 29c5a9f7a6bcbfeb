// PDF 1.7 (ISO 32000-1): one page. Text is text, in subsets of TrueType fonts that are addressed by glyph and carry a
// table from glyphs to Unicode. No dates, so equal runs give equal bytes.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/escape.h"
#include "sink/page/compressed.h"
#include "sink/page/document.h"
#include "sink/page/fonts.h"

namespace simreel {
namespace {

// The objects of a file, numbered from 1.
class Objects {
 public:
  int add(std::string body) {
    bodies_.push_back(std::move(body));
    return static_cast<int>(bodies_.size());
  }
  int add_stream(const std::string& entries, std::string_view bytes) {
    return add(fmt::format("<< {} /Length {} >>\nstream\n{}\nendstream", entries, bytes.size(), bytes));
  }
  int add_compressed(const std::string& entries, std::string_view bytes) {
    return add_stream(entries + " /Filter /FlateDecode", compressed(bytes));
  }
  std::size_t count() const { return bodies_.size(); }
  std::string file(int root, int info) const {
    std::string text = "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n", table;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      table += fmt::format("{:010} 00000 n \n", text.size());
      text += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, bodies_[i]);
    }
    const std::size_t start = text.size();
    const std::size_t count = bodies_.size() + 1;
    return text + fmt::format(
                      "xref\n0 {}\n0000000000 65535 f \n{}trailer\n<< /Size {} /Root {} 0 R /Info {} 0 R >>\n"
                      "startxref\n{}\n%%EOF\n",
                      count, table, count, root, info, start);
  }

 private:
  std::vector<std::string> bodies_;
};

// A text string: UTF-16 in hexadecimal, after the mark of its byte order.
std::string text_string(std::string_view utf8) {
  std::string hex = "<FEFF";
  for (std::size_t i = 0; i < utf8.size();) {
    const auto byte = [&](std::size_t k) {
      return i + k < utf8.size() ? std::uint32_t{static_cast<unsigned char>(utf8[i + k])} : 0;
    };
    const std::uint32_t first = byte(0);
    std::uint32_t code = first;
    const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 2) code = (first & 0x1f) << 6 | (byte(1) & 0x3f);
    if (length == 3) code = (first & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    if (length == 4) code = (first & 7) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
    i += length;
    if (code >= 0x10000)
      hex += fmt::format("{:04X}{:04X}", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff));
    else
      hex += fmt::format("{:04X}", code);
  }
  return hex + ">";
}

std::string xmp_of(const Tags& tags) {
  const auto element = [&](const char* name, const char* key) {
    const std::string text = tag_of(tags, key);
    return text.empty() ? "" : fmt::format("   <{0}>{1}</{0}>\n", name, escape_markup(text));
  };
  const std::string title = tag_of(tags, "title");
  std::string text =
      "<?xpacket begin=\"\xEF\xBB\xBF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
      " <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
      "  <rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
      "xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" xmlns:simreel=\"urn:simreel:\">\n";
  if (!title.empty())
    text += fmt::format("   <dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">{}</rdf:li></rdf:Alt></dc:title>\n",
                        escape_markup(title));
  text += element("xmp:CreatorTool", "version") + element("simreel:scene", "scene") +
          element("simreel:overrides", "overrides");
  return text + "  </rdf:Description>\n </rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"r\"?>";
}

class Writer {
 public:
  Writer(const PageGroup& group, const PageFacts& facts)
      : group_(group), facts_(facts), points_(72 / facts.pixels_per_inch), fonts_(fonts_of(group.marks())) {}

  std::string file() {
    const double width = group_.size.width * points_, height = group_.size.height * points_;
    // Places are in pixels, y downwards.
    content_ = fmt::format("{:.6f} 0 0 {:.6f} 0 {:.6f} cm\n", points_, -points_, height);
    const Color& back = group_.background;
    if (back.a > 0)
      content_ += fmt::format("q {} {} 0 0 {} {} re f Q\n", alpha(back), color(back, "rg"), group_.size.width,
                              group_.size.height);
    for (const Page& page : group_.parts) {
      if (!page.pixels.empty()) draw_image(page.field, page.field.width, page.field.height, page.pixels);
      draw_lines(page);
      for (const Mark& mark : page.marks) std::visit(*this, mark.what);
    }

    const int contents = objects_.add_compressed("", content_);
    std::string resources;
    const auto list = [&](const char* name, const std::string& entries) {
      if (!entries.empty()) resources += fmt::format("/{} << {}>> ", name, entries);
    };
    std::string fonts;
    for (std::size_t i = 0; i < fonts_.size(); ++i) fonts += fmt::format("/F{} {} 0 R ", i, add_font(fonts_[i]));
    list("Font", fonts);
    list("XObject", images_);
    std::string states;
    for (const int level : alphas_)
      states += fmt::format("/A{0} << /ca {1} /CA {1} >> ", level, short_number(level / 255.0));
    list("ExtGState", states);
    const int pages = static_cast<int>(objects_.count()) + 2;
    const int page = objects_.add(
        fmt::format("<< /Type /Page /Parent {} 0 R /MediaBox [0 0 {:.4f} {:.4f}] /Resources << {}>> /Contents {} 0 R "
                    "/Group << /S /Transparency /CS /DeviceRGB >> >>",
                    pages, width, height, resources, contents));
    objects_.add(fmt::format("<< /Type /Pages /Kids [{} 0 R] /Count 1 >>", page));
    const int metadata = objects_.add_stream("/Type /Metadata /Subtype /XML", xmp_of(facts_.tags));
    const int root = objects_.add(fmt::format("<< /Type /Catalog /Pages {} 0 R /Metadata {} 0 R >>", pages, metadata));
    const std::string title = tag_of(facts_.tags, "title");
    const int info = objects_.add(fmt::format("<< {}/Producer {} >>",
                                              title.empty() ? "" : fmt::format("/Title {} ", text_string(title)),
                                              text_string(tag_of(facts_.tags, "version"))));
    return objects_.file(root, info);
  }

  void operator()(const Shape& shape) {
    if (shape.points.empty()) return;
    const auto& points = shape.points;
    const bool closed = shape.filled || (points.front().x == points.back().x && points.front().y == points.back().y);
    content_ += fmt::format("q {} {} ", alpha(shape.color), color(shape.color, shape.filled ? "rg" : "RG"));
    if (!shape.filled) content_ += fmt::format("{} w 1 j ", pixels(shape.width));
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i > 0 && i + 1 == points.size() && closed && !shape.filled) break;
      content_ += fmt::format("{} {} {} ", pixels(points[i].x), pixels(points[i].y), i == 0 ? "m" : "l");
    }
    content_ += fmt::format("{} Q\n", shape.filled ? "f" : closed ? "s" : "S");
  }

  void operator()(const Label& label) {
    content_ += fmt::format("q {} {} BT\n", alpha(label.color), color(label.color, "rg"));
    for (const TextPiece& piece : pieces_of(label.run)) {
      const auto font = std::ranges::find(fonts_, piece.style, &PageFont::style);
      const std::int32_t x = label.origin.x + label.along.x_at(piece.x, piece.y);
      const std::int32_t y = label.origin.y + label.along.y_at(piece.x, piece.y);
      content_ += fmt::format("/F{} {} Tf {} {} {} Tm <", font - fonts_.begin(), pixels(piece.size),
                              matrix_of(label.along, 1), pixels(x), pixels(y));
      for (const Glyph* glyph : piece.glyphs) content_ += fmt::format("{:04X}", font->number_of(*glyph));
      content_ += "> Tj\n";
    }
    content_ += "ET Q\n";
  }

  void operator()(const Image& image) { draw_image(image.place, image.columns, image.rows, image.pixels); }

 private:
  static std::string pixels(std::int32_t length) { return short_number(static_cast<double>(length) / fine); }

  static std::string color(const Color& c, const char* sign) {
    return fmt::format("{} {} {} {}", short_number(c.r / 255.0), short_number(c.g / 255.0), short_number(c.b / 255.0),
                       sign);
  }
  std::string alpha(const Color& c) {
    alphas_.insert(c.a);
    return fmt::format("/A{} gs", c.a);
  }

  // Contours, arrows and streamlines, clipped to the picture without its inset. One path for all lines, so that a place
  // where two meet is painted once.
  void draw_lines(const Page& page) {
    if (page.lines.empty()) return;
    const auto rectangle = [](const Rectangle& r) {
      return fmt::format("{} {} {} {} re ", r.x, r.y, r.width, r.height);
    };
    const auto at = [](const Path::Point& p) { return short_number(p.x / 256.0) + " " + short_number(p.y / 256.0); };
    content_ += "q " + rectangle(page.field);
    if (page.hole) content_ += rectangle(*page.hole);
    const Color& ink = page.line_color;
    content_ += fmt::format("W* n {} {} {} {} w 1 J 1 j\n", alpha(ink), color(ink, "rg"), color(ink, "RG"),
                            short_number(page.line_width / 256.0));
    for (const bool filled : {false, true}) {
      bool any = false;
      for (const Stroke& stroke : page.lines) {
        if (stroke.filled != filled) continue;
        any = true;
        for (std::size_t i = 0; i < stroke.points.size(); ++i)
          content_ += at(stroke.points[i]) + (i == 0 ? " m " : " l ");
        content_ += filled ? "h\n" : "\n";
      }
      if (any) content_ += filled ? "f\n" : "S\n";
    }
    content_ += "Q\n";
  }

  void draw_image(const Rectangle& place, int columns, int rows, std::span<const Color> colors) {
    const auto entries = [&](std::string_view space, int channels) {
      return fmt::format(
          "/Type /XObject /Subtype /Image /Width {0} /Height {1} /ColorSpace {2} /BitsPerComponent 8 "
          "/DecodeParms << /Predictor 15 /Colors {3} /Columns {0} >> /Filter /FlateDecode",
          columns, rows, space, channels);
    };
    std::string mask, space = "/DeviceRGB";
    if (std::ranges::any_of(colors, [](const Color& c) { return c.a < 255; }))
      mask = fmt::format(" /SMask {} 0 R",
                         objects_.add_stream(entries("/DeviceGray", 1), packed_opacity(colors, columns)));
    const PackedImage image = packed_image(colors, columns);
    if (!image.palette.empty())
      space = fmt::format("[/Indexed /DeviceRGB {} {} 0 R]", image.palette.size() - 1,
                          objects_.add_compressed("", image.table()));
    const int id = objects_.add_stream(entries(space, image.channels()) + mask, image.bytes);
    images_ += fmt::format("/I{0} {0} 0 R ", id);
    content_ += fmt::format("q {} 0 0 {} {} {} cm /I{} Do Q\n", place.width, -place.height, place.x,
                            place.y + place.height, id);
  }

  int add_font(const PageFont& font) {
    const std::string name = font.postscript_name(), file = font.file();
    const auto thousandths = [](int units) { return short_number(1000.0 * units / units_per_em); };
    std::string widths, codes;
    for (std::size_t i = 0; i < font.glyphs.size(); ++i) {
      widths += thousandths(font.glyphs[i]->advance) + " ";
      constexpr std::size_t max = 100;  // entries of a block
      if (i % max == 0)
        codes += fmt::format("{}{} beginbfchar\n", i > 0 ? "endbfchar\n" : "", std::min(max, font.glyphs.size() - i));
      codes += fmt::format("<{:04X}> <{:04X}>\n", i + 1, static_cast<std::uint32_t>(font.glyphs[i]->code));
    }
    const int data = objects_.add_compressed(fmt::format("/Length1 {}", file.size()), file);
    const bool bold = is_bold(font.style), oblique = is_oblique(font.style);
    const int descriptor = objects_.add(fmt::format(
        "<< /Type /FontDescriptor /FontName /{} /Flags {} /FontBBox [-1021 -463 1794 1232] /ItalicAngle {} /Ascent {} "
        "/Descent {} /CapHeight {} /StemV {} /FontFile2 {} 0 R >>",
        name, oblique ? 68 : 4, oblique ? -11 : 0, thousandths(ascent_units), thousandths(-descent_units),
        thousandths(capital_units), bold ? 160 : 90, data));
    const int descendant = objects_.add(fmt::format(
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
        "/Supplement 0 >> /FontDescriptor {} 0 R /DW 600 /W [1 [{}]] /CIDToGIDMap /Identity >>",
        name, descriptor, widths));
    const int unicode = objects_.add_compressed(
        "", fmt::format("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo << /Registry "
                        "(Adobe) /Ordering (UCS) /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 "
                        "def\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n{}endbfchar\nendcmap\n"
                        "CMapName currentdict /CMap defineresource pop\nend\nend\n",
                        codes));
    return objects_.add(
        fmt::format("<< /Type /Font /Subtype /Type0 /BaseFont /{} /Encoding /Identity-H "
                    "/DescendantFonts [{} 0 R] /ToUnicode {} 0 R >>",
                    name, descendant, unicode));
  }

  const PageGroup& group_;
  const PageFacts& facts_;
  double points_;  // per pixel
  std::vector<PageFont> fonts_;
  Objects objects_;
  std::string content_, images_;
  std::set<int> alphas_;
};

}  // namespace

std::string pdf_of(const PageGroup& group, const PageFacts& facts) { return Writer(group, facts).file(); }

}  // namespace simreel
