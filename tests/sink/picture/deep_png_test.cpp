// Pictures of 16 bits a channel, as a user asks for them.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "compare/picture.h"
#include "tests/support/command_fixture.h"

namespace simreel {
namespace {

using test::Outcome, test::text_of;

// A wave on a letterbox, with a background that shows, and bodies with trails.
class DeepPng : public test::CommandTest {
 protected:
  void SetUp() override {
    write("wave.toml",
          "[solver]\nkind = \"wave\"\ngrid = [64, 64]\ninitial = \"mode\"\nmode = [1, 2]\n[view]\nsize = [128, "
          "72]\nrange = [-1, "
          "1]\nscale = \"asinh\"\nbackground = \"#102030\"\n[animation]\nframes = 4\n[output]\ndepth = 16\n");
    write(
        "bodies.toml",
        "[solver]\nkind = \"nbody\"\nbodies = 200\n[view]\nfield = \"speed\"\nsize = [128, 72]\nsplat = "
        "\"gaussian\"\nradius = 4\ntrails = 0.05\nbackground = \"#10203000\"\n[animation]\nframes = 4\n[output]\ndepth "
        "= 16\n");
  }
  void render(const std::string& arguments) {
    const Outcome outcome = run("render " + arguments);
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
  }
};

TEST_F(DeepPng, EveryOtherOutputOfTheRunStaysAsItIs) {
  for (const std::string scene : {"wave", "bodies"}) {
    render(fmt::format("{0}.toml -o {0}/a.mp4 -o {0}/a.mkv -o {0}/a.hashes", scene));
    render(fmt::format("{0}.toml -o {0}/b.mp4 -o {0}/b.mkv -o {0}/b.hashes -o {0}/%d.png -o {0}/last.png", scene));
    for (const char* file : {"mp4", "mkv", "hashes"})
      EXPECT_EQ(text_of(folder_ / fmt::format("{}/a.{}", scene, file)),
                text_of(folder_ / fmt::format("{}/b.{}", scene, file)))
          << scene << ", " << file;
    EXPECT_EQ(text_of(folder_ / (scene + "/3.png")), text_of(folder_ / (scene + "/last.png")));
  }
}

TEST_F(DeepPng, HoldWhatThePicturesOfEightBitsHoldAndMore) {
  for (const std::string scene : {"wave", "bodies"}) {
    render(scene + ".toml -o deep.png --overwrite");
    render(scene + ".toml -o shallow.png --set output.depth=8 --overwrite");
    const Picture deep = read_picture(folder_ / "deep.png"), shallow = read_picture(folder_ / "shallow.png");
    ASSERT_EQ(deep.deep.size(), 128u * 72);
    EXPECT_TRUE(shallow.deep.empty());
    std::set<int> levels;
    int furthest = 0;
    for (std::size_t i = 0; i < deep.pixels.size(); ++i) {
      const Color a = deep.pixels[i], b = shallow.pixels[i];
      for (const int apart : {a.r - b.r, a.g - b.g, a.b - b.b, a.a - b.a})
        furthest = std::max(furthest, std::abs(apart));
      levels.insert(deep.deep[i].g);
    }
    EXPECT_EQ(furthest, scene == "wave" ? 0 : 1) << "light of a colour is rounded twice in 8 bits";
    EXPECT_GT(levels.size(), 600u) << scene;
    const bool letterbox = scene == "wave";
    const DeepColor background{0x1010, 0x2020, 0x3030, std::uint16_t(letterbox ? 0xffff : 0)};
    EXPECT_GT(std::ranges::count(deep.deep, background), 0);
  }
}

TEST_F(DeepPng, TheirMemoryIsCounted) {
  const auto memory = [&](const std::string& arguments) {
    const Outcome outcome = run("check wave.toml --backend cpu --json " + arguments);
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["memory_bytes"].get<std::int64_t>();
  };
  constexpr std::int64_t pixels = 128 * 72, ring = 4 * 3, canvas = 4, sink = 3 * 3;  // more bytes a pixel
  EXPECT_EQ(memory("-o a.png"), memory("-o a.png --set output.depth=8") + pixels * (ring + canvas + sink));
  EXPECT_EQ(memory("-o a.y4m"), memory("-o a.y4m --set output.depth=8"));
}

}  // namespace
}  // namespace simreel
