#include "source/solvers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "source/grid_plan.h"
#include "source/grid_values.h"
#include "source/lbm/flow.h"
#include "source/lbm/params.h"

namespace simreel {
namespace {

constexpr std::string_view diagnostics[] = {"step", "time", "mass", "max_speed", "mean_ux", "mean_uy", "kinetic"};

bool has(const std::vector<std::string>& fields, std::string_view field) {
  return std::ranges::count(fields, field) > 0;
}

// Dye is carried along only where it is looked at.
bool wants_dye(const Scene& scene) {
  return scene.view.field == "tracer" || has(scene.output.fields, "tracer") || has(scene.figure.vector, "tracer");
}

// Throws UsageError where the scene names this field, with what is then said.
void refuse_field(const Scene& scene, std::string_view field, std::string_view way_out) {
  const auto refuse = [&](bool named, const Position& place, std::string_view key) {
    if (named) throw UsageError("{}{} {}", place.before(), key, way_out);
  };
  refuse(has(scene.view.hue, field), scene.view.hue_position, "\"hue\" in [view]");
  refuse(scene.view.field == field, scene.view.field_position, "\"field\" in [view]");
  refuse(has(scene.output.fields, field), scene.output.position_of("fields"), "\"fields\" in [output]");
  refuse(has(scene.figure.vector, field), scene.figure.position_of("vector"), "\"vector\" in [figure]");
}

void refuse_missing_fields(const Scene& scene, const LbmOptions& o) {
  if (!o.heat.on)
    refuse_field(
        scene, "temperature",
        "names the temperature, and the flow has none; add [solver.heat] with rayleigh = 1e6, or leave it out");
  if (o.phases.on)
    refuse_field(scene, "tracer", "names dye, which a flow of two phases does not carry; take field = \"phase\"");
  else
    refuse_field(scene, "phase",
                 "names the phase, and the flow has one fluid; add [solver.phases] with a [[solver.phases.drop]], or "
                 "leave it out");
}

std::vector<std::string> diagnostic_names(const std::vector<ObstacleOptions>& described, const HeatOptions& heat,
                                          const PhasesOptions& phases) {
  const std::size_t obstacles = described.size();
  std::vector<std::string> names = {"step", "time", "mass", "max_speed", "mean_ux", "mean_uy"};
  if (obstacles > 0) names.insert(names.end(), {"drag", "lift"});
  names.push_back("kinetic");
  if (obstacles > 1)
    for (std::size_t n = 1; n <= obstacles; ++n) {
      names.push_back(fmt::format("drag_{}", n));
      names.push_back(fmt::format("lift_{}", n));
    }
  for (std::size_t n = 0; n < obstacles; ++n)
    if (described[n].rotation != 0) names.push_back(obstacles > 1 ? fmt::format("torque_{}", n + 1) : "torque");
  std::ranges::move(heat_diagnostics(heat), std::back_inserter(names));
  if (phases.on) names.push_back("liquid");
  return names;
}

// Executor memory of a grid, or of a rank's part of it, without the lists of special cells.
template <class Stored, class Real>
std::size_t part_bytes(const LbmParams<Real>& p, const LbmOptions& options, bool dye) {
  const std::size_t cells = p.pitch * static_cast<std::size_t>(p.ny);
  const bool pushed = options.drive.force_field[0] || options.drive.force_field[1];
  const std::size_t fields = 1 + (dye ? 6 : 0) + (options.kernel == LbmKernel::split ? 3 : 0) + (pushed ? 2 : 0);
  // The buoyancy that observers see, and what the walls of obstacles do.
  const std::size_t heat = options.heat.on ? 2 * (cells + lbm_max_obstacles) * sizeof(Real) : 0;
  return 2 * lbm_values(p) * sizeof(Stored) + cells * (1 + fields * sizeof(Real)) + lbm_reduce_bytes(p) + heat;
}

template <class Real, class Stored>
SolverPlan make_plan(const LbmOptions& options, const Table& keys, const Scene& scene) {
  const LbmParams<Real> p = lbm_params<Real, Stored>(options);
  const std::size_t cells = p.pitch * static_cast<std::size_t>(p.ny);
  check_grid_memory(keys, part_bytes<Stored>(p, options, wants_dye(scene)), cells, "the map of solid cells");
  const auto map = std::make_shared<ObstacleMap>(options.obstacles, p.nx, p.ny, p.pitch, scene);
  const LbmGeometry& geometry = map->geometry();
  const std::size_t edges = (geometry.edge.size() + layer_cells(p)) * sizeof(std::uint32_t);
  const std::size_t lists = edges + (options.obstacles.empty() ? 0 : max_curve_bytes(p, geometry.edge.size()));
  SolverPlan plan;
  const ParticlePlan particles = plan_particles(options.particles, scene);
  plan.part_bytes = [=, dye = wants_dye(scene)](const Executor& executor, int rank, int ranks) {
    const std::vector<Domain> domains =
        Domain::cut(p.ny, ranks, lbm_halo(executor, options.grid, ranks, dye || options.phases.on),
                    options.bottom == LbmSide::periodic);
    const LbmParams<Real> part =
        lbm_part_of(p, domains[static_cast<std::size_t>(rank)], sizeof(Stored), executor.backend());
    return part_bytes<Stored>(part, options, dye) + lists + particles.bytes(ranks);
  };
  plan.made_bytes = plan.made_by_each = cells + edges + 2 * geometry.outline.bytes;
  plan.saved_bytes = lbm_values(p) * sizeof(Stored) + particles.saved_bytes();
  if (wants_dye(scene)) plan.saved_bytes += cells * sizeof(Real);
  plan_grid(plan, options.grid, p.pitch, sizeof(Real), !options.obstacles.empty());
  plan.grid.vectors = {"ux", "uy"};
  plan.grid.path_bytes = particles.bytes(1);
  plan.computed_for = fmt::format("{} {}", wants_dye(scene) ? "dye" : "", particles ? particles.trail : 0);
  plan.timestep = 1;
  plan.bytes_per_update = 2.0 * p.planes * sizeof(Stored);
  constexpr double with_dye = 5;  // one step a pass, and the dye itself
  if (wants_dye(scene)) plan.update_work = with_dye;
  constexpr double with_heat = 3;  // one step a pass, of 14 planes
  if (options.heat.on) plan.update_work *= with_heat;
  constexpr double with_phases = 8;  // two passes, and the interface
  if (options.phases.on) {
    plan.update_work *= with_phases;
    plan.bytes_per_update = 25.0 * sizeof(Stored);  // the phase and the velocity are read again
  }
  plan.texts.summary = lbm_summary(options);
  plan.texts.facts = lbm_facts(options);
  if (particles) plan.texts.facts.push_back(particles.fact());
  plan.texts.warnings = lbm_warnings(options, keys, scene);
  std::ranges::move(cut_obstacles(options.obstacles, p.nx, p.ny), std::back_inserter(plan.texts.warnings));
  if (options.has(LbmSide::inlet) && !options.obstacles.empty() && map->painted() &&
      !is_passable(geometry, p.nx, p.ny, p.pitch, options.sides()))
    plan.texts.warnings.push_back(
        fmt::format("{}: obstacles close every way from the inlet to the outlet, so that the density grows without end",
                    options.obstacles.front().keys.position("shape").text()));
  std::ranges::move(files_of(options.obstacles), std::back_inserter(plan.inputs));
  std::ranges::move(options.drive.files(), std::back_inserter(plan.inputs));
  if (const std::string& file = options.heat.initial.file(); !file.empty()) plan.inputs.push_back(file);
  plan.diagnostics = diagnostic_names(options.obstacles, options.heat, options.phases);
  plan.smaller = [options, keys, scene](double updates) {
    LbmOptions small = options;
    small.obstacles.clear();
    small.particles.clear();
    small.drive = {};
    small.heat.initial_text = {};
    small.heat.obstacles.clear();
    small.phases.liquid_text = {};
    small.grid = smaller_grid(options.grid, updates);
    return make_plan<Real, Stored>(small, keys, scene);
  };
  plan.create_rank = [options, map, seed = scene.seed, dye = wants_dye(scene), particles](
                         const Executor& executor, const Communicator& ranks) -> std::unique_ptr<Solver> {
    LbmGeometry own = map->take();
    const LbmParams<Real> params = lbm_params<Real, Stored>(options);
    mark_layer(own, params);
    CurveLists curves = find_curves(own, params, options.obstacles, options.curved);
    return std::make_unique<LbmSolver<Real, Stored>>(executor, ranks, options, seed, std::move(own), std::move(curves),
                                                     dye, particles);
  };
  create_alone(plan);
  return plan;
}

SolverPlan plan_lbm(Table& keys, const Scene& scene) {
  LbmOptions options = read_lbm_options(keys);
  keys.finish();
  open_lbm_options(options, keys, scene);
  refuse_missing_fields(scene, options);
  switch (options.precision) {
    case Precision::float32: return make_plan<float, float>(options, keys, scene);
    case Precision::float64: return make_plan<double, double>(options, keys, scene);
    case Precision::float16: return make_plan<float, Half>(options, keys, scene);
  }
  return {};
}

}  // namespace

SolverKind lbm_solver() {
  return {"lbm",
          "flow of a nearly incompressible fluid, lattice Boltzmann D2Q9",
          lbm_fields,
          diagnostics,
          lbm_kernels,
          plan_lbm,
          [](Table& keys, const Scene& scene) {
            LbmOptions options = read_lbm_options(keys);
            if (!scene.gives("animation.steps_per_frame")) open_lbm_drive(options, keys, scene);
            return lbm_look(options);
          },
          [](Table& keys) { read_lbm_options(keys); }};
}

}  // namespace simreel
