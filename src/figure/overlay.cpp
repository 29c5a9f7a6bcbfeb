#include "figure/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/limits.h"
#include "base/text.h"
#include "figure/figure.h"
#include "figure/space.h"

namespace simreel {
namespace {

using Kind = OverlayOptions::Kind;

[[noreturn]] void refuse(const OverlayOptions& overlay, const char* key, const std::string& why) {
  throw UsageError("{}\"{}\" in [[overlay]] {}", overlay.position_of(key).before(), key, why);
}

Color faded(Color color, int opacity) {
  color.a = static_cast<std::uint8_t>((color.a * opacity + 127) / 255);
  return color;
}

std::int32_t fine_of(double pixels) { return static_cast<std::int32_t>(std::floor(pixels * fine + 0.5)); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

std::uint64_t count_of(Size size) {
  return static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
}

// How large an image is drawn.
Size drawn_size(const OverlayOptions& overlay, int picture_height, int dpi) {
  Size size = overlay.pixels->size;
  if (!overlay.height) return size;
  const double width = size.width, height = size.height;
  size.height = std::max(1, rounded_to_int(overlay.height->pixels(picture_height, dpi)));
  size.width = std::max(1, rounded_to_int(width * size.height / height));
  return size;
}

Rectangle common(const Rectangle& a, const Rectangle& b) {
  const int x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::min(a.x + a.width, b.x + b.width) - x, std::min(a.y + a.height, b.y + b.height) - y};
}

// The part of a polygon where `axis` of a place is at most `limit`, times `sign`.
std::vector<Spot> cut(const std::vector<Spot>& points, std::int32_t Spot::*axis, int sign, std::int32_t limit) {
  std::vector<Spot> kept;
  const auto beyond = [&](const Spot& spot) { return sign * (spot.*axis - limit); };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Spot &a = points[i], &b = points[(i + 1) % points.size()];
    const double from = beyond(a), to = beyond(b);
    if (from <= 0) kept.push_back(a);
    if ((from <= 0) == (to <= 0)) continue;
    const double part = from / (from - to);
    kept.push_back({a.x + rounded_to_int(part * (b.x - a.x)), a.y + rounded_to_int(part * (b.y - a.y))});
    kept.back().*axis = limit;
  }
  return kept;
}

}  // namespace

Overlays::Overlays(const Executor& executor, const ViewOptions& view, const DrawContext& stage, const Viewport& picture,
                   const Rectangle& field, const std::vector<Rectangle>& labels)
    : executor_(executor),
      stage_(stage),
      size_(picture.canvas),
      picture_(picture.area),
      field_(field),
      seen_(common(picture_, field)) {
  const FigureStyle style = style_over_picture(view, stage.figure);
  const int dpi = stage.figure.options.dpi;
  const CameraOptions& camera = stage.camera;
  const bool has_axes = camera.projection == Projection::orthographic && camera.keys.empty() && camera.pose.orbit == 0;
  const std::int64_t most = most_frames / std::max<std::int64_t>(1, std::ssize(stage.figure.overlays));
  for (const OverlayOptions& options : stage.figure.overlays) {
    Item item;
    item.options = options;
    const bool text = options.kind == Kind::text;
    item.color = options.color.value_or(style.ink);
    item.outline = options.color ? Color{0, 0, 0, 0} : style.plate;
    item.background = options.background.value_or(text ? style.plate : Color{0, 0, 0, 0});
    item.size = fine_of(std::max(5.0, options.font_size.pixels(size_.height, dpi)));
    item.line_width = std::max(fine, fine_of(options.line_width.pixels(size_.height, dpi)));
    const bool shape = options.kind == Kind::arrow || options.kind == Kind::box;
    if (text) lay_out_text(item);
    if (options.kind == Kind::image) lay_out_image(item);
    if (options.position && stage.bodies == 0 && (stage.figure.grid[0] <= 0 || stage.figure.grid[1] <= 0))
      refuse(options, "position", "needs coordinates, and this picture has none; write at = \"upper left\"");
    if (options.position && stage.bodies > 0 && (stage.camera.fit || stage.camera.follow))
      refuse(options, "position",
             "needs a camera whose place the scene says; leave out fit and follow in [camera], or write at = \"upper "
             "left\" instead");
    if (options.follow && *options.follow >= stage.bodies)
      refuse(options, "follow",
             stage.bodies == 0 ? std::string("needs bodies, and this picture has none; leave it out")
                               : fmt::format("is body {}, and there are {}, from 0 to {}", *options.follow,
                                             stage.bodies, stage.bodies - 1));
    const int margin = !options.in_the_picture() ? 0 : static_cast<int>(options.margin.pixels(size_.height, dpi));
    if (item.width + 2 * margin > picture_.width || item.height + 2 * margin > picture_.height)
      refuse(options, text ? "text" : "image",
             fmt::format("is {} x {} pixels with its margin, and the picture has {} x {}; {}", item.width + 2 * margin,
                         item.height + 2 * margin, picture_.width, picture_.height,
                         text ? "write less, or a smaller font_size" : "set a smaller height"));
    if (stage.bodies > 0 && !has_axes && !camera_) camera_.emplace(camera, stage.animation);
    if (!shape && options.in_the_picture()) keep_clear(item, labels);
    if (options.position) seek(item, most);
    items_.push_back(std::move(item));
  }
  for (const Item& item : items_)
    if (item.options.pixels && item.options.pixels->read) item.options.pixels->pixels = {};
}

