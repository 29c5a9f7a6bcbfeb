// A cold cube that expands, with random waves of density in it: each body is moved from its place on a grid along a
// random field without rotation, and its velocity continues that (Zel'dovich 1970, Astron. Astrophys. 5, 84).

#include <algorithm>
#include <vector>

#include "source/nbody/bodies.h"
#include "source/nbody/bodies_generate.h"

namespace simreel {
namespace {

constexpr double pi = 3.14159265358979323846;

struct Complex {
  double re = 0, im = 0;
};
Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

// values[x] = sum over k of values[k] exp(2 pi i k x / side), in place; the side is a power of two.
class Transform {
 public:
  explicit Transform(std::size_t side) : side_(side) {
    for (std::size_t i = 0; i < side / 2; ++i) {
      const double half_turns = 2 * static_cast<double>(i) / static_cast<double>(side);
      root_.push_back({exact::sinpi(half_turns + 0.5), exact::sinpi(half_turns)});
    }
  }

  void operator()(Complex* values) const {
    for (std::size_t i = 1, reversed = 0; i < side_; ++i) {
      std::size_t bit = side_ / 2;
      for (; reversed & bit; bit /= 2) reversed -= bit;
      reversed += bit;
      if (i < reversed) std::swap(values[i], values[reversed]);
    }
    for (std::size_t half = 1; half < side_; half *= 2)
      for (std::size_t start = 0; start < side_; start += 2 * half)
        for (std::size_t i = 0; i < half; ++i) {
          const Complex a = values[start + i], b = values[start + half + i] * root_[i * (side_ / 2 / half)];
          values[start + i] = a + b;
          values[start + half + i] = a - b;
        }
  }

 private:
  std::size_t side_;
  std::vector<Complex> root_;
};

// A periodic cube of side^3 numbers, x fastest.
class Mesh {
 public:
  explicit Mesh(std::size_t side) : side_(side), values_(side * side * side) {}

  // At indices that count round: -1 is the last.
  Complex& at(int x, int y, int z) { return values_[place(x, y, z)]; }
  const Complex& at(int x, int y, int z) const { return values_[place(x, y, z)]; }

  // From waves to space, along each axis.
  void transform(const Executor& executor) {
    const Transform line(side_);
    for (std::size_t stride = 1; stride < values_.size(); stride *= side_)
      each_on_cpu(executor, side_ * side_, 16, [&](std::size_t row) {
        std::vector<Complex> copy(side_);
        Complex* const first = values_.data() + row / stride * stride * side_ + row % stride;
        for (std::size_t i = 0; i < side_; ++i) copy[i] = first[i * stride];
        line(copy.data());
        for (std::size_t i = 0; i < side_; ++i) first[i * stride] = copy[i];
      });
  }

  // Linear between the points, of which the first lies half a step from the origin; x, y, z in [0, 1).
  Complex operator()(double x, double y, double z) const {
    const auto side = static_cast<double>(side_);
    const double u = x * side - 0.5, v = y * side - 0.5, w = z * side - 0.5;
    const double i = std::floor(u), j = std::floor(v), k = std::floor(w);
    Complex sum;
    for (int corner = 0; corner < 8; ++corner) {
      const int a = corner & 1, b = corner >> 1 & 1, c = corner >> 2;
      const double share = (a ? u - i : 1 - (u - i)) * (b ? v - j : 1 - (v - j)) * (c ? w - k : 1 - (w - k));
      if (share == 0) continue;
      const Complex& value = at(static_cast<int>(i) + a, static_cast<int>(j) + b, static_cast<int>(k) + c);
      sum = {sum.re + share * value.re, sum.im + share * value.im};
    }
    return sum;
  }

 private:
  std::size_t place(int x, int y, int z) const {
    const auto mask = side_ - 1;
    const auto round = [mask](int i) { return static_cast<std::size_t>(i) & mask; };
    return (round(z) * side_ + round(y)) * side_ + round(x);
  }

  std::size_t side_;
  std::vector<Complex> values_;
};

// k^exponent of a wave with so many periods along the axes.
double power(int square, double exponent) { return exact::exp(0.5 * exponent * exact::log(square)); }

// The waves of up to 16 periods along the cube, which displacements are measured by.
double variance(double spectrum) {
  constexpr int max = 16;
  double sum = 0;
  for (int z = -max; z <= max; ++z)
    for (int y = -max; y <= max; ++y)
      for (int x = -max; x <= max; ++x)
        if (const int square = x * x + y * y + z * z; square > 0 && square <= max * max)
          sum += power(square, spectrum - 2) / 3;
  return sum;
}

// The displacements: along x and y as one complex field, along z as another. The numbers of a wave depend on the seed
// and on the wave, so that a finer mesh has the same waves, and more.
struct Displacements {
  Mesh xy, z;

