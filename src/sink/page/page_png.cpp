// A page as pixels, for those that were composed: a frame of a run has its own.

#include "raster/figure/lines.h"
#include "sink/page/document.h"
#include "sink/picture/png.h"

namespace simreel {
namespace {

class Painter {
 public:
  explicit Painter(const PageGroup& group) : size_(group.size), pixels_(count(group.size), group.background) {}

  void add(const Page& page) {
    add_picture(page);
    add_lines(page);
    const Sheet sheet = paint_marks(page.marks, size_);
    for (std::size_t y = 0; y < sheet.size(); ++y)
      for (std::size_t x = 0; x < sheet[y].size(); ++x) blend(static_cast<int>(x), static_cast<int>(y), sheet[y][x]);
  }
  const std::vector<Color>& pixels() const { return pixels_; }

 private:
  static std::size_t count(Size size) {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  }

  void blend(int x, int y, Color front) {
    Color& back =
        pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) + static_cast<std::size_t>(x)];
    const auto over = [&](int a, int b) {
      return static_cast<std::uint8_t>((a * front.a + b * (255 - front.a) + 127) / 255);
    };
    back = {over(front.r, back.r), over(front.g, back.g), over(front.b, back.b), 255};
  }

  void add_picture(const Page& picture) {
    if (picture.pixels.empty()) return;
    const Rectangle& place = picture.field;
    for (int y = 0; y < place.height; ++y)
      for (int x = 0; x < place.width; ++x)
        blend(place.x + x, place.y + y,
              picture.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(place.width) +
                             static_cast<std::size_t>(x)]);
  }

  void add_lines(const Page& picture) {
    const Rectangle& place = picture.field;
    const Rectangle hole = picture.hole.value_or(Rectangle{});
    path_of(picture.lines, picture.line_width)
        .cover(place.x, place.y, place.x + place.width, place.y + place.height,
               [&](int y, int x, std::span<const std::uint8_t> levels) {
                 for (const std::uint8_t level : levels) {
                   Color front = picture.line_color;
                   front.a = static_cast<std::uint8_t>((level * front.a + 127) / 255);
                   const bool hidden =
                       x >= hole.x && x < hole.x + hole.width && y >= hole.y && y < hole.y + hole.height;
                   if (!hidden) blend(x, y, front);
                   ++x;
                 }
               });
  }

  Size size_;
  std::vector<Color> pixels_;
};

}  // namespace

std::string png_of(const PageGroup& group, const PageFacts& facts) {
  Painter painter(group);
  for (const Page& page : group.parts) painter.add(page);
  std::string bytes;
  for (const Color& pixel : painter.pixels())
    bytes += {static_cast<char>(pixel.r), static_cast<char>(pixel.g), static_cast<char>(pixel.b)};
  return encode_png(group.size, PixelLayout::rgb, reinterpret_cast<const std::byte*>(bytes.data()), facts.tags,
                    facts.pixels_per_inch);
}

}  // namespace simreel
