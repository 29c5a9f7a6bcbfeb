#include "formats/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "formats/kinds.h"
#include "formats/mapped_file.h"

namespace simreel {
namespace {

// Reads the Python literal of a header: a dict with three keys, in any order.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void read(NpyHeader& header) {
    expect('{');
    bool described = false, ordered = false, shaped = false;
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        described = true;
        skip_space();
        if (text_.starts_with('['))
          fail("it holds records of several numbers; save one of its columns: numpy.save(file, a[\"name\"])");
        read_type(string(), header);
      } else if (key == "fortran_order") {
        ordered = true;
        header.fortran_order = boolean();
      } else if (key == "shape") {
        shaped = true;
        read_shape(header.extents);
      } else {
        fail("its header is damaged");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!described || !ordered || !shaped) fail("its header is damaged");
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw RuntimeError(fmt::format("{}: {}", name_, message));
  }
  void skip_space() { text_.remove_prefix(std::min(text_.find_first_not_of(" \n\t\r"), text_.size())); }
  bool accept(char c) {
    skip_space();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail("its header is damaged");
  }
  std::string_view string() {
    skip_space();
    const char quote = text_.empty() ? '\0' : text_[0];
    const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos) fail("its header is damaged");
    const std::string_view found = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return found;
  }
  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    fail("its header is damaged");
  }
  void read_shape(Extents& extents) {
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::uint64_t extent = 0;
      const auto result = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (result.ec != std::errc()) fail("its header is damaged");
      text_.remove_prefix(static_cast<std::size_t>(result.ptr - text_.data()));
      accept('L');  // numpy of Python 2
      extents.push_back(extent);
      if (extents.size() > 32) fail("its header is damaged");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }
  void read_type(std::string_view type, NpyHeader& header) {
    if (type.size() < 3) refuse(type);
    const char order = type[0];
    if (order != '<' && order != '>' && order != '|' && order != '=') refuse(type);
    header.big_endian = order == '>';
    std::size_t bytes = 0;
    const auto result = std::from_chars(type.data() + 2, type.data() + type.size(), bytes);
    if (result.ec != std::errc() || result.ptr != type.data() + type.size()) refuse(type);
    Element& element = header.element;
    element.bytes = bytes;
    switch (type[1]) {
      case 'f': element.kind = Element::Kind::real; break;
      case 'i': element.kind = Element::Kind::signed_integer; break;
      case 'u': element.kind = Element::Kind::unsigned_integer; break;
      case 'b': element.kind = Element::Kind::boolean; break;
      case 'c': fail(fmt::format("its numbers are complex ({}); save their magnitude: numpy.abs(a)", quote(type)));
      default: refuse(type);
    }
    if (!is_known(element)) refuse(type);
  }
  [[noreturn]] void refuse(std::string_view type) const {
    fail(
        fmt::format("its values are of numpy's type {}, not numbers that simreel reads: floats of 2, 4 and 8 bytes, "
                    "integers, bool; convert it: a.astype(\"f8\")",
                    quote(shorten(type, 20))));
  }

  std::string_view text_;
  const std::string& name_;
};

// The bytes from one index of an axis to the next.
Extents strides_of(const ArrayInfo& array, bool fortran_order) {
  const std::size_t axes = array.extents.size();
  Extents strides(axes);
  std::uint64_t bytes = array.element.bytes;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::size_t axis = fortran_order ? i : axes - 1 - i;
    strides[axis] = bytes;
    bytes *= array.extents[axis];
  }
  return strides;
}

class NpyFile final : public ArrayFile {
 public:
  explicit NpyFile(const std::string& path) : ArrayFile(path), file_(path) {
    const std::size_t most = 1 << 16;
    const std::span<const std::byte> bytes = file_.bytes();
    const auto* const letters = reinterpret_cast<const char*>(bytes.data());
    const NpyHeader header = parse_npy_header({letters, std::min(bytes.size(), most)}, path);
    ArrayInfo array;
    array.element = header.element;
    array.extents = header.extents;
    check_claims(array);
    std::uint64_t values = 1;
    for (const std::uint64_t extent : array.extents) values *= extent;
    expected_ = header.bytes + values * array.element.bytes;
    if (expected_ > bytes.size())
      fail(fmt::format("the file ends early: {} values of {} would make {} bytes, and it has {}",
                       words_for(array.extents), name_of(array.element), expected_, bytes.size()));
    raw_ = {bytes.subspan(header.bytes, expected_ - header.bytes), header.fortran_order, header.big_endian};
    arrays_.push_back(std::move(array));
  }

  void read(const ArrayInfo& array, std::span<const std::uint64_t> start, std::span<const std::uint64_t> count,
            std::byte* to) const override {
    // Reading mapped memory beyond the end of a file that was truncated meanwhile would end the process.
    if (file_.size_now() < expected_) fail("the file became shorter while it was read");
    copy_part(array, raw_, start, count, to);
  }

 private:
  MappedFile file_;
  RawArray raw_;
  std::uint64_t expected_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view start, const std::string& name) {
  const auto fail = [&](const char* message) { throw RuntimeError(fmt::format("{}: {}", name, message)); };
  if (!start.starts_with("\x93NUMPY")) fail("not a .npy file");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(start[i])); };
  if (start.size() < 12) fail("the file ends within its header");
  const std::size_t version = byte(6), before = version == 1 ? 10 : 12;
  if (version < 1 || version > 3) fail("a version of the .npy format that simreel does not know");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > start.size() - before)
    fail(start.size() >= 1 << 16 ? "its header is damaged" : "the file ends within its header");
  NpyHeader header;
  header.bytes = before + length;
  HeaderReader(start.substr(before, length), name).read(header);
  return header;
}

void copy_part(const ArrayInfo& array, const RawArray& raw, std::span<const std::uint64_t> start,
               std::span<const std::uint64_t> count, std::byte* to) {
  const std::size_t axes = array.extents.size(), bytes = array.element.bytes;
  const Extents strides = strides_of(array, raw.fortran_order);
  std::uint64_t total = 1, offset = 0;
  for (std::size_t i = 0; i < axes; ++i) {
    total *= count[i];
    offset += start[i] * strides[i];
  }
  if (total == 0) return;
  // The innermost axes whose values lie one behind the other are copied at once.
  std::size_t outer = axes;
  std::uint64_t run = 1;
  while (outer > 0 && strides[outer - 1] == run * bytes) {
    run *= count[outer - 1];
    --outer;
    if (count[outer] != array.extents[outer]) break;
  }
  Extents at(outer, 0);
  std::byte* out = to;
  for (bool more = true; more;) {
    std::memcpy(out, raw.bytes.data() + offset, run * bytes);
    out += run * bytes;
    more = false;
    for (std::size_t i = outer; i-- > 0;) {
      offset += strides[i];
      if (++at[i] < count[i]) {
        more = true;
        break;
      }
      offset -= strides[i] * count[i];
      at[i] = 0;
    }
  }
  if (raw.big_endian == (std::endian::native == std::endian::little) && bytes > 1)
    swap_bytes(to, static_cast<std::size_t>(total), bytes);
}

std::unique_ptr<ArrayFile> open_npy_file(const std::string& path) { return std::make_unique<NpyFile>(path); }

}  // namespace simreel
