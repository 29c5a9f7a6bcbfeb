#include <oneapi/tbb/enumerable_thread_specific.h>

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "compare/bands.h"
#include "compare/metrics.h"
#include "compare/plane.h"

namespace simreel {
namespace {

constexpr double pi = std::numbers::pi;

struct Vec3 {
  float x, y, z;
};

// IEC 61966-2-1, to 0 .. 1 linear.
std::array<float, 256> linear_table() {
  std::array<float, 256> table{};
  for (int i = 0; i < 256; ++i) {
    const double v = i / 255.0;
    table[static_cast<std::size_t>(i)] =
        static_cast<float>(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
  }
  return table;
}

// Linear sRGB to XYZ and back, each of X, Y and Z divided by that of white, so that white is (1, 1, 1).
Vec3 to_xyz(Vec3 rgb) {
  constexpr float xn = 0.9504559271f, zn = 1.0890577508f;
  return {(0.4123907993f * rgb.x + 0.3575843394f * rgb.y + 0.1804807884f * rgb.z) / xn,
          0.2126390059f * rgb.x + 0.7151686788f * rgb.y + 0.0721923154f * rgb.z,
          (0.0193308187f * rgb.x + 0.1191947798f * rgb.y + 0.9505321522f * rgb.z) / zn};
}

Vec3 to_rgb(Vec3 xyz) {
  constexpr float xn = 0.9504559271f, zn = 1.0890577508f;
  const float x = xyz.x * xn, z = xyz.z * zn;
  return {3.2409699419f * x - 1.5373831776f * xyz.y - 0.4986107603f * z,
          -0.9692436363f * x + 1.8759675015f * xyz.y + 0.0415550574f * z,
          0.0556300797f * x - 0.2039769589f * xyz.y + 1.0569715142f * z};
}

// CIE 1976 L*a*b* of linear sRGB within 0 .. 1, with a* and b* scaled by 0.01 L* for the Hunt effect (4.1.2).
Vec3 to_hunt_lab(Vec3 rgb) {
  constexpr float delta = 6.0f / 29;
  const auto f = [](float t) { return t > delta * delta * delta ? std::cbrt(t) : t / (3 * delta * delta) + 4.0f / 29; };
  const Vec3 xyz = to_xyz(rgb);
  const float fx = f(xyz.x), fy = f(xyz.y), fz = f(xyz.z);
  const float lightness = 116 * fy - 16;
  return {lightness, 0.01f * lightness * 500 * (fx - fy), 0.01f * lightness * 200 * (fy - fz)};
}

float hyab(Vec3 a, Vec3 b) {
  const float dy = a.y - b.y, dz = a.z - b.z;
  return std::abs(a.x - b.x) + std::sqrt(dy * dy + dz * dz);
}

// A contrast sensitivity as sum of Gaussians a sqrt(pi / b) exp(-pi^2 x^2 / b), x in degrees (table 1 and eq.
// in 4.1.1).
struct Sensitivity {
  double a, b;
  double sigma(double pixels_per_degree) const { return std::sqrt(b / 2) / pi * pixels_per_degree; }
};
constexpr Sensitivity achromatic{1, 0.0047}, red_green{1, 0.0053}, blue_yellow_wide{34.1, 0.04},
    blue_yellow_narrow{13.5, 0.025};

// A kernel whose positive weights sum to 1 and whose negative weights sum to -1 (4.2).
std::vector<float> balanced(const std::vector<double>& weights) {
  double positive = 0, negative = 0;
  for (const double w : weights) (w > 0 ? positive : negative) += std::abs(w);
  std::vector<float> kernel;
  for (const double w : weights) kernel.push_back(static_cast<float>(w / (w > 0 ? positive : negative)));
  return kernel;
}

struct Filters {
  explicit Filters(double pixels_per_degree) {
    // The widest Gaussian determines the radius of all: 3 standard deviations.
    const int csf_radius = static_cast<int>(std::ceil(3 * blue_yellow_wide.sigma(pixels_per_degree)));
    const auto csf = [&](const Sensitivity& s) { return gaussian<float>(s.sigma(pixels_per_degree), csf_radius); };
    lightness = csf(achromatic), red_to_green = csf(red_green);
    wide = csf(blue_yellow_wide), narrow = csf(blue_yellow_narrow);
    // The weights of the two Gaussians in the sum over the plane; each was normalised separately above.
    const auto volume = [&](const Sensitivity& s) {
      double line = 0;
      for (int x = -csf_radius; x <= csf_radius; ++x) {
        const double degrees = x / pixels_per_degree;
        line += std::exp(-pi * pi * degrees * degrees / s.b);
      }
      return s.a * std::sqrt(pi / s.b) * line * line;
    };
    wide_share = static_cast<float>(volume(blue_yellow_wide) / (volume(blue_yellow_wide) + volume(blue_yellow_narrow)));

    constexpr double feature_width = 0.082;  // degrees
    const double sigma = 0.5 * feature_width * pixels_per_degree;
    const int radius = static_cast<int>(std::ceil(3 * sigma));
    smooth = gaussian<float>(sigma, radius);
    std::vector<double> first, second;
    for (int x = -radius; x <= radius; ++x) {
      const double g = std::exp(-x * x / (2 * sigma * sigma));
      first.push_back(-x * g);
      second.push_back((x * x / (sigma * sigma) - 1) * g);
    }
    edge = balanced(first), point = balanced(second);
    margin = std::max(csf_radius, radius);
  }

  std::vector<float> lightness, red_to_green, wide, narrow, smooth, edge, point;
  float wide_share;
  int margin;  // extra rows above and below a band
};

// The features of one picture in one band.
struct Seen {
  std::vector<Vec3> color;         // Hunt-adjusted L*a*b* after the contrast sensitivity filters
  std::vector<float> edge, point;  // strength of features

  void look(const Picture& picture, int top, int rows, const Filters& filters) {
    static const std::array<float, 256> linear = linear_table();
    const int width = picture.size.width, height = rows + 2 * filters.margin;
    // YyCxCz up to scale and offset, which linear filters preserve: Y, X - Y and Y - Z, with white = 1.
    for (Plane<float>* const plane : {&y_, &cx_, &cz_}) plane->resize(width, height);
    for (int j = 0; j < height; ++j) {
      const Color* const source = &picture.at(0, std::clamp(top + j - filters.margin, 0, picture.size.height - 1));
      for (int i = 0; i < width; ++i) {
        const Vec3 xyz = to_xyz({linear[source[i].r], linear[source[i].g], linear[source[i].b]});
        y_.row(j)[i] = xyz.y, cx_.row(j)[i] = xyz.x - xyz.y, cz_.row(j)[i] = xyz.y - xyz.z;
      }
    }

    filter(y_, rows, filters.lightness, filters.lightness, one_);
    filter(cx_, rows, filters.red_to_green, filters.red_to_green, two_);
    filter(cz_, rows, filters.wide, filters.wide, three_);
    filter(cz_, rows, filters.narrow, filters.narrow, four_);
    color.resize(one_.values.size());
    for (std::size_t i = 0; i < color.size(); ++i) {
      const float light = one_.values[i];
      const float blue = filters.wide_share * three_.values[i] + (1 - filters.wide_share) * four_.values[i];
      const Vec3 rgb = to_rgb({light + two_.values[i], light, light - blue});
      const auto inside = [](float v) { return std::clamp(v, 0.0f, 1.0f); };
      color[i] = to_hunt_lab({inside(rgb.x), inside(rgb.y), inside(rgb.z)});
    }

    const auto strength = [&](const std::vector<float>& derivative, std::vector<float>& result) {
      filter(y_, rows, filters.smooth, derivative, one_);
      filter(y_, rows, derivative, filters.smooth, two_);
      result.resize(one_.values.size());
      for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = std::sqrt(one_.values[i] * one_.values[i] + two_.values[i] * two_.values[i]);
    };
    strength(filters.edge, edge);
    strength(filters.point, point);
  }

 private:
  Plane<float> y_, cx_, cz_, one_, two_, three_, four_;
};

}  // namespace

double flip(const Picture& a, const Picture& b, double pixels_per_degree) {
  constexpr float qc = 0.7f, pc = 0.4f, pt = 0.95f, qf = 0.5f;  // table 2
  const float largest = std::pow(hyab(to_hunt_lab({0, 1, 0}), to_hunt_lab({0, 0, 1})), qc);
  const Filters filters(pixels_per_degree);
  oneapi::tbb::enumerable_thread_specific<std::pair<Seen, Seen>> seen;
  const auto sum_of = [&](int top, int rows) {
    auto& [seen_a, seen_b] = seen.local();
    seen_a.look(a, top, rows, filters);
    seen_b.look(b, top, rows, filters);
    double sum = 0;
    for (std::size_t i = 0; i < seen_a.color.size(); ++i) {
      const float distance = std::pow(hyab(seen_a.color[i], seen_b.color[i]), qc);
      const float knee = pc * largest;
      const float color = distance < knee ? distance * pt / knee : pt + (distance - knee) / (largest - knee) * (1 - pt);
      const float edge = std::abs(seen_a.edge[i] - seen_b.edge[i]);
      const float point = std::abs(seen_a.point[i] - seen_b.point[i]);
      const float feature = std::pow(std::max(edge, point) * (1 / std::numbers::sqrt2_v<float>), qf);
      sum += std::min(std::pow(color, 1 - feature), 1.0f);
    }
    return sum;
  };
  return sum_of_bands(a.size.height, sum_of) / static_cast<double>(a.pixels.size());
}

}  // namespace simreel
