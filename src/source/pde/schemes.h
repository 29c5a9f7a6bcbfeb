#pragma once
// A step of a system in time, as passes over slots of arrays.

#include <complex>
#include <functional>
#include <vector>

#include "source/pde/passes.h"
#include "source/pde/system.h"

namespace simreel {

struct PdeStage {
  struct Output {
    int slot, part;
  };
  struct StoredWork {
    PdeWork work;
    int first;  // of its arrays
    const PdeField* field;
  };
  int slot = 0;      // of the state that it reads
  double at = 0;     // it reads it at this part of the step,
  double until = 1;  // and computes it for this one
  std::vector<StoredWork> stored;
  PdeWork work;
  std::vector<Output> outputs;

  int reach() const;    // of the stored fields and the pass, one after the other
  int deepest() const;  // of one of them
};

struct PdeScheme {
  int slots = 2;       // slot 0 has the state before a step, and after it,
  bool swaps = false;  // where slots 0 and 1 are exchanged then
  std::vector<PdeStage> stages;

  int reach() const;          // of a step
  int deepest() const;        // of a pass
  double operations() const;  // of a step on a cell; a function other than + - * counts as 20
};

// A product without the special cases of infinities, so that the bits are those of + - * alone.
inline std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// By which a step multiplies u of du/dt = rate u, for z = rate times the step.
using PdeGrowth = std::function<std::complex<double>(std::complex<double> z)>;
PdeGrowth pde_growth(const PdeOptions&);

PdeScheme make_scheme(PdeSystem&, double timestep);
// A pass that computes nodes of the system from its state, after the stored fields that they need.
PdeStage make_stage(const PdeSystem&, int slot, double at, const std::vector<int>& nodes);

}  // namespace simreel
