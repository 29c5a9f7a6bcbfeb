#pragma once
// A handful of bodies in executor memory, for tests that look at how they are drawn.

#include "exec/buffer.h"
#include "kernels/base/random.h"
#include "kernels/base/view.h"
#include "tests/support/test.h"

namespace simreel::test {

template <class Real>
struct Body {
  Real x = 0, y = 0, z = 0, mass = 1;
  Real vx = 0, vy = 0, vz = 0;
  std::uint8_t group = 0;
};

template <class Real>
struct Bodies {
  Buffer<Vec4<Real>> position, velocity;
  Buffer<std::uint8_t> group;
  ParticlesView<Real> view;

  Bodies(const Executor& executor, const std::vector<Body<Real>>& bodies)
      : position(executor, bodies.size()), velocity(executor, bodies.size()), group(executor, bodies.size()) {
    place(bodies);
    view = {position.data(), velocity.data(), group.data(), bodies.size()};
  }
  void place(const std::vector<Body<Real>>& bodies) {
    std::vector<Vec4<Real>> at, speed;
    std::vector<std::uint8_t> groups;
    for (const Body<Real>& b : bodies) {
      at.push_back({b.x, b.y, b.z, b.mass});
      speed.push_back({b.vx, b.vy, b.vz, 0});
      groups.push_back(b.group);
    }
    position.upload(at.data());
    velocity.upload(speed.data());
    group.upload(groups.data());
  }
};

// `count` bodies with masses between 1/2 and 3/2 in a cube of half side 1, moving anyhow, in three groups.
template <class Real>
std::vector<Body<Real>> random_bodies(std::size_t count, std::uint64_t seed = 1) {
  std::vector<Body<Real>> bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = [&](std::uint64_t stream) { return static_cast<Real>(2 * random_unit(seed, stream, i) - 1); };
    bodies[i] = {number(0), number(1), number(2), 1 + number(3) / 2,
                 number(4), number(5), number(6), static_cast<std::uint8_t>(i % 3)};
  }
  return bodies;
}

}  // namespace simreel::test
