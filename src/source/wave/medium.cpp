#include "source/wave/medium.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace simreel {
namespace {

constexpr int heard_steps = 512;  // for which the signals are computed at a time

constexpr const char* memory_names[] = {"layer_x_face", "layer_x_cell", "layer_y_face", "layer_y_cell"};

bool has_layer(const WaveOptions& o, std::size_t axis) {
  return wave_absorbs(o.sides[2 * axis]) || wave_absorbs(o.sides[2 * axis + 1]);
}

// Values of the memories along x, which a part has of its rows, and along y.
template <class Real>
std::array<std::size_t, 2> memory_values(const WaveOptions& o, const WaveParams<Real>& grid) {
  const std::size_t slots = 2 * static_cast<std::size_t>(o.layer);
  return {has_layer(o, 0) ? slots * static_cast<std::size_t>(grid.ny) : 0, has_layer(o, 1) ? slots * grid.pitch : 0};
}

// The bits of a cell at the sides that are of one kind: what the plain kernels do there.
std::uint8_t side_bits(WaveBoundary side, int direction) {
  if (wave_wraps(side)) return 0;
  return static_cast<std::uint8_t>(wave_is_even(side) ? direction : direction * wave_zero);
}
std::uint8_t edge_bits(const std::array<WaveBoundary, 4>& sides, int x, int y, int nx, int ny) {
  std::uint8_t bits = 0;
  if (x == 0) bits |= side_bits(sides[0], wave_west);
  if (x == nx - 1) bits |= side_bits(sides[1], wave_east);
  if (y == 0) bits |= side_bits(sides[2], wave_south);
  if (y == ny - 1) bits |= side_bits(sides[3], wave_north);
  return bits;
}

// The value that more than half of the others are, if there is one.
template <class Real>
Real most_common(const std::vector<Real>& values, std::size_t pitch, int nx, int ny) {
  Real candidate = 0;
  std::int64_t votes = 0;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      const Real value = values[static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x)];
      if (value == 0) continue;
      if (votes == 0) candidate = value;
      votes += value == candidate ? 1 : -1;
    }
  return candidate;
}

}  // namespace

template <class Real>
std::size_t Medium<Real>::saved_bytes(const WaveOptions& o, const WaveParams<Real>& grid) {
  const auto [along_x, along_y] = memory_values(o, grid);
  return 2 * (along_x + along_y) * sizeof(Real);
}

template <class Real>
std::size_t Medium<Real>::bytes(const Executor& executor, const WaveOptions& o, const WaveParams<Real>& grid) {
  const std::size_t cells = grid.pitch * static_cast<std::size_t>(grid.ny);
  std::size_t bytes = cells * (sizeof(Real) + 1 + (o.obstacles.empty() ? 0 : 1)) + 2 * saved_bytes(o, grid);
  if (o.kernel != WaveKernel::naive) bytes += WaveMediumPass<Real>::bytes(executor, o.layer);
  for (const WaveSourceOptions& source : o.sources)
    if (source.shape == SourceShape::formula) bytes += cells * (sizeof(WaveDriven) + sizeof(WaveShare<Real>));
  return bytes;
}

