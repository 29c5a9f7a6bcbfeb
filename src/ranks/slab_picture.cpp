#include "ranks/slab_picture.h"

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

}  // namespace

SlabPicture::SlabPicture(const Executor& executor, const Communicator& ranks, const std::vector<Domain>& domains)
    : executor_(executor), ranks_(ranks), domains_(domains) {}

std::size_t SlabPicture::bytes(int rank, int ranks, std::size_t row_bytes, int nx, int ny,
                               const ViewRequirements& shown) {
  const Size pixels = *shown.picture;
  const double own = static_cast<double>(ny) / ranks + Domain::unit;  // rows of cells, at most
  const double share = own / (shown.rows > 0 ? shown.rows : ny);
  const std::size_t rows =
      at(rank == 0 ? 2 * pixels.height : static_cast<int>(std::min(share, 1.0) * pixels.height) + 2);
  const std::size_t seam = at(ny / pixels.height + 3) * row_bytes;
  return rows * at(pixels.width) * (sizeof(Color) + sizeof(DeepColor)) + seam + means_scratch_bytes(nx) +
         (axis_table_size(pixels.width) + axis_table_size(pixels.height)) * sizeof(std::int32_t) +
         shown.colors * sizeof(Color);
}

// Fills the tables if the picture has another size than before, which happens once per run.
void SlabPicture::place(const FieldPicture& picture) {
  const Rectangle& part = picture.part;
  const Size pixels = picture.size;
  if (part == part_ && picture.columns == shown_x_ && picture.rows == shown_y_ && pixels == pixels_) return;
  executor_.wait();  // the old memory may still be in use, by the others only before the last `join`
  const Domain& own = domains_[at(ranks_.rank())];
  const auto end_of = [&](const Domain& domain) { return domain.first + domain.count - part.y; };
  std::vector<std::int32_t> columns(axis_table_size(pixels.width)), all(axis_table_size(pixels.height));
  fill_axis_table(picture.columns, pixels.width, columns.data());
  fill_axis_table(picture.rows, pixels.height, all.data());
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
  column_table_ = Buffer(executor_, columns);
  row_table_ = Buffer(executor_, part_of(all, mine.first, whole_rows, own.start() - part.y));
  seam_table_ = Buffer(executor_, part_of(all, mine.end - 1, seam_.count() > 0, seam_.first));
  scratch_ = Buffer<std::byte>(executor_, means_scratch_bytes(part.width));
  together_ = ranks_.reach_first(executor_);
  turn_ = 0;
  shallow_ = {};
  deep_ = {};
  seam_value_ = {};
  seam_cell_ = {};
  part_ = part;
  shown_x_ = picture.columns, shown_y_ = picture.rows;
  pixels_ = pixels;
}

template <class Pixel>
void SlabPicture::lay(Sheet<Pixel>& sheet) {
  if (sheet.pictures) return;
  const int own = together_ ? 0 : rows_[at(ranks_.rank())].count();
  const int rows = ranks_.rank() > 0 ? own : together_ ? 2 * pixels_.height : pixels_.height;
  sheet.memory = Buffer<Pixel>(executor_, area(pixels_.width, rows));
  sheet.pictures = sheet.memory.data();
  if (together_) ranks_.broadcast(&sheet.pictures, sizeof(Pixel*));
}

// On ranks that draw in a whole picture: that of this turn.
template <class Pixel>
Pixel* SlabPicture::picture_of(const Sheet<Pixel>& sheet) const {
  return sheet.pictures + at(turn_) * area(pixels_.width, pixels_.height);
}

// The rows of a rank, of which others than rank 0 may have their own only. They are stored from the top.
template <class Pixel>
Pixel* SlabPicture::rows_of(const Sheet<Pixel>& sheet, int rank) const {
  if (ranks_.rank() > 0 && !together_) return sheet.pictures;
  return picture_of(sheet) + area(pixels_.width, pixels_.height - rows_[at(rank)].end);
}

// The cells of a seam that a rank has.
SlabPicture::Rows SlabPicture::own_part(const Seam& seam, int rank) const {
  const Domain& domain = domains_[at(rank)];
  const int first = domain.first - part_.y;
  return {std::max(seam.cells.first, first), std::min(seam.cells.end, first + domain.count)};
}

