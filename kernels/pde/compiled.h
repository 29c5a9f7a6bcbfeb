#pragma once
// A pass as a kernel that the driver of a GPU has compiled.

#include <memory>
#include <string>
#include <vector>

#include "exec/module.h"
#include "kernels/pde/engine.h"

namespace simreel {

template <class Real>
class PdeCompiled {
 public:
  // Null, with the reason, where the driver does not compile it. `rows` of a thread: 1, 2, 4, or 0 for the best.
  static std::unique_ptr<PdeCompiled> make(const Executor&, const PdePass&, int rows, std::string& why);

  // Fills the halo too.
  void run(const PdeGrid&, const PdeRun<Real>&);

 private:
  PdeCompiled(const Executor& executor) : executor_(executor) {}
  void launch(DriverModule::Kernel, int rows, const PdeGrid&, const PdeRun<Real>&, int from, int to, int flags);

  const Executor& executor_;
  std::unique_ptr<DriverModule> module_;
  DriverModule::Kernel kernel_ = nullptr, rest_ = nullptr;
  int rows_ = 1;
  std::vector<Real> uniforms_;
};

}  // namespace simreel
