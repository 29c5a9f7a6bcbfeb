#pragma once
// [[solver.particles]]: their keys, where they begin, and their state.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "exec/communicator.h"
#include "exec/domain.h"
#include "kernels/lbm/particles.h"
#include "scene/scene.h"
#include "source/obstacles/obstacles.h"

namespace simreel {

class Checkpoint;
struct LbmOptions;

// One set.
struct ParticleOptions {
  int count = 2000;                               // that begin at once
  std::optional<std::array<double, 2>> from, to;  // along a line, cells; unset: all over the fluid
  std::int64_t every = 0;                         // steps from a release to the next; 0: they begin once
  std::int64_t life = 0;                          // steps; 0: without end
  Position position;

  std::int64_t releases() const { return every > 0 ? (life + every - 1) / every : 1; }
  std::int64_t particles() const { return count * releases(); }
};
std::vector<ParticleOptions> read_particles(Table& keys, const LbmOptions&);

// How many there are, and the past places of each that pictures need.
struct ParticlePlan {
  std::vector<ParticleOptions> sets;
  double trail = 0;       // steps for which a path is seen
  std::int64_t pace = 0;  // steps from one past place to the next; 0: none are kept
  int count = 0, rows = 0;

  explicit operator bool() const { return count > 0; }
  std::size_t saved_bytes() const;
  std::size_t bytes(int ranks) const;  // executor memory
  std::string fact() const;            // for `check`
};
ParticlePlan plan_particles(const std::vector<ParticleOptions>&, const Scene&);

class CarriedParticles {
 public:
  // `geometry` is that of the whole grid of nx columns, in rows of `pitch` cells.
  CarriedParticles(const Executor&, const Communicator&, const std::vector<Domain>&, const ParticlePlan&,
                   const LbmGeometry& geometry, int nx, std::size_t pitch, std::uint64_t seed);

  // To be called at step 0 and then every lbm_particle_interval steps, with three valid rows of the halo.
  template <class Real, class Stored>
  void move(const LbmParams<Real>& p, const LbmCells& cells, const Stored* state, std::int64_t step) {
    const Domain& domain = domains_[static_cast<std::size_t>(ranks_.rank())];
    lbm_move(executor_, p, cells, state, particles(), domain.first, domain.count, step);
    finish_move(step);
  }

  // At `step`. Valid until the next call.
  const PathsView* show(std::int64_t step);

  void save(Checkpoint&) const;
  void load(const Checkpoint&);

 private:
  LbmParticles particles();
  void finish_move(std::int64_t step);

  const Executor& executor_;
  const Communicator& ranks_;
  const std::vector<Domain> domains_;
  const ParticlePlan plan_;
  Buffer<LbmParticle> state_[2], received_;
  int current_ = 0;
  Buffer<LbmSeed> seed_;
  Buffer<int> first_;  // rows of the ranks
  Buffer<PathPoint> now_, past_;
  LbmParticleSet sets_[PathsView::max_sets];
  PathsView view_;
};

}  // namespace simreel
