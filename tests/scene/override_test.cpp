#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "scene/scene.h"

namespace simreel {
namespace {

constexpr const char* text =
    "title = \"t\"\nseed = 3\n[solver]\nkind = \"wave\"\nspeed = 1.0\n[[solver.droplet]]\nradius = "
    "1\n[[solver.droplet]]\n"
    "radius = 2\n[view]\nsize = [64, 48]\nscale = \"log\"\n";

Scene scene_with(const std::vector<std::string>& overrides) { return parse_scene(text, "s/x.toml", overrides); }

std::string message_of(const std::vector<std::string>& overrides) {
  try {
    scene_with(overrides);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
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

TEST(Override, ReplacesWholeTables) {
  EXPECT_EQ(scene_with({"view={size = [32, 16]}"}).view.scale, Scale::linear);
  Scene none = scene_with({"solver.droplet=[]"});
  EXPECT_TRUE(none.solver.tables("droplet", "").empty());
  Scene one = scene_with({"solver.droplet=[{radius = 7}]"});
  double radius = 0;
  one.solver.tables("droplet", "").at(0).read("radius", radius, "");
  EXPECT_EQ(radius, 7.0);
}

TEST(Override, MistakesNameTheArgument) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"speed", "--set speed: expected table.key=value, as in --set solver.speed=2"},
      {"", "--set : expected table.key=value, as in --set solver.speed=2"},
      {"=5", "--set =5: there is no key before the =; expected table.key=value, as in --set solver.speed=2"},
      {"view..size=5", "--set view..size=5: a part of the key is empty"},
      {".seed=5", "--set .seed=5: a part of the key is empty"},
      {"view.=5", "--set view.=5: a part of the key is empty"},
      {"se ed=5", "--set se ed=5: \"se ed\" is not a key (letters, digits, - and _)"},
      {"seed.x=1", "--set seed.x=1: seed is the whole number 3, it has no keys below it"},
      {"view.scale.x.y=1", "--set view.scale.x.y=1: view.scale is the string \"log\", it has no keys below it"},
      {"solver.droplet.2.radius=1",
       "--set solver.droplet.2.radius=1: solver.droplet has 2 entries; the last is "
       "solver.droplet.1"},
      {"solver.droplet.99999999999999999999.radius=1",
       "--set solver.droplet.99999999999999999999.radius=1: solver.droplet has 2 entries"},
      {"solver.droplet.radius=1",
       "--set solver.droplet.radius=1: solver.droplet is an array of 2; name one by its "
       "number from 0, as in solver.droplet.0"},
      {"camera.key.0.time=1", "--set camera.key.0.time=1: the scene has no [[camera.key]] to change"},
      {"seed=-4", "--set seed=-4: \"seed\" is -4; it must be at least 0"},
      {"title=42",
       "--set title=42: \"title\" must be a string, but is the whole number 42; to make it one: --set "
       "'title=\"42\"'"},
      {"view.size=[1",
       "--set view.size=[1: \"size\" in [view] must be an array of 2 whole numbers, but is the string "
       "\"[1\""},
      {"view.sizes=[64, 64]", "--set view.sizes=[64, 64]: unknown key \"sizes\" in [view]; did you mean \"size\"?"},
      {"veiw.size=[64, 64]", "--set veiw.size=[64, 64]: unknown table [veiw]; did you mean [view]?"},
      {"title=\xFF", "--set title=\xFF: the byte 0xff is not UTF-8"},
      {"solver=5", "--set solver=5: \"solver\" must be one table, [solver], but is the whole number 5"},
      {"solver={}", "--set solver={}: the required key \"kind\" in [solver] is missing"},
  };
  for (const auto& [argument, expected] : mistakes) {
    const std::string message = message_of({argument});
    EXPECT_EQ(message.substr(0, expected.size()), expected) << message;
  }
  EXPECT_NE(message_of({"title=" + std::string(70000, 'a')}).find("70000 bytes"), std::string::npos);
  std::string deep = "a";
  for (int i = 0; i < 90000; ++i) deep += ".a";
  EXPECT_NE(message_of({deep + "=1"}).find("more than 64 dots"), std::string::npos);
  EXPECT_LT(message_of({deep + "=1"}).size(), 250u) << "a long argument is cut short";
}

}  // namespace
}  // namespace simreel
