#include "sink/data/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "base/error.h"
#include "sink/data/states.h"

namespace simreel {
namespace {

template <class Real>
std::vector<std::array<Real, 7>> rows_of(const Real* position, std::size_t count) {
  std::vector<std::array<Real, 7>> rows(count);
  const Real* const velocity = position + 4 * count;
  for (std::size_t i = 0; i < count; ++i) {
    const Real *const p = position + 4 * i, *const v = velocity + 4 * i;
    rows[i] = {p[0], p[1], p[2], v[0], v[1], v[2], p[3]};
  }
  return rows;
}

class Npy : public States {
 public:
  Npy(const std::string& target, const StreamInfo& info, Opening opening)
      : States(target, info, opening, "array", info.state_bytes) {}

 private:
  void write_file(const State& state, PartFile& file) const override {
    const StateLayout& layout = state.layout;
    const std::string type = fmt::format("<f{}", layout.value_bytes());
    if (layout.kind == StateLayout::Kind::field) {
      file.write(npy_header(type, {static_cast<std::size_t>(layout.ny), static_cast<std::size_t>(layout.nx)}));
      return file.write(state.values, layout.values_bytes());
    }
    file.write(npy_header(type, {layout.count, 7}));
    visit_values(state, [&](const auto* values) {
      const auto rows = rows_of(values, layout.count);
      file.write(rows.data(), rows.size() * sizeof rows[0]);
    });
  }
};

}  // namespace

// Magic, version, length of what follows, a Python literal, spaces and a line end up to a multiple of 64 bytes.
std::string npy_header(std::string_view type, std::initializer_list<std::size_t> shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                                 fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t before = 10, unit = 64;
  text.append((unit - (before + text.size() + 1) % unit) % unit, ' ');
  text += '\n';
  const std::string length = {static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + length + text;
}

std::unique_ptr<Sink> open_npy(const std::string& target, const OutputOptions&, const StreamInfo& info,
                               Opening opening) {
  if (info.fields.size() > 1)
    throw UsageError("{}: a .npy file holds one array, but \"fields\" in [output] names {}; write {}.npz, or name one",
                     target, info.fields.size(), target.substr(0, target.size() - 4));
  return std::make_unique<Npy>(target, info, opening);
}

}  // namespace simreel
