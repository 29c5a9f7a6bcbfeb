// VTK's XML format for images, .vti, and for rectilinear grids, .vtr: one piece, values inline or appended, as text, as
// bytes or in base64, plain or packed with zlib.

#include <libdeflate.h>

#include <array>
#include <bit>
#include <filesystem>
#include <map>
#include <memory>
#include <new>

#include "base/input_file.h"
#include "base/numbers.h"
#include "base/text.h"
#include "formats/array_file.h"
#include "formats/file_bytes.h"
#include "formats/npy.h"
#include "formats/several_files.h"
#include "formats/vtk_image.h"
#include "formats/xml_tags.h"

namespace simreel {
namespace {

// libdeflate's decompressor, owned.
class Decompressor {
 public:
  Decompressor() : tool_(libdeflate_alloc_decompressor(), libdeflate_free_decompressor) {
    if (!tool_) throw std::bad_alloc();
  }
  libdeflate_decompressor* get() const { return tool_.get(); }

 private:
  std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> tool_;
};

const std::map<std::string, Element, std::less<>> types = {
    {"Float32", {Element::Kind::real, 4}},         {"Float64", {Element::Kind::real, 8}},
    {"Int8", {Element::Kind::signed_integer, 1}},  {"UInt8", {Element::Kind::unsigned_integer, 1}},
    {"Int16", {Element::Kind::signed_integer, 2}}, {"UInt16", {Element::Kind::unsigned_integer, 2}},
    {"Int32", {Element::Kind::signed_integer, 4}}, {"UInt32", {Element::Kind::unsigned_integer, 4}},
    {"Int64", {Element::Kind::signed_integer, 8}}, {"UInt64", {Element::Kind::unsigned_integer, 8}},
};

int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Up to `max` bytes of base64 from `at` on, up to `end`. Padding may come in the middle: VTK encodes
// headers by themselves.
std::vector<std::byte> decoded(const FileBytes& file, std::uint64_t at, std::uint64_t end, std::uint64_t max) {
  constexpr std::uint64_t at_once = 1 << 20;
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(std::min(max, end - at)));
  std::uint32_t word = 0;
  int digits = 0, padding = 0;
  while (at < end && bytes.size() < max) {
    const std::string_view text = file.view(at, std::min(at_once, end - at));
    at += text.size();
    for (const char c : text) {
      const int digit = digit_of(c);
      if (digit < 0 && c != '=') return bytes;
      word = word << 6 | static_cast<std::uint32_t>(digit < 0 ? 0 : digit);
      padding += digit < 0;
      if (++digits < 4) continue;
      for (int i = 0; i < 3 - padding && bytes.size() < max; ++i)
        bytes.push_back(static_cast<std::byte>(word >> (16 - 8 * i) & 0xff));
      if (bytes.size() >= max) return bytes;
      word = 0;
      digits = padding = 0;
    }
  }
  return bytes;
}

class VtiFile final : public ArrayFile {
 public:
  explicit VtiFile(const std::string& path, bool piece = false)
      : ArrayFile(path), file_(path), tags_(file_, path, ".vti"), piece_(piece) {
    while (!appended_ && tags_.next()) read_tag();
    if (arrays_.empty()) fail("it holds no DataArray of an ImageData" + what_is_there());
    for (const Part& part : parts_)
      if (part.appended && !appended_) tags_.damaged();
  }

  void read(const ArrayInfo& array, std::span<const std::uint64_t> start, std::span<const std::uint64_t> count,
            std::byte* to) const override {
    const std::size_t index = static_cast<std::size_t>(&array - arrays_.data());
    if (unpacked_ != index) {
      unpacked_ = none;
      memory_ = values_of(array, parts_[index]);
      unpacked_ = index;
    }
    copy_part(array, {memory_, false, is_big_endian(parts_[index])}, start, count, to);
  }

  std::optional<double> attribute(std::string_view name) const override {
    if (!time_ || name != file_time) return {};
    const auto& [array, part] = *time_;
    std::vector<std::byte> bytes = values_of(array, part);
    if (is_big_endian(part) != (std::endian::native == std::endian::big))
      swap_bytes(bytes.data(), 1, array.element.bytes);
    double time = 0;
    convert(array.element, bytes.data(), 1, &time);
    return time;
  }

