#pragma once
// The keys of bodies and the nodes of the tree. docs/design/tree.md defines both to the bit.

#include <cmath>
#include <cstdint>

#include "kernels/base/launch.h"
#include "kernels/base/view.h"

#ifndef __CUDA_ARCH__
#include <bit>
#endif

namespace simreel {

inline constexpr int tree_leaf = 16;         // a cell of more bodies is split
inline constexpr int tree_group = 64;        // bodies of a group of targets, at most
inline constexpr int tree_cell_levels = 21;  // bits of a key along an axis
inline constexpr int tree_levels = 32;       // cells, then runs of bodies with one key, each an eighth of its parent
inline constexpr int tree_children = 8;      // of a node, at most
inline constexpr int tree_moment_words = 4;  // Vec4 of a node's moments

HD inline std::int32_t tree_bits(float x) {
#ifdef __CUDA_ARCH__
  return __float_as_int(x);
#else
  return std::bit_cast<std::int32_t>(x);
#endif
}
HD inline float tree_float(std::int32_t bits) {
#ifdef __CUDA_ARCH__
  return __int_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}
// Unlike fmax these are one instruction on a CPU; no operand is NaN here.
HD inline float tree_larger(float a, float b) { return a > b ? a : b; }
HD inline float tree_smaller(float a, float b) { return a < b ? a : b; }

// The unit of length of nodes: 2^exponent, which exceeds every coordinate and the softening, so that in this unit all
// lie in (-1, 1). `bits` are those of the largest of them; finite numbers below 2^63 have exponents up to 63.
HD inline int tree_exponent(std::int32_t bits) {
  const int exponent = (bits >> 23) - 126;
  return exponent < -60 ? -60 : exponent;
}
inline constexpr int tree_largest_exponent = 63;
HD inline float tree_power_of_two(int k) { return tree_float((k + 127) << 23); }  // -126 <= k <= 127

// The cell of a coordinate, of 2^21 along an axis.
HD inline std::uint32_t tree_cell(float x, float scale) {
  const float u = std::fma(x, scale, 1048576.0f);
  return u <= 0 ? 0U : u >= 2097151.0f ? 2097151U : static_cast<std::uint32_t>(u);
}

// Moves bit i of 21 to bit 3 i.
HD inline std::uint64_t tree_spread(std::uint64_t v) {
  v = (v | v << 32) & 0x1f00000000ffffU;
  v = (v | v << 16) & 0x1f0000ff0000ffU;
  v = (v | v << 8) & 0x100f00f00f00f00fU;
  v = (v | v << 4) & 0x10c30c30c30c30c3U;
  return (v | v << 2) & 0x1249249249249249U;
}

// The place of a cell along a Hilbert curve (Skilling 2004, AIP Conf. Proc. 707, 381), 63 bits.
HD inline std::uint64_t tree_key(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  constexpr std::uint32_t top = 1U << (tree_cell_levels - 1);
  for (std::uint32_t q = top; q > 1; q >>= 1) {
    const std::uint32_t below = q - 1;
    if (x & q) x ^= below;
    std::uint32_t swap = (x ^ y) & below;
    if (y & q) {
      x ^= below;
    } else {
      x ^= swap;
      y ^= swap;
    }
    swap = (x ^ z) & below;
    if (z & q) {
      x ^= below;
    } else {
      x ^= swap;
      z ^= swap;
    }
  }
  y ^= x;
  z ^= y;
  std::uint32_t flip = 0;
  for (std::uint32_t q = top; q > 1; q >>= 1)
    if (z & q) flip ^= q - 1;
  return tree_spread(x ^ flip) << 2 | tree_spread(y ^ flip) << 1 | tree_spread(z ^ flip);
}
HD inline std::uint64_t tree_key(const Vec4<float>& q, int exponent) {
  const float scale = tree_power_of_two(tree_cell_levels - 1 - exponent);
  return tree_key(tree_cell(q.x, scale), tree_cell(q.y, scale), tree_cell(q.z, scale));
}

// A leaf has the bodies from `first` on, -count of them; other nodes the children from `first` on, `count` of them.
struct alignas(16) TreeLink {
  float radius;  // no body of the node is farther from its centre of mass
  std::int32_t first, count, unused;
};
struct TreeBox {
  float low[3], high[3];
};

// Lengths are in units of 2^exponent, masses in another power of two (TreeScale has the inverses of both). The moments
// are those of offsets from the centre of mass, over the mass: xx xy xz yy yz zz, xxx xxy xxz xyy xyz xzz yyy yyz yzz
// zzz. They are not traceless: with softening the field is not harmonic.
struct TreeNodes {
  Vec4<float>* center = nullptr;  // of mass; w: mass
  TreeLink* link = nullptr;
  Vec4<float>* moment = nullptr;  // tree_moment_words of each
  TreeBox* box = nullptr;
};

// Adds a part with `share` of the mass at offset (x, y, z).
HD inline void tree_add_point(float* to, float share, float x, float y, float z) {
  const float wx = share * x, wy = share * y, wz = share * z;
  to[0] = std::fma(wx, x, to[0]);
  to[1] = std::fma(wx, y, to[1]);
  to[2] = std::fma(wx, z, to[2]);
  to[3] = std::fma(wy, y, to[3]);
  to[4] = std::fma(wy, z, to[4]);
  to[5] = std::fma(wz, z, to[5]);
  const float xx = wx * x, xy = wx * y, yy = wy * y, zz = wz * z;
  to[6] = std::fma(xx, x, to[6]);
  to[7] = std::fma(xx, y, to[7]);
  to[8] = std::fma(xx, z, to[8]);
  to[9] = std::fma(yy, x, to[9]);
  to[10] = std::fma(xy, z, to[10]);
  to[11] = std::fma(zz, x, to[11]);
  to[12] = std::fma(yy, y, to[12]);
  to[13] = std::fma(yy, z, to[13]);
  to[14] = std::fma(zz, y, to[14]);
  to[15] = std::fma(zz, z, to[15]);
}
// Adds what a part has about its own centre of mass.
HD inline void tree_add_moments(float* to, float share, float x, float y, float z, const float* own) {
  float q[6];
  for (int i = 0; i < 6; ++i) {
    q[i] = share * own[i];
    to[i] += q[i];
  }
  for (int i = 6; i < 16; ++i) to[i] = std::fma(share, own[i], to[i]);
  to[6] = std::fma(3.0f * x, q[0], to[6]);
  to[7] += std::fma(2.0f * x, q[1], y * q[0]);
  to[8] += std::fma(2.0f * x, q[2], z * q[0]);
  to[9] += std::fma(2.0f * y, q[1], x * q[3]);
  to[10] += std::fma(x, q[4], std::fma(y, q[2], z * q[1]));
  to[11] += std::fma(2.0f * z, q[2], x * q[5]);
  to[12] = std::fma(3.0f * y, q[3], to[12]);
  to[13] += std::fma(2.0f * y, q[4], z * q[3]);
  to[14] += std::fma(2.0f * z, q[4], y * q[5]);
  to[15] = std::fma(3.0f * z, q[5], to[15]);
}

// What a sum over bodies or children needs to become a centre of mass: offsets from the first of them.
struct TreeMean {
  Vec4<float> origin;
  float mass = 0, x = 0, y = 0, z = 0;

