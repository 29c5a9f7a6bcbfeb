#pragma once
// Polygons -> coverage of pixels, in integers only: the same bits from every compiler at every level of optimisation.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace simreel {

// Closed contours of straight lines; nonzero winding decides what is inside. Coordinates are multiples of 1/256 pixel,
// x right and y down, at most 2^24 of them in size.
class Path {
 public:
  static constexpr std::int32_t per_pixel = 256;  // units
  struct Point {
    std::int32_t x, y;
    bool operator==(const Point&) const = default;
  };

  void begin(Point);  // of a contour
  void line_to(Point);
  // A quadratic curve with this control point, as `pieces` straight lines.
  void curve_to(Point control, Point end, int pieces);
  void close();

  // A line with square ends, `width` wide in the same unit, and with round joins where it bends.
  void stroke(std::span<const Point> points, std::int32_t width, bool closed = false);

  void append(const Path& other) { edges_.insert(edges_.end(), other.edges_.begin(), other.edges_.end()); }
  bool empty() const { return edges_.empty(); }

  // The part of each pixel that the path covers, 0 to 255: exact along x, from 16 lines per pixel along y. Calls
  // `row(y, x, levels)` from the top for each row inside the box of pixels [x0, x1) x [y0, y1) that the path meets; the
  // first and the last level are above 0.
  using Row = std::function<void(int y, int x, std::span<const std::uint8_t> levels)>;
  void cover(int x0, int y0, int x1, int y1, const Row& row) const;

 private:
  struct Edge {
    Point top, bottom;  // top.y < bottom.y
    int winding;
  };
  void add(Point from, Point to);
  void add_circle(Point centre, std::int32_t radius);

  std::vector<Edge> edges_;
  Point first_{}, last_{};
};

}  // namespace simreel
