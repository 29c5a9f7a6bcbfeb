#pragma once
// Two phases of a flow on an executor.

#include "kernels/lbm/phases.h"
#include "source/lbm/options.h"

namespace simreel {

template <class Real>
class FlowPhases {
 public:
  FlowPhases(const Executor& executor, const LbmOptions& o)
      : executor_(executor),
        options_(o.phases),
        periodic_{o.left == LbmSide::periodic, o.bottom == LbmSide::periodic},
        phases_(lbm_phases_of<Real>(o.phases.fluids)) {}

  // Fills a state.
  void start(const LbmParams<Real>&, Real* state) const;
  void step(const LbmParams<Real>& p, const Real* from, Real* to) const {
    lbm_phases_step(executor_, p, phases_, from, to);
  }
  void show(const LbmParams<Real>& p, const Real* state, LbmField field, Real* to) const {
    lbm_phases_field(executor_, p, phases_, state, field, to);
  }
  // As lbm_sums; `liquid` becomes its volume in cells.
  LbmSums sums(const LbmParams<Real>&, const OwnRows&, const Real* state, void* scratch, double& liquid) const;

 private:
  const Executor& executor_;
  const PhasesOptions options_;
  bool periodic_[2];
  LbmPhases<Real> phases_;
};

}  // namespace simreel
