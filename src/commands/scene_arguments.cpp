#include "commands/scene_arguments.h"

#include <fmt/format.h>

#include "base/error.h"
#include "commands/command_line.h"
#include "commands/console.h"
#include "exec/driver.h"
#include "raster/color/colormap.h"
#include "scene/mistakes.h"
#include "sink/kinds.h"
#include "sink/video/video.h"

namespace simreel {

void SceneArguments::add_to(CLI::App& command) {
  command.add_option("scene", scene, "Scene file (TOML); -: standard input")->required();
  command.add_option("--set", overrides, "Override a key of the scene: --set solver.damping=0.01")
      ->type_name("TABLE.KEY=VALUE")
      ->allow_extra_args(false);
  ExecutorArguments::add_to(command);
}

void SceneArguments::add_label_to(CLI::App& command) {
  command.add_flag("--label", label,
                   "Write a colour bar and the time into every frame, as --set figure.colorbar=right --set "
                   "figure.time=auto where the scene does not say otherwise");
}

namespace {

// What the solver's table, [view] and [output] name: only commands know colour maps and codecs too.
void check_names(const Scene& scene) {
  check_solver(scene);
  Table mistakes = scene.solver;
  if (!scene.view.colormap.empty())
    mistakes.note([&] { load_colormap(scene.view.colormap, scene.view.colormap_position.text()); });
  mistakes.note([&] { refuse_unknown_codec(scene.output); });
}

// One line for each name that no output has.
std::vector<std::string> bad_names(const std::vector<std::string>& outputs) {
  std::vector<std::string> list;
  for (const std::string& output : outputs) {
    try {
      kind_of(output);
    } catch (const UsageError& error) {
      list.emplace_back(error.what());
    }
  }
  return list;
}

Scene load_checked(const std::string& file, const std::vector<std::string>& overrides,
                   const std::vector<std::string>& outputs) {
  std::vector<std::string> list = bad_names(outputs);
  try {
    Scene scene = load_scene(file, overrides, check_names);
    if (list.empty()) complete_scene(scene);
    if (list.empty()) return scene;
  } catch (const SceneMistakes& mistakes) {
    list.insert(list.begin(), mistakes.list().begin(), mistakes.list().end());
  }
  throw SceneMistakes(std::move(list), file);
}

}  // namespace

Scene SceneArguments::load(const std::vector<std::string>& outputs) const {
  const Scene plain = load_checked(scene, overrides, outputs);
  std::vector<std::string> all = overrides;
  if (label && !plain.gives("figure.colorbar")) all.emplace_back("figure.colorbar=right");
  if (label && !plain.gives("figure.time")) all.emplace_back("figure.time=auto");
  return all.size() == overrides.size() ? plain : load_checked(scene, all, outputs);
}

void ExecutorArguments::add_to(CLI::App& command) {
  command.add_option("--backend", backend, "Where to compute; auto takes a GPU if there is one")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--device", device, "Number of the CUDA device")->check(at_least(0))->capture_default_str();
  command.add_option("--threads", threads, "Threads of the CPU backend; 0: one per core")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
}

Executor ExecutorArguments::executor() const {
  if (backend == "cpu" && device >= 0)
    throw UsageError(fmt::format("--device {}: --backend cpu uses no CUDA device; leave one of them out", device));
  const Wanted wanted = backend == "cuda" ? Wanted::cuda : backend == "cpu" ? Wanted::cpu : Wanted::automatic;
  return open_executor(wanted, device, threads, say_message);
}

}  // namespace simreel
