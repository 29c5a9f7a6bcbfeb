// Encapsulated PostScript, language level 3 (PostScript Language Reference, 3rd edition; Adobe technical notes 5002 on
// EPS and 5012 on Type 42 fonts), in ASCII. PostScript knows no transparency: a translucent line has in each of its
// parts the colour that it makes with what lies there, and a translucent plate is an image of what it makes. No dates,
// so equal pages give equal bytes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>

#include "base/text.h"
#include "sink/page/compressed.h"
#include "sink/page/document.h"
#include "sink/page/fonts.h"
#include "sink/page/page_pixels.h"

namespace simreel {
namespace {

// Short names of operators. S shows the glyphs of an array; I paints an image whose data follows in the file, and reads
// what its filter left there.
constexpr std::string_view prolog =
    "%%BeginProlog\n/m {moveto} bind def /l {lineto} bind def /h {closepath} bind def\n"
    "/q {gsave} bind def /Q {grestore} bind def /rg {setrgbcolor} bind def\n/S {{glyphshow} forall} bind def\n"
    "/I {image Z flushfile} bind def\n%%EndProlog\n";

// Printable ASCII; other bytes as in a string of PostScript.
std::string ascii(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '(' || c == ')')
      out += fmt::format("\\{}", c);
    else if (c >= ' ' && c <= '~')
      out += c;
    else
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return out;
}

// A text as comments, which have at most 255 characters a line.
std::string comments(std::string_view key, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string line = ascii(take_line(text));
    constexpr std::size_t max = 200;
    for (std::size_t at = 0; at == 0 || at < line.size(); at += max)
      out += fmt::format("% {}: {}\n", key, line.substr(at, max));
  }
  return out;
}

// ASCII base 85 with its end mark, in lines.
std::string base85(std::string_view bytes) {
  std::string out;
  std::size_t column = 0;
  const auto put = [&](std::string_view text) {
    for (const char c : text) {
      out += c;
      constexpr std::size_t width = 120;
      if (++column == width) out += '\n', column = 0;
    }
  };
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    const std::size_t count = std::min<std::size_t>(4, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; ++k) word = word << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    std::string digits(5, '!');
    for (std::size_t k = 5; k-- > 0; word /= 85) digits[k] = static_cast<char>('!' + word % 85);
    put(digits == "!!!!!" && count == 4 ? "z" : std::string_view(digits).substr(0, count + 1));
  }
  return out + "~>\n";
}

std::string glyph_name(const Glyph& glyph) { return fmt::format("uni{:04X}", static_cast<std::uint32_t>(glyph.code)); }

std::string type42(const PageFont& font) {
  const std::string name = font.postscript_name(), file = font.file();
  std::string text = fmt::format(
      "%%BeginResource: font {0}\n%!PS-TrueTypeFont-65536-65536-1\n11 dict begin\n/FontName /{0} def\n/FontType 42 "
      "def\n/PaintType 0 def\n/FontMatrix [1 0 0 1 0 0] def\n/FontBBox [-0.499 -0.226 0.876 0.602] def\n/Encoding "
      "StandardEncoding def\n/CharStrings {1} dict dup begin\n/.notdef 0 def\n",
      name, font.glyphs.size() + 1);
  for (const Glyph* glyph : font.glyphs)
    text += fmt::format("/{} {} def\n", glyph_name(*glyph), font.number_of(*glyph));
  text += "end readonly def\n/sfnts [\n<";  // of one string, which may hold 65535 bytes
  constexpr std::size_t line = 60;          // bytes
  for (std::size_t i = 0; i < file.size(); ++i) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(file[i]));
    if (i % line == line - 1) text += '\n';
  }
  // The zero is the byte that every string ends with.
  return text + "00>\n] def\nFontName currentdict end definefont pop\n%%EndResource\n";
}

class Writer {
 public:
  Writer(const PageGroup& group, const PageFacts& facts)
      : group_(group),
        facts_(facts),
        points_(72 / facts.pixels_per_inch),
        fonts_(fonts_of(group.marks())),
        below_(group.size, over_opaque(group.background, {255, 255, 255, 255})) {}

