// HDF5, with what NetCDF-4 and VTKHDF write into it.

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/limits.h"
#include "base/text.h"
#include "formats/array_file.h"
#include "formats/cf_attributes.h"
#include "formats/hdf5_library.h"
#include "formats/hdf5_values.h"
#include "formats/vtk_image.h"

namespace simreel {
namespace {

using hdf5::check;
using hdf5::element_of;
using hdf5::Handle;
using hdf5::Lock;
using hdf5::max_text;
using hdf5::number_of;
using hdf5::numbers_of;
using hdf5::text_of;

constexpr std::size_t max_links = 100000;
constexpr std::size_t max_name = 4096;

// How objects are looked for: a path through a link into another file leads nowhere.
Handle inside() {
  Handle access("H5Pcreate", H5Pcreate(H5P_LINK_ACCESS));
  const H5L_elink_traverse_t refuse = [](const char*, const char*, const char*, const char*, unsigned*, hid_t,
                                         void*) -> herr_t { return -1; };
  check("H5Pset_elink_cb", H5Pset_elink_cb(access, refuse, nullptr));
  return access;
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
      hdf5::register_lzf();
      hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
      const std::string why = file < 0 ? hdf5::words() : "";
      // One that another program writes and lets others read (SWMR), or that it left so.
      if (file < 0) file = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
      if (file < 0 && why.find("h5clear") != std::string::npos)
        throw RuntimeError(
            "another program has it open for writing, or ended before it closed it; if nothing writes it any more, "
            "clear its mark: h5clear -s {}",
            path);
      if (file < 0) throw RuntimeError("H5Fopen: {}", why);
      file_.emplace("H5Fopen", file);
      inside_.emplace(inside());
      list();
    } catch (const RuntimeError& error) {
      fail("cannot be read as HDF5: {}", error.what());
    }
  }
  ~Hdf5File() override {
    const Lock lock;
    opened_.clear();
    inside_.reset();
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
      if (H5Sget_simple_extent_ndims(space) != axes) throw RuntimeError("it has another number of axes than was asked");
      if (axes > 0)
        check("H5Sselect_hyperslab",
              H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, part.data(), nullptr));
      const Handle memory("H5Screate", axes > 0 ? H5Screate_simple(axes, part.data(), nullptr) : H5Screate(H5S_SCALAR));
      const Handle type("H5Dget_type", H5Dget_type(dataset));
      const bool bits = H5Tget_class(type) == H5T_BITFIELD;
      // As the file says, not as `_Unsigned` does: the library would clamp what it converts.
      const Element stored = element_of(type).value_or(array.element);
      check("H5Dread",
            H5Dread(dataset, bits ? H5T_NATIVE_B8 : hdf5::memory_type(stored), memory, space, H5P_DEFAULT, to));
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
  std::vector<std::string> words(std::string_view name, std::size_t max) const override {
    return with_object<std::vector<std::string>>(name, [this, max](hid_t object, const char* last) {
      const hid_t dataset = H5Oopen(object, last, *inside_);
      if (dataset < 0) return std::vector<std::string>();
      const Handle owned("H5Oopen", dataset);
      const bool readable = H5Iget_type(dataset) == H5I_DATASET && why_closed(dataset).empty();
      return readable ? hdf5::words_in(dataset, max) : std::vector<std::string>();
    });
  }
  std::vector<double> attribute_list(std::string_view name, std::size_t max) const override {
    return with_object<std::vector<double>>(
        name, [max](hid_t object, const char* last) { return numbers_of(object, last, max); });
  }

