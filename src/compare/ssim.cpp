#include <oneapi/tbb/enumerable_thread_specific.h>

#include "compare/bands.h"
#include "compare/metrics.h"
#include "compare/plane.h"

namespace simreel {
namespace {

constexpr int radius = 5;

// Double precision, because variances are small differences of large squares. Rows top - radius ... top + rows + radius
// - 1.
void luma_band(const Picture& picture, int top, int rows, Plane<double>& plane) {
  plane.resize(picture.size.width, rows + 2 * radius);
  for (int y = 0; y < plane.height; ++y) {
    const Color* const source = &picture.at(0, std::clamp(top + y - radius, 0, picture.size.height - 1));
    double* const target = plane.row(y);
    for (int x = 0; x < plane.width; ++x) target[x] = 0.299 * source[x].r + 0.587 * source[x].g + 0.114 * source[x].b;
  }
}

// The memory of one thread for a band, reused for the next band.
struct Band {
  Plane<double> luma_a, luma_b, product, mean_a, mean_b, square_a, square_b, cross;

  void multiply(const Plane<double>& a, const Plane<double>& b) {
    product.resize(a.width, a.height);
    for (std::size_t i = 0; i < a.values.size(); ++i) product.values[i] = a.values[i] * b.values[i];
  }
};

}  // namespace

double ssim(const Picture& a, const Picture& b) {
  constexpr double c1 = (0.01 * 255) * (0.01 * 255), c2 = (0.03 * 255) * (0.03 * 255);
  const std::vector<double> window = gaussian<double>(1.5, radius);
  oneapi::tbb::enumerable_thread_specific<Band> bands;
  const auto sum_of = [&](int top, int rows) {
    Band& band = bands.local();
    luma_band(a, top, rows, band.luma_a);
    luma_band(b, top, rows, band.luma_b);
    filter(band.luma_a, rows, window, window, band.mean_a);
    filter(band.luma_b, rows, window, window, band.mean_b);
    const auto filtered_product = [&](const Plane<double>& p, const Plane<double>& q, Plane<double>& out) {
      band.multiply(p, q);
      filter(band.product, rows, window, window, out);
    };
    filtered_product(band.luma_a, band.luma_a, band.square_a);
    filtered_product(band.luma_b, band.luma_b, band.square_b);
    filtered_product(band.luma_a, band.luma_b, band.cross);
    double sum = 0;
    for (std::size_t i = 0; i < band.mean_a.values.size(); ++i) {
      const double ma = band.mean_a.values[i], mb = band.mean_b.values[i];
      const double variances = band.square_a.values[i] - ma * ma + (band.square_b.values[i] - mb * mb);
      const double covariance = band.cross.values[i] - ma * mb;
      sum += (2 * ma * mb + c1) * (2 * covariance + c2) / ((ma * ma + mb * mb + c1) * (variances + c2));
    }
    return sum;
  };
  return sum_of_bands(a.size.height, sum_of) / static_cast<double>(a.pixels.size());
}

}  // namespace simreel
