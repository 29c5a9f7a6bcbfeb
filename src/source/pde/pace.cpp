#include "source/pde/pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "exec/executor.h"
#include "kernels/base/math.h"

namespace simreel {
namespace {

constexpr int doubling = 32;             // states that are kept while the time doubles
constexpr std::size_t most_kept = 2000;  // cells of them, about
constexpr double taken = 0.4;            // of the largest stable step
constexpr double small = 0.15;           // a change, in those of which there are some
constexpr double faint = 0.125;          // what is left of the range of the picture, and hardly seen in it

// A run of few cells of a scene, and what it shows of its field.
class Look {
 public:
  Look(const PdeOptions& options, const Scene& scene, std::array<int, 2> cells, bool middle, std::string_view field)
      : scene_(scene),
        problem_(make_problem(options, cells[0], cells[1], &scene, middle)),
        middle_(middle),
        whole_(cells == options.grid),
        field_(field) {
    for (const PdeField& one : problem_->options.fields)
      if (!one.algebraic) waves_.push_back({one.complex ? one.name + ".re" : one.name});
  }

  // Until it is known what happens, until `longest`, or until so much work is done, of which it takes what it did.
  // False where the state becomes infinite.
  bool run(double step, double longest, double& work, double growth) {
    problem_->set_step(step);
    step_ = step, longest_ = longest, growth_ = growth;
    states_.clear(), numbers_.clear();
    for (Waves& waves : waves_) waves = {waves.field};
    const std::unique_ptr<Solver> solver = begin();
    const int beyond = 2 * problem_->halo;  // the cells beyond the sides are computed, too
    const double cells = static_cast<double>(problem_->system->nx() + beyond) * (problem_->system->ny() + beyond);
    constexpr double of_noise = 200;  // operations of a random number, about
    const auto noisy = std::ranges::count_if(problem_->system->parts, [](const auto& part) { return part.noise >= 0; });
    const double each = (problem_->scheme.operations() + of_noise * static_cast<double>(noisy)) / 20 * cells;
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
    if (finite && (middle_ || whole_)) bears_ = limit_at_end(*problem_, scene_, middle_, *solver);
    return finite;
  }

  // Whether neighbours differ so much that waves have less than about nine cells; or so little at the start that many
  // waves lie between them, where cells as they are differ by `fine`.
  bool rough(double coarser, double fine) const {
    return std::ranges::any_of(waves_, [](const Waves& w) { return w.differences > 0.5 * w.variances; }) ||
           roughness_at_start() < 0.5 * coarser * fine;
  }
  // Of neighbours, in variances.
  double roughness_at_start() const {
    double most = 0;
    for (const Waves& waves : waves_) most = std::max(most, waves.start);
    return most;
  }
  void look_at_start(double step) {
    problem_->set_step(step);
    keep(*begin());
  }

  // At the start.
  double spread_of_values() const { return spread_of(0); }

