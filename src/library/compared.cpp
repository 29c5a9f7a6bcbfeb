// include/simreel/simreel.hpp: pictures, videos and lists of hashes compared.

#include <fmt/format.h>

#include <limits>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/hash_list.h"
#include "library/options.h"

namespace simreel::api {
namespace {

// Only numbers above 0 are limits.
simreel::Tolerance limits_of(const Tolerance& given) {
  const auto expect = [](double value, double high, const char* name) {
    if (!(value >= 0 && value <= high))
      throw simreel::UsageError("{} is {}; a number from 0 to {} is expected", name, value, high);
  };
  expect(given.max_diff, 255, "max_diff");
  expect(given.max_pixels, 1, "max_pixels");
  expect(given.min_psnr, 1000, "min_psnr");
  expect(given.min_ssim, 1, "min_ssim");
  expect(given.max_flip, 1, "max_flip");
  simreel::Tolerance limits;
  limits.max_diff = given.max_diff;
  limits.max_pixels = given.max_pixels;
  if (given.min_psnr > 0) limits.min_psnr = given.min_psnr;
  if (given.min_ssim > 0) limits.min_ssim = given.min_ssim;
  if (given.max_flip > 0) limits.max_flip = given.max_flip;
  return limits;
}

std::int64_t count(const auto& list) { return static_cast<std::int64_t>(list.size()); }

Comparison compared_hashes(const std::string& expected, const std::string& actual, const Tolerance& given) {
  const simreel::Tolerance limits = limits_of(given);
  if (limits.max_diff > 0 || limits.max_pixels > 0 || given.min_psnr + given.min_ssim + given.max_flip > 0)
    throw simreel::UsageError("{}: hashes are equal or not; limits need pictures or videos", expected);
  const std::vector<FrameHash> one = read_hashes(expected), other = read_hashes(actual);
  const HashDifferences found = compare_hash_lists(one, other);
  Comparison result;
  result.missing = count(found.missing);
  result.extra = count(found.extra);
  result.different = count(found.differing);
  result.pairs = count(one) - result.missing;
  result.identical = result.pairs - result.different;
  result.mean_diff = result.psnr = result.ssim = result.flip = std::numeric_limits<double>::quiet_NaN();
  if (!found.differing.empty()) result.first = fmt::format("frame {}: the hashes differ", found.differing[0]);
  return result;
}

Comparison compared_pictures(const std::string& expected, const std::string& actual, const Tolerance& given) {
  const simreel::Tolerance limits = limits_of(given);
  const simreel::Comparison found = compare_pairs(*open_pairs(expected, actual), limits, false);
  const Metrics worst = found.worst.metrics.value_or(Metrics{});
  Comparison result;
  result.pairs = found.pairs;
  result.identical = found.identical;
  result.different = found.differing;
  result.missing = count(found.left_over.missing);
  result.extra = count(found.left_over.extra);
  result.max_diff = worst.max_diff;
  result.mean_diff = worst.mean_diff;
  result.psnr = worst.psnr;
  result.ssim = worst.ssim;
  result.flip = worst.flip;
  if (found.differing > 0) result.first = fmt::format("{}: {}", found.first.name, found.first.exceeded);
  return result;
}

}  // namespace

Comparison compare(const std::filesystem::path& expected, const std::filesystem::path& actual,
                   const Tolerance& tolerance) {
  return translated([&] {
    const std::string one = expected.string(), other = actual.string();
    const bool hashes = compared_kind(one) == ComparedKind::hashes && compared_kind(other) == ComparedKind::hashes;
    Comparison result = hashes ? compared_hashes(one, other, tolerance) : compared_pictures(one, other, tolerance);
    result.same = result.different == 0 && result.missing == 0 && result.extra == 0;
    return result;
  });
}

}  // namespace simreel::api
