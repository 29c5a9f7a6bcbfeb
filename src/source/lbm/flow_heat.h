#pragma once
// The temperature of a flow on an executor.

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "exec/buffer.h"
#include "kernels/lbm/heat.h"
#include "source/lbm/options.h"
#include "source/lbm/shedding.h"

namespace simreel {

// Of one rank's part.
template <class Real>
class FlowHeat {
 public:
  // `params`: of the part; they are driven from now on. Fills the temperature's planes of a state.
  FlowHeat(const Executor&, const LbmOptions&, std::uint64_t seed, LbmParams<Real>& params, const LbmCells&,
           Real* state);

  const LbmHeat<Real>& kernels() const { return heat_; }
  // The parameters with the buoyancy of a state in `push`, for all that observes it; valid until the next call.
  const LbmParams<Real>& seen(const LbmParams<Real>&, const Real* state);

  // The columns of heat_diagnostics. `p` is what `seen` gives.
  std::vector<double> diagnose(const LbmParams<Real>& p, const OwnRows&, const LbmCells&, const Real* state,
                               double fluid, void* scratch) const;

  std::int64_t interval() const { return interval_; }  // steps between samples of the Nusselt number; 0: none
  void note(std::int64_t step, double nusselt) {
    if (!std::isnan(nusselt)) samples_.push_back({static_cast<double>(step), nusselt});
  }
  std::vector<std::string> findings() const;
  void save(Checkpoint& checkpoint) const { checkpoint.save("nusselt", std::span<const Sample>(samples_)); }
  void load(const Checkpoint& checkpoint) { samples_ = checkpoint.load_list<Sample>("nusselt"); }

 private:
  void start(std::uint64_t seed, const LbmParams<Real>&, const LbmCells&, Real* state) const;

  const Executor& executor_;
  const HeatOptions options_;
  LbmHeat<Real> heat_;
  Buffer<LbmHeatWall<Real>> obstacles_;
  Buffer<Real> push_;
  LbmParams<Real> seen_;
  double hot_length_ = 0;  // of walls with the highest temperature, where it is not that of their links
  std::int64_t interval_ = 0;
  std::vector<Sample> samples_;
};

}  // namespace simreel
