#include "source/data/body_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/error.h"

namespace simreel {
namespace {

[[noreturn]] void fail(const ArrayFile& file, std::string_view array, const std::string& message) {
  throw RuntimeError("{}: {}", place_of(file.path(), array), message);
}

// The positions of bodies: n by 3, perhaps with a time axis in front.
bool holds_points(const ArrayInfo* array, std::uint64_t columns = 3) {
  return array != nullptr && (array->extents.size() == 2 || array->extents.size() == 3) &&
         array->extents.back() == columns;
}

BodyPart part_of(const ArrayFile& file, const std::string& position, const std::string& velocity,
                 const std::string& mass, const std::string& group) {
  BodyPart part;
  const auto known = [&](const std::string& name) { return file.find(name) != nullptr ? name : std::string(); };
  part.position = position;
  part.velocity = known(velocity);
  part.mass = known(mass);
  part.group = known(group);
  const Extents& extents = file.at(position).extents;
  part.count = static_cast<std::size_t>(extents[extents.size() - 2]);
  return part;
}

// Snapshots of Gadget, AREPO and SWIFT: a group for each kind of particles.
void add_snapshot(const ArrayFile& file, const std::string& group, int kind, BodyLayout& bodies) {
  const ArrayInfo* const position = file.find(group + "/Coordinates");
  if (position == nullptr) return;
  if (!holds_points(position)) fail(file, position->name, fmt::format("{} is not n x 3", words_for(position->extents)));
  BodyPart part = part_of(file, position->name, group + "/Velocities", group + "/Masses", "");
  if (file.find(group + "/ParticleIDs") != nullptr) part.id = group + "/ParticleIDs";
  part.one_group = static_cast<std::uint8_t>(kind);
  const std::vector<double> counts = file.attribute_list("/Header/NumPart_ThisFile", 64);
  if (static_cast<std::size_t>(kind) < counts.size() &&
      counts[static_cast<std::size_t>(kind)] != static_cast<double>(part.count))
    fail(file, position->name,
         fmt::format("it holds {} particles, and /Header/NumPart_ThisFile names {}: the file is damaged or was changed",
                     part.count, counts[static_cast<std::size_t>(kind)]));
  const std::vector<double> masses = file.attribute_list("/Header/MassTable", 64);
  if (part.mass.empty() && static_cast<std::size_t>(kind) < masses.size() && masses[static_cast<std::size_t>(kind)] > 0)
    part.one_mass = masses[static_cast<std::size_t>(kind)];
  if (part.count > 0) bodies.parts.push_back(part);
}

std::optional<BodyLayout> snapshot(const ArrayFile& file, const DataOptions& o) {
  constexpr int kinds = 8;
  BodyLayout bodies;
  for (int kind = 0; kind < kinds; ++kind) {
    const std::string group = fmt::format("/PartType{}", kind);
    if (o.array.empty() || o.array == group || "/" + o.array == group || o.array == group + "/Coordinates")
      add_snapshot(file, group, kind, bodies);
  }
  if (bodies.parts.empty()) {
    const std::vector<double> counts = file.attribute_list("/Header/NumPart_ThisFile", 64);
    const bool asks = o.array.empty() || o.array.starts_with("/PartType") || o.array.starts_with("PartType");
    if (!counts.empty() && asks)
      fail(file, o.array,
           fmt::format("it holds no particles; /Header/NumPart_ThisFile is {}", fmt::join(counts, ", ")));
    return {};
  }
  bodies.groups = bodies.parts.size() > 1;
  return bodies;
}

// Rows of numbers, one a body.
std::optional<BodyLayout> rows(const ArrayFile& file, const DataOptions& o, bool many,
                               std::vector<std::string>& remarks) {
  const bool asked = o.content == DataOptions::Content::bodies;
  const ArrayInfo* array = nullptr;
  if (!o.array.empty())
    array = &file.at(o.array);
  else if (file.arrays().size() == 1)
    array = &file.arrays()[0];
  if (array == nullptr || array->extents.size() < 2 || array->extents.size() > 3) return {};
  const std::uint64_t columns = array->extents.back();
  const bool own = columns == 7 && array->name.empty() && o.axes.empty() && !o.slice;
  if (!asked && !own) return {};
  constexpr std::uint64_t known[] = {2, 3, 4, 6, 7};
  if (std::ranges::find(known, columns) == std::end(known))
    fail(file, array->name,
         fmt::format("rows of {} numbers cannot be bodies; they have 2 or 3 (x, y, z), 4 (x, y, z, mass), "
                     "6 (x, y, z, vx, vy, vz) or 7 (with a mass)",
                     columns));
  if (array->extents.size() == 3 && many && array->extents[0] != 1)
    fail(file, array->name, fmt::format("{}: a file of a series has one step of bodies", words_for(array->extents)));
  BodyLayout bodies;
  bodies.has_time = array->extents.size() == 3;
  BodyPart part;
  part.position = array->name;
  part.rows = true;
  part.count = static_cast<std::size_t>(array->extents[array->extents.size() - 2]);
  bodies.parts.push_back(part);
  if (!asked)
    remarks.push_back(
        fmt::format("{}: rows of 7 numbers are taken as bodies: x, y, z, vx, vy, vz, mass; content = \"field\" in "
                    "[solver] draws them as a grid",
                    file.path()));
  return bodies;
}

}  // namespace

std::size_t BodyLayout::count() const {
  return std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                         [](std::size_t sum, const BodyPart& part) { return sum + part.count; });
}

bool is_own_file(const ArrayFile& file) {
  const std::optional<std::string> version = file.text("version");
  return version && version->starts_with("simreel ");
}

std::optional<DataLayout> body_layout(const ArrayFile& file, const DataOptions& o, bool many) {
  DataLayout layout;
  layout.own = is_own_file(file);
  std::optional<BodyLayout> bodies;
  const std::string vtk = "/VTKHDF/Points", data = "/VTKHDF/PointData/";
  if (o.array.empty() && holds_points(file.find(vtk))) {
    bodies.emplace().parts.push_back(part_of(file, vtk, data + "velocity", data + "mass", data + "group"));
  } else if (o.array.empty() && holds_points(file.find("position"))) {
    bodies.emplace().parts.push_back(part_of(file, file.find("position")->name, "velocity", "mass", "group"));
    bodies->has_time = file.find("position")->extents.size() == 3;
  } else if ((bodies = snapshot(file, o))) {
    if (file.attribute("/Header/Time")) layout.time = "attr:/Header/Time";
  } else {
    bodies = rows(file, o, many, layout.remarks);
  }
  if (!bodies) return {};
  layout.bodies = *bodies;
  for (const BodyPart& part : layout.bodies.parts) layout.bodies.groups |= !part.group.empty();
  if (layout.bodies.count() == 0) fail(file, "", "it holds no bodies");
  for (const BodyPart& part : layout.bodies.parts) {
    const std::uint64_t width = part.rows ? file.at(part.position).extents.back() : 0;
    const bool masses = !part.mass.empty() || part.one_mass || width == 4 || width == 7;
    const bool velocities = !part.velocity.empty() || width >= 6;
    if (masses && velocities) continue;
    layout.remarks.push_back(
        fmt::format("{}: it has {}", place_of(file.path(), part.position),
                    masses       ? "no velocities; the bodies count as at rest, and trails between steps are straight"
                    : velocities ? "no masses; each body counts as 1"
                                 : "neither masses nor velocities; each body counts as 1 and as at rest"));
  }
  return layout;
}

}  // namespace simreel
