// The solver table: one row per kind.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/input_image.h"
#include "base/limits.h"
#include "base/text.h"
#include "source/ranked.h"
#include "source/solvers.h"

namespace simreel {

std::span<const SolverKind> solver_kinds() {
  static const SolverKind kinds[] = {wave_solver(), lbm_solver(), nbody_solver(), pde_solver(), data_source()};
  return kinds;
}

const SolverKind& solver_kind(const Scene& scene) {
  const std::span<const SolverKind> kinds = solver_kinds();
  const auto found = std::ranges::find(kinds, scene.solver_kind, &SolverKind::name);
  if (found != kinds.end()) return *found;
  std::vector<std::string_view> names;
  for (const SolverKind& kind : kinds) names.push_back(kind.name);
  scene.solver.fail(
      "kind", "unknown solver \"{}\"; this program has: {}{}", scene.solver_kind, choices(scene.solver_kind, names),
      nearest(scene.solver_kind, names).empty() ? "; kind = \"pde\" solves equations that you write" : "");
}

namespace {

// A key of [view] that changes nothing: refused, but for its default, which gives a remark.
std::string refuse_key(const GivenKey& key, const std::string& why, std::string_view way_out) {
  const std::string words = fmt::format("{}\"{}\" in [view] {}; ", key.position.before(), key.key, why);
  if (!key.is_default) throw UsageError("{}{}", words, way_out);
  return words + "it is the default, and changes nothing";
}

std::size_t field_of(std::span<const FieldInfo> fields, std::string_view kind, const ViewOptions& view) {
  if (const std::optional<std::size_t> field = find_field(fields, view.field)) return *field;
  throw UsageError("{}the {} solver has no field \"{}\"; it has: {}", view.field_position.before(), kind, view.field,
                   field_choices(fields, view.field));
}

void refuse_symmetric_bodies(const ViewOptions& view, bool bodies, std::string_view kind) {
  if (bodies && view.range == RangeMode::follow)
    throw UsageError(
        "{}range = \"follow\" in [view] is for fields, and the {} solver shows bodies; take exposure = \"follow\"",
        view.range_position.before(), kind);
  if (!bodies || (view.range != RangeMode::symmetric && view.range != RangeMode::robust)) return;
  throw UsageError(
      "{}range = \"{}\" in [view] is for fields, and the {} solver shows bodies{}; take \"first\" or \"global\"",
      view.range_position.before(), range_mode_names[static_cast<std::size_t>(view.range) - 1], kind,
      view.range == RangeMode::symmetric ? ", of which no value is below 0" : "");
}

void refuse_log_of_signs(const ViewOptions& view, const FieldInfo& field) {
  if (view.scale != Scale::log || !field.has_sign || view.range == RangeMode::fixed) return;
  throw UsageError(
      "{}scale = \"log\" in [view] needs values above 0, and {} has both signs; take scale = \"symlog\", or "
      "range = [low, high] above 0",
      (view.range_given ? view.range_position : view.field_position).before(), field.name);
}

void check_state_fields(std::span<const FieldInfo> fields, std::string_view kind, const OutputOptions& output) {
  for (const std::string& name : output.fields) {
    const std::optional<std::size_t> field = find_field(fields, name);
    if (!field)
      throw UsageError("{}the {} solver has no field \"{}\"; it has: {}", output.position_of("fields").before(), kind,
                       name, field_choices(fields, name));
    if (fields[*field].shape == FieldInfo::Shape::bodies)
      throw UsageError(
          "{}\"fields\" in [output] is for fields on a grid; files of the {} solver hold the position, velocity, mass "
          "and group of every body, so leave the key out",
          output.position_of("fields").before(), kind);
  }
}

// Before any of its files is looked at.
void refuse_ranks_without_work(const Scene& scene, const SolverKind& kind, const Ranks& ranks) {
  if (ranks.count == 1 || kind.computes) return;
  scene.solver.fail("kind", "{}: kind = \"{}\" reads files and computes nothing, so there is nothing to divide; {}",
                    ranks.option, kind.name,
                    ranks.processes ? "start it without mpirun or srun, or as one process"
                                    : fmt::format("leave {} out", ranks.option));
}

void refuse_beside_hue(const Scene& scene) {
  if (scene.view.hue.empty()) return;
  for (const GivenKey& key : scene.view.field_keys)
    if (key.key == "center" || key.key == "class")
      throw UsageError(
          "{}\"{}\" in [view] has no meaning where the brightness is the value and the hue an angle; leave it out",
          key.position.before(), key.key);
  if (scene.view.range == RangeMode::fixed && scene.view.low < 0)
    throw UsageError("{}\"range\" in [view] begins at {}, and the brightness shows values from 0 on; write [0, {}]",
                     scene.view.range_position.before(), scene.view.low, std::max(scene.view.high, 1.0));
  const FigureOptions& figure = scene.figure;
  if (figure.space_time)
    throw UsageError(
        "{}\"space_time\" in [figure] has no hues, and [view] shows an angle as one; leave one of them out",
        figure.position_of("space_time").before());
}

// Makes the solvers of the plan know the step of each frame.
void keep_pace(SolverPlan& plan, const AnimationOptions& animation) {
  plan.frame_interval = plan.timestep * static_cast<double>(animation.steps_per_frame);
  const Solver::Pace pace{.animation = animation, .timestep = plan.timestep};
  // For fields several steps per call are faster.
  plan.create = [create = plan.create, pace, updates = plan.updates_per_step * plan.update_work,
                 min = plan.bodies > 0 ? 1.0 : 12.0](const Executor& executor) {
    const bool cuda = executor.backend() == Backend::cuda;
    std::unique_ptr<Solver> solver = create(executor);
    Solver::Pace own = pace;
    own.most = static_cast<std::int64_t>(std::clamp((cuda ? 1e10 : 1e8) / updates, min, 1e6));  // takes a moment
    own.least = cuda ? own.most : static_cast<std::int64_t>(min);  // a GPU does not wait, so its time is not known here
    solver->set_pace(own);
    return solver;
  };
  plan.open = plan.create;
}

// Why a slow motion does not move from frame to frame; empty if it does.
std::string repeated_pictures(const AnimationOptions& animation, bool computes) {
  double least = 1;
  for (const auto& [time, factor] : animation.speed)
    if (factor > 0) least = std::min(least, factor);
  if (!computes || least * static_cast<double>(animation.steps_per_frame) >= 1) return "";
  return fmt::format(
      "{}speed goes down to {:.4g} of {} steps a frame, so that several frames show the same step; take more "
      "steps_per_frame and a smaller timestep",
      animation.positions.at("speed").before(), least, animation.steps_per_frame);
}

// Times of a video that cannot be seen as they are written.
void remark_on_times(const Scene& scene, std::vector<std::string>& remarks) {
  const AnimationOptions& animation = scene.animation;
  const double moves = static_cast<double>(animation.frames) / animation.fps(),
               end = static_cast<double>(animation.end() + animation.held()) / animation.fps();
  if (!animation.speed.empty() && animation.speed.back()[0] > moves)
    remarks.push_back(fmt::format("{}\"speed\" in [animation] goes on to {:.6g} s, and the frames end at {:.6g} s",
                                  animation.positions.at("speed").before(), animation.speed.back()[0], moves));
  for (const OverlayOptions& overlay : scene.overlays) {
    const double until = std::min(overlay.until.value_or(end), end);
    const int fades = (overlay.keys.contains("from") ? 1 : 0) + (overlay.until ? 1 : 0);
    if (overlay.fade > 0 && fades == 0)
      remarks.push_back(
          overlay.position_of("fade").before() +
          "\"fade\" in [[overlay]] says how it appears at \"from\" and vanishes at \"until\", and neither is given; "
          "with from = 0 it fades in at the start");
    if (overlay.fade > 0 && fades * overlay.fade > until - overlay.from)
      remarks.push_back(fmt::format(
          "{}\"fade\" in [[overlay]] is {:.6g} s, and it is there for {:.6g} s, so that it is never seen whole",
          overlay.position_of("fade").before(), overlay.fade, until - overlay.from));
  }
}

// The fields that [figure] vector names take the place of the solver's own.
void name_vectors(const Scene& scene, SolverPlan& plan, std::span<const FieldInfo> fields) {
  const std::vector<std::string>& named = scene.figure.vector;
  if (named.empty()) return;
  const auto refuse = [&](const std::string& why) {
    throw UsageError("{}\"vector\" in [figure] {}", scene.figure.position_of("vector").before(), why);
  };
  if (plan.bodies > 0) refuse("names fields on a grid, and this scene shows bodies; leave it out");
  std::vector<std::string_view> names;
  for (const FieldInfo& field : fields) names.push_back(field.name);
  if (named.size() == 1) {
    if (plan.grid.vectors[0].starts_with(named[0] + "_")) return;
    if (find_field(fields, named[0] + "_x") && find_field(fields, named[0] + "_y")) {
      plan.grid.vectors = {named[0] + "_x", named[0] + "_y"};
      return;
    }
    std::erase(names, named[0]);
    refuse(fmt::format("is {}, which has no components; name its parts along x and y, of {}", quote(named[0]),
                       choices(named[0], names)));
  }
  for (const std::string& name : named)
    if (!find_field(fields, name))
      refuse(fmt::format(
          "names {}; there is no such field; choose from: {}{}", quote(name), choices(name, names),
          scene.solver_kind == "data" && names.size() == 1
              ? "; where \"files\" in [solver] names an array after a colon, leave its name out for the others"
              : ""));
  plan.grid.vectors = {named[0], named[1]};
}

}  // namespace

std::vector<std::string> reject_inapplicable_view_keys(const Scene& scene, bool bodies, std::string_view what) {
  const ViewOptions& view = scene.view;
  if (scene.camera.given && !bodies)
    throw UsageError(
        "{}[camera] is for bodies, but {} shows a field; leave the table out, or set crop in [view] to show a part of "
        "it",
        scene.camera.position.before(), what);
  const std::string why = bodies ? fmt::format("is for fields, but {} shows bodies", what)
                                 : fmt::format("is for bodies, but {} shows a field", what);
  std::vector<std::string> remarks;
  for (const GivenKey& key : bodies ? view.field_keys : view.light_keys)
    remarks.push_back(refuse_key(key, why,
                                 std::ranges::count(std::array{"crop", "fit", "key"}, key.key) > 0
                                     ? "say with position, target and extent in [camera] what is seen"
                                     : "leave the key out"));
  return remarks;
}

void check_solver(const Scene& scene) {
  const SolverKind& kind = solver_kind(scene);
  Table keys = scene.solver;
  if (!kind.fields.empty()) {
    keys.note([&] { field_of(kind.fields, kind.name, scene.view); });
    keys.note([&] { check_state_fields(kind.fields, kind.name, scene.output); });
    const bool bodies = kind.fields.front().shape == FieldInfo::Shape::bodies;
    keys.note([&] { reject_inapplicable_view_keys(scene, bodies, fmt::format("the {} solver", kind.name)); });
  }
  keys.section([&] { kind.read(keys); });
}

SolverPlan plan_solver(const Scene& scene, const Ranks& ranks) {
  const ImageCount count(limits::scene_image_pixels);
  const SolverKind& kind = solver_kind(scene);
  refuse_ranks_without_work(scene, kind, ranks);
  const auto check_fields = [&](std::span<const FieldInfo> fields) {
    const std::size_t field = field_of(fields, kind.name, scene.view);
    check_state_fields(fields, kind.name, scene.output);
    return fields[field];
  };
  FieldInfo field;
  if (!kind.fields.empty()) field = check_fields(kind.fields);
  Table keys = scene.solver;
  SolverPlan plan = kind.plan(keys, scene);
  keys.finish();
  std::ranges::move(keys.remarks(), std::back_inserter(plan.texts.remarks));
  constexpr std::int64_t too_many = 1'000'000;
  if (const std::int64_t steps = scene.animation.steps_per_frame; plan.timestep > 0 && steps >= too_many)
    plan.texts.warnings.push_back(fmt::format("{}a frame takes {:.3g} steps of {:.3g} of time each; {}",
                                              keys.position("timestep").before(), static_cast<double>(steps),
                                              plan.timestep,
                                              keys.has("timestep") || scene.gives("animation.steps_per_frame")
                                                  ? "take a larger timestep, or fewer steps_per_frame"
                                                  : "units in which the state changes within about one unit of time, "
                                                    "or a larger timestep, make it feasible"));
  if (const std::string repeats = repeated_pictures(scene.animation, kind.computes); !repeats.empty())
    plan.texts.warnings.push_back(repeats);
  remark_on_times(scene, plan.texts.remarks);
  if (kind.fields.empty()) field = check_fields(plan.fields);
  std::ranges::move(reject_inapplicable_view_keys(scene, plan.bodies > 0, fmt::format("the {} solver", kind.name)),
                    std::back_inserter(plan.texts.remarks));
  refuse_symmetric_bodies(scene.view, plan.bodies > 0, kind.name);
  refuse_log_of_signs(scene.view, field);
  const auto layers = std::ranges::find(scene.view.field_keys, "layers", &GivenKey::key);
  if (layers != scene.view.field_keys.end() && plan.bodies == 0 && !plan.grid.without_layers)
    plan.texts.remarks.push_back(
        refuse_key(*layers, "is for the absorbing layers of waves, and this scene has none", "leave the key out"));
  for (const char* key : {"profile", "space_time"})
    if (plan.bodies > 0 && (key[0] == 'p' ? scene.figure.profile.has_value() : scene.figure.space_time))
      throw UsageError("{}\"{}\" in [figure] draws the values of a field, and this scene shows bodies; leave it out",
                       scene.figure.position_of(key).before(), key);
  if (scene.figure.space_time && scene.figure.curve)
    throw UsageError("{}\"space_time\" in [figure] shows colours, and \"curve\" a line; leave one of them out",
                     scene.figure.position_of("space_time").before());
  if (scene.figure.space_time && !scene.figure.profile && plan.grid.cells[1] > 1)
    throw UsageError(
        "{}\"space_time\" in [figure] shows a grid of one row over time, and the grid has {}; profile = {{ y = ... }} "
        "chooses one",
        scene.figure.position_of("space_time").before(), plan.grid.cells[1]);
  if (scene.figure.profile && !scene.figure.curve && !scene.figure.space_time)
    throw UsageError("{}\"curve\" in [figure] is false, and \"profile\" draws a curve; leave one of them out",
                     scene.figure.position_of("curve").before());
  if (scene.figure.curve && !scene.figure.profile && plan.grid.cells[1] != 1)
    throw UsageError("{}\"curve\" in [figure] draws the values of one row, and {}; profile = {{ y = ... }} chooses one",
                     scene.figure.position_of("curve").before(),
                     plan.bodies > 0 ? "this scene shows bodies" : fmt::format("the grid has {}", plan.grid.cells[1]));
  refuse_beside_hue(scene);
  const std::span<const FieldInfo> fields = kind.fields.empty() ? std::span<const FieldInfo>(plan.fields) : kind.fields;
  name_vectors(scene, plan, fields);
  for (const std::string& name : scene.view.hue)
    if (!find_field(fields, name))
      throw UsageError("{}\"hue\" in [view] names {}; there is no such field; choose from: {}",
                       scene.view.hue_position.before(), quote(name), field_choices(fields, name));
  if (const auto vector = std::ranges::find(fields, plan.grid.vectors[0], &FieldInfo::name); vector != fields.end())
    plan.vector_unit = vector->unit;
  plan.field = field.name;
  plan.unit = field.unit;
  plan.state_fields = scene.output.fields.empty() ? std::vector{plan.field} : scene.output.fields;
  if (plan.diagnostics.empty()) plan.diagnostics.assign(kind.diagnostics.begin(), kind.diagnostics.end());
  spread(plan, scene, ranks);
  if (plan.create) keep_pace(plan, scene.animation);
  return plan;
}

}  // namespace simreel
