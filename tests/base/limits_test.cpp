#include "base/limits.h"

#include <fmt/format.h>

#include "tests/support/places.h"

namespace simreel {
namespace {

TEST(Limits, AreThoseOfTheManual) {
  if (!std::filesystem::exists(test::root() / "README.md")) GTEST_SKIP() << "a bundle has no documents";
  std::stringstream manual;
  manual << std::ifstream(test::root() / "docs/security.md").rdbuf();
  std::string rows = "| of | at most |\n|---|---|\n";
  for (const limits::Row& row : limits::table) rows += fmt::format("| {} | {} |\n", row.what, row.max);
  EXPECT_TRUE(test::says(manual.str(), rows)) << "write this into docs/security.md:\n" << rows;
}

}  // namespace
}  // namespace simreel
