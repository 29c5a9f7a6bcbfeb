// crop, fit and the keys of [view], as a user meets them.

#include <sstream>

#include "tests/support/messages_fixture.h"

namespace simreel {
namespace {

using test::text_of;

class ViewWindow : public test::Messages {
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

TEST_F(ViewWindow, MistakesHaveAPlaceAndAWayOut) {
  run("--version");
  const auto wrong = [&](const std::string& view, const std::vector<std::string>& words, const std::string& rest = "") {
    scene(view, rest);
    refuses("render s.toml -o a.png", words);
  };
  wrong(
      "crop = [2, 0, 97, 64]\n",
      {"s.toml:6:", "\"crop\" in [view] is [2, 0, 97, 64], which is not all there; the picture shows x from 0 to 96"});
  wrong("crop = [20, 0, 10, 64]\n", {"left comes before right"});
  wrong("crop = [20, 9, 30, 9]\n", {"bottom before top"});
  wrong("crop = [20, 9, 20.5, 19]\n", {"less than a cell"});
  wrong("crop = [20, 9, inf, 19]\n", {"s.toml:6:", "finite"});
  wrong("crop = [20, 9]\n", {"s.toml:6:", "4 numbers"});
  const std::string first = "[[view.key]]\ntime = 0.5\ncrop = [0, 0, 9, 6]\n";
  wrong(first + first, {"s.toml:10:", "greater than 0.5"});
  wrong(first + "[[view.key]]\ntime = 2\ncrop = [0, 0, 9, 6]\n",
        {"s.toml:10:", "[[view.key]] is at 2 s, but the video ends"});
  wrong(first + "width = 5\n", {"center or width, too"});
  wrong("[[view.key]]\ntime = 0.5\nwidth = 5\n", {"s.toml:7:", "center and width"});
  wrong("[[view.key]]\ntime = 0\ncrop = [0, 0, 9, 97]\n", {"s.toml:7:", "[[view.key]]", "not all there"});
  wrong("[[view.key]]\ntime = 0\ncenter = [0, 97]\nwidth = 9\n", {"which is not there"});
  wrong("[[view.key]]\ntime = 0\ncenter = [0, 5]\nwidth = 97\n", {"more than all"});
  wrong("crop = [0, 0, 9, 6]\n" + first, {"leave one of them out"});
  wrong("fit = \"cover\"\n", {"leave one of them out"}, "[figure]\naspect = \"auto\"\n");
  wrong(zoom_keys, {"[[view.key]] moves in every frame", "\"frame\""}, "[figure]\naxes = \"ticks\"\n");
  write("b.toml", "[solver]\nkind = \"nbody\"\nbodies = 10\n[view]\ncrop = [0, 0, 1, 1]\n");
  refuses("render b.toml -o a.png", {"b.toml:5:", "position, target and extent in [camera]"});
  write("c.toml", "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n[camera]\nfov = 40\n");
  refuses("render c.toml -o a.png", {"set crop in [view]"});
}

}  // namespace
}  // namespace simreel
