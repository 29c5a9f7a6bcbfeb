#pragma once
// States of bodies on which the tree is tested: usual ones, and ones that are hard for a tree.

#include "kernels/base/random.h"
#include "kernels/base/view.h"
#include "tests/support/test.h"

namespace simreel::test {

using TreeBodies = std::vector<Vec4<float>>;

inline double tree_random(std::uint64_t stream, std::size_t i) { return random_unit(77, stream, i); }

// A Plummer model of scale length `radius` around (at, 0, 0), masses of half to one and a half of the mean.
inline TreeBodies plummer_of(std::size_t count, double radius = 1, double at = 0, std::uint64_t stream = 0) {
  TreeBodies bodies;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = 0.995 * tree_random(stream, i), cosine = 2 * tree_random(stream + 1, i) - 1;
    const double r = radius / std::sqrt(std::pow(share, -2.0 / 3) - 1), sine = std::sqrt(1 - cosine * cosine);
    const double angle = 6.283185307179586 * tree_random(stream + 2, i);
    bodies.push_back({static_cast<float>(at + r * sine * std::cos(angle)),
                      static_cast<float>(r * sine * std::sin(angle)), static_cast<float>(r * cosine),
                      static_cast<float>((0.5 + tree_random(stream + 3, i)) / static_cast<double>(count))});
  }
  return bodies;
}

// A thin exponential disk.
inline TreeBodies disk_of(std::size_t count) {
  TreeBodies bodies;
  for (std::size_t i = 0; i < count; ++i) {
    const double r = -std::log(tree_random(10, i) * tree_random(11, i)), angle = 6.283185307179586 * tree_random(12, i);
    bodies.push_back({static_cast<float>(r * std::cos(angle)), static_cast<float>(r * std::sin(angle)),
                      static_cast<float>(0.05 * (tree_random(13, i) - 0.5)),
                      static_cast<float>(1.0 / static_cast<double>(count))});
  }
  return bodies;
}

inline std::vector<std::pair<std::string, TreeBodies>> tree_states() {
  std::vector<std::pair<std::string, TreeBodies>> states;
  for (const std::size_t count : {1, 2, 3, 15, 16, 17, 33, 63, 64, 65, 129, 1000, 4097})
    states.emplace_back("plummer " + std::to_string(count), plummer_of(count));
  states.emplace_back("disk", disk_of(5000));
  const float mass = 1.0f / 1500;
  TreeBodies line, plane, one_place, lattice, heavy = plummer_of(3000);
  for (std::size_t i = 0; i < 1500; ++i) {
    const auto at = static_cast<float>(i);
    line.push_back({at, 0, 0, mass});
    plane.push_back({static_cast<float>(i % 40), static_cast<float>(i / 40), 1, mass});
    one_place.push_back({0.3f, -0.7f, 0.1f, mass});
    lattice.push_back({static_cast<float>(i % 4), static_cast<float>(i / 4 % 4), static_cast<float>(i / 16 % 4), mass});
  }
  heavy[17].w = 1.0f / 3;
  states.emplace_back("line", line);
  states.emplace_back("plane", plane);
  states.emplace_back("one place", one_place);
  states.emplace_back("places with 23 bodies each", lattice);
  states.emplace_back("a quarter of the mass in one body", heavy);
  TreeBodies nested = plummer_of(2000), massless = plummer_of(2000), apart = plummer_of(700, 1, 0, 20);
  for (const Vec4<float>& q : plummer_of(2000, 0.002, 0.5, 30)) nested.push_back(q);
  for (std::size_t i = 0; i < massless.size(); i += 2) massless[i].w = 0;
  for (const Vec4<float>& q : plummer_of(700, 1, 1e12, 40)) apart.push_back(q);
  states.emplace_back("a cluster in a cluster", nested);
  states.emplace_back("every other body without mass", massless);
  states.emplace_back("two clusters 1e12 radii apart", apart);
  states.emplace_back("two bodies 4e18 apart", TreeBodies{{2e18f, 0, 0, 0.5f}, {-2e18f, 0, 0, 0.5f}});
  TreeBodies tiny = plummer_of(1000), huge = plummer_of(1000);
  for (std::size_t i = 0; i < tiny.size(); ++i) {
    tiny[i] = {tiny[i].x * 1e-9f, tiny[i].y * 1e-9f, tiny[i].z * 1e-9f, tiny[i].w * 1e-20f};
    huge[i] = {huge[i].x * 1e11f, huge[i].y * 1e11f, huge[i].z * 1e11f, huge[i].w * 1e30f};
  }
  states.emplace_back("within 1e-8", tiny);
  states.emplace_back("metres and kilograms", huge);
  return states;
}

}  // namespace simreel::test
