#include "source/solvers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/nbody/measure.h"
#include "source/nbody/gravity.h"
#include "source/nbody/options.h"
#include "source/nbody/scales.h"

namespace simreel {
namespace {

constexpr std::string_view diagnostics[] = {"step", "time", "kinetic", "potential", "energy", "px",
                                            "py",   "pz",   "lx",      "ly",        "lz"};

Bodies first_bodies(const Bodies& all, std::int64_t count) {
  Bodies some;
  some.reserve(count);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    some.add(all.position[i], all.velocity[i], all.group[i]);
  return some;
}

template <class Real>
SolverPlan make_plan(const NbodyOptions& options) {
  SolverPlan plan;
  const auto count = static_cast<std::size_t>(options.count());
  const bool rk4 = options.integrator == NbodyIntegrator::rk4;
  const bool in_float = std::is_same_v<Real, float>;
  const std::size_t momenta = in_float ? 3 * nbody_padded(count) * sizeof(std::int64_t) : 0;
  const std::size_t shares = in_float ? count * sizeof(double) : 0;
  plan.part_bytes = [=](const Executor& executor, int, int ranks) {
    const std::size_t sums = 3 * nbody_padded(count) * sizeof(NbodySum<Real>);
    const std::size_t others = in_float ? static_cast<std::size_t>(ranks - 1) : 0;
    const std::size_t kept = can_stop(executor, count) ? 2 * nbody_padded(count) * sizeof(Vec4<Real>) + momenta : 0;
    const bool tree = options.forces == ForceMethod::tree || (in_float && count > max_paired);
    return (tree ? NbodyTree::bytes(executor, count) : 0) + nbody_padded(count) * (rk4 ? 6 : 2) * sizeof(Vec4<Real>) +
           (1 + others) * sums + count + momenta + shares + kept + nbody_measure_bytes(count);
  };
  // Bodies in double, and their copies for the executor.
  plan.made_bytes =
      count * (2 * sizeof(Vec4<double>) + 1) + nbody_padded(count) * sizeof(Vec4<Real>) + momenta + shares;
  if (options.bodies.initial == InitialBodies::cosmological)
    plan.made_bytes += cosmological_scratch_bytes(options.count());
  plan.made_by_each = plan.made_bytes;
  plan.saved_bytes = 2 * nbody_padded(count) * sizeof(Vec4<Real>) + momenta;
  plan.view_bytes = count * (2 * sizeof(Vec4<Real>) + 1);
  plan.bodies = count;
  plan.size_key = options.read ? "file" : "bodies";
  plan.timestep = options.timestep;
  const bool tree = options.forces == ForceMethod::tree;
  plan.updates_per_step = static_cast<double>(count) * (tree ? 1 : static_cast<double>(count)) * (rk4 ? 4 : 1);
  plan.updated = tree ? "force" : "interaction";
  plan.texts.summary = nbody_summary(options);
  plan.texts.facts = nbody_facts(options);
  plan.texts.warnings = nbody_warnings(options);
  plan.texts.remarks = options.remarks;
  if (options.read) plan.inputs.push_back(options.file);
  plan.smaller = [options, tree](double updates) {
    NbodyOptions small = options;
    const double rounds = options.integrator == NbodyIntegrator::rk4 ? 4 : 1;
    const double forces = updates / rounds;
    const auto min =
        std::max<std::int64_t>(2, static_cast<std::int64_t>(tree ? std::min(forces, 0x1p62) : std::sqrt(forces)));
    small.bodies.count = std::min(options.count(), min);
    if (options.read) small.read = std::make_shared<const Bodies>(first_bodies(*options.read, small.bodies.count));
    return make_plan<Real>(small);
  };
  plan.create_rank = [options](const Executor& executor, const Communicator& ranks) -> std::unique_ptr<Solver> {
    if (options.read) return std::make_unique<NbodySolver<Real>>(executor, ranks, options, *options.read);
    return std::make_unique<NbodySolver<Real>>(executor, ranks, options, make_bodies(executor, options.bodies));
  };
  create_alone(plan);
  plan.max_ranks = tiles_of(count);
  return plan;
}

SolverPlan plan_nbody(Table& keys, const Scene& scene) {
  NbodyOptions options = read_nbody_options(keys);
  load_bodies(options, keys, scene);
  if (scene.found) {  // by nbody_look
    options.timestep = *static_cast<const double*>(scene.found.get());
    for (std::string& reason : options.reasons)
      if (reason.starts_with("timestep "))
        reason = fmt::format("timestep {:.4g}: whole steps make a frame; {}", options.timestep, reason.substr(9));
  }
  std::ranges::move(nbody_view_reasons(options, scene), std::back_inserter(options.reasons));
  return options.precision == Precision::float64 ? make_plan<double>(options) : make_plan<float>(options);
}

}  // namespace

SolverKind nbody_solver() {
  return {"nbody",       "bodies under their own gravity, of every pair or by a tree",
          nbody_fields,  diagnostics,
          nbody_kernels, plan_nbody,
          nbody_look,    [](Table& keys) { read_nbody_options(keys); }};
}

}  // namespace simreel
