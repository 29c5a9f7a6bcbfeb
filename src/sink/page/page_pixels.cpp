#include "sink/page/page_pixels.h"

#include <algorithm>

#include "figure/lines.h"
#include "sink/page/document.h"
#include "sink/picture/png_encode.h"

namespace simreel {

Color over_opaque(Color front, Color back) {
  const auto over = [&](int a, int b) {
    return static_cast<std::uint8_t>((a * front.a + b * (255 - front.a) + 127) / 255);
  };
  return {over(front.r, back.r), over(front.g, back.g), over(front.b, back.b), 255};
}

PagePixels::PagePixels(Size size, Color background) : size_(size), pixels_(pixel_count(size), background) {}

void PagePixels::blend(int x, int y, Color front) {
  Color& back =
      pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) + static_cast<std::size_t>(x)];
  back = over_opaque(front, back);
}

void PagePixels::add_picture(const Page& page) {
  if (page.pixels.empty()) return;
  const Rectangle& place = page.field;
  for (int y = 0; y < place.height; ++y)
    for (int x = 0; x < place.width; ++x)
      blend(place.x + x, place.y + y,
            page.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(place.width) +
                        static_cast<std::size_t>(x)]);
}

void PagePixels::add_lines(const Page& page) {
  const Rectangle& place = page.field;
  const Rectangle hole = page.hole.value_or(Rectangle{});
  path_of(page.lines, page.line_width)
      .cover(place.x, place.y, place.x + place.width, place.y + place.height,
             [&](int y, int x, std::span<const std::uint8_t> levels) {
               for (const std::uint8_t level : levels) {
                 Color front = page.line_color;
                 front.a = static_cast<std::uint8_t>((level * front.a + 127) / 255);
                 const bool hidden = x >= hole.x && x < hole.x + hole.width && y >= hole.y && y < hole.y + hole.height;
                 if (!hidden) blend(x, y, front);
                 ++x;
               }
             });
}

void PagePixels::add_marks(const Marks& marks) {
  const Sheet sheet = paint_marks(marks, size_);
  for (std::size_t y = 0; y < sheet.size(); ++y)
    for (std::size_t x = 0; x < sheet[y].size(); ++x)
      if (sheet[y][x].a > 0) blend(static_cast<int>(x), static_cast<int>(y), sheet[y][x]);
}

void PagePixels::put(const Image& image) {
  const Rectangle& place = image.place;
  const auto nearest = [](int at, int count, int length) {
    return static_cast<std::size_t>((2 * std::int64_t{at} + 1) * count / (2 * std::int64_t{length}));
  };
  for (int y = std::max(0, -place.y); y < place.height && place.y + y < size_.height; ++y) {
    const std::size_t row = nearest(y, image.rows, place.height) * static_cast<std::size_t>(image.columns);
    for (int x = std::max(0, -place.x); x < place.width && place.x + x < size_.width; ++x)
      pixels_[static_cast<std::size_t>(place.y + y) * static_cast<std::size_t>(size_.width) +
              static_cast<std::size_t>(place.x + x)] = image.pixels[row + nearest(x, image.columns, place.width)];
  }
}

std::string png_of(const PageGroup& group, const PageFacts& facts) {
  PagePixels pixels(group.size, group.background);
  for (const Page& page : group.parts) pixels.add(page);
  std::string bytes;
  for (const Color& pixel : pixels.pixels())
    bytes += {static_cast<char>(pixel.r), static_cast<char>(pixel.g), static_cast<char>(pixel.b)};
  return encode_png(group.size, PixelLayout::rgb, reinterpret_cast<const std::byte*>(bytes.data()), facts.tags,
                    facts.pixels_per_inch);
}

}  // namespace simreel
