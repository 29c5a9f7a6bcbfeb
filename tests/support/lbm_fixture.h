#pragma once
// Lattice Boltzmann flows for tests, driven through the kernels' own functions.

#include "exec/buffer.h"
#include "kernels/base/half.h"
#include "kernels/lbm/fused.h"
#include "kernels/lbm/lbm.h"
#include "source/lbm/curves.h"
#include "source/lbm/params.h"
#include "source/obstacles/obstacles.h"
#include "tests/support/test.h"

namespace simreel::test {

template <class Real>
struct Flow {
  LbmParams<Real> p;
  LbmInitial initial = LbmInitial::rest;
  double velocity = 0.05;
  std::vector<ObstacleOptions> obstacles;
  bool curved = false;
};

template <class Real>
Flow<Real> flow(int nx, int ny, LbmCollision collision, double viscosity) {
  Flow<Real> f;
  f.p.nx = nx;
  f.p.ny = ny;
  f.p.velocity = static_cast<Real>(f.velocity);
  lbm_set_rates(f.p, collision, viscosity, 3.0 / 16);
  return f;
}

template <class Real>
void walls(LbmParams<Real>& p) {
  p.bottom = p.top = LbmSide::wall;
}

inline ObstacleOptions circle(double x, double y, double radius) {
  ObstacleOptions o;
  o.center = {x, y};
  o.radius = radius;
  return o;
}

// A flow on an executor.
template <class Real, class Stored = Real>
class Fluid {
 public:
  // With `only_edges` every fluid cell takes the general way.
  Fluid(const Executor& executor, Flow<Real> f, bool only_edges = false) : executor_(executor), p_(f.p) {
    lbm_layout(p_, sizeof(Stored), executor.backend());
    geometry_ = paint_obstacles(f.obstacles, p_.nx, p_.ny, p_.pitch, 1);
    mark_layer(geometry_, p_);
    const CurveLists curves = find_curves(geometry_, p_, f.obstacles, f.curved);
    if (only_edges) make_edges();
    cell_ = Buffer(executor, geometry_.cell);
    edge_ = Buffer(executor, geometry_.edge);
    cells_ = {cell_.data(), edge_.data(), static_cast<std::uint32_t>(edge_.size()), curves_.upload(executor, curves),
              spins_.upload(executor, f.obstacles)};
    for (Buffer<Stored>& state : state_) {
      state = Buffer<Stored>(executor, lbm_values(p_));
      state.clear();
    }
    scratch_ = Buffer<std::byte>(executor, lbm_reduce_bytes(p_));
    lbm_start(executor, p_, cells_, f.initial, f.velocity, state_[0].data());
  }

  // Two steps a pass, where lbm_can_fuse.
  void step_fused(int passes) {
    const LbmTileLists lists = lbm_tile_lists<Real, Stored>(executor_, p_, {0, p_.ny}, geometry_.cell.data());
    for (int i = 0; i < passes; ++i) {
      lbm_fused_step(executor_, p_, cells_, lists, Share::all, static_cast<const Stored*>(state_[0].data()),
                     state_[1].data());
      std::swap(state_[0], state_[1]);
    }
    executor_.wait();
  }

  // The shares of two steps one after the other, the inner one while the halo holds no numbers. Returns whether the
  // inner one advanced anything.
  bool step_in_shares(const OwnRows& own) {
    const LbmTileLists lists = lbm_tile_lists<Real, Stored>(executor_, p_, own, geometry_.cell.data());
    const auto submit = [&](Share share) {
      lbm_fused_step(executor_, p_, cells_, lists, share, static_cast<const Stored*>(state_[0].data()),
                     state_[1].data());
    };
    const std::vector<Stored> right = state();
    std::vector<Stored> wrong = right;
    for (std::size_t i = 0; i < 9; ++i)
      for (int y = 0; y < p_.ny; ++y)
        if (!own.hold(y, y + 1)) std::memset(&wrong[i * p_.plane + y * p_.pitch], 0xff, p_.pitch * sizeof(Stored));
    state_[0].upload(wrong.data());
    submit(Share::inner);
    executor_.wait();
    state_[0].upload(right.data());
    submit(Share::outer);
    executor_.wait();
    std::swap(state_[0], state_[1]);
    return lists.inner_plain > 0 && lists.inner_mixed > 0;
  }

  void step(int steps) {
    for (int i = 0; i < steps; ++i) {
      lbm_step(executor_, p_, cells_, static_cast<const Stored*>(state_[0].data()), state_[1].data());
      std::swap(state_[0], state_[1]);
    }
  }
  // What inlets bring from now on, in shares of the velocity.
  void bring_in(double share) { p_.inflow[0] = p_.inflow[1] = {static_cast<Real>(share), Real(0)}; }
  LbmSums sums() { return lbm_sums(executor_, p_, {0, p_.ny}, cells_, now(), scratch_.data()); }
  LbmForce force(int n) {
    return lbm_force(executor_, p_, {0, p_.ny}, cells_, now(), n, geometry_.boxes[n], scratch_.data());
  }

  // A field, row by row without padding.
  std::vector<Real> field(LbmField which) {
    return shown([&](Real* to) { lbm_field(executor_, p_, cells_, now(), which, to); });
  }
  std::vector<Stored> state() const { return state_[0].download(); }
  const LbmParams<Real>& params() const { return p_; }

 protected:
  const Stored* now() const { return state_[0].data(); }
  template <class Show>
  std::vector<Real> shown(const Show& show) const {
    Buffer<Real> field(executor_, geometry_.cell.size());
    show(field.data());
    const std::vector<Real> padded = field.download();
    std::vector<Real> values;
    for (int y = 0; y < p_.ny; ++y) {
      const auto row = padded.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y) * p_.pitch);
      values.insert(values.end(), row, row + p_.nx);
    }
    return values;
  }

 private:
  void make_edges() {
    geometry_.edge.clear();
    for (int y = 0; y < p_.ny; ++y)
      for (int x = 0; x < p_.nx; ++x) {
        const std::size_t place = static_cast<std::size_t>(y) * p_.pitch + static_cast<std::size_t>(x);
        if (geometry_.cell[place] < 0) continue;
        geometry_.cell[place] = static_cast<std::int8_t>(geometry_.cell[place] | lbm_edge);
        geometry_.edge.push_back(static_cast<std::uint32_t>(place));
      }
  }

 protected:
  const Executor& executor_;
  LbmParams<Real> p_;
  LbmGeometry geometry_;
  Buffer<std::int8_t> cell_;
  Buffer<std::uint32_t> edge_;
  CurveBuffers curves_;
  SpinBuffer spins_;
  LbmCells cells_;
  Buffer<Stored> state_[2];
  Buffer<std::byte> scratch_;
};

// Whether two cells differ; solid ones are NaN in both.
inline bool differ(float a, float b) { return std::isnan(a) ? !std::isnan(b) : a != b; }

// In how many cells of a square the flow `b` is not, to the bit, `a` turned by 90 degrees to the left.
inline int cells_not_turned(Fluid<float>& a, Fluid<float>& b, int side) {
  const std::vector<float> ux = a.field(LbmField::ux), uy = b.field(LbmField::uy);
  int different = 0;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) different += differ(ux[y * side + x], uy[x * side + side - 1 - y]);
  return different;
}

}  // namespace simreel::test

namespace simreel {

using test::circle, test::flow, test::Flow, test::Fluid, test::walls;

}  // namespace simreel
