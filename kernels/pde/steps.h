#pragma once
// Several steps of a pass in one launch of a kernel, where its outputs are its inputs in the next step: the state is
// read and written once for all of them. The bits are those of steps one at a time.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/driver.h"
#include "kernels/pde/engine.h"
#include "kernels/pde/ptx_steps.h"

namespace simreel {

struct PdeStepsShape {
  int steps = 0, cells = 0;  // of PdeStepsForm
  int rows = 0;              // of a warp; 0 in any of them: what is best
};

// How steps of a pass are taken together on a grid. Empty where they are not: where the pass reaches further than two
// cells or reads what lies beyond a side of an intermediate; where it takes random numbers or a function of a library,
// which cost more than memory does; where too many rows would have to be kept; and on grids of less than a million
// cells with sides or coefficients. `sides` of each output.
template <class Real>
std::optional<PdeStepsForm> pde_steps_form(const PdePass&, const std::vector<int>& next, const PdeGrid&,
                                           const std::vector<PdeSides<Real>>& sides, const PdeStepsShape&);

template <class Real>
class PdeSteps {
 public:
  // `next`: the input that each output is in the next step. Null on a CPU, where pde_steps_form is empty, and where the
  // driver does not compile the kernel.
  static std::unique_ptr<PdeSteps> make(const Executor&, const PdePass&, const std::vector<int>& next, const PdeGrid&,
                                        const std::vector<PdeSides<Real>>& sides, const PdeStepsShape& = {});

  int count() const { return form_.steps; }
  // `uniforms`: of one step after the other. The rows that are read are those of `count` steps beyond from and to; what
  // lies beyond sides is neither read nor filled. No output may be an input.
  void run(const PdeGrid&, const PdeRun<Real>&);

 private:
  PdeSteps(const Executor& executor) : executor_(executor) {}

  const Executor& executor_;
  std::unique_ptr<DriverModule> module_;
  DriverModule::Kernel kernel_ = nullptr;
  PdeStepsForm form_;
  int reach_ = 0, uniforms_ = 0, rows_ = 0;
};

// A launch of a kernel of pde_ptx_steps; `rows` of a warp.
template <class Real>
void pde_launch_steps(const PdeStepsForm&, int reach, int uniforms, int rows, const PdeGrid&, const PdeRun<Real>&,
                      const std::function<void(unsigned blocks_x, unsigned blocks_y, void** arguments)>&);

}  // namespace simreel
