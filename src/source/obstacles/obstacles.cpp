#include "source/obstacles/obstacles.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/input_image.h"
#include "base/limits.h"
#include "kernels/base/random.h"

namespace simreel {
namespace {

constexpr std::uint64_t grain_stream = 8;

// The cells of the grid within a rectangle; empty if x0 >= x1 or y0 >= y1.
LbmBox cells_within(const std::array<double, 2>& min, const std::array<double, 2>& max, int nx, int ny) {
  const auto first = [](double low, int n) {
    return static_cast<int>(std::clamp(std::ceil(low), 0.0, static_cast<double>(n)));
  };
  const auto end = [](double high, int n) {
    return static_cast<int>(std::clamp(std::floor(high) + 1, 0.0, static_cast<double>(n)));
  };
  return {first(min[0], nx), first(min[1], ny), end(max[0], nx), end(max[1], ny)};
}

Outline::Shape disk_shape(const std::array<double, 2>& center, double radius) {
  return {center[1] - radius, center[1] + radius, [center, radius](double y, std::vector<Outline::Span>& spans) {
            const double dy = y - center[1], square = radius * radius - dy * dy;
            if (square > 0) spans.push_back({center[0] - std::sqrt(square), center[0] + std::sqrt(square)});
          }};
}

// The part of a shape within these cells, edges included.
Outline::Shape clipped(Outline::Shape shape, const LbmBox& box) {
  return {std::max(shape.bottom, box.y0 - 0.5), std::min(shape.top, box.y1 - 0.5),
          [cut = std::move(shape.cut), box](double y, std::vector<Outline::Span>& spans) {
            const std::size_t before = spans.size();
            cut(y, spans);
            for (std::size_t i = before; i < spans.size(); ++i)
              spans[i] = {std::max(spans[i].low, box.x0 - 0.5), std::min(spans[i].high, box.x1 - 0.5)};
          }};
}

// The sides of a rectangle lie between cells.
Outline::Shape box_shape(const LbmBox& box) {
  return {box.y0 - 0.5, box.y1 - 0.5, [box](double, std::vector<Outline::Span>& spans) {
            spans.push_back({box.x0 - 0.5, box.x1 - 0.5});
          }};
}

Outline::Shape polygon_shape(const std::vector<std::array<double, 2>>& points) {
  const auto [low, high] = std::ranges::minmax(points, {}, [](const auto& point) { return point[1]; });
  return {low[1], high[1], [points](double y, std::vector<Outline::Span>& spans) {
            std::vector<double> crossings;
            for (std::size_t i = 0, j = points.size() - 1; i < points.size(); j = i++) {
              const auto& [ax, ay] = points[i];
              const auto& [bx, by] = points[j];
              if ((ay > y) != (by > y)) crossings.push_back((bx - ax) * (y - ay) / (by - ay) + ax);
            }
            std::ranges::sort(crossings);
            for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) spans.push_back({crossings[i], crossings[i + 1]});
          }};
}

// Where the luminance of an image, interpolated between the centres of its pixels, is below a threshold. The first row
// is the top.
struct ImageShape {
  std::array<double, 2> min, max;  // cells
  double threshold;
  int width, height;
  std::vector<float> luminance;

