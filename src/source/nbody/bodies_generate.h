#pragma once
// Generates bodies on all host threads of an executor. A body depends on its number alone, so the result does not
// depend on the threads.

#include <cstdint>

#include "kernels/nbody/tasks.h"
#include "source/nbody/bodies.h"

namespace simreel {

struct Body {
  Vec4<double> position, velocity;  // w: mass and 0
  int group = 0;
};

// make(i), a Body, for 0 <= i < count. Several threads call it at the same time.
template <class Make>
Bodies generate_bodies(const Executor& executor, std::int64_t count, const Make& make) {
  Bodies bodies;
  bodies.resize(count);
  each_on_cpu(executor, bodies.size(), 1024, [&](std::size_t i) {
    const Body body = make(static_cast<std::int64_t>(i));
    bodies.position[i] = body.position;
    bodies.velocity[i] = body.velocity;
    bodies.group[i] = static_cast<std::uint8_t>(body.group);
  });
  return bodies;
}

}  // namespace simreel
