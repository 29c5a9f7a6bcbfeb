#pragma once
// The fields of a flow: LbmField -> what [view] calls it.

#include <algorithm>
#include <array>

#include "kernels/lbm/lbm.h"
#include "source/source.h"

namespace simreel {

// By LbmField. Only flows with dye have the last one, the tracer.
inline constexpr auto lbm_fields = [] {
  std::array<FieldInfo, static_cast<std::size_t>(LbmField::tracer) + 1> fields;
  const auto field = [&](LbmField which) -> FieldInfo& { return fields[static_cast<std::size_t>(which)]; };
  field(LbmField::speed) = {.name = "speed", .unit = "cells/step", .colormap = "inferno"};
  field(LbmField::ux) = {.name = "ux", .unit = "cells/step", .has_sign = true};
  field(LbmField::uy) = {.name = "uy", .unit = "cells/step", .has_sign = true};
  field(LbmField::vorticity) = {.name = "vorticity", .unit = "1/step", .has_sign = true};
  field(LbmField::density) = {.name = "density", .unit = ""};
  field(LbmField::tracer) = {.name = "tracer", .unit = "", .colormap = "inferno"};
  return fields;
}();
static_assert(std::ranges::none_of(lbm_fields, [](const FieldInfo& field) { return field.name.empty(); }));

}  // namespace simreel