  PdePace pace() const {
    PdePace pace{.time = time_, .reason = reason_, .bears = bears_};
    if (time_ == 0) return pace;
    const double all = std::min({time_, longest_, time_of(states_.size() - 1)});
    pace.both_signs = both_signs(all);
    const double fades = faded(all, pace.both_signs), shown = std::min(all, fades);
    if (fades < all) pace.time = fades, pace.reason = fmt::format("by time {:.3g} it is faint", fades);
    constexpr double rush = 0.03;  // of the video: hardly seen
    if (const double grown = grown_by(shown); grown > 0 && grown < rush * pace.time)
      pace.reason += fmt::format(
          "; what grows at first is there by time {:.2g}, after {:.1g} s, which \"speed\" in [animation] can stretch",
          grown, 10 * grown / pace.time);
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

  std::unique_ptr<Solver> begin() const {
    return problem_->options.precision == Precision::float32 ? make_pde_solver<float>(executor_, alone_, problem_)
                                                             : make_pde_solver<double>(executor_, alone_, problem_);
  }

  double time_of(std::size_t state) const { return static_cast<double>(numbers_[state]) * step_; }

  // Calls with each value and, where it has one, its neighbour before it in the row.
  static void for_each_value(const View& shown, const auto& use) {
    std::visit(
        [&](const auto& view) {
          if constexpr (requires { view.pitch; })
            for (int y = 0; y < view.ny; ++y)
              for (int x = 0; x < view.nx; ++x) {
                const std::size_t at = static_cast<std::size_t>(y) * view.pitch + static_cast<std::size_t>(x);
                if (view.cell && view.cell[at] < 0) continue;
                const bool first = x == 0 || (view.cell && view.cell[at - 1] < 0);
                use(static_cast<double>(view.value[at]), static_cast<double>(view.value[first ? at : at - 1]));
              }
        },
        shown);
  }

  void keep(Solver& solver) {
    const std::size_t all = static_cast<std::size_t>(problem_->system->nx()) *
                            static_cast<std::size_t>(problem_->system->ny()),
                      every = 1 + all / most_kept;
    State state;
    std::size_t number = 0;
    for_each_value(solver.view(field_), [&](double value, double) {
      if (number++ % every == 0) state.push_back(static_cast<float>(value));
    });
    numbers_.push_back(solver.steps_done());
    states_.push_back(std::move(state));
    if (states_.size() > 1 && states_.size() <= doubling / 2) return;  // a start may be rough
    for (Waves& waves : waves_) {
      double sum = 0, squares = 0, differences = 0, count = 0;
      for_each_value(solver.view(waves.field), [&](double value, double before) {
        sum += value, squares += value * value, ++count;
        differences += (value - before) * (value - before);
      });
      const double variance = squares / count - sum / count * (sum / count);
      if (states_.size() == 1 && variance > 0) waves.start = differences / count / variance;
      if (states_.size() > 1 && count > 0) waves.variances += variance, waves.differences += differences / count;
    }
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

  double spread_of(std::size_t state) const {
    double sum = 0, squares = 0;
    for (const float value : states_[state]) sum += value, squares += static_cast<double>(value) * value;
    const double count = static_cast<double>(states_[state].size());
    return std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)));
  }

  // When differences between places that are small at the start, and grow by themselves, have become half of what they
  // will be at most until that time; 0, where they do not.
  double grown_by(double time) const {
    double most = 0;
    for (std::size_t i = 0; i < states_.size() && time_of(i) <= time; ++i) most = std::max(most, spread_of(i));
    std::size_t i = 0;
    while (i + 1 < states_.size() && spread_of(i) < most / 2) ++i;
    return growth_ > 0 && spread_of(0) > 0 && spread_of(0) < 0.2 * most ? time_of(i) : 0;
  }

  // Whether a video of that time has values on both sides of 0.
  bool both_signs(double time) const {
    double low = 0, high = 0;
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (time_of(i) >= time / 16 && time_of(i) <= time) {
        low = std::min(low, extremes(i).first);
        high = std::max(high, extremes(i).second);
      }
    return low < 0 && high > 0 && std::max(-low, high) < 4 * std::min(-low, high);
  }

