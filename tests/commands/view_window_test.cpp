// crop, fit and the keys of [view], as a user meets them.

#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::text_of;

class ViewWindow : public test::CommandTest {
 protected:
  void scene(const std::string& view, const std::string& rest = "", const std::string& size = "[64, 32]") {
    write("s.toml", "[solver]\nkind = \"wave\"\ngrid = [96, 96]\n[view]\nsize = " + size + "\n" + view +
                        "[animation]\nframes = 6\nfps = 6\n" + rest);
  }
  // The lines of frames, without those about the run.
  std::string frames(const std::string& options, const std::string& name) {
    EXPECT_EQ(run("render s.toml --backend cpu " + options + " -o " + name).exit, 0) << text_of(folder_ / "err.txt");
    std::istringstream text(text_of(folder_ / name));
    std::string lines;
    for (std::string line; std::getline(text, line);)
      if (!line.empty() && line[0] != '#') lines += line + "\n";
    return lines;
  }
};

const std::string zoom_keys =
    "[[view.key]]\ntime = 0\ncrop = [0, 0, 96, 64]\n[[view.key]]\ntime = 0.8\ncenter = [30, 20]\nwidth = 20\n";

TEST_F(ViewWindow, IsTheSameOnSeveralRanks) {
  for (const auto& [view, size] : {std::pair<std::string, std::string>{"crop = [3.3, 1.7, 92.1, 61.9]\n", "[64, 32]"},
                                   {"crop = [0, 40.5, 96, 64]\n", "[64, 16]"},
                                   {"crop = [40, 30, 70, 45]\n", "[64, 32]"},
                                   {"fit = \"cover\"\n", "[64, 32]"},
                                   {zoom_keys, "[64, 32]"}}) {
    SCOPED_TRACE(view);
    scene(view, "", size);
    const std::string alone = frames("--overwrite", "a.hashes");
    EXPECT_FALSE(alone.empty());
    EXPECT_EQ(frames("--overwrite --ranks 2", "b.hashes"), alone);
    EXPECT_EQ(frames("--overwrite --ranks 3", "c.hashes"), alone);
  }
}

TEST_F(ViewWindow, ResumesWithinAZoom) {
  scene("range = [-0.1, 0.1]\n" + zoom_keys);
  const std::string whole = frames("", "whole.hashes");
  frames("--frames 3 --keep-checkpoint", "part.hashes");
  EXPECT_EQ(frames("--resume", "part.hashes"), whole);
}

}  // namespace
}  // namespace simreel