// Texts give way to labels of the figure and to earlier texts of the same time, images to labels and images.
void Overlays::keep_clear(Item& item, const std::vector<Rectangle>& labels) {
  const OverlayOptions& options = item.options;
  std::vector<Rectangle> taken = labels;
  for (const Item& other : items_) {
    const OverlayOptions& o = other.options;
    const bool together = o.from < options.until.value_or(HUGE_VAL) && options.from < o.until.value_or(HUGE_VAL);
    if (o.kind != options.kind || !o.in_the_picture() || !together) continue;
    const Spot at = *corner_of(other, 0);
    taken.push_back({at.x, at.y, other.width, other.height});
  }
  const int gap = std::max(1, item.size / fine / 5), way = options.row() == 2 ? -1 : 1;
  const auto inside = [&](int y) { return y >= picture_.y && y + item.height <= picture_.y + picture_.height; };
  for (std::size_t turn = 0; turn <= taken.size(); ++turn) {
    const Spot at = *corner_of(item, 0);
    const auto meets = std::ranges::find_if(taken, [&](const Rectangle& other) {
      const Rectangle both = common({at.x, at.y, item.width, item.height}, other);
      return both.width > 0 && both.height > 0;
    });
    if (meets == taken.end()) return;
    const int y = way > 0 ? meets->y + meets->height + gap : meets->y - item.height - gap;
    if (inside(y)) {
      item.away += y - at.y;
      continue;
    }
    item.away = 0;
    warnings_.push_back(
        fmt::format("{}this [[overlay]] lies over other labels, and the picture has no room {} them; "
                    "set another \"at\"",
                    options.position_of("at").before(), way > 0 ? "below" : "above"));
    return;
  }
}

// A place that no frame shows; of a long video `most` frames in equal distances are looked at.
void Overlays::seek(const Item& item, std::int64_t most) {
  const bool moves = camera_ || !stage_.figure.keys.empty();
  const double fps = stage_.animation.fps(), all = static_cast<double>(stage_.animation.frames - 1);
  const auto frame_at = [&](double seconds) {
    return static_cast<std::int64_t>(std::clamp(std::floor(seconds * fps), 0.0, all));
  };
  const std::int64_t first = frame_at(item.options.from), last = frame_at(item.options.until.value_or(HUGE_VAL));
  bool shown = false;
  const bool seen = any_frame(first, last + 1, most, [&](std::int64_t frame) {
    if ((shown && !moves) || item.options.opacity_at(frame, fps) == 0) return false;
    shown = true;
    Marks marks;
    if (item.options.to) add_shape(item, 255, frame, marks);
    return !marks.empty() || (!item.options.to && corner_of(item, frame));
  });
  if (seen) return;
  if (!shown) return;
  const auto& [x, y] = *item.options.position;
  warnings_.push_back(fmt::format(
      "{}\"position\" in [[overlay]]: [{:.6g}, {:.6g}]{} is not in the picture{}, so nothing is drawn there",
      item.options.position_of("position").before(), x, y,
      item.options.to ? fmt::format(" to [{:.6g}, {:.6g}]", (*item.options.to)[0], (*item.options.to)[1]) : "",
      !moves                ? ""
      : last - first < most ? " of any frame"
                            : fmt::format(" of any of {} frames that were tried", most)));
}

std::size_t Overlays::memory_bytes(const ViewOptions& view, const DrawContext& stage) {
  if (stage.figure.overlays.empty()) return 0;
  std::uint64_t pixels = count_of(view.size);
  std::map<const OverlayImage*, std::uint64_t> images;
  for (const OverlayOptions& overlay : stage.figure.overlays) {
    if (!overlay.pixels) continue;
    images[overlay.pixels.get()] = count_of(overlay.pixels->size);
    // As it is kept, and as it is drawn.
    pixels += 2 * count_of(drawn_size(overlay, view.size.height, stage.figure.options.dpi));
  }
  for (const auto& [image, own] : images) pixels += own;
  return pixels * sizeof(Color);
}

