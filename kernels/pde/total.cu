#include "kernels/pde/total.h"

#include <limits>

namespace simreel {
namespace {

template <class Real>
struct TotalBody {
  using Value = PdeTotal;
  const Real* first;
  std::size_t pitch;

  HD static PdeTotal empty() {
    return {0, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 0};
  }
  HD static PdeTotal combine(const PdeTotal& a, const PdeTotal& b) {
    return {a.sum + b.sum, b.low < a.low ? b.low : a.low, a.high < b.high ? b.high : a.high, a.wrong | b.wrong};
  }
  HD PdeTotal operator()(int x, int y) const {
    const auto value = static_cast<double>(first[static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x)]);
    return {value, value, value, value - value == 0 ? 0 : 1};
  }
};

}  // namespace

std::size_t pde_total_bytes(int nx, int ny) { return reduce_scratch_bytes({nx, ny}, sizeof(PdeTotal)); }

template <class Real>
PdeTotal pde_total(const Executor& executor, const Real* first, std::size_t pitch, int nx, const OwnRows& rows,
                   void* scratch) {
  return reduce(executor, "pde total", nx, rows, TotalBody<Real>{first, pitch}, scratch);
}

template PdeTotal pde_total(const Executor&, const float*, std::size_t, int, const OwnRows&, void*);
template PdeTotal pde_total(const Executor&, const double*, std::size_t, int, const OwnRows&, void*);

}  // namespace simreel
