#include "source/pde/pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "exec/executor.h"

namespace simreel {
namespace {

constexpr int doubling = 32;             // states that are kept while the time doubles
constexpr std::size_t most_kept = 2000;  // cells of them, about
constexpr double taken = 0.4;            // of the largest stable step
constexpr double small = 0.15;           // a change, in those of which there are some

// A run of few cells of a scene, and what it shows of its field.
class Look {
 public:
  Look(const PdeOptions& options, const Scene& scene, std::array<int, 2> cells, bool middle, std::string_view field)
      : problem_(make_problem(options, cells[0], cells[1], &scene, middle)), field_(field) {}

  // Until it is known what happens, until `longest`, or until so much work is done, of which it takes what it did.
  // False where the state becomes infinite.
  bool run(double step, double longest, double& work, double growth) {
    problem_->set_step(step);
    step_ = step, longest_ = longest, growth_ = growth;
    states_.clear(), numbers_.clear();
    variances_ = differences_ = 0;
    const std::unique_ptr<Solver> solver = problem_->options.precision == Precision::float32
                                               ? make_pde_solver<float>(executor_, alone_, problem_)
                                               : make_pde_solver<double>(executor_, alone_, problem_);
    const int beyond = 2 * problem_->halo;  // the cells beyond the sides are computed, too
    const double cells = static_cast<double>(problem_->system->nx() + beyond) * (problem_->system->ny() + beyond);
    const double each = problem_->scheme.operations() / 20 * cells;
    const double most = std::min(work / each, std::ceil(longest / step));
    keep(*solver);
    bool finite = true;
    for (std::int64_t end = doubling; end == doubling || static_cast<double>(end) <= most; end *= 2) {
      const std::int64_t every = std::max<std::int64_t>(1, end / (2 * doubling));
      while (solver->steps_done() < end) {
        solver->step(every);
        keep(*solver);
      }
      finite = solver->finite();
      if (!finite || judge()) break;
    }
    work -= each * static_cast<double>(solver->steps_done());
    return finite;
  }

  // Whether neighbours differ so much that waves have less than about twelve cells.
  bool rough() const { return differences_ > 0.25 * variances_; }

  PdePace pace() const {
    PdePace pace{.time = time_, .reason = reason_};
    if (time_ == 0) return pace;
    const double shown = std::min({time_, longest_, time_of(states_.size() - 1)});
    double low = 0, high = 0;
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (time_of(i) >= shown / 16 && time_of(i) <= shown) {
        low = std::min(low, extremes(i).first);
        high = std::max(high, extremes(i).second);
      }
    pace.both_signs = low < 0 && high > 0 && std::max(-low, high) < 4 * std::min(-low, high);
    const auto half = extremes_at(shown / 2), between = extremes_at(shown * 0.75), later = extremes_at(shown);
    const auto middle = [](const std::pair<double, double>& ends) { return (ends.first + ends.second) / 2; };
    const double wide = std::max(later.second - later.first, half.second - half.first),
                 first = middle(between) - middle(half), second = middle(later) - middle(between);
    const bool away = std::abs(middle(later)) > std::abs(middle(half));
    pace.drifts = wide > 0 && away && first * second > 0 && std::min(std::abs(first), std::abs(second)) > 0.35 * wide;
    return pace;
  }

 private:
  using State = std::vector<float>;

  double time_of(std::size_t state) const { return static_cast<double>(numbers_[state]) * step_; }

  void keep(Solver& solver) {
    State state;
    numbers_.push_back(solver.steps_done());
    std::visit(
        [&](const auto& view) {
          if constexpr (requires { view.pitch; }) {
            const auto all = static_cast<std::size_t>(view.nx) * static_cast<std::size_t>(view.ny);
            const std::size_t every = 1 + all / most_kept;
            double sum = 0, squares = 0, differences = 0, pairs = 0, count = 0;
            for (std::size_t i = 0; i < all; ++i) {
              const std::size_t x = i % static_cast<std::size_t>(view.nx), y = i / static_cast<std::size_t>(view.nx);
              const std::size_t at = y * view.pitch + x;
              if (view.cell && view.cell[at] < 0) continue;
              const double value = static_cast<double>(view.value[at]);
              if (i % every == 0) state.push_back(static_cast<float>(value));
              sum += value, squares += value * value, ++count;
              if (x == 0 || (view.cell && view.cell[at - 1] < 0)) continue;
              const double difference = value - static_cast<double>(view.value[at - 1]);
              differences += difference * difference, ++pairs;
            }
            const double variance = squares / count - sum / count * (sum / count);
            if (states_.size() < doubling / 2 || pairs == 0) return;  // a start may be rough
            variances_ += variance, differences_ += differences / pairs;
          }
        },
        solver.view(field_));
    states_.push_back(std::move(state));
  }

