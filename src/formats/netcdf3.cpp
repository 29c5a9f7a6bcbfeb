// NetCDF's classic formats: CDF-1, CDF-2 with offsets of 64 bits, CDF-5 with
// counts of 64 bits ("NetCDF Classic Format Specification", netcdf-c). All is
// big-endian.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "formats/array_file.h"
#include "formats/cf_attributes.h"
#include "formats/npy.h"

namespace simreel {
namespace {

constexpr std::uint64_t max_listed = 100000, max_letters = 1 << 20, max_numbers = 1 << 16;

using Kind = Element::Kind;
constexpr Element no_number{Kind::boolean, 1};  // text
constexpr Element nc_types[] = {{Kind::signed_integer, 1},
                                no_number,
                                {Kind::signed_integer, 2},
                                {Kind::signed_integer, 4},
                                {Kind::real, 4},
                                {Kind::real, 8},
                                {Kind::unsigned_integer, 1},
                                {Kind::unsigned_integer, 2},
                                {Kind::unsigned_integer, 4},
                                {Kind::signed_integer, 8},
                                {Kind::unsigned_integer, 8}};  // NC_BYTE 1, NC_CHAR 2, ..., NC_UINT64 11

class Netcdf3File final : public ArrayFile {
 public:
  explicit Netcdf3File(const std::string& path) : ArrayFile(path), file_(path) {
    version_ = static_cast<unsigned char>(file_.view(3, 1)[0]);
    if (version_ != 1 && version_ != 2 && version_ != 5) fail("a version of NetCDF-3 that simreel does not know");
    std::uint64_t records = number(size_bytes());
    for (std::uint64_t left = list(10); left > 0; --left) {
      std::string name = text();
      dimensions_.push_back({std::move(name), number(size_bytes())});
    }
    attributes_[""] = attributes();
    std::set<std::string> auxiliary;
    for (std::uint64_t left = list(11); left > 0; --left) read_variable(auxiliary);
    place_records(records);
    set_texts_aside();
    for (ArrayInfo& array : arrays_) array.auxiliary = auxiliary.contains(array.name);
    if (arrays_.empty()) fail("it holds no array of numbers" + what_is_there());
  }

  void read(const ArrayInfo& array, std::span<const std::uint64_t> start, std::span<const std::uint64_t> count,
            std::byte* to) const override {
    read(array, parts_[static_cast<std::size_t>(&array - arrays_.data())], start, count, to);
  }

  std::vector<std::string> words(std::string_view name, std::size_t max) const override {
    for (const auto& [array, part] : texts_) {
      if (array.name.substr(1) != name.substr(name.starts_with('/') ? 1 : 0) || array.extents.empty()) continue;
      std::uint64_t bytes = 1;
      for (const std::uint64_t extent : array.extents) bytes *= extent;
      if (bytes > max) continue;
      std::string letters(static_cast<std::size_t>(bytes), '\0');
      read(array, part, Extents(array.extents.size(), 0), array.extents, reinterpret_cast<std::byte*>(letters.data()));
      return split_words(letters, array.extents[0]);
    }
    return {};
  }

  std::optional<double> attribute(std::string_view name) const override {
    const std::vector<double> values = attribute_list(name, 1);
    return values.empty() ? std::nullopt : std::optional(values[0]);
  }
  std::optional<std::string> text(std::string_view name) const override {
    const Attribute* const found = find_attribute(name);
    return found == nullptr || !found->numbers.empty() ? std::nullopt : std::optional(found->text);
  }
  std::vector<double> attribute_list(std::string_view name, std::size_t max) const override {
    const Attribute* const found = find_attribute(name);
    return found == nullptr || found->numbers.size() > max ? std::vector<double>() : found->numbers;
  }

 private:
  struct Dimension {
    std::string name;
    std::uint64_t length = 0;  // 0: that of the records
  };
  struct Part {
    std::uint64_t at = 0;
    bool records = false;
  };
  using Attributes = std::map<std::string, Attribute, std::less<>>;