template <class Real>
Medium<Real>::Medium(const Executor& executor, const WaveOptions& options, const WaveParams<Real>& grid,
                     const Domain& domain, LbmGeometry geometry, std::uint64_t seed)
    : executor_(executor), options_(options), domain_(domain), geometry_(std::move(geometry)), seed_(seed) {
  const std::size_t cells = grid.pitch * static_cast<std::size_t>(grid.ny);
  const auto place = [&](int x, int y) {
    return static_cast<std::size_t>(y) * grid.pitch + static_cast<std::size_t>(x);
  };
  const bool solids = !geometry_.cell.empty();
  medium_.grid = grid;
  medium_.wraps_x = wave_wraps(options.sides[0]);
  medium_.wraps_y = wave_wraps(options.sides[2]) && domain.count == domain.whole;
  coupling_host_.assign(cells, Real(0));
  std::vector<double> speeds(static_cast<std::size_t>(grid.nx), options.speed);
  for (int y = 0; y < grid.ny; ++y) {
    const int row = domain.row_of_grid(y);
    if (!options.speeds.is_number()) options.speeds.row(row, speeds);
    for (int x = 0; x < grid.nx; ++x) {
      const double lambda = speeds[static_cast<std::size_t>(x)] * options.timestep / options.spacing;
      if (!solids || geometry_.cell[place(x, row)] >= 0)
        coupling_host_[place(x, y)] = static_cast<Real>(lambda * lambda);
    }
  }
  medium_.grid.coupling[0] = most_common(coupling_host_, grid.pitch, grid.nx, grid.ny);
  const auto layer = [&](std::size_t side) { return wave_absorbs(options.sides[side]) ? options.layer : 0; };
  medium_.layers = {layer(0), layer(1), layer(2), layer(3), options.layer, nullptr};
  set_links();

  coupling_ = Buffer(executor, coupling_host_);
  links_ = Buffer(executor, links_host_);
  medium_.coupling = coupling_.data();
  medium_.links = links_.data();
  if (solids) {
    std::vector<std::int8_t> rows(cells);
    for (int y = 0; y < grid.ny; ++y)
      std::copy_n(geometry_.cell.data() + place(0, domain.row_of_grid(y)), grid.pitch, rows.data() + place(0, y));
    cell_ = Buffer(executor, rows);
  }
  if (options.layer > 0) {
    const auto depths = wave_layer_depths<Real>(options.layer, options.courant_number());
    depth_ = Buffer(executor, depths);
    medium_.layers.depth = depth_.data();
    const auto weights = [&](int count, int low, int high) {
      const std::vector<double> layer_weights = wave_layer_weights(options.layer);
      std::vector<Real> values(static_cast<std::size_t>(count), Real(1));
      for (int q = 0; q < options.layer; ++q) {
        const auto weight = static_cast<Real>(layer_weights[static_cast<std::size_t>(q)]);
        if (q < low) values[static_cast<std::size_t>(q)] = weight;
        if (q < high) values[static_cast<std::size_t>(count - 1 - q)] = weight;
      }
      return values;
    };
    column_weights_ = Buffer(executor, weights(grid.nx, medium_.layers.left, medium_.layers.right));
    const std::vector<Real> all_rows = weights(grid.whole_ny, medium_.layers.bottom, medium_.layers.top);
    std::vector<Real> rows;
    for (int y = 0; y < grid.ny; ++y) rows.push_back(all_rows[static_cast<std::size_t>(domain.row_of_grid(y))]);
    row_weights_ = Buffer(executor, rows);
    const auto [along_x, along_y] = memory_values(options, grid);
    for (auto& turn : memory_)
      for (std::size_t i = 0; i < memories; ++i) {
        turn[i] = Buffer<Real>(executor, i < 2 ? along_x : along_y);
        turn[i].clear();
      }
  }
  moving_ = std::ranges::any_of(options.sources, [](const WaveSourceOptions& source) { return source.moves(); });
  if (!options.sources.empty()) {
    const std::size_t values = heard_steps * options.sources.size();
    values_ = Buffer<Real>(executor, values);
    hard_ = Buffer<std::uint8_t>(executor, values);
    place_sources(0);
  }
  if (options.kernel != WaveKernel::naive && !moving_ && WaveMediumPass<Real>::fits(executor, medium_))
    pass_ = std::make_unique<WaveMediumPass<Real>>(executor, medium_.grid, marks(), options.layer);
  std::vector<std::int8_t>().swap(geometry_.cell);
}

