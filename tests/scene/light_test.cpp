#include "base/error.h"
#include "scene/scene.h"
#include "source/solver.h"
#include "tests/support/test.h"

namespace simreel {
namespace {

const std::string bodies = "[solver]\nkind = \"nbody\"\nbodies = 10\n";
const std::string field = "[solver]\nkind = \"wave\"\ngrid = [32, 32]\n";

Scene read(const std::string& text) { return parse_scene(text, "x.toml"); }

TEST(SceneLight, HasDefaults) {
  const Scene scene = read(bodies);
  const LightOptions& light = scene.view.light;
  EXPECT_EQ(light.splat, LightOptions::Splat::gaussian);
  EXPECT_EQ(light.weight, LightOptions::Weight::mass);
  EXPECT_FALSE(light.tone);
  EXPECT_FALSE(light.exposure);
  EXPECT_EQ(light.contrast, 100);
  EXPECT_EQ(light.trails, 0);
  EXPECT_FALSE(scene.view.range_given);
  EXPECT_FALSE(scene.view.scale_given);
  EXPECT_EQ(plan_solver(scene).bodies, 10u);
  EXPECT_EQ(plan_solver(read(field)).bodies, 0u);
}

TEST(SceneLight, ReadsItsKeys) {
  const Scene scene =
      read(bodies +
           "[view]\nsplat = \"gaussian\"\nradius = 0.1\nradius_unit = \"world\"\nweight = \"one\"\n"
           "tone = \"sqrt\"\nexposure = 0.5\ncontrast = 7\ntrails = 2.5\nscale = \"log\"\nrange = \"first\"\n");
  const LightOptions& light = scene.view.light;
  EXPECT_EQ(light.splat, LightOptions::Splat::gaussian);
  EXPECT_EQ(light.radius, 0.1);
  EXPECT_EQ(light.radius_unit, LightOptions::RadiusUnit::world);
  EXPECT_EQ(light.weight, LightOptions::Weight::one);
  EXPECT_EQ(light.tone, Scale::sqrt);
  EXPECT_EQ(light.exposure, 0.5);
  EXPECT_EQ(light.contrast, 7);
  EXPECT_EQ(light.trails, 2.5);
  EXPECT_TRUE(scene.view.range_given);
  EXPECT_TRUE(scene.view.scale_given);
  EXPECT_FALSE(read(bodies + "[view]\nexposure = \"auto\"\n").view.light.exposure);
}

}  // namespace
}  // namespace simreel
