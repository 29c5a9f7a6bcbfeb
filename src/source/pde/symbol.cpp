#include "source/pde/symbol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "kernels/base/elementary.h"
#include "kernels/base/random.h"
#include "source/pde/schemes.h"

namespace simreel {
namespace {

using Complex = std::complex<double>;
using Node = Expressions::Node;
using Kind = Expressions::Kind;
constexpr int max_samples = 200;  // of a system of up to 8 values a cell; fewer of larger ones
constexpr int waves_along = 8;    // wave numbers up to pi, in each direction

// Products without the special cases of infinities, so that the bits are those of + - * alone.
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
double square(Complex a) { return a.real() * a.real() + a.imag() * a.imag(); }
Complex over(Complex a, Complex b) {
  const double size = square(b);
  const Complex c = times(a, {b.real(), -b.imag()});
  return {c.real() / size, c.imag() / size};
}

// A value and its derivatives by the cells around, from -reach to reach, of each part.
struct Jet {
  double value = 0;
  std::vector<double> slope;  // empty: all are 0
};

class Differentiator {
 public:
  Differentiator(const PdeSystem& system, const PdeState& state, int reach, double time, int x, int y)
      : system_(system), state_(state), reach_(reach), time_(time), x_(x), y_(y) {}

  const Jet& jet(int n, int ox, int oy) {
    const auto [found, fresh] = known_.try_emplace({n, ox, oy});
    if (fresh) {
      Jet made = make(n, ox, oy);
      found->second = std::move(made);
    }
    return found->second;
  }
  std::size_t place(int part, int ox, int oy) const {
    const int width = 2 * reach_ + 1;
    return static_cast<std::size_t>((part * width + oy + reach_) * width + ox + reach_);
  }

 private:
  std::size_t size() const { return place(static_cast<int>(system_.parts.size()), -reach_, -reach_); }

  void add(Jet& to, double factor, const Jet& jet) {
    to.value += factor * jet.value;
    add_slope(to, factor, jet);
  }
  void add_slope(Jet& to, double factor, const Jet& jet) {
    if (jet.slope.empty() || factor == 0) return;
    if (to.slope.empty()) to.slope.assign(size(), 0.0);
    for (std::size_t i = 0; i < to.slope.size(); ++i) to.slope[i] += factor * jet.slope[i];
  }

  Jet make(int n, int ox, int oy) {
    const Node& node = system_.expressions.node(n);
    Jet jet;
    switch (node.kind) {
      case Kind::constant: jet.value = node.value; break;
      case Kind::variable: jet.value = variable(node, ox, oy); break;
      case Kind::random: break;
      case Kind::array: jet = array(node, ox + node.ox, oy + node.oy); break;
      case Kind::apply: jet = apply(node, ox, oy); break;
      case Kind::difference: jet = difference(node, ox, oy); break;
    }
    return jet;
  }

  double variable(const Node& node, int ox, int oy) const {
    switch (node.variable) {
      case Expressions::Variable::x: return x_ + ox;
      case Expressions::Variable::y: return y_ + oy;
      case Expressions::Variable::t: return time_;
      case Expressions::Variable::nx: return system_.nx();
      case Expressions::Variable::ny: break;
    }
    return system_.ny();
  }

  Jet array(const Node& node, int ox, int oy) {
    for (const PdeSystem::Stored& stored : system_.stored)
      for (std::size_t i = 0; i < stored.values.size(); ++i)
        if (node.index == pde_stored + stored.first + static_cast<int>(i)) return jet(stored.values[i], ox, oy);
    Jet jet;
    jet.value = state_(node.index, x_ + ox, y_ + oy);
    if (node.index >= pde_stored) return jet;
    jet.slope.assign(size(), 0.0);
    jet.slope[place(node.index, ox, oy)] = 1;
    return jet;
  }

  Jet apply(const Node& node, int ox, int oy) {
    const int operands[] = {node.a, node.b, node.c};
    double v[3] = {};
    for (std::size_t i = 0; i < 3; ++i)
      if (operands[i] >= 0) v[i] = jet(operands[i], ox, oy).value;
    Jet result;
    result.value = formula_value(node.op, v[0], v[1], v[2], 0);
    for (std::size_t i = 0; i < 3; ++i) {
      if (operands[i] < 0) continue;
      const Jet& operand = jet(operands[i], ox, oy);
      if (!operand.slope.empty()) add_slope(result, partial(node.op, v, i), operand);
    }
    return result;
  }