 private:
  struct Part {
    std::uint64_t at = 0;  // in the file; for appended values from their start
    bool appended = false, ascii = false;
  };
  bool is_big_endian(const Part& part) const {
    return part.ascii ? std::endian::native == std::endian::big : big_endian_;
  }

  template <class Number, std::size_t count>
  std::array<Number, count> numbers(std::string_view name) const {
    const std::string text = tags_.attribute(name);
    std::string_view rest = text;
    std::array<Number, count> values{};
    for (Number& value : values) {
      rest = trim_lines(rest);
      const std::optional<Number> number = take_leading<Number>(rest);
      if (!number) tags_.damaged();
      value = *number;
    }
    return values;
  }

  void read_extent(const char* name) {
    whole_ = numbers<std::int64_t, 6>(name);
    for (std::size_t i = 0; i < 3; ++i)
      if (whole_[2 * i] < -(1 << 30) || whole_[2 * i + 1] > 1 << 30 || whole_[2 * i + 1] < whole_[2 * i])
        tags_.damaged();
  }

  void read_tag() {
    const std::string& name = tags_.name();
    if (name == "VTKFile") {
      if (tags_.attribute("type") != "ImageData" && tags_.attribute("type") != "RectilinearGrid")
        fail("it holds {}{}", quote(shorten(tags_.attribute("type"), 40)), not_a_mesh);
      big_endian_ = tags_.attribute("byte_order") == "BigEndian";
      header_bytes_ = tags_.attribute("header_type") == "UInt64" ? 8 : 4;
      const std::string packed = tags_.attribute("compressor");
      if (!packed.empty() && packed != "vtkZLibDataCompressor")
        fail("it is packed with {}; write it with SetCompressorTypeToZLib() or to None", shorten(packed, 60));
      zlib_ = !packed.empty();
    } else if (name == "ImageData") {
      read_extent("WholeExtent");
      axes_.spacing = numbers<double, 3>("Spacing");
      if (!tags_.attribute("Origin").empty()) axes_.origin = numbers<double, 3>("Origin");
      if (!tags_.attribute("Direction").empty()) axes_.direction = numbers<double, 9>("Direction");
      for (std::size_t i = 0; i < 3; ++i) axes_.start[i] = whole_[2 * i];
    } else if (name == "RectilinearGrid") {
      read_extent("WholeExtent");
      axes_.scales = "/coordinates/";
    } else if (name == "Coordinates") {
      coordinate_ = 0;
    } else if (name == "Piece") {
      if (piece_ && pieces_++ == 0) {
        read_extent("Extent");
        for (std::size_t i = 0; i < 3; ++i) axes_.start[i] = whole_[2 * i];
      } else if (numbers<std::int64_t, 6>("Extent") != whole_) {
        fail(
            "it holds several pieces, or one of several; a .pvti or .pvd file that lists files of one piece puts them "
            "together");
      }
    } else if (name == "PointData" || name == "CellData") {
      extents_.clear();
      cells_ = name == "CellData";
      for (std::size_t i = 3; i-- > 0;) {
        const std::int64_t low = whole_[2 * i], high = whole_[2 * i + 1];
        const auto points = static_cast<std::uint64_t>(high - low + 1);
        extents_.push_back(name == "CellData" ? std::max<std::uint64_t>(points, 2) - 1 : points);
      }
    } else if (name == "DataArray" && in_field_data_ && is_time(tags_.attribute("Name"))) {
      add_time();
    } else if (name == "FieldData" || name == "/FieldData") {
      in_field_data_ = name == "FieldData";
    } else if (name == "/PointData" || name == "/CellData" || name == "/Coordinates") {
      extents_.clear();
      coordinate_.reset();
    } else if (name == "DataArray" && coordinate_ && *coordinate_ < 3) {
      add_coordinates((*coordinate_)++);
    } else if (name == "DataArray" && !extents_.empty()) {
      add();
    } else if (name == "AppendedData") {
      raw_ = tags_.attribute("encoding") == "raw";
      appended_ = file_.find("_", tags_.at()) + 1;
      if (*appended_ > file_.size()) tags_.damaged();
    }
  }

