#include "formats/cf_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/text.h"

namespace simreel {
namespace {

constexpr std::size_t max_missing = 64, max_flags = 256;

// A number of an attribute as the values of the array hold it: NetCDF writes 255 of unsigned bytes as -1, and the
// attribute of an array of float may be a double.
double as_stored(const Element& element, double value) {
  if (element.kind == Element::Kind::real && element.bytes == 4) return static_cast<double>(static_cast<float>(value));
  if (element.kind == Element::Kind::unsigned_integer && value < 0)
    return value + std::ldexp(1.0, static_cast<int>(8 * element.bytes));
  return value;
}

// What NetCDF writes where nothing was written (NC_FILL_SHORT, NC_FILL_INT, ... of netcdf.h); nullopt for bytes, all of
// whose values are meant.
std::optional<double> netcdf_fill(const Element& element) {
  if (element.kind == Element::Kind::real) return 0x1.ep+122;
  if (element.kind == Element::Kind::boolean || element.bytes == 1) return {};
  const double values = std::ldexp(1.0, static_cast<int>(8 * element.bytes));
  const double last = element.bytes == 8 ? 2 : 1;  // from the end
  return element.kind == Element::Kind::unsigned_integer ? values - last : last - values / 2;
}

// Numbers in text, with spaces or commas between; empty if there is anything else.
std::vector<double> numbers_of(std::string_view text) {
  constexpr const char* between = " ,;";
  std::vector<double> numbers;
  for (text = trim(text); !text.empty();) {
    const std::optional<double> value = take_leading<double>(text);
    if (!value || (!text.empty() && text.find_first_of(between) != 0)) return {};
    numbers.push_back(*value);
    text.remove_prefix(std::min(text.find_first_not_of(between), text.size()));
  }
  return numbers;
}

struct Reader {
  ArrayInfo& array;
  const AttributeOf& attribute_of;

  // The numbers of an attribute, at most `max` of them. Notes one that has none.
  std::vector<double> numbers(const char* name, std::size_t max) const {
    const std::optional<Attribute> found = attribute_of(name, max);
    if (!found || !found->numbers.empty()) return found ? found->numbers : std::vector<double>();
    std::vector<double> written = numbers_of(found->text);
    if (!written.empty() && written.size() <= max) return written;
    array.unheeded.push_back(found->text.empty()
                                 ? fmt::format("{} does not hold {}, and is left out", name,
                                               max == 1 ? "one number" : fmt::format("1 to {} numbers", max))
                                 : fmt::format("{} is {}, which is {}, and is left out", name,
                                               quote(shorten(found->text, 40)),
                                               written.empty() ? "no number" : "more than one number"));
    return {};
  }

  // valid_range, or valid_min and valid_max. They count as values do in the file if they are of its kind.
  void read_limits() const {
    std::vector<double> min = numbers("valid_min", 1), max = numbers("valid_max", 1), both = numbers("valid_range", 2);
    if (both.size() == 1) array.unheeded.emplace_back("valid_range holds one number instead of two, and is left out");
    if (both.size() == 2) min = {both[0]}, max = {both[1]};
    for (const char* name : {"valid_range", "valid_min", "valid_max"})
      if (const auto limit = attribute_of(name, 2); limit && array.packed)
        array.limits_unpacked |= !limit->integers && array.element.kind != Element::Kind::real;
    const auto limit = [&](double value) { return array.limits_unpacked ? value : as_stored(array.element, value); };
    if (!min.empty()) array.min = limit(min[0]);
    if (!max.empty()) array.max = limit(max[0]);
  }

  // flag_values and flag_meanings: as many names, with blanks between.
  void read_flags() const {
    const std::optional<Attribute> meanings = attribute_of("flag_meanings", 1);
    if (!meanings || !attribute_of("flag_values", max_flags)) return;
    if (attribute_of("flag_masks", max_flags)) return;  // several flags in one number
    const std::vector<double> values = numbers("flag_values", max_flags);
    std::vector<std::string> names;
    for (std::string_view rest = trim(meanings->text); !rest.empty();) {
      const std::size_t end = std::min(rest.find_first_of(" \t\n"), rest.size());
      names.emplace_back(rest.substr(0, end));
      rest = trim(rest.substr(end));
    }
    if (!values.empty() && names.size() != values.size())
      array.unheeded.push_back(
          fmt::format("flag_meanings holds {} names for {} flag_values, and is left out", names.size(), values.size()));
    for (std::size_t i = 0; i < values.size() && names.size() == values.size(); ++i)
      array.flags.emplace_back(as_stored(array.element, values[i]), names[i]);
  }
};

}  // namespace

void apply_cf_attributes(ArrayInfo& array, const AttributeOf& attribute_of, const Element& in_file, bool netcdf,
                         std::set<std::string>& auxiliary) {
  const auto text = [&](const char* name) {
    const std::optional<Attribute> found = attribute_of(name, 1);
    return found ? found->text : "";
  };
  if (in_file.kind == Element::Kind::signed_integer && lower_case(text("_Unsigned")) == "true")
    array.element.kind = Element::Kind::unsigned_integer;
  const Reader reader{array, attribute_of};
  if (const auto fill = reader.numbers("_FillValue", 1); !fill.empty())
    array.fill = as_stored(array.element, fill[0]);
  else if (const auto unwritten = netcdf_fill(in_file); netcdf && unwritten)
    array.fill = as_stored(array.element, *unwritten);
  for (const double value : reader.numbers("missing_value", max_missing))
    array.missing.push_back(as_stored(array.element, value));
  const std::vector<double> scale = reader.numbers("scale_factor", 1), offset = reader.numbers("add_offset", 1);
  if (!scale.empty()) array.scale = scale[0];
  if (!offset.empty()) array.offset = offset[0];
  array.packed = !scale.empty() || !offset.empty();
  reader.read_limits();
  if (!array.packed) reader.read_flags();
  array.unit = text("units");
  for (const char* attribute : {"coordinates", "bounds"}) {
    const std::string list = text(attribute);
    for (std::size_t at = 0; (at = list.find_first_not_of(' ', at)) != std::string::npos;) {
      const std::size_t end = std::min(list.find(' ', at), list.size());
      auxiliary.insert(array.name.substr(0, array.name.rfind('/') + 1) + list.substr(at, end - at));
      at = end;
    }
  }
}

}  // namespace simreel
