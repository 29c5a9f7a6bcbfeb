// Text -> placed glyphs -> coverage, with bits that no compiler changes.

#include "figure/text.h"

#include "base/error.h"
#include "tests/figure/glyph_hash.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

constexpr int em = 20 * 64;

std::string mistake(const std::string& text) {
  return test::thrown([&] { set_text(text, em); });
}

int width(const std::string& text) { return set_text(text, em).width; }

// The hash that tests/scripts/same_glyphs.sh finds with every compiler too.
TEST(Glyphs, HaveTheseBits) { EXPECT_EQ(test::glyph_hash(), 0xc0c00c3d16d6256du); }

TEST(Glyphs, DigitsHaveOneWidth) {
  for (const FontStyle style : {FontStyle::regular, FontStyle::bold, FontStyle::bold_oblique}) {
    const int zero = find_glyph('0', style)->advance;
    for (char32_t digit = '1'; digit <= '9'; ++digit) EXPECT_EQ(find_glyph(digit, style)->advance, zero);
    EXPECT_NE(find_glyph(0x2212, style), nullptr) << "the minus sign";
  }
  EXPECT_EQ(find_glyph(0x4E00, FontStyle::regular), nullptr);
}

// A rectangle of exact area: 3.5 by 2.25 pixels.
TEST(Coverage, IsTheAreaOfAPixelThatIsCovered) {
  Path path;
  path.begin({256, 512});
  path.line_to({256 + 896, 512});
  path.line_to({256 + 896, 512 + 576});
  path.line_to({256, 512 + 576});
  path.close();
  std::vector<std::vector<int>> rows;
  path.cover(0, 0, 10, 10, [&](int y, int x, std::span<const std::uint8_t> levels) {
    EXPECT_EQ(x, 1);
    EXPECT_EQ(y, 2 + static_cast<int>(rows.size()));
    rows.emplace_back(levels.begin(), levels.end());
  });
  EXPECT_EQ(rows, (std::vector<std::vector<int>>{{255, 255, 255, 128}, {255, 255, 255, 128}, {64, 64, 64, 32}}));
}

TEST(Coverage, StaysInsideTheBox) {
  Path path;
  const Path::Point line[] = {{-5000, -3000}, {9000, 7000}, {100, 9000}};
  path.stroke(line, 700);
  int pixels = 0;
  path.cover(2, 3, 11, 9, [&](int y, int x, std::span<const std::uint8_t> levels) {
    EXPECT_GE(x, 2);
    EXPECT_LE(x + static_cast<int>(levels.size()), 11);
    EXPECT_GE(y, 3);
    EXPECT_LT(y, 9);
    EXPECT_GT(levels.front(), 0);
    EXPECT_GT(levels.back(), 0);
    pixels += static_cast<int>(levels.size());
  });
  EXPECT_GT(pixels, 10);
}

TEST(Text, BracesLieWithinEachOtherUpToALimit) {
  const auto nested = [](std::size_t count, std::size_t closed) {
    std::string text = "$";
    text.append(count, '{').append("x").append(closed, '}').append("$");
    return text;
  };
  EXPECT_EQ(width(nested(32, 32)), width("$x$"));
  EXPECT_EQ(width(nested(32, 32) + nested(32, 32)), 2 * width("$x$"));
  constexpr const char* too_many = "more than 32 braces in mathematics lie within each other; use fewer";
  EXPECT_EQ(mistake(nested(33, 33)), too_many);
  EXPECT_EQ(mistake(nested(1000000, 0)), too_many);
  std::string scripts = "$";
  for (int i = 0; i < 500000; ++i) scripts += "x^{";
  EXPECT_EQ(mistake(scripts), too_many);
}

