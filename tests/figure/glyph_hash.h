#pragma once
// A hash of the coverage of all glyphs of figures at 12 sizes, at different places in a pixel and in every direction.
// Needs nothing but src/figure/font.cpp, path.cpp and fonts/.

#include "figure/font.h"

#include "tests/support/test.h"

namespace simreel::test {

inline std::uint64_t glyph_hash() {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3u; };
  constexpr int sizes[] = {5 * 64,  8 * 64,  9 * 64,  640 + 23, 12 * 64, 15 * 64,
                           18 * 64, 22 * 64, 26 * 64, 33 * 64,  62 * 64, 104 * 64};
  for (const int size : sizes)
    for (char32_t code = 0x20; code < 0x2800; ++code)
      for (const FontStyle style : {FontStyle::regular, FontStyle::bold, FontStyle::oblique}) {
        const Glyph* const glyph = find_glyph(code, style);
        if (!glyph) continue;
        Path path;
        const std::int32_t place = static_cast<std::int32_t>(code % 64);
        add_glyph(path, *glyph, style, 200 * 64 + place, 250 * 64 - place, size, code % 7 == 0 ? upwards : rightwards);
        path.cover(0, 0, 512, 512, [&](int y, int x, std::span<const std::uint8_t> levels) {
          add(static_cast<std::uint64_t>(y) << 16 | static_cast<std::uint64_t>(x));
          for (const std::uint8_t level : levels) add(level);
        });
      }
  Path lines;
  const Path::Point bent[] = {{3000, 4000}, {9000, 4100}, {7000, 20000}, {50000, 30001}, {50010, 30001}};
  lines.stroke(bent, 300);
  lines.stroke(bent, 40, true);
  lines.cover(0, 0, 512, 512, [&](int, int x, std::span<const std::uint8_t> levels) {
    add(static_cast<std::uint64_t>(x));
    for (const std::uint8_t level : levels) add(level);
  });
  return hash;
}

}  // namespace simreel::test
