#include "figure/colorbar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace simreel {
namespace {

using Bar = FigureOptions::Bar;

bool is_vertical(const FigureOptions& options) {
  return options.colorbar != Bar::top && options.colorbar != Bar::bottom;
}

std::string group_name(const FigureOptions& options, int group) {
  const std::size_t index = static_cast<std::size_t>(group);
  return index < options.legend.size() ? options.legend[index] : fmt::format("{}", group);
}

// Of the numbers of a range that is found during the run: few, so that little room is left for them.
constexpr std::size_t unknown_characters = 4;

constexpr int pieces = 256;  // of a map along the bar

constexpr int max_groups = 16;  // with a block of its own

constexpr const char* phases[] = {"\u2212\u03C0", "0", "\u03C0"};  // in even distances

// The bar along its axis, from the low end.
class Drawing {
 public:
  Drawing(const FigureStyle& style, const FigureOptions& options, const ColorAxis& colors, const BarSize& size,
          const Rectangle& place, Marks& marks)
      : style_(style),
        options_(options),
        colors_(colors),
        marks_(marks),
        place_(place),
        vertical_(is_vertical(options)),
        room_(size.number_width) {
    length_ = vertical_ ? place.height : place.width;
    thickness_ = vertical_ ? place.width : place.height;
  }

  Ticks draw() {
    int from = 0, to = length_;
    const int full = 2 * thickness_, middle = thickness_;  // half pixels
    if (colors_.nan) {
      const int side = thickness_;
      add_polygon(*colors_.nan, {{0, 0}, {side, 0}, {side, full}, {0, full}}, true);
      add_label("NaN", side / 2, 0);
      // Beside it, half of two numbers must fit.
      from = side + (vertical_ ? style_.px(60) : room_ + style_.px(60));
    }
    if (!colors_.classes.empty()) return draw_blocks(colors_.classes, from, to);
    if (colors_.groups > 0) {
      std::vector<std::pair<std::string, Color>> groups;
      for (int i = 0; i < std::min(colors_.groups, max_groups); ++i)
        groups.emplace_back(group_name(options_, i), group_color(colors_, i));
      return draw_blocks(groups, from, to);
    }
    if (!colors_.hues.empty()) to -= add_phases(to);
    const int point = (thickness_ * 7 + 5) / 10;
    std::vector<At> outline;
    const int low = colors_.under ? from + point : from, high = colors_.over ? to - point : to;
    if (high - low < style_.px(150)) throw Misfit{"colorbar", "the picture is too small for a colour bar next to it"};
    if (colors_.under) add_polygon(*colors_.under, {{from, middle}, {low, 0}, {low, full}}, false);
    if (colors_.over) add_polygon(*colors_.over, {{to, middle}, {high, 0}, {high, full}}, false);
    add_map(low, high);
    if (colors_.under) outline.push_back({from, middle});
    outline.push_back({low, 0});
    outline.push_back({high, 0});
    if (colors_.over) outline.push_back({to, middle});
    outline.push_back({high, full});
    outline.push_back({low, full});
    add_outline(outline);
    if (!colors_.angles) return colors_.range ? draw_ticks(low, high) : Ticks();
    for (int i = 0; i < 3; ++i) add_tick(low + (high - low) * i / 2, phases[i]);
    return {};
  }

 private:
  // Along the bar, in pixels, and across it from the side of the picture, in half pixels.
  struct At {
    int along, across;
  };
  Spot spot(At at) const {
    const bool mirrored = options_.colorbar == Bar::left || options_.colorbar == Bar::top;
    const int across = (mirrored ? 2 * thickness_ - at.across : at.across) * fine / 2, along = at.along * fine;
    const int x = place_.x * fine, y = place_.y * fine;
    return vertical_ ? Spot{x + across, y + place_.height * fine - along} : Spot{x + along, y + across};
  }
  // `inner` and `outer` in pixels.
  Rectangle box(int from, int to, int inner, int outer) const {
    const Spot a = spot({from, 2 * inner}), b = spot({to, 2 * outer});
    const int x = std::min(a.x, b.x) / fine, y = std::min(a.y, b.y) / fine;
    return {x, y, std::max(a.x, b.x) / fine - x, std::max(a.y, b.y) / fine - y};
  }

