#include "compare/metrics.h"

#include "tests/support/compare_fixture.h"

namespace simreel {
namespace {

using test::draw, test::gray, test::plain;

int noise(int x, int y) { return (x * x * 31 + y * 17 + x * y) % 41 - 20; }

std::uint8_t level(int value) { return std::uint8_t(std::clamp(value, 0, 255)); }

Color ramp(int x, int y) { return {level(x * 4), level(y * 5), level((x + y) * 2), 255}; }

Color noisy_ramp(int x, int y) {
  const int n = noise(x, y);
  return {level(x * 4 + n), level(y * 5 - n), level((x + y) * 2 + n * n % 30), 255};
}

double luma(const Color& c) { return 0.299 * c.r + 0.587 * c.g + 0.114 * c.b; }

// Eqs. (13) - (17) as they stand, window by window.
double ssim_by_definition(const Picture& a, const Picture& b) {
  const double c1 = 6.5025, c2 = 58.5225;
  double sum = 0;
  for (int y = 0; y < a.size.height; ++y)
    for (int x = 0; x < a.size.width; ++x) {
      const auto average = [&](const std::function<double(double, double)>& value) {
        double total = 0, weights = 0;
        for (int j = -5; j <= 5; ++j)
          for (int i = -5; i <= 5; ++i) {
            const int u = std::clamp(x + i, 0, a.size.width - 1), v = std::clamp(y + j, 0, a.size.height - 1);
            const double weight = std::exp(-(i * i + j * j) / 4.5);
            total += weight * value(luma(a.at(u, v)), luma(b.at(u, v)));
            weights += weight;
          }
        return total / weights;
      };
      const double ma = average([](double p, double) { return p; }), mb = average([](double, double q) { return q; });
      const double va = average([&](double p, double) { return (p - ma) * (p - ma); });
      const double vb = average([&](double, double q) { return (q - mb) * (q - mb); });
      const double ab = average([&](double p, double q) { return (p - ma) * (q - mb); });
      sum += (2 * ma * mb + c1) * (2 * ab + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
    }
  return sum / (a.size.width * a.size.height);
}

TEST(CompareSsim, EqualPicturesHaveOne) {
  const Picture picture = draw(70, 90, noisy_ramp);
  EXPECT_EQ(ssim(picture, picture), 1);
}

TEST(CompareSsim, OfPlainPicturesIsTheLuminanceTerm) {
  for (const auto& [a, b] : {std::pair(100, 110), std::pair(0, 255), std::pair(30, 31)}) {
    const double expected = (2.0 * a * b + 6.5025) / (double(a) * a + double(b) * b + 6.5025);
    EXPECT_NEAR(ssim(plain(40, 30, gray(a)), plain(40, 30, gray(b))), expected, 1e-9) << a << " " << b;
  }
}

TEST(CompareSsim, AgreesWithItsDefinition) {
  // Smaller than a window, and with more rows than a band.
  for (const Size size : {Size{7, 5}, Size{23, 17}, Size{13, 70}}) {
    const Picture a = draw(size.width, size.height, ramp), b = draw(size.width, size.height, noisy_ramp);
    EXPECT_NEAR(ssim(a, b), ssim_by_definition(a, b), 1e-9);
    EXPECT_EQ(ssim(a, b), ssim(b, a));
  }
}

TEST(CompareSsim, AnInvertedPatternIsNearMinusOne) {
  const auto board = [](int on) { return [on](int x, int y) { return gray((x + y) % 2 == on ? 255 : 0); }; };
  EXPECT_NEAR(ssim(draw(32, 32, board(0)), draw(32, 32, board(1))), -1, 0.02);
}

TEST(CompareFlip, EqualPicturesHaveZero) {
  const Picture picture = draw(70, 90, noisy_ramp);
  EXPECT_EQ(flip(picture, picture), 0);
}

TEST(CompareFlip, IsSymmetric) {
  const Picture a = draw(70, 90, ramp), b = draw(70, 90, noisy_ramp);
  EXPECT_EQ(flip(a, b), flip(b, a));
}

TEST(CompareFlip, OfBlackAndWhiteFollowsFromThePaper) {
  // Nothing but lightness differs, by 100. Green and blue are the farthest apart; their L*a*b* are from the literature.
  const auto hunt = [](double l, double v) { return 0.01 * l * v; };
  const double gl = 87.7347, bl = 32.2970;
  const double distance =
      gl - bl + std::hypot(hunt(gl, -86.1827) - hunt(bl, 79.1875), hunt(gl, 83.1793) - hunt(bl, -107.8602));
  const double largest = std::pow(distance, 0.7), error = std::pow(100, 0.7);
  const double expected = 0.95 + (error - 0.4 * largest) / (0.6 * largest) * 0.05;
  EXPECT_NEAR(flip(plain(40, 40, gray(0)), plain(40, 40, gray(255))), expected, 1e-5);
  EXPECT_NEAR(flip(plain(40, 40, {0, 255, 0, 255}), plain(40, 40, {0, 0, 255, 255})), 1, 1e-5);
}

// Mean errors that the authors' own program gives (flip-evaluator 1.7, LDR, 67 pixels per degree).
TEST(CompareFlip, AgreesWithTheAuthorsProgram) {
  const auto step = [](int edge) {
    return [edge](int x, int) { return Color{level(x < edge ? 200 : 30), 30, 30, 255}; };
  };
  struct Case {
    const char* name;
    Picture a, b;
    double expected;
  };
  Picture dot = plain(64, 48, gray(0));
  dot.at(32, 24) = gray(255);
  for (const Case& c :
       {Case{"one white pixel on black", plain(64, 48, gray(0)), dot, 0.0046570},
        Case{"an edge that moved", draw(64, 48, step(30)), draw(64, 48, step(32)), 0.0658101},
        Case{"noise on a ramp", draw(64, 48, ramp), draw(64, 48, noisy_ramp), 0.1792650},
        Case{"fine stripes", plain(64, 48, gray(128)), draw(64, 48, [](int x, int) { return gray(x % 2 * 200); }),
             0.2743291},
        Case{"red and green", plain(64, 48, {255, 0, 0, 255}), plain(64, 48, {0, 255, 0, 255}), 0.9866658},
        Case{"two grays", plain(64, 48, gray(100)), plain(64, 48, gray(110)), 0.1534828},
        Case{"blue stripes", plain(64, 48, gray(80)),
             draw(64, 48,
                  [](int x, int) {
                    return Color{80, 80, level(80 + x % 8 * 10), 255};
                  }),
             0.3051355}}) {
    EXPECT_NEAR(flip(c.a, c.b), c.expected, 1e-4 * c.expected) << c.name;
  }
}

TEST(CompareFlip, DoesNotDependOnHowThePictureIsWorkedThrough) {
  // A pattern that does not change from row to row has the same error whatever the number of rows.
  const auto stripes = [](int shift) { return [shift](int x, int) { return gray((x + shift) % 9 * 25); }; };
  const double of_few = flip(draw(50, 10, stripes(0)), draw(50, 10, stripes(4)));
  EXPECT_NEAR(flip(draw(50, 131, stripes(0)), draw(50, 131, stripes(4))), of_few, 1e-9);
}

TEST(CompareFlip, FineDetailsVanishWithDistance) {
  const Picture a = plain(64, 64, gray(120)), b = draw(64, 64, [](int x, int y) { return gray(120 + noise(x, y)); });
  EXPECT_LT(flip(a, b, 120), flip(a, b, 30));
}

}  // namespace
}  // namespace simreel