  static double partial(FormulaOp op, const double (&v)[3], std::size_t by) {
    switch (op) {
      case FormulaOp::negate: return -1;
      case FormulaOp::add: return 1;
      case FormulaOp::subtract: return by == 0 ? 1 : -1;
      case FormulaOp::multiply: return v[1 - by];
      case FormulaOp::divide: return by == 0 ? 1 / v[1] : -v[0] / (v[1] * v[1]);
      default: break;
    }
    const double step = 1e-6 * std::max(1.0, std::fabs(v[by]));
    double low[3] = {v[0], v[1], v[2]}, high[3] = {v[0], v[1], v[2]};
    low[by] -= step, high[by] += step;
    const double slope =
        (formula_value(op, high[0], high[1], high[2], 0) - formula_value(op, low[0], low[1], low[2], 0)) / (2 * step);
    // A jump has no slope.
    return std::fabs(slope) < 1e5 ? slope : 0;
  }

  Jet difference(const Node& node, int ox, int oy) {
    Jet result;
    const auto add_cell = [&](double factor, int dx, int dy) {
      add(result, factor * node.value, jet(node.a, ox + dx, oy + dy));
    };
    const auto add_ring = [&](double factor, int dx, int dy) {  // and the cells turned by a quarter
      add_cell(factor, dx, dy), add_cell(factor, -dy, dx), add_cell(factor, -dx, -dy), add_cell(factor, dy, -dx);
    };
    switch (node.difference) {
      case Expressions::Difference::shift: return jet(node.a, ox + node.ox, oy + node.oy);
      case Expressions::Difference::laplacian: add_ring(1, 1, 0), add_cell(-4, 0, 0); break;
      case Expressions::Difference::laplacian_nine: add_ring(4, 1, 0), add_ring(1, 1, 1), add_cell(-20, 0, 0); break;
      case Expressions::Difference::bilaplacian:
        add_ring(-8, 1, 0), add_ring(2, 1, 1), add_ring(1, 2, 0), add_cell(20, 0, 0);
        break;
      case Expressions::Difference::slope_x: add_cell(1, 1, 0), add_cell(-1, -1, 0); break;
      case Expressions::Difference::slope_y: add_cell(1, 0, 1), add_cell(-1, 0, -1); break;
    }
    return result;
  }

  const PdeSystem& system_;
  const PdeState& state_;
  int reach_;
  double time_;
  int x_, y_;
  std::map<std::tuple<int, int, int>, Jet> known_;
};

double size_of(Complex a) { return std::sqrt(square(a)); }

Complex root_of(Complex a) {
  const double size = size_of(a), re = std::sqrt(std::max(0.0, 0.5 * (size + a.real())));
  const double im = std::sqrt(std::max(0.0, 0.5 * (size - a.real())));
  return {re, a.imag() < 0 ? -im : im};
}

// A square matrix of n rows.
class Matrix {
 public:
  Matrix(std::vector<Complex> values, std::size_t n) : values_(std::move(values)), n_(n) {}

  // Golub and Van Loan 2013, "Matrix computations", sections 7.4 and 7.5: to Hessenberg form by elimination, then
  // shifted QR steps by rotations.
  std::vector<Complex> eigenvalues() {
    reduce();
    std::vector<Complex> found;
    for (std::size_t last = n_; last > 0;) {
      int tries = 0;
      std::size_t first = begin_of_block(last);
      for (; first + 1 < last && tries < 60; first = begin_of_block(last)) rotate(first, last, ++tries);
      --last;
      found.push_back(at(last, last));
    }
    return found;
  }

 private:
  Complex& at(std::size_t i, std::size_t j) { return values_[i * n_ + j]; }

  void reduce() {
    for (std::size_t k = 1; k + 1 < n_; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k; i < n_; ++i)
        if (square(at(i, k - 1)) > square(at(pivot, k - 1))) pivot = i;
      if (square(at(pivot, k - 1)) == 0) continue;
      for (std::size_t j = 0; j < n_; ++j) std::swap(at(k, j), at(pivot, j));
      for (std::size_t i = 0; i < n_; ++i) std::swap(at(i, k), at(i, pivot));
      for (std::size_t i = k + 1; i < n_; ++i) {
        const Complex factor = over(at(i, k - 1), at(k, k - 1));
        for (std::size_t j = 0; j < n_; ++j) at(i, j) -= times(factor, at(k, j));
        for (std::size_t j = 0; j < n_; ++j) at(j, k) += times(factor, at(j, i));
      }
    }
  }