 private:
  void list() {
    struct Link {
      std::string name;
      H5L_type_t type;
      std::size_t value_bytes;  // of links that name their target
    };
    struct Found {
      std::vector<Link> links;
      std::exception_ptr error;
    } found;
    const auto note = [](hid_t, const char* name, const H5L_info_t* info, void* to) -> herr_t {
      auto& [links, error] = *static_cast<Found*>(to);
      try {
        links.push_back({name, info->type, info->type == H5L_TYPE_HARD ? 0 : info->u.val_size});
      } catch (...) {  // must not cross the library's frames, which are C
        error = std::current_exception();
        return -1;
      }
      if (static_cast<std::uint64_t>(std::ranges::count(links.back().name, '/')) >= limits::group_depth) return 2;
      return links.size() > max_links ? 1 : 0;
    };
    const herr_t visited = H5Lvisit(*file_, H5_INDEX_NAME, H5_ITER_INC, note, &found);
    if (found.error) std::rethrow_exception(found.error);
    if (visited == 2) throw RuntimeError("it holds groups within each other, more than {} deep", limits::group_depth);
    if (check("H5Lvisit", visited) > 0) throw RuntimeError("it holds more than {} groups and arrays", max_links);
    netcdf_ = H5Aexists(*file_, "_NCProperties") > 0;
    std::string sparse;  // what the parts of MATLAB's last sparse matrix begin with
    for (const Link& link : found.links) {
      const std::string path = fmt::format("/{}", link.name);
      if (link.type == H5L_TYPE_EXTERNAL) {  // in a file that was not named
        unread_[path] = outside(link.name, link.value_bytes);
        continue;
      }
      const hid_t object = H5Oopen(*file_, link.name.c_str(), *inside_);
      if (object < 0) {
        const std::string words = hdf5::words();
        unread_[path] = link.type == H5L_TYPE_SOFT
                            ? "it is a link to what is not there"
                            : fmt::format(
                                  "HDF5 {}.{}.{} of this build cannot open it ({}); if a later version wrote "
                                  "it, write it for earlier ones: h5py.File(..., libver=(\"earliest\", \"v110\"))",
                                  H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE, words.substr(0, words.find(';')));
        continue;
      }
      const Handle owned("H5Oopen", object);
      if (!sparse.empty() && path.starts_with(sparse)) continue;
      if (H5Iget_type(object) == H5I_DATASET) open_member(path, [&] { add(path, object); });
      if (H5Iget_type(object) == H5I_GROUP && H5Aexists(object, "MATLAB_sparse") > 0) {
        unread_[path] = "it is a sparse matrix; save it as a full one: full(A)";
        sparse = path + '/';
      }
    }
    // What MATLAB's cells and objects refer to has no names of its own.
    std::erase_if(unread_, [](const auto& entry) { return entry.first.starts_with("/#"); });
    for (ArrayInfo& array : arrays_) array.auxiliary = auxiliary_.contains(array.name) || array.name.starts_with("/#");
    describe_images();
  }

  // The axes of VTKHDF's images, unless datasets list their coordinates. Steps come first, components last, and an axis
  // of a single point may be left out.
  void describe_images() {
    const auto take = [&](const char* name, auto& to) {
      const std::vector<double> values = attribute_list(fmt::format("/VTKHDF/{}", name), to.size());
      if (values.size() != to.size()) return false;
      std::ranges::transform(values, to.begin(), [](double value) { return value; });
      return true;
    };
    ImageAxes axes;
    std::array<double, 6> whole{};
    if (!take("WholeExtent", whole)) return;
    take("Spacing", axes.spacing);
    take("Origin", axes.origin);
    take("Direction", axes.direction);
    axes.start = {whole[0], whole[2], whole[4]};
    const ArrayInfo* const values = find("/VTKHDF/Steps/Values");
    const std::uint64_t steps = values != nullptr && values->extents.size() == 1 ? values->extents[0] : 0;
    for (ArrayInfo& array : arrays_) {
      const bool cells = array.name.starts_with("/VTKHDF/CellData/");
      if ((!cells && !array.name.starts_with("/VTKHDF/PointData/")) || array.extents.empty()) continue;
      const std::string name = array.name.substr(array.name.rfind('/') + 1);
      const ArrayInfo* const places =
          find(fmt::format("/VTKHDF/Steps/{}DataOffsets/{}", cells ? "Cell" : "Point", name));
      double next = 0;
      for (const double place : places != nullptr ? this->values(*places, max_links) : std::vector<double>())
        if (place != next++)
          unread_[array.name] = "its steps share values, by VTKHDF's offsets, which simreel does not follow";
      ArrayInfo image;
      Extents flat;  // without axes of one point
      for (std::size_t k = 3; k-- > 0;) {
        const double points = whole[2 * k + 1] - whole[2 * k] + 1;
        const double entries = std::min(1e9, std::max(1.0, points - (cells ? 1 : 0)));  // 1 where they are NaN
        image.extents.push_back(static_cast<std::uint64_t>(entries));
        if (points > 1) flat.push_back(image.extents.back());
      }
      const Extents full = image.extents;
      const auto axes_from = [&](std::size_t first) -> std::size_t {
        for (const Extents* const extents : {&full, static_cast<const Extents*>(&flat)}) {
          const std::size_t end = first + extents->size();
          if (extents->size() > 1 && (array.extents.size() == end || array.extents.size() == end + 1) &&
              std::equal(extents->begin(), extents->end(), array.extents.begin() + static_cast<std::ptrdiff_t>(first)))
            return extents->size();
        }
        return 0;
      };
      const std::size_t timed = steps > 0 && array.extents[0] == steps && axes_from(1) > 0 ? 1 : 0;
      const std::size_t spatial = axes_from(timed);
      if (spatial == 0) continue;
      if (array.extents.size() > timed + spatial) image.extents.push_back(array.extents.back());
      axes.describe(image, cells);
      for (std::size_t k = 3; k-- > 0 && spatial == 2;) {
        if (whole[2 * k] < whole[2 * k + 1]) continue;
        image.dimensions.erase(image.dimensions.begin() + static_cast<std::ptrdiff_t>(2 - k));
        if (!image.steps.empty()) image.steps.erase(image.steps.begin() + static_cast<std::ptrdiff_t>(2 - k));
      }
      if (timed > 0) image.dimensions.insert(image.dimensions.begin(), "t");
      if (timed > 0 && !image.steps.empty()) image.steps.insert(image.steps.begin(), {0, 0});
      if (array.dimensions.empty()) array.dimensions = image.dimensions;
      array.steps = image.steps;
    }
    std::erase_if(arrays_, [&](const ArrayInfo& array) { return unread_.contains(array.name); });
  }

