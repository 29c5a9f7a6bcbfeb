#pragma once
// What lies beyond the sides of an array, at a time.

#include <algorithm>
#include <array>

#include "exec/buffer.h"
#include "kernels/pde/engine.h"
#include "source/pde/system.h"

namespace simreel {

template <class Real>
class PdeSideArrays {
 public:
  // Of the real or the imaginary part of a field, `halo` cells deep. The system must outlive it.
  PdeSideArrays(const Executor&, const PdeSystem&, const PdeField&, bool imaginary, int halo);

  // Valid until the next call.
  const PdeSides<Real>& at(double time);
  bool change() const {  // in time
    return std::ranges::any_of(sides_, [](const Side& side) { return side.changes; });
  }

  static std::size_t bytes(const PdeSystem&, int halo);

 private:
  struct Side {
    std::array<Formula, 2> formulas;  // of PdeSideOptions::values
    bool changes = false;
    Buffer<Real> factor, offset;
  };
  void set(std::size_t side, double time);

  const PdeSystem* system_;
  const PdeField* field_;
  bool imaginary_;
  int halo_;
  std::array<Side, 4> sides_;
  PdeSides<Real> given_;
  double time_ = -1;
};

// Throws UsageError for mistakes in a side of a field, and for values that are not finite at time 0, as far as the
// `effort` of the scene bears to look; null: a little.
void check_pde_side(const PdeSystem&, const PdeField&, std::size_t side, const Scene*);

}  // namespace simreel
