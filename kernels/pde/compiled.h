#pragma once
// A pass as a kernel that the driver of a GPU has compiled.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/driver.h"
#include "kernels/pde/engine.h"

namespace simreel {

// The kernel of so many rows of a thread; empty, with the reason, if there is none.
template <class Real>
std::optional<std::string> pde_text(const PdePass&, int rows, std::string& why);

template <class Real>
class PdeCompiled {
 public:
  // Null, with the reason, where the driver does not compile it. `rows` of a thread: 1, 2, 4, or 0 for the best.
  static std::unique_ptr<PdeCompiled> make(const Executor&, const PdePass&, int rows, std::string& why);

  // Fills the halo too.
  void run(const PdeGrid&, const PdeRun<Real>&);

 private:
  PdeCompiled(const Executor& executor) : executor_(executor) {}

  const Executor& executor_;
  std::unique_ptr<DriverModule> module_;
  DriverModule::Kernel row_ = nullptr, several_ = nullptr;  // of one row for a thread, and of rows_
  int rows_ = 1, uniforms_ = 0;
  bool small_too_ = false;  // rows_ for small grids too
};

// Of a launch: the inputs, outputs and uniforms of a run, and what is added, which the driver copies at the launch.
template <class Real>
class PdeArguments {
 public:
  // `uniforms` of each of the steps.
  PdeArguments(const PdeRun<Real>& run, int uniforms, int steps = 1) {
    const std::size_t given = run.uniforms.size() / static_cast<std::size_t>(steps);
    for (std::size_t step = 0; step < static_cast<std::size_t>(steps); ++step)
      for (std::size_t i = 0; i < static_cast<std::size_t>(uniforms); ++i)
        uniforms_.push_back(static_cast<Real>(run.uniforms[step * given + i]));
    for (const Real* const& input : run.inputs) add(input);
    for (Real* const& output : run.outputs) add(output);
    for (const Real& value : uniforms_) add(value);
  }
  template <class Value>
  void add(const Value& value) {
    arguments_.push_back(const_cast<void*>(static_cast<const void*>(&value)));
  }
  void** data() { return arguments_.data(); }

 private:
  std::vector<Real> uniforms_;
  std::vector<void*> arguments_;
};

inline constexpr int pde_most_blocks_y = 65535;  // of a launch
constexpr unsigned pde_blocks(int count, int of) { return static_cast<unsigned>((count + of - 1) / of); }

// A launch of a kernel of pde_ptx.
struct PdeLaunch {
  bool rest = false;  // of the rows that are left over, one for each thread
  unsigned blocks_x = 0, blocks_y = 0;
  void** arguments = nullptr;
};
// What a run launches, and then fills: `rows` of a thread.
template <class Real>
void pde_launch(const Executor&, int rows, int uniforms, const PdeGrid&, const PdeRun<Real>&,
                const std::function<void(const PdeLaunch&)>&);

}  // namespace simreel
