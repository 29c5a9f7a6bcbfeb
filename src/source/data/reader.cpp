#include "source/data/reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/text.h"
#include "source/data/stacked.h"

namespace simreel {
namespace {

constexpr std::uint64_t block_bytes = std::uint64_t{64} << 20;  // read at once of a projection

using Mode = DataOptions::Slice::Mode;

// Replaces values that mark missing ones by NaN, and unpacks.
template <class Real>
void mend(const ArrayInfo& array, const std::optional<double>& missing, Real* values, std::size_t count) {
  constexpr Real none = std::numeric_limits<Real>::quiet_NaN();
  std::vector<double> none_of = array.missing;
  for (const std::optional<double>& fill : {array.fill, missing})
    if (fill) none_of.push_back(*fill);
  for (const double fill : none_of) {
    if (std::isnan(fill)) continue;  // is already
    const Real value = static_cast<Real>(fill);
    std::replace_if(
        values, values + count, [value](Real v) { return v == value; }, none);
  }
  const auto limit = [&](bool unpacked) {
    if (unpacked != array.limits_unpacked || (std::isinf(array.min) && std::isinf(array.max))) return;
    const Real min = static_cast<Real>(array.min), max = static_cast<Real>(array.max);
    std::replace_if(
        values, values + count, [min, max](Real v) { return v < min || v > max; }, none);
  };
  limit(false);
  if (!array.packed) return;
  const Real scale = static_cast<Real>(array.scale), offset = static_cast<Real>(array.offset);
  for (std::size_t i = 0; i < count; ++i) values[i] = values[i] * scale + offset;
  limit(true);
}

// One pixel of a projection.
struct Sum {
  double value = 0;
  std::uint64_t count = 0;

