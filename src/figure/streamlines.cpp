#include "figure/streamlines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace simreel {
namespace {

struct Place {
  double x, y;  // pixels of the picture, y downwards
};

class Tracer {
 public:
  Tracer(const HostField& x, const HostField& y, const Rectangle& place, double across)
      : x_(x),
        y_(y),
        place_(place),
        square_(static_cast<double>(std::max(place.width, place.height)) / across),
        columns_(std::max(1, static_cast<int>(place.width / square_ + 0.5))),
        rows_(std::max(1, static_cast<int>(place.height / square_ + 0.5))),
        owner_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), 0) {}

  Strokes lines() {
    // From a coarse lattice to a fine one, so that long lines come first.
    for (const int stride : {8, 4, 2, 1})
      for (int row = stride / 2; row < rows_; row += stride)
        for (int column = stride / 2; column < columns_; column += stride)
          if (owner_[index(column, row)] == 0) begin_at(column, row);
    return std::move(strokes_);
  }

 private:
  std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
  }
  std::optional<std::size_t> square_at(const Place& at) const {
    if (!(at.x >= 0 && at.y >= 0 && at.x < place_.width && at.y < place_.height)) return {};
    return index(std::min(static_cast<int>(at.x * columns_ / place_.width), columns_ - 1),
                 std::min(static_cast<int>(at.y * rows_ / place_.height), rows_ - 1));
  }

  // The direction of the flow; nullopt where it rests, in solid cells and outside.
  std::optional<Place> direction(const Place& at) const {
    if (!square_at(at)) return {};
    const double cx = x_.left + at.x * x_.width / place_.width,
                 cy = x_.below + (place_.height - at.y) * x_.height / place_.height;
    const double u = sampled(x_, cx, cy), v = sampled(y_, cx, cy), speed = std::sqrt(u * u + v * v);
    if (!(speed > 0) || !std::isfinite(speed)) return {};
    return Place{u / speed, -v / speed};
  }

  // Along the flow (sign 1) or against it, from a place in a square that this line owns.
  std::vector<Place> trace(Place at, double sign) {
    std::vector<Place> line;
    const double step = sign * square_ / 6;
    std::size_t square = *square_at(at);
    const std::size_t max = owner_.size() * 8;
    while (line.size() < max) {
      const auto first = direction(at);
      if (!first) break;
      const auto middle = direction({at.x + first->x * step / 2, at.y + first->y * step / 2});
      if (!middle) break;
      const Place next{at.x + middle->x * step, at.y + middle->y * step};
      const auto entered = square_at(next);
      if (!entered || !direction(next)) break;
      if (*entered != square) {
        if (owner_[*entered] != 0) break;
        owner_[*entered] = number_;
        square = *entered;
      }
      line.push_back(next);
      at = next;
    }
    return line;
  }

  void begin_at(int column, int row) {
    const Place start{(column + 0.5) * place_.width / columns_, (row + 0.5) * place_.height / rows_};
    if (!direction(start)) return;
    ++number_;
    owner_[index(column, row)] = number_;
    std::vector<Place> line = trace(start, -1);
    std::ranges::reverse(line);
    line.push_back(start);
    std::ranges::copy(trace(start, 1), std::back_inserter(line));
    constexpr std::size_t min = 12;  // points: two squares
    if (line.size() < min) {
      std::ranges::replace(owner_, number_, 0);
      return;
    }
    const auto point = [&](double px, double py) { return path_point(place_.x + px, place_.y + py); };
    Stroke stroke;
    for (const Place& at : line) stroke.points.push_back(point(at.x, at.y));
    strokes_.push_back(std::move(stroke));
    const Place& tip = line[line.size() / 2 + 1];
    const Place& tail = line[line.size() / 2 - 1];
    const double dx = tip.x - tail.x, dy = tip.y - tail.y, length = std::sqrt(dx * dx + dy * dy);
    if (!(length > 0)) return;
    const double head = 0.4 * square_, ux = dx / length * head, uy = dy / length * head;
    strokes_.push_back({{point(tip.x - ux - 0.42 * uy, tip.y - uy + 0.42 * ux), point(tip.x, tip.y),
                         point(tip.x - ux + 0.42 * uy, tip.y - uy - 0.42 * ux)},
                        true});
  }

  const HostField &x_, &y_;
  Rectangle place_;
  double square_;  // pixels
  int columns_, rows_;
  std::vector<int> owner_;  // of each square: the number of the line that passes it; 0: none
  int number_ = 0;
  Strokes strokes_;
};

}  // namespace

Strokes streamlines_of(const HostField& x, const HostField& y, const Rectangle& place, double across) {
  if (x.values.empty() || x.values.size() != y.values.size()) return {};
  return Tracer(x, y, place, across).lines();
}

}  // namespace simreel