  std::string file() {
    const double width = group_.size.width * points_, height = group_.size.height * points_;
    text_ = fmt::format(
        "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 {:.0f} {:.0f}\n%%HiResBoundingBox: 0 0 {:.4f} {:.4f}\n"
        "%%LanguageLevel: 3\n%%DocumentData: Clean7Bit\n%%Pages: 1\n",
        std::ceil(width), std::ceil(height), width, height);
    const auto header = [&](const char* name, const char* key) {
      constexpr std::size_t max = 200;
      if (const std::string tag = ascii(tag_of(facts_.tags, key)); !tag.empty())
        text_ += fmt::format("%%{}: ({})\n", name, tag.size() > max ? "" : tag);
    };
    header("Title", "title");
    header("Creator", "version");
    for (const PageFont& font : fonts_)
      text_ += fmt::format("%%{} font {}\n", &font == fonts_.data() ? "DocumentSuppliedResources:" : "+",
                           font.postscript_name());
    text_ += "%%EndComments\n";
    for (const char* key : {"scene", "overrides"})
      text_ += comments(fmt::format("simreel {}", key), tag_of(facts_.tags, key));
    text_ += prolog;
    text_ += "%%BeginSetup\n";
    for (const PageFont& font : fonts_) text_ += type42(font);
    text_ += "%%EndSetup\n%%Page: 1 1\nq\n";
    // Places are in pixels, y downwards.
    text_ += fmt::format("[{:.6f} 0 0 {:.6f} 0 {:.6f}] concat\n", points_, -points_, height);
    if (group_.background.a > 0)
      text_ += fmt::format("{} 0 0 {} {} rectfill\n", color(below_.row(0)[0]), group_.size.width, group_.size.height);
    for (const Page& page : group_.parts) {
      add_pending();
      if (!page.pixels.empty()) {
        below_.add_picture(page);
        draw_below(page.field, std::nullopt);
      }
      draw_lines(page);
      for (const Mark& mark : page.marks) {
        std::visit(*this, mark.what);
        pending_.push_back(mark);
      }
    }
    return text_ + "Q\nshowpage\n%%Trailer\n%%EOF\n";
  }

  void operator()(const Shape& shape) {
    if (shape.points.empty()) return;
    Line line;
    for (const Spot& spot : shape.points)
      line.push_back({static_cast<double>(spot.x) / fine, static_cast<double>(spot.y) / fine});
    if (shape.color.a < 255) add_pending();
    if (shape.filled)
      fill(line, shape.color);
    else
      stroke(line, "1 setlinejoin " + pixels(shape.width), shape.color);
  }

  void operator()(const Label& label) {
    const Color ink = label.color.a == 255 ? label.color : over_opaque(label.color, group_.background);
    text_ += fmt::format("q {}\n", color(ink));
    for (const TextPiece& piece : pieces_of(label.run)) {
      const auto font = std::ranges::find(fonts_, piece.style, &PageFont::style);
      const std::int32_t x = label.origin.x + label.along.x_at(piece.x, piece.y);
      const std::int32_t y = label.origin.y + label.along.y_at(piece.x, piece.y);
      text_ += fmt::format("/{} {} selectfont {} {} m\n[", font->postscript_name(),
                           fmt::format("[{} 0 0]", matrix_of(label.along, static_cast<double>(piece.size) / fine)),
                           pixels(x), pixels(y));
      constexpr int names_in_line = 20;
      int column = 0;
      for (const Glyph* glyph : piece.glyphs)
        text_ += fmt::format("{}/{}", ++column % names_in_line == 0 ? "\n" : "", glyph_name(*glyph));
      text_ += "] S\n";
    }
    text_ += "Q\n";
  }

  void operator()(const Image& image) {
    std::vector<Color> opaque = image.pixels;
    const Color back = over_opaque(group_.background, {255, 255, 255, 255});
    for (Color& c : opaque) c = over_opaque(c, back);
    draw_image(image.place, image.columns, image.rows, opaque);
  }

 private:
  static std::string pixels(std::int32_t length) { return short_number(static_cast<double>(length) / fine); }
  static std::string color(const Color& c) {
    return fmt::format("{} {} {} rg", short_number(c.r / 255.0), short_number(c.g / 255.0), short_number(c.b / 255.0));
  }

