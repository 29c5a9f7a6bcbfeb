#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "scene/scene.h"
#include "source/solver.h"

namespace simreel {
namespace {

const std::string bodies = "[solver]\nkind = \"nbody\"\nbodies = 10\n";
const std::string field = "[solver]\nkind = \"wave\"\ngrid = [32, 32]\n";

Scene read(const std::string& text) { return parse_scene(text, "x.toml"); }

// The message of the error that reading and planning the scene ends with.
std::string error_of(const std::string& text) {
  try {
    plan_solver(read(text));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

void expect_in(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

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

TEST(SceneLight, HasNoSymmetricRange) {
  expect_in(error_of(bodies + "[view]\nrange = \"symmetric\"\n"),
            "x.toml:5:1: range = \"symmetric\" in [view] is for fields");
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

TEST(SceneLight, RefusesWhatMakesNoSense) {
  expect_in(error_of(bodies + "[view]\nexposure = 0\n"), "x.toml:5:1");
  expect_in(error_of(bodies + "[view]\nexposure = \"bright\"\n"), "auto");
  expect_in(error_of(bodies + "[view]\ntrails = -1\n"), "x.toml:5:1");
  expect_in(error_of(bodies + "[view]\ntone = \"symlog\"\n"), "asinh");
  expect_in(error_of(bodies + "[view]\nsplat = \"bilinear\"\nradius = 2\n"), "splat = \"gaussian\"");
  expect_in(error_of(bodies + "[view]\nsplat = \"gaussian\"\nradius = 0\n"), "x.toml:6:1");
  expect_in(error_of(bodies + "[view]\nsplats = \"pixel\"\n"), "did you mean \"splat\"");
}

TEST(SceneLight, KeysOfFieldsAndOfBodiesAreToldApart) {
  for (const char* key :
       {"splat = \"pixel\"", "weight = \"one\"", "tone = \"log\"", "exposure = 1", "contrast = 3", "trails = 1"}) {
    const std::string message = error_of(field + "[view]\nsize = [64, 64]\n" + key + "\n");
    EXPECT_EQ(message.find("x.toml:6:1: "), 0u) << message;
    expect_in(message, "is for bodies, but the wave solver shows a field; leave the key out");
    EXPECT_EQ(error_of(bodies + "[view]\n" + key + "\n"), "no error");
  }
  for (const char* key : {"nan = \"#000000\"", "obstacle = \"#000000\"", "under = \"#000000\"", "over = \"#000000\""}) {
    const std::string message = error_of(bodies + "[view]\n" + key + "\n");
    EXPECT_EQ(message.find("x.toml:5:1: "), 0u) << message;
    expect_in(message, "is for fields, but the nbody solver shows bodies");
    EXPECT_EQ(error_of(field + "[view]\n" + key + "\n"), "no error");
  }
}

TEST(SceneLight, ACameraMustHaveAnUpAndADirection) {
  expect_in(error_of(bodies + "[camera]\nposition = [0, 3, 0]\n"), "x.toml:5:1: the camera looks along its own up");
  expect_in(error_of(bodies + "[camera]\nup = [0, 0, -2]\n"), "turn up");
  expect_in(error_of(bodies + "[camera]\ntarget = [0, 0, 5]\n"), "the same point");
  expect_in(error_of(bodies + "[camera]\n[[camera.key]]\ntime = 1\nposition = [0, -2, 0]\n"), "x.toml:7:1");
  EXPECT_EQ(error_of(bodies + "[camera]\nposition = [0, 3, 0]\nup = [0, 1, 0.01]\n"), "no error");
}

}  // namespace
}  // namespace simreel
