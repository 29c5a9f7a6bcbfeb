#include "source/grid_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "exec/executor.h"
#include "exec/processes.h"
#include "formats/array_file.h"
#include "kernels/base/random.h"

namespace simreel {
namespace {

// Also those of files that are not read: then the image says so.
constexpr std::string_view endings[] = {".png", ".jpg", ".jpeg", ".bmp",  ".gif",  ".tga", ".pgm",
                                        ".ppm", ".psd", ".tif",  ".tiff", ".webp", ".npy"};

}  // namespace

void look_over(int nx, int ny, double share, const std::function<void(int row, int from, int count)>& visit) {
  if (share >= 1) {
    for (int j = 0; j < ny; ++j) visit(j, 0, nx);
    return;
  }
  const int width = std::min(nx, formula_block);
  const auto parts = static_cast<std::uint64_t>(std::max(1.0, share * nx * ny / width));
  for (std::uint64_t n = 0; n < parts; ++n) {
    const auto random = [&](std::uint64_t which, int cells) {
      return static_cast<int>(random_unit(9, which, n) * cells);
    };
    visit(random(0, ny), random(1, nx - width + 1), width);
  }
}

bool is_values_text(std::string_view text) {
  return Formula::is_formula(text) ||
         std::ranges::any_of(endings, [&](std::string_view ending) { return text.ends_with(ending); });
}

GridValues::GridValues(const PlacedText& text, const Table& keys, std::string_view key, const Scene& scene, int nx,
                       int ny, double black, double white, bool border)
    : grid_{nx, ny, scene.seed}, effort_(scene.effort), key_(key), keys_(keys) {
  if (Formula::is_formula(text.text)) {
    formula_ = std::make_shared<const Formula>(Formula::parse(text, Formula::x | Formula::y, border));
    keys_.remark(formula_->remark());
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
  image_ = std::make_shared<const GreyImage>(*image);
  black_ = black, white_ = white;
}

// Of a cell of an image. Pixels and cells are areas, so the centre of the first cell is not that of the first pixel.
// Row 0 is at the top.
double GridValues::stretched(int i, int j) const {
  const GreyImage& image = *image_;
  const auto between = [](double a, double b, double part) { return a + (b - a) * part; };
  const double across = static_cast<double>(image.width) / grid_.nx, up = static_cast<double>(image.height) / grid_.ny;
  const double column = std::clamp((i + 0.5) * across - 0.5, 0.0, image.width - 1.0);
  const double row = std::clamp((grid_.ny - 1 - j + 0.5) * up - 0.5, 0.0, image.height - 1.0);
  const int left = static_cast<int>(column), top = static_cast<int>(row);
  const int right = std::min(left + 1, image.width - 1), bottom = std::min(top + 1, image.height - 1);
  const double upper = between(image.at(left, top), image.at(right, top), column - left);
  const double lower = between(image.at(left, bottom), image.at(right, bottom), column - left);
  return black_ + (white_ - black_) * (upper + (lower - upper) * (row - top));
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

void GridValues::row(int j, std::span<double> out, int from) const {
  if (formula_) return formula_->row(grid_, from, j, 0, out);
  if (array_)
    std::copy_n(array_->begin() + std::ptrdiff_t{j} * grid_.nx + from, out.size(), out.begin());
  else if (image_)
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = stretched(from + static_cast<int>(i), j);
  else
    std::ranges::fill(out, number_);
}

double GridValues::at(double x, double y) const {
  if (formula_) return formula_->at(grid_, x, y, 0);
  if (is_number()) return number_;
  const auto cell = [](double place, int n) { return std::clamp(std::lround(place), 0L, n - 1L); };
  if (image_) return stretched(static_cast<int>(cell(x, grid_.nx)), static_cast<int>(cell(y, grid_.ny)));
  return (*array_)[static_cast<std::size_t>(cell(y, grid_.ny) * grid_.nx + cell(x, grid_.nx))];
}

GridValues::Extremes GridValues::extremes() const {
  if (is_number()) return {number_, number_};
  std::vector<double> values(static_cast<std::size_t>(grid_.nx));
  Extremes extremes{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  const double share = effort_->share(look_cost(grid_.nx, grid_.ny, cost()));
  look_over(grid_.nx, grid_.ny, share, [&](int j, int from, int count) {
    values.resize(static_cast<std::size_t>(count));
    row(j, values, from);
    for (int i = 0; i < count; ++i) {
      const double value = values[static_cast<std::size_t>(i)];
      if (!std::isfinite(value)) fail(fmt::format("the value at the cell [{}, {}] is {}", from + i, j, value));
      extremes = {std::min(extremes.low, value), std::max(extremes.high, value)};
    }
  });
  return extremes;
}

void check_grid_memory(const Table& keys, std::size_t state, std::size_t made, std::string_view what) {
  const auto check = [&](std::size_t bytes, std::size_t available, std::string_view needy, std::string_view where) {
    const auto text = [](std::size_t amount) {
      return fmt::format("{:.1f} GiB", static_cast<double>(amount) / (1 << 30));
    };
    if (bytes > available)
      keys.fail("grid", "{} needs {} of memory at least, and {} has {} available; make grid smaller", needy,
                text(bytes), where, text(available));
  };
  const std::size_t host = host_memory_available();
  check(made, host, what, "the host");
  if (state <= host || processes().size > processes().local_size) return;  // other hosts are asked later
  std::size_t devices = 0;
  for (const DeviceInfo& device : cuda_devices()) devices += device.memory_bytes;
  check(state, std::max(host, devices), "the run", "this machine");
}

}  // namespace simreel
