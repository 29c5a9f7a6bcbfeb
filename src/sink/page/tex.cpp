// A picture for LaTeX: lines and text by TikZ, so that letters are those of the paper; the images of the page lie in
// one PNG, each in its place, and are cut out of it. No dates, so equal pages give equal bytes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/escape.h"
#include "sink/page/compressed.h"
#include "sink/page/document.h"
#include "sink/page/fonts.h"
#include "sink/page/page_pixels.h"

namespace simreel {
namespace {

constexpr char32_t minus = 0x2212;

// A character as LaTeX writes it, in mathematics or outside.
std::string tex_of(const Glyph& glyph, bool in_math) {
  const auto math = [&](std::string_view text) { return in_math ? std::string(text) : fmt::format("\\({}\\)", text); };
  switch (glyph.code) {
    case minus: return math("-");
    case 0xB0: return math("{}^\\circ ");
    case 0xC5: return in_math ? "\\mathring{A}" : "\\AA{}";
    case 0x2032: return math("'");
    case 0x221A: return math("\\surd ");
    case 0x27E8: return math("\\langle ");
    case '\\': return math("\\backslash ");
    case '{':
    case '}':
    case '$':
    case '&':
    case '#':
    case '_':
    case '%': return fmt::format("\\{}", static_cast<char>(glyph.code));
    case '^':
    case '~': return fmt::format("\\char`\\{}{}", static_cast<char>(glyph.code), "{}");
    case '<':
    case '>':
    case '|': return math(std::string(1, static_cast<char>(glyph.code)));
    case ' ': return in_math ? "\\ " : " ";
    default: break;
  }
  if (const std::string_view name = math_name_of(glyph.code); !name.empty()) return math(fmt::format("\\{} ", name));
  return utf8_of(glyph);
}

// What a mark over the letter before is called.
std::string_view accent_of(const Glyph& glyph) {
  switch (glyph.code) {
    case 0xAF: return "bar";
    case '^': return "hat";
    case '~': return "tilde";
    case '.': return "dot";
    case 0x2192: return "vec";
    default: return "";
  }
}

// A run as LaTeX: slanted letters and scripts are mathematics.
std::string tex_of(const GlyphRun& run) {
  std::string text;
  std::size_t start = 0;  // of the piece before
  std::int32_t end = 0;
  for (const TextPiece& piece : pieces_of(run)) {
    const std::int32_t gap = piece.x - end;
    if (const std::string_view accent = accent_of(*piece.glyphs[0]);
        !accent.empty() && gap < -piece.size / 8 && text.substr(start).starts_with("\\(")) {
      const std::string letter = text.substr(start + 2, text.size() - start - 4);
      text.resize(start);
      text += fmt::format("\\(\\{}{{{}}}\\)", accent, letter);
      continue;
    }
    start = text.size();
    if (!text.empty() && piece.y == 0 && gap > piece.size / 8) text += "\\,";
    const bool math = is_oblique(piece.style) || piece.y != 0;
    std::string body;
    end = piece.x;
    for (const Glyph* glyph : piece.glyphs) {
      body += tex_of(*glyph, math);
      end += advance_of(*glyph, piece.size);
    }
    if (!is_oblique(piece.style) && math) body = fmt::format("\\mathrm{{{}}}", body);
    if (piece.y != 0) body = fmt::format("{}{{{}}}", piece.y < 0 ? "^" : "_", body);
    if (math) body = fmt::format("\\({}\\)", body);
    if (is_bold(piece.style)) body = fmt::format("\\textbf{{{}{}}}", is_oblique(piece.style) ? "\\boldmath" : "", body);
    text += body;
  }
  for (std::size_t at = 0; (at = text.find("\\)\\(")) != std::string::npos;) text.erase(at, 4);
  return text;
}

std::string comment(std::string_view text) {
  std::string out = "% ";
  for (const char c : printable(text)) out += c == '\n' ? std::string("\n% ") : std::string(1, c);
  return out + "\n";
}

class Writer {
 public:
  Writer(const PageGroup& group, const PageFacts& facts, const std::string& picture)
      : group_(group), facts_(facts), picture_(picture), points_(72 / facts.pixels_per_inch) {}

