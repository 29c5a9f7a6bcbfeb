#include "source/data/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string_view>

#include "base/cf_time.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/numbers.h"
#include "base/text.h"
#include "formats/vtk_image.h"
#include "source/data/body_layout.h"
#include "source/data/coordinates.h"
#include "source/data/stacked.h"

namespace simreel {
namespace {

constexpr std::uint64_t max_cells_along = 1 << 24;
constexpr std::uint64_t max_components = 9;

[[noreturn]] void fail(const ArrayFile& file, std::string_view array, const std::string& message) {
  throw RuntimeError("{}: {}", place_of(file.path(), array), message);
}

// Arrays that can be a field: with two axes at least, and of VTKHDF those of its data.
std::vector<const ArrayInfo*> fields_of(const ArrayFile& file) {
  const bool vtk = file.text("/VTKHDF/Type").has_value();
  std::vector<const ArrayInfo*> found;
  for (const ArrayInfo& array : file.arrays()) {
    if (array.extents.size() < 2 || array.auxiliary) continue;
    if (vtk && !array.name.starts_with("/VTKHDF/PointData/") && !array.name.starts_with("/VTKHDF/CellData/")) continue;
    if (last_part(array.name) == "solid") continue;
    found.push_back(&array);
  }
  // A mask of land comes after what it masks.
  std::ranges::stable_partition(found, [&](const ArrayInfo* array) {
    return !file.text(array->name + "/standard_name").value_or("").ends_with("_mask") &&
           last_part(array->name) != "lsm";
  });
  // MATLAB's scalars and vectors are matrices too.
  std::ranges::stable_partition(found, [&](const ArrayInfo* array) {
    return !file.text(array->name + "/MATLAB_class") ||
           std::ranges::count_if(array->extents, [](std::uint64_t extent) { return extent > 1; }) > 1;
  });
  return found;
}

char role_of(std::string name) {
  name = lower_case(last_part(name));
  const auto any = [&](std::initializer_list<std::string_view> starts) {
    return std::ranges::any_of(
        starts, [&](std::string_view start) { return start.size() > 1 ? name.starts_with(start) : name == start; });
  };
  if (any({"t", "time"}) || name.ends_with("_time")) return 't';
  if (any({"z", "lev", "depth", "height", "alt", "plev"})) return 'z';
  if (any({"y", "lat", "north", "yc", "yh"})) return 'y';
  if (any({"x", "lon", "east", "xc", "xh"})) return 'x';
  if (name == "components") return 'c';
  return '?';
}

std::string roles_of(const ArrayFile& file, const ArrayInfo& array, const DataOptions& o, bool many) {
  const std::size_t axes = array.extents.size();
  if (!o.axes.empty()) {
    if (o.axes.size() != axes)
      fail(file, array.name,
           fmt::format("it has {} axes ({}), and \"axes\" in [solver] names {} ({})", axes, words_for(array.extents),
                       o.axes.size(), quote(o.axes)));
    return o.axes;
  }
  if (axes < 2)
    fail(file, array.name, fmt::format("it is {}; a picture needs two axes", axes == 0 ? "a single number" : "a list"));
  std::string roles;
  for (const std::string& dimension : array.dimensions) roles += role_of(dimension);
  // Of an axis of time and two without a name, these are the picture.
  if (std::ranges::count(roles, '?') == 2 && roles.find_first_of("xy") == std::string::npos)
    roles[roles.find('?')] = 'y', roles[roles.find('?')] = 'x';
  // Time and one axis of space are a diagram: over time where that is x, along it otherwise.
  const std::size_t time = roles.find('t'), space = roles.find_first_of("xyz");
  if (!many && time != std::string::npos && space != std::string::npos && roles.find('?') == std::string::npos &&
      roles.find_first_of("xyz", space + 1) == std::string::npos && array.extents[time] > 1)
    roles[time] = roles[space] == 'x' ? 'y' : 'x';
  const auto once = [&](char c) { return std::ranges::count(roles, c) == 1; };
  if (roles.size() == axes && roles.find('?') == std::string::npos && std::ranges::all_of(roles, once)) return roles;
  std::size_t ones = 0;
  while (axes - ones > 2 && array.extents[ones] == 1) ++ones;
  const std::string of_number[] = {"", "x", "yx", o.slice || many ? "zyx" : "tyx", "tzyx"};
  if (axes - ones > 4)
    fail(file, array.name,
         fmt::format("it has {} axes ({}); say with \"axes\" in [solver] (simreel view: --set solver.axes=...) what "
                     "they are, a letter each: t, z, y, x, c for components, 1 for an axis of one entry",
                     axes, words_for(array.extents)));
  return std::string(ones, '1') + of_number[axes - ones];
}

std::uint64_t extent_along(const GridLayout& grid, char role) {
  const std::size_t axis = grid.roles.find(role);
  return axis == std::string::npos ? 0 : grid.extents[axis];
}

// Of three dimensions one may have a single plane: an image in x and z, or NetCDF's one level.
void fold(GridLayout& grid) {
  if (extent_along(grid, 'z') == 1)
    grid.roles[grid.roles.find('z')] = '1';
  else if (extent_along(grid, 'y') == 1)
    grid.slice = {'y', DataOptions::Slice::Mode::plane, 0};
  else if (extent_along(grid, 'x') == 1)
    grid.slice = {'x', DataOptions::Slice::Mode::plane, 0};
}

// Which axes are drawn, and of three what becomes of the third.
void place_axes(const ArrayFile& file, const ArrayInfo& array, const DataOptions& o, GridLayout& grid) {
  for (std::size_t i = 0; i < grid.roles.size(); ++i)
    if (grid.roles[i] == '1' && grid.extents[i] != 1)
      fail(file, array.name,
           fmt::format("axis {} has {} entries, and \"axes\" in [solver] says 1 of it", i + 1, grid.extents[i]));
  const auto has = [&](char role) { return grid.roles.find(role) != std::string::npos; };
  std::string plane = "zyx";
  std::erase_if(plane, [&](char role) { return !has(role); });
  if (plane.size() < 2) {
    std::string other = grid.roles;  // over time, for one
    const std::size_t spare = other.find_first_not_of("1cxyz");
    if (spare != std::string::npos) other[spare] = has('x') ? 'y' : 'x';
    fail(file, array.name,
         fmt::format("its axes are {} ({}), and a picture needs two of x, y and z; {}", quote(grid.roles),
                     words_for(array.extents),
                     spare != std::string::npos && !plane.empty()
                         ? fmt::format("a diagram over {} is drawn with axes = {} in [solver] (--set solver.axes={})",
                                       grid.roles[spare] == 't' ? "time" : "it", quote(other), other)
                         : "say with axes = \"...\" in [solver] (simreel view: --set solver.axes=...) what they are, a "
                           "letter each"));
  }
  const bool solid = plane.size() == 3;
  if (!solid) grid.row = plane[0], grid.column = plane[1];
  grid.slice = o.slice;
  if (solid && !grid.slice) fold(grid);
  if (has('x') && has('y') && has('z') && !grid.slice) {
    const std::uint64_t depth = extent_along(grid, 'z');
    fail(file, array.name,
         fmt::format("it has three dimensions ({}, axes {}); draw a plane, slice = {{ z = {} }} in [solver], or a "
                     "projection, slice = {{ z = \"max\" }} (simreel view: --slice z={})",
                     words_for(array.extents), quote(grid.roles), depth / 2, depth / 2));
  }
  if (o.slice && !solid)
    fail(file, array.name,
         fmt::format("it has two dimensions ({}, axes {}), so that \"slice\" in [solver] has nothing to cut",
                     words_for(array.extents), quote(grid.roles)));
  if (grid.slice) {
    std::string left = "zyx";
    std::erase(left, grid.slice->axis);
    grid.row = left[0];
    grid.column = left[1];
    const std::uint64_t depth = extent_along(grid, grid.slice->axis);
    if (grid.slice->mode == DataOptions::Slice::Mode::plane && static_cast<std::uint64_t>(grid.slice->index) >= depth)
      fail(file, array.name,
           fmt::format("plane {} along {} is not there: it has {} planes, from 0", grid.slice->index, grid.slice->axis,
                       depth));
  }
  const std::uint64_t nx = extent_along(grid, grid.column), ny = extent_along(grid, grid.row);
  if (nx == 0 || ny == 0 || nx > max_cells_along || ny > max_cells_along)
    fail(file, array.name,
         fmt::format("{} x {} cells cannot be drawn; each side has 1 to {}", nx, ny, max_cells_along));
  grid.nx = static_cast<int>(nx);
  grid.ny = static_cast<int>(ny);
}

void choose_fields(const ArrayFile& file, const DataOptions& o, const std::string& wanted, DataLayout& layout) {
  GridLayout& grid = *layout.grid;
  std::vector<const ArrayInfo*> fields;
  if (!o.array.empty()) {
    fields.push_back(&file.at(o.array));
  } else {
    fields = fields_of(file);
    if (fields.empty())
      fail(file, "", "no array of numbers with two axes or more is found in it" + file.what_is_there());
    const auto named = [&](const ArrayInfo* array) { return last_part(array->name) == wanted; };
    const auto part = [&](const ArrayInfo* array) { return wanted.starts_with(last_part(array->name) + '_'); };
    auto first = std::ranges::find_if(fields, named);
    if (first == fields.end()) first = std::ranges::find_if(fields, part);
    if (first != fields.end()) std::rotate(fields.begin(), first, first + 1);
    const bool alike =
        std::ranges::all_of(fields, [&](const ArrayInfo* a) { return a->extents == fields[0]->extents; });
    if (!alike || !file.unread().empty()) layout.choice = fmt::format("{}: {} is drawn", file.path(), fields[0]->name);
    if (!alike) {
      std::vector<std::string> names;
      for (const ArrayInfo* array : fields)
        names.push_back(fmt::format("{} ({})", array->name, words_for(array->extents)));
      layout.choice +=
          fmt::format(", one of arrays of several shapes; a name after a colon, as {}:{}, draws another: {}", o.files,
                      fields.back()->name, fmt::join(names, ", "));
    }
    if (const auto& unread = file.unread(); !unread.empty()) {
      auto other = std::ranges::find_if(unread, [](const auto& entry) { return entry.second != "it is text"; });
      if (other == unread.end()) other = unread.begin();
      layout.choice += fmt::format("; {} is not read: {}", other->first, other->second);
      if (unread.size() > 1) layout.choice += fmt::format("; nor {} more", unread.size() - 1);
    }
    std::erase_if(fields, [extents = fields[0]->extents](const ArrayInfo* a) { return a->extents != extents; });
  }
  for (const ArrayInfo* array : fields) {
    const std::string name = plain_name(last_part(array->name));
    if (std::ranges::find(grid.names, name) != grid.names.end()) continue;
    grid.names.push_back(name);
    grid.arrays.push_back(array->name);
    grid.units.push_back(o.unit.empty() ? array->unit : o.unit);
    for (const auto& [value, flag] : array->flags) {
      if (value != std::round(value) || std::abs(value) > 1e9) continue;
      std::string shown = for_figure(flag);
      std::ranges::replace(shown, '_', ' ');
      grid.flags[array->name].push_back({static_cast<int>(value), shown, {}});
    }
  }
  grid.components.assign(grid.names.size(), GridLayout::all_components);
  grid.extents = fields[0]->extents;
}

// Each array is its magnitude, and a field for each of its components: vel, vel_x, vel_y, vel_z.
void name_components(const ArrayFile& file, const ArrayInfo& array, const std::string& wanted, GridLayout& grid) {
  const std::uint64_t count = extent_along(grid, 'c');
  if (count < 1 || count > max_components)
    fail(file, array.name, fmt::format("it has {} components; there are 1 to {}", count, max_components));
  GridLayout all = grid;
  for (std::size_t i = 0; i < grid.names.size(); ++i)
    for (std::uint64_t k = 0; k < count; ++k) {
      all.names.push_back(grid.names[i] + (count <= 3 ? fmt::format("_{}", "xyz"[k]) : fmt::format("_{}", k)));
      all.arrays.push_back(grid.arrays[i]);
      all.units.push_back(grid.units[i]);
      all.components.push_back(static_cast<int>(k));
    }
  grid = std::move(all);
  const auto shown = static_cast<std::size_t>(std::ranges::find(grid.names, wanted) - grid.names.begin());
  if (shown >= grid.names.size()) return;
  for (std::vector<std::string>* list : {&grid.names, &grid.arrays, &grid.units})
    std::rotate(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(shown),
                list->begin() + static_cast<std::ptrdiff_t>(shown) + 1);
  std::rotate(grid.components.begin(), grid.components.begin() + static_cast<std::ptrdiff_t>(shown),
              grid.components.begin() + static_cast<std::ptrdiff_t>(shown) + 1);
}

// Where the times of a field are found: in NetCDF's coordinate, VTKHDF's steps, another list along the same axis whose
// unit counts from a date, or WRF's text. Empty: nowhere.
std::string place_of_times(const ArrayFile& file, const ArrayInfo& array, std::size_t axis) {
  if (axis >= array.dimensions.size() || array.dimensions[axis].empty()) return "";
  const std::string& along = array.dimensions[axis];
  const auto has_one_axis = [](const ArrayInfo* list) { return list != nullptr && list->extents.size() == 1; };
  for (const std::string& name : {along, std::string("/VTKHDF/Steps/Values")})
    if (has_one_axis(file.find(name)) && (name == along || array.name.starts_with("/VTKHDF/")))
      return "dataset:" + name;
  std::vector<const ArrayInfo*> dated;
  for (const ArrayInfo& list : file.arrays())
    if (has_one_axis(&list) && !list.dimensions.empty() && list.dimensions[0] == along &&
        parse_cf_time(list.unit, file.text(list.name + "/calendar").value_or("")))
      dated.push_back(&list);
  std::ranges::stable_partition(dated, &ArrayInfo::auxiliary);
  if (dated.size() == 1 || (!dated.empty() && dated[0]->auxiliary)) return "dataset:" + dated[0]->name;
  const std::string text = array.name.substr(0, array.name.rfind('/') + 1) + "Times";
  return unit_of_dates(file, text).empty() ? "" : "dataset:" + text;
}

// Latitudes and longitudes of each cell. A picture has one list for each of its axes.
void note_curved_cells(const ArrayFile& file, const ArrayInfo& array, const DataOptions& o, DataLayout& layout) {
  const GridLayout& grid = *layout.grid;
  if (!o.coordinates || o.extent || (grid.axes[0] && !grid.axes[0]->counted) ||
      (grid.axes[1] && !grid.axes[1]->counted))
    return;
  const std::uint64_t nx = extent_along(grid, grid.column), ny = extent_along(grid, grid.row);
  std::vector<std::string> names;
  const auto add = [&](const auto& is_coordinate) {
    for (const ArrayInfo& other : file.arrays())
      if (other.extents.size() >= 2 && other.extents.back() == nx && other.extents[other.extents.size() - 2] == ny &&
          other.name != array.name && is_coordinate(other))
        names.push_back(last_part(other.name));
  };
  add([](const ArrayInfo& other) { return other.auxiliary; });
  if (names.empty()) add([](const ArrayInfo& other) { return for_figure(other.unit).starts_with("\u00B0"); });
  if (names.empty()) return;
  layout.remarks.push_back(fmt::format(
      "{}: its coordinates, {}, have two dimensions; the picture shows rows and columns of the file, not these; "
      "extent = [left, right, bottom, top] in [solver] gives its axes numbers",
      place_of(file.path(), array.name), fmt::join(names, " and ")));
}

// Of files that do not name the axes of their arrays: lists as long as these, with the names of coordinates.
void note_lone_coordinates(const ArrayFile& file, const ArrayInfo& array, const DataOptions& o, DataLayout& layout) {
  if (o.extent || !array.dimensions.empty() || !array.steps.empty()) return;
  const GridLayout& grid = *layout.grid;
  const std::string folder = array.name.substr(0, array.name.size() - last_part(array.name).size());
  std::vector<std::string> names;
  const auto add = [&](char role, const auto&... usual) {
    const auto is_list = [&](const char* name) {
      const ArrayInfo* const list = file.find(folder + name);
      return list != nullptr && list->extents == Extents{extent_along(grid, role)};
    };
    ((is_list(usual) && (names.emplace_back(usual), true)) || ...);
  };
  add(grid.column, "lon", "longitude", "x");
  add(grid.row, "lat", "latitude", "y");
  if (names.empty()) return;
  layout.remarks.push_back(fmt::format(
      "{}: {} may be its coordinates, which this file does not say; extent = [left, right, bottom, top] in [solver] "
      "gives its axes numbers",
      place_of(file.path(), array.name), fmt::join(names, " and ")));
}

// VTKHDF's kinds of data other than images, unless they hold points alone, which are bodies.
void refuse_mesh(const ArrayFile& file, const DataOptions& o) {
  const std::string kind = file.text("/VTKHDF/Type").value_or("ImageData");
  if (kind == "ImageData" || is_own_file(file)) return;
  const auto entries = [&](std::string_view name) {
    const ArrayInfo* const list = file.find(fmt::format("VTKHDF/{}", name));
    return list == nullptr || list->extents.empty() ? 0 : list->extents[0];
  };
  if (entries("Steps/Values") > 1)
    fail(file, "",
         fmt::format("it holds {} of {} steps, one after the other; write each step to a file",
                     quote(shorten(kind, 40)), entries("Steps/Values")));
  bool mesh = entries("Points") == 0;
  for (const char* cells : {"Lines", "Polygons", "Strips"}) mesh |= entries(fmt::format("{}/Connectivity", cells)) > 0;
  if (const std::uint64_t cells = std::min<std::uint64_t>(entries("Types"), 1 << 20); cells > 0 && !mesh) {
    const ArrayInfo& types = file.at("/VTKHDF/Types");
    mesh = types.element.bytes != 1 || types.extents.size() != 1;
    if (!mesh) {
      std::vector<std::byte> kinds(static_cast<std::size_t>(cells));
      const std::uint64_t start[] = {0}, count[] = {cells};
      file.read(types, start, count, kinds.data());
      constexpr std::byte vertex{1};
      mesh = std::ranges::any_of(kinds, [](std::byte type) { return type != vertex; });
    }
  }
  if (mesh && (o.content != DataOptions::Content::bodies || entries("Points") == 0))
    fail(file, "",
         fmt::format("it holds {}{}{}", quote(shorten(kind, 40)), not_a_mesh,
                     entries("Points") > 0 ? "; content = \"bodies\" in [solver] draws its points" : ""));
}

DataLayout grid_layout(const ArrayFile& file, const DataOptions& o, const std::string& wanted, bool many) {
  DataLayout layout;
  layout.own = is_own_file(file);
  GridLayout& grid = layout.grid.emplace();
  choose_fields(file, o, wanted, layout);
  const ArrayInfo& array = file.at(grid.arrays[0]);
  grid.roles = roles_of(file, array, o, many);
  if (extent_along(grid, 'c') == 1) grid.roles[grid.roles.find('c')] = '1';  // a field, with its sign
  place_axes(file, array, o, grid);
  if (grid.roles.find('c') != std::string::npos) name_components(file, array, wanted, grid);
  place_cells(file, o, layout);
  for (const std::string& attribute : array.unheeded)
    layout.warnings.push_back(fmt::format("{}: its attribute {}", place_of(file.path(), array.name), attribute));
  if (o.mask.empty() && o.obstacles.empty() && !o.slice) {
    const std::string beside = array.name.substr(0, array.name.size() - last_part(array.name).size()) + "solid";
    const ArrayInfo* const solid = file.find(beside);
    const Extents cells = {extent_along(grid, grid.row), extent_along(grid, grid.column)};
    if (solid != nullptr && solid->extents == cells) layout.solid = solid->name;
  }
  note_curved_cells(file, array, o, layout);
  note_lone_coordinates(file, array, o, layout);
  // What the third axis is can be seen where it is longer or shorter.
  const bool named =
      std::ranges::any_of(array.dimensions, [](const std::string& name) { return role_of(name) != '?'; });
  if (o.axes.empty() && !named && grid.roles.ends_with("tyx")) {
    const std::uint64_t side = array.extents.back();
    if (std::all_of(array.extents.end() - 3, array.extents.end(), [side](std::uint64_t n) { return n == side; }))
      layout.remarks.push_back(fmt::format(
          "{}: its three axes are as long as each other, and the first is taken as time; a plane of a volume is drawn "
          "with slice = {{ z = {} }} in [solver] (simreel view: --slice z={})",
          place_of(file.path(), array.name), side / 2, side / 2));
  }
  if (o.axes.empty() && file.text(array.name + "/MATLAB_class")) {
    std::string turned = grid.roles;
    for (char& role : turned) role = role == 'x' ? 'y' : role == 'y' ? 'x' : role;
    layout.remarks.push_back(fmt::format(
        "{}: MATLAB writes its first index last, so that it runs to the right here, and the second upwards; "
        "axes = \"{}\" in [solver] draws what imagesc and axis xy show",
        place_of(file.path(), array.name), turned));
  }
  const std::size_t t = grid.roles.find('t');
  if (t != std::string::npos) layout.time = place_of_times(file, array, t);
  if (const ArrayInfo* const times = file.find(layout.time.substr(std::min<std::size_t>(layout.time.size(), 8)));
      t != std::string::npos && times != nullptr && times->extents.size() == 1 && times->extents[0] > array.extents[t])
    layout.remarks.push_back(fmt::format("{}: {} of {} steps were written, and are drawn",
                                         place_of(file.path(), array.name), array.extents[t], times->extents[0]));
  return layout;
}

// "2005-08-28 06:00:00" as a unit; "" for what is not a date.
std::string unit_since(std::string date) {
  std::ranges::replace(date, '_', ' ');
  const std::string unit = fmt::format("minutes since {}", date);
  return parse_cf_time(unit, "") ? unit : "";
}

}  // namespace

DataLayout find_layout(const ArrayFile& file, const DataOptions& o, const std::string& wanted, bool many) {
  std::optional<DataLayout> layout;
  refuse_mesh(file, o);
  if (o.content != DataOptions::Content::field) layout = body_layout(file, o, many);
  if (!layout && o.content == DataOptions::Content::bodies)
    fail(file, o.array, "no bodies are found in it: rows of 7 numbers, /PartType0/Coordinates, or VTKHDF's Points");
  if (!layout) layout = grid_layout(file, o, wanted, many);
  if (layout->own && file.attribute("time")) layout->time = "attr:time";
  if (layout->own) layout->interval = file.attribute("interval").value_or(0);
  if (layout->time.empty() && file.attribute(file_time)) layout->time = fmt::format("attr:{}", file_time);
  if (!o.time.empty()) layout->time = o.time;
  if (o.timestep_given) layout->time.clear(), layout->interval = o.timestep;
  if (layout->time.starts_with("dataset:")) {
    if (const ArrayInfo* const times = file.find(layout->time.substr(8)); times != nullptr) {
      layout->time_unit = times->unit;
      layout->calendar = file.text(times->name + "/calendar").value_or("");
    } else {
      layout->time_unit = unit_of_dates(file, layout->time.substr(8));
    }
  }
  if (!layout->grid && (o.slice || !o.axes.empty()))
    fail(file, o.array, "it holds bodies, for which \"slice\" and \"axes\" in [solver] have no meaning");
  return *layout;
}

void expect_layout(const ArrayFile& file, const DataLayout& layout, const std::string& first_file) {
  if (layout.grid) {
    const GridLayout& grid = *layout.grid;
    for (const std::string& name : grid.arrays) {
      const Extents& extents = file.at(name).extents;
      bool same = extents.size() == grid.extents.size();
      for (std::size_t i = 0; same && i < extents.size(); ++i)
        same = extents[i] == grid.extents[i] || grid.roles[i] == 't';
      if (!same)
        fail(file, name,
             fmt::format("it is {}, but {} in {}; every step must have the same shape", words_for(extents),
                         words_for(grid.extents), first_file));
    }
    return;
  }
  for (const BodyPart& part : layout.bodies.parts)
    for (const std::string* name : {&part.position, &part.velocity, &part.mass, &part.group, &part.id}) {
      if (name->empty() && !(part.rows && name == &part.position)) continue;
      const Extents& extents = file.at(*name).extents;
      const std::size_t axis = layout.bodies.has_time ? 1 : 0;
      if (extents.size() <= axis || extents[axis] != part.count)
        fail(file, *name,
             fmt::format("it is {}, but {} has {} bodies; every step must have as many{}", words_for(extents),
                         first_file, part.count,
                         layout.bodies.parts.size() > 1
                             ? "; draw a kind of bodies whose number stays, after a colon: snapshot.hdf5:/PartType1"
                             : ""));
    }
}

std::uint64_t steps_in(const ArrayFile& file, const DataLayout& layout) {
  if (layout.grid)
    return layout.grid->has_time() ? file.at(layout.grid->arrays[0]).extents[layout.grid->roles.find('t')] : 1;
  return layout.bodies.has_time ? file.at(layout.bodies.parts[0].position).extents[0] : 1;
}

std::vector<double> numbers_in(const std::string& file) {
  if (const std::string why = refusal_to_read(file); !why.empty()) throw RuntimeError("{}: {}", file, why);
  std::ifstream in(file);
  if (!in.is_open()) throw RuntimeError("{}: cannot be read", file);
  std::vector<double> values;
  std::int64_t line = 0;
  for (std::string text; std::getline(in, text);) {
    ++line;
    std::string_view cell = trim(text);
    if (cell.empty() || cell.starts_with('#')) continue;
    cell = trim(cell.substr(0, cell.find_first_of(",;\t ")));
    if (const std::optional<double> value = parse_number<double>(cell))
      values.push_back(*value);
    else if (!values.empty() || line > 1)  // the first line may name the column
      throw RuntimeError("{}:{}: {} is not a number", file, line,
                         values.empty() ? "what stands there" : quote(shorten(cell, 40)));
    if (values.size() > max_times) throw RuntimeError("{}: more than {} lines", file, max_times);
  }
  if (in.bad()) throw RuntimeError("{}: cannot be read", file);
  return values;
}

std::string unit_of_dates(const ArrayFile& file, const std::string& name) {
  const std::vector<std::string> dates = file.words(name, max_times);
  return dates.empty() ? "" : unit_since(dates[0]);
}

std::vector<double> times_in(const ArrayFile& file, const std::string& name, const DataLayout& layout) {
  std::vector<double> times;
  if (const std::vector<std::string> dates = file.words(name, max_times); !dates.empty()) {
    const std::optional<CfTime> first = parse_cf_time(layout.time_unit, "");
    for (const std::string& date : dates) {
      const std::optional<CfTime> own = parse_cf_time(unit_since(date), "");
      if (!first || !own)
        throw RuntimeError("{}: {} is not a date", place_of(file.path(), name), quote(shorten(date, 40)));
      times.push_back((own->start - first->start) / first->unit);
    }
    return times;
  }
  const ArrayInfo& array = file.at(name);
  times = file.values(array, max_times, true);
  const std::string calendar = file.text(array.name + "/calendar").value_or("");
  const bool alike = is_same_calendar(calendar, layout.calendar);
  if (array.unit == layout.time_unit && alike) return times;
  const std::optional<CfTime> first = parse_cf_time(layout.time_unit, layout.calendar),
                              own = parse_cf_time(array.unit, calendar);
  if (!first || !own || !alike)
    throw RuntimeError(
        "{}: its times are in {}, and those of the first file in {}, which simreel does not convert; give the time of "
        "a step as timestep in [solver]",
        place_of(file.path(), array.name), quote(shorten(array.unit, 60)), quote(shorten(layout.time_unit, 60)));
  for (double& time : times) time = (time * own->unit + (own->start - first->start)) / first->unit;
  return times;
}

}  // namespace simreel
