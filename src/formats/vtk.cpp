// VTK's legacy format for images: STRUCTURED_POINTS and RECTILINEAR_GRID, binary (big-endian) or ASCII, with point or
// cell data.

#include <array>
#include <bit>
#include <map>
#include <memory>

#include "base/numbers.h"
#include "base/text.h"
#include "formats/array_file.h"
#include "formats/file_bytes.h"
#include "formats/npy.h"
#include "formats/vtk_image.h"

namespace simreel {
namespace {

const std::map<std::string_view, Element> types = {
    {"bit", {Element::Kind::boolean, 0}},  // eight in a byte: unread
    {"unsigned_char", {Element::Kind::unsigned_integer, 1}},
    {"char", {Element::Kind::signed_integer, 1}},
    {"unsigned_short", {Element::Kind::unsigned_integer, 2}},
    {"short", {Element::Kind::signed_integer, 2}},
    {"unsigned_int", {Element::Kind::unsigned_integer, 4}},
    {"int", {Element::Kind::signed_integer, 4}},
    {"unsigned_long", {Element::Kind::unsigned_integer, 8}},
    {"long", {Element::Kind::signed_integer, 8}},
    {"float", {Element::Kind::real, 4}},
    {"double", {Element::Kind::real, 8}},
    {"vtktypeint64", {Element::Kind::signed_integer, 8}},
    {"vtktypeuint64", {Element::Kind::unsigned_integer, 8}},
    {"vtkIdType", {Element::Kind::signed_integer, 4}},  // VTK writes ids with 32 bits
};

class VtkFile final : public ArrayFile {
 public:
  explicit VtkFile(const std::string& path) : ArrayFile(path), file_(path) {
    next_line();  // the version
    next_line();  // the title
    const std::string coding = next_line();
    ascii_ = coding == "ASCII";
    if (!ascii_ && coding != "BINARY") damaged();
    while (at_ < file_.size()) {
      const std::string line = next_line();
      read_entry(words_in(line));
    }
    if (arrays_.empty()) fail("it holds no SCALARS, VECTORS or FIELD" + what_is_there());
  }

  void read(const ArrayInfo& array, std::span<const std::uint64_t> start, std::span<const std::uint64_t> count,
            std::byte* to) const override {
    const auto index = static_cast<std::size_t>(&array - arrays_.data());
    if (!ascii_) {
      copy_part(array, {{}, false, true, &file_, places_[index]}, start, count, to);
      return;
    }
    if (parsed_ != index) {
      parsed_ = none;
      std::uint64_t at = places_[index];
      memory_ = take_numbers(file_, at, array.element, values_in(array));
      if (memory_.size() < values_in(array) * array.element.bytes) fail(array, "the file changed while it was read");
      parsed_ = index;
    }
    copy_part(array, {memory_, false, std::endian::native == std::endian::big}, start, count, to);
  }

  std::optional<double> attribute(std::string_view name) const override {
    return name == file_time ? time_ : std::nullopt;
  }

 private:
  [[noreturn]] void damaged() const { fail("a .vtk file whose header simreel does not understand"); }

  static std::uint64_t values_in(const ArrayInfo& array) {
    std::uint64_t values = 1;
    for (const std::uint64_t extent : array.extents) values *= extent;
    return values;
  }

  std::string next_line() {
    const std::uint64_t left = file_.size() - at_;
    const std::string_view rest = file_.view(at_, std::min<std::uint64_t>(left, 1024));
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (left > rest.size() && end == rest.size()) damaged();
    at_ += std::min<std::uint64_t>(end + 1, left);
    return std::string(trim(rest.substr(0, end)));
  }

  template <class Number>
  Number number(const std::vector<std::string_view>& words, std::size_t i) const {
    if (i >= words.size()) damaged();
    std::string_view word = words[i];
    const std::optional<Number> value = take_leading<Number>(word);
    if (!value) damaged();
    return *value;
  }