  void add(Mode mode, double v) {
    if (std::isnan(v)) return;
    if (count == 0)
      value = v;
    else if (mode == Mode::max)
      value = std::max(value, v);
    else if (mode == Mode::min)
      value = std::min(value, v);
    else
      value += v;
    ++count;
  }
  double result(Mode mode) const {
    if (count == 0) return std::numeric_limits<double>::quiet_NaN();
    return mode == Mode::mean ? value / static_cast<double>(count) : value;
  }
};

}  // namespace

StepReader::StepReader(const DataOptions& options, DataLayout layout, std::vector<std::size_t> fields,
                       std::string first_file, bool sorted)
    : options_(options),
      layout_(std::move(layout)),
      fields_(std::move(fields)),
      first_file_(std::move(first_file)),
      sorted_(sorted) {}

bool StepReader::in_float(const ArrayFile& file, const DataLayout& layout, const std::vector<std::size_t>& fields) {
  if (layout.grid) {
    const GridLayout& grid = *layout.grid;
    const bool adds = grid.slice && (grid.slice->mode == Mode::mean || grid.slice->mode == Mode::sum);
    return !adds && std::ranges::all_of(fields, [&](std::size_t i) {
      const ArrayInfo& array = file.at(grid.arrays[i]);
      return fits_float(array.element) && !array.packed;
    });
  }
  return std::ranges::all_of(layout.bodies.parts, [&](const BodyPart& part) {
    for (const std::string* name : {&part.position, &part.velocity, &part.mass})
      if ((!name->empty() || part.rows) && !(part.rows && name != &part.position) &&
          !fits_float(file.at(*name).element))
        return false;
    return true;
  });
}

std::size_t StepReader::read_bytes(std::size_t value_bytes) const {
  if (!layout_.grid) return layout_.bodies.count() * (16 * value_bytes + 1);
  const GridLayout& grid = *layout_.grid;
  const std::size_t cells = static_cast<std::size_t>(grid.nx) * static_cast<std::size_t>(grid.ny);
  const std::size_t axis = grid.roles.find('c');
  const std::size_t components = axis == std::string::npos ? 1 : static_cast<std::size_t>(grid.extents[axis]);
  return cells * value_bytes * (fields_.size() + 2 * components) +
         (grid.slice ? 2 * block_bytes + cells * sizeof(Sum) : 0);
}

const std::string& StepReader::name_of_first() const {
  return layout_.grid ? layout_.grid->arrays[fields_.at(0)] : layout_.bodies.parts.at(0).position;
}

const ArrayFile& StepReader::open(const std::string& file) {
  if (file_ && file_->path() == file) return *file_;
  file_.reset();
  std::unique_ptr<ArrayFile> opened = open_stacked_file(file, options_.array);
  expect_layout(*opened, layout_, first_file_);
  if (layout_.grid) {
    DataLayout here = layout_;
    place_cells(*opened, options_, here);
    if (here.grid->nx != layout_.grid->nx || here.grid->ny != layout_.grid->ny)
      throw RuntimeError("{}: by its coordinates it has {} x {} cells, and {} {} x {}", file, here.grid->nx,
                         here.grid->ny, first_file_, layout_.grid->nx, layout_.grid->ny);
    layout_.grid = std::move(here.grid);
  }
  file_ = std::move(opened);
  return *file_;
}

double StepReader::time(const InputStep& step, std::int64_t number) {
  if (step.time && options_.time.empty() && !options_.timestep_given) return *step.time;
  const std::string& where = layout_.time;
  const std::string name = where.substr(where.find(':') + 1);
  const auto entry = [&](std::size_t i) {
    if (i >= times_.size() && options_.time.empty())
      return std::numeric_limits<double>::quiet_NaN();  // not written yet
    if (i >= times_.size())
      throw RuntimeError("{}: it has {} times, and step {}, from 0, needs one", times_of_, times_.size(), i);
    return times_[i];
  };
  if (where.starts_with("attr:")) {
    const ArrayFile& file = open(step.file);
    const std::vector<double> values = file.attribute_list(name, max_times);
    const std::size_t at = values.size() > 1 ? static_cast<std::size_t>(step.index) : 0;
    if (values.empty())
      throw RuntimeError("{}: there is no attribute {} with a number; {}", step.file, quote(name), other_times);
    if (at >= values.size())
      throw RuntimeError("{}: the attribute {} has {} times, and step {}, from 0, needs one; {}", step.file,
                         quote(name), values.size(), at, other_times);
    return values[at];
  }
  if (where.starts_with("dataset:")) {
    const ArrayFile& file = open(step.file);
    if (times_of_ != place_of(step.file, name)) {
      times_ = times_in(file, name, layout_);
      times_of_ = place_of(step.file, name);
    }
    return entry(static_cast<std::size_t>(step.index));
  }
  if (where.starts_with("file:")) {
    if (times_of_ != name) {
      times_ = numbers_in(name);
      times_of_ = name;
    }
    return entry(static_cast<std::size_t>(number));
  }
  return static_cast<double>(number) * options_.timestep;
}

template <class Real>
void StepReader::read_field(const ArrayFile& file, std::size_t field, std::uint64_t t, std::vector<Real>& to) const {
  const GridLayout& grid = *layout_.grid;
  const ArrayInfo& array = file.at(grid.arrays[field]);
  const int component = grid.components[field];
  const std::size_t axes = grid.roles.size();
  const std::size_t nx = static_cast<std::size_t>(grid.nx), ny = static_cast<std::size_t>(grid.ny);
  const std::uint64_t cells = array.extents[grid.roles.find(grid.row)] * array.extents[grid.roles.find(grid.column)];
  const bool projects = grid.slice && grid.slice->mode != Mode::plane;
  Extents start(axes, 0), count(axes, 1);
  std::size_t depth_axis = axes;
  std::uint64_t components = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    const char role = grid.roles[i];
    if (role == 't') start[i] = t;
    if (role == 'c' && component >= 0) start[i] = static_cast<std::uint64_t>(component);
    if (role == 'c' && component < 0) count[i] = components = array.extents[i];
    if (role == grid.row || role == grid.column) count[i] = array.extents[i];
    if (!grid.slice || role != grid.slice->axis) continue;
    depth_axis = i;
    if (!projects) start[i] = static_cast<std::uint64_t>(grid.slice->index);
  }
  const std::uint64_t depth = projects ? array.extents[depth_axis] : 1;
  const std::uint64_t plane = components * cells * (array.element.bytes + sizeof(Real));
  const std::uint64_t block = projects ? std::clamp<std::uint64_t>(block_bytes / plane, 1, depth) : 1;
  std::vector<Sum> sums(projects ? nx * ny : 0);
  std::vector<std::byte> raw;
  std::vector<Real> values;
  to.resize(nx * ny);
  for (std::uint64_t first = 0; first < depth; first += block) {
    if (projects) start[depth_axis] = first, count[depth_axis] = std::min(block, depth - first);
    const std::size_t planes = projects ? static_cast<std::size_t>(count[depth_axis]) : 1,
                      size = planes * components * static_cast<std::size_t>(cells);
    std::size_t row = 0, column = 0, layer = 0, part = 0;  // strides
    for (std::size_t i = axes, stride = 1; i-- > 0; stride *= static_cast<std::size_t>(count[i])) {
      if (grid.roles[i] == grid.row) row = stride;
      if (grid.roles[i] == grid.column) column = stride;
      if (i == depth_axis) layer = stride;
      if (grid.roles[i] == 'c') part = stride;
    }
    const bool plain = !projects && column == 1 && grid.rows.empty() && grid.columns.empty() && components == 1;
    std::vector<Real>& converted = plain ? to : values;
    converted.resize(size);
    // Values that need no conversion go where they belong at once.
    const bool same = array.element == Element{Element::Kind::real, sizeof(Real)};
    if (same) {
      file.read(array, start, count, reinterpret_cast<std::byte*>(converted.data()));
    } else {
      raw.resize(size * array.element.bytes);
      file.read(array, start, count, raw.data());
      convert(array.element, raw.data(), size, converted.data());
    }
    mend(array, options_.missing, converted.data(), size);
    if (plain) return;
    const auto value_at = [&](const Real* from) {
      if (components == 1) return static_cast<double>(*from);
      double square = 0;
      for (std::size_t k = 0; k < components; ++k)
        square += static_cast<double>(from[k * part]) * static_cast<double>(from[k * part]);
      return std::sqrt(square);
    };
    for (std::size_t y = 0; y < ny; ++y)
      for (std::size_t x = 0; x < nx; ++x) {
        const std::size_t place = y * nx + x;
        const Real* const from = values.data() + grid.entry(grid.rows, y) * row + grid.entry(grid.columns, x) * column;
        if (!projects) to[place] = static_cast<Real>(value_at(from));
        for (std::size_t k = 0; projects && k < planes; ++k)
          sums[place].add(grid.slice->mode, value_at(from + k * layer));
      }
  }
  if (projects)
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<Real>(sums[i].result(grid.slice->mode));
}

