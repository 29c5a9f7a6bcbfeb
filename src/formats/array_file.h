#pragma once
// Files of named arrays, whoever wrote them: .npy, .npz, HDF5 (with NetCDF-4 and VTKHDF), VTK images. Only headers are
// read by opening; values are read where they are asked for. What a header claims is checked before memory is taken.

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "formats/element.h"

namespace simreel {

using Extents = std::vector<std::uint64_t>;  // the slowest axis first

// An array of a file.
struct ArrayInfo {
  std::string name;  // "/fields/vorticity"; of a .npy empty; of a .npz without ".npy"
  Element element;
  Extents extents;
  std::vector<std::string> dimensions;  // their names, where the file has them; otherwise empty
  // Where the format itself says it, of each axis: the coordinate of the first entry, and from one to the next.
  struct Steps {
    double first = 0, step = 1;
  };
  std::vector<Steps> steps;
  // NetCDF's conventions: a value of the file v stands for v * scale + offset; one that equals `fill` is missing.
  std::optional<double> fill;
  std::vector<double> missing;  // other such values
  double scale = 1, offset = 0;
  bool packed = false;  // whether it has a scale or an offset
  // Values outside are missing too; as they lie in the file, or, where `limits_unpacked`, after scale and offset.
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  bool limits_unpacked = false;
  std::string unit;                                   // empty: none
  std::vector<std::pair<double, std::string>> flags;  // what values stand for (flag_values, flag_meanings)
  std::vector<std::string> unheeded;  // attributes that are not understood, and why: "valid_range holds 3 numbers ..."
  bool auxiliary = false;  // another array names it as its coordinates or their bounds: nothing that is drawn unasked
};

// `count` texts of equal length, without the zeros and blanks that fill them.
std::vector<std::string> split_words(std::string_view letters, std::uint64_t count);

std::string words_for(const Extents&);  // "64 x 128", "[]" for a single number

class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  ArrayFile& operator=(ArrayFile&&) = delete;

  const std::string& path() const { return path_; }
  std::span<const ArrayInfo> arrays() const { return arrays_; }
  // What is no array of numbers, by name, and why.
  const std::map<std::string, std::string>& unread() const { return unread_; }
  // The array of that name; a leading slash may be left out. Null if there is none.
  const ArrayInfo* find(std::string_view name) const;
  // The same; throws RuntimeError that names what is there.
  const ArrayInfo& at(std::string_view name) const;
  // What is there instead of the array that was looked for: "; it holds /t (a single number), ..."; empty: nothing.
  std::string what_is_there() const;

  // Copies the values from `start` on, `count` along each axis, to `to`, in the order of the file's axes, the slowest
  // first, and in the byte order of this machine. Throws RuntimeError with file and array.
  virtual void read(const ArrayInfo&, std::span<const std::uint64_t> start, std::span<const std::uint64_t> count,
                    std::byte* to) const = 0;

  // A number or a text in addition to the arrays: "time", "/Header/Time". Nullopt if the file has none of that name.
  virtual std::optional<double> attribute(std::string_view) const { return {}; }
  virtual std::optional<std::string> text(std::string_view) const { return {}; }
  // A list of numbers, at most `max` of them; empty if there is none.
  virtual std::vector<double> attribute_list(std::string_view name, std::size_t) const {
    const std::optional<double> number = attribute(name);
    return number ? std::vector{*number} : std::vector<double>();
  }

  // The texts of an array of letters, one for each entry of its first axis; empty if there is none of that name, or it
  // holds more than `max` bytes.
  virtual std::vector<std::string> words(std::string_view, std::size_t) const { return {}; }

  // All values of an array of at most `max` numbers, as double, with scale and offset. Throws RuntimeError.
  // `mark_missing`: those that stand for no value are NaN.
  std::vector<double> values(const ArrayInfo&, std::size_t max, bool mark_missing = false) const;

 protected:
  explicit ArrayFile(std::string path) : path_(std::move(path)) {}

  // Throws RuntimeError: the file, the array if it has a name, and what is wrong, given as it is or as to fmt::format.
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail(const ArrayInfo&, const std::string& message) const;
  template <class First, class... Rest>
  [[noreturn]] void fail(fmt::format_string<First, Rest...> message, First&& first, Rest&&... rest) const {
    fail(fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  template <class First, class... Rest>
  [[noreturn]] void fail(const ArrayInfo& array, fmt::format_string<First, Rest...> message, First&& first,
                         Rest&&... rest) const {
    fail(array, fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...));
  }
  // Calls `open` for a member of that name. One that cannot be opened is unread, and bars no other.
  template <class Open>
  void open_member(const std::string& name, const Open& open) {
    try {
      open();
    } catch (const RuntimeError& error) {
      unread_[name] = without_place(error.what(), name);
    }
  }
  // Throws for an array of a type, a number of axes or a size that cannot be meant.
  void check_claims(const ArrayInfo&) const;

  std::string path_;
  std::vector<ArrayInfo> arrays_;
  std::map<std::string, std::string> unread_;

 private:
  std::string without_place(std::string_view message, const std::string& name) const;
};

// "x.h5:/path" for messages; the file alone for an array without a name.
std::string place_of(const std::string& file, std::string_view array);

// Opens a file by what it contains, not by its name. Throws RuntimeError if it cannot be read, is damaged, or is of
// another kind, with a way out.
// Several paths with line breaks between are pieces of one image. A snapshot in several files is one.
std::unique_ptr<ArrayFile> open_array_file(const std::filesystem::path&);
// The same for a file that is one, whatever it says.
std::unique_ptr<ArrayFile> open_array_file_alone(const std::filesystem::path&);

// The kinds of array files. Each function opens one that begins as its kind does; throws RuntimeError.

std::unique_ptr<ArrayFile> open_npy_file(const std::string& path);
std::unique_ptr<ArrayFile> open_npz_file(const std::string& path);
std::unique_ptr<ArrayFile> open_hdf5_file(const std::string& path);  // without HDF5: throws, and names the option
std::unique_ptr<ArrayFile> open_netcdf3_file(const std::string& path);
std::unique_ptr<ArrayFile> open_vtk_file(const std::string& path);
std::unique_ptr<ArrayFile> open_vti_file(const std::string& path);
// The same for one of several pieces: its points are counted from those of the whole, and always have their steps.
std::unique_ptr<ArrayFile> open_vti_piece(const std::string& path);
std::unique_ptr<ArrayFile> open_gadget_file(const std::string& path);
// Luminance of a picture, from 0 black to 1 white: array "luminance", the lowest row first.
std::unique_ptr<ArrayFile> open_picture_file(const std::string& path);
// Rows of numbers, as numpy.savetxt writes them: array "value", in the order of the file.
std::unique_ptr<ArrayFile> open_text_grid(const std::string& path);
inline constexpr std::uint64_t max_text_grid = 1 << 28;  // bytes
bool is_gadget(std::string_view head);                   // the first 8 bytes of a file

}  // namespace simreel
