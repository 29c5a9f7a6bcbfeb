// Particles in flows that are known.

#include "kernels/lbm/particles.h"

#include "tests/support/backends.h"
#include "tests/support/lbm_fixture.h"

namespace simreel {
namespace {

constexpr int side = 64;
constexpr double middle = (side - 1) / 2.0, start = middle + 20;

// A fluid that turns about its middle like a solid, which linear interpolation gives exactly.
class Turning {
 public:
  Turning(const Executor& executor, double rate) : executor_(executor) {
    p_.nx = p_.ny = side;
    lbm_set_rates(p_, LbmCollision::bgk, 0.02, 3.0 / 16);
    p_.left = p_.right = p_.bottom = p_.top = LbmSide::wall;
    lbm_layout(p_, sizeof(double), executor.backend());
    const LbmGeometry geometry = paint_obstacles({}, side, side, p_.pitch, 1);
    cell_ = Buffer(executor, geometry.cell);
    cells_.cell = cell_.data();
    std::vector<double> density(side * side, 1.0), ux(side * side), uy(side * side);
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x) {
        ux[y * side + x] = -rate * (static_cast<double>(y) - middle);
        uy[y * side + x] = rate * (static_cast<double>(x) - middle);
      }
    Buffer<double> given[3];
    const std::vector<double>* values[] = {&density, &ux, &uy};
    for (int i = 0; i < 3; ++i) {
      given[i] = Buffer<double>(executor, side * side);
      given[i].upload(values[i]->data());
    }
    state_ = Buffer<double>(executor, lbm_values(p_));
    state_.clear();
    lbm_start(executor, p_, cells_, LbmGiven{given[0].data(), given[1].data(), given[2].data(), 0, side},
              state_.data());
    executor.wait();
  }

  // After so many moves of a particle that begins at `start` on the middle row.
  LbmParticle after(int moves) {
    constexpr LbmSeed seed{start, middle};
    Buffer<LbmSeed> seeds(executor_, 1);
    seeds.upload(&seed);
    const LbmParticle first{seed.x, seed.y, std::nan(""), 0, 0, 1};
    Buffer<LbmParticle> now(executor_, 1), next(executor_, 1);
    now.upload(&first);
    for (int n = 0; n <= moves; ++n) {  // the first finds the velocity
      LbmParticles particles{now.data(), next.data(), seeds.data(), 1, {}};
      particles.set[0].end = 1;
      lbm_move(executor_, p_, cells_, static_cast<const double*>(state_.data()), particles, 0, side,
               std::int64_t{n} * lbm_particle_interval);
      std::swap(now, next);
    }
    return now.download()[0];
  }

 private:
  const Executor& executor_;
  LbmParams<double> p_;
  Buffer<std::int8_t> cell_;
  LbmCells cells_;
  Buffer<double> state_;
};

double gap_after_a_turn(const Executor& executor, int moves) {
  const LbmParticle end = Turning(executor, 2 * std::numbers::pi / (moves * lbm_particle_interval)).after(moves);
  return std::hypot(end.x - start, end.y - middle);
}

TEST(LbmParticles, OrbitsCloseWithSecondOrder) {
  const Executor cpu = Executor::cpu(2);
  const double coarse = gap_after_a_turn(cpu, 250), fine = gap_after_a_turn(cpu, 500);
  EXPECT_LT(coarse, 0.02);
  EXPECT_NEAR(coarse / fine, 4, 0.1);
}

TEST(Gpu, ParticlesInAVortexAreThoseOfTheCpuToTheBit) {
  SKIP_WITHOUT_GPU();
  const Executor gpu = Executor::cuda(), cpu = Executor::cpu();
  const LbmParticle a = Turning(gpu, 0.005).after(300), b = Turning(cpu, 0.005).after(300);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.u, b.u);
  EXPECT_EQ(a.v, b.v);
}

}  // namespace
}  // namespace simreel
