#include "figure/marks.h"

#include <algorithm>

namespace simreel {
namespace {

constexpr std::int32_t finer = 4;  // units of a path in 1/64 pixel

Path path_of(const Shape& shape) {
  Path path;
  std::vector<Path::Point> points;
  for (const Spot spot : shape.points) points.push_back({spot.x * finer, spot.y * finer});
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

// The pixels of an axis that a pixel of the other size covers, and how much of each: [first, first + parts.size()), of
// `from` in all.
struct Covered {
  int first = 0;
  std::vector<std::int64_t> parts;
};

Covered covered(int i, int from, int to) {
  const std::int64_t low = std::int64_t{i} * from, high = low + from;  // in parts of which an old pixel has `to`
  Covered result{static_cast<int>(low / to), {}};
  for (std::int64_t k = result.first; k * to < high; ++k)
    result.parts.push_back(std::min(high, (k + 1) * to) - std::max(low, k * to));
  return result;
}

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

std::vector<Color> scaled(const std::vector<Color>& pixels, Size from, Size to) {
  std::vector<Covered> columns;
  for (int x = 0; x < to.width; ++x) columns.push_back(covered(x, from.width, to.width));
  std::vector<Color> result;
  result.reserve(pixel_count(to));
  const std::int64_t area = std::int64_t{from.width} * from.height;
  for (int y = 0; y < to.height; ++y) {
    const Covered rows = covered(y, from.height, to.height);
    for (const Covered& across : columns) {
      std::int64_t r = 0, g = 0, b = 0, a = 0;
      for (std::size_t v = 0; v < rows.parts.size(); ++v) {
        const std::size_t row = (static_cast<std::size_t>(rows.first) + v) * static_cast<std::size_t>(from.width);
        for (std::size_t u = 0; u < across.parts.size(); ++u) {
          const Color& c = pixels[row + static_cast<std::size_t>(across.first) + u];
          const std::int64_t weight = rows.parts[v] * across.parts[u] * c.a;
          r += c.r * weight, g += c.g * weight, b += c.b * weight, a += weight;
        }
      }
      const auto mean = [](std::int64_t sum, std::int64_t by) {
        return static_cast<std::uint8_t>(by == 0 ? 0 : (sum + by / 2) / by);
      };
      result.push_back({mean(r, a), mean(g, a), mean(b, a), mean(a, area)});
    }
  }
  return result;
}

Shape marker_shape(std::size_t index, Spot at, std::int32_t r, Color color) {
  Shape shape;
  shape.color = color;
  const auto add = [&](std::int32_t dx, std::int32_t dy) { shape.points.push_back({at.x + dx, at.y + dy}); };
  switch (index % 4) {
    case 0: {
      constexpr std::int32_t c[] = {1024, 946, 724, 392, 0};  // of a sixteenth of a circle of radius 1024
      for (int i = 0; i < 16; ++i) {
        const std::int32_t u = c[i % 4] * r / 1024, v = c[4 - i % 4] * r / 1024;
        const std::int32_t turned[4][2] = {{u, v}, {-v, u}, {-u, -v}, {v, -u}};
        add(turned[i / 4][0], turned[i / 4][1]);
      }
      break;
    }
    case 1:
      add(-r * 9 / 10, -r * 9 / 10), add(r * 9 / 10, -r * 9 / 10), add(r * 9 / 10, r * 9 / 10),
          add(-r * 9 / 10, r * 9 / 10);
      break;
    case 2: add(0, -r * 12 / 10), add(r * 11 / 10, r * 8 / 10), add(-r * 11 / 10, r * 8 / 10); break;
    default: add(0, -r * 13 / 10), add(r * 13 / 10, 0), add(0, r * 13 / 10), add(-r * 13 / 10, 0); break;
  }
  return shape;
}

}  // namespace simreel
