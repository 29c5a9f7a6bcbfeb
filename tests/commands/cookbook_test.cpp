// What docs/cookbook.md says, done as it says it, with few and quick frames.

#include <regex>

#include "tests/support/command_fixture.h"

namespace simreel::test {
namespace {

// The code blocks of a language, without their fences.
std::vector<std::string> blocks_of(const std::string& page, const std::string& language) {
  std::vector<std::string> blocks;
  const std::string fence = "```" + language + "\n";
  for (std::size_t at = 0; (at = page.find(fence, at)) != std::string::npos;) {
    at += fence.size();
    blocks.push_back(page.substr(at, page.find("```", at) - at));
  }
  return blocks;
}

class Cookbook : public CommandTest {};

TEST_F(Cookbook, RecipesRunAsTheyStand) {
  if (!std::filesystem::exists(root() / "README.md")) GTEST_SKIP() << "a bundle has no documents";
  const std::string page = text_of((root() / "docs/cookbook.md").string());
  const std::regex name("^# (\\w+\\.toml)\n"), frames("\nframes = \\d+"), steps("\nsteps_per_frame = \\d+"),
      size("\nsize = \\[\\d+, \\d+\\]");
  for (const std::string& block : blocks_of(page, "toml")) {
    std::smatch found;
    ASSERT_TRUE(std::regex_search(block, found, name)) << block;
    std::string quick = std::regex_replace(block, frames, "\nframes = 2");
    quick = std::regex_replace(quick, steps, "\nsteps_per_frame = 2");
    write(found[1], std::regex_replace(quick, size, "\nsize = [160, 90]"));
  }
  int commands = 0;
  for (const std::string& block : blocks_of(page, "sh")) {
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line); ++commands) {
      ASSERT_TRUE(line.starts_with("simreel ")) << line;
      const Outcome outcome = run(line.substr(8));
      EXPECT_EQ(outcome.exit, 0) << line << "\n" << outcome.err;
    }
  }
  EXPECT_GE(commands, 8);
}

TEST_F(Cookbook, PicturesAreThere) {
  if (!std::filesystem::exists(root() / "README.md")) GTEST_SKIP() << "a bundle has no documents";
  const std::string page = text_of((root() / "docs/cookbook.md").string());
  const std::regex picture("\\]\\((cookbook/[^)]*)\\)");
  int found = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), picture), end; at != end; ++at, ++found) {
    EXPECT_TRUE(std::filesystem::exists(root() / "docs" / (*at)[1].str())) << (*at)[1];
    const std::string file = std::filesystem::path((*at)[1].str()).filename().string();
    EXPECT_NE(page.find("| " + file + " | `simreel "), std::string::npos) << "no command for " << file;
  }
  EXPECT_GE(found, 7);
}

}  // namespace
}  // namespace simreel::test
