#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "exec/buffer.h"
#include "exec/graph.h"
#include "kernels/base/random.h"
#include "kernels/pde/engine.h"
#include "kernels/pde/sides.h"
#include "kernels/pde/steps.h"
#include "kernels/pde/total.h"
#include "ranks/slab.h"
#include "source/pde/fronts.h"
#include "source/pde/limit.h"
#include "source/pde/sides.h"

namespace simreel {
namespace {

int pde_halo_rows(const Executor& executor, int ranks, const PdeProblem& p) {
  constexpr double cells_an_exchange = 50e6;
  const int step = p.exchange;
  return halo_rows(executor.backend(), {p.system->nx(), p.system->ny()}, ranks, step, std::max(step, 32),
                   cells_an_exchange);
}

template <class Real>
PdeGrid grid_of(const PdeProblem& p, const Domain& domain) {
  PdeGrid grid = pde_grid(p.system->nx(), domain.rows(), p.halo, sizeof(Real));
  grid.y0 = domain.start();
  grid.whole_ny = domain.whole;
  grid.periodic_x = p.options.periodic_x();
  grid.periodic_y = p.options.periodic_y();
  grid.open_below = domain.open_below();
  grid.open_above = domain.open_above();
  return grid;
}

template <class Real>
class PdeSolver final : public Solver {
 public:
  PdeSolver(const Executor& executor, const Communicator& ranks, std::shared_ptr<const PdeProblem> problem)
      : executor_(executor),
        problem_(std::move(problem)),
        slab_(executor, ranks, system().ny(), pde_halo_rows(executor, ranks.size(), *problem_),
              problem_->options.periodic_y()),
        grid_(grid_of<Real>(*problem_, slab_.domain())),
        scratch_(executor, pde_total_bytes(system().nx(), system().ny())),
        divided_(executor, ranks, slab_, [this](std::string_view field) { return part(field); }) {
    const auto parts = system().parts.size();
    for (int slot = 0; slot < problem_->scheme.slots; ++slot) {
      state_.emplace_back();
      for (std::size_t f = 0; f < parts; ++f) state_.back().push_back(new_array());
    }
    for (int k = 0; k < system().stored_arrays(); ++k) stored_.push_back(new_array());
    for (std::size_t c = 0; c < system().coefficients(); ++c) coefficients_.push_back(new_array());
    spare_ = new_array();
    if (!system().measures.empty()) measured_ = new_array();
    for (const PdeSystem::Part& p : system().parts)
      sides_.emplace_back(executor, system(), *p.field, p.imaginary, grid_.halo);
    for (const PdeSystem::Stored& s : system().stored)
      for (std::size_t i = 0; i < s.values.size(); ++i)
        stored_sides_.emplace_back(executor, system(), *s.field, i == 1, grid_.halo);
    for (const PdeStage& stage : problem_->scheme.stages) stages_.push_back(compile(stage));
    for (const PdeSystem::Shown& shown : system().shown) shown_.push_back(compile_node(shown.node));
    for (const int node : system().measures) measures_.push_back(compile_node(node));
    for (std::size_t c = 0; c < coefficients_.size(); ++c) {
      set(coefficients_[c], [&](int row, std::span<double> out) { system().coefficient_row(c, row, out); });
      pde_fill_sides(executor_, grid_, PdeSides<Real>{}, first(coefficients_[c]), 0, grid_.ny);
    }
    for (std::size_t f = 0; f < parts; ++f)
      set(state_[0][f], [&](int row, std::span<double> out) { system().initial_row(f, row, out); });
    fill_sides();
    if (problem_->options.solids) set_solids();
    take_several();
    steady_ = is_steady();
  }

  void step(std::int64_t count) override {
    const std::int64_t end = steps_done_ + count;
    if (watch_.due) {  // after some steps: a state that is not stable may jump to and fro
      const auto number = static_cast<std::uint64_t>(steps_done_);
      step_to(std::min(end, steps_done_ + 1 + static_cast<std::int64_t>(4 * random_unit(5, 3, number))));
      look();
    }
    step_to(end);
    if (!filled_) fill_sides();
  }

