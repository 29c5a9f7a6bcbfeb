#include "base/error.h"
#include "scene/scene.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

constexpr const char* text =
    "title = \"t\"\nseed = 3\n[solver]\nkind = \"wave\"\nspeed = 1.0\n[[solver.droplet]]\nradius = "
    "1\n[[solver.droplet]]\n"
    "radius = 2\n[view]\nsize = [64, 48]\nscale = \"log\"\n";

Scene scene_with(const std::vector<std::string>& overrides) { return parse_scene(text, "s/x.toml", overrides); }

std::string message_of(const std::vector<std::string>& overrides) {
  return test::thrown([&] { scene_with(overrides); });
}

TEST(Override, ReplacesValues) {
  EXPECT_EQ(scene_with({"seed=5"}).seed, 5u);
  EXPECT_EQ(scene_with({"seed=5", "seed = 6"}).seed, 6u) << "the last one counts";
  EXPECT_EQ(scene_with({"view.size=[320, 240]"}).view.size, (Size{320, 240}));
  EXPECT_EQ(scene_with({"view.size.1=480"}).view.size, (Size{64, 480}));
  EXPECT_EQ(scene_with({"solver.kind=lbm"}).solver_kind, "lbm");
}

TEST(Override, TakesWhatIsNotTomlAsString) {
  EXPECT_EQ(scene_with({"view.colormap=magma"}).view.colormap, "magma");
  EXPECT_EQ(scene_with({"view.colormap=\"magma\""}).view.colormap, "magma");
  EXPECT_EQ(scene_with({"view.background=#010203"}).view.background, (Color{1, 2, 3, 255}));
  EXPECT_EQ(scene_with({"title=a = b # c"}).title, "a = b # c");
  EXPECT_EQ(scene_with({"title=Gr\xC3\xB6\xC3\x9F"
                        "e"})
                .title,
            "Gr\xC3\xB6\xC3\x9F"
            "e");
  EXPECT_EQ(scene_with({"title="}).title, "");
  EXPECT_EQ(scene_with({"title=1\nseed = 9"}).title, "1\nseed = 9") << "a line end starts no second key";
  EXPECT_EQ(scene_with({"title=\"42\""}).title, "42");
}

TEST(Override, MakesTablesThatTheFileLacks) {
  EXPECT_EQ(scene_with({"animation.frames=12"}).animation.frames, 12);
  const Scene scene = scene_with({"output.options.slices=4", "output.codec=ffv1"});
  EXPECT_EQ(scene.output.options.at("slices"), "4");
  EXPECT_EQ(scene.output.codec, "ffv1");
  Scene rain = scene_with({"solver.rain.rate=2.5"});
  double rate = 0;
  rain.solver.table("rain", "").read("rate", rate, "");
  EXPECT_EQ(rate, 2.5);
}

TEST(Override, IndexesArraysOfTables) {
  Scene scene = scene_with({"solver.droplet.1.radius=5", "solver.droplet.0.time=0.25"});
  std::vector<Table> droplets = scene.solver.tables("droplet", "");
  ASSERT_EQ(droplets.size(), 2u);
  std::array<double, 2> radius{}, time{};
  for (std::size_t i = 0; i < 2; ++i) {
    droplets[i].read("radius", radius[i], "");
    droplets[i].read("time", time[i], "");
  }
  EXPECT_EQ(radius, (std::array<double, 2>{1, 5}));
  EXPECT_EQ(time, (std::array<double, 2>{0.25, 0}));
}

TEST(Override, ChangesTheKeysThatATableNames) {
  const Scene changed = scene_with({"view={size = [32, 16]}"}), emptied = scene_with({"view={}"});
  EXPECT_EQ(changed.view.size, (Size{32, 16}));
  EXPECT_EQ(changed.view.scale, scene_with({}).view.scale);
  EXPECT_NE(changed.view.scale, emptied.view.scale);
}

TEST(Override, ReplacesWholeLists) {
  Scene none = scene_with({"solver.droplet=[]"});
  EXPECT_TRUE(none.solver.tables("droplet", "").empty());
  Scene one = scene_with({"solver.droplet=[{radius = 7}]"});
  double radius = 0;
  one.solver.tables("droplet", "").at(0).read("radius", radius, "");
  EXPECT_EQ(radius, 7.0);
}

TEST(Override, ArgumentsMayBeOfAnyLengthAndOfAnyBytes) {
  EXPECT_EQ(message_of({"title=\xFF"}).find("--set title=\xFF: the byte 0xff is not UTF-8"), 0u);
  EXPECT_TRUE(test::says(message_of({"title=" + std::string(70000, 'a')}), "70000 bytes"));
  std::string deep = "a";
  for (int i = 0; i < 90000; ++i) deep += ".a";
  EXPECT_TRUE(test::says(message_of({deep + "=1"}), "more than 64 dots"));
  EXPECT_LT(message_of({deep + "=1"}).size(), 250u) << "a long argument is cut short";
}

}  // namespace
}  // namespace simreel
