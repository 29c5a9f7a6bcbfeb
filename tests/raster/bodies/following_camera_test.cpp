// Cameras that are fitted to bodies, and that move along with them.

#include "base/error.h"
#include "scene/scene.h"
#include "tests/support/backends.h"
#include "tests/support/draw_context.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

using test::Body;

// Where the bodies lie in the picture, as shares of it: -1 to 1 from left to right and from bottom to top.
struct Spot {
  double left = 9, right = -9, bottom = 9, top = -9;
};

Spot spot_of(const std::vector<Body<float>>& bodies, const Lens& lens, Size size) {
  Spot spot;
  for (const auto& b : bodies) {
    const ScreenPoint at = lens(b.x, b.y, b.z);
    EXPECT_TRUE(at.visible());
    const double x = 2 * at.x / size.width - 1, y = 1 - 2 * at.y / size.height;
    spot = {std::min(spot.left, x), std::max(spot.right, x), std::min(spot.bottom, y), std::max(spot.top, y)};
  }
  return spot;
}

CameraPose skew() {
  CameraPose pose;
  pose.position = {3, 2, 1};
  return pose;
}

std::vector<Body<float>> long_cloud() {
  std::vector<Body<float>> list = test::random_bodies<float>(400);
  for (auto& b : list) b.x = 7 * b.x + 20, b.z *= 3;
  return list;
}

// Nine tenths of the width or of the height, in the middle.
TEST(FollowingCamera, AFittedOneHoldsAllBodies) {
  for (const Executor& executor : test::executors()) {
    Buffer<std::byte> scratch(executor, splat_scratch_bytes(400));
    for (const Projection projection : {Projection::perspective, Projection::orthographic})
      for (const Size size : {Size{320, 180}, Size{100, 300}}) {
        const std::vector<Body<float>> list = long_cloud();
        const test::Bodies<float> bodies(executor, list);
        const Directions along = directions_of(skew(), projection, size);
        CameraOptions camera;
        camera.projection = projection;
        camera.pose = fitted(skew(), projection, size,
                             find_reach(executor, bodies.view, every_group, along, scratch.data()), false);
        const Spot all = spot_of(list, CameraPath(camera, {}).lens(0, size), size);
        EXPECT_NEAR(std::max(all.right - all.left, all.top - all.bottom), 1.8, 0.3);
        EXPECT_LE(std::max({-all.left, all.right, -all.bottom, all.top}), 0.9 + 1e-6);
        EXPECT_GE(std::max({-all.left, all.right, -all.bottom, all.top}), 0.9 - 1e-6);
      }
  }
}

// What it follows is in the middle.
TEST(FollowingCamera, AFittedOneThatIsAimedKeepsItsTarget) {
  const Executor executor = Executor::cpu(1);
  Buffer<std::byte> scratch(executor, splat_scratch_bytes(400));
  for (const Projection projection : {Projection::perspective, Projection::orthographic})
    for (const Size size : {Size{320, 180}, Size{100, 300}}) {
      const std::vector<Body<float>> list = long_cloud();
      const test::Bodies<float> bodies(executor, list);
      CameraOptions camera;
      camera.projection = projection;
      camera.pose = skew();
      camera.pose.target = {0.5, -1, 0.25};
      const Directions along = directions_of(camera.pose, projection, size);
      const Reach reach = find_reach(executor, bodies.view, every_group, along, scratch.data());
      const CameraPose pose = fitted(camera.pose, projection, size, reach, true);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(pose.target[i], camera.pose.target[i], 1e-9);
      camera.pose = pose;
      const Spot all = spot_of(list, CameraPath(camera, {}).lens(0, size), size);
      EXPECT_NEAR(std::max({-all.left, all.right, -all.bottom, all.top}), 0.9, 1e-6);
    }
}

TEST(FollowingCamera, BodiesWithoutExtentKeepTheDistance) {
  const Executor executor = Executor::cpu(1);
  Buffer<std::byte> scratch(executor, splat_scratch_bytes(1));
  const test::Bodies<float> one(executor, {{.x = 5, .y = 6, .z = 7}});
  const Directions along = directions_of(skew(), Projection::perspective, {320, 180});
  const CameraPose pose = fitted(skew(), Projection::perspective, {320, 180},
                                 find_reach(executor, one.view, every_group, along, scratch.data()), false);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(pose.target[i], 5.0 + static_cast<double>(i), 1e-9);
  EXPECT_NEAR(pose.position[0], 8, 1e-9);
  EXPECT_EQ(fitted(skew(), Projection::perspective, {320, 180}, Reach{INFINITY}, false).position, skew().position)
      << "no body";
}

std::vector<Color> drawn(const Executor& executor, const CameraOptions& camera,
                         const std::vector<std::vector<Body<float>>>& frames) {
  DrawContext stage = test::stage_of(frames[0].size());
  stage.camera = camera;
  stage.camera.projection = Projection::orthographic;
  stage.camera.pose.position = {0, 0, 100};
  stage.camera.pose.extent = 4;
  ViewOptions view = test::view_of("mass");
  view.light.trails = 0.3;
  Rasterizer rasterizer(executor, view, stage);
  rasterizer.set_range({0, 2});
  std::int64_t frame = 0;
  for (const auto& list : frames) {
    const test::Bodies<float> bodies(executor, list);
    rasterizer.draw(bodies.view, frame++);
    executor.wait();
  }
  return test::canvas_of(executor, rasterizer, test::small);
}

// Bodies that move together, by what binary numbers hold exactly, and their trails have the pixels of bodies at rest.
TEST(FollowingCamera, ShowsBodiesThatMoveTogetherAtRest) {
  std::vector<Body<float>> list(8);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto n = static_cast<float>(i);
    list[i] = {n / 2 - 2, n * n / 16 - 2, 0, 1, n / 8 - 0.5F, 0.25F, 0, static_cast<std::uint8_t>(i % 2)};
  }
  const auto frames = [&](float moves, float start) {
    std::vector<std::vector<Body<float>>> all;
    for (int frame = 0; frame < 4; ++frame) {
      all.push_back(list);
      for (auto& b : all.back()) b.x += start + static_cast<float>(frame) * moves, b.vx += 10 * moves;
    }
    return all;
  };
  const auto follow = [](BodyChoice::Of of, int number) {
    CameraOptions camera;
    camera.follow = BodyChoice{of, number};
    return camera;
  };
  using enum BodyChoice::Of;
  for (const CameraOptions& camera : {follow(all, 0), follow(group, 1), follow(body, 3)}) {
    const std::vector<Color> rest = drawn(Executor::cpu(1), camera, frames(0, 0));
    EXPECT_GT(std::ranges::count_if(rest, [](Color c) { return c.r > 0; }), 20);
    for (const Executor& executor : test::executors())
      EXPECT_TRUE(drawn(executor, camera, frames(64, 1024)) == rest) << static_cast<int>(camera.follow->of);
    EXPECT_FALSE(drawn(Executor::cpu(1), {}, frames(64, 1024)) == rest);
  }
  CameraOptions none = follow(group, 7);
  none.follow_position = {"x.toml", 3, 1};
  EXPECT_THROW(drawn(Executor::cpu(1), none, frames(0, 0)), UsageError);
  EXPECT_THROW(drawn(Executor::cpu(1), follow(body, 8), frames(0, 0)), UsageError);
}

}  // namespace
}  // namespace simreel
