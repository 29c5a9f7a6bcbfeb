#include "scene/mistakes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scene/scene.h"
#include "source/solver.h"

namespace simreel {
namespace {

constexpr const char* wave = "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n";

std::vector<std::string> mistakes_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse_scene(text, "x.toml", overrides, check_solver);
  } catch (const SceneMistakes& mistakes) {
    return mistakes.list();
  }
  return {};
}

TEST(SceneMistakes, AllIndependentOnesComeTogetherInTheirOrder) {
  const std::string text =
      "[view]\nsize = \"640x480\"\nfield = \"hieght\"\ncolormpa = \"magma\"\nrange = \"auto\"\n[animation]\nframes = "
      "0\n"
      "[animaton]\nfps = 3\n[output]\ndepth = 12\n[camera]\nfov = 200\nup = [0, 0, 1]\n[solver]\nkind = \"wave\"\n"
      "grid = [64, 36]\ndampnig = 0.1\nboundary = \"wall\"\n[[solver.droplet]]\nradius = -2\n";
  const std::vector<std::string> found = mistakes_of(text, {"seed=-4", "view.scale=logg"});
  const std::vector<std::string> expected = {
      "x.toml:2:1: \"size\" in [view] must be an array of 2 whole numbers, but is the string \"640x480\"; write [640, "
      "480]",
      "x.toml:3:1: the wave solver has no field \"hieght\"; it has: height, velocity; did you mean \"height\"?",
      "x.toml:4:1: unknown key \"colormpa\" in [view]; did you mean \"colormap\"?",
      "x.toml:5:1: \"range\" in [view] is \"auto\"; it must be [low, high] or one of first, global, symmetric, follow, "
      "diverging",
      "x.toml:7:1: \"frames\" in [animation] is 0; it must be at least 1",
      "x.toml:8:1: unknown table [animaton]; did you mean [animation]?",
      "x.toml:11:1: \"depth\" in [output] is 12; it must be one of 8, 16",
      "x.toml:13:1: \"fov\" in [camera] is 200; it must be greater than 0 and less than 180",
      "x.toml:18:1: unknown key \"dampnig\" in [solver]; did you mean \"damping\"?",
      "x.toml:19:1: \"boundary\" in [solver] is \"wall\"; it must be one of fixed, free, periodic, absorbing",
      "x.toml:21:1: \"radius\" in [[solver.droplet]] is -2; it must be greater than 0",
      "--set seed=-4: \"seed\" is -4; it must be at least 0",
      "--set view.scale=logg: \"scale\" in [view] is \"logg\"; it must be one of linear, log, symlog, sqrt, asinh; did "
      "you mean \"log\"?",
  };
  ASSERT_EQ(found.size(), expected.size()) << fmt::format("{}", SceneMistakes(found, "x.toml").what());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], expected[i]);
}

TEST(SceneMistakes, WhatMayFollowFromAnotherIsLeftOut) {
  const auto only = [](const std::string& text, const std::string& start) {
    const std::vector<std::string> found = mistakes_of(text);
    EXPECT_EQ(found.size(), 1u) << text << fmt::format("{}", found.empty() ? "" : found.back());
    if (!found.empty()) {
      EXPECT_EQ(found[0].find(start), 0u) << found[0];
    }
  };
  // No position, so the camera would look along the y axis that `up` is.
  only(std::string(wave) + "[camera]\nposition = 3\ntarget = [0, 5, 5]\n", "x.toml:5:1: \"position\"");
  only("[solver]\nkind = \"nbody\"\ninitial = \"keplr\"\n", "x.toml:3:1: \"initial\"");  // `bodies` may not be needed
  only("[slover]\nkind = \"wave\"\ngrid = [8, 8]\n", "x.toml:1:1: the table [solver] is missing; is [slover]");
  only("[solver]\nkind = \"wave\"\ngird = [8, 8]\n", "x.toml:1:1: the required key \"grid\"");
  only("[solver]\nkind = \"wavy\"\ngrid = [8, 8]\nspeed = -1\n", "x.toml:2:1: unknown solver \"wavy\"");
  only("[solver]\ngrid = [8, 8]\n", "x.toml:1:1: the required key \"kind\"");
  only(std::string(wave) + "[[view]]\nsize = [64, 64]\n", "x.toml:4:1: \"view\" must be one table");
  only(std::string(wave) + "[view.size]\nwidth = 64\n", "x.toml:4:1: \"size\" in [view] must be");
  only(std::string(wave) + "droplet = 5\n", "x.toml:4:1: \"droplet\" in [solver] must be a list of tables");
}

