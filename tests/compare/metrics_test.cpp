#include "compare/metrics.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "raster/color/colormap.h"
#include "tests/support/compare_fixture.h"

namespace simreel {
namespace {

using test::draw, test::gray, test::plain;

Picture ramp(int width, int height) {
  return draw(width, height, [](int x, int y) {
    return Color{std::uint8_t(x * 7), std::uint8_t(y * 5), std::uint8_t(x + y), 255};
  });
}

TEST(CompareMetrics, EqualPicturesAreIdentical) {
  const Metrics metrics = compare_pictures(ramp(33, 17), ramp(33, 17), PerceptualMetrics::none());
  EXPECT_TRUE(metrics.identical);
  EXPECT_EQ(metrics.max_diff, 0);
  EXPECT_EQ(metrics.mean_diff, 0);
  EXPECT_EQ(metrics.differing_share, 0);
  EXPECT_EQ(metrics.rmse, 0);
  EXPECT_EQ(metrics.psnr, std::numeric_limits<double>::infinity());
  EXPECT_EQ(metrics.ssim, 1);
  EXPECT_EQ(metrics.flip, 0);
  EXPECT_EQ(metrics.first_x, -1);
  EXPECT_EQ(metrics.first_y, -1);
  EXPECT_EQ(metrics.differing, Box{});
  EXPECT_EQ(metrics.pixels_by_diff[0], 33 * 17);
}

TEST(CompareMetrics, AnOffsetEverywhereIsAllThereIs) {
  for (const int k : {1, 10, 255}) {
    const Metrics metrics = compare_pictures(plain(31, 9, gray(0)), plain(31, 9, gray(k)), PerceptualMetrics::none());
    EXPECT_FALSE(metrics.identical);
    EXPECT_EQ(metrics.max_diff, k);
    EXPECT_DOUBLE_EQ(metrics.mean_diff, k);
    EXPECT_DOUBLE_EQ(metrics.rmse, k);
    EXPECT_NEAR(metrics.psnr, 20 * std::log10(255.0 / k), 1e-12);
    EXPECT_EQ(metrics.differing_share, 1);
    EXPECT_EQ(metrics.differing, (Box{0, 0, 31, 9}));
    EXPECT_EQ(metrics.pixels_by_diff[k], 31 * 9);
    EXPECT_TRUE(std::isnan(metrics.ssim));
    EXPECT_TRUE(std::isnan(metrics.flip));
  }
}

TEST(CompareMetrics, SixteenBitsAreComparedAsTheyAre) {
  for (const int k : {1, 257, 258, 65535}) {
    const auto plain_deep = [](int level) {
      return test::draw_deep(31, 9, [=](int, int) {
        const auto v = std::uint16_t(level);
        return DeepColor{v, v, v};
      });
    };
    const Picture expected = plain_deep(0), actual = plain_deep(k);
    const Metrics metrics = compare_pictures(expected, actual, PerceptualMetrics::none());
    EXPECT_FALSE(metrics.identical);
    EXPECT_EQ(metrics.max_diff, (k + 256) / 257) << "rounded up";
    EXPECT_EQ(metrics.pixels_by_diff[(k + 256) / 257], 31 * 9);
    EXPECT_DOUBLE_EQ(metrics.mean_diff, k / 257.0);
    EXPECT_DOUBLE_EQ(metrics.rmse, k / 257.0);
    EXPECT_NEAR(metrics.psnr, 20 * std::log10(65535.0 / k), 1e-12);
    EXPECT_EQ(exceeds(metrics, {(k + 256) / 257}), "");
    EXPECT_NE(exceeds(metrics, {(k + 256) / 257 - 1}), "");
    EXPECT_TRUE(compare_pictures(actual, actual, PerceptualMetrics::none()).identical);
    const Picture difference = difference_picture(expected, actual);
    EXPECT_NE(difference.at(3, 3), gray(0)) << "the least difference can be seen";
  }
}

TEST(CompareMetrics, SixteenBitsHaveAlphaAndAPlace) {
  const auto picture = [](int alpha, int green) {
    return test::draw_deep(40, 70, [=](int x, int y) {
      const bool here = x == 17 && y == 66;  // in the second band of rows
      return DeepColor{std::uint16_t(1000 * x), std::uint16_t(here ? green : 5), 9,
                       std::uint16_t(here ? alpha : 65535)};
    });
  };
  const Metrics metrics = compare_pictures(picture(65535, 5), picture(65534, 8), PerceptualMetrics::all());
  EXPECT_EQ(metrics.differing, (Box{17, 66, 1, 1}));
  EXPECT_DOUBLE_EQ(metrics.mean_diff, 4.0 / 257 / (40 * 70 * 4)) << "alpha is a channel";
  EXPECT_DOUBLE_EQ(metrics.rmse, std::sqrt(10.0 / (40 * 70 * 4)) / 257);
  EXPECT_DOUBLE_EQ(metrics.ssim, 1) << "which sees 8 bits";
  EXPECT_EQ(metrics.flip, 0);
}

TEST(CompareMetrics, SixteenBitsBesideEightAreRounded) {
  const Picture deep = test::draw_deep(5, 4, [](int x, int) { return DeepColor{std::uint16_t(257 * x + 100), 0, 0}; });
  Picture shallow = deep;
  shallow.deep.clear();
  shallow.rounded = false;
  EXPECT_TRUE(compare_pictures(deep, shallow, PerceptualMetrics::none()).identical);
  EXPECT_TRUE(rows_of(deep, shallow).rounded);
  EXPECT_FALSE(rows_of(deep, deep).rounded);
  shallow.at(2, 2).b = 1;
  EXPECT_EQ(compare_pictures(shallow, deep, PerceptualMetrics::none()).max_diff, 1);
}

TEST(CompareMetrics, OneChangedPixelIsFoundWhereverItIs) {
  const int width = 21, height = 5;
  const Picture expected = ramp(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      Picture actual = expected;
      actual.at(x, y).g = std::uint8_t(actual.at(x, y).g + 3);
      const Metrics metrics = compare_pictures(expected, actual, PerceptualMetrics::none());
      EXPECT_EQ(metrics.first_x, x);
      EXPECT_EQ(metrics.first_y, y);
      EXPECT_EQ(metrics.differing, (Box{x, y, 1, 1}));
      EXPECT_EQ(metrics.max_diff, 3);
      EXPECT_DOUBLE_EQ(metrics.differing_share, 1.0 / (width * height));
      EXPECT_DOUBLE_EQ(metrics.mean_diff, 3.0 / (3 * width * height));
      EXPECT_DOUBLE_EQ(metrics.rmse, 3 / std::sqrt(3.0 * width * height));
    }
}

TEST(CompareMetrics, TheBoxHoldsEveryDifferenceAndTheFirstIsInReadingOrder) {
  Picture actual = plain(20, 10, gray(50));
  actual.at(15, 2) = gray(60), actual.at(4, 6) = gray(40), actual.at(9, 7) = gray(51);
  const Metrics metrics = compare_pictures(plain(20, 10, gray(50)), actual, PerceptualMetrics::none());
  EXPECT_EQ(metrics.differing, (Box{4, 2, 12, 6}));
  EXPECT_EQ(metrics.first_x, 15);
  EXPECT_EQ(metrics.first_y, 2);
  EXPECT_EQ(metrics.pixels_by_diff[10], 2);
  EXPECT_EQ(metrics.pixels_by_diff[1], 1);
  EXPECT_EQ(metrics.pixels_by_diff[0], 197);
  EXPECT_EQ(metrics.pixels(), 200);
  EXPECT_EQ(metrics.pixels_over(0), 3);
  EXPECT_EQ(metrics.pixels_over(1), 2);
  EXPECT_EQ(metrics.pixels_over(10), 0);
  EXPECT_EQ(metrics.pixels_over(255), 0);
}

TEST(CompareMetrics, AlphaIsAChannelWhereSomethingIsTransparent) {
  const Picture expected = plain(10, 10, gray(80));
  Picture actual = expected;
  actual.at(3, 4).a = 155;
  const Metrics metrics = compare_pictures(expected, actual, PerceptualMetrics::all());
  EXPECT_EQ(metrics.max_diff, 100);
  EXPECT_DOUBLE_EQ(metrics.mean_diff, 100.0 / 400);
  EXPECT_DOUBLE_EQ(metrics.rmse, std::sqrt(100.0 * 100 / 400));
  EXPECT_EQ(metrics.first_x, 3);
  EXPECT_GT(metrics.flip, 0);
  EXPECT_LT(metrics.ssim, 1);
}

TEST(CompareMetrics, TransparentPicturesLookAsTheyDoOverBlackAndWhite) {
  // Over white both are white, over black they are black and white: the worse one counts.
  const Picture expected = plain(30, 30, {255, 255, 255, 0}), actual = plain(30, 30, {255, 255, 255, 255});
  const Metrics metrics = compare_pictures(expected, actual, PerceptualMetrics::all());
  const Metrics black = compare_pictures(plain(30, 30, gray(0)), plain(30, 30, gray(255)), PerceptualMetrics::all());
  EXPECT_EQ(metrics.flip, black.flip);
  EXPECT_EQ(metrics.ssim, black.ssim);
  // Colours that nobody can see differ as values but not to the eye.
  const Metrics unseen =
      compare_pictures(plain(9, 9, {255, 0, 0, 0}), plain(9, 9, {0, 255, 0, 0}), PerceptualMetrics::all());
  EXPECT_EQ(unseen.max_diff, 255);
  EXPECT_EQ(unseen.flip, 0);
  EXPECT_EQ(unseen.ssim, 1);
}

TEST(CompareMetrics, LargeSumsDoNotOverflow) {
  const Metrics metrics =
      compare_pictures(plain(70001, 3, gray(0)), plain(70001, 3, gray(255)), PerceptualMetrics::none());
  EXPECT_DOUBLE_EQ(metrics.mean_diff, 255);
  EXPECT_DOUBLE_EQ(metrics.rmse, 255);
  EXPECT_NEAR(metrics.psnr, 0, 1e-12);
}

TEST(CompareMetrics, DifferentSizesCannotBeCompared) {
  const Picture a = plain(4, 6, gray(0)), b = plain(6, 4, gray(0));
  const std::string words = "the sizes differ: 4x6 and 6x4 pixels";
  EXPECT_EQ(test::usage_error([&] { compare_pictures(a, b, PerceptualMetrics::none()); }), words);
  EXPECT_EQ(test::usage_error([&] { difference_picture(a, b); }), words);
}

class CompareTolerance : public testing::Test {
 protected:
  // 3 of 200 pixels differ, two of them by 10 and one by 1.
  void SetUp() override {
    Picture actual = plain(20, 10, gray(50));
    actual.at(15, 2) = gray(60), actual.at(4, 6) = gray(40), actual.at(9, 7) = gray(51);
    metrics_ = compare_pictures(plain(20, 10, gray(50)), actual, PerceptualMetrics::all());
  }
  bool passes(const Tolerance& tolerance) const { return exceeds(metrics_, tolerance).empty(); }