  void add_polygon(Color color, const std::vector<At>& corners, bool outlined) {
    Shape shape;
    shape.color = color;
    for (const At at : corners) shape.points.push_back(spot(at));
    marks_.push_back({"colorbar", std::move(shape)});
    if (outlined) add_outline(corners);
  }
  void add_outline(std::vector<At> corners) {
    Shape shape;
    shape.filled = false;
    shape.width = style_.rule * fine * 3 / 4;
    shape.color = style_.faint;
    corners.push_back(corners.front());
    for (const At at : corners) shape.points.push_back(spot(at));
    marks_.push_back({"colorbar", std::move(shape)});
  }

  // In the middle of one of the pieces of the map.
  Color color_along(int piece) const {
    if (colors_.bands.empty()) return map_color(colors_.map, 2 * piece + 1, 2 * pieces);
    const auto next = std::ranges::upper_bound(colors_.bands, (piece + 0.5) / pieces);
    return colors_.map[static_cast<std::size_t>(std::max<std::ptrdiff_t>(next - colors_.bands.begin() - 1, 0))];
  }

  // Angles go across it.
  void add_hues(int low, int high) {
    constexpr int across = 64;
    Image image{box(low, high, 0, thickness_), vertical_ ? across : pieces, vertical_ ? pieces : across, {}};
    for (int y = 0; y < image.rows; ++y)
      for (int x = 0; x < image.columns; ++x) {
        const Color hue = map_color(colors_.hues, 2 * (vertical_ ? x : across - 1 - y) + 1, 2 * across);
        const Color light = color_along(vertical_ ? pieces - 1 - y : x);
        const auto part = [](int a, int b) { return static_cast<std::uint8_t>((a * b + 127) / 255); };
        image.pixels.push_back({part(light.r, hue.r), part(light.g, hue.g), part(light.b, hue.b), light.a});
      }
    marks_.push_back({"colorbar", std::move(image)});
  }

  // The names of angles across the bar, at its bright end, which they leave so much shorter.
  int add_phases(int end) {
    const int tick = style_.px(30), gap = std::max(2, style_.px(25));
    const int reach = vertical_ ? style_.capital : pixels_of(set_text(phases[0], style_.em).width);
    const int room = tick + gap + reach, bright = end - room;
    for (int i = 0; i < 3; ++i) {
      const GlyphRun run = set_text(phases[i], style_.em);
      const int across = (thickness_ - style_.rule) * i / 2;  // from the left, or from below
      const Rectangle mark =
          vertical_ ? Rectangle{place_.x + across, place_.y + room - tick, style_.rule, tick}
                    : Rectangle{place_.x + bright, place_.y + thickness_ - style_.rule - across, tick, style_.rule};
      marks_.push_back({"colorbar", box_shape(mark, style_.ink)});
      const Spot at = vertical_ ? Spot{mark.x - pixels_of(run.width) / 2, place_.y + style_.capital}
                                : Spot{mark.x + tick + gap, mark.y + style_.capital / 2};
      marks_.push_back({"colorbar", Label{run, {at.x * fine, at.y * fine}, {}, style_.ink}});
    }
    return room;
  }

  void add_map(int low, int high) {
    if (!colors_.hues.empty()) return add_hues(low, high);
    for (std::size_t i = 0; i + 1 < colors_.bands.size(); ++i) {
      const int from = low + rounded_to_int(colors_.bands[i] * (high - low));
      const int to = low + rounded_to_int(colors_.bands[i + 1] * (high - low));
      marks_.push_back({"colorbar", box_shape(box(from, to, 0, thickness_), colors_.map[i])});
    }
    if (!colors_.bands.empty()) return;
    Image image{box(low, high, 0, thickness_), vertical_ ? 1 : pieces, vertical_ ? pieces : 1, {}};
    for (int i = 0; i < pieces; ++i) image.pixels.push_back(color_along(vertical_ ? pieces - 1 - i : i));
    marks_.push_back({"colorbar", std::move(image)});
  }

