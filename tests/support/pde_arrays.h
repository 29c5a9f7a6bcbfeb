#pragma once
// The arrays of a system of equations on an executor, and runs of its passes.

#include "exec/buffer.h"
#include "kernels/pde/engine.h"
#include "tests/support/pde_passes.h"

namespace simreel::test {

template <class Real>
class PdeArrays {
 public:
  PdeArrays(const Executor& executor, const PdeGrid& grid, int count)
      : grid_(grid), sides_(static_cast<std::size_t>(count)) {
    for (int i = 0; i < count; ++i) {
      buffers_.emplace_back(executor, grid.memory());
      buffers_.back().clear();
    }
  }

  Real* operator[](int number) { return buffers_[number].data() + grid_.origin(); }
  Buffer<Real>& buffer(int number) { return buffers_[number]; }
  PdeSides<Real>& sides(int number) { return sides_[number]; }

  // `engine`: a PdeEngine, or what runs as one does.
  template <class Engine>
  void run(Engine& engine, const std::vector<int>& inputs, const std::vector<int>& outputs, int from, int to,
           std::span<const double> uniforms = {}, std::uint64_t seed = 0, std::uint64_t number = 0) {
    std::vector<const Real*> in;
    std::vector<Real*> out;
    std::vector<PdeSides<Real>> sides;
    for (const int i : inputs) in.push_back((*this)[i]);
    for (const int o : outputs) {
      out.push_back((*this)[o]);
      sides.push_back(sides_[o]);
    }
    engine.run(grid_, PdeRun<Real>{in, out, sides, uniforms, seed, number, from, to});
  }

 private:
  PdeGrid grid_;
  std::vector<Buffer<Real>> buffers_;
  std::vector<PdeSides<Real>> sides_;
};

}  // namespace simreel::test