bool Overlays::wants_diagnostics() const {
  return std::ranges::any_of(items_, [](const Item& item) {
    return std::ranges::any_of(item.texts, [](const TimeText& text) { return text.names_diagnostics(); });
  });
}

std::vector<std::size_t> Overlays::followed() const {
  std::vector<std::size_t> bodies;
  for (const Item& item : items_)
    if (item.options.follow) bodies.push_back(*item.options.follow);
  return bodies;
}

void Overlays::set_places(const std::vector<ScreenPoint>& places) {
  auto place = places.begin();
  for (Item& item : items_)
    if (item.options.follow) item.body = spot_of(*place++);
}

void Overlays::lay_out_text(Item& item) const {
  try {
    for (const std::string& line : lines_of(item.options.text)) {
      item.texts.emplace_back(stage_, line);
      item.lines.push_back(time_line(item.texts.back(), item.size));
    }
  } catch (const UsageError& error) {
    throw UsageError("{}\"text\" in [[overlay]]: {}", item.options.position_of("text").before(), error.what());
  }
  for (const TimeLine& line : item.lines) item.width = std::max(item.width, line.width);
  item.pad = item.background.a > 0 ? rounded(item.size * 2 / 5) : 0;
  item.width += 2 * item.pad;
  item.height = static_cast<int>(item.lines.size()) * pixels_of(item.size * 5 / 4) + 2 * item.pad;
  item.height -= pixels_of(item.size / 4);
}

void Overlays::lay_out_image(Item& item) {
  OverlayImage& image = *item.options.pixels;
  const Size size = drawn_size(item.options, size_.height, stage_.figure.options.dpi);
  item.width = size.width, item.height = size.height;
  if (item.width > picture_.width || item.height > picture_.height) return;  // and is refused
  const auto count = [&](std::uint64_t& all, Size more) {
    if (all += count_of(more); all > limits::scene_image_pixels)
      refuse(item.options, "image",
             fmt::format("is one too many: with it the images of overlays have {} pixels {}; the limit is {}", all,
                         &all == &drawn_pixels_ ? "in the picture" : "in their files, once for each size",
                         limits::scene_image_pixels));
  };
  count(drawn_pixels_, size);
  std::shared_ptr<const std::vector<Color>>& drawn = image.drawn[{size.width, size.height}];
  if (!drawn) {
    count(image_pixels_, image.size);
    if (image.pixels.empty()) image.pixels = image.read();
    if (image.pixels.size() != count_of(image.size)) refuse(item.options, "image", "has changed since it was read");
    drawn = std::make_shared<std::vector<Color>>(scaled(image.pixels, image.size, size));
  }
  item.pixels = drawn;
}

std::optional<Spot> Overlays::spot_of(const ScreenPoint& point) const {
  constexpr double far = 30'000;  // beyond any picture, and inside the numbers of a path
  if (!point.visible() || !(std::abs(point.x) < far && std::abs(point.y) < far)) return {};
  return Spot{field_.x * fine + fine_of(point.x), field_.y * fine + fine_of(point.y)};
}

std::optional<Spot> Overlays::spot_of(const std::array<double, 2>& at, std::int64_t frame) const {
  if (camera_) {
    const double cell = stage_.figure.options.units.cell.value_or(1);
    const Lens lens = camera_->lens(frame, {field_.width, field_.height});
    return spot_of(lens(at[0] / cell, at[1] / cell, 0));
  }
  const FigureSpace space(stage_);
  const AxisRange x = space.x(field_, frame), y = space.y(field_, frame);
  const auto part = [](const AxisRange& axis, double value) {
    return std::clamp((value - axis.low) / (axis.high - axis.low), -10.0, 10.0);
  };
  return Spot{field_.x * fine + fine_of(part(x, at[0]) * field_.width),
              field_.y * fine + fine_of((1 - part(y, at[1])) * field_.height)};
}