// What ends the reading of a table, two keys that contradict each other, hides none of the unknown keys.
TEST(SceneMistakes, AMistakeThatEndsATableHidesNoUnknownKey) {
  const std::string obstacle = "speeed = 1\n[[solver.obstacle]]\nshape = \"rectangle\"\nmin = [9, 9]\nmax = [3, 3]\n";
  const std::string later =
      "[[solver.obstacle]]\nradius = 3\nradios = 4\n[solver.rian]\n[view]\nrange = [2, 1]\nsizee = 1\n";
  const std::string lbm = "[solver]\nkind = \"lbm\"\ngrid = [64, 36]\n";
  for (const std::string& start : {std::string(wave), lbm}) {
    const std::vector<std::string> found = mistakes_of(start + obstacle + later);
    ASSERT_EQ(found.size(), 6u) << start << fmt::format("{}", found.empty() ? "" : found.back());
    EXPECT_EQ(found[0].find("x.toml:4:1: unknown key \"speeed\" in [solver]"), 0u) << found[0];
    EXPECT_EQ(found[1], "x.toml:8:1: \"max\" must not be below \"min\"");
    EXPECT_EQ(found[2], "x.toml:11:1: unknown key \"radios\" in [[solver.obstacle]]; did you mean \"radius\"?");
    EXPECT_EQ(found[3].find("x.toml:12:1: unknown table [solver.rian]"), 0u) << found[3];
    EXPECT_EQ(found[4], "x.toml:14:1: \"range\" in [view] is [2, 1]; low must be less than high");
    EXPECT_EQ(found[5], "x.toml:15:1: unknown key \"sizee\" in [view]; did you mean \"size\"?");
  }
  // Keys of any name are no unknown ones, nor are those of a shape that is not known.
  EXPECT_EQ(mistakes_of(std::string(wave) + "[output]\nfields = []\n[output.options]\ntune = \"film\"\n").size(), 1u);
  EXPECT_EQ(mistakes_of(std::string(wave) + "[[solver.obstacle]]\nshape = \"box\"\nmin = [1, 1]\n").size(), 1u);
}

TEST(SceneMistakes, TenAreWrittenAndTheOthersCounted) {
  std::string text = wave;
  for (int i = 0; i < 12; ++i) text += fmt::format("a{} = 1\n", i);
  try {
    parse_scene(text, "x.toml", {}, check_solver);
    FAIL();
  } catch (const UsageError& error) {
    const std::string words = error.what();
    EXPECT_EQ(std::ranges::count(words, '\n'), 10) << words;
    EXPECT_NE(words.find("\nx.toml:13:1: unknown key \"a9\""), std::string::npos) << words;
    EXPECT_TRUE(words.ends_with("\nand 2 more mistakes")) << words;
  }
}

TEST(SceneMistakes, AKeyOfAnotherTableNamesThatTable) {
  const std::string elsewhere =
      std::string(wave) +
      "[view]\nframes = 5\n[[droplet]]\n[rain]\n[[obstacle]]\n[[pump]]\n[animation]\ntitle = \"a\"\n";
  EXPECT_EQ(mistakes_of(elsewhere),
            (std::vector<std::string>{
                "x.toml:5:1: unknown key \"frames\" in [view]; did you mean \"frames\" in [animation]?",
                "x.toml:6:1: unknown table [[droplet]]; did you mean [[solver.droplet]]?",
                "x.toml:7:1: unknown table [rain]; did you mean [solver.rain]?",
                "x.toml:8:1: unknown table [[obstacle]]; did you mean [[solver.obstacle]]?",
                "x.toml:9:1: unknown table [[pump]]; the known keys are title, seed, [solver], [view], [camera], "
                "[animation], [output], [figure], [[overlay]], [golden]",
                "x.toml:11:1: unknown key \"title\" in [animation]; did you mean \"title\" at the top level?"}));
}