  // Where a link into another file leads.
  std::string outside(const std::string& name, std::size_t bytes) const {
    constexpr const char* what = "it is a link into another file, which is not followed";
    std::vector<char> value(std::min(bytes, max_text));
    const char *target_file = nullptr, *target = nullptr;
    if (value.empty() || H5Lget_val(*file_, name.c_str(), value.data(), value.size(), H5P_DEFAULT) < 0 ||
        H5Lunpack_elink_val(value.data(), value.size(), nullptr, &target_file, &target) < 0)
      return what;
    return fmt::format("{}; name that file: {}:{}", what, target_file, target);
  }

  // Why the values of a dataset cannot be read, whatever their type: they are in files that were not named, or packed
  // by what this build lacks. Empty: they can.
  std::string why_closed(hid_t dataset) const {
    const Handle properties("H5Dget_create_plist", H5Dget_create_plist(dataset));
    for (int i = 0, count = H5Pget_nfilters(properties); i < count; ++i) {
      unsigned flags = 0, config = 0;
      std::size_t values = 0;
      char filter_name[64] = {};
      const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr,
                                                 sizeof filter_name, filter_name, &config);
      if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
        return fmt::format(
            "it is packed with the HDF5 filter {} ({}), which this build lacks; pack it with one that every build has: "
            "h5repack -f GZIP=4 {} new.h5",
            static_cast<int>(filter), filter_name[0] != '\0' ? filter_name : "without a name", path_);
    }
    constexpr const char* way_out = "copy the values, with h5py: new[\"name\"] = old[\"name\"][...]";
    std::string name(max_name, '\0');
    const auto quoted_name = [&] { return quote(name.substr(0, name.find('\0'))); };
    // Even if of its own arrays, since one that is made of itself never ends.
    if (H5Pget_layout(properties) == H5D_VIRTUAL) {
      std::size_t count = 0;
      check("H5Pget_virtual_count", H5Pget_virtual_count(properties, &count));
      const bool named = count > 0 && H5Pget_virtual_filename(properties, 0, name.data(), max_name - 1) > 0;
      return fmt::format("it is a virtual dataset{}, which is not followed; {}",
                         named ? fmt::format(", put together from {}", quoted_name()) : "", way_out);
    }
    if (H5Pget_external_count(properties) <= 0) return "";
    off_t offset = 0;
    hsize_t bytes = 0;
    const bool named = H5Pget_external(properties, 0, max_name - 1, name.data(), &offset, &bytes) >= 0;
    return fmt::format("its values lie in another file{}, which is not followed; {}",
                       named ? fmt::format(", {}", quoted_name()) : "", way_out);
  }

  void add(const std::string& name, hid_t dataset) {
    // NetCDF keeps a dimension that has no variable as a dataset without values.
    if (text_of(dataset, "NAME").value_or("").starts_with("This is a netCDF dimension but not a netCDF variable"))
      return;
    std::string reason = why_closed(dataset);
    const std::string matlab = text_of(dataset, "MATLAB_class").value_or("");
    if (matlab == "char")
      reason = "it is text";
    else if (number_of(dataset, "MATLAB_empty").value_or(0) != 0)
      reason = "it is empty";
    else if (!matlab.empty() &&
             !is_among(matlab, "double single logical int8 int16 int32 int64 uint8 uint16 uint32 uint64"))
      reason = fmt::format("it is a {} of MATLAB, no array of numbers", matlab);
    if (!reason.empty()) {
      unread_[name] = std::move(reason);
      return;
    }
    const Handle type("H5Dget_type", H5Dget_type(dataset)), space("H5Dget_space", H5Dget_space(dataset));
    const std::optional<Element> element = element_of(type);
    const int axes = H5Sget_simple_extent_ndims(space);
    if (!element || axes < 0 || H5Sget_simple_extent_type(space) == H5S_NULL) {
      unread_[name] = element ? "it is empty" : hdf5::why_unread(type);
      return;
    }
    ArrayInfo array;
    array.name = name;
    array.element = *element;
    std::vector<hsize_t> extents(static_cast<std::size_t>(axes));
    if (axes > 0) check("H5Sget_simple_extent_dims", H5Sget_simple_extent_dims(space, extents.data(), nullptr));
    array.extents.assign(extents.begin(), extents.end());
    check_claims(array);
    array.dimensions = hdf5::dimensions_of(dataset, extents.size());
    const auto attribute_of = [dataset](const char* attribute, std::size_t max) -> std::optional<Attribute> {
      if (H5Aexists(dataset, attribute) <= 0) return {};
      const Handle opened("H5Aopen", H5Aopen(dataset, attribute, H5P_DEFAULT));
      const Handle kind("H5Aget_type", H5Aget_type(opened));
      return Attribute{numbers_of(dataset, attribute, max), text_of(dataset, attribute).value_or(""),
                       H5Tget_class(kind) == H5T_INTEGER};
    };
    apply_cf_attributes(array, attribute_of, *element, netcdf_, auxiliary_);
    arrays_.push_back(std::move(array));
  }

  // The dataset stays open, so that chunks stay in its cache.
  const Handle& open(const ArrayInfo& array) const {
    const auto found = opened_.find(array.name);
    if (found != opened_.end()) return found->second;
    return opened_.emplace(array.name, Handle("H5Oopen", H5Oopen(*file_, array.name.c_str(), *inside_))).first->second;
  }

  // Calls `use` with the group or dataset before the last slash, and the name after it.
  template <class Result, class Use>
  Result with_object(std::string_view name, const Use& use) const {
    const Lock lock;
    while (name.starts_with('/')) name.remove_prefix(1);
    const std::size_t slash = name.rfind('/');
    const std::string last(slash == std::string_view::npos ? name : name.substr(slash + 1));
    const std::string owner = fmt::format("/{}", slash == std::string_view::npos ? "" : name.substr(0, slash));
    const hid_t object = H5Oopen(*file_, owner.c_str(), *inside_);
    if (object < 0) return {};
    const Handle owned("H5Oopen", object);
    try {
      return use(object, last.c_str());
    } catch (const RuntimeError& error) {
      fail("{}: {}", name, error.what());
    }
  }

  std::optional<Handle> file_, inside_;
  bool netcdf_ = false;
  std::set<std::string> auxiliary_;
  mutable std::map<std::string, Handle> opened_;
};

}  // namespace

std::unique_ptr<ArrayFile> open_hdf5_file(const std::string& path) { return std::make_unique<Hdf5File>(path); }

}  // namespace simreel