  // When little is left for good of the range that a video of that time has; that time, where it is not.
  double faded(double time, bool both_signs) const {
    double squares = 0, sizes = 0, range = 0;
    const auto size = [&](std::size_t i) {
      const auto [low, high] = extremes(i);
      return both_signs ? std::max(-low, high) : high - low;
    };
    std::size_t last = 0;
    for (; last + 1 < states_.size() && time_of(last) < time; ++last) {
      range = std::max(range, size(last));
      const double lasts = time_of(last + 1) - time_of(last);
      for (const float value : states_[last])
        squares += lasts * value * value, sizes += lasts * std::abs(static_cast<double>(value));
    }
    if (both_signs) range = 2.5 * squares / sizes;
    double most = 0;  // later
    std::size_t i = states_.size() - 1;
    for (; i > 0 && size(i) < faint * range && most < 1.5 * std::max(size(i), faint * faint * range); --i)
      most = std::max(most, size(i));
    return i < last && size(i) >= faint * range ? time_of(i + 1) : time;
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

  // The time in which changes come everywhere, and in how many such times they are worth a look.
  struct Spread {
    double time, times;
  };
  // From when on the ranges of cells, by their squares, grow more slowly than on the whole. Where most of it comes
  // late, what follows is looked at, too.
  Spread spread() const {
    std::vector<double> squares;  // until each state
    std::vector<float> low = states_[0], high = low;
    double sum = 0;
    for (const State& state : states_) {
      sum = 0;
      for (std::size_t c = 0; c < state.size(); ++c) {
        low[c] = std::min(low[c], state[c]), high[c] = std::max(high[c], state[c]);
        const double range = static_cast<double>(high[c]) - static_cast<double>(low[c]);
        sum += range * range;
      }
      squares.push_back(sum);
    }
    std::size_t knee = states_.size() - 1, half = 0;
    const double end = time_of(knee);
    const auto ahead = [&](std::size_t i) { return squares[i] / sum - time_of(i) / end; };
    for (std::size_t i = knee; i-- > 1 && squares[i] > 0.6 * sum;)
      if (ahead(i) > ahead(knee)) knee = i;
    while (time_of(half) < time_of(knee) / 2) ++half;
    return {time_of(knee), squares[half] < 0.1 * squares[knee] ? 3.0 : 2.0};
  }

  // Whether it is known what happens.
  bool judge() {
    const double now = time_of(states_.size() - 1), c = contrast();
    time_ = 0;
    reason_ = "a small run does not change";
    const std::size_t last = states_.size() - 1;
    if (states_[last].empty() || c == 0) return false;
    // What is still settles only if no small wave grows in it, or differences between places that are small yet.
    const double wide = spread_of(last), narrow = spread_of(last - doubling / 4);
    const bool grows = wide > 1.5 * narrow && narrow > 0,
               waited = !grows && (now * growth_ > 15 || longest_ * growth_ < 5);
    const bool changes = c > 1e-6 * std::abs(static_cast<double>(states_[last][0]));
    std::size_t i = last;
    while (i > 0 && changes && distance(i, last) < small * c) --i;
    const double settled = changes ? time_of(i) : 0;
    if (now > 2 * settled) {
      time_ = 1.25 * settled;
      if (settled > 0) reason_ = fmt::format("by time {:.3g} it has settled", settled);
      if (!waited && growth_ > 0) {
        time_ = std::min(longest_, 40 / growth_);
        reason_ = fmt::format("small waves grow in it, by a factor of e every {:.3g}", 1 / growth_);
      }
      return settled > 0 && waited && now > 4 * settled;
    }
    const auto [most, times] = spread();
    const double speed = this->speed(), before = std::exchange(speed_, speed);
    // Of a speed no more than was seen.
    const double crosses = times * most, goes_on = std::min(25 / speed, now), limit = 120 / speed;
    time_ = std::min(std::max(crosses, goes_on), limit);
    reason_ = crosses > goes_on && crosses <= limit
                  ? fmt::format("by time {:.3g} changes have come everywhere", most)
                  : fmt::format("it goes on, and is another one after time {:.3g}", 1 / speed);
    if (grows) {
      const double rate = exact::log(wide / narrow) / (now - time_of(last - doubling / 4));
      time_ = std::min(longest_, 2.5 * (now + exact::log(std::max(c / wide, 30.0)) / rate));
      reason_ = fmt::format("places grow apart, by a factor of e every {:.3g}", 1 / rate);
    }
    return now > 3 * most && now * speed > 20 && waited && contrast(windows() - 1) > 0.3 * c &&
           std::max(speed, before) < 1.4 * std::min(speed, before);
  }

  const Scene& scene_;
  std::shared_ptr<PdeProblem> problem_;
  const bool middle_, whole_;
  std::string_view field_;
  double step_ = 0, longest_ = 0, growth_ = 0, speed_ = 0, time_ = 0;
  double bears_ = std::numeric_limits<double>::infinity();
  struct Waves {
    std::string field;
    double start = 0, variances = 0, differences = 0;  // in space, of values and of neighbours
  };
  std::vector<Waves> waves_;
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
  // First coarse cells of the whole grid, then finer ones where these do not resolve what is there, then cells as they
  // are, of its middle, and at last many where that is unlike the whole.
  struct Try {
    double cells, work;
    bool middle;
  };
  PdePace found;
  double values = 0, fine = 0;
  if (constexpr double bears = 1e6; static_cast<double>(nx) * ny <= bears) {
    Look whole(options, scene, options.grid, false, field);
    whole.look_at_start(step);
    fine = whole.roughness_at_start();
  }
  for (auto [most, work, middle] :
       {Try{2500, 1e8, false}, Try{10000, 2e8, false}, Try{10000, 2e8, true}, Try{160000, 1e9, false}}) {
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
    const bool rough = look.rough(coarser, fine);
    for (int finer = 0; finer < 2 && ran && found.time > 0 && found.time < 10 * borne; ++finer)
      if ((ran = look.run(borne /= 8, longest, work, growth))) found = look.pace();
    const double own = look.spread_of_values(), before = std::exchange(values, own);
    const bool alike = own < 1.25 * before && before < 1.25 * own;
    if ((!middle && coarser == 1) || (ran && (middle ? alike : !rough))) break;
  }
  return found;
}

}  // namespace simreel
