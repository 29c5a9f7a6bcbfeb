#include "compare/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "compare/bands.h"
#include "compare/perceptual.h"
#include "error.h"

namespace simreel {
namespace {

// What a band of rows has in it.
struct BandSums {
  std::uint64_t absolute = 0, squared = 0;
  std::uint8_t alpha = 255;  // all bits that every alpha has
  int first_x = -1, left = 0, right = -1, top = -1, bottom = -1;
  std::array<std::int64_t, 256> pixels_by_diff{};
};

void add_differences(const Color* expected, const Color* actual, int width, BandSums& sums) {
  const auto* a = reinterpret_cast<const std::uint8_t*>(expected);
  const auto* b = reinterpret_cast<const std::uint8_t*>(actual);
  constexpr int run = 16384;  // pixels whose squares cannot overflow 32 bits
  for (int start = 0; start < width; start += run) {
    std::uint32_t absolute = 0, squared = 0;
    const int end = std::min(width, start + run);
    for (int i = 4 * start; i < 4 * end; ++i) {
      const int difference = a[i] - b[i];
      absolute += std::uint32_t(std::abs(difference));
      squared += std::uint32_t(difference * difference);
    }
    sums.absolute += absolute, sums.squared += squared;
  }
}

// Each pixel's largest channel difference.
void largest_differences(const Color* expected, const Color* actual, int width, std::uint8_t* largest) {
  const auto distance = [](std::uint8_t p, std::uint8_t q) { return std::uint8_t(p > q ? p - q : q - p); };
  for (int x = 0; x < width; ++x) {
    const Color p = expected[x], q = actual[x];
    largest[x] =
        std::max(std::max(distance(p.r, q.r), distance(p.g, q.g)), std::max(distance(p.b, q.b), distance(p.a, q.a)));
  }
}

std::uint8_t common_alpha(const Color* row, int width) {
  std::uint8_t all = 255;
  for (int x = 0; x < width; ++x) all &= row[x].a;
  return all;
}

// One histogram for each of four neighbours: equal values in a row would wait for each other in a single one.
using Histograms = std::array<std::array<std::uint32_t, 256>, 4>;

// Eight values with one load, which takes half the time.
void count(const std::vector<std::uint8_t>& levels, Histograms& counts) {
  std::size_t x = 0;
  for (; x + 8 <= levels.size(); x += 8) {
    std::uint64_t word;
    std::memcpy(&word, &levels[x], sizeof word);
    for (std::size_t k = 0; k < 8; ++k) ++counts[k % 4][word >> (8 * k) & 255];
  }
  for (; x < levels.size(); ++x) ++counts[0][levels[x]];
}

BandSums compare_band(const PairRows& pair, int band_top, int rows) {
  const int width = pair.size.width;
  BandSums sums;
  std::vector<Color> room(2 * std::size_t(width));
  std::vector<std::uint8_t> largest(static_cast<std::size_t>(width));
  Histograms counts{};
  for (int y = band_top; y < band_top + rows; ++y) {
    const auto [a, b] = pair.row(y, room.data());
    if (!a) {
      sums.pixels_by_diff[0] += width;
      continue;
    }
    sums.alpha &= common_alpha(a, width);
    if (std::memcmp(a, b, sizeof(Color) * std::size_t(width)) == 0) {
      sums.pixels_by_diff[0] += width;
      continue;
    }
    sums.alpha &= common_alpha(b, width);
    add_differences(a, b, width, sums);
    largest_differences(a, b, width, largest.data());
    count(largest, counts);
    const auto differs = [](std::uint8_t level) { return level != 0; };
    const int first = int(std::ranges::find_if(largest, differs) - largest.begin());
    const int last = width - 1 - int(std::find_if(largest.rbegin(), largest.rend(), differs) - largest.rbegin());
    if (sums.top < 0) sums.top = y, sums.first_x = sums.left = first;
    sums.bottom = y;
    sums.left = std::min(sums.left, first), sums.right = std::max(sums.right, last);
  }
  for (const auto& histogram : counts) {
    for (std::size_t level = 0; level < 256; ++level) sums.pixels_by_diff[level] += histogram[level];
  }
  return sums;
}

bool opaque(const Picture& picture) {
  return std::ranges::all_of(picture.pixels, [](const Color& c) { return c.a == 255; });
}

// As it looks in front of a background of that gray.
Picture blended(const Picture& picture, int gray) {
  Picture result = picture;
  for (Color& c : result.pixels) {
    const int alpha = c.a;
    const auto over = [&](std::uint8_t v) { return std::uint8_t((v * alpha + gray * (255 - alpha) + 127) / 255); };
    c = {over(c.r), over(c.g), over(c.b), 255};
  }
  return result;
}

}  // namespace

std::string percent(double share) { return fmt::format("{:.4g}%", 100 * share); }

void refuse_different_sizes(Size expected, Size actual) {
  if (expected == actual) return;
  throw UsageError(fmt::format("the sizes differ: {}x{} and {}x{} pixels", expected.width, expected.height,
                               actual.width, actual.height));
}

Metrics compare_rows(const PairRows& pair) {
  Metrics metrics;
  const std::vector<BandSums> bands =
      for_each_band<BandSums>(pair.size.height, [&](int top, int rows) { return compare_band(pair, top, rows); });
  std::uint64_t absolute = 0, squared = 0;
  std::uint8_t alpha = 255;
  int left = pair.size.width, right = -1, top = -1, bottom = -1;
  for (const BandSums& band : bands) {
    for (std::size_t level = 0; level < 256; ++level) metrics.pixels_by_diff[level] += band.pixels_by_diff[level];
    absolute += band.absolute, squared += band.squared;
    alpha &= band.alpha;
    if (band.top < 0) continue;
    if (top < 0) metrics.first_x = band.first_x, metrics.first_y = top = band.top;
    bottom = band.bottom;
    left = std::min(left, band.left), right = std::max(right, band.right);
  }
  if (top < 0) return metrics;

  metrics.identical = false;
  metrics.differing = {left, top, right - left + 1, bottom - top + 1};
  for (int level = 1; level < 256; ++level) {
    if (metrics.pixels_by_diff[std::size_t(level)] > 0) metrics.max_diff = level;
  }
  const double pixels = double(metrics.pixels());
  metrics.differing_share = double(metrics.pixels_over(0)) / pixels;
  const double values = pixels * (alpha == 255 ? 3 : 4);
  metrics.mean_diff = double(absolute) / values;
  metrics.rmse = std::sqrt(double(squared) / values);
  metrics.psnr = 20 * std::log10(255 / metrics.rmse);
  metrics.ssim = metrics.flip = std::numeric_limits<double>::quiet_NaN();
  return metrics;
}

void add_perceptual(Metrics& metrics, const Picture& expected, const Picture& actual, PerceptualMetrics wanted) {
  const auto add = [&](const Picture& a, const Picture& b) {
    if (wanted.ssim) metrics.ssim = std::fmin(metrics.ssim, ssim(a, b));
    if (wanted.flip) metrics.flip = std::fmax(metrics.flip, flip(a, b));
  };
  if (opaque(expected) && opaque(actual)) return add(expected, actual);
  // A light pixel of low alpha shows in front of black, a dark one in front of white.
  for (const int gray : {0, 255}) add(blended(expected, gray), blended(actual, gray));
}

Metrics compare_pictures(const Picture& expected, const Picture& actual, PerceptualMetrics wanted) {
  refuse_different_sizes(expected.size, actual.size);
  const auto row = [&](int y, Color*) { return std::pair(&expected.at(0, y), &actual.at(0, y)); };
  Metrics metrics = compare_rows({expected.size, expected.rounded || actual.rounded, row});
  if (!metrics.identical && wanted.any()) add_perceptual(metrics, expected, actual, wanted);
  return metrics;
}

std::int64_t Metrics::pixels() const {
  return std::accumulate(pixels_by_diff.begin(), pixels_by_diff.end(), std::int64_t(0));
}

std::int64_t Metrics::pixels_over(int level) const {
  const auto from = pixels_by_diff.begin() + std::clamp(level + 1, 0, 256);
  return std::accumulate(from, pixels_by_diff.end(), std::int64_t(0));
}

std::string exceeds(const Metrics& metrics, const Tolerance& tolerance) {
  if (metrics.identical) return "";
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  const bool other_limit = tolerance.min_psnr || tolerance.perceptual().any();
  const bool by_pixels = tolerance.max_diff > 0 || tolerance.max_pixels > 0 || !other_limit;
  const double share = double(metrics.pixels_over(tolerance.max_diff)) / double(metrics.pixels());
  if (by_pixels && share > tolerance.max_pixels) {
    std::string part = percent(share) + " of the pixels differ";
    if (tolerance.max_diff > 0) part += fmt::format(" by more than {}", tolerance.max_diff);
    if (tolerance.max_pixels > 0) part += fmt::format(", {} may", percent(tolerance.max_pixels));
    add(part + fmt::format(" (by {} at most)", metrics.max_diff));
  }
  // Written so that a value that is not known (NaN) is not within a limit.
  if (tolerance.min_psnr && !(metrics.psnr >= *tolerance.min_psnr)) {
    add(fmt::format("PSNR {:.2f} dB is under {:.6g}", metrics.psnr, *tolerance.min_psnr));
  }
  if (tolerance.min_ssim && !(metrics.ssim >= *tolerance.min_ssim)) {
    add(fmt::format("SSIM {:.6f} is under {:.6g}", metrics.ssim, *tolerance.min_ssim));
  }
  if (tolerance.max_flip && !(metrics.flip <= *tolerance.max_flip)) {
    add(fmt::format("FLIP {:.6f} is over {:.6g}", metrics.flip, *tolerance.max_flip));
  }
  return text;
}

}  // namespace simreel
