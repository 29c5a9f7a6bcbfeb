#include "sink/outputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "sink/video/codecs.h"
#include "sink/video/video.h"
#include "tests/support/places.h"

namespace simreel {
namespace {

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(test::root() / file).rdbuf();
  return text.str();
}

// What stands between backticks in the first column of the table under "| `-o` |".
std::set<std::string> outputs_in(const std::string& markdown) {
  std::set<std::string> names;
  std::istringstream lines(markdown.substr(std::min(markdown.find("| `-o` |"), markdown.size())));
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("|")) {
    const std::string column = line.substr(1, line.find('|', 1) - 1);
    for (std::size_t at = 0; (at = column.find('`', at)) != std::string::npos;) {
      const std::size_t end = column.find('`', at + 1);
      names.insert(column.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  return names;
}

TEST(SinkKinds, DocumentsListTheOutputsAndCodecsOfTheTables) {
  if (!std::filesystem::exists(test::root() / "README.md")) GTEST_SKIP() << "a bundle has no documents";
  const std::string manual = text_of("docs/outputs.md");
  EXPECT_NE(manual.find("\n" + outputs_markdown() + "\n"), std::string::npos)
      << "paste what `simreel info --markdown` prints into docs/outputs.md:\n"
      << outputs_markdown();
  EXPECT_NE(manual.find("\n" + codecs_markdown() + "\n"), std::string::npos)
      << "paste what `simreel info --markdown` prints into docs/outputs.md:\n"
      << codecs_markdown();
  EXPECT_NE(manual.find("\n" + options_markdown() + "\n"), std::string::npos)
      << "paste what `simreel info --markdown` prints into docs/outputs.md:\n"
      << options_markdown();
  std::set<std::string> patterns;
  for (const SinkKind& kind : sink_kinds()) patterns.emplace(kind.pattern);
  EXPECT_EQ(outputs_in(text_of("README.md")), patterns);
}

TEST(SinkKinds, RowsAreFoundByTheirExtensions) {
  EXPECT_EQ(kind_by_extension("out/A.MOV")->pattern, "x.mov");
  EXPECT_EQ(kind_by_extension("p%d.png")->content, Content::picture);
  EXPECT_EQ(kind_by_extension("a.hashes")->content, Content::hashes);
  EXPECT_EQ(kind_by_extension("a.y4m")->content, Content::video);
  for (const char* name : {"a.docx", "a", "-", "null:", ""}) EXPECT_EQ(kind_by_extension(name), nullptr) << name;
  EXPECT_EQ(extensions_of(Content::video), ".mp4 .mov .mkv .webm .gif .webp .apng .y4m");
  EXPECT_EQ(extensions_of(Content::picture), ".png");
}

TEST(SinkKinds, ContainersAndCodecsKnowEachOther) {
  for (const SinkKind& kind : sink_kinds()) {
    if (kind.container.codec.empty()) continue;
    const auto codec = std::ranges::find(codecs(), kind.container.codec, &Codec::name);
    ASSERT_NE(codec, codecs().end()) << kind.pattern;
    EXPECT_NE(std::ranges::find(codec->containers, kind.extension()), codec->containers.end()) << kind.pattern;
    EXPECT_NE(kind.container.muxer.empty(), kind.container.animated == nullptr) << kind.pattern;
  }
  for (const Codec& codec : codecs()) {
    for (const std::string_view extension : codec.containers) {
      const SinkKind* const kind = kind_by_extension("x" + std::string(extension));
      ASSERT_NE(kind, nullptr) << extension;
      EXPECT_FALSE(kind->container.codec.empty()) << extension;
    }
  }
}

}  // namespace
}  // namespace simreel