  Displacements(const Executor& executor, std::size_t side, std::uint64_t seed, double spectrum) : xy(side), z(side) {
    const int max = static_cast<int>(side) / 2;
    const double unit = 1 / std::sqrt(2 * variance(spectrum));
    each_on_cpu(executor, static_cast<std::size_t>(max), 1, [&](std::size_t plane) {
      const int c = static_cast<int>(plane);
      for (int b = -max + 1; b < max; ++b)
        for (int a = -max + 1; a < max; ++a) {
          const int square = a * a + b * b + c * c;
          const bool mirrored = c == 0 && (b < 0 || (b == 0 && a <= 0));
          if (mirrored || square >= max * max) continue;
          const auto number = [](int i) { return static_cast<std::uint64_t>(i + 1024); };
          BodyRandom random(seed, (number(c) << 11 | number(b)) << 11 | number(a));
          const Vec4<double> normal = random.normal();
          // The field whose divergence is minus the density: i k / k^2 times the wave of the density.
          const double size = unit * power(square, 0.5 * spectrum) / square;
          add(a, b, c, {-size * normal.y, size * normal.x});
        }
    });
    xy.transform(executor);
    z.transform(executor);
  }

 private:
  // A wave (a, b, c) * value and its mirror image, the conjugate: their sum is real along every axis. The component
  // along y is multiplied by i.
  void add(int a, int b, int c, Complex value) {
    const double re = value.re, im = value.im;
    xy.at(a, b, c) = {a * re - b * im, a * im + b * re};
    xy.at(-a, -b, -c) = {a * re + b * im, b * re - a * im};
    z.at(a, b, c) = {c * re, c * im};
    z.at(-a, -b, -c) = {c * re, -c * im};
  }
};

// The least whole number whose cube has room for them.
std::int64_t side_of(std::int64_t count) {
  std::int64_t side = 1;
  while (side * side * side < count) ++side;
  return side;
}

std::size_t mesh_side(std::int64_t bodies) {
  std::size_t side = 4;
  while (side < 256 && static_cast<std::int64_t>(side) < side_of(bodies)) side *= 2;
  return side;
}

}  // namespace

std::size_t cosmological_scratch_bytes(std::int64_t count) {
  const std::size_t side = mesh_side(count);
  return 2 * sizeof(Complex) * side * side * side;
}

std::array<std::int64_t, 2> cubes_around(std::int64_t count) {
  const std::int64_t above = side_of(count), below = above * above * above == count ? above : above - 1;
  return {below, above};
}

Bodies cosmological_bodies(const Executor& executor, const BodiesOptions& o) {
  const std::int64_t side = side_of(o.count);
  const Displacements displacements(executor, mesh_side(o.count), o.seed, o.spectrum);
  const double mass = o.mass / static_cast<double>(o.count), volume = 8 * o.radius * o.radius * o.radius;
  const double critical = std::sqrt(8 * pi / 3 * o.gravity * o.mass / volume);
  Bodies bodies = generate_bodies(executor, o.count, [&](std::int64_t i) {
    const auto along = [&](std::int64_t index) {
      return (static_cast<double>(index) + 0.5) / static_cast<double>(side);
    };
    const double x = along(i % side), y = along(i / side % side), z = along(i / side / side);
    const Complex across = displacements.xy(x, y, z), up = displacements.z(x, y, z);
    const double moved = o.displacement * o.radius;
    const Vec4<double> shift{moved * across.re, moved * across.im, moved * up.re, 0};
    const Vec4<double> q{(2 * x - 1) * o.radius + shift.x, (2 * y - 1) * o.radius + shift.y,
                         (2 * z - 1) * o.radius + shift.z, mass};
    const double rate = o.expansion * critical;
    return Body{q,
                {rate * q.x + critical * shift.x, rate * q.y + critical * shift.y, rate * q.z + critical * shift.z, 0}};
  });
  center_bodies(bodies);
  return bodies;
}

}  // namespace simreel