  void operator()(double y, std::vector<Outline::Span>& spans) const {
    const double across = width / (max[0] - min[0] + 1), up = height / (max[1] - min[1] + 1);
    const double row = std::clamp((max[1] - y + 0.5) * up - 0.5, 0.0, height - 1.0);
    const int above = static_cast<int>(row), below = std::min(above + 1, height - 1);
    const float* const upper = luminance.data() + static_cast<std::ptrdiff_t>(above) * width;
    const float* const lower = luminance.data() + static_cast<std::ptrdiff_t>(below) * width;
    const auto depth = [&](int column) {  // > 0 inside
      return threshold - (upper[column] + (row - above) * (static_cast<double>(lower[column]) - upper[column]));
    };
    const auto place = [&](double column) { return min[0] - 0.5 + (column + 0.5) / across; };
    double begin = min[0] - 0.5, here = depth(0);
    for (int column = 1; column < width; ++column) {
      const double before = here;
      here = depth(column);
      if ((before > 0) == (here > 0)) continue;
      const double border = place(column - 1 + before / (before - here));
      if (before > 0)
        spans.push_back({begin, border});
      else
        begin = border;
    }
    if (here > 0) spans.push_back({begin, max[0] + 0.5});
  }
};

// Calls paint(x, y) for every cell of the box for which `inside` holds.
template <class Inside, class Paint>
void fill(const LbmBox& box, const Inside& inside, const Paint& paint) {
  for (int y = box.y0; y < box.y1; ++y)
    for (int x = box.x0; x < box.x1; ++x)
      if (inside(x, y)) paint(x, y);
}

template <class Paint>
void paint_disk(const std::array<double, 2>& center, double radius, const LbmBox& limits, int nx, int ny,
                const Paint& paint) {
  LbmBox box = cells_within({center[0] - radius, center[1] - radius}, {center[0] + radius, center[1] + radius}, nx, ny);
  box = {std::max(box.x0, limits.x0), std::max(box.y0, limits.y0), std::min(box.x1, limits.x1),
         std::min(box.y1, limits.y1)};
  const auto inside = [&](int x, int y) {
    const double dx = x - center[0], dy = y - center[1];
    return dx * dx + dy * dy <= radius * radius;
  };
  fill(box, inside, paint);
}

template <class Paint>
void paint_polygon(const ObstacleOptions& o, int nx, int ny, const Paint& paint) {
  const auto [low, high] = o.bounds();
  const LbmBox box = cells_within(low, high, nx, ny);
  struct Side {
    double ax, ay, bx, by;
  };
  std::vector<Side> sides;  // that a row meets: of many corners few
  for (int y = box.y0; y < box.y1; ++y) {
    sides.clear();
    for (std::size_t i = 0, j = o.points.size() - 1; i < o.points.size(); j = i++) {
      const auto& [ax, ay] = o.points[i];
      const auto& [bx, by] = o.points[j];
      if (std::min(ay, by) <= y && y <= std::max(ay, by)) sides.push_back({ax, ay, bx, by});
    }
    const auto inside = [&](int x, int) {
      bool odd = false;
      for (const auto& [ax, ay, bx, by] : sides) {
        const bool between = std::min(ax, bx) <= x && x <= std::max(ax, bx);
        if (between && (bx - ax) * (y - ay) == (by - ay) * (x - ax)) return true;
        if ((ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax) odd = !odd;
      }
      return odd;
    };
    fill({box.x0, y, box.x1, y + 1}, inside, paint);
  }
}

template <class Paint>
void paint_image(const ObstacleOptions& o, int nx, int ny, const Paint& paint, Outline& outline,
                 LbmGeometry::Level& level) {
  std::string reason;
  const std::optional<ColorImage> image = read_color_image(o.file.string(), reason);
  if (!image) o.keys.fail("file", "cannot read the image {}: {}", o.file.string(), reason);
  const int width = image->width, height = image->height;
  const double cells_x = o.max[0] - o.min[0] + 1, cells_y = o.max[1] - o.min[1] + 1;
  if (const std::string said = stretch_in_words(o.file.string(), {width, height}, cells_x, cells_y); !said.empty())
    o.keys.remark("file", said);
  // The first row of an image is the top.
  const double across = width / cells_x, up = height / cells_y;
  ImageShape shape{o.min, o.max, o.threshold, width, height, {}};
  const auto values = std::make_shared<std::vector<float>>();
  for (const Color& pixel : image->pixels) {
    const double opaque = 0.2126 * pixel.r + 0.7152 * pixel.g + 0.0722 * pixel.b, alpha = pixel.a / 255.0;
    const double luminance = alpha * opaque / 255 + 1 - alpha;
    shape.luminance.push_back(static_cast<float>(luminance));
    values->push_back(static_cast<float>(luminance - o.threshold));
  }
  if (std::ranges::none_of(*values, [](float value) { return value < 0; })) {
    const bool masked = std::ranges::any_of(image->pixels, [](const Color& pixel) { return pixel.a < 128; });
    o.keys.fail("file", "no pixel of {} is darker than threshold = {}, so nothing is solid{}", o.file.string(),
                o.threshold, masked ? "; transparent ones count as white: paint the shape black" : "");
  }
  // The mean of the pixels in a cell, so that a picture of more pixels than cells is grey where a border cuts a cell.
  // Of a coarser picture the pixel at the centre of the cell.
  level = [=, low = o.min, high = o.max](int x, int y) {
    const auto part = [](double from, double step, int count) {
      const int first = std::clamp(static_cast<int>(step < 1 ? (from + 0.5) * step : from * step + 0.5), 0, count - 1);
      const int end = static_cast<int>((from + 1) * step + 0.5);
      return std::pair{first, step < 1 ? first + 1 : std::clamp(end, first + 1, count)};
    };
    const auto [left, right] = part(x - low[0], across, width);
    const auto [top, bottom] = part(high[1] - y, up, height);
    double sum = 0;
    for (int row = top; row < bottom; ++row)
      for (int column = left; column < right; ++column)
        sum += static_cast<double>((*values)[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                                             static_cast<std::size_t>(column)]);
    return sum / (static_cast<double>(right - left) * (bottom - top));
  };
  fill(
      cells_within(o.min, o.max, nx, ny), [&](int x, int y) { return level(x, y) < 0; }, paint);
  outline.bytes += shape.luminance.size() * sizeof(float);
  outline.shapes.push_back({o.min[1] - 0.5, o.max[1] + 0.5, std::move(shape)});
}

// Paints where the values of a formula or an array are above 0.
template <class Paint>
void paint_values(const ObstacleOptions& o, int nx, int ny, const Paint& paint, Outline& outline,
                  LbmGeometry::Level& level) {
  // Values that are never below 0 say whether, and not how deep: their borders lie in the middle between cells.
  const bool deep = o.solid.extremes().low < 0;
  const auto depth = [deep](double value) { return deep ? value : value > 0 ? 1.0 : -1.0; };
  ImageShape shape{{0, 0}, {nx - 1.0, ny - 1.0}, 0, nx, ny, {}};
  std::vector<double> values(static_cast<std::size_t>(nx));
  for (int y = ny - 1; y >= 0; --y) {
    o.solid.row(y, values);
    for (int x = 0; x < nx; ++x) {
      const double value = values[static_cast<std::size_t>(x)];
      if (value > 0) paint(x, y);
      shape.luminance.push_back(static_cast<float>(-depth(value)));
    }
  }
  level = [solid = o.solid, depth](int x, int y) { return -depth(solid.at(x, y)); };
  outline.bytes += shape.luminance.size() * sizeof(float);
  outline.shapes.push_back({-0.5, ny - 0.5, std::move(shape)});
}

// Places grains at random until the required number of cells is solid, which may leave the last grain incomplete.
// `is_solid` marks the cells that are solid from the start.
template <class Solid, class Paint>
void paint_porous(const ObstacleOptions& o, int nx, int ny, std::uint64_t seed, std::uint64_t number,
                  std::uint64_t& grains, const Solid& is_solid, const Paint& paint, Outline& outline) {
  const LbmBox box = cells_within(o.min, o.max, nx, ny);
  const std::int64_t cells = std::int64_t{std::max(0, box.x1 - box.x0)} * std::max(0, box.y1 - box.y0);
  std::int64_t before = 0;
  fill(box, is_solid, [&](int, int) { ++before; });
  std::int64_t left = std::llround((1 - o.porosity) * static_cast<double>(cells)) - before;
  if (left < 0)
    o.keys.fail("porosity",
                "other obstacles leave only {:.4g} of this region to the fluid; take a lower "
                "porosity, or a region next to them",
                1 - static_cast<double>(before) / static_cast<double>(cells));
  // Centres lie in the region, but no farther from its cells than half a grain and one cell: others would paint
  // nothing, and in a region much larger than the grid hardly any would paint something.
  const double reach = o.grain / 2 + 1;
  const std::array<double, 2> low = {std::max(o.min[0], box.x0 - reach), std::max(o.min[1], box.y0 - reach)};
  const std::array<double, 2> high = {std::min(o.max[0], box.x1 - 1 + reach), std::min(o.max[1], box.y1 - 1 + reach)};
  for (std::uint64_t n = 0; left > 0; ++n) {
    if (++grains > limits::grains)
      o.keys.fail("porosity",
                  "porosity = {} takes more than {} grains of {} cells, with those of other obstacles; take a higher "
                  "one, or larger grains",
                  o.porosity, limits::grains, o.grain);
    const auto unit = [&](std::uint64_t stream) { return random_unit(seed, grain_stream + stream, number << 40 | n); };
    const std::array<double, 2> center = {low[0] - 0.5 + unit(0) * (high[0] - low[0] + 1),
                                          low[1] - 0.5 + unit(1) * (high[1] - low[1] + 1)};
    int last_x = -1, last_y = -1;  // the last cell of the grain that was painted
    bool whole = true;
    paint_disk(center, o.grain / 2, box, nx, ny, [&](int x, int y) {
      whole = whole && (left > 0 || is_solid(x, y));
      if (left <= 0) return;
      if (paint(x, y)) --left;
      last_x = x, last_y = y;
    });
    const auto add = [&](const LbmBox& part) {
      outline.shapes.push_back(clipped(disk_shape(center, o.grain / 2), part));
      outline.bytes += 4 * sizeof(Outline::Shape);
    };
    if (last_y < 0) continue;  // it lies between the centres of cells
    if (whole) {
      add(box);
    } else {
      add({box.x0, box.y0, box.x1, last_y});
      add({box.x0, last_y, last_x + 1, last_y + 1});
    }
  }
}

}  // namespace

LbmGeometry paint_obstacles(const std::vector<ObstacleOptions>& obstacles, int nx, int ny, std::size_t pitch,
                            std::uint64_t seed) {
  const ImageCount count(limits::scene_image_pixels);
  LbmGeometry geometry;
  std::vector<std::int8_t>& cell = geometry.cell;
  cell.resize(pitch * static_cast<std::size_t>(ny), lbm_plain);
  geometry.levels.resize(obstacles.size());
  std::vector<Outline::Shape>& shapes = geometry.outline.shapes;
  std::uint64_t grains = 0;
  const auto place = [&](int x, int y) { return static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x); };