  std::span<const FieldInfo> fields() const override { return problem_->infos; }
  View view(std::string_view field) override { return slab_.whole(part(field)); }
  DividedFields* divided() override { return slab_.alone() ? nullptr : &divided_; }

  std::vector<double> diagnose() override {
    std::vector<double> values = {static_cast<double>(steps_done_), time_at(0)};
    const double h = problem_->options.spacing;
    const LbmGeometry* const solids = problem_->options.solids.get();
    const double cells = solids ? solids->fluid : static_cast<double>(system().nx()) * system().ny();
    for (std::size_t m = 0; m < measures_.size(); ++m) {
      const PdeTotal total = total_of(value_of(measures_[m], measured_));
      switch (problem_->options.measures[m].kind) {
        case PdeMeasure::Kind::integral: values.push_back(total.sum * h * h); break;
        case PdeMeasure::Kind::mean: values.push_back(total.sum / cells); break;
        case PdeMeasure::Kind::min: values.push_back(total.low); break;
        case PdeMeasure::Kind::max: values.push_back(total.high); break;
      }
    }
    return values;
  }

  // A run asks this at each of its frames. After some of them the state is looked at:
  // three times while the number of steps doubles.
  bool finite() override {
    bool finite = true;
    for (Buffer<Real>& array : state_[0]) finite = total_of(first(array)).wrong == 0 && finite;
    if (problem_->limit > 0 && steps_done_ >= watch_.next) {
      watch_.due = 1;
      watch_.next = steps_done_ + std::max<std::int64_t>(1, steps_done_ / 4);
    }
    return finite && needed_ == 0;
  }

  std::string divergence() override {
    if (needed_ > 0)
      return fmt::format(
          "the state has become one in which steps above {:.4g} are unstable, and the step is {:.4g}: what it comes to "
          "would be wrong; take timestep = {:.3g}, or unchecked = true to go on",
          needed_, problem_->timestep, 0.8 * needed_);
    return fmt::format(
        "a value is infinite or not a number; the step is {:.4g}{}: take a smaller one; where that does not help, the "
        "equations themselves grow without bound or leave the range of a function",
        problem_->timestep,
        problem_->limit > 0 && std::isfinite(problem_->limit)
            ? fmt::format(", and the largest stable one was estimated as {:.4g}", problem_->limit)
            : "");
  }

  std::vector<std::string> findings() override {
    std::vector<std::string> found;
    for (const Compiled& compiled : stages_)
      for (const PdeEngine<Real>& engine : compiled.engines)
        if (found.empty() && !engine.why_interpreted().empty())
          found.push_back("the GPU interpreted the equations, which is slow: " + engine.why_interpreted());
    for (std::size_t f = 0; f < system().parts.size() && needed_ == 0; ++f)
      if (std::string text = thin_fronts(f); !text.empty()) {
        found.push_back(std::move(text));
        break;  // others follow it
      }
    return found;
  }

  void save(Checkpoint& checkpoint) const override {
    checkpoint.save_value("step", steps_done_);
    checkpoint.save_value("watch", watch_);
    for (std::size_t f = 0; f < state_[0].size(); ++f) {
      const std::array<Piece, 1> piece = own_rows(state_[0][f]);
      slab_.save(checkpoint, fmt::format("part{}", f), whole_bytes(), piece);
    }
  }

  void load(const Checkpoint& checkpoint) override {
    for (std::size_t f = 0; f < state_[0].size(); ++f) {
      const std::array<Piece, 1> piece = own_rows(state_[0][f]);
      slab_.load(checkpoint, fmt::format("part{}", f), whole_bytes(), piece);
    }
    slab_.invalidate();
    steps_done_ = checkpoint.load_value<std::int64_t>("step");
    watch_ = checkpoint.load_value<Watch>("watch");
    fill_sides();
  }

 private:
  struct Compiled {
    const PdeStage* stage = nullptr;
    std::vector<PdeEngine<Real>> engines;  // of the stored fields, then of the pass
  };
  // What is shown or measured: an array that there is, or a pass.
  struct Looked {
    int array = -1;
    std::unique_ptr<PdeStage> stage;
    Compiled compiled;
  };

  const PdeSystem& system() const { return *problem_->system; }
  double time_at(double part) const { return (static_cast<double>(steps_done_) + part) * problem_->timestep; }

