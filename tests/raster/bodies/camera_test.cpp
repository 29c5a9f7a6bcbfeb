#include "raster/bodies/camera.h"

#include "base/error.h"
#include "tests/support/thrown.h"

namespace simreel {
namespace {

constexpr Size size{200, 100};

AnimationOptions animation(std::int64_t frames, int fps = 10) {
  AnimationOptions options;
  options.frames = frames;
  options.fps_numerator = fps;
  return options;
}

ScreenPoint seen(const CameraOptions& camera, std::int64_t frame, double x, double y, double z,
                 std::int64_t frames = 8) {
  return CameraPath(camera, animation(frames)).lens(frame, size)(x, y, z);
}

TEST(Camera, PerspectiveByHand) {
  // 5 away with 90 degrees from top to bottom: half the height of 50 pixels is 5 world units at the target.
  CameraOptions camera;
  camera.pose.fov = 90;
  ScreenPoint at = seen(camera, 0, 0, 0, 0);
  EXPECT_NEAR(at.x, 100, 1e-12);
  EXPECT_NEAR(at.y, 50, 1e-12);
  EXPECT_NEAR(at.depth, 5, 1e-12);
  EXPECT_NEAR(at.scale, 10, 1e-12);
  at = seen(camera, 0, 1, 2, 0);
  EXPECT_NEAR(at.x, 110, 1e-12) << "x to the right";
  EXPECT_NEAR(at.y, 30, 1e-12) << "y upwards";
  at = seen(camera, 0, 1, 2, -5);
  EXPECT_NEAR(at.x, 105, 1e-12) << "twice as far, half as far off the middle";
  EXPECT_NEAR(at.y, 40, 1e-12);
  camera.pose.fov = 2 * std::atan(0.25) * 180 / std::acos(-1.0);
  at = seen(camera, 0, 1, 0, 0);
  EXPECT_NEAR(at.x, 100 + 50 / (5 * 0.25), 1e-9);
  EXPECT_FALSE(seen(camera, 0, 0, 0, 5).visible());
  EXPECT_FALSE(seen(camera, 0, 1, 1, 6).visible());
  EXPECT_TRUE(seen(camera, 0, 1, 1, 4.999).visible());
}

TEST(Camera, OrthographicByHand) {
  CameraOptions camera;
  camera.projection = Projection::orthographic;
  camera.pose.position = {10, 0, 0};
  camera.pose.up = {0, 0, 3};
  camera.pose.extent = 4;  // 50 pixels are 4 units
  const ScreenPoint near = seen(camera, 0, 5, 2, 1), far = seen(camera, 0, -50, 2, 1);
  EXPECT_NEAR(near.x, 100 + 25, 1e-12) << "from +x with z up, +y is to the right";
  EXPECT_NEAR(near.y, 50 - 12.5, 1e-12);
  EXPECT_NEAR(far.x, near.x, 1e-12);
  EXPECT_NEAR(far.y, near.y, 1e-12);
  EXPECT_NEAR(far.scale, 12.5, 1e-12);
  EXPECT_FALSE(seen(camera, 0, 10.5, 0, 0).visible());
}

TEST(Camera, ASkewUpIsMadeUpright) {
  CameraOptions camera;
  camera.pose.position = {3, 4, 0};
  camera.pose.target = {0, 0, 0};
  camera.pose.up = {0.1, 1, 0};  // in the plane of the view: only its part across it counts
  const Lens lens = CameraPath(camera, animation(1)).lens(0, size);
  EXPECT_NEAR(lens.forward[0], -0.6, 1e-15);
  EXPECT_NEAR(lens.forward[1], -0.8, 1e-15);
  EXPECT_NEAR(lens.up[0], -0.8, 1e-15);
  EXPECT_NEAR(lens.up[1], 0.6, 1e-15);
  EXPECT_NEAR(lens.right[2], -1, 1e-15);
}

TEST(Camera, OrbitTurnsAroundUpAndClosesALoop) {
  CameraOptions camera;
  camera.pose.target = {1, 0, 0};
  camera.pose.position = {1, 2, 5};
  camera.pose.orbit = 360;
  const CameraPath path(camera, animation(8));
  const auto position = [&](std::int64_t frame) { return path.pose(frame).position; };
  EXPECT_EQ(position(0), camera.pose.position);
  EXPECT_NEAR(position(2)[0], 6, 1e-12) << "a quarter, counterclockwise seen from above: from +z to +x";
  EXPECT_NEAR(position(2)[1], 2, 1e-12);
  EXPECT_NEAR(position(2)[2], 0, 1e-12);
  EXPECT_NEAR(position(4)[2], -5, 1e-12);
  EXPECT_NEAR(position(8)[0], 1, 1e-12) << "the frame after the last is the first";
  EXPECT_NEAR(position(8)[2], 5, 1e-12);
}

CameraOptions keyed() {
  CameraOptions camera;
  camera.pose.position = {0, 0, 5};
  for (const auto& [time, x, fov] : {std::tuple{1.0, 4.0, 45.0}, {2.0, 5.0, 20.0}, {4.0, 1.0, 20.0}}) {
    CameraKey key{time, camera.pose};
    key.pose.position[0] = x;
    key.pose.fov = fov;
    camera.keys.push_back(key);
  }
  return camera;
}

TEST(Camera, KeyFramesAreMetAndHeld) {
  const CameraPath path(keyed(), animation(60));
  EXPECT_EQ(path.pose(0).position[0], 0) << "[camera] itself is the key at 0";
  EXPECT_NEAR(path.pose(10).position[0], 4, 1e-12);
  EXPECT_NEAR(path.pose(20).position[0], 5, 1e-12);
  EXPECT_NEAR(path.pose(40).position[0], 1, 1e-12);
  EXPECT_EQ(path.pose(59).position[0], 1);
  EXPECT_EQ(path.pose(0).fov, 45);
  EXPECT_EQ(path.pose(59).fov, 20);
  CameraOptions late = keyed();
  late.keys.front().time = 0;
  EXPECT_EQ(CameraPath(late, animation(60)).pose(0).position[0], 4) << "a key at 0 takes the place of [camera]";
}

TEST(Camera, KeyFramesAreMetSmoothlyAndNeverOvershot) {
  // 100 frames a second: differences stand for derivatives.
  const CameraPath path(keyed(), animation(600, 100));
  const auto x = [&](std::int64_t frame) { return path.pose(frame).position[0]; };
  for (std::int64_t frame = 1; frame < 599; ++frame) {
    const double speed = (x(frame + 1) - x(frame)) * 100, before = (x(frame) - x(frame - 1)) * 100;
    EXPECT_LT(std::fabs(speed - before), 0.4) << "no kink at frame " << frame;
    EXPECT_GE(x(frame), 0);
    EXPECT_LE(x(frame), 5 + 1e-12);
    EXPECT_LE(path.pose(frame).fov, 45 + 1e-12);
    EXPECT_GE(path.pose(frame).fov, 20 - 1e-12);
  }
  EXPECT_NEAR((x(1) - x(0)) * 100, 0, 0.1) << "from rest";
  EXPECT_NEAR((x(400) - x(399)) * 100, 0, 0.1) << "to rest";
  // Steffen's slope at the key at 1 s: slopes 4 and 1 on either side, parabola (4 + 1) / 2, so 2 * min(4, 1, 1.25) = 2.
  EXPECT_NEAR((x(101) - x(99)) * 50, 2, 0.04);
}

TEST(Camera, APathThroughAnImpossiblePoseIsRefusedWithItsFrame) {
  CameraOptions camera;
  camera.position.source = "x.toml";
  CameraKey key{2, camera.pose};
  key.pose.position = {0, 0, -5};
  camera.keys.push_back(key);
  const std::string error = test::thrown([&] { CameraPath(camera, animation(40)); });
  EXPECT_TRUE(error.starts_with("x.toml: ")) << error;
  EXPECT_TRUE(test::says(error, "meets its target at frame 10 (1 s)"));
  camera.keys[0].pose.position = {0, 10, -5};
  camera.keys[0].pose.up = {0, 1, 0};
  EXPECT_THROW(CameraPath(camera, animation(40)), UsageError) << "halfway it looks straight down from (0, 5, 0)";
  camera.keys[0].pose.position = {4, 10, -5};
  EXPECT_NO_THROW(CameraPath(camera, animation(40)));
}

}  // namespace
}  // namespace simreel
