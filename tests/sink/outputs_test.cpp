#include "sink/outputs.h"

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

TEST(SinkKinds, DocumentsListTheOutputsAndCodecsOfTheTables) {
  if (!std::filesystem::exists(test::root() / "README.md")) GTEST_SKIP() << "a bundle has no documents";
  const std::string manual = text_of("docs/outputs.md");
  EXPECT_TRUE(test::says(manual, "\n" + outputs_markdown() + "\n"))
      << "paste what `simreel info --markdown` prints into docs/outputs.md:\n"
      << outputs_markdown();
  EXPECT_TRUE(test::says(manual, "\n" + codecs_markdown() + "\n"))
      << "paste what `simreel info --markdown` prints into docs/outputs.md:\n"
      << codecs_markdown();
  EXPECT_TRUE(test::says(manual, "\n" + options_markdown() + "\n"))
      << "paste what `simreel info --markdown` prints into docs/outputs.md:\n"
      << options_markdown();
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
  for (const Codec& codec : codecs())
    for (const std::string_view extension : codec.containers) {
      const SinkKind* const kind = kind_by_extension("x" + std::string(extension));
      ASSERT_NE(kind, nullptr) << extension;
      EXPECT_FALSE(kind->container.codec.empty()) << extension;
    }
}

}  // namespace
}  // namespace simreel