  Buffer<Real> new_array() {
    Buffer<Real> array(executor_, grid_.memory());
    array.clear();  // a checkpoint has the padding of the rows too
    return array;
  }
  Real* first(Buffer<Real>& array) { return array.data() + grid_.origin(); }

  Compiled compile(const PdeStage& stage) const {
    Compiled compiled;
    compiled.stage = &stage;
    for (const PdeStage::StoredWork& stored : stage.stored) compiled.engines.emplace_back(executor_, stored.work.pass);
    compiled.engines.emplace_back(executor_, stage.work.pass);
    return compiled;
  }

  Looked compile_node(int node) const {
    Looked looked;
    const Expressions::Node& n = system().expressions.node(node);
    if (n.kind == Expressions::Kind::array && n.index < pde_stored) {
      looked.array = n.index;
      return looked;
    }
    looked.stage = std::make_unique<PdeStage>(make_stage(system(), 0, 0, {node}));
    looked.compiled = compile(*looked.stage);
    return looked;
  }

  Real* array_of(int number, int slot) {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    if (number < pde_stored) return first(state_[at(slot)][at(number)]);
    if (number < pde_coefficients) return first(stored_[at(number - pde_stored)]);
    if (number < pde_slots) return first(coefficients_[at(number - pde_coefficients)]);
    return first(state_[at((number - pde_slots) / 100)][at((number - pde_slots) % 100)]);
  }

  // Computes as many rows as can be from `valid` rows of the halo, which become fewer.
  void run(Compiled& compiled, int& valid, std::span<Real* const> outputs, std::span<const PdeSides<Real>> sides) {
    const PdeStage& stage = *compiled.stage;
    for (std::size_t i = 0; i < stage.stored.size(); ++i) {
      const PdeStage::StoredWork& stored = stage.stored[i];
      std::vector<Real*> arrays;
      std::vector<PdeSides<Real>> own_sides;
      for (std::size_t k = 0; k < stored.work.pass.outputs.size(); ++k) {
        const std::size_t number = static_cast<std::size_t>(stored.first) + k;
        arrays.push_back(first(stored_[number]));
        own_sides.push_back(stored_sides_[number].at(time_at(stage.at)));
      }
      run(compiled.engines[i], stored.work, stage, valid, arrays, own_sides);
    }
    run(compiled.engines.back(), stage.work, stage, valid, outputs, sides);
  }

  void run(PdeEngine<Real>& engine, const PdeWork& work, const PdeStage& stage, int& valid,
           std::span<Real* const> outputs, std::span<const PdeSides<Real>> sides) {
    engine.run(grid_, run_of(work, stage, valid, 1, outputs, sides));
  }
  PdeRun<Real> run_of(const PdeWork& work, const PdeStage& stage, int& valid, int steps, std::span<Real* const> outputs,
                      std::span<const PdeSides<Real>> sides) {
    valid -= steps * work.reach;
    inputs_.clear(), uniforms_.clear();
    for (const int array : work.arrays) inputs_.push_back(array_of(array, stage.slot));
    for (int step = 0; step < steps; ++step)
      for (const FormulaProgram& program : work.uniforms) {
        formula_start(program, memory_);
        uniforms_.emplace_back();
        formula_row(program,
                    {0, 0, time_at(stage.at + step), static_cast<double>(system().nx()),
                     static_cast<double>(system().ny()), system().seed()},
                    memory_, {&uniforms_.back(), 1});
      }
    const Domain& domain = slab_.domain();
    PdeRun<Real> what;
    what.inputs = inputs_;
    what.outputs = outputs;
    what.sides = sides;
    what.uniforms = uniforms_;
    what.seed = system().seed();
    what.number = static_cast<std::uint64_t>(steps_done_);
    what.from = grid_.open_below ? domain.below - valid : 0;
    what.to = grid_.open_above ? domain.below + domain.count + valid : grid_.ny;
    return what;
  }

  void to_outputs(const PdeStage& stage) {
    outputs_.clear(), output_sides_.clear();
    for (const PdeStage::Output& out : stage.outputs) {
      outputs_.push_back(first(state_[static_cast<std::size_t>(out.slot)][static_cast<std::size_t>(out.part)]));
      output_sides_.push_back(sides_[static_cast<std::size_t>(out.part)].at(time_at(stage.until)));
    }
  }

