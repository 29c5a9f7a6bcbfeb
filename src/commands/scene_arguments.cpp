#include "commands/scene_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>

#include "base/error.h"
#include "base/input_file.h"
#include "commands/command_line.h"
#include "commands/console.h"
#include "exec/driver.h"
#include "exec/processes.h"
#include "raster/color/colormap.h"
#include "scene/mistakes.h"
#include "scene/scene_text.h"
#include "sink/outputs.h"
#include "sink/video/video.h"

namespace simreel {

void SceneArguments::add_to(CLI::App& command) {
  command.add_option("scene", scene, "Scene file (TOML); -: standard input")->required();
  add_option(command, "--set", overrides, "TABLE.KEY=VALUE", "Override a key of the scene: --set solver.damping=0.01");
  confine.add_to(command);
  ExecutorArguments::add_to(command);
  add_ranks_to(command);
}

void ConfineArgument::add_to(CLI::App& command) {
  command.add_flag("--confine{*}", folder,
                   "Let the scene read and write below its folder only, or below DIR with --confine=DIR; also with "
                   "SIMREEL_CONFINE=1 in the environment");
}

std::optional<std::filesystem::path> ConfineArgument::folder_for(const std::filesystem::path& of_scene,
                                                                 bool by_default) const {
  const char* const asked = std::getenv("SIMREEL_CONFINE");
  const bool always =
      by_default || (asked != nullptr && std::string_view(asked) != "" && std::string_view(asked) != "0");
  if (!folder.empty() && folder != "*") return folder;
  if (!folder.empty() || always) return of_scene;
  return std::nullopt;
}

void ConfineArgument::apply(const std::filesystem::path& of_scene, bool by_default) const {
  if (const auto confined = folder_for(of_scene, by_default)) confine_to(*confined);
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
                   const std::vector<std::string>& outputs, const Effort& effort) {
  std::vector<std::string> list = bad_names(outputs);
  try {
    Scene scene = load_named_scene(file, overrides, check_names);
    *scene.effort = effort;
    if (list.empty()) complete_scene(scene);
    if (list.empty()) return scene;
  } catch (const SceneMistakes& mistakes) {
    list.insert(list.begin(), mistakes.list().begin(), mistakes.list().end());
  }
  throw SceneMistakes(std::move(list), file);
}

}  // namespace

Scene load_named_scene(const std::string& file, const std::vector<std::string>& overrides, SolverCheck check) {
  const std::string stream = stream_of(file);
  if (stream.empty()) return load_scene(file, overrides, check);
  static std::map<std::string, std::string> texts;
  auto known = texts.find(stream);
  if (known == texts.end()) known = texts.emplace(stream, read_scene_text(stream)).first;
  return parse_scene(known->second, stream_name, overrides, check);
}

Scene SceneArguments::load(const std::vector<std::string>& outputs, const Effort& effort) const {
  confine.apply(std::filesystem::path(scene).parent_path());
  const Scene plain = load_checked(scene, overrides, outputs, effort);
  const std::filesystem::path& path = plain.output.path;
  if (outputs.empty() && !path.empty() && path != "-" && path != "null:" && refusal_to_write(path).empty() &&
      !lies_below(path, plain.file.parent_path()))
    say_message(LogLevel::warning, fmt::format("{}\"path\" in [output] leads out of the scene's folder, to {}",
                                               plain.output.position_of("path").before(), path.string()));
  const std::vector<std::string> all = labelled(plain);
  return all.size() == overrides.size() ? plain : load_checked(scene, all, outputs, effort);
}

std::vector<std::string> SceneArguments::labelled(const Scene& plain) const {
  std::vector<std::string> all = overrides;
  if (label && !plain.gives("figure.colorbar")) all.emplace_back("figure.colorbar=right");
  if (label && !plain.gives("figure.time")) all.emplace_back("figure.time=auto");
  return all;
}

void ExecutorArguments::add_to(CLI::App& command) {
  command.add_option("--backend", backend, "Where to compute; auto takes a GPU if there is one")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--device", device, "Number of the CUDA device")->check(at_least(0))->capture_default_str();
  command.add_option("--threads", threads, "Threads of the CPU backend; 0: one per core that the process may use")
      ->check(within(0, 4096))
      ->capture_default_str();
}

