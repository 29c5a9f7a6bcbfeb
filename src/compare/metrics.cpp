#include "compare/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "compare/perceptual.h"
#include "error.h"

namespace simreel {
namespace {

struct Sums {
  std::uint64_t absolute = 0, squared = 0;
};

// Writes each pixel's largest channel difference to `largest`.
Sums compare_rows(const Color* expected, const Color* actual, int width, std::uint8_t* largest) {
  const auto* a = reinterpret_cast<const std::uint8_t*>(expected);
  const auto* b = reinterpret_cast<const std::uint8_t*>(actual);
  Sums sums;
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
  const auto distance = [](std::uint8_t p, std::uint8_t q) { return std::uint8_t(p > q ? p - q : q - p); };
  for (int x = 0; x < width; ++x) {
    const Color p = expected[x], q = actual[x];
    largest[x] =
        std::max(std::max(distance(p.r, q.r), distance(p.g, q.g)), std::max(distance(p.b, q.b), distance(p.a, q.a)));
  }
  return sums;
}

bool opaque(const Picture& picture) {
  std::uint8_t all = 255;
  for (const Color& c : picture.pixels) all &= c.a;
  return all == 255;
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

std::string percent(double share) { return fmt::format("{:.4g}%", 100 * share); }

}  // namespace

void refuse_different_sizes(const Picture& expected, const Picture& actual) {
  if (expected.size == actual.size) return;
  throw UsageError(fmt::format("the sizes differ: {}x{} and {}x{} pixels", expected.size.width, expected.size.height,
                               actual.size.width, actual.size.height));
}

Metrics compare_pictures(const Picture& expected, const Picture& actual, bool perceptual) {
  refuse_different_sizes(expected, actual);
  const int width = expected.size.width, height = expected.size.height;
  Metrics metrics;
  Sums sums;
  int left = width, right = -1, top = height, bottom = -1;
  std::vector<std::uint8_t> largest(static_cast<std::size_t>(width));
  // One histogram for each of four neighbours: equal values in a row would wait for each other in a single one.
  std::array<std::array<std::uint32_t, 256>, 4> counts;
  for (int y = 0; y < height; ++y) {
    const Color* const a = &expected.at(0, y);
    const Color* const b = &actual.at(0, y);
    if (std::memcmp(a, b, sizeof(Color) * std::size_t(width)) == 0) {
      metrics.pixels_by_diff[0] += width;
      continue;
    }
    const Sums row = compare_rows(a, b, width, largest.data());
    sums.absolute += row.absolute, sums.squared += row.squared;
    for (auto& count : counts) count.fill(0);
    for (int x = 0; x < width; ++x) ++counts[std::size_t(x) % 4][largest[std::size_t(x)]];
    for (const auto& count : counts) {
      for (std::size_t level = 0; level < 256; ++level) metrics.pixels_by_diff[level] += count[level];
    }
    const auto differs = [](std::uint8_t level) { return level != 0; };
    const int first = int(std::ranges::find_if(largest, differs) - largest.begin());
    const int last = width - 1 - int(std::find_if(largest.rbegin(), largest.rend(), differs) - largest.rbegin());
    if (bottom < 0) metrics.first_x = first, metrics.first_y = top = y;
    bottom = y;
    left = std::min(left, first), right = std::max(right, last);
  }
  if (bottom < 0) return metrics;

  metrics.identical = false;
  metrics.differing = {left, top, right - left + 1, bottom - top + 1};
  for (int level = 1; level < 256; ++level) {
    if (metrics.pixels_by_diff[std::size_t(level)] > 0) metrics.max_diff = level;
  }
  metrics.differing_share = metrics.share_over(0);
  const bool both_opaque = opaque(expected) && opaque(actual);
  const double values = double(expected.pixels.size()) * (both_opaque ? 3 : 4);
  metrics.mean_diff = double(sums.absolute) / values;
  metrics.rmse = std::sqrt(double(sums.squared) / values);
  metrics.psnr = 20 * std::log10(255 / metrics.rmse);
  metrics.ssim = metrics.flip = std::numeric_limits<double>::quiet_NaN();
  if (perceptual && both_opaque) {
    metrics.ssim = ssim(expected, actual);
    metrics.flip = flip(expected, actual);
  } else if (perceptual) {
    // A light pixel of low alpha shows in front of black, a dark one in front of white.
    for (const int gray : {0, 255}) {
      const Picture a = blended(expected, gray), b = blended(actual, gray);
      metrics.ssim = std::fmin(metrics.ssim, ssim(a, b));
      metrics.flip = std::fmax(metrics.flip, flip(a, b));
    }
  }
  return metrics;
}

double Metrics::share_over(int level) const {
  const auto from = pixels_by_diff.begin() + std::clamp(level + 1, 0, 256);
  const double all = double(std::accumulate(pixels_by_diff.begin(), pixels_by_diff.end(), std::int64_t(0)));
  return all > 0 ? double(std::accumulate(from, pixels_by_diff.end(), std::int64_t(0))) / all : 0;
}

std::string exceeds(const Metrics& metrics, const Tolerance& tolerance) {
  if (metrics.identical) return "";
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  const bool other_limit = tolerance.min_psnr || tolerance.perceptual();
  const bool by_pixels = tolerance.max_diff > 0 || tolerance.max_pixels > 0 || !other_limit;
  const double share = metrics.share_over(tolerance.max_diff);
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