  void step_to(std::int64_t end) {
    const int reach = problem_->scheme.reach();
    while (steps_done_ < end) {
      const std::int64_t left = end - steps_done_;
      if (several_ && left >= several_->count() && (slab_.alone() || several_->count() * reach <= slab_.halo())) {
        step_at_once();
      } else if (steady_ && begun_ && left >= steps_of_graph) {
        step_in_graph();
      } else {
        step_once();
        begun_ = true;
      }
    }
  }

  // A run whose state twice does not bear the step by far, without four looks between that found otherwise, ends.
  // Derivatives that are no larger than those of a state that bore it are borne.
  void look() {
    constexpr int bands = 4, cells_of_a_band = 16;
    watch_.due = 0;
    if (!filled_) fill_sides();
    if (!symbol_) symbol_.emplace(system());
    const int reach = symbol_->reach();
    refresh(reach);
    const Domain& domain = slab_.domain();
    double bears = std::numeric_limits<double>::infinity(), norm = 0;
    auto number = static_cast<std::uint64_t>(steps_done_) * bands * (1 + cells_of_a_band);
    const auto random = [&](int below) { return static_cast<int>(random_unit(5, 2, number++) * below); };
    for (int band = 0; band < bands; ++band) {
      const int y = random(domain.whole), middle = domain.below + y - domain.first;
      std::vector<std::array<int, 2>> cells;
      for (int i = 0; i < cells_of_a_band; ++i) cells.push_back({random(grid_.nx), y});
      if (y < domain.first || y >= domain.first + domain.count) continue;
      const int low = std::max(middle - reach, -grid_.halo), high = std::min(middle + reach, grid_.ny - 1 + grid_.halo);
      std::map<int, std::vector<Real>> rows;  // of each array, from `low` to `high`
      const auto value = [&](int array, int column, int row) {
        std::vector<Real>& values = rows[array];
        if (values.empty()) {
          values.resize(static_cast<std::size_t>(high - low + 1) * grid_.pitch);
          executor_.copy(values.data(),
                         array_of(array, 0) + low * static_cast<std::ptrdiff_t>(grid_.pitch) - grid_.left,
                         values.size() * sizeof(Real));
        }
        const int line = std::clamp(middle + row - y, low, high) - low,
                  place = std::clamp(column, -grid_.halo, grid_.nx - 1 + grid_.halo) + static_cast<int>(grid_.left);
        return static_cast<double>(
            values[static_cast<std::size_t>(line) * grid_.pitch + static_cast<std::size_t>(place)]);
      };
      double here = 0;
      for (const auto& [x, row] : cells)
        if (std::isfinite(symbol_->differentiate(value, time_at(0), x, row))) here = std::max(here, symbol_->norm());
      if (here <= watch_.borne) continue;
      norm = std::max(norm, here);
      PdeSpectrum spectrum = problem_->spectrum;
      bears = std::min(bears, limit_of_state(problem_->options, *symbol_, value, time_at(0), cells, spectrum));
    }
    if (!slab_.alone()) {
      const Communicator& ranks = *slab_.own_rows().ranks;
      bears = std::ranges::min(ranks.gather(std::span<const double>(&bears, 1)));
      norm = std::ranges::max(ranks.gather(std::span<const double>(&norm, 1)));
    }
    if (bears * 1.25 >= problem_->timestep) {
      watch_.borne = std::max(watch_.borne, norm);
      if (++watch_.calm == 4) watch_.beyond = 0;
      return;
    }
    watch_.calm = 0;
    watch_.next = steps_done_;
    if (++watch_.beyond == 2) needed_ = bears;
  }

