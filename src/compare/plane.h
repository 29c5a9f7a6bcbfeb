#pragma once
// One channel of a band of a picture in floating point, and separable filters; shared by the perceptual metrics.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace simreel {

template <class T>
struct Plane {
  Plane() = default;
  Plane(int columns, int rows) { resize(columns, rows); }

  // Does not keep the values.
  void resize(int columns, int rows) {
    width = columns, height = rows;
    values.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  }
  T* row(int y) { return &values[static_cast<std::size_t>(y) * static_cast<std::size_t>(width)]; }
  const T* row(int y) const { return &values[static_cast<std::size_t>(y) * static_cast<std::size_t>(width)]; }

  int width = 0, height = 0;
  std::vector<T> values;
};

// exp(-x^2 / (2 sigma^2)) at x = -radius ... radius, normalised to the sum 1.
template <class T>
std::vector<T> gaussian(double sigma, int radius) {
  std::vector<double> weights;
  double sum = 0;
  for (int x = -radius; x <= radius; ++x) {
    weights.push_back(std::exp(-x * x / (2 * sigma * sigma)));
    sum += weights.back();
  }
  std::vector<T> kernel;
  for (const double weight : weights) kernel.push_back(T(weight / sum));
  return kernel;
}

// Correlates `in` with `down` along y, then the result with `across` along x (odd lengths). `in` has the same number of
// margin rows above and below the band, at least half of `down`; on the left and right the outermost pixel is repeated.
// `out` becomes in.width x rows.
template <class T>
void filter(const Plane<T>& in, int rows, const std::vector<T>& down, const std::vector<T>& across, Plane<T>& out) {
  const int width = in.width, margin = (in.height - rows) / 2;
  const int above = static_cast<int>(down.size()) / 2, beside = static_cast<int>(across.size()) / 2;
  out.resize(width, rows);
  std::vector<T> line(static_cast<std::size_t>(width + 2 * beside));
  T* const middle = line.data() + beside;
  for (int y = 0; y < rows; ++y) {
    std::fill(line.begin(), line.end(), T(0));
    for (std::size_t j = 0; j < down.size(); ++j) {
      const T* const source = in.row(y + margin - above + static_cast<int>(j));
      const T weight = down[j];
      for (int x = 0; x < width; ++x) middle[x] += weight * source[x];
    }
    std::fill(line.begin(), line.begin() + beside, middle[0]);
    std::fill(line.end() - beside, line.end(), middle[width - 1]);
    T* const target = out.row(y);
    std::fill(target, target + width, T(0));
    for (std::size_t i = 0; i < across.size(); ++i) {
      const T* const source = line.data() + i;
      const T weight = across[i];
      for (int x = 0; x < width; ++x) target[x] += weight * source[x];
    }
  }
}

}  // namespace simreel