TEST(SceneMistakes, KeysOfOtherProgramsNameOurs) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[view]\ncmap = \"glow\"\n", "unknown key \"cmap\" in [view]; did you mean \"colormap\"?"},
      {"[view]\nvmin = 0\n", "\"vmin\" in [view]; did you mean range = [low, high]?"},
      {"[view]\nwidth = 640\n", "\"width\" in [view]; did you mean size = [width, height]?"},
      {"[animation]\nlength = 5\n", "\"length\" in [animation]; did you mean duration = \"8 s\"?"},
      {"[output]\ncrf = 20\n", "\"crf\" in [output]; did you mean \"quality\"?"},
      {"[golden]\ntolerance = 2\n", "\"tolerance\" in [golden]; did you mean \"max_diff\"?"},
      {"[view]\nheight = 360\n", "\"height\" in [view]; did you mean size = [width, height]?"},
      {"[animation]\nframes = 1e3\n", "is the number 1000.0; a whole number has no point and no exponent: 1000"},
      {"[animation]\nfps = \"60\"\n", "is the string \"60\"; leave the quotes out: 60"},
      {"[animation]\nfps = 30.0\n", "a whole number has no point and no exponent: 30"}};
  for (const auto& [text, message] : cases) {
    try {
      parse_scene("[solver]\nkind = \"wave\"\n" + text, "x.toml");
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << text << error.what();
    }
  }
}

TEST(SceneMistakes, TheSolversOwnReadsThrowAgainAfterwards) {
  Scene scene = parse_scene(wave, "x.toml", {}, check_solver);
  double speed = 0;
  EXPECT_THROW(scene.solver.require("absent"), UsageError);
  EXPECT_THROW(scene.solver.table("rain", "").require("absent"), UsageError);
  EXPECT_THROW(scene.solver.read("kind", speed, ""), UsageError);
  EXPECT_NO_THROW(plan_solver(scene));
}

TEST(SceneMistakes, PlacesAreTakenOffMessages) {
  const auto split = [](const std::string& text) {
    const PlacedMessage placed = split_place(text, "a b/x.toml");
    return fmt::format("{}|{}|{}|{}", placed.place.source, placed.place.line, placed.place.column, placed.message);
  };
  EXPECT_EQ(split("a b/x.toml:12:5: a: b"), "a b/x.toml|12|5|a: b");
  EXPECT_EQ(split("a b/x.toml: empty"), "a b/x.toml|0|0|empty");
  EXPECT_EQ(split("--set view.size=5: no"), "--set view.size=5|0|0|no");
  EXPECT_EQ(split("y.toml:1:2: no"), "|0|0|y.toml:1:2: no");
  EXPECT_EQ(split("a b/x.toml:1:2"), "|0|0|a b/x.toml:1:2");
}

TEST(SceneMistakes, OverridesThatFailLeaveTheOthers) {
  EXPECT_EQ(mistakes_of(wave, {"solver.droplet.0.radius=3", "seed.x=1", "view.size=[64,64]", "veiw=3"}),
            (std::vector<std::string>{"--set solver.droplet.0.radius=3: the scene has no [[solver.droplet]] to change",
                                      "--set seed.x=1: \"seed\" must be a whole number, but is a table",
                                      "--set veiw=3: unknown key \"veiw\" at the top level; did you mean [view]?"}));
}

TEST(SceneMistakes, WholeNumbersBeyondTheRangeAreNoTexts) {
  for (const char* argument : {"seed=99999999999999999999", "animation.frames=-99999999999999999999"})
    EXPECT_EQ(mistakes_of(wave, {argument}),
              std::vector<std::string>{fmt::format(
                  "--set {}: a whole number lies between -9223372036854775808 and 9223372036854775807", argument)});
}

}  // namespace
}  // namespace simreel
