#pragma once
// One dab of light on the picture, in each shape. Double precision and integers: the same bits on every machine.

#include <cmath>
#include <cstdint>

#include "kernels/base/math.h"
#include "kernels/raster/splat.h"

namespace simreel {

// A picture that collects light and, if `colored`, light times place.
template <bool colored>
struct LightCanvas {
  SumsTarget target;
  Size size;

  HD void add(int x, int y, std::uint64_t light, std::uint64_t place) const {
    if (x < 0 || x >= size.width || y < 0 || y >= size.height || light == 0) return;
    add_inside(static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) + static_cast<std::size_t>(x), light,
               place);
  }
  HD void add_inside(std::size_t pixel, std::uint64_t light, std::uint64_t place) const {
    if constexpr (colored) {
      target.add(2 * pixel, light);
      target.add(2 * pixel + 1, light * place);
    } else {
      target.add(pixel, light);
    }
  }
};

// Dabs have a centre in pixels, an amount of light and a place in the colormap.

template <bool colored>
HD inline void dab_pixel(const LightCanvas<colored>& canvas, double x, double y, std::uint64_t light,
                         std::uint64_t place) {
  if (!(x >= 0 && x < canvas.size.width && y >= 0 && y < canvas.size.height)) return;
  canvas.add(static_cast<int>(x), static_cast<int>(y), light, place);
}

// A position in 1/256 of a pixel from the centre of the first pixel, and the shares of the four pixels around it.
struct BilinearPlace {
  int u = 0, v = 0;

  // False where none of the four is in the picture.
  HD bool find(Size size, double x, double y) {
    x -= 0.5, y -= 0.5;
    if (!(x >= -1 && x < size.width && y >= -1 && y < size.height)) return false;
    u = static_cast<int>(std::floor(std::fma(x, 256.0, 0.5)));
    v = static_cast<int>(std::floor(std::fma(y, 256.0, 0.5)));
    return true;
  }

  // The pixel of corner 0 to 3: left, right, lower left, lower right.
  HD int x(int corner) const { return (u >> 8) + (corner & 1); }
  HD int y(int corner) const { return (v >> 8) + (corner >> 1); }
  // The four shares add up to `light`.
  HD std::uint64_t share(std::uint64_t light, int corner) const {
    const std::uint64_t lower = part(light, v & 255), row = corner & 2 ? lower : light - lower;
    const std::uint64_t right = part(row, u & 255);
    return corner & 1 ? right : row - right;
  }

  // light * f / 256, rounded down, without overflow.
  HD static std::uint64_t part(std::uint64_t light, int f) {
    const auto factor = static_cast<std::uint64_t>(f);
    return (light >> 8) * factor + ((light & 255) * factor >> 8);
  }
};

template <bool colored>
HD inline void dab_bilinear(const LightCanvas<colored>& canvas, double x, double y, std::uint64_t light,
                            std::uint64_t place) {
  BilinearPlace at;
  if (!at.find(canvas.size, x, y)) return;
  const int left = at.x(0), top = at.y(0), width = canvas.size.width;
  if (left >= 0 && left < width - 1 && top >= 0 && top < canvas.size.height - 1) {
    const std::size_t row = static_cast<std::size_t>(width);
    const std::size_t pixel = static_cast<std::size_t>(top) * row + static_cast<std::size_t>(left);
    canvas.add_inside(pixel, at.share(light, 0), place);
    canvas.add_inside(pixel + 1, at.share(light, 1), place);
    canvas.add_inside(pixel + row, at.share(light, 2), place);
    canvas.add_inside(pixel + row + 1, at.share(light, 3), place);
  } else {
    for (int corner = 0; corner < 4; ++corner) canvas.add(at.x(corner), at.y(corner), at.share(light, corner), place);
  }
}

// The pixels around a gaussian and their shares of its light. The pixel of its centre gets what the others leave, so
// that the sum is exact.
struct GaussianPlace {
  int left = 0, right = 0, top = 0, bottom = -1, centre_x = 0, centre_y = 0;  // none at first
  double x = 0, y = 0, inverse = 0, peak = 0;

