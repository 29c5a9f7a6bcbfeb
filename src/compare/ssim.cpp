#include "compare/perceptual.h"
#include "compare/plane.h"

namespace simreel {
namespace {

constexpr int radius = 5;

// In double precision: variances are small differences of large squares. Rows top - radius ... top + rows + radius - 1.
Plane<double> luma_band(const Picture& picture, int top, int rows) {
  Plane<double> plane(picture.size.width, rows + 2 * radius);
  for (int y = 0; y < plane.height; ++y) {
    const Color* const source = &picture.at(0, std::clamp(top + y - radius, 0, picture.size.height - 1));
    double* const target = plane.row(y);
    for (int x = 0; x < plane.width; ++x) {
      target[x] = 0.299 * source[x].r + 0.587 * source[x].g + 0.114 * source[x].b;
    }
  }
  return plane;
}

Plane<double> product(const Plane<double>& a, const Plane<double>& b) {
  Plane<double> result(a.width, a.height);
  for (std::size_t i = 0; i < a.values.size(); ++i) result.values[i] = a.values[i] * b.values[i];
  return result;
}

}  // namespace

double ssim(const Picture& a, const Picture& b) {
  constexpr double c1 = (0.01 * 255) * (0.01 * 255), c2 = (0.03 * 255) * (0.03 * 255);
  const std::vector<double> window = gaussian<double>(1.5, radius);
  double sum = 0;
  Plane<double> mean_a, mean_b, square_a, square_b, cross;
  for_each_band(a.size.height, [&](int top, int rows) {
    const Plane<double> luma_a = luma_band(a, top, rows), luma_b = luma_band(b, top, rows);
    filter(luma_a, rows, window, window, mean_a);
    filter(luma_b, rows, window, window, mean_b);
    filter(product(luma_a, luma_a), rows, window, window, square_a);
    filter(product(luma_b, luma_b), rows, window, window, square_b);
    filter(product(luma_a, luma_b), rows, window, window, cross);
    for (std::size_t i = 0; i < mean_a.values.size(); ++i) {
      const double ma = mean_a.values[i], mb = mean_b.values[i];
      const double variances = square_a.values[i] - ma * ma + (square_b.values[i] - mb * mb);
      const double covariance = cross.values[i] - ma * mb;
      sum += (2 * ma * mb + c1) * (2 * covariance + c2) / ((ma * ma + mb * mb + c1) * (variances + c2));
    }
  });
  return sum / double(a.pixels.size());
}

}  // namespace simreel