  void done(int steps) {
    slab_.consume(steps * problem_->scheme.reach());
    if (problem_->scheme.swaps) std::swap(state_[0], state_[1]), swapped_ = !swapped_;
    steps_done_ += steps;
  }
  void step_once() {
    refresh(problem_->scheme.reach());
    if (!filled_) fill_sides();
    int valid = slab_.valid();
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      to_outputs(problem_->scheme.stages[s]);
      run(stages_[s], valid, outputs_, output_sides_);
    }
    done(1);
  }
  void step_at_once() {
    const int steps = several_->count();
    refresh(steps * problem_->scheme.reach());
    int valid = slab_.valid();
    const PdeStage& stage = problem_->scheme.stages[0];
    to_outputs(stage);
    several_->run(grid_, run_of(stage.work, stage, valid, steps, outputs_, output_sides_));
    filled_ = false;
    done(steps);
  }
  // Launches of small grids take a CPU longer than the GPU; those of some steps are made once and repeated.
  void step_in_graph() {
    Graph& graph = graph_[swapped_ ? 1 : 0];
    if (graph.repeat(executor_))
      steps_done_ += steps_of_graph;
    else
      graph.submit(executor_, [this] {
        for (int i = 0; i < steps_of_graph; ++i) step_once();
      });
  }
  // Whether all steps launch the same kernels with the same parameters, but for the slots that are exchanged.
  bool is_steady() const {
    const auto even = [](const PdeWork& work) { return work.uniforms.empty(); };
    const auto still = [](const std::vector<PdeSideArrays<Real>>& sides) {
      return std::ranges::none_of(sides, [](const PdeSideArrays<Real>& one) { return one.change(); });
    };
    return executor_.backend() == Backend::cuda && slab_.alone() && still(sides_) && still(stored_sides_) &&
           std::ranges::none_of(system().parts, [](const PdeSystem::Part& part) { return part.noise >= 0; }) &&
           std::ranges::all_of(problem_->scheme.stages, [&](const PdeStage& stage) {
             return even(stage.work) && std::ranges::all_of(stage.stored, [&](const PdeStage::StoredWork& stored) {
                      return even(stored.work);
                    });
           });
  }

  // A step of one pass can be taken several at once, if what lies beyond sides is the same in all of them.
  void take_several() {
    const PdeStage& stage = problem_->scheme.stages[0];
    if (!problem_->scheme.swaps || stages_.size() > 1 || !stage.stored.empty() ||
        std::ranges::any_of(sides_, [](const PdeSideArrays<Real>& sides) { return sides.change(); }))
      return;
    to_outputs(stage);
    std::vector<int> next;
    for (const PdeStage::Output& out : stage.outputs) {
      const auto found = std::ranges::find(stage.work.arrays, out.part);
      if (found == stage.work.arrays.end()) return;
      next.push_back(static_cast<int>(found - stage.work.arrays.begin()));
    }
    several_ = PdeSteps<Real>::make(executor_, stage.work.pass, next, grid_, output_sides_);
  }

  // Of a field that depends on cells around: whether a good part of its rises are fronts of a cell or two. Looks at
  // up to two million of the own cells.
  std::string thin_fronts(std::size_t f) {
    constexpr double most_cells = 2e6, part = 0.2;
    const PdeField& field = *system().parts[f].field;
    if (steps_done_ == 0 || field.has_constant_rate() || problem_->scheme.reach() == 0) return "";
    const Domain& domain = slab_.domain();
    const std::size_t nx = static_cast<std::size_t>(grid_.nx);
    const int rows = std::clamp(static_cast<int>(most_cells / grid_.nx), 1, domain.count);
    std::vector<double> now(nx * static_cast<std::size_t>(rows)), start(now.size());
    std::vector<Real> line(nx);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (int y = 0; y < rows; ++y) {
      const int row = domain.first + y;
      executor_.copy(line.data(), first(state_[0][f]) + (domain.below + y) * static_cast<std::ptrdiff_t>(grid_.pitch),
                     nx * sizeof(Real));
      const std::span<double> own(now.data() + static_cast<std::size_t>(y) * nx, nx);
      system().initial_row(f, row, {start.data() + static_cast<std::size_t>(y) * nx, nx});
      for (std::size_t x = 0; x < nx; ++x) {
        own[x] = static_cast<double>(line[x]);
        if (problem_->options.solids && system().cell(static_cast<int>(x), row) < 0)
          own[x] = std::numeric_limits<double>::quiet_NaN();
        if (std::isfinite(own[x])) low = std::min(low, own[x]), high = std::max(high, own[x]);
      }
    }
    ThinFronts fronts(high - low);
    std::vector<double> column(static_cast<std::size_t>(rows)), before(column.size());
    for (int y = 0; y < rows; ++y) {
      const std::size_t at = static_cast<std::size_t>(y) * nx;
      fronts.add({now.data() + at, nx}, {start.data() + at, nx});
    }
    for (std::size_t x = 0; x < nx; ++x) {
      for (std::size_t y = 0; y < column.size(); ++y) column[y] = now[y * nx + x], before[y] = start[y * nx + x];
      fronts.add(column, before);
    }
    if (fronts.share() < part || fronts.count() <= (grid_.nx + rows) / 32) return "";
    return fmt::format(
        "fronts of {} are about as thin as a cell: the grid decides how fast they go and whether they stick to it; "
        "take more cells to a unit of length (a larger grid with a smaller spacing), or larger diffusivities",
        field.name);
  }