  // Of the rows before `last` that belong together.
  std::size_t begin_of_block(std::size_t last) {
    std::size_t first = last - 1;
    for (; first > 0; --first)
      if (size_of(at(first, first - 1)) <= 1e-15 * (size_of(at(first - 1, first - 1)) + size_of(at(first, first))))
        break;
    return first;
  }

  // The eigenvalue of the last two rows that is nearer to the last value.
  Complex shift(std::size_t last, int tries) {
    const Complex d = at(last - 1, last - 1);
    if (tries % 10 == 0) return d + size_of(at(last - 1, last - 2));
    const Complex half = {0.5 * (at(last - 2, last - 2).real() - d.real()),
                          0.5 * (at(last - 2, last - 2).imag() - d.imag())};
    const Complex product = times(at(last - 2, last - 1), at(last - 1, last - 2));
    const Complex root = root_of(times(half, half) + product);
    const Complex sum = square(half + root) > square(half - root) ? half + root : half - root;
    return square(sum) == 0 ? d : d - over(product, sum);
  }

  void rotate(std::size_t first, std::size_t last, int tries) {
    const Complex from = shift(last, tries);
    for (std::size_t i = first; i < last; ++i) at(i, i) -= from;
    std::vector<std::pair<Complex, Complex>> turns;
    for (std::size_t k = first; k + 1 < last; ++k) {
      const double size = std::sqrt(square(at(k, k)) + square(at(k + 1, k)));
      const auto scaled = [&](Complex a) { return size > 0 ? Complex{a.real() / size, a.imag() / size} : Complex(1); };
      const Complex a = scaled(at(k, k)), b = size > 0 ? scaled(at(k + 1, k)) : Complex(0);
      turns.emplace_back(a, b);
      for (std::size_t j = k; j < last; ++j) {
        const Complex above = at(k, j), below = at(k + 1, j);
        at(k, j) = times(std::conj(a), above) + times(std::conj(b), below);
        at(k + 1, j) = times(a, below) - times(b, above);
      }
    }
    for (std::size_t k = first; k + 1 < last; ++k) {
      const auto [a, b] = turns[k - first];
      for (std::size_t i = first; i <= std::min(k + 1, last - 1); ++i) {
        const Complex left = at(i, k), right = at(i, k + 1);
        at(i, k) = times(left, a) + times(right, b);
        at(i, k + 1) = times(right, std::conj(a)) - times(left, std::conj(b));
      }
    }
    for (std::size_t i = first; i < last; ++i) at(i, i) += from;
  }

  std::vector<Complex> values_;
  std::size_t n_;
};

// How a scheme changes a wave in a step.
class Amplification {
 public:
  explicit Amplification(const PdeOptions& options) : scheme_(options.scheme) {
    if (scheme_ == PdeSchemeKind::rkc2) chebyshev_.emplace(options.stages);
  }

  // z is the wave's rate times the step.
  Complex operator()(Complex z) const {
    const auto scaled = [](Complex a, double by) { return Complex{a.real() * by, a.imag() * by}; };
    if (!chebyshev_) {
      const int order = scheme_ == PdeSchemeKind::euler ? 1 : scheme_ == PdeSchemeKind::heun ? 2 : 4;
      Complex value = 1;
      for (int k = order; k >= 1; --k) value = 1.0 + scaled(times(z, value), 1.0 / k);
      return value;
    }
    const PdeChebyshev& k = *chebyshev_;
    const Complex x = k.w0 + scaled(z, k.w1);
    Complex before = 1, now = x;
    for (std::size_t j = 2; j < k.b.size(); ++j) {
      const Complex next = scaled(times(x, now), 2) - before;
      before = now;
      now = next;
    }
    return k.a.back() + scaled(now, k.b.back());
  }

 private:
  PdeSchemeKind scheme_;
  std::optional<PdeChebyshev> chebyshev_;
};

}  // namespace

