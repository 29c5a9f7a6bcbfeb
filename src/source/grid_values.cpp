#include "source/grid_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "formats/array_file.h"
#include "source/grey_image.h"

namespace simreel {
namespace {

// Also those of files that are not read: then the image says so.
constexpr std::string_view endings[] = {".png", ".jpg", ".jpeg", ".bmp",  ".gif",  ".tga", ".pgm",
                                        ".ppm", ".psd", ".tif",  ".tiff", ".webp", ".npy"};

}  // namespace

bool is_values_text(std::string_view text) {
  return Formula::is_formula(text) ||
         std::ranges::any_of(endings, [&](std::string_view ending) { return text.ends_with(ending); });
}

GridValues::GridValues(const PlacedText& text, const Table& keys, std::string_view key, const Scene& scene, int nx,
                       int ny, double black, double white)
    : grid_{nx, ny, scene.seed}, key_(key), keys_(keys) {
  if (Formula::is_formula(text.text)) {
    formula_ = std::make_shared<const Formula>(Formula::parse(text, Formula::x | Formula::y));
    return;
  }
  if (!is_values_text(text.text))
    fail(fmt::format("\"{}\" is {}; it must be a number, or {} (.png, .jpg, .bmp, .npy)", key,
                     quote(shorten(text.text, 60)), values_form));
  file_ = scene.resolve(text.text).string();
  if (text.text.ends_with(".npy"))
    read_npy();
  else
    read_image(black, white);
}

void GridValues::fail(const std::string& message) const {
  if (formula_) formula_->fail(message);
  keys_.fail(key_, message);
}

void GridValues::read_image(double black, double white) {
  std::string reason;
  const std::optional<GreyImage> image = read_grey_image(file_, reason);
  if (!image) fail(fmt::format("cannot read the image {}: {}", file_, reason));
  if (const std::string said = stretch_in_words(file_, {image->width, image->height}, grid_.nx, grid_.ny);
      !said.empty())
    keys_.remark(key_, said);
  array_ = std::make_shared<std::vector<double>>();
  array_->reserve(static_cast<std::size_t>(grid_.nx) * static_cast<std::size_t>(grid_.ny));
  const auto between = [](double a, double b, double part) { return a + (b - a) * part; };
  // Pixels and cells are areas, so the centre of the first cell is not that of the first pixel. Row 0 is at the top.
  const double across = static_cast<double>(image->width) / grid_.nx,
               up = static_cast<double>(image->height) / grid_.ny;
  for (int j = 0; j < grid_.ny; ++j)
    for (int i = 0; i < grid_.nx; ++i) {
      const double column = std::clamp((i + 0.5) * across - 0.5, 0.0, image->width - 1.0);
      const double row = std::clamp((grid_.ny - 1 - j + 0.5) * up - 0.5, 0.0, image->height - 1.0);
      const int left = static_cast<int>(column), top = static_cast<int>(row);
      const int right = std::min(left + 1, image->width - 1), bottom = std::min(top + 1, image->height - 1);
      const double upper = between(image->at(left, top), image->at(right, top), column - left);
      const double lower = between(image->at(left, bottom), image->at(right, bottom), column - left);
      const double grey = upper + (lower - upper) * (row - top);
      array_->push_back(black + (white - black) * grey);
    }
}

void GridValues::read_npy() {
  try {
    const std::unique_ptr<ArrayFile> file = open_array_file(file_);
    if (file->arrays().size() != 1) fail(fmt::format("{}: it holds {} arrays", file_, file->arrays().size()));
    const ArrayInfo& array = file->arrays().front();
    const Extents needed = {static_cast<std::uint64_t>(grid_.ny), static_cast<std::uint64_t>(grid_.nx)};
    if (array.extents != needed)
      fail(fmt::format("{}: its shape is ({}); the grid needs ({}), rows from the lowest to the highest", file_,
                       fmt::join(array.extents, ", "), fmt::join(needed, ", ")));
    array_ = std::make_shared<std::vector<double>>(
        file->values(array, static_cast<std::size_t>(grid_.nx) * static_cast<std::size_t>(grid_.ny)));
  } catch (const RuntimeError& error) {
    fail(error.what());
  }
}

void GridValues::row(int j, std::span<double> out) const {
  if (formula_) return formula_->row(grid_, 0, j, 0, out);
  if (array_)
    std::copy_n(array_->begin() + std::ptrdiff_t{j} * grid_.nx, grid_.nx, out.begin());
  else
    std::ranges::fill(out, number_);
}

double GridValues::at(double x, double y) const {
  if (formula_) return formula_->at(grid_, x, y, 0);
  if (!array_) return number_;
  const auto cell = [](double place, int n) { return std::clamp(std::lround(place), 0L, n - 1L); };
  return (*array_)[static_cast<std::size_t>(cell(y, grid_.ny) * grid_.nx + cell(x, grid_.nx))];
}

GridValues::Extremes GridValues::extremes() const {
  if (is_number()) return {number_, number_};
  std::vector<double> values(static_cast<std::size_t>(grid_.nx));
  Extremes extremes{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (int j = 0; j < grid_.ny; ++j) {
    row(j, values);
    for (int i = 0; i < grid_.nx; ++i) {
      const double value = values[static_cast<std::size_t>(i)];
      if (!std::isfinite(value)) fail(fmt::format("the value at the cell [{}, {}] is {}", i, j, value));
      extremes = {std::min(extremes.low, value), std::max(extremes.high, value)};
    }
  }
  return extremes;
}

}  // namespace simreel