// `rows`: in memory, of this rank. `seam`: the rows of the seam that this rank owns.
template <class Value>
void SlabPicture::add_seams(const Value* rows, std::size_t pitch, Value* seam, std::vector<Transfer>& sends,
                            std::vector<Transfer>& receives) const {
  const auto add = [&](std::vector<Transfer>& transfers, int peer, Value* memory, int row, Rows cells) {
    if (cells.count() > 0)
      transfers.push_back({peer, memory + at(row) * pitch, at(cells.count()) * pitch * sizeof(Value)});
  };
  const int start = domains_[at(ranks_.rank())].start() - part_.y;
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

AxisSamples SlabPicture::rows_at(const Buffer<std::int32_t>& table, int count) const {
  AxisSamples samples = axis_samples(shown_y_, pixels_.height, nullptr);  // weights count in the whole part
  samples.first = table.data();
  samples.last = samples.first + count;
  samples.first_weight = samples.last + count;
  samples.last_weight = samples.first_weight + count;
  samples.pixels = count;
  return samples;
}

void SlabPicture::set_colors(std::span<const Color> colors) {
  executor_.wait();  // the old ones may still be in use
  if (colors_.size() != colors.size()) colors_ = Buffer<Color>(executor_, colors.size());
  colors_.upload(colors.data());
}

template <class Real>
FieldRows SlabPicture::draw(const FieldView<Real>& part, const FieldPicture& picture) {
  place(picture);
  if (picture.shallow) lay(shallow_);
  if (picture.deep) lay(deep_);
  if (together_) turn_ = 1 - turn_;
  const std::size_t seam_values = at(seam_.count()) * part.pitch;
  if (seam_value_.size() != seam_values * sizeof(Real))
    seam_value_ = Buffer<std::byte>(executor_, seam_values * sizeof(Real));
  if (part.cell && seam_cell_.size() != seam_values) seam_cell_ = Buffer<std::byte>(executor_, seam_values);
  FieldView<Real> seam = part;
  seam.ny = seam_.count();
  seam.value = reinterpret_cast<const Real*>(seam_value_.data());
  if (part.cell) seam.cell = reinterpret_cast<const std::int8_t*>(seam_cell_.data());

  ColorScale scale = picture.scale;
  scale.colors = colors_.data();
  const AxisSamples columns = axis_samples(shown_x_, pixels_.width, column_table_.data());
  const int rank = ranks_.rank(), seam_rows = seam_.count() > 0, whole_rows = rows_[at(rank)].count() - seam_rows;
  const auto draw_part = [&](FieldView<Real> field, const Buffer<std::int32_t>& table, int above, int count) {
    if (count == 0) return;
    field.value += part_.x;
    if (field.cell) field.cell += part_.x;
    field.nx = part_.width;
    const AxisSamples rows = rows_at(table, count);
    const auto draw_to = [&](const auto& sheet) {
      draw_rows(executor_, field, columns, rows, scale, rows_of(sheet, rank) + area(pixels_.width, above),
                scratch_.data());
    };
    if (picture.shallow) draw_to(shallow_);
    if (picture.deep) draw_to(deep_);
  };
  // A GPU is busy with its own rows while the ranks meet for the seams.
  draw_part(part, row_table_, seam_rows, whole_rows);
  if (!seams_.empty()) {
    std::vector<Transfer> sends, receives;
    add_seams(part.value, part.pitch, const_cast<Real*>(seam.value), sends, receives);
    if (part.cell) add_seams(part.cell, part.pitch, const_cast<std::int8_t*>(seam.cell), sends, receives);
    ranks_.exchange(executor_, sends, receives);
  }
  draw_part(seam, seam_table_, 0, seam_rows);  // the uppermost of a rank

  if (together_) {
    ranks_.join(executor_);
  } else {
    std::vector<Transfer> sends, receives;
    if (picture.shallow) add_rows(shallow_, sends, receives);
    if (picture.deep) add_rows(deep_, sends, receives);
    ranks_.exchange(executor_, sends, receives);
  }
  return {picture.size, picture.shallow ? picture_of(shallow_) : nullptr, picture.deep ? picture_of(deep_) : nullptr};
}

// Those of all ranks, to their places on rank 0.
template <class Pixel>
void SlabPicture::add_rows(const Sheet<Pixel>& sheet, std::vector<Transfer>& sends,
                           std::vector<Transfer>& receives) const {
  const auto add = [&](std::vector<Transfer>& transfers, int peer, int rank) {
    if (const std::size_t pixels = area(pixels_.width, rows_[at(rank)].count()); pixels > 0)
      transfers.push_back({peer, rows_of(sheet, rank), pixels * sizeof(Pixel)});
  };
  if (ranks_.rank() > 0) return add(sends, 0, ranks_.rank());
  for (int rank = 1; rank < ranks_.size(); ++rank) add(receives, rank, rank);
}

template FieldRows SlabPicture::draw(const FieldView<float>&, const FieldPicture&);
template FieldRows SlabPicture::draw(const FieldView<double>&, const FieldPicture&);

}  // namespace simreel
