#include "figure/contour_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "figure/ticks.h"

namespace simreel {
namespace {

// "{:.1f} K": a number of this form between two texts.
struct Format {
  std::string before, after;
  char form = 'f';  // or e
  int decimals = 0;

  double shown(double value) const {
    const std::string text =
        form == 'e' ? fmt::format("{:.{}e}", value, decimals) : fmt::format("{:.{}f}", value, decimals);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    return read;
  }
  std::string number(double value) const {
    if (form == 'f') return fixed_number(value, decimals);
    const std::string text = fmt::format("{:.{}e}", value, decimals);
    const std::size_t e = text.find('e');
    std::string power = text.substr(e + 1);  // "+05"
    while (power.size() > 1 && (power[0] == '+' || power[0] == '0')) power.erase(0, 1);
    if (power.starts_with("-0")) power.erase(1, 1);
    return fmt::format("${}\\times10^{{{}}}$", text.substr(0, e), power);
  }
};

std::optional<Format> format_of(const std::string& text) {
  Format format;
  bool found = false;
  std::vector<TemplatePiece> pieces;
  try {
    pieces = split_template(text);
  } catch (const UsageError&) {
    return {};
  }
  for (const auto& [piece, braced] : pieces) {
    if (!braced) {
      (found ? format.after : format.before) = piece;
      continue;
    }
    const std::string how = piece.starts_with("value") ? piece.substr(5) : piece;
    const bool digits = how.size() == 4 && how.starts_with(":.") && how[2] >= '0' && how[2] <= '9';
    if (found || (how != ":d" && !(digits && (how[3] == 'f' || how[3] == 'e')))) return {};
    found = true;
    if (digits) format.decimals = how[2] - '0', format.form = how[3];
  }
  return found ? std::optional(format) : std::nullopt;
}

// A part of a line as far as it is drawn: places along it.
class Along {
 public:
  explicit Along(const std::vector<Path::Point>& line) : line_(line) {
    for (std::size_t i = 1; i < line.size(); ++i) {
      const double dx = line[i].x - line[i - 1].x, dy = line[i].y - line[i - 1].y;
      at_.push_back(at_.back() + std::sqrt(dx * dx + dy * dy));
    }
  }
  double length() const { return at_.back(); }
  Path::Point point(double distance) const {
    const std::size_t i = next(distance);
    const double t = (distance - at_[i - 1]) / (at_[i] - at_[i - 1]);
    const Path::Point a = line_[i - 1], b = line_[i];
    return {a.x + static_cast<std::int32_t>(std::floor((b.x - a.x) * t + 0.5)),
            a.y + static_cast<std::int32_t>(std::floor((b.y - a.y) * t + 0.5))};
  }
  // The line up to there, and from there on.
  std::vector<Path::Point> until(double distance) const {
    std::vector<Path::Point> part(line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(next(distance)));
    part.push_back(point(distance));
    return part;
  }
  std::vector<Path::Point> from(double distance) const {
    std::vector<Path::Point> part = {point(distance)};
    part.insert(part.end(), line_.begin() + static_cast<std::ptrdiff_t>(next(distance)), line_.end());
    return part;
  }

 private:
  // The first point of the line at this distance or beyond it.
  std::size_t next(double distance) const {
    const auto found = std::lower_bound(at_.begin() + 1, at_.end() - 1, distance);
    return static_cast<std::size_t>(found - at_.begin());
  }

