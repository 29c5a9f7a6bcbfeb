#include "sink/animated/palette.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/error.h"

namespace simreel {
namespace {

using Vector = std::array<double, 3>;

// Perceptual weights of differences in red, green and blue.
constexpr std::array<int, 3> eye = {2, 4, 3};

int level(std::uint32_t color, std::size_t channel) { return static_cast<int>(color >> (16 - 8 * channel) & 255); }

int distance(const Color& a, const Color& b) {
  const int r = a.r - b.r, g = a.g - b.g, blue = a.b - b.b;
  return eye[0] * r * r + eye[1] * g * g + eye[2] * blue * blue;
}

Color color_of(std::uint32_t color) {
  return {static_cast<std::uint8_t>(level(color, 0)), static_cast<std::uint8_t>(level(color, 1)),
          static_cast<std::uint8_t>(level(color, 2))};
}

// A colour, or the mean of several similar colours.
struct Point {
  Vector position;  // scaled by `eye`
  double weight;
};

double squared_distance(const Vector& a, const Vector& b) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

// The colours with their weights; if there are too many, they are merged in cubes of four levels per side.
std::vector<Point> points_of(const std::vector<std::uint32_t>& seen, const std::uint32_t* counts) {
  constexpr std::size_t many = 32768;
  const unsigned dropped = seen.size() > many ? 2 : 0, bits = 8 - dropped;
  struct Sum {
    Vector position{};
    double count = 0;
  };
  std::vector<Sum> sums(dropped > 0 ? std::size_t{1} << 3 * bits : seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto part = [&](std::size_t channel) { return static_cast<std::size_t>(level(seen[i], channel)) >> dropped; };
    Sum& sum = sums[dropped > 0 ? (part(0) << bits | part(1)) << bits | part(2) : i];
    const double count = counts[seen[i]];
    for (std::size_t c = 0; c < 3; ++c) sum.position[c] += count * level(seen[i], c);
    sum.count += count;
  }
  std::vector<Point> points;
  for (Sum& sum : sums) {
    if (sum.count == 0) continue;
    for (std::size_t c = 0; c < 3; ++c) sum.position[c] *= std::sqrt(eye[c]) / sum.count;
    // Half of a frame may be background; with its full count it would leave no colours for the picture.
    points.push_back({sum.position, std::sqrt(sum.count)});
  }
  return points;
}

// The points that one colour represents, and their best split.
struct Box {
  std::span<Point> points;
  std::size_t cut = 0;
  double gain = 0;  // the reduction of the sum of squared errors
};

// Sorts the points along the axis of largest variance, and finds the split with the least error along it.
Box box_of(std::span<Point> points) {
  double weight = 0;
  Vector sum{}, squares{}, spread{};
  for (const Point& point : points) {
    weight += point.weight;
    for (std::size_t c = 0; c < 3; ++c) {
      sum[c] += point.weight * point.position[c];
      squares[c] += point.weight * point.position[c] * point.position[c];
    }
  }
  for (std::size_t c = 0; c < 3; ++c) spread[c] = squares[c] - sum[c] * sum[c] / weight;
  const auto axis = static_cast<std::size_t>(std::ranges::max_element(spread) - spread.begin());
  std::ranges::sort(points, {}, [&](const Point& p) {
    return std::tuple(p.position[axis], p.position[(axis + 1) % 3], p.position[(axis + 2) % 3]);
  });
  Box box{points};
  double below = 0, sum_below = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    below += points[i].weight;
    sum_below += points[i].weight * points[i].position[axis];
    const double above = weight - below, step = sum_below / below - (sum[axis] - sum_below) / above;
    const double gain = below * above / weight * step * step;
    if (gain <= box.gain) continue;
    box.gain = gain;
    box.cut = i + 1;
  }
  return box;
}

Vector mean_of(std::span<const Point> points) {
  Vector sum{};
  double weight = 0;
  for (const Point& point : points) {
    weight += point.weight;
    for (std::size_t c = 0; c < 3; ++c) sum[c] += point.weight * point.position[c];
  }
  for (double& value : sum) value /= weight;
  return sum;
}

// Splits the box with the largest gain until there are enough (X. Wu, Graphics Gems II, 1991).
std::vector<Vector> cut_boxes(std::vector<Point>& points, std::size_t wanted) {
  std::vector<Box> boxes = {box_of(points)};
  while (boxes.size() < wanted) {
    Box& widest = *std::ranges::max_element(boxes, {}, &Box::gain);
    if (widest.gain <= 0) break;
    const std::span<Point> low = widest.points.first(widest.cut), high = widest.points.subspan(widest.cut);
    widest = box_of(low);
    boxes.push_back(box_of(high));
  }
  std::vector<Vector> means;
  for (const Box& box : boxes) means.push_back(mean_of(box.points));
  return means;
}

// Lloyd's iteration: every centre moves to the mean of the points that are nearest to it.
void settle(std::span<const Point> points, std::vector<Vector>& centres) {
  std::vector<Vector> sums(centres.size());
  std::vector<double> weights(centres.size());
  for (const Point& point : points) {
    const auto nearest = std::ranges::min_element(
        centres, {}, [&](const Vector& centre) { return squared_distance(centre, point.position); });
    const auto i = static_cast<std::size_t>(nearest - centres.begin());
    for (std::size_t c = 0; c < 3; ++c) sums[i][c] += point.weight * point.position[c];
    weights[i] += point.weight;
  }
  for (std::size_t i = 0; i < centres.size(); ++i) {
    if (weights[i] == 0) continue;
    for (std::size_t c = 0; c < 3; ++c) centres[i][c] = sums[i][c] / weights[i];
  }
}

Color rounded(const Vector& position) {
  const auto channel = [&](std::size_t c) {
    return static_cast<std::uint8_t>(std::lround(position[c] / std::sqrt(eye[c])));
  };
  return {channel(0), channel(1), channel(2)};
}

// Two entries of the palette, and the number of pixels in 64 that show the second one.
struct Mix {
  std::uint32_t first, second, share;