  HD void add(const Vec4<float>& q) {
    mass += q.w;
    x = std::fma(q.w, q.x - origin.x, x);
    y = std::fma(q.w, q.y - origin.y, y);
    z = std::fma(q.w, q.z - origin.z, z);
  }
  HD Vec4<float> center() const {
    if (!(mass > 0)) return {origin.x, origin.y, origin.z, 0};
    return {origin.x + x / mass, origin.y + y / mass, origin.z + z / mass, mass};
  }
  HD float share(float of) const { return mass > 0 ? of / mass : 0; }
};

HD inline float tree_square(float x, float y, float z) { return std::fma(x, x, std::fma(y, y, z * z)); }

HD inline void tree_store(const TreeNodes& nodes, std::size_t node, const Vec4<float>& center, float radius,
                          const TreeBox& box, const float* moments) {
  nodes.center[node] = center;
  nodes.link[node].radius = radius;
  nodes.box[node] = box;
  for (int i = 0; i < tree_moment_words; ++i)
    nodes.moment[node * tree_moment_words + static_cast<std::size_t>(i)] = {moments[4 * i], moments[4 * i + 1],
                                                                            moments[4 * i + 2], moments[4 * i + 3]};
}

// `length` and `mass` are the inverse units of nodes.
struct TreeScale {
  float length, mass;

