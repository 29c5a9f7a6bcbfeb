#pragma once
// Runs the programs of a pass step by step for each cell, intermediates into arrays of their own: on a GPU whose driver
// does not compile, and as the measure of what it compiles.

#include <vector>

#include "exec/buffer.h"
#include "kernels/pde/engine.h"
#include "kernels/pde/program.h"

namespace simreel {

template <class Real>
class PdeInterpreter {
 public:
  PdeInterpreter(const Executor&, const PdePass&);

  // Without what lies beyond the sides.
  void run(const PdeGrid&, const PdeRun<Real>&);

 private:
  struct Stage {
    Buffer<PdeStep> steps;
    Buffer<Real> constants;
    int temporaries = 0;
  };
  template <int temporaries>
  void launch(const Stage&, const PdeGrid&, const PdeRun<Real>&, int outputs, Real* const* output, int beyond);

  const Executor& executor_;
  std::vector<int> depths_;
  std::vector<Stage> stages_;  // of each intermediate and of the outputs
  std::vector<Buffer<Real>> intermediates_;
};

}  // namespace simreel
