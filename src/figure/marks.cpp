#include "figure/marks.h"

#include <algorithm>

namespace simreel {
namespace {

constexpr std::int32_t finer = 4;  // units of a path in 1/64 pixel

Path::Point unit_of(Spot spot) { return {spot.x * finer, spot.y * finer}; }

Path path_of(const Shape& shape) {
  Path path;
  std::vector<Path::Point> points;
  for (const Spot spot : shape.points) points.push_back(unit_of(spot));
  if (!shape.filled) {
    path.stroke(points, shape.width * finer);
    return path;
  }
  path.begin(points.front());
  for (const Path::Point point : points) path.line_to(point);
  path.close();
  return path;
}

Path path_of(const Label& label) {
  Path path;
  label.run.add_to(path, label.origin.x, label.origin.y, label.along);
  return path;
}

// `front` over `back`, both with straight alpha.
Color over(Color front, Color back) {
  const int part = 255 * front.a, rest = back.a * (255 - front.a), alpha = part + rest;  // of 255 * 255
  if (alpha == 0) return {0, 0, 0, 0};
  const auto mix = [&](int a, int b) { return static_cast<std::uint8_t>((a * part + b * rest + alpha / 2) / alpha); };
  return {mix(front.r, back.r), mix(front.g, back.g), mix(front.b, back.b),
          static_cast<std::uint8_t>((alpha + 127) / 255)};
}

class Painter {
 public:
  Painter(Sheet& sheet, Size size) : sheet_(sheet), size_(size) {}

  void operator()(const Shape& shape) { fill(path_of(shape), shape.color); }
  void operator()(const Label& label) { fill(path_of(label), label.color); }
  void operator()(const Image& image) {
    const Rectangle& place = image.place;
    for (int y = std::max(0, -place.y); y < std::min(place.height, size_.height - place.y); ++y) {
      std::vector<Color>& row = row_of(place.y + y);
      const int from = static_cast<int>((2 * std::int64_t{y} + 1) * image.rows / (2 * std::int64_t{place.height}));
      for (int x = std::max(0, -place.x); x < std::min(place.width, size_.width - place.x); ++x) {
        const int column =
            static_cast<int>((2 * std::int64_t{x} + 1) * image.columns / (2 * std::int64_t{place.width}));
        Color& pixel = row[static_cast<std::size_t>(place.x + x)];
        pixel = over(image.pixels[static_cast<std::size_t>(from) * static_cast<std::size_t>(image.columns) +
                                  static_cast<std::size_t>(column)],
                     pixel);
      }
    }
  }

 private:
  std::vector<Color>& row_of(int y) {
    std::vector<Color>& row = sheet_[static_cast<std::size_t>(y)];
    if (row.empty()) row.assign(static_cast<std::size_t>(size_.width), Color{0, 0, 0, 0});
    return row;
  }

  void fill(const Path& path, Color color) {
    path.cover(0, 0, size_.width, size_.height, [&](int y, int x, std::span<const std::uint8_t> levels) {
      std::vector<Color>& row = row_of(y);
      for (const std::uint8_t level : levels) {
        Color& pixel = row[static_cast<std::size_t>(x++)];
        Color front = color;
        front.a = static_cast<std::uint8_t>((level * color.a + 127) / 255);
        if (front.a > 0) pixel = over(front, pixel);
      }
    });
  }

  Sheet& sheet_;
  Size size_;
};

}  // namespace

Shape box_shape(const Rectangle& box, Color color) {
  const std::int32_t x0 = box.x * fine, y0 = box.y * fine, x1 = x0 + box.width * fine, y1 = y0 + box.height * fine;
  return {{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, true, 0, color};
}

Rectangle extent_of(const Mark& mark) {
  if (const auto* image = std::get_if<Image>(&mark.what)) return image->place;
  constexpr int far = 1 << 15;
  int x0 = far, y0 = far, x1 = -far, y1 = -far;
  const auto meet = [&](int y, int x, std::span<const std::uint8_t> levels) {
    x0 = std::min(x0, x), x1 = std::max(x1, x + static_cast<int>(levels.size()));
    y0 = std::min(y0, y), y1 = std::max(y1, y + 1);
  };
  if (const auto* shape = std::get_if<Shape>(&mark.what)) path_of(*shape).cover(-far, -far, far, far, meet);
  if (const auto* label = std::get_if<Label>(&mark.what)) path_of(*label).cover(-far, -far, far, far, meet);
  if (x0 >= x1) return {};
  return {x0, y0, x1 - x0, y1 - y0};
}

Sheet paint_marks(const Marks& marks, Size size) {
  Sheet sheet(static_cast<std::size_t>(size.height));
  paint_marks(marks, size, sheet);
  return sheet;
}

void paint_marks(const Marks& marks, Size size, Sheet& sheet) {
  Painter painter(sheet, size);
  for (const Mark& mark : marks) std::visit(painter, mark.what);
}

}  // namespace simreel
