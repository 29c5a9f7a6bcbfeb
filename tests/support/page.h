#pragma once
// A page with every kind of mark, for the tests of vector files, and what labels say.

#include "figure/page.h"

#include "tests/support/test.h"

namespace simreel::test {

// "*" stands for what is not ASCII.
inline std::string text_of(const GlyphRun& run) {
  std::string text;
  for (const GlyphRun::Item& item : run.items)
    text += item.glyph->code < 0x80 ? static_cast<char>(item.glyph->code) : '*';
  return text;
}

inline Page full_page() {
  constexpr Color ink{20, 22, 26, 255}, faint{20, 22, 26, 150};
  const auto at = [](int x, int y) { return Spot{x * fine, y * fine}; };
  Page page;
  page.size = {1004, 500};
  page.background = {255, 255, 255, 255};
  page.field = {100, 60, 600, 380};
  for (int y = 0; y < page.field.height; ++y)
    for (int x = 0; x < page.field.width; ++x)
      page.pixels.push_back(
          {static_cast<std::uint8_t>(x * 255 / 600), static_cast<std::uint8_t>(y * 255 / 380), 100, 255});
  page.lines.push_back({{{100 * 256, 60 * 256}, {400 * 256, 300 * 256}, {720 * 256, 200 * 256}}});
  page.lines.push_back({{{200 * 256, 200 * 256}, {240 * 256, 200 * 256}, {220 * 256, 150 * 256}}, true});
  page.line_width = 2 * 256;
  page.line_color = {20, 20, 20, 200};
  page.hole = Rectangle{300, 220, 100, 100};
  constexpr int em = 29 * fine;
  page.marks.push_back({"title", Label{set_text("Vortex street, AVATA", em, FontStyle::bold), at(100, 45), {}, ink}});
  page.marks.push_back({"label", Label{set_text("$\\omega_z$ (s$^{-1}$) <&>", em), at(760, 400), upwards, ink}});
  page.marks.push_back({"xlabel", Label{set_text("x (mm)", em), at(300, 480), {}, ink}});
  Image bar{{850, 60, 26, 380}, 1, 256, {}};
  for (int i = 0; i < 256; ++i)
    bar.pixels.push_back({static_cast<std::uint8_t>(255 - i), static_cast<std::uint8_t>(i), 0, 255});
  page.marks.push_back({"colorbar", bar});
  Shape outline;
  outline.filled = false;
  outline.width = fine * 3 / 2;
  outline.color = faint;
  outline.points = {at(850, 60), at(876, 60), at(876, 440), at(850, 440), at(850, 60)};
  page.marks.push_back({"colorbar", outline});
  page.marks.push_back({"axes", box_shape({100, 440, 600, 2}, ink)});
  return page;
}

}  // namespace simreel::test
