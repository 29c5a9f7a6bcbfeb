#include "source/grid_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "source/grey_image.h"

namespace simreel {
namespace {

constexpr std::string_view endings[] = {".png", ".jpg", ".jpeg", ".bmp", ".npy"};

// A value of a .npy file as numpy names it: "<f4".
struct NpyType {
  char kind = 0;
  std::size_t bytes = 0;
  bool swapped = false;
};

template <class T>
double as_number(const std::byte* from, bool swapped) {
  std::array<std::byte, sizeof(T)> bytes;
  std::copy_n(from, sizeof(T), bytes.begin());
  if (swapped) std::ranges::reverse(bytes);
  return static_cast<double>(std::bit_cast<T>(bytes));
}

double number_of(const NpyType& type, const std::byte* from) {
  switch (type.kind) {
    case 'f': return type.bytes == 4 ? as_number<float>(from, type.swapped) : as_number<double>(from, type.swapped);
    case 'i':
      return type.bytes == 1   ? as_number<std::int8_t>(from, false)
             : type.bytes == 2 ? as_number<std::int16_t>(from, type.swapped)
             : type.bytes == 4 ? as_number<std::int32_t>(from, type.swapped)
                               : as_number<std::int64_t>(from, type.swapped);
    default:
      return type.bytes == 1   ? as_number<std::uint8_t>(from, false)
             : type.bytes == 2 ? as_number<std::uint16_t>(from, type.swapped)
             : type.bytes == 4 ? as_number<std::uint32_t>(from, type.swapped)
                               : as_number<std::uint64_t>(from, type.swapped);
  }
}

// What stands behind 'key': in the header of a .npy file; empty if it has no such key.
std::string_view after_key(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos) return {};
  const std::size_t colon = header.find(':', at);
  return colon == std::string_view::npos ? std::string_view() : trim(header.substr(colon + 1));
}

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
  const auto refuse = [this](const std::string& why) { fail(fmt::format("{}: {}", file_, why)); };
  std::ifstream in(file_, std::ios::binary);
  if (!in) refuse("the file cannot be opened");
  std::array<char, 12> start{};
  in.read(start.data(), 10);
  constexpr std::string_view magic = "\x93NUMPY";
  if (!in || std::string_view(start.data(), 6) != magic) refuse("this is no .npy file");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(start[i])); };
  std::size_t length = byte(8) | byte(9) << 8;
  if (start[6] > 1) {
    in.read(start.data() + 10, 2);
    length |= byte(10) << 16 | byte(11) << 24;
  }
  if (!in || length > 65536) refuse("its header is damaged");
  std::string header(length, ' ');
  in.read(header.data(), static_cast<std::streamsize>(length));
  const std::string_view descr = after_key(header, "descr"), order = after_key(header, "fortran_order"),
                         shape = after_key(header, "shape");
  if (!in || descr.size() < 5 || shape.empty()) refuse("its header is damaged");
  const NpyType type{descr[2], static_cast<std::size_t>(descr[3] - '0'), descr[1] == '>'};
  const bool real = type.kind == 'f' && (type.bytes == 4 || type.bytes == 8);
  const bool whole = (type.kind == 'i' || type.kind == 'u') && std::has_single_bit(type.bytes) && type.bytes <= 8;
  if (descr[0] != '\'' || descr[4] != '\'' || (!real && !whole))
    refuse(fmt::format("its values are {}; they must be numbers of 32 or 64 bits, or whole ones of 8 to 64",
                       shorten(descr.substr(0, descr.find(',')), 20)));
  if (order.starts_with("True"))
    refuse("its first axis is the fastest (Fortran order); save numpy.ascontiguousarray of it");
  if (shape.substr(0, shape.find(')') + 1) != fmt::format("({}, {})", grid_.ny, grid_.nx))
    refuse(fmt::format("its shape is {}; the grid needs ({}, {}), rows from the lowest to the highest",
                       shorten(shape.substr(0, shape.find(')') + 1), 60), grid_.ny, grid_.nx));
  array_ =
      std::make_shared<std::vector<double>>(static_cast<std::size_t>(grid_.nx) * static_cast<std::size_t>(grid_.ny));
  std::vector<std::byte> row(static_cast<std::size_t>(grid_.nx) * type.bytes);
  for (int j = 0; j < grid_.ny; ++j) {
    in.read(reinterpret_cast<char*>(row.data()), static_cast<std::streamsize>(row.size()));
    if (!in) refuse("it ends before its last value");
    for (int i = 0; i < grid_.nx; ++i)
      (*array_)[static_cast<std::size_t>(j) * static_cast<std::size_t>(grid_.nx) + static_cast<std::size_t>(i)] =
          number_of(type, row.data() + static_cast<std::size_t>(i) * type.bytes);
  }
}

void GridValues::row(int j, std::span<double> out) const {
  if (formula_) return formula_->row(grid_, 0, j, 0, out);
  if (array_)
    std::copy_n(array_->begin() + std::ptrdiff_t{j} * grid_.nx, grid_.nx, out.begin());
  else
    std::ranges::fill(out, number_);
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