  void read(const ArrayInfo& array, const Part& part, std::span<const std::uint64_t> start,
            std::span<const std::uint64_t> count, std::byte* to) const {
    if (!part.records) return copy_part(array, {{}, false, true, &file_, part.at}, start, count, to);
    ArrayInfo record = array;
    record.extents[0] = 1;
    Extents first(start.begin(), start.end()), some(count.begin(), count.end());
    std::uint64_t bytes = array.element.bytes;
    for (const std::uint64_t along : count.subspan(1)) bytes *= along;
    first[0] = 0, some[0] = 1;
    for (std::uint64_t i = 0; i < count[0]; ++i)
      copy_part(record, {{}, false, true, &file_, part.at + (start[0] + i) * record_bytes_}, first, some,
                to + i * bytes);
  }

  std::size_t size_bytes() const { return version_ == 5 ? 8 : 4; }

  std::string_view letters(std::uint64_t count) {
    if (count > file_.size() - at_) fail("the file ends within its header");
    const std::string_view bytes = file_.view(at_, count);
    at_ += count;
    return bytes;
  }
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (const char c : letters(bytes)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  // The number of entries of a list, which follows its kind.
  std::uint64_t list(std::uint64_t kind) {
    const std::uint64_t found = number(4), count = number(size_bytes());
    if ((found != kind && (found != 0 || count != 0)) || count > max_listed) fail("its header is damaged");
    return count;
  }
  std::string text() {
    const std::uint64_t length = number(size_bytes());
    if (length > max_letters) fail("its header is damaged");
    std::string name(letters(length));
    pad(length);
    return name;
  }
  void pad(std::uint64_t length) { letters((4 - length % 4) % 4); }

  Element type() {
    const std::uint64_t type = number(4);
    if (type < 1 || type > std::size(nc_types)) fail("its header is damaged");
    return nc_types[type - 1];
  }

  Attributes attributes() {
    Attributes all;
    for (std::uint64_t left = list(12); left > 0; --left) {
      const std::string name = text();
      const Element element = type();
      const std::uint64_t count = number(size_bytes()), bytes = saturated_product(count, element.bytes);
      if (bytes > std::min(file_.size(), max_letters)) fail("its header is damaged");
      std::string raw(letters(bytes));
      pad(bytes);
      Attribute& attribute = all[name];
      if (element == no_number) {
        attribute.text = raw.substr(0, raw.find('\0'));
        continue;
      }
      attribute.integers = element.kind != Kind::real;
      if (count > max_numbers) continue;
      attribute.numbers.resize(static_cast<std::size_t>(count));
      auto* const values = reinterpret_cast<std::byte*>(raw.data());
      if (std::endian::native == std::endian::little) swap_bytes(values, attribute.numbers.size(), element.bytes);
      convert(element, values, attribute.numbers.size(), attribute.numbers.data());
    }
    return all;
  }

  void read_variable(std::set<std::string>& auxiliary) {
    ArrayInfo array;
    array.name = '/' + text();
    const std::uint64_t axes = number(size_bytes());
    if (axes > dimensions_.size()) fail("its header is damaged");
    bool records = false;
    for (std::uint64_t i = 0; i < axes; ++i) {
      const std::uint64_t dimension = number(size_bytes());
      if (dimension >= dimensions_.size()) fail("its header is damaged");
      const auto& [name, length] = dimensions_[static_cast<std::size_t>(dimension)];
      if (length == 0 && i > 0) fail("its header is damaged");
      records |= length == 0;
      array.extents.push_back(length);
      array.dimensions.push_back('/' + name);
    }
    Attributes& own = attributes_[array.name.substr(1)] = attributes();
    const Element element = array.element = type();
    number(size_bytes());  // its size, which follows from the extents
    const std::uint64_t at = number(version_ == 1 ? 4 : 8);
    std::uint64_t values = 1;
    for (std::size_t i = records ? 1 : 0; i < array.extents.size(); ++i)
      values = saturated_product(values, array.extents[i]);
    const std::uint64_t bytes = saturated_product(values, element.bytes);
    if (bytes > file_.size()) fail(array, "the file ends early");
    if (records) {
      record_bytes_ += (bytes + 3) / 4 * 4;
      only_record_bytes_ = bytes;
      ++with_records_;
    }
    const auto attribute_of = [&own](const char* name, std::size_t max) -> std::optional<Attribute> {
      const auto found = own.find(name);
      if (found == own.end()) return {};
      Attribute attribute = found->second;
      if (attribute.numbers.size() > max) attribute.numbers.clear();
      return attribute;
    };
    if (element != no_number) apply_cf_attributes(array, attribute_of, element, true, auxiliary);
    arrays_.push_back(std::move(array));
    parts_.push_back({at, records});
  }

  // Records of all variables alternate; those of a single one are not padded.
  void place_records(std::uint64_t records) {
    if (with_records_ == 1) record_bytes_ = only_record_bytes_;
    if (records == (version_ == 5 ? UINT64_MAX : UINT32_MAX)) {  // they were not counted: as many as are whole
      std::uint64_t first = file_.size();
      for (const Part& part : parts_)
        if (part.records) first = std::min(first, part.at);
      records = record_bytes_ == 0 ? 0 : (file_.size() - first) / record_bytes_;
    }
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      ArrayInfo& array = arrays_[i];
      const Part& part = parts_[i];
      if (part.records) array.extents[0] = records;
      check_claims(array);
      std::uint64_t values = 1;
      for (std::size_t k = part.records ? 1 : 0; k < array.extents.size(); ++k) values *= array.extents[k];
      const std::uint64_t bytes = values * array.element.bytes, before = part.records ? array.extents[0] : 1;
      const std::uint64_t end = before == 0 ? 0 : saturated_product(before - 1, record_bytes_);
      if (before > 0 && (part.at > file_.size() || end > file_.size() || bytes > file_.size() - part.at ||
                         end > file_.size() - part.at - bytes))
        fail(array, fmt::format("the file ends early: its values should lie "
                                "from byte {} to {}, and it has {}",
                                part.at, part.at + end + bytes, file_.size()));
    }
  }

