#pragma once
// What a walk does with a node, and the fields of nodes. Everything is computed from unit vectors and ratios, so that
// no power of a distance beyond the fifth is formed: groups of any size keep within the range of float.
//   P2P  a body acts on a body (kernels/nbody/pair.h)
//   M2P  a node acts on a body: mass and quadrupole
//   M2L  a node acts on a group: up to the octupole, and up to the third order about the group's centre, a Taylor
//        series that L2P evaluates once a body

#include <cmath>

#include "kernels/nbody/pair.h"
#include "kernels/nbody/tree/nodes.h"

// Called for many lanes: a loop over them is vectorised where nothing in it is called.
#ifdef __CUDACC__
#define TREE_INLINE __host__ __device__ __forceinline__
#else
#define TREE_INLINE [[gnu::always_inline]] inline
#endif

namespace simreel {

// x^(-1/2) of normal x within 1e-7: as inverse_cube, with the minimax polynomial of (1 + u)^(-1/2).
TREE_INLINE float tree_inverse_root(float x) {
  const float y = guess_inverse_root(x), u = std::fma(x, y * y, -1.0f);
  float p = std::fma(u, 0x1.1b5cd6p-2f, -0x1.4172ecp-2f);
  p = std::fma(u, p, 0x1.7ffdd2p-2f);
  p = std::fma(u, p, -0x1.ffff92p-2f);
  return std::fma(y * u, p, y);
}
struct TreeExact {
  HD static float inverse_root(float x) { return tree_inverse_root(x); }
  HD static float inverse_cube_of(float x) { return inverse_cube(x); }
};

// The largest ratios at which a node acts as one.
struct TreeOpening {
  float node;    // M2P: the node's radius to the distance of its centre of mass from the box of the group
  float series;  // M2L: the radii of node and group together to the distance of their centres; below 1
};

// A group in the units of nodes: the middle of the box around its bodies, half the sides, and the distance of the
// farthest body from the middle.
struct TreeGroup {
  float x, y, z, half_x, half_y, half_z, radius;
};

// All but the radius, from the box around the bodies in their own units.
HD inline void tree_group_box(const float* low, const float* high, float scale, TreeGroup& g) {
  g.x = 0.5f * (low[0] * scale + high[0] * scale);
  g.y = 0.5f * (low[1] * scale + high[1] * scale);
  g.z = 0.5f * (low[2] * scale + high[2] * scale);
  g.half_x = 0.5f * (high[0] * scale - low[0] * scale);
  g.half_y = 0.5f * (high[1] * scale - low[1] * scale);
  g.half_z = 0.5f * (high[2] * scale - low[2] * scale);
}

enum TreeFate { tree_far = 0, tree_mid = 1, tree_near = 2, tree_open = 3 };

// Nearer than a cell of the keys nothing acts as a node.
inline constexpr float tree_closest2 = 0x1p-40f;

struct TreeTest {
  float node, series;  // 1 / ratio^2 of TreeOpening

  explicit TreeTest(const TreeOpening& opening)
      : node(1.0f / (opening.node * opening.node)), series(1.0f / (opening.series * opening.series)) {}

