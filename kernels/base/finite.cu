#include "kernels/base/finite.h"

#include "kernels/base/reduce.h"

namespace simreel {
namespace {

constexpr int row = 1024;

Extent extent_of(std::size_t count) { return {row, static_cast<int>((count + row - 1) / row)}; }

// 1 where a body has a number that cannot be drawn.
template <class Real>
struct Undrawable {
  using Value = int;
  const Vec4<Real>* body;
  std::size_t count;

  HD static int empty() { return 0; }
  HD static int combine(const int& a, const int& b) { return a | b; }
  HD int operator()(int x, int y) const {
    const std::size_t i = static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x);
    if (i >= count) return 0;
    const Vec4<Real> b = body[i];
    // A difference of equal numbers is 0 unless they are infinite or no numbers.
    const bool finite = b.x - b.x == 0 && b.y - b.y == 0 && b.z - b.z == 0 && b.w - b.w == 0;
    return finite && b.w >= 0 ? 0 : 1;
  }
};

}  // namespace

std::size_t finite_scratch_bytes(std::size_t count) { return reduce_scratch_bytes(extent_of(count), sizeof(int)); }

template <class Real>
bool all_finite(const Executor& executor, const Vec4<Real>* body, std::size_t count, void* scratch) {
  return reduce(executor, "look for bodies that are not finite", extent_of(count), Undrawable<Real>{body, count},
                scratch) == 0;
}

template bool all_finite(const Executor&, const Vec4<float>*, std::size_t, void*);
template bool all_finite(const Executor&, const Vec4<double>*, std::size_t, void*);

}  // namespace simreel
