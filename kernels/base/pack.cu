#include "kernels/base/pack.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "kernels/base/launch.h"

namespace simreel {
namespace {

template <class T>
struct PackRows {
  const T* from;
  std::size_t pitch;
  T* to;
  std::size_t nx;

  HD void operator()(int x, int y) const {
    const std::size_t row = static_cast<std::size_t>(y), column = static_cast<std::size_t>(x);
    to[row * nx + column] = from[row * pitch + column];
  }
};

// Elements that are contiguous already, in rows short enough for an int.
template <class T>
struct PackList {
  static constexpr int row = 1 << 20;
  const T* from;
  T* to;
  std::size_t count;

  HD void operator()(int x, int y) const {
    const std::size_t i = static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x);
    if (i < count) to[i] = from[i];
  }
};

struct PackSolid {
  const std::int8_t* cell;
  std::size_t pitch;
  std::uint8_t* to;
  std::size_t nx;

  HD void operator()(int x, int y) const {
    const std::size_t row = static_cast<std::size_t>(y), column = static_cast<std::size_t>(x);
    to[row * nx + column] = cell[row * pitch + column] < 0 ? 1 : 0;
  }
};

template <class Real>
bool solid_cells(const Executor& executor, const FieldView<Real>& field, std::byte* to) {
  if (!field.cell) return false;
  parallel_for(
      executor, "pack the solid cells", {field.nx, field.ny},
      PackSolid{field.cell, field.pitch, reinterpret_cast<std::uint8_t*>(to), static_cast<std::size_t>(field.nx)});
  return true;
}
template <class Real>
bool solid_cells(const Executor&, const ParticlesView<Real>&, std::byte*) {
  return false;
}

template <class T>
void pack_rows(const Executor& executor, const char* name, Extent extent, std::size_t pitch, const T* from, T* to) {
  parallel_for(executor, name, extent, PackRows<T>{from, pitch, to, static_cast<std::size_t>(extent.nx)});
}

template <class T>
void pack_list(const Executor& executor, const T* from, T* to, std::size_t count) {
  constexpr std::size_t row = PackList<T>::row;
  const Extent extent = {static_cast<int>(std::min(count, row)), static_cast<int>((count + row - 1) / row)};
  parallel_for(executor, "pack the bodies", extent, PackList<T>{from, to, count});
}

template <class Real>
StateLayout layout_of(const FieldView<Real>& field) {
  return {StateLayout::Kind::field, std::is_same_v<Real, double>, field.nx, field.ny, 0, false};
}
template <class Real>
StateLayout layout_of(const ParticlesView<Real>& bodies) {
  return {StateLayout::Kind::bodies, std::is_same_v<Real, double>, 0, 0, bodies.count, bodies.group != nullptr};
}

template <class Real>
void pack(const Executor& executor, const FieldView<Real>& field, std::byte* to) {
  pack_rows(executor, "pack the field", {field.nx, field.ny}, field.pitch, field.value, reinterpret_cast<Real*>(to));
}
template <class Real>
void pack(const Executor& executor, const ParticlesView<Real>& bodies, std::byte* to) {
  auto* const position = reinterpret_cast<Vec4<Real>*>(to);
  pack_list(executor, bodies.position, position, bodies.count);
  pack_list(executor, bodies.velocity, position + bodies.count, bodies.count);
  if (bodies.group)
    pack_list(executor, bodies.group, reinterpret_cast<std::uint8_t*>(position + 2 * bodies.count), bodies.count);
}

}  // namespace

StateLayout state_layout(const View& view) {
  return std::visit([](const auto& v) { return layout_of(v); }, view);
}

bool pack_solid(const Executor& executor, const View& view, std::byte* to) {
  return std::visit([&](const auto& v) { return solid_cells(executor, v, to); }, view);
}

void pack_cells(const Executor& executor, const View& view, std::int8_t* to) {
  const auto pack = [&]<class Real>(const FieldView<Real>& field) {
    if (field.cell) pack_rows(executor, "pack the cells", {field.nx, field.ny}, field.pitch, field.cell, to);
  };
  if (const auto* single = std::get_if<FieldView<float>>(&view)) pack(*single);
  if (const auto* twice = std::get_if<FieldView<double>>(&view)) pack(*twice);
}

void pack_view(const Executor& executor, const View& view, std::byte* to) {
  std::visit([&](const auto& v) { pack(executor, v, to); }, view);
}

}  // namespace simreel
