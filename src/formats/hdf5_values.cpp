#include "formats/hdf5_values.h"

#include <algorithm>

#include "formats/array_file.h"
#include "formats/hdf5_library.h"

namespace simreel::hdf5 {

std::optional<Element> element_of(hid_t type) {
  const std::size_t bytes = H5Tget_size(type);
  Element element;
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      if (bytes > 8) return std::nullopt;
      element = {Element::Kind::real, bytes <= 4 ? std::size_t{4} : std::size_t{8}};  // the library widens smaller ones
      break;
    case H5T_INTEGER:
      element = {H5Tget_sign(type) == H5T_SGN_NONE ? Element::Kind::unsigned_integer : Element::Kind::signed_integer,
                 bytes};
      break;
    case H5T_ENUM: {
      const Handle base("H5Tget_super", H5Tget_super(type));
      // What h5py makes of booleans.
      if (bytes == 1 && H5Tget_member_index(type, "FALSE") >= 0 && H5Tget_member_index(type, "TRUE") >= 0)
        return Element{Element::Kind::boolean, 1};
      return element_of(base);
    }
    case H5T_BITFIELD: element = {Element::Kind::boolean, bytes}; break;  // PyTables
    default: return std::nullopt;
  }
  return is_known(element) ? std::optional(element) : std::nullopt;
}

std::string why_unread(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_FLOAT: return fmt::format("its numbers are floats of {} bytes; save them as float64", H5Tget_size(type));
    case H5T_STRING: return "it is text";
    case H5T_COMPOUND: {
      std::string members;
      for (int i = 0, count = H5Tget_nmembers(type); i < count && i < 8; ++i) {
        char* const name = H5Tget_member_name(type, static_cast<unsigned>(i));
        members += fmt::format("{}{}", i == 0 ? "" : ", ", name != nullptr ? name : "?");
        H5free_memory(name);
      }
      if (members == "r, i" || members == "real, imag")
        return "its numbers are complex; save their magnitude: numpy.abs(a)";
      return fmt::format("it holds records ({}); save one of their columns as an array", members);
    }
    default: return "its values are not numbers that simreel reads: floats, integers, booleans";
  }
}

hid_t memory_type(const Element& e) {
  const bool is_signed = e.kind == Element::Kind::signed_integer;
  if (e.kind == Element::Kind::real) return e.bytes == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  switch (e.bytes) {
    case 1: return is_signed ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
    case 2: return is_signed ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
    case 4: return is_signed ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
    default: return is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
  }
}

std::vector<double> numbers_of(hid_t object, const char* name, std::size_t max) {
  if (H5Aexists(object, name) <= 0) return {};
  const Handle attribute("H5Aopen", H5Aopen(object, name, H5P_DEFAULT));
  const Handle type("H5Aget_type", H5Aget_type(attribute)), space("H5Aget_space", H5Aget_space(attribute));
  const H5T_class_t kind = H5Tget_class(type);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 1 || static_cast<std::size_t>(count) > max) return {};
  std::vector<double> values(static_cast<std::size_t>(count));
  if (H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0) return {};
  return values;
}

std::optional<double> number_of(hid_t object, const char* name) {
  const std::vector<double> values = numbers_of(object, name, 1);
  return values.empty() ? std::nullopt : std::optional(values[0]);
}

std::optional<std::string> text_of(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  const Handle attribute("H5Aopen", H5Aopen(object, name, H5P_DEFAULT));
  const Handle type("H5Aget_type", H5Aget_type(attribute)), space("H5Aget_space", H5Aget_space(attribute));
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tis_variable_str(type) > 0) {
    char* letters = nullptr;
    const Handle memory("H5Tcopy", H5Tcopy(type));
    if (H5Aread(attribute, memory, &letters) < 0 || letters == nullptr) return {};
    std::string text(letters, std::find(letters, letters + max_text, '\0'));
    H5free_memory(letters);
    return text;
  }
  const std::size_t bytes = H5Tget_size(type);
  if (bytes > max_text) return {};
  std::string text(bytes, '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::vector<std::string> words_in(hid_t dataset, std::size_t max) {
  const Handle type("H5Dget_type", H5Dget_type(dataset)), space("H5Dget_space", H5Dget_space(dataset));
  const std::size_t bytes = H5Tget_size(type);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  hsize_t rows[H5S_MAX_RANK] = {};
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 || count < 1 ||
      static_cast<std::size_t>(count) > max / bytes || H5Sget_simple_extent_dims(space, rows, nullptr) < 1)
    return {};
  std::string letters(static_cast<std::size_t>(count) * bytes, '\0');
  check("H5Dread", H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, letters.data()));
  return split_words(letters, rows[0]);
}

std::vector<std::string> dimensions_of(hid_t dataset, std::size_t axes) {
  constexpr const char* name = "DIMENSION_LIST";
  if (H5Aexists(dataset, name) <= 0) return {};
  const Handle attribute("H5Aopen", H5Aopen(dataset, name, H5P_DEFAULT));
  const Handle type("H5Aget_type", H5Aget_type(attribute)), space("H5Aget_space", H5Aget_space(attribute));
  if (H5Tget_class(type) != H5T_VLEN || H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(axes)) return {};
  const Handle base("H5Tget_super", H5Tget_super(type));
  if (H5Tget_class(base) != H5T_REFERENCE || H5Tequal(base, H5T_STD_REF_OBJ) <= 0) return {};
  std::vector<hvl_t> lists(axes);
  if (H5Aread(attribute, type, lists.data()) < 0) return {};
  std::vector<std::string> names(axes);
  for (std::size_t i = 0; i < axes; ++i) {
    if (lists[i].len == 0) continue;
    const hid_t scale = H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, lists[i].p);
    if (scale < 0) continue;
    const Handle owned("H5Rdereference2", scale);
    char letters[256] = {};
    if (H5Iget_name(scale, letters, sizeof letters) > 0) names[i] = letters;
  }
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists.data());
  return names;
}

}  // namespace simreel::hdf5
