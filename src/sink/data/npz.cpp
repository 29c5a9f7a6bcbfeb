// "x/%06d.npz", "x.npz": the state of each frame, or of the last, as numpy's archive of arrays, stored without
// compression, which numpy.load opens. Of fields [ny][nx] each, row 0 at y = 0, under its name; of bodies position
// [n][3], velocity [n][3], mass [n] and, where bodies have one, group [n]. Values have the precision that was computed.
// Equal runs give equal bytes.

#include <fmt/format.h>

#include <span>
#include <vector>

#include "sink/data/npy.h"
#include "sink/data/states.h"
#include "sink/data/zip.h"
#include "sink/open.h"

namespace simreel {
namespace {

// The first `columns` of each four numbers from `first` on.
template <class Real>
std::vector<Real> columns_of(const Real* rows, std::size_t count, std::size_t first, std::size_t columns) {
  std::vector<Real> values;
  values.reserve(count * columns);
  for (std::size_t i = 0; i < count; ++i)
    values.insert(values.end(), rows + 4 * i + first, rows + 4 * i + first + columns);
  return values;
}

template <class Real>
void add_bodies(ZipWriter& zip, const StateLayout& layout, const Real* position, const std::string& type) {
  const std::size_t n = layout.count;
  const Real* const velocity = position + 4 * n;
  const auto add = [&](std::string_view name, const Real* rows, std::size_t first, std::size_t columns) {
    const std::vector<Real> values = columns_of(rows, n, first, columns);
    zip.add(name, columns == 1 ? npy_header(type, {n}) : npy_header(type, {n, columns}),
            std::as_bytes(std::span(values)));
  };
  add("position.npy", position, 0, 3);
  add("velocity.npy", velocity, 0, 3);
  add("mass.npy", position, 3, 1);
  if (layout.groups) {
    const auto* const group = reinterpret_cast<const std::byte*>(velocity + 4 * n);
    zip.add("group.npy", npy_header("|u1", {n}), std::span(group, n));
  }
}

class Npz : public States {
 public:
  Npz(const std::string& target, const StreamInfo& info, Opening opening)
      : States(target, info, opening, "archive", info.state_bytes / 2), fields_(info.fields) {}

 private:
  void write_file(const State& state, PartFile& file) const override {
    ZipWriter zip(file);
    const StateLayout& layout = state.layout;
    const std::string type = fmt::format("<f{}", layout.value_bytes());
    if (layout.kind == StateLayout::Kind::field) {
      const std::string header =
          npy_header(type, {static_cast<std::size_t>(layout.ny), static_cast<std::size_t>(layout.nx)});
      const std::size_t bytes = layout.field_values() * layout.value_bytes();
      for (std::size_t i = 0; i < fields_.size(); ++i)
        zip.add(fields_[i] + ".npy", header, std::span(state.values + i * bytes, bytes));
      if (layout.solid)
        zip.add("solid.npy",
                npy_header("|u1", {static_cast<std::size_t>(layout.ny), static_cast<std::size_t>(layout.nx)}),
                std::span(state.values + layout.values_bytes(), layout.field_values()));
    } else {
      visit_values(state, [&](const auto* values) { add_bodies(zip, layout, values, type); });
    }
    zip.finish();
  }

  std::vector<std::string> fields_;
};

}  // namespace

std::unique_ptr<Sink> open_npz(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  return std::make_unique<Npz>(target, info, opening);
}

}  // namespace simreel
