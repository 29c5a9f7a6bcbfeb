#pragma once
// The engine of the CPU: a step of a program is a loop over a block of a row; intermediates live in rings of rows, each
// row computed just before the first row of outputs that needs it; threads take bands of rows.

#include <memory>

#include "kernels/pde/engine.h"

namespace simreel {

template <class Real>
class PdeCpu {
 public:
  PdeCpu(const Executor&, const PdePass&);
  PdeCpu(PdeCpu&&) noexcept;
  ~PdeCpu();

  void run(const PdeGrid&, const PdeRun<Real>&);

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace simreel