  void read_entry(const std::vector<std::string_view>& words) {
    if (words.empty()) return;
    const std::string_view key = words[0];
    if (key == "DATASET") {
      if (words.size() > 1 && words[1] == "RECTILINEAR_GRID")
        axes_.scales = "/coordinates/";
      else if (words.size() < 2 || words[1] != "STRUCTURED_POINTS")
        fail("it holds {}{}", quote(words.size() < 2 ? "" : shorten(words[1], 40)), not_a_mesh);
    } else if (key == "X_COORDINATES" || key == "Y_COORDINATES" || key == "Z_COORDINATES") {
      if (words.size() < 3) damaged();
      extents_ = {number<std::uint64_t>(words, 1)};
      const std::size_t before = arrays_.size();
      add(axes_.scales + static_cast<char>(key[0] - 'X' + 'x'), std::string(words[2]), 1);
      extents_.clear();
      if (arrays_.size() == before) return;
      arrays_.back().dimensions.clear();
      arrays_.back().auxiliary = true;
    } else if (key == "DIMENSIONS") {
      for (std::size_t i = 0; i < 3; ++i) points_[i] = number<std::uint64_t>(words, i + 1);
    } else if (key == "SPACING" || key == "ASPECT_RATIO") {
      for (std::size_t i = 0; i < 3; ++i) axes_.spacing[i] = number<double>(words, i + 1);
    } else if (key == "ORIGIN") {
      for (std::size_t i = 0; i < 3; ++i) axes_.origin[i] = number<double>(words, i + 1);
    } else if (key == "POINT_DATA" || key == "CELL_DATA") {
      extents_.clear();
      cells_ = key == "CELL_DATA";
      for (std::size_t i = 3; i-- > 0;)
        extents_.push_back(key == "CELL_DATA" ? std::max<std::uint64_t>(points_[i], 2) - 1 : points_[i]);
      if (saturated_product(saturated_product(extents_[0], extents_[1]), extents_[2]) !=
          number<std::uint64_t>(words, 1))
        fail("DIMENSIONS and {} contradict each other", key);
    } else if (key == "SCALARS") {
      if (words.size() < 3) damaged();
      const std::string name(words[1]), type(words[2]);
      const std::uint64_t components = words.size() > 3 ? number<std::uint64_t>(words, 3) : 1;
      if (!next_line().starts_with("LOOKUP_TABLE")) damaged();
      add(name, type, components);
    } else if (key == "COLOR_SCALARS") {  // levels in bytes; of ASCII between 0 and 1
      if (words.size() < 3) damaged();
      add(std::string(words[1]), ascii_ ? "float" : "unsigned_char", number<std::uint64_t>(words, 2));
    } else if (key == "VECTORS" || key == "NORMALS" || key == "TENSORS" || key == "TENSORS6") {
      if (words.size() < 3) damaged();
      add(std::string(words[1]), std::string(words[2]), key == "TENSORS" ? 9 : key == "TENSORS6" ? 6 : 3);
    } else if (key == "TEXTURE_COORDINATES") {
      if (words.size() < 4) damaged();
      add(std::string(words[1]), std::string(words[3]), number<std::uint64_t>(words, 2));
    } else if (key == "FIELD") {
      read_field(number<std::uint64_t>(words, 2));
    } else if (key == "METADATA") {
      skip_metadata();
    } else if (key != "LOOKUP_TABLE") {
      damaged();
    }
  }

  void skip_metadata() {
    while (at_ < file_.size() && !next_line().empty()) continue;
  }

  // So many arrays of points or cells; before any of these, numbers about the whole file, which are passed over.
  void read_field(std::uint64_t arrays) {
    while (arrays > 0 && at_ < file_.size()) {
      const std::string line = next_line();
      const std::vector<std::string_view> parts = words_in(line);
      if (parts.empty()) continue;
      if (parts.size() == 1 && parts[0] == "METADATA") {
        skip_metadata();
        continue;
      }
      if (parts.size() < 4) damaged();
      const std::string name(parts[0]), type(parts[3]);
      const auto components = number<std::uint64_t>(parts, 1), tuples = number<std::uint64_t>(parts, 2);
      std::uint64_t points = 1;
      for (const std::uint64_t extent : extents_) points = saturated_product(points, extent);
      if (type == "string")
        skip_texts(saturated_product(components, tuples));
      else if (extents_.empty() && (name == "TIME" || name == file_time) && components == 1 && tuples == 1)
        take_time(element_of(name, type, 1));
      else if (extents_.empty())
        skip(name, type, saturated_product(components, tuples));
      else if (tuples != points)
        fail("{}: it has {} tuples, and DIMENSIONS ask for {}", quote(shorten(name, 60)), tuples, points);
      else
        add(name, type, components);
      --arrays;
    }
  }

  void take_time(const Element& element) {
    std::vector<std::byte> bytes(element.bytes);
    if (ascii_) {
      bytes = take_numbers(file_, at_, element, 1);
    } else if (file_.size() - at_ >= element.bytes) {
      file_.read(at_, bytes);
      at_ += element.bytes;
      if (std::endian::native == std::endian::little) swap_bytes(bytes.data(), 1, element.bytes);
    }
    double time = 0;
    if (bytes.size() < element.bytes) return;
    convert(element, bytes.data(), 1, &time);
    time_ = time;
  }