// All values of an array at a step, its rows one after the other.
template <class Real>
std::vector<Real> StepReader::columns(const ArrayFile& file, const std::string& name, std::uint64_t t) const {
  const ArrayInfo& array = file.at(name);
  Extents start(array.extents.size(), 0), count = array.extents;
  if (layout_.bodies.has_time) start[0] = t, count[0] = 1;
  std::uint64_t size = 1;
  for (const std::uint64_t extent : count) size *= extent;
  std::vector<std::byte> raw(static_cast<std::size_t>(size) * array.element.bytes);
  file.read(array, start, count, raw.data());
  std::vector<Real> values(static_cast<std::size_t>(size));
  convert(array.element, raw.data(), values.size(), values.data());
  return values;
}

template <class Real>
void StepReader::read_part(const ArrayFile& file, const BodyPart& part, std::uint64_t t, StepValues<Real>& to) const {
  const std::size_t n = part.count, first = to.position.size();
  const std::vector<Real> rows = columns<Real>(file, part.position, t);
  const std::size_t width = rows.size() / n;
  to.position.resize(first + n);
  to.velocity.resize(first + n);
  const std::size_t mass_column = part.rows && width == 7 ? 6 : part.rows && width == 4 ? 3 : 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Real* const row = rows.data() + i * width;
    const Real mass = mass_column > 0 ? row[mass_column] : static_cast<Real>(part.one_mass.value_or(1));
    to.position[first + i] = {row[0], row[1], width > 2 ? row[2] : Real(0), mass};
    const bool moves = part.rows && width >= 6;
    to.velocity[first + i] = {moves ? row[3] : Real(0), moves ? row[4] : Real(0), moves ? row[5] : Real(0), Real(0)};
  }
  if (!part.velocity.empty()) {
    const std::vector<Real> v = columns<Real>(file, part.velocity, t);
    const std::size_t wide = v.size() / n;
    for (std::size_t i = 0; i < n; ++i)
      to.velocity[first + i] = {v[i * wide], wide > 1 ? v[i * wide + 1] : Real(0), wide > 2 ? v[i * wide + 2] : Real(0),
                                Real(0)};
  }
  if (!part.mass.empty()) {
    const std::vector<Real> mass = columns<Real>(file, part.mass, t);
    for (std::size_t i = 0; i < n; ++i) to.position[first + i].w = mass[i];
  }
  if (layout_.bodies.groups) {
    if (part.group.empty()) {
      to.group.insert(to.group.end(), n, part.one_group);
    } else {
      for (const Real g : columns<Real>(file, part.group, t))
        to.group.push_back(static_cast<std::uint8_t>(std::clamp<double>(static_cast<double>(g), 0, 255)));
    }
  }
  for (std::size_t i = first; i < first + n; ++i) {
    const Vec4<Real>& p = to.position[i];
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z) || !std::isfinite(p.w))
      throw RuntimeError("{}: body {} has a position or a mass that is not finite",
                         place_of(file.path(), part.position), i - first);
  }
  if (!sorted_ || part.id.empty()) return;
  const std::vector<double> ids = columns<double>(file, part.id, t);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ids[i]; });
  const auto arrange = [&](auto& list) {
    const auto before = std::vector(list.begin() + static_cast<std::ptrdiff_t>(first), list.end());
    for (std::size_t i = 0; i < n; ++i) list[first + i] = before[order[i]];
  };
  arrange(to.position);
  arrange(to.velocity);
  if (layout_.bodies.groups) arrange(to.group);
}