  std::uint32_t packed() const { return first | second << 8 | share << 16; }
};

// The 8 x 8 Bayer matrix: bits of x ^ y and y, interleaved and reversed.
constexpr auto thresholds = [] {
  std::array<std::array<std::uint8_t, 8>, 8> matrix{};
  for (unsigned y = 0; y < 8; ++y)
    for (unsigned x = 0; x < 8; ++x) {
      unsigned value = 0;
      for (unsigned bit = 0; bit < 3; ++bit) value = value << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1);
      matrix[y][x] = static_cast<std::uint8_t>(value);
    }
  return matrix;
}();

class Mixer {
 public:
  explicit Mixer(const std::vector<Color>& colors) : colors_(colors) {
    for (std::size_t i = 0; i < colors.size(); ++i) {
      std::vector<std::uint8_t> others(colors.size());
      std::iota(others.begin(), others.end(), std::uint8_t{0});
      std::ranges::sort(others, {}, [&](std::uint8_t k) { return std::pair(distance(colors[i], colors[k]), k); });
      others.resize(std::min(others.size(), neighbours + 1));
      near_.push_back(std::move(others));
    }
  }

  // The mix that is closest to the colour, with a penalty for noise.
  Mix mix(const Color& color) {
    const std::uint32_t first = std::ranges::min(
        candidates(color), {}, [&](std::uint8_t i) { return std::pair(distance(color, colors_[i]), i); });
    const double straight = distance(color, colors_[first]);
    Mix best{first, first, 0};
    double min = straight;
    for (const std::uint8_t second : near_[first]) {
      // The projection of the colour onto the line between the two, and its distance from that line.
      const double between = distance(colors_[first], colors_[second]);
      const double along = (between + straight - distance(color, colors_[second])) / 2;
      if (along <= 0) continue;
      const int parts =
          static_cast<int>(64 * along / between + 0.5);  // at most 32, because the second entry is farther away
      const double share = parts / 64.0;
      const double off = straight - 2 * share * along + share * share * between;
      const double error = off + noise_weight * share * (1 - share) * between;
      if (error >= min) continue;
      min = error;
      best = {first, second, static_cast<std::uint32_t>(parts)};
    }
    return best;
  }