template <class Real>
void Medium<Real>::set_links() {
  const WaveParams<Real>& grid = medium_.grid;
  links_host_.assign(coupling_host_.size(), 0);
  const auto at = [&](int x, int y) { return static_cast<std::size_t>(y) * grid.pitch + static_cast<std::size_t>(x); };
  const bool wraps_y = wave_wraps(options_.sides[2]);
  // The bits, for the west, of a neighbour with a wall that is not fixed; rows of the whole grid.
  const auto wall_bits = [&](int x, int y) {
    if (geometry_.cell.empty()) return 0;
    if (medium_.wraps_x) x = (x + grid.nx) % grid.nx;
    if (wraps_y) y = (y + grid.whole_ny) % grid.whole_ny;
    if (x < 0 || x >= grid.nx || y < 0 || y >= grid.whole_ny) return 0;
    const std::int8_t cell = geometry_.cell[at(x, y)];
    const WaveWall wall = cell < 0 ? options_.walls[static_cast<std::size_t>(-1 - cell)] : WaveWall::fixed;
    return wall == WaveWall::fixed ? 0 : wall == WaveWall::free ? 1 : 1 + wave_zero;
  };
  for (int y = 0; y < grid.ny; ++y)
    for (int x = 0; x < grid.nx; ++x) {
      const int row = domain_.row_of_grid(y);
      std::uint8_t bits = edge_bits(options_.sides, x, row, grid.nx, grid.whole_ny);
      if (wall_bits(x, row) != 0) bits |= wave_west | wave_east | wave_south | wave_north;
      links_host_[at(x, y)] =
          static_cast<std::uint8_t>(bits | wall_bits(x - 1, row) * wave_west | wall_bits(x + 1, row) * wave_east |
                                    wall_bits(x, row - 1) * wave_south | wall_bits(x, row + 1) * wave_north);
    }
}

template <class Real>
WaveMarks Medium<Real>::marks() const {
  const WaveParams<Real>& grid = medium_.grid;
  WaveMarks marks;
  marks.nx = (grid.nx + wave_mark - 1) / wave_mark;
  marks.ny = (grid.ny + wave_mark - 1) / wave_mark;
  marks.wraps_x = medium_.wraps_x;
  marks.wraps_y = medium_.wraps_y;
  marks.marked.assign(static_cast<std::size_t>(marks.nx) * static_cast<std::size_t>(marks.ny), 0);
  const auto mark = [&](int x, int y) {
    marks.marked[static_cast<std::size_t>(y / wave_mark) * static_cast<std::size_t>(marks.nx) +
                 static_cast<std::size_t>(x / wave_mark)] = 1;
  };
  const std::array<WaveBoundary, 4> plain = {grid.boundary, grid.boundary, grid.boundary, grid.boundary};
  const WaveLayers<Real>& layers = medium_.layers;
  for (int y = 0; y < grid.ny; ++y)
    for (int x = 0; x < grid.nx; ++x) {
      const std::size_t k = static_cast<std::size_t>(y) * grid.pitch + static_cast<std::size_t>(x);
      const int row = domain_.row_of_grid(y);
      const bool in_layer =
          x < layers.left || x >= grid.nx - layers.right || row < layers.bottom || row >= grid.whole_ny - layers.top;
      if (in_layer || coupling_host_[k] != grid.coupling[0] ||
          links_host_[k] != edge_bits(plain, x, row, grid.nx, grid.whole_ny))
        mark(x, y);
    }
  std::vector<std::vector<int>> driven(static_cast<std::size_t>(grid.whole_ny));  // columns, by row of the grid
  for (const WaveSourceOptions& source : options_.sources)
    for (const WaveSourceCell& cell : wave_source_cells(source, grid.nx, grid.whole_ny, seed_, 0))
      driven[static_cast<std::size_t>(cell.y)].push_back(cell.x);
  for (int y = 0; y < grid.ny; ++y)
    for (const int x : driven[static_cast<std::size_t>(domain_.row_of_grid(y))]) mark(x, y);
  return marks;
}

