// Titles and names of strangers in every text that the program writes: no control character of them ends a line of a
// comment, steers a terminal or breaks a format.

#include "base/escape.h"
#include "base/text.h"
#include "commands/json.h"
#include "golden/report.h"
#include "sink/page/document.h"
#include "sink/page/page_file.h"
#include "tests/support/page.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

std::vector<std::string> controls() {
  std::vector<std::string> all = {"\x7f", "\xc2\x80", "\xc2\x85", "\xc2\x9b", "\xe2\x80\xa8", "\xe2\x80\xa9"};
  for (char c = 0; c < 0x20; ++c) all.emplace_back(1, c);
  return all;
}

// Whether the text has a character that ends a line for some reader, but \n, or steers a terminal, but \t.
bool steers_nothing(const std::string& text) {
  for (const std::string& control : controls())
    if (control != "\n" && control != "\t" && text.find(control) != std::string::npos) return false;
  return true;
}

PageFacts facts_of(const std::string& text) {
  return {100, {{"title", text}, {"scene", text}, {"overrides", text}, {"version", "simreel 1"}}};
}

PageGroup full_group() { return test::full_page(); }

SceneCheck check_of(const std::string& text) {
  SceneCheck check;
  check.verdict = Verdict::different;
  check.name = check.message = check.title = check.text = check.tolerance = text;
  check.stills.emplace_back().problem = text;
  check.acceptable = true;
  return check;
}

TEST(Writers, CommentsOfLatexStayComments) {
  for (const std::string& control : controls()) {
    const std::string tex = tex_of(full_group(), facts_of("a" + control + "\\input{b}" + control), "p.png").text;
    EXPECT_TRUE(steers_nothing(tex)) << quote(control);
    for (std::size_t at = 0; (at = tex.find("\\input{b}", at)) != std::string::npos; ++at)
      EXPECT_EQ(tex[tex.rfind('\n', at) + 1], '%') << quote(control);
  }
}

// Of a scene's [output] path, too.
TEST(Writers, NamesInLatexAreNoCommands) {
  const test::Folder folder;
  for (const std::string mark : {"\\", "{", "}", "%", "#", "$", "&", "~", "^", "\n", "\r", "\t", "\x01", "\x7f"})
    EXPECT_THROW(PageFile(folder / ("a" + mark + "b.tex"), false, Opening::trial), UsageError) << quote(mark);
  for (const std::string mark : {"_", "-", " ", "+", "(", "\xc3\xa9"})
    EXPECT_NO_THROW(PageFile(folder / ("a" + mark + "b.tex"), false, Opening::trial)) << mark;
}

TEST(Writers, PagesHaveNoControlCharacters) {
  for (const std::string& control : controls()) {
    const std::string text = "a" + control + "b";
    const bool separates = control[0] == '\xe2';  // ends no line of XML 1.0
    EXPECT_TRUE(separates || steers_nothing(svg_of(full_group(), facts_of(text)))) << quote(control);
    const std::string eps = eps_of(full_group(), facts_of(text));
    EXPECT_TRUE(std::ranges::all_of(eps, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); })) << quote(control);
    const std::string pdf = pdf_of(full_group(), facts_of(text));
    const std::size_t xmp = pdf.find("<?xpacket begin");
    ASSERT_NE(xmp, std::string::npos);
    EXPECT_TRUE(separates || steers_nothing(pdf.substr(xmp, pdf.find("<?xpacket end") - xmp))) << quote(control);
    EXPECT_EQ(pdf.find(text, pdf.find("/Title")), std::string::npos) << "in hexadecimal digits";
  }
}

TEST(Writers, ReportsHaveNoControlCharacters) {
  for (const std::string& control : controls()) {
    const std::string text = "a" + control + "</x>";
    const std::string xml = junit_xml(text, {text, text}, {check_of(text)}, {text});
    const std::string html =
        report_page(text, text, text, {{Verdict::different, report_section(check_of(text), text)}});
    for (const std::string& written : {xml, html}) {
      EXPECT_TRUE(steers_nothing(written) || control[0] == '\xe2') << quote(control);
      EXPECT_EQ(written.find("</x>"), std::string::npos) << quote(control);
    }
  }
}

TEST(Writers, TerminalsAndLinesOfJsonAreNotSteered) {
  for (const std::string& control : controls()) {
    const std::string text = "a" + control + "b";
    EXPECT_TRUE(steers_nothing(printable(text))) << quote(control);
    const std::string json = json_text({{"message", text}, {text, "\xff"}}, -1);
    EXPECT_TRUE(std::ranges::all_of(json, [](char c) { return c >= ' ' && c <= '~'; })) << quote(control);
    EXPECT_EQ(nlohmann::json::parse(json)["message"], text);
  }
}

}  // namespace
}  // namespace simreel