  for (std::size_t n = 0; n < obstacles.size(); ++n) {
    const ObstacleOptions& o = obstacles[n];
    LbmBox box{nx, ny, -1, -1};
    const auto paint = [&](int x, int y) {
      std::int8_t& here = cell[place(x, y)];
      const bool fluid = here >= 0;
      here = static_cast<std::int8_t>(-1 - static_cast<int>(n));
      box = {std::min(box.x0, x), std::min(box.y0, y), std::max(box.x1, x), std::max(box.y1, y)};
      return fluid;
    };
    const auto everywhere = [](int, int) { return true; };
    const auto is_solid = [&](int x, int y) { return cell[place(x, y)] < 0; };
    switch (o.shape) {
      case ObstacleShape::circle:
        paint_disk(o.center, o.radius, {0, 0, nx, ny}, nx, ny, paint);
        shapes.push_back(disk_shape(o.center, o.radius));
        break;
      case ObstacleShape::rectangle:
        fill(cells_within(o.min, o.max, nx, ny), everywhere, paint);
        shapes.push_back(box_shape(cells_within(o.min, o.max, nx, ny)));
        break;
      case ObstacleShape::polygon:
        paint_polygon(o, nx, ny, paint);
        shapes.push_back(polygon_shape(o.points));
        break;
      case ObstacleShape::image: paint_image(o, nx, ny, paint, geometry.outline, geometry.levels[n]); break;
      case ObstacleShape::formula: paint_values(o, nx, ny, paint, geometry.outline, geometry.levels[n]); break;
      case ObstacleShape::porous: paint_porous(o, nx, ny, seed, n, grains, is_solid, paint, geometry.outline); break;
    }
    if (box.x1 < 0) o.keys.fail("shape", "this obstacle covers no cell of the {} x {} grid", nx, ny);
    geometry.extents.push_back({box.x0, box.y0, box.x1 + 1, box.y1 + 1});
    // Neighbours of an obstacle at a side may be at the opposite side.
    const bool around_x = box.x0 == 0 || box.x1 == nx - 1, around_y = box.y0 == 0 || box.y1 == ny - 1;
    geometry.boxes.push_back(
        {around_x ? 0 : box.x0 - 1, around_y ? 0 : box.y0 - 1, around_x ? nx : box.x1 + 2, around_y ? ny : box.y1 + 2});
  }

