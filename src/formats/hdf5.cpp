// HDF5, with what NetCDF-4 and VTKHDF write into it.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "base/text.h"
#include "formats/hdf5_library.h"
#include "formats/kinds.h"

namespace simreel {
namespace {

using hdf5::check;
using hdf5::Handle;
using hdf5::Lock;

constexpr std::size_t most_links = 100000;
constexpr std::size_t most_text = 1 << 20;

// The numbers of a dataset as they are read; nullopt for what is no number.
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
      if (bytes == 1 && H5Tget_nmembers(type) == 2) return Element{Element::Kind::boolean, 1};
      return element_of(base);
    }
    case H5T_BITFIELD: element = {Element::Kind::boolean, bytes}; break;  // PyTables
    default: return std::nullopt;
  }
  return is_known(element) ? std::optional(element) : std::nullopt;
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

std::vector<double> numbers_of(hid_t object, const char* name, std::size_t most) {
  if (H5Aexists(object, name) <= 0) return {};
  const Handle attribute("H5Aopen", H5Aopen(object, name, H5P_DEFAULT));
  const Handle type("H5Aget_type", H5Aget_type(attribute)), space("H5Aget_space", H5Aget_space(attribute));
  const H5T_class_t kind = H5Tget_class(type);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 1 || static_cast<std::size_t>(count) > most) return {};
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
    std::string text(letters, std::find(letters, letters + most_text, '\0'));
    H5free_memory(letters);
    return text;
  }
  const std::size_t bytes = H5Tget_size(type);
  if (bytes > most_text) return {};
  std::string text(bytes, '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

// The names of the axes that NetCDF-4 notes as references to datasets with their coordinates.
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

class Hdf5File final : public ArrayFile {
 public:
  explicit Hdf5File(const std::string& path) : ArrayFile(path) {
    const Lock lock;
    try {
      const Handle access("H5Pcreate", H5Pcreate(H5P_FILE_ACCESS));
      // A whole chunk of the usual sizes, because its next step is wanted next.
      check("H5Pset_cache", H5Pset_cache(access, 0, 521, std::size_t{32} << 20, 1.0));
#if H5_VERSION_GE(1, 10, 7)
      check("H5Pset_file_locking", H5Pset_file_locking(access, false, true));  // the program that writes it may go on
#endif
      file_.emplace("H5Fopen", H5Fopen(path.c_str(), H5F_ACC_RDONLY, access));
      list();
    } catch (const RuntimeError& error) {
      fail(fmt::format("cannot be read as HDF5: {}", error.what()));
    }
  }
  ~Hdf5File() override {
    const Lock lock;
    opened_.clear();
    file_.reset();
  }

  void read(const ArrayInfo& array, std::span<const std::uint64_t> start, std::span<const std::uint64_t> count,
            std::byte* to) const override {
    const Lock lock;
    try {
      const Handle& dataset = open(array);
      const Handle space("H5Dget_space", H5Dget_space(dataset));
      const std::vector<hsize_t> first(start.begin(), start.end()), part(count.begin(), count.end());
      const int axes = static_cast<int>(part.size());
      if (axes > 0)
        check("H5Sselect_hyperslab",
              H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, part.data(), nullptr));
      const Handle memory("H5Screate", axes > 0 ? H5Screate_simple(axes, part.data(), nullptr) : H5Screate(H5S_SCALAR));
      const Handle type("H5Dget_type", H5Dget_type(dataset));
      const bool bits = H5Tget_class(type) == H5T_BITFIELD;
      check("H5Dread",
            H5Dread(dataset, bits ? H5T_NATIVE_B8 : memory_type(array.element), memory, space, H5P_DEFAULT, to));
    } catch (const RuntimeError& error) {
      fail(array, error.what());
    }
  }

  std::optional<double> attribute(std::string_view name) const override {
    return with_object<std::optional<double>>(name, number_of);
  }
  std::optional<std::string> text(std::string_view name) const override {
    return with_object<std::optional<std::string>>(name, text_of);
  }
  std::vector<double> attribute_list(std::string_view name, std::size_t most) const override {
    return with_object<std::vector<double>>(
        name, [most](hid_t object, const char* last) { return numbers_of(object, last, most); });
  }
  std::optional<std::array<double, 2>> spacing() const override {
    const std::vector<double> steps = attribute_list("/VTKHDF/Spacing", 3);
    if (steps.size() != 3) return {};
    return std::array<double, 2>{steps[0], steps[1]};
  }

 private:
  void list() {
    std::vector<std::string> names;
    const auto note = [](hid_t, const char* name, const H5L_info_t* info, void* to) -> herr_t {
      auto& found = *static_cast<std::vector<std::string>*>(to);
      if (info->type == H5L_TYPE_EXTERNAL) return 0;  // in a file that nobody named
      found.emplace_back(name);
      return found.size() > most_links ? 1 : 0;
    };
    if (check("H5Lvisit", H5Lvisit(*file_, H5_INDEX_NAME, H5_ITER_INC, note, &names)) > 0)
      throw RuntimeError(fmt::format("it holds more than {} groups and arrays", most_links));
    for (const std::string& name : names) {
      const hid_t object = H5Oopen(*file_, name.c_str(), H5P_DEFAULT);
      if (object < 0) continue;  // a link that leads nowhere
      const Handle owned("H5Oopen", object);
      if (H5Iget_type(object) == H5I_DATASET) add(fmt::format("/{}", name), object);
    }
  }

  void add(const std::string& name, hid_t dataset) {
    const Handle type("H5Dget_type", H5Dget_type(dataset)), space("H5Dget_space", H5Dget_space(dataset));
    const std::optional<Element> element = element_of(type);
    const int axes = H5Sget_simple_extent_ndims(space);
    if (!element || axes < 0 || H5Sget_simple_extent_type(space) == H5S_NULL) return;
    ArrayInfo array;
    array.name = name;
    array.element = *element;
    std::vector<hsize_t> extents(static_cast<std::size_t>(axes));
    if (axes > 0) check("H5Sget_simple_extent_dims", H5Sget_simple_extent_dims(space, extents.data(), nullptr));
    array.extents.assign(extents.begin(), extents.end());
    check_claims(array);
    array.dimensions = dimensions_of(dataset, extents.size());
    array.fill = number_of(dataset, "_FillValue");
    array.missing = number_of(dataset, "missing_value");
    const std::optional<double> scale = number_of(dataset, "scale_factor"), offset = number_of(dataset, "add_offset");
    array.scale = scale.value_or(1);
    array.offset = offset.value_or(0);
    array.packed = scale || offset;
    array.unit = text_of(dataset, "units").value_or("");
    arrays_.push_back(std::move(array));
  }

  // The dataset stays open, so that chunks stay in its cache.
  const Handle& open(const ArrayInfo& array) const {
    const auto found = opened_.find(array.name);
    if (found != opened_.end()) return found->second;
    Handle dataset("H5Dopen2", H5Dopen2(*file_, array.name.c_str(), H5P_DEFAULT));
    const Handle properties("H5Dget_create_plist", H5Dget_create_plist(dataset));
    for (int i = 0, count = H5Pget_nfilters(properties); i < count; ++i) {
      unsigned flags = 0, config = 0;
      std::size_t values = 0;
      char name[64] = {};
      const H5Z_filter_t filter =
          H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr, sizeof name, name, &config);
      if (filter < 0 || H5Zfilter_avail(filter) > 0) continue;
      throw RuntimeError(
          fmt::format("it is packed with the HDF5 filter {} ({}), which this build lacks; pack it with one that every "
                      "build has: h5repack -f GZIP=4 {} new.h5",
                      static_cast<int>(filter), name[0] != '\0' ? name : "without a name", path_));
    }
    return opened_.emplace(array.name, std::move(dataset)).first->second;
  }

  // Calls `use` with the group or dataset before the last slash, and the name after it.
  template <class Result, class Use>
  Result with_object(std::string_view name, const Use& use) const {
    const Lock lock;
    while (name.starts_with('/')) name.remove_prefix(1);
    const std::size_t slash = name.rfind('/');
    const std::string last(slash == std::string_view::npos ? name : name.substr(slash + 1));
    const std::string owner = fmt::format("/{}", slash == std::string_view::npos ? "" : name.substr(0, slash));
    const hid_t object = H5Oopen(*file_, owner.c_str(), H5P_DEFAULT);
    if (object < 0) return {};
    const Handle owned("H5Oopen", object);
    try {
      return use(object, last.c_str());
    } catch (const RuntimeError& error) {
      fail(fmt::format("{}: {}", name, error.what()));
    }
  }

  std::optional<Handle> file_;
  mutable std::map<std::string, Handle> opened_;
};

}  // namespace

std::unique_ptr<ArrayFile> open_hdf5_file(const std::string& path) { return std::make_unique<Hdf5File>(path); }

}  // namespace simreel
