#include "scene/mistakes.h"

#include <fmt/format.h>

#include "scene/scene.h"
#include "source/solver.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

constexpr const char* wave = "[solver]\nkind = \"wave\"\ngrid = [64, 36]\n";

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

}  // namespace
}  // namespace simreel