 private:
  static constexpr std::size_t neighbours = 12;
  static constexpr int side = 16;  // of the grid of cubes for looking up colours
  // The eye sees the mean of a pattern as its colour, but also some noise: the weight of noise against a uniform error.
  static constexpr double noise_weight = 0.25;

  // The entries that may be nearest to some colour of the same cube.
  const std::vector<std::uint8_t>& candidates(const Color& color) {
    std::vector<std::uint8_t>& found =
        cubes_[static_cast<std::size_t>((color.r / side * side + color.g / side) * side + color.b / side)];
    if (!found.empty()) return found;
    const auto corner = [&](const Color& other, bool far) {
      const auto level = [&](int value, int at) {
        const int low = value / side * side, high = low + side - 1;
        return static_cast<std::uint8_t>(far ? (at - low > high - at ? low : high) : std::clamp(at, low, high));
      };
      return Color{level(color.r, other.r), level(color.g, other.g), level(color.b, other.b)};
    };
    int surely = std::numeric_limits<int>::max();
    for (const Color& other : colors_) surely = std::min(surely, distance(other, corner(other, true)));
    for (std::size_t i = 0; i < colors_.size(); ++i)
      if (distance(colors_[i], corner(colors_[i], false)) <= surely) found.push_back(static_cast<std::uint8_t>(i));
    return found;
  }

  const std::vector<Color>& colors_;
  std::vector<std::vector<std::uint8_t>> near_;  // for each entry: itself and its neighbours, nearest first
  std::vector<std::vector<std::uint8_t>> cubes_ =
      std::vector<std::vector<std::uint8_t>>(side * side * side);  // filled on demand
};

std::uint32_t pixel(const std::uint8_t* rgb) {
  return static_cast<std::uint32_t>(rgb[0]) << 16 | static_cast<std::uint32_t>(rgb[1]) << 8 | rgb[2];
}

}  // namespace

GifPalette::GifPalette() : table_(static_cast<std::uint32_t*>(std::calloc(memory_bytes, 1))) {
  if (!table_) throw RuntimeError("out of memory for the colours of a palette");
}

void GifPalette::count(const RgbView& picture) {
  for (int y = 0; y < picture.size.height; ++y) {
    const std::uint8_t* const row = picture.pixels + y * picture.stride;
    for (int x = 0; x < picture.size.width; ++x) {
      std::uint32_t& count = table_[pixel(row + 3 * x)];
      if (count == 0) seen_.push_back(pixel(row + 3 * x));
      if (count < std::numeric_limits<std::uint32_t>::max()) ++count;
    }
  }
}

void GifPalette::choose() {
  constexpr int rounds = 3;
  if (seen_.size() <= max_colors) {
    std::ranges::sort(seen_);
    for (const std::uint32_t color : seen_) colors_.push_back(color_of(color));
  } else {
    std::vector<Point> points = points_of(seen_, table_.get());
    std::vector<Vector> centres = cut_boxes(points, max_colors);
    for (int round = 0; round < rounds; ++round) settle(points, centres);
    for (const Vector& centre : centres) colors_.push_back(rounded(centre));
  }
  Mixer mixer(colors_);
  for (const std::uint32_t color : seen_) table_[color] = mixer.mix(color_of(color)).packed();
}

void GifPalette::map(const RgbView& picture, std::uint8_t* indices, std::ptrdiff_t stride) const {
  for (int y = 0; y < picture.size.height; ++y) {
    const std::uint8_t* const row = picture.pixels + y * picture.stride;
    const auto& line = thresholds[static_cast<std::size_t>(y % 8)];
    for (int x = 0; x < picture.size.width; ++x) {
      const std::uint32_t mix = table_[pixel(row + 3 * x)];
      const bool second = line[static_cast<std::size_t>(x % 8)] < mix >> 16;
      indices[y * stride + x] = static_cast<std::uint8_t>(second ? mix >> 8 : mix);
    }
  }
}

}  // namespace simreel
