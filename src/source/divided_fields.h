#pragma once
// Fields that lie on several ranks: what all of them find out together, so that none needs the whole of a field. All
// ranks make the same calls in the same order, and rank 0 gets the answers.

#include <optional>
#include <string_view>

#include "base/pixels.h"
#include "kernels/base/field_means.h"
#include "kernels/base/field_range.h"

namespace simreel {

class DividedFields {
 public:
  virtual ~DividedFields() = default;

  // The means, less `offset`, over the pixels of a picture with fewer columns and rows than the grid. Valid until the
  // next call. Asynchronous on a GPU.
  virtual FieldMeans means(std::string_view field, Size pixels, double offset) = 0;

  // As find_extremes and find_spread of the whole field. Wait.
  virtual Extremes<double> extremes(std::string_view field) = 0;
  virtual Spread spread(std::string_view field) = 0;
};

// What a run takes of the fields, beside measuring them.
struct ShownFields {
  bool whole = false;              // the fields themselves
  std::optional<Size> means = {};  // over at most so many pixels
};

}  // namespace simreel
