#include "compare/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "base/error.h"
#include "compare/bands.h"

namespace simreel {
namespace {

template <class Pixel>
using Channel = decltype(Pixel::r);
// One of 255 levels in units of a channel: 1 for 8 bits, 257 for 16.
template <class Pixel>
constexpr int unit = std::numeric_limits<Channel<Pixel>>::max() / 255;

// The statistics of a band of rows.
struct BandSums {
  std::uint64_t absolute = 0, squared = 0;  // of stored channel values
  bool opaque = true;
  int first_x = -1, left = 0, right = -1, top = -1, bottom = -1;
  std::array<std::int64_t, 256> pixels_by_diff{};
};

template <class Pixel>
void add_differences(const Pixel* expected, const Pixel* actual, int width, BandSums& sums) {
  using Sum = std::conditional_t<unit<Pixel> == 1, std::uint32_t, std::uint64_t>;
  const auto* a = reinterpret_cast<const Channel<Pixel>*>(expected);
  const auto* b = reinterpret_cast<const Channel<Pixel>*>(actual);
  constexpr int run = 16384;  // pixels whose squares cannot overflow 32 bits (or 64)
  for (int start = 0; start < width; start += run) {
    Sum absolute = 0, squared = 0;
    const int end = std::min(width, start + run);
    for (int i = 4 * start; i < 4 * end; ++i) {
      const Sum difference = Sum(std::abs(a[i] - b[i]));
      absolute += difference;
      squared += difference * difference;
    }
    sums.absolute += absolute, sums.squared += squared;
  }
}

// Each pixel's largest channel difference in levels, rounded up.
template <class Pixel>
void largest_differences(const Pixel* expected, const Pixel* actual, int width, std::uint8_t* largest) {
  using Value = Channel<Pixel>;
  const auto distance = [](Value p, Value q) { return Value(p > q ? p - q : q - p); };
  for (int x = 0; x < width; ++x) {
    const Pixel p = expected[x], q = actual[x];
    const Value max =
        std::max(std::max(distance(p.r, q.r), distance(p.g, q.g)), std::max(distance(p.b, q.b), distance(p.a, q.a)));
    largest[x] = static_cast<std::uint8_t>((max + unit<Pixel> - 1) / unit<Pixel>);
  }
}

template <class Pixel>
bool row_is_opaque(const Pixel* row, int width) {
  Channel<Pixel> all = std::numeric_limits<Channel<Pixel>>::max();  // the bits that are set in every alpha
  for (int x = 0; x < width; ++x) all &= row[x].a;
  return all == std::numeric_limits<Channel<Pixel>>::max();
}

// One histogram for each of four neighbours: in a single one, runs of equal values would serialise on one counter.
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

template <class Pixel, class Row>
BandSums compare_band(const Row& pair_row, int width, int band_top, int rows) {
  BandSums sums;
  std::vector<Pixel> room(2 * static_cast<std::size_t>(width));
  std::vector<std::uint8_t> largest(static_cast<std::size_t>(width));
  Histograms counts{};
  for (int y = band_top; y < band_top + rows; ++y) {
    const auto [a, b] = pair_row(y, room.data());
    if (!a) {
      sums.pixels_by_diff[0] += width;
      continue;
    }
    sums.opaque &= row_is_opaque(a, width);
    if (std::memcmp(a, b, sizeof(Pixel) * static_cast<std::size_t>(width)) == 0) {
      sums.pixels_by_diff[0] += width;
      continue;
    }
    sums.opaque &= row_is_opaque(b, width);
    add_differences(a, b, width, sums);
    largest_differences(a, b, width, largest.data());
    count(largest, counts);
    const auto differs = [](std::uint8_t level) { return level != 0; };
    const int first = static_cast<int>(std::ranges::find_if(largest, differs) - largest.begin());
    const int last =
        width - 1 - static_cast<int>(std::find_if(largest.rbegin(), largest.rend(), differs) - largest.rbegin());
    if (sums.top < 0) sums.top = y, sums.first_x = sums.left = first;
    sums.bottom = y;
    sums.left = std::min(sums.left, first), sums.right = std::max(sums.right, last);
  }
  for (const auto& histogram : counts)
    for (std::size_t level = 0; level < 256; ++level) sums.pixels_by_diff[level] += histogram[level];
  return sums;
}

bool opaque(const Picture& picture) {
  return std::ranges::all_of(picture.pixels, [](const Color& c) { return c.a == 255; });
}

// The colour blended over a gray background.
Picture blended(const Picture& picture, int gray) {
  Picture result = picture;
  for (Color& c : result.pixels) {
    const int alpha = c.a;
    const auto over = [&](std::uint8_t v) {
      return static_cast<std::uint8_t>((v * alpha + gray * (255 - alpha) + 127) / 255);
    };
    c = {over(c.r), over(c.g), over(c.b), 255};
  }
  return result;
}

}  // namespace

std::string percent(double share) { return fmt::format("{:.4g}%", 100 * share); }

std::string different_sizes(Size expected, Size actual) {
  if (expected == actual) return "";
  return fmt::format("the sizes differ: {}x{} and {}x{} pixels", expected.width, expected.height, actual.width,
                     actual.height);
}

void refuse_different_sizes(Size expected, Size actual) {
  if (const std::string text = different_sizes(expected, actual); !text.empty()) throw UsageError(text);
}

PairRows rows_of(const Picture& expected, const Picture& actual) {
  const bool deep = !expected.deep.empty() && !actual.deep.empty();
  PairRows rows{expected.size, !deep && (expected.rounded || actual.rounded),
                [&](int y, Color*) { return std::pair(&expected.at(0, y), &actual.at(0, y)); }};
  if (deep) {
    rows.deep_row = [&](int y, DeepColor*) {
      const std::size_t start = static_cast<std::size_t>(y) * static_cast<std::size_t>(expected.size.width);
      return std::pair(&expected.deep[start], &actual.deep[start]);
    };
  }
  return rows;
}

Metrics compare_rows(const PairRows& pair) {
  Metrics metrics;
  const bool deep = static_cast<bool>(pair.deep_row);
  const std::vector<BandSums> bands = for_each_band<BandSums>(pair.size.height, [&](int top, int rows) {
    return deep ? compare_band<DeepColor>(pair.deep_row, pair.size.width, top, rows)
                : compare_band<Color>(pair.row, pair.size.width, top, rows);
  });
  std::uint64_t absolute = 0, squared = 0;
  bool opaque = true;
  int left = pair.size.width, right = -1, top = -1, bottom = -1;
  for (const BandSums& band : bands) {
    for (std::size_t level = 0; level < 256; ++level) metrics.pixels_by_diff[level] += band.pixels_by_diff[level];
    absolute += band.absolute, squared += band.squared;
    opaque &= band.opaque;
    if (band.top < 0) continue;
    if (top < 0) metrics.first_x = band.first_x, metrics.first_y = top = band.top;
    bottom = band.bottom;
    left = std::min(left, band.left), right = std::max(right, band.right);
  }
  if (top < 0) return metrics;

  metrics.identical = false;
  metrics.differing = {left, top, right - left + 1, bottom - top + 1};
  for (int level = 1; level < 256; ++level)
    if (metrics.pixels_by_diff[static_cast<std::size_t>(level)] > 0) metrics.max_diff = level;
  const double pixels = static_cast<double>(metrics.pixels());
  metrics.differing_share = static_cast<double>(metrics.pixels_over(0)) / pixels;
  const double values = pixels * (opaque ? 3 : 4), level = deep ? unit<DeepColor> : unit<Color>;
  metrics.mean_diff = static_cast<double>(absolute) / values / level;
  metrics.rmse = std::sqrt(static_cast<double>(squared) / values) / level;
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
  // A light pixel of low alpha is visible over black, a dark one over white.
  for (const int gray : {0, 255}) add(blended(expected, gray), blended(actual, gray));
}

Metrics compare_pictures(const Picture& expected, const Picture& actual, PerceptualMetrics wanted) {
  refuse_different_sizes(expected.size, actual.size);
  Metrics metrics = compare_rows(rows_of(expected, actual));
  if (!metrics.identical && wanted.any()) add_perceptual(metrics, expected, actual, wanted);
  return metrics;
}

std::int64_t Metrics::pixels() const {
  return std::accumulate(pixels_by_diff.begin(), pixels_by_diff.end(), std::int64_t{0});
}

std::int64_t Metrics::pixels_over(int level) const {
  const auto from = pixels_by_diff.begin() + std::clamp(level + 1, 0, 256);
  return std::accumulate(from, pixels_by_diff.end(), std::int64_t{0});
}

std::string in_words(const Tolerance& tolerance) {
  std::string text;
  const auto add = [&](const std::string& limit) { text += (text.empty() ? "" : ", ") + limit; };
  if (tolerance.max_diff > 0) add(fmt::format("max_diff {}", tolerance.max_diff));
  if (tolerance.max_pixels > 0) add(fmt::format("max_pixels {}", percent(tolerance.max_pixels)));
  if (tolerance.min_psnr) add(fmt::format("min_psnr {:.6g} dB", *tolerance.min_psnr));
  if (tolerance.min_ssim) add(fmt::format("min_ssim {:.6g}", *tolerance.min_ssim));
  if (tolerance.max_flip) add(fmt::format("max_flip {:.6g}", *tolerance.max_flip));
  return text.empty() ? "nothing may differ" : text;
}

std::string exceeds(const Metrics& metrics, const Tolerance& tolerance) {
  if (metrics.identical) return "";
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  const bool other_limit = tolerance.min_psnr || tolerance.perceptual().any();
  const bool by_pixels = tolerance.max_diff > 0 || tolerance.max_pixels > 0 || !other_limit;
  const double share =
      static_cast<double>(metrics.pixels_over(tolerance.max_diff)) / static_cast<double>(metrics.pixels());
  if (by_pixels && share > tolerance.max_pixels) {
    std::string part = percent(share) + " of the pixels differ";
    if (tolerance.max_diff > 0) part += fmt::format(" by more than {}", tolerance.max_diff);
    if (tolerance.max_pixels > 0) part += fmt::format(", {} may", percent(tolerance.max_pixels));
    add(part + fmt::format(" (by {} at most)", metrics.max_diff));
  }
  // Written such that an unknown value (NaN) is not within a limit.
  if (tolerance.min_psnr && !(metrics.psnr >= *tolerance.min_psnr))
    add(fmt::format("PSNR {:.2f} dB is under {:.6g}", metrics.psnr, *tolerance.min_psnr));
  if (tolerance.min_ssim && !(metrics.ssim >= *tolerance.min_ssim))
    add(fmt::format("SSIM {:.6f} is under {:.6g}", metrics.ssim, *tolerance.min_ssim));
  if (tolerance.max_flip && !(metrics.flip <= *tolerance.max_flip))
    add(fmt::format("FLIP {:.6f} is over {:.6g}", metrics.flip, *tolerance.max_flip));
  return text;
}

}  // namespace simreel