bool add_waves(const PdeSystem& system, const PdeState& state, double time, bool whole, PdeSpectrum& spectrum) {
  std::vector<int> rates;
  for (const PdeSystem::Part& part : system.parts) rates.push_back(part.rate);
  const PdeStage stage = make_stage(system, 0, 0, rates);
  int reach = stage.work.reach;
  for (const PdeStage::StoredWork& stored : stage.stored) reach += stored.work.reach;
  const std::size_t n = rates.size();
  std::array<Complex, 2 * waves_along> turns;
  for (int i = 0; i < 2 * waves_along; ++i) {
    const double phase = 3.14159265358979323846 / waves_along * i;
    turns[static_cast<std::size_t>(i)] = {exact::cos(phase), exact::sin(phase)};
  }
  const int samples = std::clamp(static_cast<int>(max_samples * 512 / (n * n * n)), 4, max_samples);
  for (int sample = 0; sample < samples; ++sample) {
    const auto random = [&](int which, int cells) {
      return static_cast<int>(random_unit(5, 1, static_cast<std::uint64_t>(2 * sample + which)) * cells);
    };
    const int x = random(0, system.nx()), y = random(1, system.ny());
    Differentiator cell(system, state, reach, time, x, y);
    for (const PdeSystem::Part& part : system.parts)
      if (const double rate = cell.jet(part.rate, 0, 0).value; !std::isfinite(rate)) {
        if (!whole) return false;
        fail_in(part.field->rate, fmt::format("the rate of {} is {} at the cell [{}, {}] at time {:.4g}; keep divisors "
                                              "from 0, and roots and logarithms from what is below it",
                                              part.field->name, rate, x, y, time));
      }
    for (int ky = -waves_along; ky <= waves_along; ++ky)
      for (int kx = 0; kx <= waves_along; ++kx) {
        std::vector<Complex> matrix(n * n);
        for (std::size_t f = 0; f < n; ++f) {
          const Jet& rate = cell.jet(rates[f], 0, 0);
          if (rate.slope.empty()) continue;
          for (std::size_t g = 0; g < n; ++g)
            for (int oy = -reach; oy <= reach; ++oy)
              for (int ox = -reach; ox <= reach; ++ox) {
                const double slope = rate.slope[cell.place(static_cast<int>(g), ox, oy)];
                if (slope == 0) continue;
                const Complex turn = turns[static_cast<std::size_t>((kx * ox + ky * oy) & (2 * waves_along - 1))];
                matrix[f * n + g] += Complex{slope * turn.real(), slope * turn.imag()};
              }
        }
        const bool fine = std::max(kx, std::abs(ky)) >= waves_along / 2;
        for (const Complex rate : Matrix(std::move(matrix), n).eigenvalues()) {
          if (!(square(rate) < 1e60)) continue;
          spectrum.waves.push_back({rate, fine});
          spectrum.decay = std::max(spectrum.decay, -rate.real());
          spectrum.growth = std::max(spectrum.growth, rate.real());
          spectrum.frequency = std::max(spectrum.frequency, std::fabs(rate.imag()));
        }
      }
  }
  return true;
}

double largest_step(const PdeOptions& options, const PdeSpectrum& spectrum) {
  // A wave that is well resolved may grow a little in a scheme of low order: that is an error, and no instability.
  const bool dispersive = spectrum.frequency > 4 * std::max(spectrum.decay, spectrum.growth);
  // rkc2 is stable far along the real axis and little beside it. Of equations that mostly decay the imaginary parts
  // come from slopes of the state, and do no harm; a part of the interval is left for them.
  const bool decays = options.scheme == PdeSchemeKind::rkc2 && spectrum.frequency < 0.5 * spectrum.decay;
  const double turning = decays ? 0 : 1, whole = decays ? 0.87 : 1;
  const Amplification amplification(options);
  std::vector<PdeSpectrum::Wave> waves = spectrum.waves;  // a linear equation has the same ones at every cell
  const auto key = [](const PdeSpectrum::Wave& wave) {
    return std::tuple(wave.rate.real(), wave.rate.imag(), wave.fine);
  };
  std::ranges::sort(waves, {}, key);
  const auto again = std::ranges::unique(waves, {}, key);
  waves.erase(again.begin(), again.end());
  const auto stable = [&](double dt) {
    return std::ranges::all_of(waves, [&](const PdeSpectrum::Wave& wave) {
      const Complex z = {dt * wave.rate.real(), turning * dt * wave.rate.imag()};
      if (!(dispersive && wave.fine) && square(z) < 0.25) return true;
      const double allowed = z.real() > 0 ? exact::exp(1.2 * z.real()) : 1.0;
      return std::sqrt(square(amplification(z))) <= allowed * (1 + 1e-7);
    });
  };
  const double fastest = std::max({spectrum.decay, spectrum.growth, spectrum.frequency});
  double low = fastest > 0 ? 1e-4 / fastest : 1.0;
  const double largest = 1e16 * low;
  if (!stable(low)) return 0;
  double high = low;
  while (high < largest && stable(high)) {
    low = high;
    high *= 1.2;
  }
  if (high >= largest) return std::numeric_limits<double>::infinity();
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (stable(middle) ? low : high) = middle;
  }
  return whole * low;
}

}  // namespace simreel
