#pragma once
// The difference between two pictures, and whether it is within tolerance. Deterministic: the same pictures give the
// same numbers on every run and for any number of threads.

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "compare/picture.h"

namespace simreel {

// Pixels x .. x + width - 1 of rows y .. y + height - 1, counted from the upper left; empty if width is 0.
struct Box {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Box&) const = default;
};

// Differences are in 8-bit levels, 0 to 255, of the stored values: red, green and blue, and alpha as a fourth channel
// if either picture has a pixel that is not opaque. Between two 16-bit pictures they are multiples of 1/257 level,
// rounded up where whole levels are counted, so the smallest difference counts as 1.
struct Metrics {
  bool identical = true;
  int max_diff = 0;                                       // the largest difference of a channel
  double mean_diff = 0;                                   // mean absolute difference over all channels
  double differing_share = 0;                             // share of the pixels that differ in any channel; 0 to 1
  double rmse = 0;                                        // root of the mean squared difference over all channels
  double psnr = std::numeric_limits<double>::infinity();  // dB: 20 log10(255 / rmse)
  double ssim = 1;                                        // 1 is equal; see perceptual.h
  double flip = 0;                                        // 0 is equal, 1 the largest difference; see perceptual.h
  int first_x = -1, first_y = -1;                         // the first differing pixel in reading order; -1: none
  Box differing;                                          // the smallest box around the differing pixels
  std::array<std::int64_t, 256> pixels_by_diff{};  // how many pixels' largest channel difference is 0, 1, ... 255

  std::int64_t pixels() const;                // all
  std::int64_t pixels_over(int level) const;  // those that differ by more than `level`
};

// The metrics that take hundreds of times longer than the others. Those not requested are NaN unless the pictures are
// identical.
struct PerceptualMetrics {
  bool ssim = false, flip = false;

  static constexpr PerceptualMetrics none() { return {}; }
  static constexpr PerceptualMetrics all() { return {true, true}; }
  bool any() const { return ssim || flip; }
};

// Two pictures of one size, row by row, so that the whole pictures need not be in memory.
struct PairRows {
  // Row y of both, expected first, stored in `room` (2 * size.width pixels) or elsewhere. Two null pointers: the rows
  // are known to be equal and opaque. Any thread may ask for any row.
  using Row = std::function<std::pair<const Color*, const Color*>(int y, Color* room)>;
  // The same for 16-bit pictures, which need no room and are never known to be equal.
  using DeepRow = std::function<std::pair<const DeepColor*, const DeepColor*>(int y, DeepColor* room)>;

  Size size;
  bool rounded = false;  // Picture::rounded of either; false if deep_row is set
  Row row;
  DeepRow deep_row = {};  // set if both have 16 bits; then it is compared
};

// The rows of two pictures of one size, which must outlive the result.
PairRows rows_of(const Picture& expected, const Picture& actual);

// "the sizes differ: 40x25 and 20x25 pixels"; empty if they are equal.
std::string different_sizes(Size expected, Size actual);
// Throws UsageError with that text.
void refuse_different_sizes(Size expected, Size actual);

// All metrics but the perceptual ones, computed on all threads of oneTBB; in 16 bits if both pictures have 16 bits.
Metrics compare_rows(const PairRows&);

// Sets the requested metrics of two pictures of the same size that are not identical, from 8 bits. Pictures that are
// not opaque are blended over black and over white, and the worse result counts.
void add_perceptual(Metrics&, const Picture& expected, const Picture& actual, PerceptualMetrics wanted);

// Both of the above. Throws UsageError if the sizes differ.
Metrics compare_pictures(const Picture& expected, const Picture& actual, PerceptualMetrics wanted);

// A picture of the difference: each pixel's largest channel difference in false colour, from black (0) to the largest
// difference of this pair; below it a scale with labelled ends. Throws UsageError if the sizes differ.
Picture difference_picture(const Picture& expected, const Picture& actual);

// The allowed differences; by default none. A share `max_pixels` of the pixels may differ by more than `max_diff`. So
// max_diff alone allows every pixel to differ that much, and max_pixels alone allows that share to differ by any
// amount. If both are 0 and another limit is given, only that limit applies.
struct Tolerance {
  int max_diff = 0;       // 0 to 255
  double max_pixels = 0;  // 0 to 1
  std::optional<double> min_psnr{}, min_ssim{}, max_flip{};

  PerceptualMetrics perceptual() const { return {min_ssim.has_value(), max_flip.has_value()}; }  // those it needs
};

// "max_diff 3, max_pixels 1%, min_psnr 40 dB": the limits that are set; "nothing may differ" without any.
std::string in_words(const Tolerance&);

// Empty if `metrics` are within the tolerance, limits included; otherwise the exceeded limits and by how much:
// "0.25% of the pixels differ by more than 2, 0.1% may (by 9 at most); PSNR 31.42 dB is under 40".
std::string exceeds(const Metrics&, const Tolerance&);

std::string percent(double share);  // "0.1736%": four significant digits

// Perceptual metrics. Both are symmetric in their arguments, take opaque pictures of equal sizes of at least one pixel,
// and repeat the outermost pixels beyond the borders. They use all threads of oneTBB and give the same bits for any
// number of them.
// Structural similarity, 1 for equal pictures, -1 at the least: Wang, Bovik, Sheikh, Simoncelli, "Image quality
// assessment: from error visibility to structural similarity", IEEE Transactions on Image Processing 13(4), 2004,
// eq. (13) with (14) - (16) and the mean (17): 11 x 11 Gaussian window of sigma 1.5, K1 = 0.01, K2 = 0.03, L = 255.
// Luma is 0.299 R + 0.587 G + 0.114 B of the stored values. There is a window around every pixel; the authors' program
// skips windows that extend beyond the border, so that changes there hardly count.
double ssim(const Picture&, const Picture&);

// LDR-FLIP, mean over the pixels (as its authors now recommend): 0 for equal pictures, at most 1. Andersson,
// Nilsson, Akenine-Moeller, Oskarsson, Astroem, Fairchild, "FLIP: A Difference Evaluator for Alternating Images",
// Proceedings of the ACM on Computer Graphics and Interactive Techniques 3(2), 2020. Its steps: YyCxCz opponent colours
// and contrast sensitivity filters (section 4.1.1), L*a*b* with the Hunt effect and the HyAB distance (4.1.2),
// compression of large distances (4.1.3), edge and point features (4.2), and color^(1 - feature) (4.3). The default of
// `pixels_per_degree`, 67, is that of the paper: 0.7 m from a display that is 0.7 m and 3840 pixels wide.
inline constexpr double default_pixels_per_degree = 67;
double flip(const Picture&, const Picture&, double pixels_per_degree = default_pixels_per_degree);

}  // namespace simreel
