#pragma once
// How far one picture is from another, and whether that is within tolerance. Everything here is deterministic: the same
// pictures give the same numbers on every run and any number of threads.

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "compare/picture.h"

namespace simreel {

// Pixels x .. x + width - 1 of rows y .. y + height - 1, counted from the upper left; empty where width is 0.
struct Box {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Box&) const = default;
};

// Differences are in 8-bit levels, 0 to 255, and look at what is stored: red, green and blue, and alpha as a fourth
// channel where either picture has a pixel that is not opaque. Of two pictures of 16 bits they are 257ths of a level,
// rounded up where they are counted in whole ones: the least difference is one of 1.
struct Metrics {
  bool identical = true;
  int max_diff = 0;                                       // the largest difference of a channel
  double mean_diff = 0;                                   // mean absolute difference over all channels
  double differing_share = 0;                             // pixels that differ in any channel, of all pixels; 0 to 1
  double rmse = 0;                                        // root of the mean squared difference over all channels
  double psnr = std::numeric_limits<double>::infinity();  // dB: 20 log10(255 / rmse)
  double ssim = 1;                                        // 1 is equal; see perceptual.h
  double flip = 0;                                        // 0 is equal, 1 the largest difference; see perceptual.h
  int first_x = -1, first_y = -1;                         // the first differing pixel in reading order; -1: none
  Box differing;                                          // the smallest box around the differing pixels
  std::array<std::int64_t, 256> pixels_by_diff{};  // how many pixels' largest channel difference is 0, 1, ... 255

  std::int64_t pixels() const;                // all
  std::int64_t pixels_over(int level) const;  // that differ by more than `level`
};

// The metrics that take hundreds of times longer than the others; those that are not asked for are NaN unless the
// pictures are identical.
struct PerceptualMetrics {
  bool ssim = false, flip = false;

  static constexpr PerceptualMetrics none() { return {}; }
  static constexpr PerceptualMetrics all() { return {true, true}; }
  bool any() const { return ssim || flip; }
};

// Two pictures of one size, row by row, so that they need not exist as a whole.
struct PairRows {
  // Row y of both, expected first; in `room` for 2 * size.width pixels, or elsewhere. Two null pointers: the rows are
  // known to be equal, and opaque. Any thread may ask for any row.
  using Row = std::function<std::pair<const Color*, const Color*>(int y, Color* room)>;
  // The same of pictures of 16 bits, which need no room and are never known to be equal.
  using DeepRow = std::function<std::pair<const DeepColor*, const DeepColor*>(int y, DeepColor* room)>;

  Size size;
  bool rounded = false;  // as Picture says, of either; false where deep_row is there
  Row row;
  DeepRow deep_row = {};  // where both have 16 bits; what is compared, then
};

// The rows of two pictures of one size, which must live as long.
PairRows rows_of(const Picture& expected, const Picture& actual);

// Throws UsageError with both sizes where they are not the same.
void refuse_different_sizes(Size expected, Size actual);

// All but the perceptual metrics, worked out on all threads of oneTBB; in 16 bits where both pictures have them.
Metrics compare_rows(const PairRows&);

// Sets the wanted metrics of two pictures that have the same size and are not identical; they look at 8 bits. Pictures
// that are not opaque are seen in front of black and in front of white, and the worse counts.
void add_perceptual(Metrics&, const Picture& expected, const Picture& actual, PerceptualMetrics wanted);

// The two above. Throws UsageError where the sizes differ.
Metrics compare_pictures(const Picture& expected, const Picture& actual, PerceptualMetrics wanted);

// What to look at: the size of the pictures and, below them, a scale with its ends labelled. Each pixel's largest
// channel difference in false colour (black is 0; the brightest is the largest difference of this pair, which the
// scale names). Throws UsageError where the sizes differ.
Picture difference_picture(const Picture& expected, const Picture& actual);

// What is let pass; the default is nothing. A share `max_pixels` of the pixels may differ by more than `max_diff`, so
// max_diff alone lets every pixel differ that much, and max_pixels alone lets that share differ at will. Where both are
// 0 and another limit is given, that limit alone decides.
struct Tolerance {
  int max_diff = 0;       // 0 to 255
  double max_pixels = 0;  // 0 to 1
  std::optional<double> min_psnr{}, min_ssim{}, max_flip{};

  PerceptualMetrics perceptual() const { return {min_ssim.has_value(), max_flip.has_value()}; }  // have to be known
};

// Empty where `metrics` are within the tolerance, ends included; otherwise which limits are exceeded and by how much:
// "0.25% of the pixels differ by more than 2, 0.1% may (by 9 at most); PSNR 31.42 dB is under 40".
std::string exceeds(const Metrics&, const Tolerance&);

std::string percent(double share);  // "0.1736%": four significant digits

}  // namespace simreel
