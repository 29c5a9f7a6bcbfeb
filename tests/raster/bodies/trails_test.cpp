#include "tests/support/backends.h"
#include "tests/support/draw_context.h"

namespace simreel::test {
namespace {

struct Filmed {
  std::vector<std::vector<Color>> frames;
};

// A body that flies on a circle of radius 10 pixels, `turn` radians in the interval of the stage.
Filmed film_circle(const Executor& executor, ViewOptions view, int frames, double turn, double seconds,
                   const DrawContext& stage, double white_level = 1) {
  view.light.trails = seconds;
  view.range = RangeMode::fixed;
  view.range_given = true;
  view.low = 0, view.high = white_level;
  Filmed film;
  Bodies<double> all(executor, {Body<double>{}});
  Rasterizer rasterizer(executor, view, stage);
  for (int frame = 0; frame < frames; ++frame) {
    const AnimationOptions& animation = stage.animation;
    const double intervals = stage.figure.times.empty() ? static_cast<double>(animation.step_at(frame)) /
                                                              static_cast<double>(animation.steps_per_frame)
                                                        : stage.figure.times[frame] / stage.interval;
    const double angle = turn * intervals, speed = 10 * turn / stage.interval;
    all.place({{10 * std::cos(angle), 10 * std::sin(angle), 0, 1, -speed * std::sin(angle), speed * std::cos(angle)}});
    rasterizer.draw(all.view, frame);
    film.frames.push_back(canvas_of(executor, rasterizer, view.size));
  }
  return film;
}

ViewOptions trail_view() {
  auto view = view_of();
  view.light.tone = Scale::linear;
  return view;
}

// The grey value where the circle passes at `angle`: of the brightest pixel within one of it.
int on_circle(const std::vector<Color>& canvas, double angle) {
  int best = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      best = std::max<int>(best, at(canvas, static_cast<int>(24 + 10 * std::cos(angle)) + dx,
                                    static_cast<int>(16 - 10 * std::sin(angle)) + dy)
                                     .r);
  return best;
}

TEST(Trails, AreThoseOfFramesThatNobodySaw) {
  const Executor cpu = Executor::cpu(2);
  for (const bool follows : {false, true}) {
    auto view = trail_view();
    view.light.follows = follows;
    view.light.trails = 0.5;
    view.field = "speed";
    view.range = RangeMode::fixed, view.range_given = true;
    view.low = 0, view.high = 40;
    Bodies<double> all(cpu, {Body<double>{}});
    std::vector<Color> pictures[2];
    for (const bool seen : {true, false}) {
      Rasterizer rasterizer(cpu, view, stage_of(1));
      for (int frame = 0; frame < 12; ++frame) {
        const double at = 0.7 * frame;
        all.place({{at, 4 * std::sin(at), 0, 1, 7, 28 * std::cos(at)}});
        if (seen || frame == 7 || frame == 11)
          rasterizer.draw(all.view, frame);
        else
          rasterizer.remember(all.view, frame);
      }
      pictures[seen] = canvas_of(cpu, rasterizer, view.size);
    }
    EXPECT_EQ(pictures[0], pictures[1]);
  }
}

TEST(Trails, ATrailIsSmoothFadesAndEnds) {
  const Executor cpu = Executor::cpu(2);
  // A quarter of a turn a frame: the curve between frames comes from the velocities alone. Two seconds are 20 frames.
  const double quarter = std::acos(0.0);
  auto wide = trail_view();
  wide.light.splat = LightOptions::Splat::gaussian;
  wide.light.radius = 2;
  const auto film = film_circle(cpu, wide, 4, quarter, 2, stage_of(1), 1 / (4 * std::acos(-1.0)));
  const auto& last = film.frames[3];
  EXPECT_EQ(on_circle(last, 5.5), 0) << "nothing where it has not been";
  int before = 0;
  for (double angle = 0.2; angle < 3 * quarter - 0.3; angle += 0.2) {
    const int here = on_circle(last, angle);
    EXPECT_GT(here, 60) << angle;
    EXPECT_GE(here, before - 12) << "it fades backwards, angle " << angle;
    before = here;
  }
  // Nothing off the circle: cubic Hermite arcs of 90 degrees are within 0.03 radii of it.
  for (int y = 0; y < small.height; ++y)
    for (int x = 0; x < small.width; ++x) {
      const double d = std::hypot(x + 0.5 - 24, y + 0.5 - 16);
      const bool head = std::hypot(x + 0.5 - 24, y + 0.5 - 26) < 6.5;
      if (!head && (d < 6.5 || d > 13.5)) {
        EXPECT_EQ(at(last, x, y), black) << x << " " << y;
      }
    }

  const auto brief = film_circle(cpu, trail_view(), 4, quarter, 0.1, stage_of(1));
  EXPECT_GT(on_circle(brief.frames[3], 2.6 * quarter), 20) << "one frame's path";
  EXPECT_EQ(on_circle(brief.frames[3], 1.5 * quarter), 0) << "the one before is forgotten";
  const auto none = film_circle(cpu, trail_view(), 4, quarter, 0, stage_of(1));
  EXPECT_EQ(on_circle(none.frames[3], 2.6 * quarter), 0);
}

// A quarter of a turn in each frame: the faster the body, the less time a frame takes.
TEST(Trails, ATrailLiesOnThePathAtAnySpeed) {
  const Executor cpu = Executor::cpu(2);
  const double quarter = std::acos(0.0);
  const auto expected = film_circle(cpu, trail_view(), 4, quarter, 2, stage_of(1)).frames;
  auto slow = stage_of(1);
  slow.animation.steps_per_frame = 8;
  slow.animation.speed = {{0, 0.125}};
  EXPECT_EQ(film_circle(cpu, trail_view(), 4, 8 * quarter, 2, slow).frames, expected);
  // Two frames at a half, then one at two; and the same times from files.
  auto changing = stage_of(1), filed = stage_of(1);
  changing.animation.steps_per_frame = 8;
  changing.animation.speed = {{0.2, 0.5}, {0.2001, 2}};
  filed.figure.times = {0, 0.05, 0.1, 0.3};
  for (const DrawContext& stage : {changing, filed}) {
    const auto frames = film_circle(cpu, trail_view(), 4, quarter / 2, 2, stage).frames;
    int lit = 0;
    for (int y = 0; y < small.height; ++y)
      for (int x = 0; x < small.width; ++x) {
        if (at(frames[3], x, y) == black) continue;
        ++lit;
        EXPECT_NEAR(std::hypot(x + 0.5 - 24, y + 0.5 - 16), 10, 1.6) << x << " " << y;
      }
    EXPECT_GT(lit, 30);
  }
}

TEST(Trails, ATrailFadesOverItsSecondsHoweverShortTheRun) {
  const Executor cpu = Executor::cpu(1);
  for (const char* field : {"density", "speed"}) {
    auto view = trail_view();
    view.field = field;
    const auto film = [&](std::int64_t frames) {
      auto stage = stage_of(1);
      stage.animation.frames = frames;
      return film_circle(cpu, view, 7, 0.3, 5, stage).frames;
    };
    EXPECT_EQ(film(7), film(500)) << field;
  }
}

TEST(Trails, ATrailsBrightnessDoesNotDependOnTheSpeed) {
  const Executor cpu = Executor::cpu(1);
  for (const auto splat : {LightOptions::Splat::bilinear, LightOptions::Splat::gaussian}) {
    auto view = trail_view();
    view.light.splat = splat;
    view.light.radius = 2;
    const auto light = [&](int frames, double turn) {  // of the fresh half of a trail that has forgotten nothing yet
      auto stage = stage_of(1);
      stage.animation.frames = 10000;
      const auto film = film_circle(cpu, view, frames, turn, 1000, stage);
      double sum = 0;
      for (const Color& c : film.frames.back()) sum += c.r;
      return sum;
    };
    const double slow = light(13, 0.1), quick = light(3, 0.6);
    EXPECT_NEAR(quick / slow, 1, 0.05) << "the same arc in 12 frames or in 2";
  }
}

TEST(Trails, TrailsAreSeenByTheCameraOfTheirFrame) {
  // The body rests for the world, the camera passes by: so there is no trail, at no time.
  const Executor cpu = Executor::cpu(1);
  auto stage = stage_of(1);
  CameraKey key{1, stage.camera.pose};
  key.pose.position[0] = key.pose.target[0] = 10;
  stage.camera.keys.push_back(key);
  auto view = trail_view();
  view.light.trails = 5;
  view.light.splat = LightOptions::Splat::pixel;
  view.range = RangeMode::fixed;
  view.range_given = true;
  view.low = 0, view.high = 1;
  const Bodies<double> all(cpu, {Body<double>{0.5, 0.5, 0, 1}});
  Rasterizer rasterizer(cpu, view, stage);
  for (int frame = 0; frame <= 10; ++frame) rasterizer.draw(all.view, frame);
  const auto canvas = canvas_of(cpu, rasterizer, small);
  EXPECT_EQ(at(canvas, 14, 15), white);
  EXPECT_EQ(std::count(canvas.begin(), canvas.end(), black), 48 * 32 - 1);
}

template <class Real>
std::vector<Color> film_cluster(const Executor& executor, LightOptions::Splat splat, const std::string& field) {
  const Size odd{71, 53};
  auto view = view_of(field, odd);
  view.colormap = "inferno";
  view.light.splat = splat;
  view.light.radius = 1.7;
  view.light.trails = 0.3;
  auto stage = stage_of(300, odd);
  stage.camera.projection = Projection::perspective;
  stage.camera.pose.position = {0.3, 0.2, 0.9};  // among them: some are behind, some paths pass by
  stage.camera.pose.orbit = 90;
  auto bodies = random_bodies<Real>(300);
  Bodies<Real> all(executor, bodies);
  Rasterizer rasterizer(executor, view, stage);
  rasterizer.set_range(rasterizer.measure(all.view, 0));
  for (int frame = 0; frame < 6; ++frame) {
    for (Body<Real>& b : bodies) b.x += b.vx / 10, b.y += b.vy / 10, b.z += b.vz / 10;
    all.place(bodies);
    rasterizer.draw(all.view, frame);
  }
  return canvas_of(executor, rasterizer, odd);
}

TEST(Trails, FilmsAreTheSameForAnyNumberOfThreadsAndOnAGpu) {
  for (const auto splat : {LightOptions::Splat::pixel, LightOptions::Splat::bilinear, LightOptions::Splat::gaussian})
    for (const char* field : {"density", "speed", "group"}) {
      const auto expected = film_cluster<float>(Executor::cpu(1), splat, field);
      for (const Executor& executor : cpu_executors())
        EXPECT_EQ(film_cluster<float>(executor, splat, field), expected) << executor.name() << " " << field;
      if (!cuda_devices().empty()) {
        const Executor gpu = Executor::cuda();
        EXPECT_EQ(film_cluster<float>(gpu, splat, field), expected) << field;
        EXPECT_EQ(film_cluster<double>(gpu, splat, field), film_cluster<double>(Executor::cpu(2), splat, field));
      }
    }
}

}  // namespace
}  // namespace simreel::test
