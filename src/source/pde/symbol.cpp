#include "source/pde/symbol.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "kernels/base/elementary.h"
#include "source/pde/schemes.h"

namespace simreel {
namespace {

using Complex = std::complex<double>;
using Node = Expressions::Node;
using Kind = Expressions::Kind;
using Offset = std::pair<int, int>;  // from the cell
constexpr std::size_t most_values = 40000;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double square(Complex a) { return a.real() * a.real() + a.imag() * a.imag(); }
Complex over(Complex a, Complex b) {
  const double size = square(b);
  const Complex c = times(a, {b.real(), -b.imag()});
  return {c.real() / size, c.imag() / size};
}

// What a difference adds up: the cell [x, y] away, times a factor.
struct Tap {
  double factor;
  int x, y;
};

std::vector<Tap> taps_of(const Node& node) {
  std::vector<Tap> taps;
  const auto add = [&](double factor, int x, int y) { taps.push_back({factor * node.value, x, y}); };
  const auto add_ring = [&](double factor, int x, int y) {  // and the cells turned by a quarter
    add(factor, x, y), add(factor, -y, x), add(factor, -x, -y), add(factor, y, -x);
  };
  switch (node.difference) {
    case Expressions::Difference::shift: taps.push_back({1, node.ox, node.oy}); break;
    case Expressions::Difference::laplacian: add_ring(1, 1, 0), add(-4, 0, 0); break;
    case Expressions::Difference::laplacian_nine: add_ring(4, 1, 0), add_ring(1, 1, 1), add(-20, 0, 0); break;
    case Expressions::Difference::bilaplacian:
      add_ring(-8, 1, 0), add_ring(2, 1, 1), add_ring(1, 2, 0), add(20, 0, 0);
      break;
    case Expressions::Difference::slope_x: add(1, 1, 0), add(-1, -1, 0); break;
    case Expressions::Difference::slope_y: add(1, 0, 1), add(-1, 0, -1); break;
  }
  return taps;
}

// The derivative of an operation by an operand.
double partial(FormulaOp op, const double (&v)[3], std::size_t by) {
  switch (op) {
    case FormulaOp::negate: return -1;
    case FormulaOp::add: return 1;
    case FormulaOp::subtract: return by == 0 ? 1 : -1;
    case FormulaOp::multiply: return v[1 - by];
    case FormulaOp::divide: return by == 0 ? 1 / v[1] : -v[0] / (v[1] * v[1]);
    default: break;
  }
  const auto slope = [&](double step) {
    double low[3] = {v[0], v[1], v[2]}, high[3] = {v[0], v[1], v[2]};
    low[by] -= step, high[by] += step;
    return (formula_value(op, high[0], high[1], high[2], 0) - formula_value(op, low[0], low[1], low[2], 0)) /
           (2 * step);
  };
  // A jump has no slope, and seems the steeper the smaller the step. Near the end of a domain, as that of a root, only
  // a small step stays inside.
  for (const double size : {std::max(1.0, std::fabs(v[by])), std::fabs(v[by])})
    if (const double wide = slope(1e-6 * size); std::fabs(wide - slope(0.5e-6 * size)) <= 0.25 * std::fabs(wide))
      return wide;
  return 0;
}

// Whether an operation is linear in the operands that vary.
bool keeps_linear(FormulaOp op, const bool (&varies)[3]) {
  switch (op) {
    case FormulaOp::negate:
    case FormulaOp::add:
    case FormulaOp::subtract: return true;
    case FormulaOp::multiply: return !(varies[0] && varies[1]);
    case FormulaOp::divide: return !varies[1];
    case FormulaOp::select: return !varies[0];
    default: return !varies[0] && !varies[1] && !varies[2];
  }
}

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

}  // namespace

PdeSymbol::PdeSymbol(const PdeSystem& system) : system_(system) {
  const Expressions& e = system.expressions;
  const auto for_operands = [&](int n, Offset at, const auto& use) {
    const Node& node = e.node(n);
    if (node.kind == Kind::apply)
      for (const int operand : {node.a, node.b, node.c})
        if (operand >= 0) use(operand, at, 1.0);
    if (node.kind == Kind::difference)
      for (const Tap& tap : taps_of(node)) use(node.a, Offset{at.first + tap.x, at.second + tap.y}, tap.factor);
    if (node.kind == Kind::array)
      for (const PdeSystem::Stored& stored : system.stored)
        for (std::size_t i = 0; i < stored.values.size(); ++i)
          if (node.index == pde_stored + stored.first + static_cast<int>(i))
            use(stored.values[i], Offset{at.first + node.ox, at.second + node.oy}, 1.0);
  };
  // Where each node is needed, from the last one on: what it is made of comes before it.
  std::vector<std::map<Offset, int>> places(e.size());
  for (const PdeSystem::Part& part : system.parts) places[static_cast<std::size_t>(part.rate)][{0, 0}];
  std::size_t count = 0;
  for (std::size_t n = places.size(); n-- > 0; count += places[n].size()) {
    for (const auto& place : places[n])
      for_operands(static_cast<int>(n), place.first,
                   [&](int operand, Offset at, double) { places[static_cast<std::size_t>(operand)][at]; });
    if (count > most_values)
      system.options().keys.fail("timestep",
                                 "the equations are too long for a search for the largest stable step; give timestep "
                                 "as a number, with unchecked = true");
  }
  for (std::size_t n = 0; n < places.size(); ++n)
    for (auto& [at, number] : places[n]) {
      number = static_cast<int>(values_.size());
      Value value{e.node(static_cast<int>(n)), at.first, at.second, {}, false};
      bool varies[3] = {};
      for_operands(static_cast<int>(n), at, [&](int operand, Offset there, double factor) {
        const int from = places[static_cast<std::size_t>(operand)].at(there);
        const bool one = values_[static_cast<std::size_t>(from)].varies;
        varies[std::min<std::size_t>(2, value.terms.size())] = one;
        value.varies = value.varies || one;
        value.terms.push_back({from, factor});
      });
      const Node& node = value.node;
      if (node.kind == Kind::apply) linear_ = linear_ && keeps_linear(node.op, varies);
      if (node.kind == Kind::array && node.index < pde_stored) {
        value.varies = true;
        reach_ = std::max({reach_, std::abs(at.first + node.ox), std::abs(at.second + node.oy)});
      }
      values_.push_back(std::move(value));
    }
  for (const PdeSystem::Part& part : system.parts)
    rates_.push_back(places[static_cast<std::size_t>(part.rate)].at({0, 0}));
  const std::size_t width = 2 * static_cast<std::size_t>(reach_) + 1;
  slopes_.resize(rates_.size() * rates_.size() * width * width);
  value_.resize(values_.size());
}

double PdeSymbol::variable(const Value& value, double time, int x, int y) const {
  switch (value.node.variable) {
    case Expressions::Variable::x: return x + value.x;
    case Expressions::Variable::y: return y + value.y;
    case Expressions::Variable::t: return time;
    case Expressions::Variable::nx: return system_.nx();
    case Expressions::Variable::ny: break;
  }
  return system_.ny();
}

void PdeSymbol::evaluate(const PdeState& state, double time, int x, int y) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Value& value = values_[i];
    const Node& node = value.node;
    double& result = value_[i];
    if (node.kind == Kind::constant) {
      result = node.value;
    } else if (node.kind == Kind::variable) {
      result = variable(value, time, x, y);
    } else if (node.kind == Kind::array && value.terms.empty()) {
      result = state(node.index, x + value.x + node.ox, y + value.y + node.oy);
    } else if (node.kind == Kind::apply) {
      double v[3] = {};
      for (std::size_t k = 0; k < value.terms.size(); ++k) v[k] = value_[at(value.terms[k].from)];
      result = formula_value(node.op, v[0], v[1], v[2], 0);
    } else {
      result = 0;
      for (const Term& term : value.terms) result += term.factor * value_[at(term.from)];
    }
  }
}

