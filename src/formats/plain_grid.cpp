// Grids of numbers in pictures and in text: one array of two axes, kept in memory.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/input_image.h"
#include "base/text.h"
#include "formats/array_file.h"
#include "formats/file_bytes.h"
#include "formats/npy.h"

namespace simreel {
namespace {

template <class Real>
class PlainGrid : public ArrayFile {
 public:
  PlainGrid(const std::string& path, std::string name, std::uint64_t rows, std::vector<Real> values)
      : ArrayFile(path), values_(std::move(values)) {
    ArrayInfo array;
    array.name = std::move(name);
    array.element = {Element::Kind::real, sizeof(Real)};
    array.extents = {rows, values_.size() / rows};
    check_claims(array);
    arrays_.push_back(std::move(array));
  }

  void read(const ArrayInfo& array, std::span<const std::uint64_t> start, std::span<const std::uint64_t> count,
            std::byte* to) const override {
    copy_part(array, {std::as_bytes(std::span(values_))}, start, count, to);
  }

 private:
  std::vector<Real> values_;
};

// The numbers of a line, between commas, semicolons, tabs or blanks; one that is left out is NaN. False if one is none.
bool append_numbers(std::string_view line, std::vector<double>& values) {
  const char separator = line.find(',') != std::string_view::npos    ? ','
                         : line.find(';') != std::string_view::npos  ? ';'
                         : line.find('\t') != std::string_view::npos ? '\t'
                                                                     : ' ';
  for (bool more = true; more;) {
    const std::size_t end = std::min(line.find(separator), line.size());
    std::string_view cell = trim(line.substr(0, end));
    more = end < line.size();
    line.remove_prefix(std::min(end + 1, line.size()));
    if (separator == ' ') line = trim(line);
    if (cell.starts_with('+')) cell.remove_prefix(1);
    double value = std::numeric_limits<double>::quiet_NaN();
    const auto [rest, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error == std::errc::invalid_argument ? !cell.empty() : rest != cell.data() + cell.size()) return false;
    values.push_back(value);
  }
  return true;
}

}  // namespace

std::unique_ptr<ArrayFile> open_picture_file(const std::string& path) {
  std::string reason;
  std::optional<GreyImage> image = read_grey_image(path, reason);
  if (!image) throw RuntimeError("{}: {}", path, reason);
  const auto width = static_cast<std::ptrdiff_t>(image->width);
  for (std::ptrdiff_t top = 0, bottom = image->height - 1; top < bottom; ++top, --bottom)  // rows of a field rise
    std::swap_ranges(image->level.begin() + top * width, image->level.begin() + (top + 1) * width,
                     image->level.begin() + bottom * width);
  return std::make_unique<PlainGrid<float>>(path, "luminance", static_cast<std::uint64_t>(image->height),
                                            std::move(image->level));
}

std::unique_ptr<ArrayFile> open_text_grid(const std::string& path) {
  const FileBytes file(path);
  if (file.size() > max_text_grid)
    throw RuntimeError("{}: it has {} bytes, and grids of text {} at most; numpy.save(\"x.npy\", numpy.loadtxt(...))",
                       path, file.size(), max_text_grid);
  const std::string_view text = file.view(0, file.size());
  std::vector<double> values;
  std::uint64_t rows = 0, columns = 0, number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = trim(take_line(rest));
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t before = values.size();
    if (!append_numbers(line, values))
      throw RuntimeError("{}:{}: this is no row of numbers, as a grid has them; {}", path, number,
                         line.starts_with("x,y,")
                             ? fmt::format("as bodies it is drawn by a scene with kind = \"nbody\" and file = {} in "
                                           "[solver]",
                                           quote(path))
                             : fmt::format("simreel plot {} draws columns", path));
    if (rows++ == 0) columns = values.size();
    if (values.size() - before != columns)
      throw RuntimeError("{}:{}: a row of length {} after rows of length {}", path, number, values.size() - before,
                         columns);
  }
  if (rows == 0) throw RuntimeError("{}: it holds no numbers", path);
  return std::make_unique<PlainGrid<double>>(path, "value", rows, std::move(values));
}

}  // namespace simreel
