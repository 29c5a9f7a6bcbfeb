#include "ranks/slab.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace simreel {

int halo_rows(Backend backend, std::array<int, 2> grid, int ranks, int min, int max, double cells) {
  const int own = grid[1] / ranks;
  const int rows = backend == Backend::cuda
                       ? std::min(own / 4, static_cast<int>(std::min<double>(max, std::sqrt(cells / 2 / grid[0]))))
                       : own / 128;
  return std::clamp(rows / min * min, min, max);
}

Slab::Slab(const Executor& executor, const Communicator& ranks, int rows, int halo, bool wraps)
    : executor_(executor),
      ranks_(ranks),
      domains_(Domain::cut(rows, ranks.size(), halo, wraps)),
      domain_(domains_[static_cast<std::size_t>(ranks.rank())]),
      runs_(halo_runs(domains_, ranks.rank())),
      halo_(halo) {}

void Slab::exchange(const Executor& executor, const Rows& memory) {
  std::vector<Transfer> sends, receives;
  for (const RowRun& run : runs_.sends) memory(run, sends);
  for (const RowRun& run : runs_.receives) memory(run, receives);
  ranks_.exchange(executor, sends, receives);
  valid_ = halo_;
}

void Slab::refresh(int rows, const Rows& memory) {
  if (!alone() && valid_ < rows) exchange(executor_, memory);
}

void Slab::advance(int rows, const Rows& memory, const Pass& pass) {
  if (alone() || valid_ >= rows || executor_.backend() == Backend::cpu) {
    refresh(rows, memory);
    pass(executor_, Share::all);
  } else {
    // Of high priority: else copies would wait for a place until the inner tiles end.
    if (!beside_) beside_.emplace(executor_.beside(Priority::high));
    executor_.record(begun_);
    beside_->wait_for(begun_);
    pass(executor_, Share::inner);
    exchange(*beside_, memory);
    pass(*beside_, Share::outer);
    beside_->record(done_);
    executor_.wait_for(done_);
  }
  consume(rows);
}

const void* Slab::gather(const void* part, std::size_t row_bytes, Buffer<std::byte>& whole) {
  auto* const own =
      static_cast<std::byte*>(const_cast<void*>(part)) + static_cast<std::size_t>(domain_.below) * row_bytes;
  const Transfer send{0, own, static_cast<std::size_t>(domain_.count) * row_bytes};
  std::vector<Transfer> receives;
  if (is_first()) {
    const std::size_t bytes = static_cast<std::size_t>(domain_.whole) * row_bytes;
    if (whole.size() != bytes) whole = Buffer<std::byte>(executor_, bytes);
    for (std::size_t rank = 0; rank < domains_.size(); ++rank)
      receives.push_back({static_cast<int>(rank),
                          whole.data() + static_cast<std::size_t>(domains_[rank].first) * row_bytes,
                          static_cast<std::size_t>(domains_[rank].count) * row_bytes});
  }
  ranks_.exchange(executor_, {&send, 1}, receives);
  return is_first() ? whole.data() : part;
}

void Slab::save(Checkpoint& checkpoint, std::string_view name, std::size_t bytes, std::span<const Piece> pieces) const {
  if (checkpoint.keeps_pieces()) return checkpoint.save_pieces(executor_, name, bytes, pieces);
  ranks_.collect(executor_, pieces, is_first() ? checkpoint.resized(name, bytes).data() : nullptr);
}

void Slab::load(const Checkpoint& checkpoint, std::string_view name, std::size_t bytes,
                std::span<const Piece> pieces) const {
  checkpoint.load_pieces(executor_, name, bytes, pieces);
}

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
