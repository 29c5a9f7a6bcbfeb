#pragma once
// A page as pixels, drawn in the order of its parts: for PNG, and for formats that know no transparency.

#include <span>
#include <vector>

#include "figure/page.h"

namespace simreel {

class PagePixels {
 public:
  // The background counts as opaque.
  PagePixels(Size size, Color background);

  void add(const Page& page) {
    add_picture(page);
    add_lines(page);
    add_marks(page.marks);
  }
  void add_picture(const Page&);
  void add_lines(const Page&);
  void add_marks(const Marks&);
  void put(const Image&);  // instead of what is there, its alpha included

  Size size() const { return size_; }
  std::span<const Color> row(int y) const {
    const auto width = static_cast<std::size_t>(size_.width);
    return std::span<const Color>(pixels_).subspan(static_cast<std::size_t>(y) * width, width);
  }
  const std::vector<Color>& pixels() const { return pixels_; }  // rows from the top

 private:
  void blend(int x, int y, Color front);

  Size size_;
  std::vector<Color> pixels_;
};

// `front` with straight alpha over an opaque colour.
Color over_opaque(Color front, Color back);

}  // namespace simreel
