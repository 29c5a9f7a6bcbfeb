#include "figure/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "figure/style.h"

namespace simreel {
namespace {

struct MathName {
  std::string_view name;
  char32_t code;
};
constexpr MathName names[] = {
    {"alpha", 0x3B1},     {"beta", 0x3B2},   {"gamma", 0x3B3},   {"delta", 0x3B4},       {"epsilon", 0x3B5},
    {"zeta", 0x3B6},      {"eta", 0x3B7},    {"theta", 0x3B8},   {"kappa", 0x3BA},       {"lambda", 0x3BB},
    {"mu", 0x3BC},        {"nu", 0x3BD},     {"xi", 0x3BE},      {"pi", 0x3C0},          {"rho", 0x3C1},
    {"sigma", 0x3C3},     {"tau", 0x3C4},    {"phi", 0x3C6},     {"varphi", 0x3D5},      {"chi", 0x3C7},
    {"psi", 0x3C8},       {"omega", 0x3C9},  {"Gamma", 0x393},   {"Delta", 0x394},       {"Theta", 0x398},
    {"Lambda", 0x39B},    {"Xi", 0x39E},     {"Pi", 0x3A0},      {"Sigma", 0x3A3},       {"Phi", 0x3A6},
    {"Psi", 0x3A8},       {"Omega", 0x3A9},  {"nabla", 0x2207},  {"partial", 0x2202},    {"infty", 0x221E},
    {"times", 0xD7},      {"cdot", 0xB7},    {"pm", 0xB1},       {"mp", 0x2213},         {"approx", 0x2248},
    {"sim", 0x223C},      {"neq", 0x2260},   {"leq", 0x2264},    {"geq", 0x2265},        {"ll", 0x226A},
    {"gg", 0x226B},       {"equiv", 0x2261}, {"propto", 0x221D}, {"sum", 0x2211},        {"prod", 0x220F},
    {"int", 0x222B},      {"sqrt", 0x221A},  {"langle", 0x27E8}, {"rangle", 0x27E9},     {"hbar", 0x210F},
    {"ell", 0x2113},      {"odot", 0x2299},  {"oplus", 0x2295},  {"otimes", 0x2297},     {"circ", 0x2218},
    {"degree", 0xB0},     {"prime", 0x2032}, {"to", 0x2192},     {"rightarrow", 0x2192}, {"leftarrow", 0x2190},
    {"parallel", 0x2225}, {"perp", 0x22A5},  {"in", 0x2208},     {"angstrom", 0xC5},     {"ldots", 0x2026}};

// Marks over a letter. `low`, `high`: how far they are raised over small and over tall ones, hundredths of an em.
struct Accent {
  std::string_view name;
  char32_t mark;
  int low, high, percent;  // of the size of the letter
};
constexpr Accent accents[] = {{"bar", 0xAF, 0, 18, 100},   {"overline", 0xAF, 0, 18, 100}, {"hat", '^', 14, 32, 100},
                              {"tilde", '~', 34, 52, 100}, {"vec", 0x2192, 48, 66, 60},    {"dot", '.', 64, 82, 100}};

constexpr char32_t thin_space = 0x2009, minus = 0x2212;

[[noreturn]] void fail(const std::string& message) { throw UsageError(message); }

char32_t decode(std::string_view text, std::size_t length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (length == 1) return byte(0);
  char32_t code = static_cast<char32_t>(byte(0) & (0x7F >> length));
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3F);
  return code;
}

bool is_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= 0x3B1 && c <= 0x3F5); }
bool is_relation(char32_t c) {
  constexpr std::u32string_view relations =
      U"=<>+\u2212\u00D7\u00B1\u2213\u2248\u223C\u2260\u2264\u2265\u226A\u226B\u2261\u221D\u2192";
  return relations.find(c) != std::u32string_view::npos;
}

class Setter {
 public:
  Setter(std::string_view text, FontStyle style) : rest_(text), style_(style) {}

  GlyphRun line(int size) {
    run_ = {};
    grow(0, size);
    while (!rest_.empty()) {
      if (accept('$')) {
        math(size, 0, '$');
      } else if (rest_.starts_with("\\$")) {
        rest_.remove_prefix(2);
        put('$', style_, 0, size);
      } else {
        put(next(), style_, 0, size);
      }
    }
    return std::move(run_);
  }

