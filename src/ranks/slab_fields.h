#pragma once
// DividedFields of a solver on a grid.

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "exec/buffer.h"
#include "ranks/divided_fields.h"
#include "ranks/slab.h"
#include "ranks/slab_picture.h"

namespace simreel {

template <class Real>
class SlabFields final : public DividedFields {
 public:
  // `part`: the rows of a field that this rank has in memory, of which its own are valid. All must outlive it.
  using Part = std::function<FieldView<Real>(std::string_view field)>;
  SlabFields(const Executor&, const Communicator&, const Slab&, Part part);

  void set_colors(std::span<const Color> colors) override { picture_.set_colors(colors); }
  FieldRows draw(std::string_view field, const FieldPicture& picture) override {
    return picture_.draw(part_(field), picture);
  }
  Extremes<double> extremes(std::string_view field) override;
  Spread spread(std::string_view field) override;

 private:
  void* scratch(int nx);

  const Executor& executor_;
  const Slab& slab_;
  Part part_;
  SlabPicture picture_;
  Buffer<std::byte> scratch_;
};

// The executor memory that a rank of several needs besides its state to show fields of a grid of `nx` by `ny` cells.
// `row_bytes`: of a row of values and solid cells.
std::size_t shown_bytes(int rank, int ranks, std::size_t row_bytes, int nx, int ny, const ViewRequirements&);

}  // namespace simreel
