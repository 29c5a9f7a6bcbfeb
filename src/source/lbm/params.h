#pragma once
// What the kernels of a flow take of its options.

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/base/half.h"
#include "kernels/lbm/heat.h"
#include "kernels/lbm/lbm.h"
#include "kernels/lbm/phases.h"
#include "ranks/slab.h"
#include "source/lbm/options.h"
#include "source/obstacles/obstacles.h"
#include "source/source.h"

namespace simreel {

// Of the whole grid, in the layout in which states are saved.
template <class Real, class Stored>
LbmParams<Real> lbm_params(const LbmOptions& o) {
  LbmParams<Real> p;
  p.nx = o.grid[0];
  p.ny = o.grid[1];
  lbm_layout(p, sizeof(Stored), Backend::cpu);
  if (o.heat.on) p.planes += lbm_heat_planes;
  if (o.phases.on) p.planes += lbm_phases_planes;
  lbm_set_rates(p, o.collision, o.viscosity, o.magic);
  if (o.smagorinsky > 0) {
    p.model = LbmModel::central_eddies;
    p.eddies = static_cast<Real>(18 * o.smagorinsky * o.smagorinsky);
  }
  p.force_x = static_cast<Real>(o.force[0]);
  p.force_y = static_cast<Real>(o.force[1]);
  p.left = o.left;
  p.right = o.right;
  p.bottom = o.bottom;
  p.top = o.top;
  p.velocity = static_cast<Real>(o.velocity);
  for (std::size_t side = 0; side < 4; ++side) p.slide[side] = static_cast<Real>(o.slide[side]);
  p.parabolic = o.parabolic;
  p.outlet = o.outlet;
  p.layer = o.layer;
  return p;
}

// The unit roundoff of stored populations.
template <class Stored>
inline constexpr double roundoff = 0x1p-24;
template <>
inline constexpr double roundoff<double> = 0x1p-53;
template <>
inline constexpr double roundoff<Half> = 0x1p-11;

// Steps between samples of the lift, from the number of steps in which the flow passes the body. Strouhal numbers are
// at most 0.5, so a period has at least twenty samples. Even, so that steps can be computed in pairs.
inline std::int64_t lift_sampling_interval(double passing) {
  return std::max<std::int64_t>(2, 2 * static_cast<std::int64_t>(std::min(passing, 1e9) / 20));
}

// Rows that a rank keeps of its neighbours: enough for several steps, of which each takes one row, and two with dye.
inline int lbm_halo(const Executor& executor, std::array<int, 2> grid, int ranks, bool dye) {
  constexpr double cells_an_exchange = 3e6;  // on H200s: 33 microseconds
  return halo_rows(executor.backend(), grid, ranks, dye ? 8 : 4, 32, cells_an_exchange);
}

// What [view] calls the fields of a flow, by LbmField. Only flows with dye have the tracer, those with heat the
// temperature, and those of two phases the phase.
inline constexpr auto lbm_fields = [] {
  std::array<FieldInfo, static_cast<std::size_t>(LbmField::phase) + 1> fields;
  const auto field = [&](LbmField which) -> FieldInfo& { return fields[static_cast<std::size_t>(which)]; };
  field(LbmField::speed) = {.name = "speed", .unit = "cells/step", .colormap = "inferno"};
  field(LbmField::ux) = {.name = "ux", .unit = "cells/step", .has_sign = true};
  field(LbmField::uy) = {.name = "uy", .unit = "cells/step", .has_sign = true};
  field(LbmField::vorticity) = {.name = "vorticity", .unit = "1/step", .has_sign = true};
  field(LbmField::density) = {.name = "density", .unit = ""};
  field(LbmField::tracer) = {.name = "tracer", .unit = "", .colormap = "inferno"};
  field(LbmField::temperature) = {.name = "temperature", .unit = "", .colormap = "coolwarm"};
  field(LbmField::phase) = {.name = "phase", .unit = "", .colormap = "ice"};
  return fields;
}();
static_assert(std::ranges::none_of(lbm_fields, [](const FieldInfo& field) { return field.name.empty(); }));
inline std::vector<FieldInfo> lbm_fields_of(bool dye, bool heat, bool phases) {
  std::vector<FieldInfo> fields;
  for (std::size_t i = 0; i < lbm_fields.size(); ++i)
    if ((dye || i != static_cast<std::size_t>(LbmField::tracer)) &&
        (heat || i != static_cast<std::size_t>(LbmField::temperature)) &&
        (phases || i != static_cast<std::size_t>(LbmField::phase)))
      fields.push_back(lbm_fields[i]);
  return fields;
}

// The layer of raised viscosity before outlets.
// Marks the fluid cells of the layer as `lbm_layer` and lists them beside the edges. Does nothing without a layer.
template <class Real>
void mark_layer(LbmGeometry& geometry, const LbmParams<Real>& p) {
  if (p.layer == 0) return;
  const auto within = [&](int k, int n, LbmSide low, LbmSide high) {
    return (low == LbmSide::outlet && k < p.layer) || (high == LbmSide::outlet && k >= n - p.layer);
  };
  geometry.edge.clear();
  for (int y = 0; y < p.ny; ++y) {
    const bool row = within(y, p.ny, p.bottom, p.top);
    for (int x = 0; x < p.nx; ++x) {
      const std::size_t place = static_cast<std::size_t>(y) * p.pitch + static_cast<std::size_t>(x);
      std::int8_t& kind = geometry.cell[place];
      if (kind < 0) continue;
      if (row || within(x, p.nx, p.left, p.right)) kind = static_cast<std::int8_t>(kind | lbm_layer);
      if (kind != lbm_plain) geometry.edge.push_back(static_cast<std::uint32_t>(place));
    }
  }
}

// An upper bound of the cells that it adds to the list.
template <class Real>
std::size_t layer_cells(const LbmParams<Real>& p) {
  const auto outlets = [](LbmSide low, LbmSide high) {
    return static_cast<std::size_t>((low == LbmSide::outlet) + (high == LbmSide::outlet));
  };
  return static_cast<std::size_t>(p.layer) * (outlets(p.left, p.right) * static_cast<std::size_t>(p.ny) +
                                              outlets(p.bottom, p.top) * static_cast<std::size_t>(p.nx));
}

}  // namespace simreel
