#include "sink/data/hdf5.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/error.h"
#include "formats/hdf5_library.h"
#include "sink/data/states.h"

namespace simreel {
namespace {

using hdf5::check;
using hdf5::Handle;

hid_t type_of(double) { return H5T_NATIVE_DOUBLE; }
hid_t type_of(float) { return H5T_NATIVE_FLOAT; }
hid_t type_of(std::int64_t) { return H5T_NATIVE_INT64; }
hid_t type_of(std::uint8_t) { return H5T_NATIVE_UINT8; }

using Extents = std::vector<hsize_t>;

Handle space_of(const Extents& extents) {
  return Handle("H5Screate_simple", H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
}

template <class T>
void add_attribute(hid_t object, const char* name, std::span<const T> values) {
  const Handle space = space_of({values.size()});
  const Handle attribute("H5Acreate2", H5Acreate2(object, name, type_of(T()), space, H5P_DEFAULT, H5P_DEFAULT));
  check("H5Awrite", H5Awrite(attribute, type_of(T()), values.data()));
}

template <class T>
void add_number(hid_t object, const char* name, T value) {
  const Handle space("H5Screate", H5Screate(H5S_SCALAR));
  const Handle attribute("H5Acreate2", H5Acreate2(object, name, type_of(T()), space, H5P_DEFAULT, H5P_DEFAULT));
  check("H5Awrite", H5Awrite(attribute, type_of(T()), &value));
}

// VTK requires text of fixed length, dimension scales one with a terminating zero; a scene may be longer than such an
// attribute can be.
enum class Text { fixed, terminated, variable };
void add_text(hid_t object, const char* name, const std::string& text, Text length) {
  const Handle space("H5Screate", H5Screate(H5S_SCALAR));
  const Handle type("H5Tcopy", H5Tcopy(H5T_C_S1));
  check(
      "H5Tset_size",
      H5Tset_size(type, length == Text::variable ? H5T_VARIABLE : text.size() + (length == Text::terminated ? 1 : 0)));
  // Without a terminating zero, for which there is no room.
  if (length == Text::fixed) check("H5Tset_strpad", H5Tset_strpad(type, H5T_STR_NULLPAD));
  check("H5Tset_cset", H5Tset_cset(type, length == Text::variable ? H5T_CSET_UTF8 : H5T_CSET_ASCII));
  const Handle attribute("H5Acreate2", H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  const char* const letters = text.c_str();
  check("H5Awrite", H5Awrite(attribute, type, length == Text::variable ? &letters : static_cast<const void*>(letters)));
}

// `values` in memory are rows of `pitch` columns, of which the first extents[1] from column `first` on are stored; of a
// list, one of them.
template <class T>
void add_dataset(hid_t group, const std::string& name, const T* values, const Extents& extents, hsize_t pitch = 0,
                 hsize_t first = 0) {
  constexpr hsize_t chunk_values = 1 << 18;
  const Handle properties("H5Pcreate", H5Pcreate(H5P_DATASET_CREATE));
  Extents chunk = extents;
  const hsize_t row = extents.size() > 1 ? extents[1] : 1;
  chunk[0] = std::clamp<hsize_t>(chunk_values / row, 1, extents[0]);
  check("H5Pset_chunk", H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data()));
  check("H5Pset_fletcher32", H5Pset_fletcher32(properties));
  // Equal runs must give equal files.
  check("H5Pset_obj_track_times", H5Pset_obj_track_times(properties, false));
  const Handle space = space_of(extents);
  const Handle dataset("H5Dcreate2",
                       H5Dcreate2(group, name.c_str(), type_of(T()), space, H5P_DEFAULT, properties, H5P_DEFAULT));
  const Handle memory = space_of({extents[0], std::max(pitch, row)});
  const Extents start = {0, first}, count = {extents[0], row};
  check("H5Sselect_hyperslab",
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
  check("H5Dwrite", H5Dwrite(dataset, type_of(T()), memory, space, H5P_DEFAULT, values));
}

Handle make_group(hid_t parent, const char* name) {
  return Handle("H5Gcreate2", H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

// NetCDF's way to give an axis coordinates (HDF5 Dimension Scale Specification): a dataset of them, to which those of
// the fields refer.
using Scales = std::vector<std::string>;  // the names of those of y and x; empty: none
void refer_to(hid_t file, hid_t group, const std::string& field, const Scales& scales) {
  std::vector<hobj_ref_t> references(scales.size());
  std::vector<hvl_t> lists(scales.size());
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (scales[i].empty()) continue;
    check("H5Rcreate", H5Rcreate(&references[i], file, scales[i].c_str(), H5R_OBJECT, -1));
    lists[i] = {1, &references[i]};
  }
  const Handle dataset("H5Dopen2", H5Dopen2(group, field.c_str(), H5P_DEFAULT));
  const Handle type("H5Tvlen_create", H5Tvlen_create(H5T_STD_REF_OBJ)), space = space_of({scales.size()});
  const Handle list("H5Acreate2", H5Acreate2(dataset, "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT));
  check("H5Awrite", H5Awrite(list, type, lists.data()));
}

std::string add_scale(hid_t file, const std::optional<GridAxis>& axis, int cells, const std::string& taken) {
  if (!axis || axis->counted) return "";
  std::string name = axis->name;
  std::ranges::replace(name, '/', '_');
  if (name == taken || name == "VTKHDF" || name == ".") name = taken + "_";
  std::vector<double> at(static_cast<std::size_t>(cells));
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = axis->first + axis->step * static_cast<double>(i);
  add_dataset(file, name, at.data(), {at.size()});
  const Handle dataset("H5Dopen2", H5Dopen2(file, name.c_str(), H5P_DEFAULT));
  add_text(dataset, "CLASS", "DIMENSION_SCALE", Text::terminated);
  add_text(dataset, "NAME", name, Text::terminated);
  if (!axis->unit.empty()) add_text(dataset, "units", axis->unit, Text::variable);
  if (!axis->calendar.empty()) add_text(dataset, "calendar", axis->calendar, Text::variable);
  return name;
}

template <class Real>
void add_fields(hid_t file, hid_t root, const StateLayout& layout, const Real* values,
                const std::vector<std::string>& names, const GridAxes& axes) {
  const std::int64_t extent[] = {0, layout.nx - 1, 0, layout.ny - 1, 0, 0};
  double origin[] = {0, 0, 0}, spacing[] = {1, 1, 1};
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] && !axes[i]->counted) origin[i] = axes[i]->first, spacing[i] = axes[i]->step;
  const double direction[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  add_text(root, "Type", "ImageData", Text::fixed);
  add_attribute<std::int64_t>(root, "WholeExtent", extent);
  add_attribute<double>(root, "Origin", origin);
  add_attribute<double>(root, "Spacing", spacing);
  add_attribute<double>(root, "Direction", direction);
  const Handle data = make_group(root, "PointData");
  for (std::size_t i = 0; i < names.size(); ++i)
    add_dataset(data, names[i], values + i * layout.field_values(),
                {static_cast<hsize_t>(layout.ny), static_cast<hsize_t>(layout.nx)});
  if (layout.solid)
    add_dataset(data, "solid", reinterpret_cast<const std::uint8_t*>(values) + layout.values_bytes(),
                {static_cast<hsize_t>(layout.ny), static_cast<hsize_t>(layout.nx)});
  const std::string x = add_scale(file, axes[0], layout.nx, ""), y = add_scale(file, axes[1], layout.ny, x);
  if (x.empty() && y.empty()) return;
  for (const std::string& name : names) refer_to(file, data, name, {y, x});
}

template <class Real>
void add_bodies(hid_t root, const StateLayout& layout, const Real* position) {
  const hsize_t n = layout.count;
  const std::int64_t number = static_cast<std::int64_t>(n);
  add_text(root, "Type", "UnstructuredGrid", Text::fixed);
  for (const char* name : {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"})
    add_dataset(root, name, &number, {1});
  const Real* const velocity = position + 4 * n;
  add_dataset(root, "Points", position, {n, 3}, 4);
  std::vector<std::int64_t> indices(n + 1);
  std::iota(indices.begin(), indices.end(), 0);
  add_dataset(root, "Connectivity", indices.data(), {n});
  add_dataset(root, "Offsets", indices.data(), {n + 1});
  constexpr std::uint8_t vertex = 1;  // vtkCellType.h: VTK_VERTEX
  const std::vector<std::uint8_t> types(n, vertex);
  add_dataset(root, "Types", types.data(), {n});
  const Handle data = make_group(root, "PointData");
  add_dataset(data, "velocity", velocity, {n, 3}, 4);
  add_dataset(data, "mass", position, {n}, 4, 3);
  if (layout.groups) add_dataset(data, "group", reinterpret_cast<const std::uint8_t*>(velocity + 4 * n), {n});
}

void add_origin(hid_t object, const State& state, double interval, const Tags& tags) {
  add_number(object, "step", state.step);
  add_number(object, "time", state.time);
  if (interval > 0) add_number(object, "interval", interval);
  for (const auto& [key, text] : tags) add_text(object, key.c_str(), text, Text::variable);
}

// A whole file, built in memory, so that the library does no locking and writing of its own.
std::vector<std::byte> file_image(const State& state, const std::vector<std::string>& fields, const GridAxes& axes,
                                  double interval, const Tags& tags) {
  const Handle access("H5Pcreate", H5Pcreate(H5P_FILE_ACCESS));
  check("H5Pset_fapl_core", H5Pset_fapl_core(access, std::max<std::size_t>(state.layout.bytes() / 8, 1 << 16), false));
  const Handle file("H5Fcreate", H5Fcreate("frame.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access));
  {
    const Handle root = make_group(file, "VTKHDF");
    const std::int64_t format[] = {1, 0};
    add_attribute<std::int64_t>(root, "Version", format);
    const bool is_field = state.layout.kind == StateLayout::Kind::field;
    visit_values(state, [&](const auto* values) {
      is_field ? add_fields(file, root, state.layout, values, fields, axes) : add_bodies(root, state.layout, values);
    });
    add_origin(root, state, interval, tags);
    add_origin(file, state, interval, tags);
  }
  check("H5Fflush", H5Fflush(file, H5F_SCOPE_GLOBAL));
  std::vector<std::byte> image(
      static_cast<std::size_t>(check("H5Fget_file_image", H5Fget_file_image(file, nullptr, 0))));
  check("H5Fget_file_image", H5Fget_file_image(file, image.data(), image.size()));
  return image;
}

class Hdf5 : public States {
 public:
  Hdf5(const std::string& target, const StreamInfo& info, Opening opening)
      : States(target, info, opening, "state", 2 * info.state_bytes + info.state_bytes / 4 + (1 << 20)),
        fields_(info.fields),
        axes_(info.axes),
        interval_(info.frame_interval),
        tags_(origin_tags(info)) {}

 private:
  void write_file(const State& state, PartFile& file) const override {
    const std::vector<std::byte> image = make_image(state, file.file().path().string());
    file.write(image.data(), image.size());
  }

  std::vector<std::byte> make_image(const State& state, const std::string& path) const {
    const hdf5::Lock lock;
    try {
      return file_image(state, fields_, axes_, interval_, tags_);
    } catch (const RuntimeError& error) {
      throw RuntimeError("{}: {}", path, error.what());
    }
  }

  std::vector<std::string> fields_;
  GridAxes axes_;
  double interval_;
  Tags tags_;
};

}  // namespace

std::unique_ptr<Sink> open_hdf5(const std::string& target, const OutputOptions&, const StreamInfo& info,
                                Opening opening) {
  return std::make_unique<Hdf5>(target, info, opening);
}

}  // namespace simreel
