// The solver table: one row a kind.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/suggest.h"
#include "source/lbm/lbm.h"
#include "source/nbody/nbody.h"
#include "source/solver.h"
#include "source/wave/wave.h"

namespace simreel {

std::span<const SolverKind> solver_kinds() {
  static const SolverKind kinds[] = {wave_solver(), lbm_solver(), nbody_solver()};
  return kinds;
}

namespace {

// "a, b, c", and the one that was meant, where one is near.
std::string choices(std::string_view word, std::span<const std::string_view> names) {
  const std::string_view near = nearest(word, names);
  return fmt::format("{}{}", fmt::join(names, ", "), near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near));
}

}  // namespace

const SolverKind& solver_kind(const Scene& scene) {
  const std::span<const SolverKind> kinds = solver_kinds();
  const auto found = std::ranges::find(kinds, scene.solver_kind, &SolverKind::name);
  if (found != kinds.end()) return *found;
  std::vector<std::string_view> names;
  for (const SolverKind& kind : kinds) names.push_back(kind.name);
  scene.solver.fail("kind", fmt::format("unknown solver \"{}\"; this program has: {}", scene.solver_kind,
                                        choices(scene.solver_kind, names)));
}

namespace {

void refuse_keys_of_others(const ViewOptions& view, bool bodies, std::string_view kind) {
  const std::vector<GivenKey>& keys = bodies ? view.field_keys : view.light_keys;
  if (keys.empty()) return;
  throw UsageError(fmt::format("{}\"{}\" in [view] is for {}, but the {} solver shows {}; leave the key out",
                               keys.front().position.before(), keys.front().key, bodies ? "fields" : "bodies", kind,
                               bodies ? "bodies" : "a field"));
}

}  // namespace

SolverPlan plan_solver(const Scene& scene) {
  const SolverKind& kind = solver_kind(scene);
  if (!scene.view.field.empty() && std::ranges::find(kind.fields, scene.view.field) == kind.fields.end())
    throw UsageError(fmt::format("{}: the {} solver has no field \"{}\"; it has: {}", scene.view.field_position.text(),
                                 kind.name, scene.view.field, choices(scene.view.field, kind.fields)));
  Table keys = scene.solver;
  SolverPlan plan = kind.plan(keys, scene);
  keys.finish();
  refuse_keys_of_others(scene.view, plan.bodies > 0, kind.name);
  return plan;
}

}  // namespace simreel
