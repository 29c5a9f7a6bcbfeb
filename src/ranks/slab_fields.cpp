#include "ranks/slab_fields.h"

#include <algorithm>
#include <utility>

namespace simreel {
namespace {

std::size_t measure_bytes(int nx, int ny) {
  return std::max(extremes_scratch_bytes(nx, ny), spread_scratch_bytes(nx, ny));
}

}  // namespace

template <class Real>
SlabFields<Real>::SlabFields(const Executor& executor, const Communicator& ranks, const Slab& slab, Part part)
    : executor_(executor), slab_(slab), part_(std::move(part)), picture_(executor, ranks, slab.domains()) {}

template <class Real>
Extremes<double> SlabFields<Real>::extremes(std::string_view field) {
  const FieldView<Real> part = part_(field);
  const auto [low, high] = find_extremes(executor_, part, slab_.own_rows(), slab_.domain().whole, scratch(part.nx));
  return {low, high};
}

template <class Real>
Spread SlabFields<Real>::spread(std::string_view field) {
  const FieldView<Real> part = part_(field);
  return find_spread(executor_, part, slab_.own_rows(), slab_.domain().whole, scratch(part.nx));
}

template <class Real>
void* SlabFields<Real>::scratch(int nx) {
  if (scratch_.size() == 0) scratch_ = Buffer<std::byte>(executor_, measure_bytes(nx, slab_.domain().whole));
  return scratch_.data();
}

std::size_t shown_bytes(int rank, int ranks, std::size_t row_bytes, int nx, int ny, const ViewRequirements& shown) {
  if (ranks == 1 || !(shown.whole || shown.picture)) return 0;
  return measure_bytes(nx, ny) + (shown.whole && rank == 0 ? row_bytes * static_cast<std::size_t>(ny) : 0) +
         (shown.picture ? SlabPicture::bytes(rank, ranks, row_bytes, nx, ny, shown) : 0);
}

template class SlabFields<float>;
template class SlabFields<double>;

}  // namespace simreel
