#include "figure/time_line.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "figure/style.h"

namespace simreel {
namespace {

constexpr char32_t minus_sign = U'\u2212';

int advance(char32_t code, int size) { return rounded(advance_of(*find_glyph(code, FontStyle::regular), size)); }

// Of the widest number with so many characters: "1234.56", "−1234.56" or "−1.23e−45".
int number_width(const TimeNumber& number, int size) {
  if (number.of == TimeNumber::Of::date) return width_of(number.widest, number, size);
  const int digit = advance('0', size), point = advance('.', size), sign = advance(minus_sign, size);
  const int count = static_cast<int>(number.width);
  if (number.form != 'e' && !number.may_be_negative)
    return number.decimals > 0 ? (count - 1) * digit + point : count * digit;
  return std::max(sign + point + (count - 2) * digit, 2 * sign + advance('e', size) + point + (count - 4) * digit);
}

}  // namespace

TimeLine time_line(const TimeText& text, int size) {
  TimeLine line;
  for (const TimePart& part : text.parts()) {
    TimeLine::Piece piece{set_text(part.text, size), 0, part.number, part.has_number};
    line.width += pixels_of(piece.run.width);
    if (part.has_number) line.width += piece.number_width = number_width(part.number, size);
    line.pieces.push_back(std::move(piece));
  }
  return line;
}

std::u32string decoded(std::string_view text) {
  std::u32string codes;
  for (std::size_t i = 0; i < text.size();) {
    const bool is_minus = static_cast<unsigned char>(text[i]) >= 0x80;
    codes += is_minus ? minus_sign : static_cast<char32_t>(text[i]);
    i += utf8_length(text.substr(i));
  }
  return codes;
}

int width_of(std::string_view text, const TimeNumber& number, int size) {
  const std::u32string codes = decoded(text);
  int width = number.may_be_negative && !codes.starts_with(minus_sign) ? advance(minus_sign, size) : 0;
  for (const char32_t code : codes) width += advance(code, size);
  return width;
}

GlyphRun number_run(std::string_view number, int size, int room) {
  GlyphRun run;
  for (const char32_t code : decoded(number)) {
    const Glyph* const glyph = find_glyph(code, FontStyle::regular);
    if (!glyph) continue;
    run.items.push_back({glyph, FontStyle::regular, run.width, 0, size});
    run.width += rounded(advance_of(*glyph, size)) * fine;
  }
  for (GlyphRun::Item& item : run.items) item.x += room * fine - run.width;
  return run;
}

}  // namespace simreel