double PdeSymbol::differentiate(const PdeState& state, double time, int x, int y) {
  evaluate(state, time, x, y);
  for (Value& value : values_) {
    if (value.node.kind != Kind::apply || !value.varies) continue;
    double v[3] = {};
    for (std::size_t k = 0; k < value.terms.size(); ++k) v[k] = value_[at(value.terms[k].from)];
    for (std::size_t k = 0; k < value.terms.size(); ++k)
      if (values_[at(value.terms[k].from)].varies) value.terms[k].factor = partial(value.node.op, v, k);
  }
  // From each rate back to the state.
  std::ranges::fill(slopes_, 0.0);
  std::vector<double> by(values_.size());
  const std::size_t n = rates_.size(), width = 2 * static_cast<std::size_t>(reach_) + 1, cells = width * width;
  double decay = 0;
  norm_ = own_ = 0;
  for (std::size_t f = 0; f < n; ++f) {
    if (!std::isfinite(rate(f))) return std::numeric_limits<double>::quiet_NaN();
    std::ranges::fill(by, 0.0);
    by[at(rates_[f])] = 1;
    double* const slopes = slopes_.data() + f * n * cells;
    for (std::size_t i = at(rates_[f]) + 1; i-- > 0;) {
      const Value& value = values_[i];
      if (by[i] == 0 || !value.varies) continue;
      if (value.terms.empty())
        slopes[(at(value.node.index) * width + at(value.y + value.node.oy + reach_)) * width +
               at(value.x + value.node.ox + reach_)] += by[i];
      for (const Term& term : value.terms)
        if (values_[at(term.from)].varies) by[at(term.from)] += term.factor * by[i];
    }
    double sum = 0;
    for (std::size_t i = 0; i < n * cells; ++i) sum += std::fabs(slopes[i]);
    if (!std::isfinite(sum)) return std::numeric_limits<double>::quiet_NaN();
    const double own = slopes[f * cells + cells / 2];
    decay = std::max(decay, sum - std::fabs(own) - own);
    norm_ = std::max(norm_, sum);
    own_ = std::max(own_, -own);
  }
  return decay;
}