  TexPage page() {
    const Size size = group_.size;
    text_ = comment(tag_of(facts_.tags, "version")) +
            comment("Needs \\usepackage{tikz}. \\input{..} puts it where it stands.");
    if (has_images())
      text_ += comment("With its picture in another folder: \\newcommand\\simreelpath{folder/}, before \\input.") +
               "\\providecommand\\simreelpath{}%\n";
    for (const char* key : {"title", "overrides", "scene"})
      if (const std::string tag = tag_of(facts_.tags, key); !tag.empty())
        text_ += comment(fmt::format("{}: {}", key, tag));
    text_ += fmt::format(
        "\\begin{{tikzpicture}}[x={0:.6f}bp, y=-{0:.6f}bp, every node/.style={{inner sep=0pt, outer sep=0pt}}, "
        "line join=round]\n\\useasboundingbox (0,0) rectangle ({1},{2});\n",
        points_, size.width, size.height);
    if (group_.background.a > 0)
      text_ += fmt::format("\\fill[{}] (0,0) rectangle ({},{});\n", paint(group_.background), size.width, size.height);
    for (const Page& page : group_.parts) {
      if (!page.pixels.empty()) add_image(page.field, page.field.width, page.field.height, page.pixels);
      add_lines(page);
      Label time;
      for (const Mark& mark : page.marks) {
        const auto* label = std::get_if<Label>(&mark.what);
        if (label && mark.key == "time")
          join(time, *label);
        else
          std::visit(*this, mark.what);
      }
      if (!time.run.items.empty()) (*this)(time);
    }
    text_ += "\\end{tikzpicture}%\n";
    return {std::move(text_), picture_bytes()};
  }

  void operator()(const Shape& shape) {
    if (shape.points.empty() || shape.color.a == 0) return;
    const auto& points = shape.points;
    const bool closed = shape.filled || (points.front().x == points.back().x && points.front().y == points.back().y);
    const std::size_t count = points.size() - (closed && !shape.filled ? 1 : 0);
    std::string path;
    for (std::size_t i = 0; i < count; ++i)
      path += fmt::format("{}({},{})", i == 0 ? "" : "--", pixels(points[i].x), pixels(points[i].y));
    const std::string style =
        shape.filled ? "" : fmt::format(", line width={}bp", short_number(shape.width * points_ / fine));
    text_ += fmt::format("\\{}[{}{}] {}{};\n", shape.filled ? "fill" : "draw", paint(shape.color), style, path,
                         closed ? "--cycle" : "");
  }

  // Letters of the paper have other widths: the place that the label holds stays.
  void operator()(const Label& label) {
    if (label.run.items.empty()) return;
    const std::int32_t along = static_cast<std::int32_t>(label.hold * width_of(label.run));
    const std::int32_t x = label.origin.x + label.along.x_at(along, 0), y = label.origin.y + label.along.y_at(along, 0);
    const double degrees = std::atan2(-label.along.y, label.along.x) * 180 / std::numbers::pi;
    const double size = label.run.items.front().size * points_ / fine;
    text_ += fmt::format(
        "\\node[anchor=base{}{}, text={}] at ({},{}) {{\\fontsize{{{:.2f}bp}}{{{:.2f}bp}}\\selectfont {}}};\n",
        label.hold == 0   ? " west"
        : label.hold == 1 ? " east"
                          : "",
        label.along == rightwards ? "" : fmt::format(", rotate={:.3g}", degrees), color(label.color), pixels(x),
        pixels(y), size, 1.2 * size, tex_of(label.run));
  }

  void operator()(const Image& image) { add_image(image.place, image.columns, image.rows, image.pixels); }

 private:
  static std::string pixels(std::int32_t length) { return short_number(static_cast<double>(length) / fine); }
  static std::string color(const Color& c) { return fmt::format("{{rgb,255:red,{};green,{};blue,{}}}", c.r, c.g, c.b); }
  static std::string paint(const Color& c) {
    return fmt::format("color={}{}", color(c), c.a < 255 ? fmt::format(", opacity={}", short_number(c.a / 255.0)) : "");
  }
  static std::int32_t width_of(const GlyphRun& run) {
    const GlyphRun::Item& last = run.items.back();
    return std::max(run.width, last.x + advance_of(*last.glyph, last.size));
  }

