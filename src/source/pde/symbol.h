#pragma once
// The largest stable step of a system, from the growth of small waves.
//
// At sampled cells of a state the rates are differentiated by the value of each cell around; that is the symbol: a
// matrix for each wave number, whose eigenvalues are the growth rates of waves. A step dt is stable if the scheme
// lets none of them grow by more than it should.

#include <complex>
#include <functional>
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
};

// Value of array `array` (Expressions::array) of the cell [x, y], which may lie beyond the grid by some cells.
using PdeState = std::function<double(int array, int x, int y)>;

// Adds the waves of a state at a time. A rate that is not finite there is a UsageError if the state is that of the
// `whole` grid; else the rest of the waves is left out, and the result is false.
bool add_waves(const PdeSystem&, const PdeState&, double time, bool whole, PdeSpectrum&);

// The largest stable step; infinity if none is too large.
double largest_step(const PdeOptions&, const PdeSpectrum&);

}  // namespace simreel
