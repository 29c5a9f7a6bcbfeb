#include "formats/array_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "base/input_file.h"
#include "base/text.h"
#include "formats/several_files.h"

namespace simreel {
namespace {

constexpr std::size_t max_axes = 32;
constexpr std::uint64_t max_values = std::uint64_t{1} << 42;

std::string_view bare(std::string_view name) {
  while (name.starts_with('/')) name.remove_prefix(1);
  return name;
}

// HDF5 begins at byte 0, 512, 1024, 2048, ...: MATLAB writes 512 bytes of its own before it.
bool begins_later_as_hdf5(std::ifstream& file) {
  constexpr std::string_view mark = "\x89HDF\r\n\x1a\n";
  constexpr std::streamoff last = 1 << 20;
  for (std::streamoff at = 512; at <= last; at *= 2) {
    char start[mark.size()] = {};
    file.clear();
    file.seekg(at);
    if (!file.read(start, sizeof start)) return false;
    if (std::string_view(start, sizeof start) == mark) return true;
  }
  return false;
}

}  // namespace

std::string words_for(const Extents& extents) {
  return extents.empty() ? "a single number" : fmt::format("{}", fmt::join(extents, " x "));
}

std::vector<std::string> split_words(std::string_view letters, std::uint64_t count) {
  std::vector<std::string> words;
  for (const std::size_t length = letters.size() / std::max<std::uint64_t>(count, 1); words.size() < count;) {
    const std::string_view word = letters.substr(words.size() * length, length);
    words.emplace_back(trim(word.substr(0, word.find('\0'))));
  }
  return words;
}

std::string place_of(const std::string& file, std::string_view array) {
  return array.empty() ? file : fmt::format("{}:{}", file, array);
}

const ArrayInfo* ArrayFile::find(std::string_view name) const {
  const auto found = std::ranges::find_if(arrays_, [&](const ArrayInfo& a) { return bare(a.name) == bare(name); });
  return found == arrays_.end() ? nullptr : &*found;
}

const ArrayInfo& ArrayFile::at(std::string_view name) const {
  if (const ArrayInfo* found = find(name)) return *found;
  std::vector<std::string_view> names;
  for (const ArrayInfo& array : arrays_) names.push_back(array.name);
  for (const auto& [other, why] : unread_)
    if (bare(other) == bare(name)) throw RuntimeError("{}: {}", place_of(path_, other), why);
  if (names.empty()) fail("contains no array of numbers{}", what_is_there());
  if (names.size() == 1 && names[0].empty())
    fail("a .npy file holds one array, and none has a name; leave :{} out", name);
  constexpr std::size_t shown = 20;
  std::string more;
  if (names.size() > shown) {
    if (const std::string_view near = nearest(name, names); !near.empty())
      more = fmt::format("; did you mean \"{}\"?", near);
    more = fmt::format(" and {} more{}", names.size() - shown, more);
    names.resize(shown);
  }
  fail("there is no array {}, but: {}{}", quote(name), choices(name, names), more);
}

std::string ArrayFile::what_is_there() const {
  constexpr std::size_t shown = 4;
  std::vector<std::string> list;
  for (const ArrayInfo& array : arrays_)
    list.push_back(fmt::format(
        "{}{}", array.name.empty() ? "" : array.name + ": ",
        array.extents.size() == 1 ? fmt::format("a list of {}", array.extents[0]) : words_for(array.extents)));
  for (const auto& [name, why] : unread_) list.push_back(fmt::format("{}: {}", name, why));
  const std::size_t more = list.size() - std::min(shown, list.size());
  list.resize(list.size() - more);
  if (list.empty()) return "";
  return fmt::format("; it holds {}{}", fmt::join(list, "; "), more > 0 ? fmt::format("; and {} more", more) : "");
}

void ArrayFile::fail(const std::string& message) const { throw RuntimeError("{}: {}", path_, message); }

void ArrayFile::fail(const ArrayInfo& array, const std::string& message) const {
  throw RuntimeError("{}: {}", place_of(path_, array.name), message);
}

std::string ArrayFile::without_place(std::string_view message, const std::string& name) const {
  for (const std::string& place : {place_of(path_, name) + ": ", path_ + ": "})
    if (message.starts_with(place)) message.remove_prefix(place.size());
  return std::string(message);
}

void ArrayFile::check_claims(const ArrayInfo& array) const {
  if (!is_known(array.element)) fail(array, "its numbers are of a type that simreel does not read");
  if (array.extents.size() > max_axes)
    fail(array, "{} axes are too many; the limit is {}", array.extents.size(), max_axes);
  std::uint64_t values = 1;
  for (const std::uint64_t extent : array.extents) values = saturated_product(values, extent);
  if (values > max_values)
    fail(array, "the header claims {} values, more than any machine holds", words_for(array.extents));
}

std::vector<double> ArrayFile::values(const ArrayInfo& array, std::size_t max, bool mark_missing) const {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : array.extents) count = saturated_product(count, extent);
  if (count > max) fail(array, "{} values are too many here; the limit is {}", count, max);
  std::vector<std::byte> raw(static_cast<std::size_t>(count) * array.element.bytes);
  const Extents start(array.extents.size(), 0);
  if (count > 0) read(array, start, array.extents, raw.data());
  std::vector<double> values(static_cast<std::size_t>(count));
  convert(array.element, raw.data(), values.size(), values.data());
  for (double& value : values) {
    if (mark_missing && (value == array.fill || std::ranges::find(array.missing, value) != array.missing.end()))
      value = std::numeric_limits<double>::quiet_NaN();
    if (array.packed) value = value * array.scale + array.offset;
  }
  return values;
}