  // The own rows of a value of the state now.
  const Real* value_of(Looked& looked, Buffer<Real>& memory) {
    if (looked.array >= 0) return array_of(looked.array, 0);
    int valid = looked.stage->reach();
    refresh(valid);
    Real* const output = first(memory);
    const PdeSides<Real> sides;
    run(looked.compiled, valid, {&output, 1}, {&sides, 1});
    return output;
  }

  // The rows in memory.
  FieldView<Real> part(std::string_view field) {
    const LbmGeometry* const solids = problem_->options.solids.get();
    return {value_of(shown_[field_index(field)], spare_), grid_.nx, grid_.ny, grid_.pitch, cell_.data(),
            solids ? &solids->outline : nullptr};
  }

  PdeTotal total_of(const Real* values) {
    return pde_total(executor_, values, grid_.pitch, grid_.nx, slab_.own_rows(), scratch_.data());
  }

  std::size_t whole_bytes() const { return grid_.pitch * static_cast<std::size_t>(system().ny()) * sizeof(Real); }
  Real* row_begin(const Buffer<Real>& array) const {
    return const_cast<Real*>(array.data()) + grid_.origin() - grid_.left;
  }
  std::array<Piece, 1> own_rows(const Buffer<Real>& array) const {
    return {own_piece(slab_.domain(), row_begin(array), grid_.pitch)};
  }

  void refresh(int rows) {
    if (slab_.alone() || slab_.valid() >= rows) return;
    slab_.refresh(rows, state_rows_);
    fill_sides();
  }
  void fill_sides() {
    outputs_.clear(), output_sides_.clear();
    for (std::size_t f = 0; f < state_[0].size(); ++f) {
      outputs_.push_back(first(state_[0][f]));
      output_sides_.push_back(sides_[f].at(time_at(0)));
    }
    PdeRun<Real> all;
    all.outputs = outputs_;
    all.sides = output_sides_;
    all.to = grid_.ny;
    pde_fill_outputs(executor_, grid_, all);
    filled_ = true;
  }

  void set_solids() {
    std::vector<std::int8_t> cells(grid_.pitch * static_cast<std::size_t>(grid_.ny));
    for (int y = 0; y < grid_.ny; ++y)
      for (int x = 0; x < grid_.nx; ++x)
        cells[static_cast<std::size_t>(y) * grid_.pitch + static_cast<std::size_t>(x)] =
            system().cell(x, slab_.domain().row_of_grid(y));
    cell_ = Buffer(executor_, cells);
  }

  template <class Row>
  void set(Buffer<Real>& array, const Row& row_of_grid) {
    std::vector<double> row(static_cast<std::size_t>(grid_.nx));
    std::vector<Real> values(array.size());
    for (int y = 0; y < grid_.ny; ++y) {
      row_of_grid(slab_.domain().row_of_grid(y), row);
      const std::size_t begin = grid_.origin() + static_cast<std::size_t>(y) * grid_.pitch;
      std::ranges::transform(row, values.begin() + static_cast<std::ptrdiff_t>(begin),
                             [](double value) { return static_cast<Real>(value); });
    }
    array.upload(values.data());
  }