  // Floats compared in one written order, so that all machines decide alike. `count` as in TreeLink.
  HD int operator()(const TreeGroup& g, const Vec4<float>& center, float radius, int count) const {
    const float dx = center.x - g.x, dy = center.y - g.y, dz = center.z - g.z;
    const float d2 = tree_square(dx, dy, dz);
    const float ex = tree_larger(std::fabs(dx) - g.half_x, 0), ey = tree_larger(std::fabs(dy) - g.half_y, 0),
                ez = tree_larger(std::fabs(dz) - g.half_z, 0);
    const float e2 = tree_square(ex, ey, ez);
    const float both = radius + g.radius;
    const bool far = d2 > tree_larger(both * both * series, tree_closest2);
    // One or two bodies cost less themselves.
    const bool mid = e2 > tree_larger(radius * radius * node, tree_closest2) && (count >= 0 || count < -2);
    return far ? tree_far : mid ? tree_mid : count < 0 ? tree_near : tree_open;
  }
};

struct TreeMoments {
  float mass, value[16];  // as in TreeNodes: six second ones, ten third ones
};
// The mass of `center`, and of `word` the quadrupole, and with `octupole` that.
template <bool octupole>
HD inline TreeMoments tree_moments(const Vec4<float>& center, const Vec4<float>* word) {
  TreeMoments m;
  float* const v = m.value;
  m.mass = center.w;
  v[0] = word[0].x, v[1] = word[0].y, v[2] = word[0].z, v[3] = word[0].w;
  v[4] = word[1].x, v[5] = word[1].y;
  if constexpr (octupole) {
    v[6] = word[1].z, v[7] = word[1].w;
    v[8] = word[2].x, v[9] = word[2].y, v[10] = word[2].z, v[11] = word[2].w;
    v[12] = word[3].x, v[13] = word[3].y, v[14] = word[3].z, v[15] = word[3].w;
  }
  return m;
}

// Adds the acceleration of a point by a node at d from it.
template <class Arithmetic>
TREE_INLINE void tree_field(float dx, float dy, float dz, const TreeMoments& m, float softening2, Vec3<float>& sum) {
  const float y = Arithmetic::inverse_root(std::fma(dx, dx, std::fma(dy, dy, std::fma(dz, dz, softening2))));
  const float y2 = y * y, w = m.mass * (y * y2);
  const float qx = std::fma(m.value[0], dx, std::fma(m.value[1], dy, m.value[2] * dz)) * y2;
  const float qy = std::fma(m.value[1], dx, std::fma(m.value[3], dy, m.value[4] * dz)) * y2;
  const float qz = std::fma(m.value[2], dx, std::fma(m.value[4], dy, m.value[5] * dz)) * y2;
  const float s = std::fma(dx, qx, std::fma(dy, qy, dz * qz)), trace = (m.value[0] + m.value[3]) + m.value[5];
  const float along = w * std::fma(y2, std::fma(7.5f, s, -1.5f * trace), 1.0f), across = -3.0f * w;
  sum.x = std::fma(across, qx, std::fma(dx, along, sum.x));
  sum.y = std::fma(across, qy, std::fma(dy, along, sum.y));
  sum.z = std::fma(across, qz, std::fma(dz, along, sum.z));
}

// Contractions of the moments with the unit vector n of the distance, in units of the distance.
struct TreeContracted {
  float qx, qy, qz, s, trace;            // q n, n q n, trace of q
  float wx, wy, wz, ox, oy, oz, od, dw;  // o n n, trace of o, and both along n
};
TREE_INLINE void tree_contract(float a, float b, float c, const float* q, const float* o, TreeContracted& t) {
  t.qx = std::fma(q[0], a, std::fma(q[1], b, q[2] * c));
  t.qy = std::fma(q[1], a, std::fma(q[3], b, q[4] * c));
  t.qz = std::fma(q[2], a, std::fma(q[4], b, q[5] * c));
  t.s = std::fma(a, t.qx, std::fma(b, t.qy, c * t.qz));
  t.trace = (q[0] + q[3]) + q[5];
  const float aa = a * a, ab = a * b, ac = a * c, bb = b * b, bc = b * c, cc = c * c;
  t.wx = std::fma(o[0], aa,
                  std::fma(o[3], bb, std::fma(o[5], cc, 2.0f * std::fma(o[1], ab, std::fma(o[2], ac, o[4] * bc)))));
  t.wy = std::fma(o[1], aa,
                  std::fma(o[6], bb, std::fma(o[8], cc, 2.0f * std::fma(o[3], ab, std::fma(o[4], ac, o[7] * bc)))));
  t.wz = std::fma(o[2], aa,
                  std::fma(o[7], bb, std::fma(o[9], cc, 2.0f * std::fma(o[4], ab, std::fma(o[5], ac, o[8] * bc)))));
  t.ox = (o[0] + o[3]) + o[5];
  t.oy = (o[1] + o[6]) + o[8];
  t.oz = (o[2] + o[7]) + o[9];
  t.od = std::fma(t.ox, a, std::fma(t.oy, b, t.oz * c));
  t.dw = std::fma(t.wx, a, std::fma(t.wy, b, t.wz * c));
}

// The sum of mass / distance of a node at d from a point.
TREE_INLINE float tree_potential(float dx, float dy, float dz, const TreeMoments& m, float softening2) {
  const float y = tree_inverse_root(std::fma(dx, dx, std::fma(dy, dy, std::fma(dz, dz, softening2))));
  const float y2 = y * y, y3 = y * y2;
  TreeContracted t;
  tree_contract(dx * y, dy * y, dz * y, m.value, m.value + 6, t);
  const float second = y2 * std::fma(1.5f, t.s, -0.5f * t.trace), third = y3 * std::fma(1.5f, t.od, -2.5f * t.dw);
  return (m.mass * y) * (1.0f + (second + third));
}

// The series of a group: a_i(t) = A_i + B_ij t_j + C_ijk t_j t_k / 2 + E_ijkl t_j t_k t_l / 6.
// 0 to 2 A, 3 to 8 B, 9 to 18 C, 19 to 33 E.
inline constexpr int tree_series = 34;

// Adds a node whose centre of mass is at (a, b, c) from the group's. Moments and series may lie beside those of other
// nodes and lanes, `stride` floats from one to the next.
template <class Arithmetic, int stride>
TREE_INLINE void tree_add_to_series(float a, float b, float c, float mass, const float* moment, float softening2,
                                    float* to) {
  const float y = Arithmetic::inverse_root(std::fma(a, a, std::fma(b, b, std::fma(c, c, softening2))));
  const float y2 = y * y, y3 = y * y2, w2 = mass * y2, w3 = w2 * y, w4 = w2 * y2, w5 = w3 * y2;
  a *= y;
  b *= y;
  c *= y;
  const auto at = [=](int i) { return moment[i * stride]; };
  const float q[6] = {at(0) * y2, at(1) * y2, at(2) * y2, at(3) * y2, at(4) * y2, at(5) * y2};
  const float o[10] = {at(6) * y3,  at(7) * y3,  at(8) * y3,  at(9) * y3,  at(10) * y3,
                       at(11) * y3, at(12) * y3, at(13) * y3, at(14) * y3, at(15) * y3};
  TreeContracted t;
  tree_contract(a, b, c, q, o, t);
  const float aa = a * a, bb = b * b, cc = c * c, ab = a * b, ac = a * c, bc = b * c;
  const float along = std::fma(7.5f, t.od, std::fma(-17.5f, t.dw, std::fma(7.5f, t.s, std::fma(-1.5f, t.trace, 1.0f))));
  to[0 * stride] =
      std::fma(w2, std::fma(a, along, std::fma(-3.0f, t.qx, std::fma(-1.5f, t.ox, 7.5f * t.wx))), to[0 * stride]);
  to[1 * stride] =
      std::fma(w2, std::fma(b, along, std::fma(-3.0f, t.qy, std::fma(-1.5f, t.oy, 7.5f * t.wy))), to[1 * stride]);
  to[2 * stride] =
      std::fma(w2, std::fma(c, along, std::fma(-3.0f, t.qz, std::fma(-1.5f, t.oz, 7.5f * t.wz))), to[2 * stride]);
  const float diagonal = std::fma(1.5f, t.trace, std::fma(-7.5f, t.s, -1.0f));
  const float cross = std::fma(-7.5f, t.trace, std::fma(52.5f, t.s, 3.0f));
  const float x3 = -30.0f * t.qx, y30 = -30.0f * t.qy, z3 = -30.0f * t.qz;
  to[3 * stride] = std::fma(w3, std::fma(cross, aa, std::fma(3.0f, q[0], std::fma(x3, a, diagonal))), to[3 * stride]);
  to[4 * stride] =
      std::fma(w3, std::fma(cross, ab, std::fma(3.0f, q[1], -15.0f * std::fma(t.qx, b, t.qy * a))), to[4 * stride]);
  to[5 * stride] =
      std::fma(w3, std::fma(cross, ac, std::fma(3.0f, q[2], -15.0f * std::fma(t.qx, c, t.qz * a))), to[5 * stride]);
  to[6 * stride] = std::fma(w3, std::fma(cross, bb, std::fma(3.0f, q[3], std::fma(y30, b, diagonal))), to[6 * stride]);
  to[7 * stride] =
      std::fma(w3, std::fma(cross, bc, std::fma(3.0f, q[4], -15.0f * std::fma(t.qy, c, t.qz * b))), to[7 * stride]);
  to[8 * stride] = std::fma(w3, std::fma(cross, cc, std::fma(3.0f, q[5], std::fma(z3, c, diagonal))), to[8 * stride]);
  const float cx = std::fma(15.0f, aa, -3.0f), cy = std::fma(15.0f, bb, -3.0f), cz = std::fma(15.0f, cc, -3.0f);
  to[9 * stride] = std::fma(w4, a * (cx - 6.0f), to[9 * stride]);
  to[10 * stride] = std::fma(w4, b * cx, to[10 * stride]);
  to[11 * stride] = std::fma(w4, c * cx, to[11 * stride]);
  to[12 * stride] = std::fma(w4, a * cy, to[12 * stride]);
  to[13 * stride] = std::fma(w4, 15.0f * ab * c, to[13 * stride]);
  to[14 * stride] = std::fma(w4, a * cz, to[14 * stride]);
  to[15 * stride] = std::fma(w4, b * (cy - 6.0f), to[15 * stride]);
  to[16 * stride] = std::fma(w4, c * cy, to[16 * stride]);
  to[17 * stride] = std::fma(w4, b * cz, to[17 * stride]);
  to[18 * stride] = std::fma(w4, c * (cz - 6.0f), to[18 * stride]);
  const float ex = std::fma(105.0f, aa, -15.0f), ey = std::fma(105.0f, bb, -15.0f), ez = std::fma(105.0f, cc, -15.0f);
  to[19 * stride] = std::fma(w5, std::fma(aa, ex - 75.0f, 9.0f), to[19 * stride]);
  to[20 * stride] = std::fma(w5, ab * (ex - 30.0f), to[20 * stride]);
  to[21 * stride] = std::fma(w5, ac * (ex - 30.0f), to[21 * stride]);
  to[22 * stride] = std::fma(w5, std::fma(aa, ey, std::fma(-15.0f, bb, 3.0f)), to[22 * stride]);
  to[23 * stride] = std::fma(w5, bc * ex, to[23 * stride]);
  to[24 * stride] = std::fma(w5, std::fma(aa, ez, std::fma(-15.0f, cc, 3.0f)), to[24 * stride]);
  to[25 * stride] = std::fma(w5, ab * (ey - 30.0f), to[25 * stride]);
  to[26 * stride] = std::fma(w5, ac * ey, to[26 * stride]);
  to[27 * stride] = std::fma(w5, ab * ez, to[27 * stride]);
  to[28 * stride] = std::fma(w5, ac * (ez - 30.0f), to[28 * stride]);
  to[29 * stride] = std::fma(w5, std::fma(bb, ey - 75.0f, 9.0f), to[29 * stride]);
  to[30 * stride] = std::fma(w5, bc * (ey - 30.0f), to[30 * stride]);
  to[31 * stride] = std::fma(w5, std::fma(bb, ez, std::fma(-15.0f, cc, 3.0f)), to[31 * stride]);
  to[32 * stride] = std::fma(w5, bc * (ez - 30.0f), to[32 * stride]);
  to[33 * stride] = std::fma(w5, std::fma(cc, ez - 75.0f, 9.0f), to[33 * stride]);
}

TREE_INLINE float tree_dot(float a, float x, float b, float y, float c, float z, float d) {
  return std::fma(a, x, std::fma(b, y, std::fma(c, z, d)));
}
// The acceleration at (x, y, z) from the group's centre.
TREE_INLINE Vec3<float> tree_evaluate(const float* l, float x, float y, float z) {
  const float* const e = l + 19;
  float u = x * (1.0f / 3.0f), v = y * (1.0f / 3.0f), w = z * (1.0f / 3.0f);
  const float c0 = tree_dot(e[0], u, e[1], v, e[2], w, l[9]), c1 = tree_dot(e[1], u, e[3], v, e[4], w, l[10]);
  const float c2 = tree_dot(e[2], u, e[4], v, e[5], w, l[11]), c3 = tree_dot(e[3], u, e[6], v, e[7], w, l[12]);
  const float c4 = tree_dot(e[4], u, e[7], v, e[8], w, l[13]), c5 = tree_dot(e[5], u, e[8], v, e[9], w, l[14]);
  const float c6 = tree_dot(e[6], u, e[10], v, e[11], w, l[15]), c7 = tree_dot(e[7], u, e[11], v, e[12], w, l[16]);
  const float c8 = tree_dot(e[8], u, e[12], v, e[13], w, l[17]), c9 = tree_dot(e[9], u, e[13], v, e[14], w, l[18]);
  u = 0.5f * x;
  v = 0.5f * y;
  w = 0.5f * z;
  const float xx = tree_dot(c0, u, c1, v, c2, w, l[3]), xy = tree_dot(c1, u, c3, v, c4, w, l[4]);
  const float xz = tree_dot(c2, u, c4, v, c5, w, l[5]), yy = tree_dot(c3, u, c6, v, c7, w, l[6]);
  const float yz = tree_dot(c4, u, c7, v, c8, w, l[7]), zz = tree_dot(c5, u, c8, v, c9, w, l[8]);
  return {tree_dot(xx, x, xy, y, xz, z, l[0]), tree_dot(xy, x, yy, y, yz, z, l[1]),
          tree_dot(xz, x, yz, y, zz, z, l[2])};
}

// Adds the acceleration of a body at (x, y, z) by another, in the units of the bodies.
template <class Arithmetic>
TREE_INLINE void tree_pull(float x, float y, float z, const Vec4<float>& b, float softening2, Vec3<float>& sum) {
  const float dx = b.x - x, dy = b.y - y, dz = b.z - z;
  const float s = b.w * Arithmetic::inverse_cube_of(std::fma(dx, dx, std::fma(dy, dy, std::fma(dz, dz, softening2))));
  sum.x = std::fma(dx, s, sum.x);
  sum.y = std::fma(dy, s, sum.y);
  sum.z = std::fma(dz, s, sum.z);
}

// Mass over distance of another body; 0 where they are nearer than float can tell, as without softening at one place.
TREE_INLINE float tree_pair_potential(float x, float y, float z, const Vec4<float>& b, float softening2) {
  const float dx = b.x - x, dy = b.y - y, dz = b.z - z;
  const float distance2 = std::fma(dx, dx, std::fma(dy, dy, std::fma(dz, dz, softening2)));
  const bool apart = distance2 >= 0x1p-126f;
  return apart ? b.w * tree_inverse_root(apart ? distance2 : 1.0f) : 0.0f;
}

}  // namespace simreel
