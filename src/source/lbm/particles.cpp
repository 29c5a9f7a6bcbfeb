#include "source/lbm/particles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "kernels/base/random.h"
#include "source/lbm/options.h"

namespace simreel {
namespace {

constexpr std::int64_t max_particles = 4'000'000;
constexpr int max_rows = 65;  // of past places

// Steps in which the flow goes from side to side; 0: nobody knows.
std::int64_t crossing(const LbmOptions& o) {
  const double speed = o.fastest();
  return speed > 0 ? static_cast<std::int64_t>((o.flows_along_x() ? o.grid[0] : o.grid[1]) / speed) : 0;
}

ParticleOptions read_set(Table& entry, const LbmOptions& o) {
  ParticleOptions set;
  set.position = entry.position("count");
  const bool along_line = entry.has("from") || entry.has("to");
  if (along_line) set.count = 20;
  entry.read("count", set.count,
             {"particles per release, evenly along the line or over the fluid", "20 along a line, else 2000", "2000"},
             Range::between(1, max_particles));
  entry.read("from", set.from, {"where the line begins, cells", "unset: they begin all over the fluid", "[0, 10]"});
  entry.read("to", set.to, {"where the line ends, cells", "with `from` required", "[0, 50]"});
  if (along_line) {
    entry.require("from", "from = [0, 40]");
    entry.require("to", "to = [0, 160]");
    for (const auto& [key, place] : {std::pair{"from", set.from}, std::pair{"to", set.to}})
      for (std::size_t i = 0; place && i < 2; ++i)
        if ((*place)[i] < -0.5 || (*place)[i] > o.grid[i] - 0.5)
          entry.fail(key, "\"{}\" is [{}, {}], outside the grid of {} x {} cells", key, (*place)[0], (*place)[1],
                     o.grid[0], o.grid[1]);
    if (o.has(LbmSide::inlet)) {
      set.life = std::min<std::int64_t>(3 * crossing(o) / 2, 1'000'000'000);
      set.every = std::max<std::int64_t>(1, set.life / 60);
    }
  }
  entry.read("life", set.life,
             {"steps after which a particle returns to its start, as it does after an outlet; 0: never",
              "along a line, with an inlet: 1.5 times the steps in which the flow crosses the grid; else 0", "0"},
             Range::between(0, 1'000'000'000));
  entry.read("every", set.every,
             {"steps between two releases along a line (a smoke trail); 0: one release",
              "along a line, with an inlet: a sixtieth of the default of `life`; else 0", "0"},
             Range::between(0, 1'000'000'000));
  if (set.every > 0 && !along_line) entry.refuse_without("\"from\" and \"to\"", "every");
  if (set.every > 0 && set.life == 0)
    entry.fail("every", "releases that never end would have no number; give them a life, as life = {}",
               std::max<std::int64_t>(1000, 40 * set.every));
  return set;
}

// The n-th of places that cover a square evenly, however many there are: an additive recurrence with the powers of
// 1 / 1.3247..., the root of x^3 = x + 1.
LbmSeed scattered(std::uint64_t n, std::uint64_t seed, std::uint64_t set, int nx, int ny) {
  const auto share = [&](std::uint64_t axis, double factor) {
    const double x = random_unit(seed, set, axis) + static_cast<double>(n) * factor;
    return x - std::floor(x);
  };
  return {share(0, 0.7548776662466927) * nx - 0.5, share(1, 0.5698402909980532) * ny - 0.5};
}

}  // namespace

std::vector<ParticleOptions> read_particles(Table& keys, const LbmOptions& o) {
  std::vector<ParticleOptions> sets;
  std::int64_t total = 0;
  for (Table& entry : keys.tables(
           "particles", "particles that the flow carries, which [view.particles] draws with their paths; at most 16")) {
    sets.push_back(read_set(entry, o));
    if (sets.size() > PathsView::max_sets) entry.fail("count", "at most {} sets of particles", PathsView::max_sets);
    total += sets.back().particles();
    if (total > max_particles)
      entry.fail("count", "that makes {} particles, and there are at most {}; take a lower count, or a larger every",
                 total, max_particles);
  }
  return sets;
}

ParticlePlan plan_particles(const std::vector<ParticleOptions>& sets, const Scene& scene) {
  ParticlePlan plan;
  plan.sets = sets;
  const ParticleLook& look = scene.view.particles;
  if (!sets.empty() && look.given_colors && look.colors.size() > sets.size())
    throw UsageError(
        "{}\"colors\" in [view.particles] names {} colours for {} set{} of particles; leave the others out",
        look.position.before(), look.colors.size(), sets.size(), sets.size() == 1 ? "" : "s");
  for (const ParticleOptions& set : sets) plan.count += static_cast<int>(set.particles());
  plan.trail = std::min(
      scene.view.particles.trail * scene.animation.fps() * static_cast<double>(scene.animation.steps_per_frame), 1e12);
  if (plan.count == 0 || plan.trail == 0) return plan;
  const double intervals = std::ceil(plan.trail / lbm_particle_interval);
  const double apart = std::ceil(intervals / (max_rows - 1));
  plan.pace = lbm_particle_interval * static_cast<std::int64_t>(apart);
  plan.rows = static_cast<int>(std::ceil(intervals / apart)) + 1;
  return plan;
}

std::size_t ParticlePlan::saved_bytes() const {
  return static_cast<std::size_t>(count) * (sizeof(LbmParticle) + static_cast<std::size_t>(rows) * sizeof(PathPoint));
}

std::size_t ParticlePlan::bytes(int ranks) const {
  if (count == 0) return 0;
  const std::size_t states = 1 + static_cast<std::size_t>(ranks > 1 ? ranks : 0);
  return saved_bytes() +
         static_cast<std::size_t>(count) * (states * sizeof(LbmParticle) + sizeof(LbmSeed) + sizeof(PathPoint));
}

std::string ParticlePlan::fact() const {
  return fmt::format("{} particle{} in {} set{}, carried every {} steps{}: {:.1f} MiB", count, count == 1 ? "" : "s",
                     sets.size(), sets.size() == 1 ? "" : "s", lbm_particle_interval,
                     rows > 0 ? fmt::format(", each with {} past places", rows) : "",
                     static_cast<double>(bytes(1)) / (1 << 20));
}

CarriedParticles::CarriedParticles(const Executor& executor, const Communicator& ranks,
                                   const std::vector<Domain>& domains, const ParticlePlan& plan,
                                   const LbmGeometry& geometry, int nx, std::size_t pitch, std::uint64_t seed)
    : executor_(executor), ranks_(ranks), domains_(domains), plan_(plan) {
  const auto count = static_cast<std::size_t>(plan.count);
  const int ny = domains.front().whole;
  const auto is_fluid = [&](const LbmSeed& at) {
    const auto cell = [](double x, int n) {
      return static_cast<std::size_t>(std::clamp(std::floor(x + 0.5), 0.0, n - 1.0));
    };
    return geometry.cell[cell(at.y, ny) * pitch + cell(at.x, nx)] >= 0;
  };
  constexpr double waiting = std::numeric_limits<double>::quiet_NaN();
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::vector<LbmParticle> start;
  std::vector<LbmSeed> seeds;
  int end = 0;
  for (std::size_t n = 0; n < plan.sets.size(); ++n) {
    const ParticleOptions& set = plan.sets[n];
    const std::size_t first = start.size();
    std::uint64_t tried = 0;
    for (std::int64_t release = 0; release < set.releases(); ++release)
      for (int i = 0; i < set.count; ++i) {
        LbmSeed at;
        if (set.from) {
          const double share = set.count > 1 ? static_cast<double>(i) / (set.count - 1) : 0.5;
          at = {(*set.from)[0] + share * ((*set.to)[0] - (*set.from)[0]),
                (*set.from)[1] + share * ((*set.to)[1] - (*set.from)[1])};
        } else {
          const std::uint64_t last = tried + 100'000;
          do at = scattered(tried++, seed, n, nx, ny);
          while (!is_fluid(at) && tried < last);
        }
        std::int64_t born = release * set.every;
        // So that those all over the fluid do not end at once.
        if (!set.from && set.life > 0)
          born = -static_cast<std::int64_t>(random_unit(seed, 100 + n, static_cast<std::uint64_t>(i)) *
                                            static_cast<double>(set.life));
        start.push_back({at.x, at.y, waiting, 0, is_fluid(at) ? born : never, 1});
        seeds.push_back(at);
      }
    if (std::all_of(start.begin() + static_cast<std::ptrdiff_t>(first), start.end(),
                    [](const LbmParticle& a) { return a.born == never; }))
      throw UsageError("{}all of these particles begin in solid cells; take places in the fluid",
                       set.position.before());
    end += static_cast<int>(set.particles());
    sets_[n] = {end, set.life, set.every * set.releases()};
    view_.end[n] = end;
  }
  for (Buffer<LbmParticle>& state : state_) state = Buffer<LbmParticle>(executor, count);
  state_[0].upload(start.data());
  seed_ = Buffer<LbmSeed>(executor, count);
  seed_.upload(seeds.data());
  now_ = Buffer<PathPoint>(executor, count);
  past_ = Buffer<PathPoint>(executor, count * static_cast<std::size_t>(plan.rows));
  past_.clear();
  if (!ranks.alone()) {
    std::vector<int> rows;
    for (const Domain& domain : domains) rows.push_back(domain.first);
    rows.push_back(ny);
    first_ = Buffer(executor, rows);
    received_ = Buffer<LbmParticle>(executor, count * domains.size());
  }
  view_.count = plan.count;
  view_.sets = static_cast<int>(plan.sets.size());
  view_.farthest_x = static_cast<float>(nx) / 2;
  view_.farthest_y = static_cast<float>(ny) / 2;
}

LbmParticles CarriedParticles::particles() {
  LbmParticles all{state_[current_].data(), state_[1 - current_].data(), seed_.data(), plan_.count, {}};
  std::ranges::copy(sets_, all.set);
  return all;
}

void CarriedParticles::finish_move(std::int64_t step) {
  if (!ranks_.alone()) {
    std::vector<Transfer> sends, receives;
    const std::size_t bytes = state_[0].bytes(), count = state_[0].size();
    for (std::size_t rank = 0; rank < domains_.size(); ++rank) {
      if (static_cast<int>(rank) == ranks_.rank()) continue;
      sends.push_back({static_cast<int>(rank), state_[1 - current_].data(), bytes});
      receives.push_back({static_cast<int>(rank), received_.data() + rank * count, bytes});
    }
    ranks_.exchange(executor_, sends, receives);
    lbm_merge(executor_, particles(), received_.data(), first_.data(), ranks_.rank(), ranks_.size());
  }
  current_ = 1 - current_;
  if (plan_.rows > 0 && step % plan_.pace == 0)
    lbm_place_particles(executor_, state_[current_].data(), plan_.count, 0,
                        past_.data() + static_cast<std::size_t>(step / plan_.pace % plan_.rows) * now_.size());
}

const PathsView* CarriedParticles::show(std::int64_t step) {
  lbm_place_particles(executor_, state_[current_].data(), plan_.count, static_cast<int>(step % lbm_particle_interval),
                      now_.data());
  view_.now = now_.data();
  view_.past = past_.data();
  view_.rows = plan_.rows;
  if (plan_.rows > 0) {
    view_.newest = static_cast<int>(step / plan_.pace % plan_.rows);
    view_.age = static_cast<float>(static_cast<double>(step % plan_.pace) / plan_.trail);
    view_.step = static_cast<float>(static_cast<double>(plan_.pace) / plan_.trail);
  }
  return &view_;
}

void CarriedParticles::save(Checkpoint& checkpoint) const {
  checkpoint.save("particles", state_[current_]);
  checkpoint.save("paths", past_);
}

void CarriedParticles::load(const Checkpoint& checkpoint) {
  checkpoint.load("particles", state_[current_]);
  checkpoint.load("paths", past_);
}

}  // namespace simreel