void ExecutorArguments::add_ranks_to(CLI::App& command) {
  add_option(command, "--devices", devices, "LIST", "Divide the grid among several CUDA devices: 0,1,2 or all")
      ->check([](const std::string& list) { return list.empty() ? "write 0,1,2 or all" : ""; }, "");
  command
      .add_option("--ranks", ranks,
                  "Divide the grid among so many ranks of the CPU backend, which share the threads: the same results, "
                  "to try what --devices does")
      ->check(within(1, 4096))
      ->capture_default_str();
}

std::vector<int> ExecutorArguments::listed_devices() const {
  const int count = static_cast<int>(cuda_devices().size());
  std::vector<int> list;
  if (devices == "all") {
    for (int number = 0; number < count; ++number) list.push_back(number);
    return list;
  }
  const auto fail = [&](const std::string& text) { throw UsageError("--devices {}: {}", devices, text); };
  const char* at = devices.data();
  const char* const end = at + devices.size();
  while (at != end) {
    int number = -1;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0 || (after != end && (*after != ',' || after + 1 == end)))
      fail("write the numbers of CUDA devices, 0,1,2, or all; `simreel info` lists them");
    if (std::ranges::find(list, number) != list.end())
      fail(fmt::format("device {} is named twice, and two ranks on one GPU gain nothing", number));
    if (count > 0 && number >= count)
      fail(fmt::format("this machine has {}",
                       count == 1 ? "CUDA device 0 only" : fmt::format("CUDA devices 0 to {}", count - 1)));
    list.push_back(number);
    at = after == end ? end : after + 1;
  }
  return list;
}

Ranks ExecutorArguments::wanted_ranks() const {
  if (const int count = processes().size; count > 1) {
    const std::string launched = fmt::format("{} processes", count);
    if (!devices.empty() || ranks > 1 || device >= 0)
      throw UsageError(
          "{}: a launcher started {} as the ranks of this run, each with a GPU of its own if "
          "there are any; leave the option out",
          !devices.empty() ? fmt::format("--devices {}", devices)
          : ranks > 1      ? fmt::format("--ranks {}", ranks)
                           : fmt::format("--device {}", device),
          launched);
    return {count, launched, {}, true, threads};
  }
  if (devices.empty()) return {ranks, fmt::format("--ranks {}", ranks)};
  if (device >= 0 || ranks > 1 || backend == "cpu")
    throw UsageError("--devices {}: it names the GPUs of a run, so leave {} out", devices,
                     device >= 0 ? fmt::format("--device {}", device)
                     : ranks > 1 ? fmt::format("--ranks {}", ranks)
                                 : "--backend cpu");
  Ranks result{1, fmt::format("--devices {}", devices), listed_devices()};
  result.count = std::max(1, static_cast<int>(result.devices.size()));
  return result;
}

std::string ExecutorArguments::name_of(const Executor& executor) const {
  const int count = wanted_ranks().count;
  return count > 1 ? fmt::format("{}, {} ranks", executor.name(), count) : executor.name();
}

Executor ExecutorArguments::executor() const {
  const Wanted wanted = backend == "cuda"               ? Wanted::cuda
                        : backend == "cpu" || ranks > 1 ? Wanted::cpu
                                                        : Wanted::automatic;
  if (processes().size > 1) {
    static_cast<void>(wanted_ranks());  // refuses options that name ranks or devices
    return open_executor(wanted, device, threads > 0 ? threads : own_cores(), say_message);
  }
  if (backend == "cpu" && device >= 0)
    throw UsageError("--device {}: --backend cpu uses no CUDA device; leave one of them out", device);
  if (ranks > 1 && (backend == "cuda" || device >= 0))
    throw UsageError("--ranks {}: ranks share a CPU; take --backend cpu, or name GPUs with --devices 0,1 instead",
                     ranks);
  if (!devices.empty()) {
    const std::vector<int> list = wanted_ranks().devices;
    if (cuda_devices().empty())
      throw UsageError(
          "--devices {}: no CUDA device was found; leave it out, or give --ranks N to divide the grid on "
          "the CPU, or check that the NVIDIA driver is loaded",
          devices);
    for (auto other = list.rbegin(); other != list.rend(); ++other)
      if (other + 1 != list.rend()) static_cast<void>(open_executor(Wanted::cuda, *other, 1, say_message));
    return open_executor(Wanted::cuda, list.empty() ? 0 : list[0], threads, say_message);
  }
  return open_executor(wanted, device, threads, say_message);
}

}  // namespace simreel
