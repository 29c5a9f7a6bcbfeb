#pragma once
// What the tests of comparing share: pictures made of formulas, and the words of errors.

#include "compare/picture.h"
#include "tests/support/thrown.h"

namespace simreel::test {

// color(x, y) gives each pixel.
template <class Body>
Picture draw(int width, int height, Body color) {
  Picture picture;
  picture.size = {width, height};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) picture.pixels.push_back(color(x, y));
  return picture;
}

inline Picture plain(int width, int height, Color color) {
  return draw(width, height, [&](int, int) { return color; });
}

// The same in 16 bits, rounded beside it as read_picture does; color(x, y) gives a DeepColor.
template <class Body>
Picture draw_deep(int width, int height, Body color) {
  Picture picture = draw(width, height, [&](int x, int y) {
    const DeepColor c = color(x, y);
    const auto rounded = [](int level) { return std::uint8_t((level + 128) / 257); };
    return Color{rounded(c.r), rounded(c.g), rounded(c.b), rounded(c.a)};
  });
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) picture.deep.push_back(color(x, y));
  picture.rounded = true;
  return picture;
}

inline Color gray(int level) { return {std::uint8_t(level), std::uint8_t(level), std::uint8_t(level), 255}; }

// What a call throws; empty where it throws nothing or another kind of error.
template <class Body>
std::string usage_error(Body body) {
  return test::thrown([&] { body(); });
}

inline void put(const std::string& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

}  // namespace simreel::test