  bool has_images() const {
    return std::ranges::any_of(group_.parts, [](const Page& page) {
      return !page.pixels.empty() ||
             std::ranges::any_of(page.marks, [](const Mark& mark) { return std::holds_alternative<Image>(mark.what); });
    });
  }

  // The time and its numbers are one line, which ends at the right.
  static void join(Label& line, const Label& part) {
    if (part.run.items.empty()) return;
    if (line.run.items.empty()) {
      line = part;
    } else {
      for (GlyphRun::Item item : part.run.items) {
        item.x += part.origin.x - line.origin.x;
        line.run.items.push_back(item);
      }
      std::ranges::stable_sort(line.run.items, {}, &GlyphRun::Item::x);
    }
    line.run.width = 0;
    line.hold = 1;
  }

  void add_lines(const Page& page) {
    if (page.lines.empty()) return;
    const auto box = [](const Rectangle& r) {
      return fmt::format("({},{}) rectangle ({},{})", r.x, r.y, r.x + r.width, r.y + r.height);
    };
    text_ += fmt::format("\\begin{{scope}}[even odd rule, line cap=round]\n\\clip {}{};\n", box(page.field),
                         page.hole ? fmt::format(" {}", box(*page.hole)) : "");
    const std::string width = short_number(page.line_width / 256.0 * points_);
    // TeX has little memory for a path, so that lines of several levels are paths of their own.
    for (std::size_t i = 0; i < page.lines.size();) {
      const Stroke& first = page.lines[i];
      text_ += first.filled ? fmt::format("\\fill[{}]", paint(page.line_color))
                            : fmt::format("\\draw[{}, line width={}bp]", paint(page.line_color), width);
      for (std::size_t start = i; i < page.lines.size() && i - start < max_lines; ++i) {
        const Stroke& stroke = page.lines[i];
        if (stroke.filled != first.filled || stroke.group != first.group) break;
        text_ += "\n";
        for (const Path::Point& p : stroke.points) {
          constexpr std::size_t points_in_text_line = 8;
          const std::size_t at = static_cast<std::size_t>(&p - stroke.points.data());
          text_ += fmt::format("{}({},{})", at == 0 ? "" : "--", tenth(p.x), tenth(p.y));
          if ((at + 1) % points_in_text_line == 0) text_ += '\n';
        }
        if (stroke.filled) text_ += "--cycle";
      }
      text_ += ";\n";
    }
    text_ += "\\end{scope}\n";
  }

  // Pixels of units of a Path, to a tenth.
  static std::string tenth(std::int32_t length) { return short_number(std::round(length / 25.6) / 10); }
  static constexpr std::size_t max_lines = 2000;  // of one path

  void add_image(const Rectangle& place, int columns, int rows, const std::vector<Color>& colors) {
    images_.push_back({place, columns, rows, colors});
    text_ += fmt::format(
        "\\begin{{scope}}\\clip ({},{}) rectangle ({},{});\\node[anchor=north west] at (0,0) "
        "{{\\includegraphics[width={:.6f}bp, height={:.6f}bp]{{\\simreelpath {}}}}};\\end{{scope}}\n",
        place.x, place.y, place.x + place.width, place.y + place.height, group_.size.width * points_,
        group_.size.height * points_, picture_);
  }

  std::string picture_bytes() const {
    if (!has_images()) return "";
    PagePixels pixels(group_.size, {255, 255, 255, 255});
    // A reader that draws fewer pixels mixes in some that are clipped away, so each image goes on beyond its edge.
    for (const int beyond : {4, 0})
      for (Image image : images_) {
        Rectangle& place = image.place;
        place = {place.x - beyond, place.y - beyond, place.width + 2 * beyond, place.height + 2 * beyond};
        pixels.put(image);
      }
    return packed_png(pixels.pixels(), group_.size, facts_.tags, facts_.pixels_per_inch);
  }

  const PageGroup& group_;
  const PageFacts& facts_;
  const std::string& picture_;
  double points_;  // per pixel
  std::vector<Image> images_;
  std::string text_;
};

}  // namespace

TexPage tex_of(const PageGroup& group, const PageFacts& facts, const std::string& picture) {
  return Writer(group, facts, picture).page();
}

}  // namespace simreel