template <class Real>
StepValues<Real> StepReader::read(const InputStep& step, std::int64_t number) {
  const ArrayFile& file = open(step.file);
  if (sizeof(Real) == sizeof(float) && !in_float(file, layout_, fields_))
    throw RuntimeError(
        "{}: it holds numbers that a float does not hold exactly ({}), and {} does not; write every step with "
        "numbers of one type",
        file.path(), name_of(file.at(name_of_first()).element), first_file_);
  StepValues<Real> values;
  values.time = time(step, number);
  if (layout_.grid) {
    for (const std::size_t i : fields_) read_field(file, i, step.index, values.fields.emplace_back());
  } else {
    for (const BodyPart& part : layout_.bodies.parts) read_part(file, part, step.index, values);
  }
  return values;
}

std::vector<std::int8_t> StepReader::solid_cells(const InputStep& step) {
  if (!layout_.grid || (layout_.solid.empty() && options_.mask.empty())) return {};
  const GridLayout& grid = *layout_.grid;
  std::unique_ptr<ArrayFile> other;
  const bool apart = options_.mask.ends_with(".npy");
  if (apart) other = open_array_file(options_.mask);
  const ArrayFile& file = apart ? *other : open(step.file);
  std::string name = layout_.solid.empty() ? (apart ? "" : options_.mask) : layout_.solid;
  if (!apart && file.find(name) == nullptr) {  // beside the field
    const std::string& field = grid.arrays[0];
    const std::string beside = field.substr(0, field.rfind('/') + 1) + name;
    if (file.find(beside) != nullptr) name = beside;
  }
  const ArrayInfo& array = apart ? file.arrays()[0] : file.at(name);
  const Extents field = {grid.extents[grid.roles.find(grid.row)], grid.extents[grid.roles.find(grid.column)]};
  if (array.extents != field)
    throw RuntimeError("{}: the mask is {}, and the field {}", place_of(file.path(), array.name),
                       words_for(array.extents), words_for(field));
  const std::vector<double> values = file.values(array, static_cast<std::size_t>(field[0] * field[1]));
  const std::size_t nx = static_cast<std::size_t>(grid.nx), ny = static_cast<std::size_t>(grid.ny);
  std::vector<std::int8_t> cells(nx * ny);
  for (std::size_t y = 0; y < ny; ++y)
    for (std::size_t x = 0; x < nx; ++x) {
      const std::size_t from =
          grid.entry(grid.rows, y) * static_cast<std::size_t>(field[1]) + grid.entry(grid.columns, x);
      cells[y * nx + x] = values[from] != 0 ? std::int8_t{-1} : std::int8_t{0};
    }
  return cells;
}

template <class Real>
ValueRange range_of(const std::vector<Real>& values) {
  ValueRange range{1, -1};
  for (const Real v : values) {
    if (!std::isfinite(v)) continue;
    const double value = static_cast<double>(v);
    range = range.low > range.high ? ValueRange{value, value}
                                   : ValueRange{std::min(range.low, value), std::max(range.high, value)};
  }
  return range;
}

template StepValues<float> StepReader::read(const InputStep&, std::int64_t);
template StepValues<double> StepReader::read(const InputStep&, std::int64_t);
template ValueRange range_of(const std::vector<float>&);
template ValueRange range_of(const std::vector<double>&);

}  // namespace simreel