  void add_label(const std::string& label, int along, int tick) {
    const GlyphRun run = set_text(label, style_.em);
    const int width = pixels_of(run.width), gap = std::max(2, style_.px(25));
    const Spot at = spot({along, 2 * (thickness_ + tick + gap)});
    int x = at.x / fine, y = at.y / fine;
    if (vertical_) {
      if (options_.colorbar == Bar::left) x -= width;
      y += style_.capital / 2;
    } else {
      x -= width / 2;
      if (options_.colorbar == Bar::bottom) y += style_.capital;
    }
    marks_.push_back({"colorbar", Label{run, {x * fine, y * fine}, {}, style_.ink}});
  }

  void add_tick(int along, const std::string& label) {
    const int tick = style_.px(30), start = along - style_.rule / 2;
    marks_.push_back(
        {"colorbar", box_shape(box(start, start + style_.rule, thickness_, thickness_ + tick), style_.ink)});
    add_label(label, along, tick);
  }

  Ticks draw_ticks(int low, int high) {
    const int length = high - low;
    // Numbers next to the bar that are too long for their room are not taken.
    const auto extent = [&](const std::string& label) {
      const int width = pixels_of(set_text(label, style_.em).width);
      return static_cast<double>(!vertical_ ? width : width > room_ ? length : style_.px(85));
    };
    const int least = length >= style_.px(1000) ? 4 : 3;
    const TickRoom room{static_cast<double>(length), static_cast<double>(style_.px(vertical_ ? 40 : 80)),
                        std::clamp(length / style_.px(vertical_ ? 300 : 550), least, 6), least,
                        colors_.range_is_fixed ? std::size_t{7} : unknown_characters};
    Ticks ticks;
    if (!colors_.levels.empty()) ticks = ticks_at(*colors_.range, colors_.levels, room, extent);
    if (ticks.ticks.empty()) ticks = find_ticks(*colors_.range, room, extent);
    if (ticks.ticks.size() < 2) {  // below 0, where nobody expected that: shorter ones
      TickRoom shorter = room;
      shorter.longest = unknown_characters - 1;
      ticks = find_ticks(*colors_.range, shorter, [&](const std::string& label) {
        return static_cast<double>(vertical_ ? style_.px(85) : pixels_of(set_text(label, style_.em).width));
      });
    }
    for (const Tick& tick : ticks.ticks) add_tick(low + rounded_to_int(tick.place * length), tick.label);
    return ticks;
  }

  Ticks draw_blocks(const std::vector<std::pair<std::string, Color>>& blocks, int from, int to) {
    const int count = static_cast<int>(blocks.size()), length = to - from;
    if (length / count < style_.px(vertical_ ? 110 : 60))
      throw Misfit{"colorbar", fmt::format("the picture is too small for a colour bar with so many {}",
                                           colors_.classes.empty() ? "groups" : "classes")};
    std::vector<int> needed;  // by the names below a horizontal bar
    int all = 0, longest = 0;
    for (const auto& [name, color] : blocks) {
      needed.push_back(vertical_ ? 0 : pixels_of(set_text(name, style_.em).width) + style_.px(80));
      all += needed.back();
      longest = std::max(longest, needed.back());
    }
    if (all > length)
      throw Misfit{"colorbar", "the names below the colour bar have no room; set colorbar = \"right\" in [figure]"};
    const bool even = longest <= length / count;  // otherwise each block is as wide as its name
    int a = from;
    for (int i = 0; i < count; ++i) {
      const int b = even            ? from + length * (i + 1) / count
                    : i + 1 < count ? a + needed[static_cast<std::size_t>(i)] + (length - all) / count
                                    : to;
      const auto& [name, color] = blocks[static_cast<std::size_t>(i)];
      marks_.push_back({"colorbar", box_shape(box(a, b, 0, thickness_), color)});
      add_label(name, (a + b) / 2, 0);
      a = b;
    }
    add_outline({{from, 0}, {to, 0}, {to, 2 * thickness_}, {from, 2 * thickness_}});
    return {};
  }