  for (const LbmBox& box : geometry.boxes) {
    fill(
        box, [&](int x, int y) { return cell[place(x, y)] < 0; },
        [&](int x, int y) {
          for (int sy = std::max(0, y - 1); sy <= std::min(ny - 1, y + 1); ++sy)
            for (int sx = std::max(0, x - 1); sx <= std::min(nx - 1, x + 1); ++sx)
              if (cell[place(sx, sy)] == lbm_plain) cell[place(sx, sy)] = lbm_edge;
        });
  }
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; x += y == 0 || y == ny - 1 || nx == 1 ? 1 : nx - 1)
      if (cell[place(x, y)] == lbm_plain) cell[place(x, y)] = lbm_edge;

  for (int y = 0; y < ny; ++y) {
    std::int64_t solid = 0;
    for (int x = 0; x < nx; ++x) {
      const std::int8_t kind = cell[place(x, y)];
      solid += kind < 0;
      if (kind == lbm_edge) geometry.edge.push_back(static_cast<std::uint32_t>(place(x, y)));
    }
    geometry.fluid += static_cast<double>(nx - solid);
  }
  if (geometry.fluid == 0) obstacles.back().keys.fail("shape", "the obstacles leave no fluid cell");
  return geometry;
}

bool bears_painting(const std::vector<ObstacleOptions>& obstacles, int nx, int ny, const Scene& scene) {
  const double cells = static_cast<double>(nx) * ny;
  double operations = 4 * cells, bytes = cells;
  for (const ObstacleOptions& o : obstacles) {
    const LbmBox box = cells_within(o.min, o.max, nx, ny);
    const double side = std::min(2 * o.radius + 1, static_cast<double>(std::max(nx, ny)));
    switch (o.shape) {
      case ObstacleShape::circle: operations += std::min(side * side, cells); break;
      case ObstacleShape::polygon:  // a row looks at the sides that it meets, in all cells
        for (std::size_t i = 0, j = o.points.size() - 1; i < o.points.size(); j = i++)
          operations += ny + (1 + std::min<double>(ny, std::abs(o.points[i][1] - o.points[j][1]))) * 4 * nx;
        break;
      case ObstacleShape::porous: {
        const double grains = std::min<double>(
            limits::grains, -2 * std::log(o.porosity) * (box.x1 - box.x0) * (box.y1 - box.y0) / (o.grain * o.grain));
        operations += grains * (200 + 2 * o.grain * o.grain);
        bytes += grains * 4 * sizeof(Outline::Shape);
        break;
      }
      case ObstacleShape::formula:
        operations += cells * (2 * o.solid.cost() + 8);
        bytes += cells * sizeof(float);
        break;
      default: operations += 4 * cells; break;
    }
  }
  if (scene.effort->bears(operations, bytes)) return true;
  scene.solver.remark("obstacle", "the grid is too large for `check` to look at its obstacles");
  return false;
}

