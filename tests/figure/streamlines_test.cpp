// Streamlines: along the flow, apart from each other, away from solid cells.

#include "figure/streamlines.h"

#include "tests/support/test.h"

namespace simreel {
namespace {

constexpr int nx = 64, ny = 32;
constexpr Rectangle place{40, 30, 640, 320};

template <class F>
HostField host(const F& value) {
  HostField field{nx, ny, {}};
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) field.values.push_back(value(x + 0.5, y + 0.5));
  return field;
}

TEST(StreamlinesTest, AUniformFlowHasStraightLinesAcrossThePicture) {
  const Strokes strokes =
      streamlines_of(host([](double, double) { return 2.0; }), host([](double, double) { return 0.0; }), place);
  std::set<std::int32_t> heights;
  for (const Stroke& stroke : strokes) {
    if (stroke.filled) {
      EXPECT_GT(stroke.points[1].x, stroke.points[0].x) << "heads point along the flow";
      continue;
    }
    for (const Path::Point& point : stroke.points) EXPECT_EQ(point.y, stroke.points[0].y);
    EXPECT_TRUE(heights.insert(stroke.points[0].y).second) << "one line a height";
    EXPECT_GT(stroke.points.back().x - stroke.points.front().x, 600 * 256);
  }
  EXPECT_EQ(heights.size(), 16u) << "half of 32, because the picture is twice as wide as high";
}

TEST(StreamlinesTest, AVortexHasCircles) {
  const Strokes strokes = streamlines_of(host([](double, double y) { return -(y - 16); }),
                                         host([](double x, double) { return x - 32; }), place);
  ASSERT_FALSE(strokes.empty());
  for (const Stroke& stroke : strokes) {
    if (stroke.filled) continue;
    const auto radius = [](const Path::Point& p) {
      return std::hypot(p.x / 256.0 - place.x - 320, p.y / 256.0 - place.y - 160);
    };
    for (const Path::Point& point : stroke.points) EXPECT_NEAR(radius(point), radius(stroke.points[0]), 4);
  }
}

TEST(StreamlinesTest, SolidCellsAndRestHaveNone) {
  const auto solid = [](double x, double y) { return std::hypot(x - 32, y - 16) < 6; };
  const HostField u =
      host([&](double x, double y) { return solid(x, y) ? std::numeric_limits<double>::quiet_NaN() : 1.0; });
  const HostField v =
      host([&](double x, double y) { return solid(x, y) ? std::numeric_limits<double>::quiet_NaN() : 0.0; });
  const auto strokes = streamlines_of(u, v, place);
  ASSERT_FALSE(strokes.empty());
  for (const Stroke& stroke : strokes)
    for (const Path::Point& p : stroke.points)
      EXPECT_GT(std::hypot(p.x / 2560.0 - place.x / 10.0 - 32, p.y / 2560.0 - place.y / 10.0 - 16), 5);
  const HostField rest = host([](double, double) { return 0.0; });
  EXPECT_TRUE(streamlines_of(rest, rest, place).empty());
}

}  // namespace
}  // namespace simreel