  double distance(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (std::size_t i = 0; i < states_[a].size(); ++i) {
      const double away = static_cast<double>(states_[a][i]) - static_cast<double>(states_[b][i]);
      sum += away * away;
    }
    return std::sqrt(sum / static_cast<double>(states_[a].size()));
  }

  std::pair<double, double> extremes(std::size_t state) const {
    const auto [low, high] = std::ranges::minmax(states_[state]);
    return {low, high};
  }
  std::pair<double, double> extremes_at(double time) const {
    std::size_t i = 0;
    while (i + 1 < states_.size() && time_of(i) < time) ++i;
    return extremes(i);
  }

  // The states while the time doubled: the numbers of the first, and after the last.
  std::size_t windows() const { return (states_.size() - 1) / doubling; }

  // How much the field differs over cells and time while the time doubles.
  double contrast(std::size_t window) const {
    double sum = 0, square = 0, count = 0;
    for (std::size_t i = window * doubling; i <= (window + 1) * doubling; ++i)
      for (const float value : states_[i]) sum += value, square += static_cast<double>(value) * value, ++count;
    return std::sqrt(std::max(0.0, square / count - sum / count * (sum / count)));
  }
  // The size of its changes, once they are there, and not that of a start that soon vanishes.
  double contrast() const {
    std::vector<double> all;
    double most = 0;
    for (std::size_t w = 0; w < windows(); ++w) most = std::max(most, all.emplace_back(contrast(w)));
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(0.7 * static_cast<double>(all.size() - 1) + 0.5);
    std::ranges::nth_element(all, at);
    return std::max(*at, 0.05 * most);  // of what only decays a twentieth is still to be seen
  }

  // Change per time, in units of the contrast then, late, and at a distance in time where states are still alike.
  double speed() const {
    double speed = 0;
    for (std::size_t w = windows(); w-- > 0;) {
      double sum = 0;
      for (std::size_t i = w * doubling; i < (w + 1) * doubling; ++i) sum += distance(i, i + 1);
      const double size = contrast(w);
      if (size == 0) continue;
      const double mean = sum / doubling / size;
      speed = mean / (time_of(w * doubling + 1) - time_of(w * doubling));
      if (mean < 0.4) break;
    }
    return speed;
  }

  // When nine tenths of the cells that will have changed noticeably have done so.
  double spread() const {
    std::vector<float> low = states_[0], high = low;
    const auto widen = [&](const State& state) {
      for (std::size_t c = 0; c < state.size(); ++c)
        low[c] = std::min(low[c], state[c]), high[c] = std::max(high[c], state[c]);
    };
    for (const State& state : states_) widen(state);
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < low.size(); ++c) {
      const double range = static_cast<double>(high[c]) - static_cast<double>(low[c]);
      sum += range, squares += range * range;
    }
    const double enough = 0.2 * squares / sum;
    const auto changed = [&] {
      double count = 0;
      for (std::size_t c = 0; c < low.size(); ++c)
        count += static_cast<double>(high[c]) - static_cast<double>(low[c]) > enough;
      return count;
    };
    const double all = changed();
    low = high = states_[0];
    std::size_t i = 0;
    for (; i + 1 < states_.size(); ++i) {
      widen(states_[i]);
      if (changed() >= 0.9 * all) break;
    }
    return std::max(time_of(i), step_);
  }

