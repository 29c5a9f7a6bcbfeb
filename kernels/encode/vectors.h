#pragma once
// Prediction of motion vectors from their neighbours (ITU-T H.264, 8.4.1).

#include "kernels/encode/picture.h"

namespace simreel::h264 {

// The vectors left (a), above (b) and above right (c) of a block, or above left where nothing is above right.
struct Neighbours {
  Vector a{0, 0}, b{0, 0}, c{0, 0};
  bool has_a = false, has_b = false;                       // inside the picture
  bool inter_a = false, inter_b = false, inter_c = false;  // and predicted from the picture before
};

HD inline int median(int x, int y, int z) { return x > y ? (y > z ? y : x > z ? z : x) : (x > z ? x : y > z ? z : y); }
HD inline Vector median(Vector a, Vector b, Vector c) {
  return {static_cast<std::int16_t>(median(a.x, b.x, c.x)), static_cast<std::int16_t>(median(a.y, b.y, c.y))};
}

HD inline void look(const Vector* vectors, int at, Vector& vector, bool& inter) {
  const Vector v = vectors[at];
  inter = v.x != no_motion;
  if (inter) vector = v;
}

// Around a whole macroblock, by one vector of each.
HD inline Neighbours neighbours_of(const Picture& p, const Vector* vectors, int x, int y) {
  Neighbours n;
  const int i = y * p.width + x;
  n.has_a = x > 0, n.has_b = y > 0;
  if (n.has_a) look(vectors, i - 1, n.a, n.inter_a);
  if (n.has_b) look(vectors, i - p.width, n.b, n.inter_b);
  if (n.has_b && x + 1 < p.width)
    look(vectors, i - p.width + 1, n.c, n.inter_c);
  else if (n.has_b && n.has_a)
    look(vectors, i - p.width - 1, n.c, n.inter_c);
  return n;
}

// Around a quarter of a macroblock, or around all of it (quarter -1), as a decoder sees them.
HD inline Neighbours coded_neighbours(const Picture& p, int x, int y, int quarter) {
  Neighbours n;
  const int own = 4 * (y * p.width + x), left = own - 4, up = own - 4 * p.width;
  const bool has_left = x > 0, has_up = y > 0, has_beyond = x + 1 < p.width;
  n.has_a = has_left || quarter == 1 || quarter == 3;
  n.has_b = has_up || quarter >= 2;
  const auto a = [&](int at) { look(p.quarter, at, n.a, n.inter_a); };
  const auto b = [&](int at) { look(p.quarter, at, n.b, n.inter_b); };
  const auto c = [&](int at) { look(p.quarter, at, n.c, n.inter_c); };
  if (quarter <= 0) {
    if (has_left) a(left + 1);
    if (has_up) b(up + 2);
    if (quarter == 0 && has_up)
      c(up + 3);
    else if (quarter < 0 && has_up && has_beyond)
      c(up + 4 + 2);
    else if (has_up && has_left)
      c(up - 4 + 3);
  } else if (quarter == 1) {
    a(own);
    if (has_up) b(up + 3);
    if (has_up) c(has_beyond ? up + 4 + 2 : up + 2);
  } else if (quarter == 2) {
    if (has_left) a(left + 3);
    b(own);
    c(own + 1);
  } else {
    a(own + 2);
    b(own + 1);
    c(own);
  }
  return n;
}

HD inline Vector predicted(const Neighbours& n) {
  if (!n.has_b) return n.a;  // B and C are taken to be A then
  if (n.inter_a + n.inter_b + n.inter_c == 1) return n.inter_a ? n.a : n.inter_b ? n.b : n.c;
  return median(n.a, n.b, n.c);
}
// Of a skipped macroblock.
HD inline Vector skipped(const Neighbours& n) {
  constexpr Vector zero{0, 0};
  if (!n.has_a || !n.has_b || (n.inter_a && n.a == zero) || (n.inter_b && n.b == zero)) return zero;
  return predicted(n);
}

}  // namespace simreel::h264
