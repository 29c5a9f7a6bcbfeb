#pragma once
// Generates bodies on all host threads of an executor. A body depends on its number alone, so the result does not
// depend on the threads.

#include <cmath>
#include <cstdint>

#include "kernels/base/math.h"
#include "kernels/base/random.h"
#include "kernels/base/view.h"
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

// Random numbers of one body, from (seed, body): independent of other bodies and of the order of generation.

class BodyRandom {
 public:
  BodyRandom(std::uint64_t seed, std::uint64_t body) : seed_(seed), body_(body) {}

  double unit() { return random_unit(seed_, next_stream_++, body_); }  // [0, 1)
  double symmetric() { return 2 * unit() - 1; }                        // [-1, 1)

  // A vector of this length in a random direction, uniform on the sphere.
  Vec4<double> on_sphere(double length) {
    const double z = symmetric(), turn = symmetric(), across = length * std::sqrt(std::fmax(0.0, 1 - z * z));
    return {across * exact::sinpi(turn + 0.5), across * exact::sinpi(turn), length * z, 0};
  }

  // Normal distribution of standard deviation 1 along each axis (Box and Muller 1958).
  Vec4<double> normal() {
    const double a = amplitude(), b = amplitude(), turn_a = symmetric(), turn_b = symmetric();
    return {a * exact::sinpi(turn_a + 0.5), a * exact::sinpi(turn_a), b * exact::sinpi(turn_b), 0};
  }

 private:
  double amplitude() { return std::sqrt(-2 * exact::log(1 - unit())); }

  std::uint64_t seed_, body_;
  std::uint64_t next_stream_ = 16;  // below that: rain and noise
};

}  // namespace simreel
