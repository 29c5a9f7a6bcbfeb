#include "base/escape.h"

#include "golden/check.h"
#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

const std::string replaced = "\xEF\xBF\xBD";

TEST(EscapeMarkup, LeavesNoMarkup) {
  EXPECT_EQ(escape_markup("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escape_markup("a\r\nb"), "a&#13;\nb");
  EXPECT_EQ(escape_markup("line\nwith\ttab \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "line\nwith\ttab \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(EscapeMarkup, ReplacesWhatXmlForbids) {
  EXPECT_EQ(escape_markup(std::string("a\0b\x1f", 4)), "a" + replaced + "b" + replaced);
  EXPECT_EQ(escape_markup("\xef\xbf\xbe"), replaced);         // U+FFFE
  EXPECT_EQ(escape_markup("\xff"), replaced);                 // never in UTF-8
  EXPECT_EQ(escape_markup("\xc0\xbc"), replaced + replaced);  // an overlong <
  EXPECT_EQ(escape_markup("\xe0\x80\xbc"), replaced + replaced + replaced);
  EXPECT_EQ(escape_markup("\xed\xa0\x80"), replaced + replaced + replaced);  // a surrogate
  EXPECT_EQ(escape_markup("\xf4\x90\x80\x80"), replaced + replaced + replaced + replaced);
  EXPECT_EQ(escape_markup("\xe2\x82"), replaced + replaced);  // cut short
  EXPECT_EQ(escape_markup("\xc3<"), replaced + "&lt;");
}

TEST(ShellWord, ComesThroughAShellAsItWas) {
  const test::Folder folder;
  for (const std::string word : {"plain-name_1.toml", "two words", "it's", "$(reboot)", "`x`", "\"q\"", "a;b&c|d>e",
                                 "*", "", "~", "#x", "back\\slash", "new\nline"}) {
    const std::string file = folder / "out";
    ASSERT_EQ(std::system(("printf %s. " + shell_word(word) + " >" + file).c_str()), 0);
    EXPECT_EQ(test::text_of(file), word + ".");
  }
  EXPECT_EQ(shell_word("tests/golden"), "tests/golden");
}

// RFC 4648, section 10.
TEST(Base64, EncodesTheVectorsOfTheRfc) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\xfe\0", 3)), "//4A");
}

TEST(RunsText, NamesRunsAndStopsAfterAFew) {
  EXPECT_EQ(runs_text({}), "");
  EXPECT_EQ(runs_text({4}), "4");
  EXPECT_EQ(runs_text({3, 4, 5, 6, 7, 9}), "3 to 7, 9");
  std::vector<std::int64_t> odd;
  for (std::int64_t i = 1; i < 100; i += 2) odd.push_back(i);
  EXPECT_EQ(runs_text(odd), "1, 3, 5, 7, 9, 11, 13, 15, ...");
}

TEST(Escape, PrintedItHasNoControlCharacters) {
  EXPECT_EQ(printable("a\tb\n\u00e9 \u2603"), "a\tb\n\u00e9 \u2603");
  EXPECT_EQ(printable("\x1b]0;x\x07 \r\x7f\xc2\x9b"
                      "31m"),
            "\\u001B]0;x\\u0007 \\u000D\\u007F\\u009B31m");
  EXPECT_EQ(printable("a\xff\xc3\u2028"), "a\\xFF\\xC3\\u2028");
  EXPECT_EQ(printable("a\u202Eb\u2066c\u2069\u202F"), "a\\u202Eb\\u2066c\\u2069\u202F") << "nor changes its direction";
}

}  // namespace
}  // namespace simreel
