// A page as pixels, for those that were composed: a frame of a run has its own.

#include "sink/page/document.h"
#include "sink/page/page_pixels.h"
#include "sink/picture/png_encode.h"

namespace simreel {

std::string png_of(const PageGroup& group, const PageFacts& facts) {
  PagePixels pixels(group.size, group.background);
  for (const Page& page : group.parts) {
    pixels.add_picture(page);
    pixels.add_lines(page);
    pixels.add_marks(page.marks);
  }
  std::string bytes;
  for (const Color& pixel : pixels.pixels())
    bytes += {static_cast<char>(pixel.r), static_cast<char>(pixel.g), static_cast<char>(pixel.b)};
  return encode_png(group.size, PixelLayout::rgb, reinterpret_cast<const std::byte*>(bytes.data()), facts.tags,
                    facts.pixels_per_inch);
}

}  // namespace simreel
