#include "source/slab_means.h"

#include <algorithm>

namespace simreel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }
std::size_t area(int width, int height) { return at(width) * at(height); }

// The samples of some rows of pixels as a table of their own, with cells counted from `origin`.
std::vector<std::int32_t> part_of(const std::vector<std::int32_t>& table, int first, int count, int origin) {
  const std::size_t all = table.size() / 4;
  std::vector<std::int32_t> part;
  for (std::size_t column = 0; column < 4; ++column)
    for (int i = first; i < first + count; ++i) part.push_back(table[column * all + at(i)] - (column < 2 ? origin : 0));
  return part;
}

template <class T>
void upload(const Executor& executor, const std::vector<T>& values, Buffer<T>& buffer) {
  buffer = Buffer<T>(executor, values.size());
  if (!values.empty()) buffer.upload(values.data());
}

}  // namespace

SlabMeans::SlabMeans(const Executor& executor, const Communicator& ranks, const std::vector<Domain>& domains)
    : executor_(executor), ranks_(ranks), domains_(domains) {}

std::size_t SlabMeans::bytes(int rank, int ranks, std::size_t row_bytes, int nx, int ny, Size pixels) {
  const double share = 1.0 / ranks + static_cast<double>(Domain::unit) / ny;  // of the grid, at most
  const std::size_t rows = at(rank == 0 ? pixels.height : static_cast<int>(std::min(share, 1.0) * pixels.height) + 2);
  const std::size_t seam = at(ny / pixels.height + 3) * row_bytes;
  return rows * at(pixels.width) * 2 * sizeof(double) + seam + means_scratch_bytes(nx) +
         (axis_table_size(pixels.width) + axis_table_size(pixels.height)) * sizeof(std::int32_t);
}

// Fills the tables if the picture has another size than before, which happens once per run.
void SlabMeans::place(int nx, Size pixels) {
  if (nx == nx_ && pixels == pixels_) return;
  executor_.wait();  // the old memory may still be in use
  const Domain& own = domains_[at(ranks_.rank())];
  const auto end_of = [](const Domain& domain) { return domain.first + domain.count; };
  std::vector<std::int32_t> columns(axis_table_size(pixels.width)), all(axis_table_size(pixels.height));
  fill_axis_table(nx, pixels.width, columns.data());
  fill_axis_table(own.whole, pixels.height, all.data());
  const std::int32_t* const first = all.data();
  const std::int32_t* const last = first + pixels.height;

  rows_.clear();
  seams_.clear();
  int next = 0;  // row of pixels
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    const int begin = next, end = end_of(domains_[at(rank)]);
    while (next < pixels.height && first[next] < end) ++next;
    rows_.push_back({begin, next});
    if (next > begin && last[next - 1] >= end) seams_.push_back({rank, {first[next - 1], last[next - 1] + 1}});
  }

  const Rows mine = rows_[at(ranks_.rank())];
  const auto seam = std::ranges::find(seams_, ranks_.rank(), &Seam::owner);
  seam_ = seam == seams_.end() ? Rows{} : seam->cells;
  const int whole_rows = mine.count() - (seam_.count() > 0);
  upload(executor_, columns, column_table_);
  upload(executor_, part_of(all, mine.first, whole_rows, own.start()), row_table_);
  upload(executor_, part_of(all, mine.end - 1, seam_.count() > 0, seam_.first), seam_table_);
  scratch_ = Buffer<std::byte>(executor_, means_scratch_bytes(nx));
  value_ = Buffer<double>(executor_, area(pixels.width, ranks_.rank() == 0 ? pixels.height : mine.count()));
  weight_ = {};
  seam_value_ = {};
  seam_cell_ = {};
  nx_ = nx;
  pixels_ = pixels;
}

// The cells of a seam that a rank has.
SlabMeans::Rows SlabMeans::own_part(const Seam& seam, int rank) const {
  const Domain& domain = domains_[at(rank)];
  return {std::max(seam.cells.first, domain.first), std::min(seam.cells.end, domain.first + domain.count)};
}

