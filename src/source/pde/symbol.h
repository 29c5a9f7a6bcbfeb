#pragma once
// The largest stable step of a system, from the growth of small waves.
//
// At cells of a state the rates are differentiated by the value of each cell around; that is the symbol: a matrix for
// each wave number, whose eigenvalues are the growth rates of waves. A step dt is stable if the scheme lets none of
// them grow by more than it should.

#include <complex>
#include <functional>
#include <set>
#include <vector>

#include "source/pde/system.h"

namespace simreel {

struct PdeSpectrum {
  struct Wave {
    std::complex<double> rate;
    bool fine;  // of a few cells' length
  };
  std::vector<Wave> waves;
  double decay = 0, growth = 0, frequency = 0;  // the largest of each
  std::set<std::vector<double>> seen;           // the derivatives that they come from
};

// Value of array `array` (Expressions::array) of the cell [x, y], which may lie beyond the grid by some cells.
using PdeState = std::function<double(int array, int x, int y)>;

// Differentiates the rates of a system.
class PdeSymbol {
 public:
  // The system must outlive it. Throws UsageError where it is too long.
  explicit PdeSymbol(const PdeSystem&);

  bool linear() const { return linear_; }  // the derivatives are the same in all states
  int reach() const { return reach_; }     // how far from a cell its rates read the state
  std::size_t parts() const { return rates_.size(); }
  std::size_t work() const { return values_.size() * rates_.size() + slopes_.size(); }  // operations on a cell

  // The rates of one cell.
  void evaluate(const PdeState&, double time, int x, int y);
  double rate(std::size_t part) const { return value_[static_cast<std::size_t>(rates_[part])]; }
  // And their derivatives: how fast waves decay there at most, by Gershgorin's circles; not a number where a rate is
  // not finite.
  double differentiate(const PdeState&, double time, int x, int y);
  double norm() const { return norm_; }  // of that cell: no wave changes faster
  double own() const { return own_; }    // the fastest decay of a value of that cell by itself
  // The waves of that cell.
  void add_waves(PdeSpectrum&) const;

 private:
  struct Term {
    int from;
    double factor;
  };
  // A node at a cell near: a function or a weighted sum of earlier values.
  struct Value {
    Expressions::Node node;
    int x, y;
    std::vector<Term> terms;
    bool varies;  // with the state
  };
  double variable(const Value&, double time, int x, int y) const;

  const PdeSystem& system_;
  std::vector<Value> values_;
  std::vector<int> rates_;  // numbers of values
  int reach_ = 0;
  bool linear_ = true;
  double norm_ = 0, own_ = 0;
  std::vector<double> value_;   // of the cell
  std::vector<double> slopes_;  // of each rate by each part of each cell around
};

// The largest stable step; infinity if none is too large.
double largest_step(const PdeOptions&, const PdeSpectrum&);

}  // namespace simreel