  const Element& element_of(const std::string& name, const std::string& type, std::uint64_t values) const {
    const auto found = types.find(type);
    if (found == types.end() || !is_known(found->second))
      fail("{}: {} values of type {} are not what simreel reads", quote(shorten(name, 60)), values,
           quote(shorten(type, 30)));
    return found->second;
  }

  // Texts, each after its length, whose first two bits say how many bytes it takes; of ASCII a line each.
  void skip_texts(std::uint64_t texts) {
    for (; texts > 0 && at_ < file_.size(); --texts) {
      if (ascii_) {
        next_line();
        continue;
      }
      const std::uint64_t left = file_.size() - at_;
      const std::string_view head = file_.view(at_, std::min<std::uint64_t>(left, 8));
      const std::uint64_t first = static_cast<unsigned char>(head[0]);
      const std::size_t width = std::size_t{8} >> (first >> 6);
      std::uint64_t length = first & 0x3f;
      for (std::size_t i = 1; i < std::min(width, head.size()); ++i)
        length = length << 8 | static_cast<unsigned char>(head[i]);
      if (length > left || length + width > left) fail("a text in it: the file ends early");
      at_ += width + length;
    }
  }

  // Moves past numbers in ASCII; returns how many there are.
  std::uint64_t pass(const Element& element, std::uint64_t values) {
    return take_numbers(file_, at_, element, values).size() / element.bytes;
  }

  void pass_bits(const std::string& name, std::uint64_t values) {
    if (ascii_) {
      pass({Element::Kind::unsigned_integer, 1}, values);
      return;
    }
    if (values / 8 > file_.size() - at_) fail(fmt::format("{}: the file ends early", quote(shorten(name, 60))));
    at_ = std::min(at_ + (values + 7) / 8, file_.size());
  }

  void skip(const std::string& name, const std::string& type, std::uint64_t values) {
    if (ascii_) {
      pass(element_of(name, type, values), values);
      return;
    }
    const std::uint64_t bytes = saturated_product(values, element_of(name, type, values).bytes);
    if (bytes > file_.size() - at_) fail("{}: the file ends early", quote(shorten(name, 60)));
    at_ += bytes;
  }

  // The values begin here.
  void add(const std::string& name, const std::string& type, std::uint64_t components) {
    if (extents_.empty())
      fail(fmt::format("{}: {} values before POINT_DATA or CELL_DATA are not what simreel reads",
                       quote(shorten(name, 60)), components));
    std::uint64_t points = 1;
    for (const std::uint64_t extent : extents_) points = saturated_product(points, extent);
    const std::uint64_t values = saturated_product(points, components);
    if (type == "bit") {
      unread_[name] = "it holds bits; write them as bytes";
      return pass_bits(name, values);
    }
    if (components < 1 || components > 9) {
      unread_[name] = fmt::format("it has {} components, and simreel reads 1 to 9", components);
      return skip(name, type, values);
    }
    const Element& element = element_of(name, type, components);
    ArrayInfo array;
    array.name = name;
    array.element = element;
    array.extents = extents_;
    if (components > 1) array.extents.push_back(components);
    axes_.describe(array, cells_);
    check_claims(array);
    const std::uint64_t bytes = values_in(array) * array.element.bytes;
    if (ascii_) {
      places_.push_back(at_);
      if (const std::uint64_t found = pass(array.element, values_in(array)); found < values_in(array))
        fail(array, "{} values of {} should follow, and {} do", words_for(array.extents), name_of(array.element),
             found);
      arrays_.push_back(std::move(array));
      return;
    }
    if (bytes > file_.size() - at_)
      fail(array, "the file ends early: {} values of {} would make {} bytes, and {} are left", words_for(array.extents),
           name_of(array.element), bytes, file_.size() - at_);
    places_.push_back(at_);
    arrays_.push_back(std::move(array));
    at_ += bytes;
  }

  FileBytes file_;
  std::uint64_t at_ = 0;
  std::array<std::uint64_t, 3> points_ = {1, 1, 1};
  ImageAxes axes_;
  bool cells_ = false;
  Extents extents_;
  std::vector<std::uint64_t> places_;  // of arrays_
  bool ascii_ = false;
  std::optional<double> time_;
  static constexpr auto none = static_cast<std::size_t>(-1);
  mutable std::vector<std::byte> memory_;  // of ASCII: the numbers of one array
  mutable std::size_t parsed_ = none;
};

}  // namespace

std::unique_ptr<ArrayFile> open_vtk_file(const std::string& path) { return std::make_unique<VtkFile>(path); }

}  // namespace simreel