// The cells that sources drive at a time, each once, by rows.
template <class Real>
void Medium<Real>::place_sources(double time) {
  const WaveParams<Real>& grid = medium_.grid;
  struct Entry {
    int y, x;  // of the whole grid
    std::uint32_t source;
    double weight;
  };
  std::vector<Entry> entries;
  for (std::size_t n = 0; n < options_.sources.size(); ++n)
    for (const WaveSourceCell& cell : wave_source_cells(options_.sources[n], grid.nx, grid.whole_ny, seed_, time))
      entries.push_back({cell.y, cell.x, static_cast<std::uint32_t>(n), cell.weight});
  std::ranges::stable_sort(entries, {}, [](const Entry& e) { return std::pair(e.y, e.x); });
  std::vector<WaveDriven> cells;
  std::vector<WaveShare<Real>> shares;
  std::vector<std::uint32_t> rows = {0};
  for (int y = 0; y < grid.ny; ++y) {
    for (const Entry& entry : std::ranges::equal_range(entries, domain_.row_of_grid(y), {}, &Entry::y)) {
      const double coupling =
          coupling_host_[static_cast<std::size_t>(y) * grid.pitch + static_cast<std::size_t>(entry.x)];
      if (coupling == 0) continue;
      if (cells.empty() || cells.back().x != entry.x || cells.back().y != y)
        cells.push_back({entry.x, y, static_cast<std::uint32_t>(shares.size()), 0});
      ++cells.back().count;
      // A straight line whose cells get 2 lambda times the change of a signal sends that signal to both sides.
      const bool soft = options_.sources[entry.source].mode == SourceMode::soft;
      const double factor = soft ? 2 * std::sqrt(coupling) : 1;
      shares.push_back({entry.source, static_cast<Real>(entry.weight * factor)});
    }
    rows.push_back(static_cast<std::uint32_t>(cells.size()));
  }
  const auto upload = [this](auto& buffer, const auto& values) {
    using Values = std::remove_reference_t<decltype(buffer)>;
    if (buffer.size() != values.size()) buffer = Values(executor_, values.size());
    buffer.upload(values.data());
  };
  upload(driven_cells_, cells);
  upload(driven_rows_, rows);
  upload(shares_, shares);
  medium_.drive.cells = driven_cells_.data();
  medium_.drive.row = driven_rows_.data();
  medium_.drive.shares = shares_.data();
  medium_.drive.count = static_cast<std::uint32_t>(cells.size());
  medium_.drive.sources = static_cast<std::uint32_t>(options_.sources.size());
}

// Sees to the values of the sources for these steps.
template <class Real>
void Medium<Real>::hear_sources(std::int64_t step, int steps) {
  const std::size_t count = options_.sources.size();
  if (step < heard_from_ || step + steps > heard_to_) {
    std::vector<Real> values(heard_steps * count);
    std::vector<std::uint8_t> hard(heard_steps * count, 0);
    for (std::size_t i = 0; i < heard_steps; ++i)
      for (std::size_t n = 0; n < count; ++n) {
        const WaveSourceOptions& source = options_.sources[n];
        const double time = (static_cast<double>(step) + static_cast<double>(i)) * options_.timestep;
        const double end = time + options_.timestep;
        const std::size_t place = i * count + n;
        if (source.mode == SourceMode::hard) {
          if (end < source.from || end > source.until) continue;  // the wave passes
          hard[place] = 1;
          values[place] = static_cast<Real>(source.value(end));
        } else {
          const double half = 0.5 * options_.timestep;
          values[place] = static_cast<Real>(source.value(time + half) - source.value(time - half));
        }
      }
    values_.upload(values.data());
    hard_.upload(hard.data());
    heard_from_ = step;
    heard_to_ = step + heard_steps;
  }
  const std::size_t offset = static_cast<std::size_t>(step - heard_from_) * count;
  medium_.drive.value = values_.data() + offset;
  medium_.drive.hard = hard_.data() + offset;
}

template <class Real>
WaveMemory<Real> Medium<Real>::memory(int turn) {
  Buffer<Real>* const m = memory_[turn];
  return {m[0].data(), m[1].data(), m[2].data(), m[3].data()};
}