  void set_texts_aside() {
    for (std::size_t i = arrays_.size(); i-- > 0;) {
      if (arrays_[i].element != no_number) continue;
      unread_[arrays_[i].name] = "it is text";
      texts_.emplace_back(std::move(arrays_[i]), parts_[i]);
      arrays_.erase(arrays_.begin() + static_cast<std::ptrdiff_t>(i));
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  const Attribute* find_attribute(std::string_view name) const {
    while (name.starts_with('/')) name.remove_prefix(1);
    const std::size_t slash = name.rfind('/');
    const auto owner = attributes_.find(slash == std::string_view::npos ? "" : name.substr(0, slash));
    if (owner == attributes_.end()) return nullptr;
    const auto found = owner->second.find(slash == std::string_view::npos ? name : name.substr(slash + 1));
    return found == owner->second.end() ? nullptr : &found->second;
  }

  FileBytes file_;
  int version_ = 1;
  std::uint64_t at_ = 4;  // in the header
  std::vector<Dimension> dimensions_;
  std::map<std::string, Attributes, std::less<>> attributes_;  // of each variable, and, without a name, of the file
  std::vector<Part> parts_;                                    // of arrays_
  std::vector<std::pair<ArrayInfo, Part>> texts_;
  std::uint64_t record_bytes_ = 0, only_record_bytes_ = 0, with_records_ = 0;
};

}  // namespace

std::unique_ptr<ArrayFile> open_netcdf3_file(const std::string& path) { return std::make_unique<Netcdf3File>(path); }

}  // namespace simreel
