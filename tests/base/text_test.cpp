#include "base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

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

}  // namespace
}  // namespace simreel