  void add_coordinates(std::size_t axis) {
    extents_ = {static_cast<std::uint64_t>(whole_[2 * axis + 1] - whole_[2 * axis] + 1)};
    const std::size_t before = arrays_.size();
    add();
    extents_.clear();
    if (arrays_.size() == before) return;
    ArrayInfo& array = arrays_.back();
    array.name = axes_.scales + "xyz"[axis];
    array.dimensions.clear();
    array.auxiliary = true;
  }

  bool is_time(std::string_view name) const { return name == file_time || (name == "TIME" && !time_); }

  // The first number of what VTK, ParaView and pyvista write about the whole file.
  void add_time() {
    const std::string tuples = tags_.attribute("NumberOfTuples");
    extents_ = {tuples.empty() ? 1 : numbers<std::uint64_t, 1>("NumberOfTuples")[0]};
    const std::size_t before = arrays_.size();
    add();
    const bool any = extents_[0] > 0 && arrays_.size() > before;
    extents_.clear();
    if (any) time_ = {std::move(arrays_.back()), parts_.back()};
    arrays_.resize(before), parts_.resize(before);
  }

  void add() {
    const auto type = types.find(tags_.attribute("type"));
    if (type == types.end()) {
      unread_[tags_.attribute("Name")] = fmt::format("its values are of VTK's type {}, not numbers that simreel reads",
                                                     quote(shorten(tags_.attribute("type"), 30)));
      return;
    }
    const std::string format = tags_.attribute("format"), components = tags_.attribute("NumberOfComponents");
    ArrayInfo array;
    array.name = tags_.attribute("Name");
    array.element = type->second;
    array.extents = extents_;
    if (!components.empty() && components != "1" && components != "0") {
      const auto count = numbers<std::uint64_t, 1>("NumberOfComponents")[0];
      if (count < 1 || count > 9) {
        unread_[array.name] = fmt::format("it has {} components, and simreel reads 1 to 9", count);
        return;
      }
      array.extents.push_back(count);
    }
    axes_.describe(array, cells_, piece_);
    check_claims(array);
    Part part;
    part.appended = format == "appended";
    part.ascii = format == "ascii";
    part.at = part.appended ? numbers<std::uint64_t, 1>("offset")[0] : tags_.at();
    arrays_.push_back(std::move(array));
    parts_.push_back(part);
  }

