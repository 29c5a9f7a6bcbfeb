#pragma once
// The part of a grid that a rank's solver has in memory, and what ranks do together with it: exchange halos, hand a
// field to rank 0, save and load. Alone all of it is free.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "exec/buffer.h"
#include "exec/communicator.h"
#include "exec/domain.h"
#include "kernels/base/reduce.h"
#include "kernels/base/share.h"
#include "kernels/base/view.h"
#include "ranks/divided_fields.h"
#include "ranks/slab_picture.h"

namespace simreel {

class Slab {
 public:
  // The part of `ranks.rank()` of a grid of so many rows. The executor and `ranks` must outlive it.
  Slab(const Executor&, const Communicator& ranks, int rows, int halo, bool wraps);

  const Domain& domain() const { return domain_; }
  const std::vector<Domain>& domains() const { return domains_; }  // of all ranks
  bool alone() const { return ranks_.alone(); }
  bool is_first() const { return ranks_.rank() == 0; }
  OwnRows own_rows() const { return {domain_.below, domain_.count, &ranks_}; }

  // Adds the memory of a run of rows to a list of transfers.
  using Rows = std::function<void(const RowRun&, std::vector<Transfer>&)>;

  // To be called before work that reads so many rows (at most the halo) beyond the own ones; work that computes
  // `count` rows less than it read is then reported to `consume`. Exchanges all of the halo if too little is valid.
  void refresh(int rows, const Rows& memory);
  void consume(int rows) { valid_ -= alone() ? 0 : rows; }  // alone it would overflow in the end
  // The same for a pass that reads `rows` rows beyond those that it computes. pass(executor, share) submits it: if GPUs
  // exchange, in two shares, which may run at once. It must not write what `memory` names, because other ranks read
  // that while the inner share runs.
  using Pass = std::function<void(const Executor&, Share)>;
  void advance(int rows, const Rows& memory, const Pass& pass);
  // What rank 0 says.
  bool as_first(bool own) const {
    ranks_.broadcast(&own, sizeof own);
    return own;
  }
  int halo() const { return halo_; }
  // The rows of the halo that are still valid.
  int valid() const { return valid_; }
  // The state was set from outside, own rows only.
  void invalidate() { valid_ = 0; }

  // The whole field on rank 0, from those of all ranks, which must have the same pitch; on the others, the given one.
  // Valid until the next call. Solid cells are taken to be the same in all calls.
  template <class Real>
  FieldView<Real> whole(FieldView<Real> part) {
    if (alone()) return part;
    part.value = static_cast<const Real*>(gather(part.value, part.pitch * sizeof(Real), whole_));
    if (part.cell && !has_cells_) gather(part.cell, part.pitch, whole_cell_);
    has_cells_ = part.cell != nullptr;
    if (part.cell && is_first()) part.cell = reinterpret_cast<const std::int8_t*>(whole_cell_.data());
    part.ny = is_first() ? domain_.whole : part.ny;
    return part;
  }

  // Saves an array of `bytes` bytes, of which this rank has these pieces, under a name, in the checkpoint of rank 0;
  // the others' is not used, unless it keeps pieces. `load` reads the pieces from the whole array.
  void save(Checkpoint&, std::string_view name, std::size_t bytes, std::span<const Piece>) const;
  void load(const Checkpoint&, std::string_view name, std::size_t bytes, std::span<const Piece>) const;

 private:
  // Returns `whole` of rank 0, filled, or `part` on the others.
  const void* gather(const void* part, std::size_t row_bytes, Buffer<std::byte>& whole);
  void exchange(const Executor&, const Rows& memory);

  const Executor& executor_;
  const Communicator& ranks_;
  std::vector<Domain> domains_;  // of all ranks
  Domain domain_;
  HaloRuns runs_;
  int halo_;
  int valid_ = 0;
  std::optional<Executor> beside_;        // of `advance`: exchanges and outer shares
  Event begun_, done_;                    // before and after that work
  Buffer<std::byte> whole_, whole_cell_;  // of `whole`, on rank 0
  bool has_cells_ = false;                // whole_cell_ was gathered
};

// Rows of a halo of which work reads `min` at a time: a multiple of that, `max` at most, and `min` in any case.
// Deeper halos are exchanged less often, but are computed, too: with h rows an exchange is due every h steps, and
// about 2 h rows of `columns` cells are added to each. If it takes as long as `cells` cells on a GPU, h = sqrt(cells /
// 2 columns) costs least; a rank of average size has no halo deeper than a quarter of its rows there. On a CPU both
// halos together may have a 64th of its rows.
int halo_rows(Backend, std::array<int, 2> grid, int ranks, int min, int max, double cells);

// The memory of a run in an array of rows that follow each other.
template <class T>
Transfer rows_of(const RowRun& run, T* array, std::size_t pitch) {
  return {run.peer, array + static_cast<std::size_t>(run.row) * pitch,
          static_cast<std::size_t>(run.count) * pitch * sizeof(T)};
}
// The own rows of such an array, and their place in that of the whole grid.
template <class T>
Piece own_piece(const Domain& domain, T* array, std::size_t pitch) {
  const std::size_t row_bytes = pitch * sizeof(T);
  return {array + static_cast<std::size_t>(domain.below) * pitch, static_cast<std::size_t>(domain.first) * row_bytes,
          static_cast<std::size_t>(domain.count) * row_bytes};
}

// DividedFields of a solver on a grid.

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