// The upper left one of a text or an image, in whole pixels.
std::optional<Spot> Overlays::corner_of(const Item& item, std::int64_t frame) const {
  const OverlayOptions& options = item.options;
  const int margin = rounded_to_int(options.margin.pixels(size_.height, stage_.figure.options.dpi));
  const int column = options.column(), row = options.row();
  if (options.in_the_picture())
    return Spot{picture_.x + (column == 0   ? margin
                              : column == 1 ? (picture_.width - item.width) / 2
                                            : picture_.width - item.width - margin),
                picture_.y + item.away +
                    (row == 0   ? margin
                     : row == 1 ? (picture_.height - item.height) / 2
                                : picture_.height - item.height - margin)};
  const std::optional<Spot> at = options.follow ? item.body : spot_of(*options.position, frame);
  if (!at) return {};
  const int x = rounded(at->x), y = rounded(at->y);
  if (x < seen_.x || y < seen_.y || x > seen_.x + seen_.width || y > seen_.y + seen_.height) return {};
  // Near an edge it moves inwards, so that it can be read.
  return Spot{std::clamp(column == 0   ? x - item.width - margin
                         : column == 1 ? x - item.width / 2
                                       : x + margin,
                         picture_.x, picture_.x + picture_.width - item.width),
              std::clamp(row == 0   ? y - item.height - margin
                         : row == 1 ? y - item.height / 2
                                    : y + margin,
                         picture_.y, picture_.y + picture_.height - item.height)};
}

// Half of a line along the edge lies beyond it.
void Overlays::add_clipped(Shape shape, const Item& item, Marks& marks) const {
  if (shape.color.a == 0) return;
  const std::int32_t more = pixels_of(item.line_width / 2);
  std::vector<Spot>& points = shape.points;
  points = cut(points, &Spot::x, -1, (seen_.x - more) * fine);
  points = cut(points, &Spot::y, -1, (seen_.y - more) * fine);
  points = cut(points, &Spot::x, 1, (seen_.x + seen_.width + more) * fine);
  points = cut(points, &Spot::y, 1, (seen_.y + seen_.height + more) * fine);
  if (!points.empty()) marks.push_back({"overlay", std::move(shape)});
}

void Overlays::add_text(const Item& item, Spot corner, int opacity, const FrameFacts& facts, Marks& marks) const {
  if (item.background.a > 0)
    marks.push_back(
        {"overlay", box_shape({corner.x, corner.y, item.width, item.height}, faded(item.background, opacity))});
  const Color color = faded(item.color, opacity);
  int baseline = corner.y + item.pad + rounded(item.size * 22 / 25);  // letters with and without parts below it
  for (std::size_t i = 0; i < item.lines.size(); ++i) {
    std::vector<Label> labels;
    int x = 0;
    for (const TimeLine::Piece& piece : item.lines[i].pieces) {
      if (!piece.run.items.empty()) labels.push_back({piece.run, {x * fine, baseline * fine}, {}, color});
      x += pixels_of(piece.run.width);
      if (!piece.has_number) continue;
      const std::string number = item.texts[i].write(piece.number, facts);
      const int room = piece.number.loose ? width_of(number, piece.number, item.size) : piece.number_width;
      labels.push_back({number_run(number, item.size, room), {x * fine, baseline * fine}, {}, color});
      x += room;
    }
    const int free = item.width - 2 * item.pad - x, left = corner.x + item.pad + item.options.column() * free / 2;
    for (Label& label : labels) {
      label.origin.x += left * fine;
      marks.push_back({"overlay", std::move(label)});
    }
    baseline += pixels_of(item.size * 5 / 4);
  }
}

void Overlays::add_shape(const Item& item, int opacity, std::int64_t frame, Marks& marks) const {
  const std::optional<Spot> from = spot_of(*item.options.position, frame), to = spot_of(*item.options.to, frame);
  if (!from || !to) return;
  // An outline of the other brightness, so that it can be seen on any picture.
  const std::int32_t more = std::max(fine, rounded(item.line_width / 3) * fine);
  const std::array<std::pair<std::int32_t, Color>, 2> coats = {std::pair{more, faded(item.outline, opacity)},
                                                               std::pair{0, faded(item.color, opacity)}};
  if (item.options.kind == Kind::box) {
    // In whole pixels, so that all sides are alike. The line is one polygon with a hole.
    const auto whole = [](std::int32_t at) { return rounded(at) * fine; };
    const std::int32_t width = whole(item.line_width);
    const auto [left, right] = std::minmax(from->x, to->x);
    const auto [top, bottom] = std::minmax(from->y, to->y);
    const Spot o0{whole(left - width / 2), whole(top - width / 2)};
    const Spot o1{std::max(whole(right + width / 2), o0.x + 2 * width),
                  std::max(whole(bottom + width / 2), o0.y + 2 * width)};
    const Spot i0{o0.x + width, o0.y + width}, i1{o1.x - width, o1.y - width};
    add_clipped({{i0, {i1.x, i0.y}, i1, {i0.x, i1.y}}, true, 0, faded(item.background, opacity)}, item, marks);
    for (const auto& [g, color] : coats) {
      const Spot p0{o0.x - g, o0.y - g}, p1{o1.x + g, o1.y + g};
      const Spot q0{std::min(i0.x + g, i1.x), std::min(i0.y + g, i1.y)},
          q1{std::max(i1.x - g, q0.x), std::max(i1.y - g, q0.y)};
      add_clipped({{p0, {p1.x, p0.y}, p1, {p0.x, p1.y}, p0, q0, {q0.x, q1.y}, q1, {q1.x, q0.y}, q0}, true, 0, color},
                  item, marks);
    }
    return;
  }
  // One polygon: the shaft, and a head that is five lines wide.
  const double dx = to->x - from->x, dy = to->y - from->y, length = std::sqrt(dx * dx + dy * dy);
  if (!(length > 0)) return;
  const double ux = dx / length, uy = dy / length, half = item.line_width / 2.0;
  const double head = std::min(5.0 * item.line_width, 0.6 * length), side = 0.5 * head, neck = length - head;
  const auto point = [&](double along, double across) {
    return Spot{rounded_to_int(from->x + ux * along - uy * across), rounded_to_int(from->y + uy * along + ux * across)};
  };
  for (const auto& [g, color] : coats) {
    const double h = half + g, s = side + 1.62 * g, n = neck - g;  // the sides of the head rise by one half
    add_clipped({{point(-g, -h), point(n, -h), point(n, -s), point(length + 2.24 * g, 0), point(n, s), point(n, h),
                  point(-g, h)},
                 true,
                 0,
                 color},
                item, marks);
  }
}

