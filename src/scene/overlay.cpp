#include "scene/overlay.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "scene/reads.h"

namespace simreel {
namespace {

using Kind = OverlayOptions::Kind;

// "3%", "18px" or "7pt".
void read_length(Table& table, const char* key, PictureLength& length, double max_share, KeyText documentation) {
  std::string text;
  read_quantity(table, key, text, documentation);
  if (!table.has(key)) return;
  const auto [value, unit] = quantity_of(text);
  if (unit == "%" && value >= 0 && value <= 100 * max_share)
    length = {PictureLength::Unit::share, value / 100};
  else if (unit == "px" && value >= 0 && value <= 16384)
    length = {PictureLength::Unit::pixels, value};
  else if (unit == "pt" && value >= 0 && value <= 1000)
    length = {PictureLength::Unit::points, value};
  else
    table.fail(
        key,
        "\"{}\" in [[overlay]] is {}; it is a share of the picture's height up to {:g}%, as in \"{:g}%\", pixels, "
        "as in \"18px\", or points at the dpi of [figure], as in \"7pt\"",
        key, written_quantity(text), 100 * max_share, length.value > 0 ? 100 * length.value : 10);
}

// The text with the values of the scene's keys, which are the names in braces that have a dot.
std::string with_keys(const Table& table, const Table& root, std::string text) {
  std::vector<TemplatePiece> pieces;
  try {
    pieces = split_template(text);
  } catch (const UsageError& error) {
    table.fail("text", "\"text\" in [[overlay]]: {}", error.what());
  }
  for (const auto& [piece, braced] : pieces) {
    if (!braced || piece.find('.') >= std::min(piece.find(':'), piece.size())) continue;
    const std::optional<std::string> value = root.text_of(piece);
    if (!value)
      table.fail(
          "text",
          "\"text\" in [[overlay]] names {}, which the scene does not give as a number or a text; braces hold a key of "
          "the scene, as in \"Re = {{solver.reynolds}}\", or {{time}}, {{step}}, {{frame}}, {{date}} or a diagnostic",
          quote(piece));
    const std::string name = "{" + piece + "}";
    text.replace(text.find(name), name.size(), *value);
  }
  return text;
}

int given_kinds(const Table& table) { return table.has("text") + table.has("image") + table.has("shape"); }

void read_what(Table& table, const Table& root, OverlayOptions& overlay,
               const std::function<std::string(const std::string&)>& resolve) {
  table.read("text", overlay.text,
             {"what is written; braces hold {time}, {step}, {frame}, {date} or a diagnostic as in [figure] time, or a "
              "key of the scene: \"Re = {solver.reynolds}\"; \\n begins a line",
              "none", "\"t = {time:.1f}\""});
  std::string image;
  table.read(
      "image", image,
      {"a picture, as a PNG with transparency; its path starts at the folder of the scene", "none", "\"logo.png\""});
  int shape = 0;
  table.choose("shape", shape, OverlayOptions::shape_names,
               {"from `position` to `to`: an arrow, which points at `to`, or a box with these corners", "none"});
  if (given_kinds(table) > 1)
    table.fail(table.has("shape") ? "shape" : "image",
               "an [[overlay]] has one of \"text\", \"image\" and \"shape\"; write an [[overlay]] for each");
  if (table.has("shape")) overlay.kind = shape == 0 ? Kind::arrow : Kind::box;
  if (table.has("image")) {
    overlay.kind = Kind::image;
    if (image.empty()) table.fail("image", "\"image\" in [[overlay]] is empty");
    overlay.image = resolve(image);
  }
  if (table.has("text") && overlay.text.empty()) table.fail("text", "\"text\" in [[overlay]] is empty");
  if (table.has("text")) overlay.text = with_keys(table, root, overlay.text);
}

void read_place(Table& table, OverlayOptions& overlay) {
  const bool shape = overlay.kind == Kind::arrow || overlay.kind == Kind::box;
  table.read("position", overlay.position,
             {"a place in the coordinates of the axes: in cells, add 0.5 to the position of an obstacle; bodies in "
              "perspective: x and y of the world where z is 0; of a figure: mm from the lower left corner of the page",
              "none: `at` is a place of the picture", "[120, 80]"});
  table.read("to", overlay.to, {"the other end of a shape, likewise", "required by shapes", "[160, 90]"});
  double body = 0;
  PlacedText name;
  const bool named = table.read_number_or_text(
      "follow", body, name, "the name of a body",
      {"texts and images: the body next to which it stands, by its number from 0 or its name", "none", "3"},
      Range::between(0, 1 << 30));
  if (named) overlay.follow_name = name.text;
  if (table.has("follow")) overlay.follow = static_cast<std::size_t>(body);
  if (body != std::floor(body))
    table.fail("follow", "\"follow\" in [[overlay]] is {}; bodies are counted 0, 1, 2", body);
  if (overlay.follow && (shape || overlay.position))
    table.fail("follow", "\"follow\" in [[overlay]] is for texts and images without a \"position\"; leave one out");
  if (overlay.position) overlay.at = OverlayOptions::At::center;
  if (overlay.follow) overlay.at = OverlayOptions::At::right;
  table.choose(
      "at", overlay.at, OverlayOptions::at_names,
      {"texts and images: where in the picture (of a figure: in the page, or in all of the frame of its video); with "
       "`position` or `follow`, on which side of it",
       "\"upper left\"; with `position` \"center\"; with `follow` \"right\""});
  read_length(table, "margin", overlay.margin, 1,
              {"texts and images: from the edge of the picture, from `position` or from the body", "3% of the height",
               "\"20px\""});
  for (const char* key : {"position", "to"})
    if (shape && !table.has(key))
      table.fail("shape", "a shape in [[overlay]] goes from \"position\" to \"to\"; write {} = [x, y]", key);
  if (shape && overlay.position == overlay.to)
    table.fail("to", "\"to\" in [[overlay]] is the place of \"position\", so the shape has no length");
  if (!shape && overlay.to)
    table.fail("to", "\"to\" in [[overlay]] is the other end of a shape; leave it out, or set shape = \"arrow\"");
  for (const char* key : {"at", "margin"})
    if (shape && table.has(key))
      table.fail(key, "\"{}\" in [[overlay]] is for texts and images; a shape has \"position\" and \"to\"", key);
}

void read_look(Table& table, OverlayOptions& overlay) {
  read_length(table, "font_size", overlay.font_size, 0.5,
              {"texts: font size: a share of the height, pixels, or points", "3.5%", "\"28px\""});
  PictureLength height{PictureLength::Unit::share, 0.1};
  read_length(table, "height", height, 1,
              {"images: as \"12%\" of the picture's height, or pixels; the width follows", "the image's own pixels",
               "\"12%\""});
  if (table.has("height")) overlay.height = height;
  read_length(table, "line_width", overlay.line_width, 0.2,
              {"shapes: a share of the height, pixels, or points", "0.4%", "\"3px\""});
  table.read("color", overlay.color,
             {"colour of the text or the lines", "light on dark pictures, dark on light ones", "\"#ffd060\""});
  table.read("background", overlay.background,
             {"texts: colour of a plate behind them; boxes: of their inside", "a translucent plate; boxes: none",
              "\"#00000000\""});
  table.read("opacity", overlay.opacity, "opacity of the whole overlay", Range::between(0, 1));
  const auto refuse = [&](const char* key, bool fits, const char* owner) {
    if (table.has(key) && !fits) table.fail(key, "\"{}\" in [[overlay]] is for {}; leave it out", key, owner);
  };
  const Kind kind = overlay.kind;
  refuse("font_size", kind == Kind::text, "texts");
  refuse("height", kind == Kind::image, "images");
  refuse("line_width", kind == Kind::arrow || kind == Kind::box, "shapes");
  refuse("color", kind != Kind::image, "texts and shapes");
  refuse("background", kind == Kind::text || kind == Kind::box, "texts and boxes");
}

void read_times(Table& table, OverlayOptions& overlay, double seconds) {
  table.read("from", overlay.from,
             {"when it appears, seconds of video; held pictures count", "the start, without a fade", "0"},
             Range::at_least(0));
  table.read("until", overlay.until, {"when it vanishes, seconds of video", "the end", "4"}, Range::above(0));
  table.read(
      "fade", overlay.fade,
      "how long it takes to appear at `from`, also at 0, and to vanish at `until`, seconds of video; nothing for "
      "one that is left out",
      Range::at_least(0));
  if (overlay.until && !(*overlay.until > overlay.from))
    table.fail("until", "\"until\" in [[overlay]] is {} s; it must be after \"from\", {} s", *overlay.until,
               overlay.from);
  const auto [from, end] = told_apart(overlay.from, seconds);
  if (overlay.from >= seconds)
    table.fail("from",
               "\"from\" in [[overlay]] is {} s, but the video ends at {} s; take an earlier time, or more "
               "\"frames\" or a longer \"hold_last\" in [animation]",
               from, end);
}

}  // namespace

bool OverlayOptions::has_numbers() const { return std::ranges::any_of(split_template(text), &TemplatePiece::braced); }

int OverlayOptions::opacity_at(std::int64_t frame, double fps) const {
  constexpr double slack = 1e-9;
  const double begin = static_cast<double>(frame) / fps, middle = (static_cast<double>(frame) + 0.5) / fps;
  if (begin < from - slack || (until && begin >= *until - slack)) return 0;
  double part = opacity;
  // In the middle of a frame's time, so that the first and the last frame of a fade are alike, and neither is empty.
  if (fade > 0 && keys.contains("from")) part *= std::min(1.0, (middle - from) / fade);
  if (fade > 0 && until) part *= std::min(1.0, (*until - middle) / fade);
  return static_cast<int>(std::floor(255 * std::max(0.0, part) + 0.5));
}

std::vector<OverlayOptions> read_overlays(Table& root, double seconds,
                                          const std::function<std::string(const std::string&)>& resolve) {
  std::vector<OverlayOptions> overlays;
  for (Table& table : root.tables(
           "overlay",
           "a text, an image, an arrow or a box, drawn on top of the picture; a later one covers an earlier one")) {
    table.section([&] {
      OverlayOptions overlay;
      overlay.place = table.position("");
      overlay.margin.value = 0.03;
      overlay.font_size.value = 0.035;
      overlay.line_width.value = 0.004;
      read_what(table, root, overlay, resolve);
      read_place(table, overlay);
      read_look(table, overlay);
      read_times(table, overlay, seconds);
      for (const char* key : {"text", "image", "shape", "at", "position", "follow", "to", "height", "from", "fade"})
        if (table.has(key)) overlay.keys[key] = table.position(key);
      overlays.push_back(std::move(overlay));
    });
    table.note([&] {
      if (root.has("overlay") && given_kinds(table) == 0)
        table.fail("", "this [[overlay]] shows nothing; give it \"text\", \"image\" or \"shape\"");
    });
  }
  return overlays;
}

}  // namespace simreel
