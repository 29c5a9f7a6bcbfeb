#include "formats/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"

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
  [[noreturn]] void fail(const std::string& message) const { throw RuntimeError("{}: {}", name_, message); }
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
      const std::optional<std::uint64_t> extent = take_leading<std::uint64_t>(text_);
      if (!extent) fail("its header is damaged");
      accept('L');  // numpy of Python 2
      extents.push_back(*extent);
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
    const std::optional<std::size_t> bytes = parse_number<std::size_t>(type.substr(2));
    if (!bytes) refuse(type);
    Element& element = header.element;
    element.bytes = *bytes;
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

// The axes, the slowest first, as the values lie in the file.
std::vector<std::size_t> axes_of(const RawArray& raw, std::size_t axes) {
  std::vector<std::size_t> order(axes);
  for (std::size_t i = 0; i < axes; ++i) order[i] = raw.fortran_order ? axes - 1 - i : i;
  return order;
}

// The bytes from one index of an axis to the next, for values that lie in this order.
Extents strides_of(std::span<const std::uint64_t> extents, std::span<const std::size_t> order, std::size_t bytes) {
  Extents strides(extents.size());
  std::uint64_t stride = bytes;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= extents[order[i]];
  }
  return strides;
}

class NpyFile final : public ArrayFile {
 public:
  explicit NpyFile(const std::string& path) : ArrayFile(path), file_(path) {
    const std::uint64_t max = 1 << 16;
    const NpyHeader header = parse_npy_header(file_.view(0, std::min(file_.size(), max)), path);
    ArrayInfo array;
    array.element = header.element;
    array.extents = header.extents;
    check_claims(array);
    std::uint64_t values = 1;
    for (const std::uint64_t extent : array.extents) values *= extent;
    const std::uint64_t expected = header.bytes + values * array.element.bytes;
    if (expected > file_.size())
      fail(fmt::format("the file ends early: {} values of {} would make {} bytes, and it has {}",
                       words_for(array.extents), name_of(array.element), expected, file_.size()));
    raw_ = {{}, header.fortran_order, header.big_endian, &file_, header.bytes};
    arrays_.push_back(std::move(array));
  }

  void read(const ArrayInfo& array, std::span<const std::uint64_t> start, std::span<const std::uint64_t> count,
            std::byte* to) const override {
    copy_part(array, raw_, start, count, to);
  }

 private:
  FileBytes file_;
  RawArray raw_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view start, const std::string& name) {
  const auto fail = [&](const char* message) { throw RuntimeError("{}: {}", name, message); };
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
  // In the order of the file, so that it is read from its beginning to its end, whatever the order of the axes.
  const std::vector<std::size_t> order = axes_of(raw, axes);
  const Extents strides = strides_of(array.extents, order, bytes), steps = strides_of(count, axes_of({}, axes), bytes);
  std::uint64_t total = 1, from = 0;
  for (std::size_t i = 0; i < axes; ++i) {
    total *= count[i];
    from += start[i] * strides[i];
  }
  if (total == 0) return;
  // The innermost axes whose values lie one after the other, there and here, are copied at once.
  std::size_t outer = axes;
  std::uint64_t run = bytes;
  while (outer > 0 && strides[order[outer - 1]] == run && steps[order[outer - 1]] == run) run *= count[order[--outer]];
  Extents at(outer, 0);
  std::byte* out = to;
  for (bool more = true; more;) {
    if (raw.file != nullptr)
      raw.file->read(raw.at + from, {out, static_cast<std::size_t>(run)});
    else
      std::memcpy(out, raw.bytes.data() + from, run);
    more = false;
    for (std::size_t i = outer; i-- > 0;) {
      const std::size_t axis = order[i];
      from += strides[axis];
      out += steps[axis];
      if (++at[i] < count[axis]) {
        more = true;
        break;
      }
      from -= strides[axis] * count[axis];
      out -= steps[axis] * count[axis];
      at[i] = 0;
    }
  }
  if (raw.big_endian == (std::endian::native == std::endian::little) && bytes > 1)
    swap_bytes(to, static_cast<std::size_t>(total), bytes);
}

std::unique_ptr<ArrayFile> open_npy_file(const std::string& path) { return std::make_unique<NpyFile>(path); }

}  // namespace simreel