  // False where none of the pixels is in the picture.
  HD bool find(Size size, double at_x, double at_y, double radius, std::uint64_t light) {
    const double r = radius < min_gaussian_radius   ? min_gaussian_radius
                     : radius < max_gaussian_radius ? radius
                                                    : max_gaussian_radius;
    const double reach_squared = 8 * r * r, reach = std::sqrt(reach_squared);
    x = at_x, y = at_y;
    if (!(x > -reach && x < size.width + reach && y > -reach && y < size.height + reach)) return false;
    left = static_cast<int>(std::floor(x - reach)), right = static_cast<int>(std::floor(x + reach));
    top = static_cast<int>(std::floor(y - reach)), bottom = static_cast<int>(std::floor(y + reach));
    centre_x = static_cast<int>(std::floor(x)), centre_y = static_cast<int>(std::floor(y));
    constexpr double inverse_pi = 0.31830988618379067154;
    inverse = 1 / reach_squared;
    peak = static_cast<double>(light) * (9 * inverse_pi) * inverse;  // the shape's integral is pi 8 r^2 / 9
    return true;
  }

  // 1 - dy^2 / (8 r^2) for a row of pixels.
  HD double row_part(int row) const {
    const double dy = row + 0.5 - y;
    return std::fma(-dy * dy, inverse, 1.0);
  }
  // 0 for the centre. `part`: row_part of the row.
  HD std::uint64_t share(int column, int row, double part) const {
    const double dx = column + 0.5 - x;
    const double a = std::fma(-dx * dx, inverse, part);
    if (a <= 0 || (row == centre_y && column == centre_x)) return 0;
    const double a2 = a * a, a4 = a2 * a2;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::fma(a4 * a4, peak, 0.5)));
  }
};

template <bool colored>
HD inline void dab_gaussian(const LightCanvas<colored>& canvas, double x, double y, double radius, std::uint64_t light,
                            std::uint64_t place) {
  GaussianPlace at;
  if (!at.find(canvas.size, x, y, radius, light)) return;
  std::uint64_t spent = 0;
  for (int row = at.top; row <= at.bottom; ++row) {
    const double part = at.row_part(row);
    if (part <= 0) continue;
    for (int column = at.left; column <= at.right; ++column) {
      const std::uint64_t share = at.share(column, row, part);
      spent += share;
      canvas.add(column, row, share, place);
    }
  }
  canvas.add(at.centre_x, at.centre_y, light - spent, place);
}

struct Dab {
  double x = 0, y = 0, radius = 0;  // pixels
  std::uint64_t light = 0, place = 0;
};

template <SplatShape shape, bool colored>
HD inline void put(const LightCanvas<colored>& canvas, const Dab& dab) {
  if constexpr (shape == SplatShape::pixel) dab_pixel(canvas, dab.x, dab.y, dab.light, dab.place);
  if constexpr (shape == SplatShape::bilinear) dab_bilinear(canvas, dab.x, dab.y, dab.light, dab.place);
  if constexpr (shape == SplatShape::gaussian) dab_gaussian(canvas, dab.x, dab.y, dab.radius, dab.light, dab.place);
}

// The value of a body that determines its colour.
template <class Real>
HD inline double body_value(BodyField field, const Vec4<Real>& position, const Vec4<Real>& velocity, int group) {
  if (field == BodyField::mass) return static_cast<double>(position.w);
  if (field == BodyField::group) return group;
  const double x = static_cast<double>(velocity.x), y = static_cast<double>(velocity.y),
               z = static_cast<double>(velocity.z);
  return std::sqrt(std::fma(x, x, std::fma(y, y, z * z)));
}

// A body's radius over SplatParams::radius: the sixth root of its mass, at least a twelfth.
HD inline double size_of(const SplatParams& p, double mass) {
  if (!(p.heaviest > 0)) return 1;
  constexpr double least = 1.0 / 12, least_share = least * least * least * least * least * least;
  const double share = mass / p.heaviest;
  return share > least_share ? exact::exp(exact::log(share) / 6) : least;
}
// Its weight; where all have the same, small ones are as bright as large ones.
HD inline double weight_of(const SplatParams& p, double mass, double size) { return p.by_mass ? mass : size * size; }

// The light of a weight; none for negative weights.
HD inline std::uint64_t light_of(double weight, double quanta) {
  return weight > 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(std::fma(weight, quanta, 0.5))) : 0;
}

}  // namespace simreel