  // Whether it is known what happens.
  bool judge() {
    const double now = time_of(states_.size() - 1), c = contrast();
    time_ = 0;
    reason_ = "a small run does not change";
    const std::size_t last = states_.size() - 1;
    if (states_[last].empty() || !(c > 1e-6 * std::abs(static_cast<double>(states_[last][0])))) return false;
    // What is still settles only if no small wave grows in it.
    const bool waited = now * growth_ > 15 || longest_ * growth_ < 5;
    std::size_t i = last;
    while (i > 0 && distance(i, last) < small * c) --i;
    const double settled = time_of(i);
    if (settled == 0) return false;
    if (now > 2 * settled) {
      if (!waited) {
        time_ = std::min(longest_, 40 / growth_);
        reason_ = fmt::format("small waves grow in it, by a factor of e every {:.3g}", 1 / growth_);
        return false;
      }
      time_ = 1.25 * settled;
      reason_ = fmt::format("by time {:.3g} it has settled", settled);
      return now > 4 * settled;
    }
    const double most = spread(), speed = this->speed(), before = std::exchange(speed_, speed);
    // Of a speed no more than was seen.
    const double crosses = 2.5 * most, goes_on = std::min(25 / speed, now), limit = 120 / speed;
    time_ = std::min(std::max(crosses, goes_on), limit);
    reason_ = crosses > goes_on && crosses <= limit
                  ? fmt::format("by time {:.3g} changes have come everywhere", most)
                  : fmt::format("it goes on, and is another one after time {:.3g}", 1 / speed);
    return now > 3 * most && now * speed > 20 && waited && contrast(windows() - 1) > 0.3 * c &&
           std::max(speed, before) < 1.4 * std::min(speed, before);
  }

  std::shared_ptr<PdeProblem> problem_;
  std::string_view field_;
  double step_ = 0, longest_ = 0, growth_ = 0, speed_ = 0, time_ = 0;
  double variances_ = 0, differences_ = 0;  // in space, of values and of neighbours
  std::string reason_;
  std::vector<State> states_;
  std::vector<std::int64_t> numbers_;  // of steps, to each state
  const Executor executor_ = Executor::cpu();
  const Communicator alone_;
};

}  // namespace

PdePace find_pace(const PdeOptions& options, const Scene& scene, const PdeLimit& limit, double step,
                  std::string_view field, double longest) {
  const auto [nx, ny] = options.grid;
  const PdeSpectrum start = spectrum_at_start(options, scene, {std::min(nx, 32), std::min(ny, 32)});
  const double growth = start.growth > 0 ? start.growth : limit.growth;
  // First coarse cells of the whole grid, then finer ones where these do not resolve what is there, and at last cells
  // as they are, of its middle.
  struct Try {
    double cells, work;
    bool middle;
  };
  PdePace found;
  for (auto [most, work, middle] : {Try{2500, 5e7, false}, Try{10000, 1e8, false}, Try{10000, 7e7, true}}) {
    PdeOptions coarse = options;
    std::array<int, 2> cells = options.grid;
    double coarser = 1;
    for (; static_cast<double>(cells[0]) * cells[1] > most; ++coarser)
      cells = {std::max(1, static_cast<int>(nx / (coarser + 1))), std::max(1, static_cast<int>(ny / (coarser + 1)))};
    double borne = step;
    if (!middle && coarser > 1) {
      coarse.spacing *= coarser;
      // What makes steps smaller after the start does so on coarse cells, too.
      const double later = std::min(1.0, limit.step / largest_step(options, start));
      const PdeSpectrum there = spectrum_at_start(coarse, scene, cells);
      borne = taken * later * std::min(largest_step(coarse, there), 2 / there.growth);
      borne = std::clamp(std::isfinite(borne) ? borne : step, step, coarser * coarser * step);
    }
    Look look(coarse, scene, cells, middle, field);
    bool ran = look.run(borne, longest, work, growth);
    for (int attempt = 0; attempt < 3 && !ran && work > 0; ++attempt) ran = look.run(borne /= 2, longest, work, growth);
    if (ran) found = look.pace();
    if (coarser == 1 || (ran && !look.rough())) break;
  }
  return found;
}

}  // namespace simreel