  Metrics metrics_;
};

TEST_F(CompareTolerance, HoldsAtItsEdgeAndNotBeyond) {
  EXPECT_FALSE(passes({}));
  EXPECT_TRUE(passes({.max_diff = 10}));
  EXPECT_FALSE(passes({.max_diff = 9}));
  EXPECT_TRUE(passes({.max_pixels = 3.0 / 200}));
  EXPECT_FALSE(passes({.max_pixels = std::nextafter(3.0 / 200, 0)}));
  EXPECT_TRUE(passes({.max_diff = 1, .max_pixels = 2.0 / 200}));
  EXPECT_FALSE(passes({.max_diff = 1, .max_pixels = std::nextafter(2.0 / 200, 0)}));
  EXPECT_TRUE(passes({.min_psnr = metrics_.psnr}));
  EXPECT_FALSE(passes({.min_psnr = std::nextafter(metrics_.psnr, 100)}));
  EXPECT_TRUE(passes({.min_ssim = metrics_.ssim}));
  EXPECT_FALSE(passes({.min_ssim = std::nextafter(metrics_.ssim, 1)}));
  EXPECT_TRUE(passes({.max_flip = metrics_.flip}));
  EXPECT_FALSE(passes({.max_flip = std::nextafter(metrics_.flip, 0)}));
}

TEST_F(CompareTolerance, EveryLimitThatIsGivenHasToHold) {
  EXPECT_FALSE(passes({.max_diff = 9, .min_psnr = 1}));
  EXPECT_FALSE(passes({.max_diff = 10, .min_psnr = 99}));
  EXPECT_EQ(exceeds(metrics_, {.max_diff = 9, .max_pixels = 0.005, .min_psnr = 99}),
            "1% of the pixels differ by more than 9, 0.5% may (by 10 at most); PSNR 48.11 dB is under 99");
  EXPECT_EQ(exceeds(metrics_, {}), "1.5% of the pixels differ (by 10 at most)");
}

TEST_F(CompareTolerance, WhatIsNotKnownIsNotWithinALimit) {
  metrics_.ssim = metrics_.flip = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(passes({.min_ssim = -1.0}));
  EXPECT_FALSE(passes({.max_flip = 1.0}));
}

TEST(CompareDifference, ShowsEachPixelsDifferenceAndAScale) {
  const Picture expected = plain(64, 20, gray(100));
  Picture actual = expected;
  actual.at(5, 6).r = 108, actual.at(40, 11).b = 99;
  const Picture picture = difference_picture(expected, actual);
  EXPECT_EQ(picture.size.width, 64);
  EXPECT_GT(picture.size.height, 20 + 10);
  const Color black{0, 0, 0, 255}, brightest = load_colormap("inferno").back();
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 64; ++x) {
      const bool changed = (x == 5 && y == 6) || (x == 40 && y == 11);
      EXPECT_EQ(picture.at(x, y) == black, !changed) << x << " " << y;
    }
  EXPECT_EQ(picture.at(5, 6), brightest);
  EXPECT_NE(picture.at(40, 11), brightest);
  // The scale runs through the same colours: black on the left, the brightest on the right.
  EXPECT_EQ(picture.at(0, 24), black);
  EXPECT_EQ(picture.at(63, 24), brightest);
}

TEST(CompareDifference, WorksForTheSmallestAndForEqualPictures) {
  EXPECT_EQ(difference_picture(plain(1, 1, gray(0)), plain(1, 1, gray(9))).size.width, 1);
  EXPECT_EQ(difference_picture(plain(3, 2, gray(7)), plain(3, 2, gray(7))).at(2, 1), gray(0));
}

TEST(CompareMetrics, OnlyTheWantedPerceptualMetricsAreKnown) {
  const Picture a = plain(20, 10, gray(50)), b = plain(20, 10, gray(60));
  const Metrics both = compare_pictures(a, b, PerceptualMetrics::all());
  const Metrics ssim = compare_pictures(a, b, {.ssim = true});
  EXPECT_EQ(ssim.ssim, both.ssim);
  EXPECT_TRUE(std::isnan(ssim.flip));
  const Metrics flip = compare_pictures(a, b, {.flip = true});
  EXPECT_EQ(flip.flip, both.flip);
  EXPECT_TRUE(std::isnan(flip.ssim));
}

// Several bands of rows, differences in the second and the last.
TEST(CompareMetrics, AreTheSameBitsForAnyNumberOfThreads) {
  const Picture a = ramp(150, 300);
  Picture b = a;
  b.at(9, 70).r ^= 1, b.at(3, 299).g ^= 64, b.at(140, 100).b ^= 7;
  const auto with_threads = [&](int threads) {
    const oneapi::tbb::global_control allowed(oneapi::tbb::global_control::max_allowed_parallelism,
                                              std::size_t(threads));
    Metrics metrics;
    oneapi::tbb::task_arena(threads).execute([&] { metrics = compare_pictures(a, b, PerceptualMetrics::all()); });
    return metrics;
  };
  const Metrics one = with_threads(1);
  EXPECT_EQ(one.first_x, 9);
  EXPECT_EQ(one.first_y, 70);
  EXPECT_EQ(one.differing, (Box{3, 70, 138, 230}));
  EXPECT_EQ(one.max_diff, 64);
  for (const int threads : {2, 3, 7})
    for (int run = 0; run < 5; ++run) {
      const Metrics many = with_threads(threads);
      EXPECT_EQ(many.ssim, one.ssim);
      EXPECT_EQ(many.flip, one.flip);
      EXPECT_EQ(many.rmse, one.rmse);
      EXPECT_EQ(many.pixels_by_diff, one.pixels_by_diff);
      EXPECT_EQ(many.differing, one.differing);
    }
}

}  // namespace
}  // namespace simreel