ObstacleMap::ObstacleMap(std::vector<ObstacleOptions> obstacles, int nx, int ny, std::size_t pitch, const Scene& scene)
    : obstacles_(std::move(obstacles)),
      nx_(nx),
      ny_(ny),
      pitch_(pitch),
      seed_(scene.seed),
      painted_(bears_painting(obstacles_, nx, ny, scene) ? paint() : LbmGeometry()) {}

LbmGeometry ObstacleMap::take() {
  {
    const std::lock_guard lock(mutex_);
    if (painted_ && painted()) {
      LbmGeometry geometry = std::move(*painted_);
      painted_.reset();
      return geometry;
    }
  }
  return paint();
}

bool is_passable(const LbmGeometry& geometry, int nx, int ny, std::size_t pitch, const std::array<LbmSide, 4>& sides) {
  const auto& [left, right, bottom, top] = sides;
  const auto place = [&](int x, int y) { return static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x); };
  const auto lies_at = [&](int x, int y, LbmSide side) {
    return (x == 0 && left == side) || (x == nx - 1 && right == side) || (y == 0 && bottom == side) ||
           (y == ny - 1 && top == side);
  };
  std::vector<bool> reached(geometry.cell.size());
  // Cells one further than those before, so that a list holds a front and not an area.
  std::vector<std::pair<int, int>> front, next;
  const auto reach = [&](int x, int y) {
    if (reached[place(x, y)] || geometry.cell[place(x, y)] < 0) return;
    reached[place(x, y)] = true;
    next.emplace_back(x, y);
  };
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; x += y == 0 || y == ny - 1 || nx == 1 ? 1 : nx - 1)
      if (lies_at(x, y, LbmSide::inlet)) reach(x, y);
  while (!next.empty()) {
    std::swap(front, next);
    next.clear();
    for (const auto& [x, y] : front) {
      if (lies_at(x, y, LbmSide::outlet)) return true;
      if (x > 0 || left == LbmSide::periodic) reach(x > 0 ? x - 1 : nx - 1, y);
      if (x < nx - 1 || right == LbmSide::periodic) reach(x < nx - 1 ? x + 1 : 0, y);
      if (y > 0 || bottom == LbmSide::periodic) reach(x, y > 0 ? y - 1 : ny - 1);
      if (y < ny - 1 || top == LbmSide::periodic) reach(x, y < ny - 1 ? y + 1 : 0);
    }
  }
  return false;
}

}  // namespace simreel