  std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t at) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < header_bytes_; ++i) {
      const std::size_t place = big_endian_ ? i : header_bytes_ - 1 - i;
      value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + place]);
    }
    return value;
  }

  std::vector<std::byte> values_of(const ArrayInfo& array, const Part& part) const {
    std::uint64_t wanted = array.element.bytes;
    for (const std::uint64_t extent : array.extents) wanted *= extent;
    std::uint64_t from = part.appended ? saturated_sum(*appended_, part.at) : part.at;
    if (from > file_.size()) fail(array, "its values are beyond the end of the file");
    if (part.ascii) {
      std::vector<std::byte> values = take_numbers(file_, from, array.element, wanted / array.element.bytes);
      if (values.size() < wanted)
        fail(array, "{} values of {} should stand there, and {} do", words_for(array.extents), name_of(array.element),
             values.size() / array.element.bytes);
      return values;
    }
    const bool plain = part.appended && raw_;
    std::uint64_t end = file_.size();
    if (!plain) {
      end = file_.find("<", from);
      const auto is_space = [&] { return trim_lines(file_.view(from, 1)).empty(); };
      while (from < end && is_space()) ++from;
    }
    const std::uint64_t stored = end - from;
    // zlib packs at most 1032 to 1.
    if (wanted / (zlib_ ? 1032 : 1) > stored)
      fail(array, "the file ends early: {} values of {} would make {} bytes, and {} are left", words_for(array.extents),
           name_of(array.element), wanted, stored);
    const auto bytes_to = [&](std::uint64_t max) {
      return plain ? file_.bytes(from, std::min(max, stored)) : decoded(file_, from, end, max);
    };
    const auto expect = [&](const std::vector<std::byte>& bytes, std::uint64_t count) {
      if (bytes.size() < count) fail(array, "the file ends early");
    };
    if (!zlib_) {
      std::vector<std::byte> bytes = bytes_to(header_bytes_ + wanted);
      expect(bytes, header_bytes_ + wanted);
      if (number_at(bytes, 0) != wanted) fail(array, "its values are not as many as its extent says");
      bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header_bytes_));
      return bytes;
    }
    return unpacked(array, wanted, bytes_to, expect, stored);
  }

  // Blocks: their number, the size of one and of the last (0: as the others), their packed sizes, and they themselves.
  template <class Bytes, class Expect>
  std::vector<std::byte> unpacked(const ArrayInfo& array, std::uint64_t wanted, const Bytes& bytes_to,
                                  const Expect& expect, std::uint64_t there) const {
    std::vector<std::byte> head = bytes_to(3 * header_bytes_);
    expect(head, 3 * header_bytes_);
    const std::uint64_t blocks = number_at(head, 0), size = number_at(head, header_bytes_);
    const std::uint64_t last = number_at(head, 2 * header_bytes_) == 0 ? size : number_at(head, 2 * header_bytes_);
    // The size of a block may exceed that of the array.
    if (blocks == 0 || blocks > there || saturated_product(blocks - 1, size) > wanted ||
        (blocks - 1) * size + last != wanted)
      fail(array, "its values are not as many as its extent says");
    const std::uint64_t before = (3 + blocks) * header_bytes_;
    head = bytes_to(before);
    expect(head, before);
    std::uint64_t packed = before;
    for (std::uint64_t i = 0; i < blocks; ++i) {
      const std::uint64_t length = number_at(head, (3 + i) * header_bytes_);
      if (length > before + there - packed) fail(array, "the file ends early");
      packed += length;
    }
    const std::vector<std::byte> all = bytes_to(packed);
    expect(all, packed);
    std::vector<std::byte> values(static_cast<std::size_t>(wanted));
    const Decompressor tool;
    for (std::uint64_t i = 0, from = before; i < blocks; ++i) {
      const std::uint64_t length = number_at(head, (3 + i) * header_bytes_);
      if (libdeflate_zlib_decompress(tool.get(), all.data() + from, length, values.data() + i * size,
                                     i + 1 < blocks ? size : last, nullptr) != LIBDEFLATE_SUCCESS)
        fail(array, "it is damaged: its values do not unpack");
      from += length;
    }
    return values;
  }

  static std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
  }

  FileBytes file_;
  XmlTags tags_;
  bool piece_;  // one of several
  int pieces_ = 0;
  bool big_endian_ = false, zlib_ = false, raw_ = false;
  std::size_t header_bytes_ = 4;
  std::array<std::int64_t, 6> whole_{};
  ImageAxes axes_;
  std::optional<std::size_t> coordinate_;  // the axis whose coordinates come next; unset: none
  bool cells_ = false;                     // whether the data around the tags is of cells
  Extents extents_;                        // of the data around the tags; empty: there is none
  std::optional<std::uint64_t> appended_;  // where appended values start
  std::vector<Part> parts_;                // of arrays_
  bool in_field_data_ = false;             // as cells_
  std::optional<std::pair<ArrayInfo, Part>> time_;
  static constexpr auto none = static_cast<std::size_t>(-1);
  mutable std::vector<std::byte> memory_;
  mutable std::size_t unpacked_ = none;
};

}  // namespace

std::unique_ptr<ArrayFile> open_vti_piece(const std::string& path) {
  if (const std::string why = refusal_to_read(path); !why.empty()) throw RuntimeError("{}: {}", path, why);
  return std::make_unique<VtiFile>(path, true);
}

std::unique_ptr<ArrayFile> open_vti_file(const std::string& path) {
  const FileBytes file(path);
  XmlTags tags(file, path, ".pvti");
  while (tags.next())
    if (tags.name() == "VTKFile") break;
  if (tags.attribute("type") != "PImageData") return std::make_unique<VtiFile>(path);
  JoinedFile::Files files;
  while (tags.next()) {
    if (tags.name() != "Piece") continue;
    const std::string source = tags.attribute("Source");
    if (source.empty()) tags.fail(fmt::format("its Piece {}, from 0, names no file", files.size()));
    const std::string piece = (std::filesystem::path(path).parent_path() / source).string();
    std::error_code error;
    if (!std::filesystem::exists(piece, error)) tags.fail(fmt::format("{} in line {} is missing", piece, tags.line()));
    files.push_back(open_vti_piece(piece));
  }
  if (files.empty()) tags.fail("it lists no pieces");
  return join_images(path, std::move(files));
}

}  // namespace simreel
