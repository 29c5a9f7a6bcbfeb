#include "golden/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/error.h"

namespace simreel {
namespace {

constexpr std::array<std::string_view, 7> keys = {"max_diff", "max_pixels", "min_psnr", "min_ssim",
                                                  "max_flip", "ignore",     "csv"};

// By how much of the picture the scene ignores, boxes that overlap counted twice.
double ignored_share(const Scene& scene) {
  double pixels = 0;
  for (const auto& [x0, y0, x1, y1] : scene.golden.ignore)
    pixels += static_cast<double>(x1 - x0) * static_cast<double>(y1 - y0);
  return pixels / (static_cast<double>(scene.view.size.width) * static_cast<double>(scene.view.size.height));
}

}  // namespace

Ceilings::Ceilings(const std::vector<std::string>& given) {
  for (const std::string& text : given) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string key = text.substr(0, equals);
    double value = 0;
    const char* const from = text.data() + std::min(equals + 1, text.size());
    const auto [after, error] = std::from_chars(from, text.data() + text.size(), value);
    if (error != std::errc() || after != text.data() + text.size() || !std::ranges::count(keys, key))
      throw UsageError(
          "--max-tolerance {}: write KEY=NUMBER with max_diff, max_pixels (a share), min_psnr, min_ssim, "
          "max_flip, ignore (a share of the picture) or csv",
          text);
    given_[key] = value;
  }
}

std::string Ceilings::excess(const Scene& scene) const {
  if (given_.empty()) return "";
  std::string why;
  const auto judge = [&](std::string_view key, double value, bool low = false) {
    if (!why.empty()) return;
    const auto ceiling = given_.find(key);
    if (ceiling == given_.end())
      why = fmt::format("{} is a tolerance that --max-tolerance does not name", key);
    else if (low ? value < ceiling->second : value > ceiling->second)
      why = fmt::format("{} = {} is beyond what --max-tolerance allows, {}", key, value, ceiling->second);
  };
  const GoldenOptions& golden = scene.golden;
  if (golden.max_diff > 0) judge("max_diff", golden.max_diff);
  if (golden.max_pixels > 0) judge("max_pixels", golden.max_pixels);
  if (golden.min_psnr) judge("min_psnr", *golden.min_psnr, true);
  if (golden.min_ssim) judge("min_ssim", *golden.min_ssim, true);
  if (golden.max_flip) judge("max_flip", *golden.max_flip);
  if (!golden.ignore.empty()) judge("ignore", ignored_share(scene));
  for (const auto& [column, tolerance] : golden.csv)
    if (tolerance > 0) judge("csv", tolerance);
  return why;
}

}  // namespace simreel