TEST(Text, MathematicsHasScriptsNamesAndSlantedLetters) {
  const GlyphRun run = set_text("$\\omega_z$ (s$^{-1}$)", em);
  std::u32string codes;
  for (const GlyphRun::Item& item : run.items) codes += item.glyph->code;
  EXPECT_EQ(codes, U"\u03C9z (s\u22121)") << "spaces are characters, too";
  EXPECT_EQ(run.items[0].style, FontStyle::oblique);
  EXPECT_EQ(run.items[0].y, 0);
  EXPECT_GT(run.items[1].y, 0) << "a subscript stands below the line";
  EXPECT_LT(run.items[1].size, em);
  EXPECT_EQ(run.items[3].style, FontStyle::regular) << "outside of $..$";
  EXPECT_LT(run.items[5].y, 0);
  EXPECT_EQ(set_text("$x_1^2$", em).items[1].x, set_text("$x_1^2$", em).items[2].x) << "one above the other";
  EXPECT_EQ(width("\\$5"), width("\\$") + width("5"));
}

TEST(Text, SaysWhatItCannotSet) {
  EXPECT_TRUE(test::says(mistake("a $x"), "a $ is not closed"));
  EXPECT_TRUE(test::says(mistake("$x^{2$"), "a { in mathematics has no }"));
  EXPECT_TRUE(
      test::says(mistake("$\\dfrac{1}{2}$"), "\\dfrac is not a known name of mathematics; there are \\alpha, "));
  EXPECT_TRUE(test::says(mistake("$\\bar$"), "\\bar in mathematics has nothing after it"));
  EXPECT_TRUE(test::says(mistake("$x^$"), "has nothing after it"));
  EXPECT_TRUE(test::says(mistake("a\nb"), "control character"));
  EXPECT_TRUE(test::says(mistake("\u4E2D"), "the font has no character \"\u4E2D\" (U+4E2D)"));
  EXPECT_TRUE(test::says(mistake("\xff"), "not UTF-8"));
  EXPECT_EQ(mistake("Größe in Ångström: ½ ± 3 µm, δ ≤ ∞"), "");
}

TEST(Text, MarksStandOverTheirLetter) {
  const GlyphRun plain = set_text("$u$ x", 640), marked = set_text("$\\bar{u}$ x", 640);
  EXPECT_EQ(marked.width, plain.width) << "a mark takes no room";
  ASSERT_EQ(marked.items.size(), plain.items.size() + 1);
  const GlyphRun::Item &letter = marked.items[0], &bar = marked.items[1];
  EXPECT_EQ(bar.glyph->code, 0xAFu);
  EXPECT_GE(bar.x + advance_of(*bar.glyph, bar.size), letter.x);
  EXPECT_LE(bar.x, letter.x + advance_of(*letter.glyph, letter.size));
  const GlyphRun tall = set_text("$\\bar{U}$", 640);
  EXPECT_LT(tall.items[1].y, bar.y) << "higher over a capital";
  for (const char* text : {"$\\hat u$", "$\\tilde\\omega$", "$\\vec{v}$", "$\\dot x$"})
    EXPECT_EQ(set_text(text, 640).items.size(), 2u) << text;
}

TEST(Text, FractionsAndBoldLetters) {
  const GlyphRun half = set_text("$\\frac{1}{2}$", 640);
  ASSERT_EQ(half.items.size(), 3u);
  EXPECT_LT(half.items[0].y, 0) << "the numerator is raised";
  EXPECT_GT(half.items[2].y, 0);
  EXPECT_LT(half.items[0].size, 640);
  const GlyphRun bold = set_text("$\\mathbf{v}$ v", 640);
  EXPECT_EQ(bold.items[0].style, FontStyle::bold);
  EXPECT_EQ(bold.items.back().style, FontStyle::regular);
  const GlyphRun title = set_text("v$v\\mathbf{v}2$", 640, FontStyle::bold);
  EXPECT_EQ(title.items[0].style, FontStyle::bold);
  EXPECT_EQ(title.items[1].style, FontStyle::bold_oblique);
  EXPECT_EQ(title.items[2].style, FontStyle::bold);
  EXPECT_EQ(title.items[3].style, FontStyle::bold);
}

}  // namespace
}  // namespace simreel