  HD Vec4<float> operator()(const Vec4<float>& q) const {
    return {q.x * length, q.y * length, q.z * length, q.w * mass};
  }
};

// The numbers of a leaf: sums in the order of its bodies.
HD inline void tree_make_leaf(const TreeNodes& nodes, std::size_t node, const Vec4<float>* body, TreeScale scale) {
  const TreeLink link = nodes.link[node];
  const Vec4<float>* const bodies = body + link.first;
  TreeMean mean{scale(bodies[0])};
  TreeBox box{{mean.origin.x, mean.origin.y, mean.origin.z}, {mean.origin.x, mean.origin.y, mean.origin.z}};
  for (int i = 0; i < -link.count; ++i) {
    const Vec4<float> q = scale(bodies[i]);
    mean.add(q);
    const float at[3] = {q.x, q.y, q.z};
    for (int k = 0; k < 3; ++k) {
      box.low[k] = tree_smaller(box.low[k], at[k]);
      box.high[k] = tree_larger(box.high[k], at[k]);
    }
  }
  const Vec4<float> center = mean.center();
  float moments[16] = {}, square = 0;
  for (int i = 0; i < -link.count; ++i) {
    const Vec4<float> q = scale(bodies[i]);
    const float x = q.x - center.x, y = q.y - center.y, z = q.z - center.z;
    tree_add_point(moments, mean.share(q.w), x, y, z);
    square = tree_larger(square, tree_square(x, y, z));
  }
  tree_store(nodes, node, center, std::sqrt(square), box, moments);
}

// The numbers of a node with children: sums in their order.
HD inline void tree_make_parent(const TreeNodes& nodes, std::size_t node) {
  const TreeLink link = nodes.link[node];
  const auto first = static_cast<std::size_t>(link.first);
  TreeMean mean{nodes.center[first]};
  TreeBox box = nodes.box[first];
  for (std::size_t i = 0; i < static_cast<std::size_t>(link.count); ++i) {
    mean.add(nodes.center[first + i]);
    const TreeBox child = nodes.box[first + i];
    for (int k = 0; k < 3; ++k) {
      box.low[k] = tree_smaller(box.low[k], child.low[k]);
      box.high[k] = tree_larger(box.high[k], child.high[k]);
    }
  }
  const Vec4<float> center = mean.center();
  float moments[16] = {}, radius = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(link.count); ++i) {
    const Vec4<float> q = nodes.center[first + i];
    const float x = q.x - center.x, y = q.y - center.y, z = q.z - center.z, share = mean.share(q.w);
    float own[16];
    for (std::size_t k = 0; k < tree_moment_words; ++k) {
      const Vec4<float> word = nodes.moment[(first + i) * tree_moment_words + k];
      own[4 * k] = word.x;
      own[4 * k + 1] = word.y;
      own[4 * k + 2] = word.z;
      own[4 * k + 3] = word.w;
    }
    tree_add_point(moments, share, x, y, z);
    tree_add_moments(moments, share, x, y, z, own);
    radius = tree_larger(radius, std::sqrt(tree_square(x, y, z)) + nodes.link[first + i].radius);
  }
  const float at[3] = {center.x, center.y, center.z};
  float corner[3];
  for (int k = 0; k < 3; ++k) corner[k] = tree_larger(at[k] - box.low[k], box.high[k] - at[k]);
  const float farthest = std::sqrt(tree_square(corner[0], corner[1], corner[2]));
  tree_store(nodes, node, center, tree_smaller(radius, farthest), box, moments);
}

}  // namespace simreel
