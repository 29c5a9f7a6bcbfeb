#pragma once
// The arguments that render, check, bench and golden share, and what they denote: a scene and an executor.

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "scene/scene.h"
#include "source/solver.h"

namespace simreel {

struct ExecutorArguments {
  std::string backend = "auto";
  int device = -1;  // not given
  int threads = 0;
  std::string devices;  // several: "0,1", "all"; empty: not given
  int ranks = 1;

  void add_to(CLI::App& command);
  void add_ranks_to(CLI::App& command);  // --devices and --ranks, for what calls wanted_ranks()

  // The named backend; `auto` takes the GPU if there is one that can be used. Says what stands in its way. Throws
  // UsageError if the backend is not available.
  Executor executor() const;
  // "NVIDIA H200 (device 0), 2 ranks"
  std::string name_of(const Executor&) const;
  // As --ranks or --devices say; the executor is that of the first rank. Throws UsageError.
  Ranks wanted_ranks() const;

 private:
  std::vector<int> listed_devices() const;
};

// --confine [DIR], or SIMREEL_CONFINE=1: what scenes name lies below a folder.
struct ConfineArgument {
  std::string folder;  // "*": that of the scene; empty: not given

  void add_to(CLI::App& command);
  // Which folder; nullopt: none is asked for.
  std::optional<std::filesystem::path> folder_for(const std::filesystem::path& of_scene, bool by_default = false) const;
  void apply(const std::filesystem::path& of_scene, bool by_default = false) const;
};

struct SceneArguments : ExecutorArguments {
  std::string scene;
  ConfineArgument confine;
  std::vector<std::string> overrides;
  bool label = false;  // a usual [figure] where the scene does not give one

  void add_to(CLI::App& command);
  void add_label_to(CLI::App& command);  // --label

  // The overrides with those of --label for a scene.
  std::vector<std::string> labelled(const Scene& plain) const;

  // Complete, with what its solver decides. Throws UsageError: all mistakes of the scene, and names of `outputs` (-o)
  // that no output has, at once. `effort`: that of the scene.
  Scene load(const std::vector<std::string>& outputs = {}, const Effort& effort = {}) const;
};

// load_scene for the scene that the command line names, also again: a stream ends, so that its text is kept.
Scene load_named_scene(const std::string& file, const std::vector<std::string>& overrides, SolverCheck);

}  // namespace simreel