  const Executor& executor_;
  std::shared_ptr<const PdeProblem> problem_;
  Slab slab_;
  PdeGrid grid_;
  std::vector<std::vector<Buffer<Real>>> state_;  // by slot and part
  std::vector<Buffer<Real>> stored_, coefficients_;
  Buffer<Real> spare_, measured_;  // what is shown, and measured
  Buffer<std::int8_t> cell_;       // of a view; empty without obstacles
  std::vector<PdeSideArrays<Real>> sides_, stored_sides_;
  std::vector<Compiled> stages_;
  std::unique_ptr<PdeSteps<Real>> several_;
  bool filled_ = true;  // what lies beyond the sides of slot 0
  static constexpr int steps_of_graph = 8;
  Graph graph_[2];        // of a step that begins with slots as they were, and exchanged
  bool swapped_ = false;  // slots 0 and 1
  bool steady_ = false, begun_ = false;
  std::vector<Looked> shown_, measures_;
  std::optional<PdeSymbol> symbol_;  // of a run that was looked at
  struct Watch {
    std::int64_t next = 0, due = 0;     // the steps from which on a look is due, and whether one is
    double borne = 0;                   // the largest norm of derivatives at a look that found the step stable
    std::int64_t beyond = 0, calm = 0;  // looks that found it unstable by far, and those since then that did not
  } watch_;
  double needed_ = 0;  // the largest stable step where the run ends for it
  const Slab::Rows state_rows_ = [this](const RowRun& run, std::vector<Transfer>& transfers) {
    for (Buffer<Real>& array : state_[0]) transfers.push_back(rows_of(run, row_begin(array), grid_.pitch));
  };
  // Of a pass, so that a short one needs no memory.
  std::vector<const Real*> inputs_;
  std::vector<Real*> outputs_;
  std::vector<PdeSides<Real>> output_sides_;
  std::vector<double> uniforms_, memory_;
  Buffer<std::byte> scratch_;
  SlabFields<Real> divided_;
};

}  // namespace

template <class Real>
std::unique_ptr<Solver> make_pde_solver(const Executor& executor, const Communicator& ranks,
                                        std::shared_ptr<const PdeProblem> problem) {
  return std::make_unique<PdeSolver<Real>>(executor, ranks, std::move(problem));
}

template <class Real>
std::size_t pde_part_bytes(const Executor& executor, int rank, int ranks, const PdeProblem& p) {
  const Domain domain = Domain::cut(p.system->ny(), ranks, pde_halo_rows(executor, ranks, p),
                                    p.options.periodic_y())[static_cast<std::size_t>(rank)];
  const PdeGrid grid = grid_of<Real>(p, domain);
  const std::size_t parts = p.system->parts.size(), stored = static_cast<std::size_t>(p.system->stored_arrays());
  const std::size_t arrays = parts * static_cast<std::size_t>(p.scheme.slots) + stored + p.system->coefficients() +
                             (p.system->measures.empty() ? 1 : 2);
  std::size_t intermediates = 0;  // that a GPU stores where it interprets
  if (executor.backend() == Backend::cuda)
    for (const PdeStage& stage : p.scheme.stages) {
      const auto add = [&](const PdePass& pass) {
        if (!pass.intermediates.empty() && !pde_why_interpreted<Real>(pass).empty())
          intermediates += pass.intermediates.size();
      };
      for (const PdeStage::StoredWork& work : stage.stored) add(work.work.pass);
      add(stage.work.pass);
    }
  const std::size_t solids = p.options.solids ? grid.pitch * static_cast<std::size_t>(grid.ny) : 0;
  return (arrays + intermediates) * grid.memory() * sizeof(Real) + solids +
         pde_total_bytes(p.system->nx(), p.system->ny()) +
         (parts + stored) * PdeSideArrays<Real>::bytes(*p.system, p.halo);
}

template std::unique_ptr<Solver> make_pde_solver<float>(const Executor&, const Communicator&,
                                                        std::shared_ptr<const PdeProblem>);
template std::unique_ptr<Solver> make_pde_solver<double>(const Executor&, const Communicator&,
                                                         std::shared_ptr<const PdeProblem>);
template std::size_t pde_part_bytes<float>(const Executor&, int, int, const PdeProblem&);
template std::size_t pde_part_bytes<double>(const Executor&, int, int, const PdeProblem&);

}  // namespace simreel