Marks Overlays::marks(const FrameFacts& facts) const {
  Marks marks;
  for (const Item& item : items_) {
    const int opacity = item.options.opacity_at(facts.frame + facts.held, stage_.animation.fps());
    if (opacity == 0) continue;
    if (item.options.kind == Kind::arrow || item.options.kind == Kind::box) {
      add_shape(item, opacity, facts.frame, marks);
      continue;
    }
    const std::optional<Spot> corner = corner_of(item, facts.frame);
    if (!corner) continue;
    if (item.options.kind == Kind::text) {
      add_text(item, *corner, opacity, facts, marks);
      continue;
    }
    Image image{{corner->x, corner->y, item.width, item.height}, item.width, item.height, *item.pixels};
    if (opacity < 255)
      for (Color& pixel : image.pixels) pixel = faded(pixel, opacity);
    marks.push_back({"overlay", std::move(image)});
  }
  return marks;
}

// Frames with the same show the same.
std::string Overlays::state_of(const FrameFacts& facts) const {
  std::string state;
  const auto add_spot = [&](const std::optional<Spot>& spot) {
    state += spot ? fmt::format("{},{};", spot->x, spot->y) : "-;";
  };
  for (const Item& item : items_) {
    const int opacity = item.options.opacity_at(facts.frame + facts.held, stage_.animation.fps());
    state += fmt::format("{};", opacity);
    if (opacity == 0) continue;
    if (item.options.follow) add_spot(item.body);
    if (item.options.position) add_spot(spot_of(*item.options.position, facts.frame));
    if (item.options.to) add_spot(spot_of(*item.options.to, facts.frame));
    for (const TimeText& text : item.texts)
      for (const TimePart& part : text.parts())
        if (part.has_number) state += text.write(part.number, facts) + ";";
  }
  return state;
}

void Overlays::draw(const FrameFacts& facts, const Canvas<Color>& shallow, const Canvas<DeepColor>& deep) {
  if (std::string state = state_of(facts); shown_ != state) {
    const Spans spans = spans_of(paint_marks(marks(facts), size_));
    span_count_ = static_cast<int>(spans.spans.size());
    // Buffers grow and never shrink, so most frames allocate nothing.
    if (spans.spans.size() > spans_.size()) spans_ = Buffer<OverlaySpan>(executor_, spans.spans.size());
    if (spans.colors.size() > colors_.size()) colors_ = Buffer<Color>(executor_, spans.colors.size());
    if (!spans.spans.empty()) {
      executor_.copy(spans_.data(), spans.spans.data(), spans.spans.size() * sizeof(OverlaySpan));
      executor_.copy(colors_.data(), spans.colors.data(), spans.colors.size() * sizeof(Color));
    }
    shown_ = std::move(state);
  }
  if (span_count_ == 0) return;
  const OverlayBase all{{0, 0, size_.width, size_.height}, {}};
  if (shallow.pixels) blend_spans(executor_, spans_.data(), span_count_, colors_.data(), all, shallow);
  if (deep.pixels) blend_spans(executor_, spans_.data(), span_count_, colors_.data(), all, deep);
}

}  // namespace simreel