  const std::vector<Path::Point>& line_;
  std::vector<double> at_ = {0};
};

bool meet(const Rectangle& a, const Rectangle& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

}  // namespace

std::vector<std::string> contour_texts(const FigureOptions& options, const std::vector<double>& values) {
  std::vector<std::string> texts = number_texts(values);
  if (options.label_format.empty()) return texts;
  const auto refuse = [&](const std::string& why) {
    throw UsageError("{}\"label_format\" in [figure] is {}{}", options.position_of("label_format").before(),
                     quote(options.label_format), why);
  };
  const std::optional<Format> format = format_of(options.label_format);
  if (!format)
    refuse(
        "; it is a text with the number in braces: \"{:.1f} K\" with one decimal, \"{:.2e}\" with an exponent, or "
        "\"{:d}\", a whole number");
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  double gap = sorted.empty() ? 0 : std::abs(sorted.front());
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (const double one = sorted[i] - sorted[i - 1]; one > 0 && (i == 1 || one < gap)) gap = one;
  for (std::size_t i = 0; i < values.size(); ++i) {
    constexpr double tolerance = 0.01;  // of the distance to the next value: 0.333 stands for a third
    const bool same = std::abs(format->shown(values[i]) - values[i]) <= tolerance * gap;
    if (!same && options.contour_count == 0)
      refuse(fmt::format(", which would write {} at the contour {}; give it more decimals", format->number(values[i]),
                         values[i]));
    texts[i] = fmt::format("{}{}{}", format->before, same ? format->number(values[i]) : texts[i], format->after);
  }
  return texts;
}

std::vector<std::vector<Path::Point>> labelled(const std::vector<std::vector<Path::Point>>& lines, const GlyphRun& run,
                                               const FigureStyle& style, bool dashed, const Rectangle& field,
                                               std::vector<Rectangle>& taken, Color color, Marks& labels) {
  std::vector<std::vector<Path::Point>> result;
  // With its gap. A minus beside dashes must not read as one of them.
  const double usual = pixels_of(run.width) + style.px(50), width = dashed ? usual + style.px(110) : usual,
               height = style.capital + style.px(50);
  for (const std::vector<Path::Point>& line : lines) {
    const Along along(line);
    const double gap = width * Path::per_pixel;
    struct Found {
      double start, straight;  // where the gap begins, and its chord by its length
      Path::Point from, to, middle;
      Rectangle box;
    };
    std::optional<Found> best;
    constexpr double straight_enough = 0.97, too_bent = 0.8;
    for (const double part : {0.5, 0.35, 0.65, 0.2, 0.8, 0.1, 0.9, 0.43, 0.57, 0.28, 0.72}) {
      if (along.length() < 3.5 * usual * Path::per_pixel || (best && best->straight >= straight_enough)) break;
      const double start = part * along.length() - gap / 2;
      if (start <= 0 || start + gap > along.length()) continue;
      const Path::Point a = along.point(start), b = along.point(start + gap);
      const double dx = std::abs(b.x - a.x) / 256.0, dy = std::abs(b.y - a.y) / 256.0,
                   chord = std::sqrt(dx * dx + dy * dy);
      if (chord < too_bent * width || (best && chord / width <= best->straight)) continue;
      const int half_x = static_cast<int>((width * dx + height * dy) / chord / 2) + 1,
                half_y = static_cast<int>((width * dy + height * dx) / chord / 2) + 1;
      const Path::Point arc = along.point(start + gap / 2);  // off the chord, in whose middle a label leaves its line
      const Path::Point middle{(a.x + b.x + 4 * arc.x) / 6, (a.y + b.y + 4 * arc.y) / 6};
      const Rectangle box{middle.x / Path::per_pixel - half_x, middle.y / Path::per_pixel - half_y, 2 * half_x,
                          2 * half_y};
      const bool fits = box.x >= field.x && box.y >= field.y && box.x + box.width <= field.x + field.width &&
                        box.y + box.height <= field.y + field.height;
      if (fits && std::ranges::none_of(taken, [&](const Rectangle& other) { return meet(box, other); }))
        best = {start, chord / width, a, b, middle, box};
    }
    if (!best) {
      result.push_back(line);
      continue;
    }
    taken.push_back(best->box);
    result.push_back(along.until(best->start));
    result.push_back(along.from(best->start + gap));
    if (best->from.x > best->to.x || (best->from.x == best->to.x && best->from.y < best->to.y))
      std::swap(best->from, best->to);
    const double dx = best->to.x - best->from.x, dy = best->to.y - best->from.y, chord = std::sqrt(dx * dx + dy * dy);
    const auto whole = [](double v) { return static_cast<std::int32_t>(std::floor(v + 0.5)); };
    const Direction direction{whole(dx / chord * Direction::unit), whole(dy / chord * Direction::unit)};
    constexpr int finer = Path::per_pixel / fine;
    const Spot middle{best->middle.x / finer, best->middle.y / finer};
    const std::int32_t back = -run.width / 2, down = style.capital * fine / 2;
    labels.push_back({"contours", Label{run,
                                        {middle.x + direction.x_at(back, down), middle.y + direction.y_at(back, down)},
                                        direction,
                                        color,
                                        0.5}});
  }
  return result;
}

}  // namespace simreel
