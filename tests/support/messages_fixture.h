#pragma once
// A folder with a small scene, in which mistakes are tried.

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/command_fixture.h"

namespace simreel::test {

class Messages : public test::CommandTest {
 protected:
  void SetUp() override {
    write("a.toml",
          "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n[[solver.droplet]]\n[view]\nsize = [64, 36]\nrange = [-1, 1]\n"
          "[animation]\nframes = 3\n");
    std::filesystem::create_directory(folder_ / "out");
  }

  // The program refuses it, says each of the words, and leaves no file behind.
  void refuses(const std::string& arguments, const std::vector<std::string>& words) {
    const std::size_t before = files();
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit, 2) << arguments << "\n" << outcome.err;
    for (const std::string& word : words)
      EXPECT_NE(outcome.err.find(word), std::string::npos) << arguments << " -> " << outcome.err;
    EXPECT_LT(outcome.err.size(), 2000u) << outcome.err;
    EXPECT_LE(files(), std::max<std::size_t>(before, 4)) << arguments;  // a.toml, out, out.txt, err.txt
  }
};

}  // namespace simreel::test
