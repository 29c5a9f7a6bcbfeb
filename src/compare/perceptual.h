#pragma once
// Perceptual metrics. Both are symmetric in their arguments, take opaque pictures of equal sizes of at least one pixel,
// and repeat the outermost pixels beyond the borders. They use all threads of oneTBB and give the same bits for any
// number of them.

#include "compare/picture.h"

namespace simreel {

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
