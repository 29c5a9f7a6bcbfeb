#pragma once
// What the tests of comparing share: pictures made of formulas, and the words of errors.

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "compare/picture.h"
#include "error.h"

namespace simreel::test {

// color(x, y) gives each pixel.
template <class Body>
Picture draw(int width, int height, Body color) {
  Picture picture;
  picture.size = {width, height};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) picture.pixels.push_back(color(x, y));
  }
  return picture;
}

inline Picture plain(int width, int height, Color color) {
  return draw(width, height, [&](int, int) { return color; });
}

inline Color gray(int level) { return {std::uint8_t(level), std::uint8_t(level), std::uint8_t(level), 255}; }

// What a call throws; empty where it throws nothing or another kind of error.
template <class Body>
std::string usage_error(Body body) {
  try {
    body();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

inline void put(const std::string& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

}  // namespace simreel::test