std::unique_ptr<ArrayFile> open_array_file(const std::filesystem::path& path) {
  if (path.string().find('\n') == std::string::npos) return with_other_files(open_array_file_alone(path));
  JoinedFile::Files files;
  for (const std::string& piece : pieces_of(path.string())) files.push_back(open_vti_piece(piece));
  const std::string name = fmt::format("{} and {} more", files[0]->path(), files.size() - 1);
  return join_images(name, std::move(files));
}

std::unique_ptr<ArrayFile> open_array_file_alone(const std::filesystem::path& path) {
  std::error_code error;
  const std::string name = path.string();
  if (const std::string why = refusal_to_read(path); !why.empty()) throw RuntimeError("{}: {}", name, why);
  if (!std::filesystem::exists(path, error)) throw RuntimeError("{}: there is no such file", name);
  if (std::filesystem::exists(path / "zarr.json", error) || std::filesystem::exists(path / ".zgroup", error) ||
      std::filesystem::exists(path / ".zarray", error))
    throw RuntimeError(
        "{}: it is a store of zarr, which simreel does not read; write it as NetCDF-4: "
        "xarray.open_zarr(...).to_netcdf(\"x.nc\")",
        name);
  if (std::filesystem::is_directory(path, error))
    throw RuntimeError("{0}: it is a folder; name the files in it: \"{0}/*\"", name);
  std::ifstream file(path, std::ios::binary);
  char start[32] = {};
  if (!file.is_open()) throw RuntimeError("{}: cannot be read: {}", name, std::strerror(errno));
  file.read(start, sizeof start);
  const std::string_view head(start, static_cast<std::size_t>(file.gcount()));
  if (head.empty()) throw RuntimeError("{}: the file is empty", name);
  if (head.starts_with("\x93NUMPY")) return open_npy_file(name);
  if (head.starts_with("PK\3\4") || head.starts_with("PK\5\6")) return open_npz_file(name);
  if (head.starts_with("\x89HDF\r\n\x1a\n")) return open_hdf5_file(name);
  if (head.starts_with("CDF") && head.size() > 4) return open_netcdf3_file(name);
  if (head.starts_with("# vtk DataFile")) return open_vtk_file(name);
  if (head.starts_with("<?xml") || head.starts_with("<VTKFile")) return open_vti_file(name);
  if (is_gadget(head)) return open_gadget_file(name);
  if (head.starts_with("\x89PNG") || head.starts_with("\xff\xd8\xff")) return open_picture_file(name);
  if (begins_later_as_hdf5(file)) return open_hdf5_file(name);
  if (const std::string end = lower_case(path.extension().string()); end == ".csv" || end == ".txt" || end == ".dat")
    return open_text_grid(name);
  throw RuntimeError(
      "{}: not a file that simreel reads: .npy, .npz, HDF5, NetCDF, .vti, VTK's STRUCTURED_POINTS, PNG, JPEG or rows "
      "of numbers in .csv{}",
      name,
      head.starts_with("MATLAB 5") ? "; MATLAB writes HDF5 with save(..., \"-v7.3\")"
      : head.starts_with("II*") || head.starts_with("MM")
          ? fmt::format("; of a TIFF, Python makes one: numpy.save(\"x.npy\", tifffile.imread(\"{}\"))", name)
      : name.ends_with(".raw")
          ? fmt::format("; raw numbers do not say their shape: numpy.save(\"x.npy\", numpy.fromfile(\"{}\", "
                        "\"u1\").reshape(nz, ny, nx))",
                        name)
      : name.ends_with(".toml") ? fmt::format("; simreel render {} renders a scene", name)
                                : "");
}

}  // namespace simreel
