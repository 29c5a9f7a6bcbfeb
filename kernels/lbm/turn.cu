#include "kernels/base/launch.h"
#include "kernels/base/math.h"
#include "kernels/lbm/lbm.h"

namespace simreel {
namespace {

struct Turn {
  LbmSpin* spin;
  std::int64_t step;

  HD void operator()(int n, int) const {
    LbmSpin& s = spin[n];
    for (int i = 0; i < 2; ++i) {
      const double periods = static_cast<double>(step + i + 1) / s.period;
      s.now[i] = s.period > 0 ? s.rate * exact::sinpi(2 * (periods - std::floor(periods))) : s.rate;
    }
  }
};

}  // namespace

void lbm_turn(const Executor& executor, LbmSpin* spin, int obstacles, std::int64_t step) {
  parallel_for(executor, "lbm_turn", {obstacles, 1}, Turn{spin, step});
}

}  // namespace simreel
