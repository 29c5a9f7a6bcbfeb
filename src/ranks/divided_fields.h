#pragma once
// Fields that lie on several ranks: what all of them find out together, so that none needs the whole of a field. All
// ranks make the same calls in the same order, and rank 0 gets the answers.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/pixels.h"
#include "kernels/base/field_range.h"
#include "kernels/raster/field.h"

namespace simreel {

class DividedFields {
 public:
  virtual ~DividedFields() = default;

  // The colours of all pictures that are drawn from now on, in host memory: as many as their scales count, and the
  // three after the map (ColorScale::colors). Free if they are those of the call before, else it waits.
  virtual void set_colors(std::span<const Color>) = 0;
  // A picture with fewer columns and rows than the grid, after `set_colors`. Valid until the next picture. Asynchronous
  // on a GPU.
  virtual FieldRows draw(std::string_view field, const FieldPicture&) = 0;

  // As find_extremes and find_spread of the whole field. Wait.
  virtual Extremes<double> extremes(std::string_view field) = 0;
  virtual Spread spread(std::string_view field) = 0;
};

// What a run takes of the fields, besides measuring them.
struct ViewRequirements {
  bool whole = false;                // the fields themselves
  std::optional<Size> picture = {};  // drawn by the ranks, of so many pixels,
  std::size_t colors = 0;            // in so many colours,
  int rows = 0;                      // of so many rows of cells; 0: of all
};

}  // namespace simreel
