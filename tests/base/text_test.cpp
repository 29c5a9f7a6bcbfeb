#include "base/text.h"

#include "base/error.h"
#include "base/numbers.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

TEST(Suggestion, FindsTypingMistakes) {
  const std::vector<std::string_view> known = {"damping", "boundary", "grid", "G", "amplitude", "steps_per_frame"};
  EXPECT_EQ(nearest("dampnig", known), "damping");
  EXPECT_EQ(nearest("Boundary", known), "boundary");
  EXPECT_EQ(nearest("gird", known), "grid");
  EXPECT_EQ(nearest("g", known), "G");
  EXPECT_EQ(nearest("amp", known), "amplitude");
  EXPECT_EQ(nearest("steps", known), "steps_per_frame");
  EXPECT_EQ(nearest("x", known), "");
  EXPECT_EQ(nearest("colour", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest(std::string(100000, 'g'), known), "");
}

TEST(Suggestion, QuotesAsToml) {
  EXPECT_EQ(quote("a\\\"\n\t\x01\x7F\xC3\xA4"), "\"a\\\\\\\"\\n\\t\\u0001\\u007F\xC3\xA4\"");
  EXPECT_EQ(shorten("a\xC3\xA4\xC3\xA4", 5), "a\xC3\xA4\xC3\xA4");
  EXPECT_EQ(shorten("a\xC3\xA4\xC3\xA4", 4), "a\xC3\xA4...");
  EXPECT_EQ(shorten("a\xC3\xA4\xC3\xA4", 2), "a...");
}

TEST(Suggestion, ListsTheChoices) {
  const std::vector<std::string_view> known = {"wave", "lbm"};
  EXPECT_EQ(choices("wavee", known), "wave, lbm; did you mean \"wave\"?");
  EXPECT_EQ(choices("fluid", known), "wave, lbm");
}

TEST(Text, IsTrimmedAtBothEnds) {
  EXPECT_EQ(trim(" \t a b \r"), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \r\t"), "");
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim("\na\n"), "\na\n");
}

// Pieces one after the other, braced ones as <...>.
std::string pieces_of(std::string_view text) {
  std::string all;
  for (const auto& [piece, braced] : split_template(text)) all += braced ? "<" + piece + ">" : "(" + piece + ")";
  return all;
}

TEST(Text, ATemplateIsSplitAtBracesOutsideOfMathematics) {
  EXPECT_EQ(pieces_of("Re = {solver.reynolds}, $u_{x}$"), "(Re = )<solver.reynolds>(, $u_{x}$)");
  EXPECT_EQ(pieces_of("{a}{}"), "<a><>");
  EXPECT_EQ(pieces_of("{{a}} {b}"), "({a} )<b>");
  EXPECT_EQ(pieces_of("5 \\$ {a}"), "(5 \\$ )<a>") << "an escaped $ begins no mathematics";
  EXPECT_EQ(pieces_of(""), "");
  for (const std::string_view broken : {"{a", "a}", "{", "}"}) EXPECT_THROW(split_template(broken), UsageError);
}

TEST(Text, RangesHaveTheDigitsThatShowTheirWidth) {
  EXPECT_EQ(range_text(273.15, 273.15000001, 4), "[273.15, 273.15000001]");
  EXPECT_EQ(range_text(0.123456789, 1.5, 4), "[0.1235, 1.5]");
  EXPECT_EQ(range_text(1.0 / 3, 1.0 / 3), "[0.333333, 0.333333]");
  EXPECT_EQ(range_text(-1e300, 1e-300), "[-1e+300, 1e-300]");
}

}  // namespace
}  // namespace simreel