  struct Place {
    double x, y;  // pixels
  };
  using Line = std::vector<Place>;

  void add_pending() {
    below_.add_marks(pending_);
    pending_.clear();
  }

  // The colour that `ink` makes at a place.
  Color mixed(const Color& ink, double x, double y) const {
    const auto inside = [](double v, int size) { return std::clamp(static_cast<int>(std::floor(v)), 0, size - 1); };
    const Size size = group_.size;
    return over_opaque(ink, below_.row(inside(y, size.height))[static_cast<std::size_t>(inside(x, size.width))]);
  }

  static std::string path_of(const Line& line, bool closed) {
    std::string path = "newpath";
    for (std::size_t i = 0; i < line.size(); ++i) {
      constexpr std::size_t points_in_text_line = 6;
      path += fmt::format("{}{} {} {}", i % points_in_text_line == 0 ? '\n' : ' ', short_number(line[i].x),
                          short_number(line[i].y), i == 0 ? 'm' : 'l');
    }
    return path + (closed ? " h" : "");
  }

  // A polygon. A translucent box over several colours is an image; any other shape has the colour of its middle.
  void fill(const Line& line, const Color& ink) {
    if (ink.a == 0) return;
    const auto [left, right] = std::ranges::minmax_element(line, {}, &Place::x);
    const auto [top, bottom] = std::ranges::minmax_element(line, {}, &Place::y);
    if (ink.a < 255 && is_box(line)) {
      const int x0 = std::max(static_cast<int>(left->x), 0), y0 = std::max(static_cast<int>(top->y), 0);
      const Rectangle box{x0, y0, std::min(static_cast<int>(right->x), group_.size.width) - x0,
                          std::min(static_cast<int>(bottom->y), group_.size.height) - y0};
      if (box.width <= 0 || box.height <= 0) return;
      if (!is_plain(box)) return draw_below(box, ink);
    }
    const Color color_here = ink.a == 255 ? ink : mixed(ink, (left->x + right->x) / 2, (top->y + bottom->y) / 2);
    text_ += fmt::format("q {} {} fill Q\n", color(color_here), path_of(line, true));
  }

  // A line of this width, after the operators of its style.
  void stroke(const Line& line, const std::string& style, const Color& ink) {
    if (ink.a == 0 || line.empty()) return;
    const bool closed = line.size() > 2 && line.front().x == line.back().x && line.front().y == line.back().y;
    if (ink.a == 255) {
      text_ += fmt::format("q {} setlinewidth {} {} stroke Q\n", style, color(ink),
                           path_of(closed ? Line(line.begin(), line.end() - 1) : line, closed));
      return;
    }
    text_ += fmt::format("q 1 setlinecap {} setlinewidth\n", style);
    Line part = {line.front()};
    std::optional<Color> now;
    const auto end_part = [&] {
      if (now) text_ += fmt::format("{} {} stroke\n", color(*now), path_of(part, false));
      part = {part.back()};
    };
    for (std::size_t i = 1; i < line.size(); ++i) {
      const Place from = line[i - 1], to = line[i];
      constexpr double longest = 4;  // pixels that have one colour
      const int pieces = std::max(1, static_cast<int>(std::ceil(std::hypot(to.x - from.x, to.y - from.y) / longest)));
      for (int k = 1; k <= pieces; ++k) {
        const auto at = [&](double t) { return Place{from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t}; };
        const Place middle = at((k - 0.5) / pieces);
        const Color here = mixed(ink, middle.x, middle.y);
        if (!now || !alike(*now, here)) {
          end_part();
          now = here;
        } else if (k > 1) {
          part.pop_back();  // on the same straight line
        }
        part.push_back(at(static_cast<double>(k) / pieces));
      }
    }
    end_part();
    text_ += "Q\n";
  }

  static bool alike(const Color& a, const Color& b) {
    constexpr int levels = 3;
    return std::abs(a.r - b.r) <= levels && std::abs(a.g - b.g) <= levels && std::abs(a.b - b.b) <= levels;
  }