  const FigureStyle& style_;
  const FigureOptions& options_;
  const ColorAxis& colors_;
  Marks& marks_;
  Rectangle place_;
  bool vertical_;
  int length_ = 0, thickness_ = 0;
  int room_;  // for numbers beside a vertical bar, pixels
};

}  // namespace

BarSize measure_colorbar(const FigureStyle& style, const FigureOptions& options, const ColorAxis& colors, int plain,
                         int longest, int lines) {
  BarSize size;
  size.thickness = style.px(90);
  if (!colors.hues.empty())  // beside each other across it, half of the first and the last beyond it
    size.thickness =
        pixels_of(set_text(phases[0], style.em).width) + pixels_of(set_text(phases[1], style.em).width) + style.px(60);
  const auto widen = [&](const std::string& label) {
    size.number_width = std::max(size.number_width, pixels_of(set_text(label, style.em).width));
  };
  if (colors.shows_groups) {
    for (std::size_t i = 0; i < std::max<std::size_t>(options.legend.size(), 1); ++i)
      widen(group_name(options, static_cast<int>(i)));
    widen("10");
    size.label_width = plain;
  } else if (!colors.classes.empty()) {
    for (const auto& [name, color] : colors.classes) widen(name);
    size.label_width = plain;
  } else if (colors.angles) {
    for (const char* const name : phases) widen(name);
    size.label_width = plain;
  } else if (const std::optional<AxisRange>& range = colors.range_is_fixed ? colors.range : colors.expected) {
    // The ticks of any length of bar, or of its bands.
    const auto none = [](const std::string&) { return 0.0; };
    const std::size_t characters = colors.range_is_fixed ? TickRoom{}.longest : unknown_characters;
    for (const int wanted : {2, 3, 4, 5, 6})
      for (int least = 2; least <= 4 && colors.levels.empty(); ++least)
        for (const Tick& tick : find_ticks(*range, {1e6, 0, wanted, least, characters}, none).ticks) widen(tick.label);
    for (const Tick& tick : ticks_at(*range, colors.levels, {.length = 1e6}, none).ticks) widen(tick.label);
    size.label_width = longest;
  } else {
    widen("1000");
    if (colors.both_signs) widen("\u22120.00");
    if (colors.has_powers) widen("\u2212$10^{-30}$");
    size.label_width = longest;
  }
  if (colors.nan) widen("NaN");
  size.overhang = size.number_width / 2;
  if (is_vertical(options))
    size.depth = style.px(80) + size.thickness + style.px(55) + size.number_width +
                 (lines > 0 && size.label_width > 0 ? style.px(30) + lines * style.line : 0);
  else
    size.depth =
        style.px(60) + size.thickness + style.px(55) + style.line + (size.label_width > 0 ? lines * style.line : 0);
  return size;
}

Ticks draw_colorbar(const FigureStyle& style, const FigureOptions& options, const ColorAxis& colors,
                    const BarSize& size, const Rectangle& place, Marks& marks) {
  return Drawing(style, options, colors, size, place, marks).draw();
}

Color map_color(const std::vector<Color>& map, std::int64_t part, std::int64_t whole) {
  const std::int64_t last = static_cast<std::int64_t>(map.size()) - 1;
  const std::int64_t at = std::clamp<std::int64_t>(part, 0, whole) * last;
  const std::int64_t below = std::min(at / whole, last - 1), rest = at - below * whole;
  const Color a = map[static_cast<std::size_t>(below)], b = map[static_cast<std::size_t>(below) + 1];
  const auto mix = [&](int from, int to) {
    return static_cast<std::uint8_t>((from * (whole - rest) + to * rest + whole / 2) / whole);
  };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), mix(a.a, b.a)};
}

Color group_color(const ColorAxis& colors, int group) {
  if (!colors.range) return colors.map.front();
  const double place = colors.range->place(group);
  return map_color(colors.map, std::llround(std::clamp(place, 0.0, 1.0) * 65536), 65536);
}

}  // namespace simreel