 private:
  bool accept(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  char32_t next() {
    const std::size_t length = utf8_length(rest_);
    if (length == 0) fail("the text is not UTF-8");
    const char32_t code = decode(rest_, length);
    last_ = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return code;
  }

  // Up to `end`, which is taken.
  void math(int size, std::int32_t raised, char end) {
    constexpr int deepest = 32;
    if (end == '}' && ++depth_ > deepest)
      fail(fmt::format("more than {} braces in mathematics lie within each other; use fewer", deepest));
    while (!accept(end)) {
      if (rest_.empty()) fail(end == '$' ? "a $ is not closed; write \\$ for the sign" : "a { in mathematics has no }");
      if (accept('^')) {
        script(size, raised - size * 38 / 100);
      } else if (accept('_')) {
        script(size, raised + size * 16 / 100);
      } else if (accept('{')) {
        math(size, raised, '}');
      } else if (accept('\\')) {
        name(size, raised);
      } else {
        symbol(next(), size, raised);
      }
    }
    if (end == '}') --depth_;
  }

  // A sub- or superscript. One right after the other stands above or below it.
  void script(int size, std::int32_t raised) {
    const std::int32_t start = script_end_ == run_.width ? script_start_ : run_.width;
    const std::int32_t reached = run_.width;
    run_.width = start;
    const int small = std::max(size * 7 / 10, 64);
    if (accept('{'))
      math(small, raised, '}');
    else if (rest_.empty() || rest_.front() == '$')
      fail("a ^ or _ in mathematics has nothing after it");
    else if (accept('\\'))
      name(small, raised);
    else
      symbol(next(), small, raised);
    run_.width = std::max(run_.width, reached);
    script_start_ = start;
    script_end_ = run_.width;
  }

  void name(int size, std::int32_t raised) {
    if (accept(',')) return put(thin_space, style_, raised, size);
    if (accept(' ')) return put(' ', style_, raised, size);
    std::size_t length = 0;
    while (length < rest_.size() && ((rest_[length] | 32) >= 'a' && (rest_[length] | 32) <= 'z')) ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (word == "mathrm" || word == "text") {
      if (!accept('{')) fail(fmt::format("\\{} in mathematics needs {{..}} after it", word));
      while (!accept('}')) {
        if (rest_.empty()) fail("a { in mathematics has no }");
        put(next(), style_, raised, size);
      }
      return;
    }
    if (word == "mathbf") {
      const FontStyle before = std::exchange(style_, FontStyle::bold);
      const bool outer = std::exchange(upright_, true);
      argument(word, size, raised);
      style_ = before, upright_ = outer;
      return;
    }
    if (word == "frac") {  // on a line of text: 1/2, above and below
      argument(word, std::max(size * 7 / 10, 64), raised - size * 30 / 100);
      put('/', FontStyle::regular, raised, size);
      return argument(word, std::max(size * 7 / 10, 64), raised + size * 12 / 100);
    }
    if (const auto accent = std::ranges::find(accents, word, &Accent::name); accent != std::end(accents))
      return put_accent(*accent, size, raised);
    const auto found = std::ranges::find(names, word, &MathName::name);
    if (found == std::end(names))
      fail(fmt::format("\\{} is not a known name of mathematics; there are {}", word, math_names()));
    symbol(found->code, size, raised);
  }

  // What follows a name: {..}, another name or a character.
  void argument(std::string_view word, int size, std::int32_t raised) {
    while (accept(' ')) {
    }
    if (accept('{')) return math(size, raised, '}');
    if (rest_.empty() || rest_.front() == '$') fail(fmt::format("\\{} in mathematics has nothing after it", word));
    if (accept('\\')) return name(size, raised);
    symbol(next(), size, raised);
  }

  void put_accent(const Accent& accent, int size, std::int32_t raised) {
    const std::size_t first = run_.items.size();
    const std::int32_t start = run_.width;
    argument(accent.name, size, raised);
    const bool tall = std::any_of(
        run_.items.begin() + static_cast<std::ptrdiff_t>(first), run_.items.end(), [](const GlyphRun::Item& item) {
          constexpr std::u32string_view high = U"bdfhklt\u03B2\u03B4\u03B8\u03BB\u03BE";
          const char32_t code = item.glyph->code;
          return (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') || (code >= 0x391 && code <= 0x3A9) ||
                 high.find(code) != std::u32string_view::npos;
        });
    const int own = size * accent.percent / 100;
    const Glyph* const mark = find_glyph(accent.mark, FontStyle::regular);
    run_.items.push_back({mark, FontStyle::regular,
                          start + (run_.width - start - advance_of(*mark, own)) / 2 + size / 16,
                          raised - size * (tall ? accent.high : accent.low) / 100, own});
  }

  void symbol(char32_t code, int size, std::int32_t raised) {
    if (code == ' ') return;
    if (code == '-') code = minus;
    // Around a relation there is space, but not around the sign of a number or in a script.
    const bool spaced = is_relation(code) && raised == 0 && run_.width > 0;
    if (spaced) put(thin_space, style_, raised, size);
    const FontStyle slanted = style_ == FontStyle::bold ? FontStyle::bold_oblique : FontStyle::oblique;
    put(code, !upright_ && is_letter(code) ? slanted : style_, raised, size);
    if (spaced) put(thin_space, style_, raised, size);
  }

  void put(char32_t code, FontStyle style, std::int32_t y, int size) {
    grow(y, size);
    if (code == thin_space) {
      run_.width += size / 6;
      return;
    }
    const Glyph* glyph = find_glyph(code, style);
    if (!glyph)
      fail(code < 0x20 ? "the text has a control character; it must be one line"
                       : fmt::format("the font has no character \"{}\" (U+{:04X}); it has Latin and Greek letters and "
                                     "mathematical signs; write the text in those, or add it to a .svg by an editor",
                                     last_, static_cast<std::uint32_t>(code)));
    run_.items.push_back({glyph, style, run_.width, y, size});
    run_.width += advance_of(*glyph, size);
  }

  void grow(std::int32_t y, int size) {
    run_.ascent = std::max(run_.ascent, size * ascent_units / units_per_em - y);
    run_.descent = std::max(run_.descent, size * descent_units / units_per_em + y);
  }

  std::string_view rest_, last_;
  FontStyle style_;
  GlyphRun run_;
  std::int32_t script_start_ = -1, script_end_ = -1;
  bool upright_ = false;  // letters, in \mathbf
  int depth_ = 0;         // braces around what is read; bounds the stack
};

}  // namespace

std::int32_t advance_of(const Glyph& glyph, int size) {
  return static_cast<std::int32_t>((std::int64_t{glyph.advance} * size + units_per_em / 2) / units_per_em);
}

void GlyphRun::append(const GlyphRun& other) {
  for (Item item : other.items) {
    item.x += width;
    items.push_back(item);
  }
  width += other.width;
  ascent = std::max(ascent, other.ascent);
  descent = std::max(descent, other.descent);
}

void GlyphRun::add_to(Path& path, std::int32_t x, std::int32_t y, const Direction& direction) const {
  for (const Item& item : items)
    add_glyph(path, *item.glyph, item.style, x + direction.x_at(item.x, item.y), y + direction.y_at(item.x, item.y),
              item.size, direction);
}

GlyphRun set_text(std::string_view text, int size, FontStyle style) { return Setter(text, style).line(size); }

std::string_view math_name_of(char32_t code) {
  const auto found = std::ranges::find(names, code, &MathName::code);
  return found == std::end(names) ? std::string_view() : found->name;
}

std::string math_names() {
  std::string list;
  for (const MathName& entry : names) list += fmt::format("{}\\{}", list.empty() ? "" : ", ", entry.name);
  for (const Accent& entry : accents) list += fmt::format(", \\{}{{..}}", entry.name);
  return list + ", \\frac{..}{..}, \\mathbf{..}, \\mathrm{..}";
}

std::vector<std::string> wrapped(const std::string& text, int lines) {
  std::vector<std::string> found;
  std::size_t start = 0;
  for (int left = lines; left > 1; --left) {
    const std::size_t aim = start + (text.size() - start) / static_cast<std::size_t>(left);
    const auto off = [&](std::size_t at) { return at > aim ? at - aim : aim - at; };
    std::size_t best = std::string::npos;
    bool math = false;
    for (std::size_t i = start; i < text.size(); ++i) {
      if (text[i] == '$') math = !math;
      if (text[i] == ' ' && !math && i > start && (best == std::string::npos || off(i) < off(best))) best = i;
    }
    if (best == std::string::npos) break;
    found.push_back(text.substr(start, best - start));
    start = best + 1;
  }
  found.push_back(text.substr(start));
  return found;
}

int widest_of(const std::vector<GlyphRun>& lines) {
  int width = 0;
  for (const GlyphRun& line : lines) width = std::max(width, pixels_of(line.width));
  return width;
}

}  // namespace simreel