  // Of whole pixels.
  static bool is_box(const Line& line) {
    if (line.size() != 4) return false;
    const auto whole = [](const Place& p) { return p.x == std::floor(p.x) && p.y == std::floor(p.y); };
    return std::ranges::all_of(line, whole) && line[0].y == line[1].y && line[1].x == line[2].x &&
           line[2].y == line[3].y && line[3].x == line[0].x;
  }

  // Whether a box has one colour.
  bool is_plain(const Rectangle& box) const {
    const auto first = static_cast<std::size_t>(box.x), count = static_cast<std::size_t>(box.width);
    const Color one = below_.row(box.y)[first];
    for (int y = box.y; y < box.y + box.height; ++y)
      for (const Color& c : below_.row(y).subspan(first, count))
        if (c.r != one.r || c.g != one.g || c.b != one.b) return false;
    return true;
  }

  // Contours, arrows and streamlines, clipped to the picture without its inset.
  void draw_lines(const Page& page) {
    if (page.lines.empty()) return;
    const auto rectangle = [](const Rectangle& r) {
      return fmt::format("{0} {1} m {2} {1} l {2} {3} l {0} {3} l h\n", r.x, r.y, r.x + r.width, r.y + r.height);
    };
    text_ += "q newpath " + rectangle(page.field);
    if (page.hole) text_ += rectangle(*page.hole);
    text_ += "eoclip\n";
    const std::string style = "1 setlinecap 1 setlinejoin " + short_number(page.line_width / 256.0);
    for (const bool filled : {false, true})
      for (const Stroke& one : page.lines) {
        if (one.filled != filled) continue;
        Line line;
        for (const Path::Point& p : one.points) line.push_back({p.x / 256.0, p.y / 256.0});
        if (filled)
          fill(line, page.line_color);
        else
          stroke(line, style, page.line_color);
      }
    text_ += "Q\n";
    below_.add_lines(page);
  }

  // What lies in the box so far, under `ink`.
  void draw_below(const Rectangle& box, std::optional<Color> ink) {
    std::vector<Color> part;
    const auto first = static_cast<std::size_t>(box.x), count = static_cast<std::size_t>(box.width);
    for (int y = box.y; y < box.y + box.height; ++y)
      for (const Color& c : below_.row(y).subspan(first, count)) part.push_back(ink ? over_opaque(*ink, c) : c);
    draw_image(box, box.width, box.height, part);
  }

  void draw_image(const Rectangle& place, int columns, int rows, std::span<const Color> colors) {
    const PackedImage image = packed_image(colors, columns);
    std::string space = "/DeviceRGB";
    if (!image.palette.empty()) {
      space = fmt::format("[/Indexed /DeviceRGB {} <", image.palette.size() - 1);
      for (std::size_t i = 0; i < image.palette.size(); ++i) {
        const Color& c = image.palette[i];
        constexpr std::size_t in_line = 20;
        space += fmt::format("{}{:02x}{:02x}{:02x}", i % in_line == 0 ? "\n" : "", c.r, c.g, c.b);
      }
      space += ">]";
    }
    text_ += fmt::format(
        "q [{} 0 0 {} {} {}] concat {} setcolorspace /Z currentfile /ASCII85Decode filter def\n<< /ImageType 1 "
        "/Width {} /Height {} /BitsPerComponent 8 /Decode [{}] /ImageMatrix [{} 0 0 {} 0 {}]\n/DataSource Z "
        "<< "
        "/Predictor 15 /Colors {} /Columns {} >> /FlateDecode filter >> I\n{}Q\n",
        place.width, -place.height, place.x, place.y + place.height, space, columns, rows,
        image.palette.empty() ? "0 1 0 1 0 1" : "0 255", columns, -rows, rows, image.channels(), columns,
        base85(image.bytes));
  }

  const PageGroup& group_;
  const PageFacts& facts_;
  double points_;  // per pixel
  std::vector<PageFont> fonts_;
  PagePixels below_;  // what was written so far, without
  Marks pending_;
  std::string text_;
};

}  // namespace

std::string eps_of(const PageGroup& group, const PageFacts& facts) { return Writer(group, facts).file(); }

}  // namespace simreel