template <class Real>
void Medium<Real>::advance(std::int64_t step, int steps, const WaveState<Real>& from, const WaveState<Real>& to,
                           Real* plain_scratch) {
  if (!options_.sources.empty()) {
    if (moving_) place_sources((static_cast<double>(step) + 0.5) * options_.timestep);
    hear_sources(step, steps);
  }
  const WaveMediumState<Real> before{from, memory(current_)}, after{to, memory(1 - current_)};
  if (pass_)
    pass_->run(medium_, steps, before, after, plain_scratch);
  else
    wave_medium_step(executor_, medium_, before, after);
  current_ = 1 - current_;
}

template <class Real>
template <class Use>
void Medium<Real>::for_slots(int row_of_grid, int count, const Use& use) const {
  const WaveLayers<Real>& layers = medium_.layers;
  const int end = row_of_grid + count, top = medium_.grid.whole_ny - layers.top;
  if (row_of_grid < layers.bottom) use(row_of_grid, std::min(end, layers.bottom) - row_of_grid);
  // From the outermost row inwards.
  if (end > top) use(layers.width + medium_.grid.whole_ny - end, end - std::max(row_of_grid, top));
}

template <class Real>
void Medium<Real>::add_rows(const RowRun& run, std::vector<Transfer>& transfers) {
  Buffer<Real>* const m = memory_[current_];
  const std::size_t slots = 2 * static_cast<std::size_t>(options_.layer), pitch = medium_.grid.pitch;
  for (int i = 0; i < 2; ++i)
    if (m[i].size() > 0) transfers.push_back(rows_of(run, m[i].data(), slots));
  for (int i = 2; i < memories; ++i)
    if (m[i].size() > 0)
      for_slots(run.row_of_grid, run.count, [&](int slot, int count) {
        transfers.push_back(rows_of({run.peer, slot, 0, count}, m[i].data(), pitch));
      });
}

template <class Real>
void Medium<Real>::forget_host_copies() {
  std::vector<std::uint8_t>().swap(links_host_);
  if (!moving_) std::vector<Real>().swap(coupling_host_);
}

template <class Real>
template <class Use>
void Medium<Real>::for_memories(const Use& use) const {
  const WaveParams<Real>& grid = medium_.grid;
  const std::size_t slots = 2 * static_cast<std::size_t>(options_.layer);
  for (std::size_t i = 0; i < memories; ++i) {
    const Buffer<Real>& buffer = memory_[current_][i];
    if (buffer.size() == 0) continue;
    Real* const start = const_cast<Real*>(buffer.data());
    if (i < 2) {
      const Piece rows = own_piece(domain_, start, slots);
      use(memory_names[i], slots * static_cast<std::size_t>(grid.whole_ny) * sizeof(Real), std::vector{rows});
    } else {
      std::vector<Piece> pieces;
      for_slots(domain_.first, domain_.count, [&](int slot, int count) {
        const std::size_t at = static_cast<std::size_t>(slot) * grid.pitch;
        pieces.push_back({start + at, at * sizeof(Real), static_cast<std::size_t>(count) * grid.pitch * sizeof(Real)});
      });
      use(memory_names[i], buffer.bytes(), pieces);
    }
  }
}

template <class Real>
void Medium<Real>::save(Checkpoint& checkpoint, const Slab& slab) const {
  for_memories([&](const char* name, std::size_t bytes, const std::vector<Piece>& pieces) {
    slab.save(checkpoint, name, bytes, pieces);
  });
}

template <class Real>
void Medium<Real>::load(const Checkpoint& checkpoint, const Slab& slab) {
  for_memories([&](const char* name, std::size_t bytes, const std::vector<Piece>& pieces) {
    slab.load(checkpoint, name, bytes, pieces);
  });
}

template class Medium<float>;
template class Medium<double>;

}  // namespace simreel