void PdeSymbol::add_waves(PdeSpectrum& spectrum) const {
  if (!spectrum.seen.insert(slopes_).second) return;
  const std::size_t n = rates_.size(), width = 2 * static_cast<std::size_t>(reach_) + 1;
  // Wave numbers up to pi; few of large systems, whose matrices take long.
  const int along = n <= 8 ? 8 : 2;
  std::vector<Complex> turns;
  for (int i = 0; i < 2 * along; ++i) {
    const double phase = 3.14159265358979323846 / along * i;
    turns.push_back({exact::cos(phase), exact::sin(phase)});
  }
  // A grid of one row has no waves across it, if its sides let it be what is beyond them.
  const auto across = [&](std::size_t axis) {
    return system_.options().grid[axis] > 1 ||
           std::ranges::any_of(system_.options().fields, [&](const PdeField& field) {
             return field.sides[2 * axis].kind > PdeSideOptions::Kind::free ||
                    field.sides[2 * axis + 1].kind > PdeSideOptions::Kind::free;
           });
  };
  const int along_x = across(0) ? along : 0, along_y = across(1) ? along : 0;
  for (int ky = -along_y; ky <= along_y; ++ky)
    for (int kx = 0; kx <= along_x; ++kx) {
      std::vector<Complex> matrix(n * n);
      for (std::size_t i = 0; i < slopes_.size(); ++i) {
        if (slopes_[i] == 0) continue;
        const int ox = static_cast<int>(i % width) - reach_, oy = static_cast<int>(i / width % width) - reach_;
        const Complex turn = turns[at((kx * ox + ky * oy) & (2 * along - 1))];
        matrix[i / (width * width)] += Complex{slopes_[i] * turn.real(), slopes_[i] * turn.imag()};
      }
      const bool fine = std::max(kx, std::abs(ky)) >= along / 2;
      for (const Complex rate : Matrix(std::move(matrix), n).eigenvalues()) {
        if (!(square(rate) < 1e60)) continue;
        spectrum.waves.push_back({rate, fine});
        spectrum.decay = std::max(spectrum.decay, -rate.real());
        spectrum.growth = std::max(spectrum.growth, rate.real());
        spectrum.frequency = std::max(spectrum.frequency, std::fabs(rate.imag()));
      }
    }
}

double largest_step(const PdeOptions& options, const PdeSpectrum& spectrum) {
  // A wave that is well resolved may grow a little in a scheme of low order: that is an error, and no instability.
  const bool dispersive = spectrum.frequency > 4 * std::max(spectrum.decay, spectrum.growth);
  // rkc2 is stable far along the real axis and little beside it. Of equations that mostly decay the imaginary parts
  // come from slopes of the state, and do no harm; a part of the interval is left for them.
  const bool decays = options.scheme == PdeSchemeKind::rkc2 && spectrum.frequency < 0.5 * spectrum.decay;
  const double turning = decays ? 0 : 1, whole = decays ? 0.87 : 1;
  const PdeGrowth growth = pde_growth(options);
  std::vector<PdeSpectrum::Wave> waves = spectrum.waves;
  const auto stable = [&](double dt) {
    return std::ranges::all_of(waves, [&](const PdeSpectrum::Wave& wave) {
      const Complex z = {dt * wave.rate.real(), turning * dt * wave.rate.imag()};
      if (!(dispersive && wave.fine) && square(z) < 0.25) return true;
      const double allowed = z.real() > 0 ? exact::exp(1.2 * z.real()) : 1.0;
      return std::sqrt(square(growth(z))) <= allowed * (1 + 1e-7);
    });
  };
  const double fastest = std::max({spectrum.decay, spectrum.growth, spectrum.frequency});
  double low = fastest > 0 ? 1e-4 / fastest : 1.0;
  const double largest = 1e16 * low;
  if (!stable(low)) return 0;
  double high = low;
  const auto trivial = [&](double dt) { return !dispersive && 1.42 * dt * fastest < 0.5; };  // for `stable`
  while (high < largest && (trivial(high) || stable(high))) {
    low = high;
    high *= 1.2;
  }
  if (high >= largest) return std::numeric_limits<double>::infinity();
  // The disc |z + 1| <= 1 lies in the regions of all series of exp, and so does what leads from it to 0.
  if (options.scheme != PdeSchemeKind::rkc2)
    std::erase_if(waves, [&](const PdeSpectrum::Wave& wave) {
      return square(Complex{1 + high * wave.rate.real(), high * wave.rate.imag()}) <= 1;
    });
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (stable(middle) ? low : high) = middle;
  }
  return whole * low;
}

}  // namespace simreel