// `rows`: in memory, of this rank. `seam`: the rows of the seam that this rank owns.
template <class Value>
void SlabMeans::add_seams(const Value* rows, std::size_t pitch, Value* seam, std::vector<Transfer>& sends,
                          std::vector<Transfer>& receives) const {
  const auto add = [&](std::vector<Transfer>& transfers, int peer, Value* memory, int row, Rows cells) {
    if (cells.count() > 0)
      transfers.push_back({peer, memory + at(row) * pitch, at(cells.count()) * pitch * sizeof(Value)});
  };
  const int start = domains_[at(ranks_.rank())].start();
  for (const Seam& each : seams_) {
    const Rows mine = own_part(each, ranks_.rank());
    add(sends, each.owner, const_cast<Value*>(rows), mine.first - start, mine);
    if (each.owner != ranks_.rank()) continue;
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      const Rows theirs = own_part(each, rank);
      add(receives, rank, seam, theirs.first - each.cells.first, theirs);
    }
  }
}

AxisSamples SlabMeans::rows_at(const Buffer<std::int32_t>& table, int count) const {
  AxisSamples samples = axis_samples(domains_[0].whole, pixels_.height, nullptr);  // weights count in the whole grid
  samples.first = table.data();
  samples.last = samples.first + count;
  samples.first_weight = samples.last + count;
  samples.last_weight = samples.first_weight + count;
  samples.pixels = count;
  return samples;
}

template <class Real>
FieldMeans SlabMeans::find(const FieldView<Real>& part, Size pixels, double offset) {
  place(part.nx, pixels);
  if (part.cell && weight_.size() == 0) weight_ = Buffer<double>(executor_, value_.size());
  const std::size_t seam_values = at(seam_.count()) * part.pitch;
  if (seam_value_.size() != seam_values * sizeof(Real))
    seam_value_ = Buffer<std::byte>(executor_, seam_values * sizeof(Real));
  if (part.cell && seam_cell_.size() != seam_values) seam_cell_ = Buffer<std::byte>(executor_, seam_values);
  FieldView<Real> seam = part;
  seam.ny = seam_.count();
  seam.value = reinterpret_cast<const Real*>(seam_value_.data());
  if (part.cell) seam.cell = reinterpret_cast<const std::int8_t*>(seam_cell_.data());

  const Rows mine = rows_[at(ranks_.rank())];
  const AxisSamples columns = axis_samples(nx_, pixels_.width, column_table_.data());
  // Rows of pixels are stored from the top, and the seam is the uppermost of a rank.
  const std::size_t place = ranks_.rank() == 0 ? area(pixels_.width, pixels_.height - mine.end) : 0;
  const int seam_rows = seam_.count() > 0, whole_rows = mine.count() - seam_rows;
  const auto find_rows = [&](const FieldView<Real>& field, const Buffer<std::int32_t>& table, int first, int count) {
    const std::size_t start = place + area(pixels_.width, first);
    if (count > 0)
      find_means(executor_, field, columns, rows_at(table, count), offset, value_.data() + start,
                 part.cell ? weight_.data() + start : nullptr, scratch_.data());
  };
  // A GPU is busy with its own rows while the ranks meet for the seams.
  find_rows(part, row_table_, seam_rows, whole_rows);
  if (!seams_.empty()) {
    std::vector<Transfer> sends, receives;
    add_seams(part.value, part.pitch, const_cast<Real*>(seam.value), sends, receives);
    if (part.cell) add_seams(part.cell, part.pitch, const_cast<std::int8_t*>(seam.cell), sends, receives);
    ranks_.exchange(executor_, sends, receives);
  }
  find_rows(seam, seam_table_, 0, seam_rows);
  collect();
  const double total = 4.0 * nx_ * domains_[0].whole;
  return {value_.data(), part.cell ? weight_.data() : nullptr, pixels_.width, pixels_.height, total};
}

// Brings the rows of all ranks to their places on rank 0.
void SlabMeans::collect() {
  std::vector<Transfer> sends, receives;
  for (Buffer<double>* numbers : {&value_, &weight_}) {
    if (numbers->size() == 0) continue;
    if (ranks_.rank() > 0)
      sends.push_back({0, numbers->data(), numbers->bytes()});
    else
      for (int rank = 1; rank < ranks_.size(); ++rank)
        if (const Rows rows = rows_[at(rank)]; rows.count() > 0)
          receives.push_back({rank, numbers->data() + area(pixels_.width, pixels_.height - rows.end),
                              area(pixels_.width, rows.count()) * sizeof(double)});
  }
  ranks_.exchange(executor_, sends, receives);
}

template FieldMeans SlabMeans::find(const FieldView<float>&, Size, double);
template FieldMeans SlabMeans::find(const FieldView<double>&, Size, double);

}  // namespace simreel
