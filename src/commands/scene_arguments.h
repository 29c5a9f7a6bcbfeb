#pragma once
// The arguments that render, check, bench and golden share, and what they stand for: a scene that was read, a solver
// that was planned, an executor to run it on.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "run/loop.h"
#include "scene/scene.h"
#include "source/solver.h"

namespace simreel {

struct ExecutorArguments {
  std::string backend = "auto";
  int device = -1;  // not given
  int threads = 0;

  void add_to(CLI::App& command);

  // The named backend; `auto` takes the GPU where there is one. Throws UsageError where it cannot be had.
  Executor executor() const;
};

struct SceneArguments : ExecutorArguments {
  std::string scene;
  std::vector<std::string> overrides;

  void add_to(CLI::App& command);

  Scene load() const { return load_scene(scene, overrides); }
};

// What -o says, or where it says nothing, the scene. Throws UsageError, with the place of the scene's `path`, where
// that names no kind of output.
std::vector<std::string> outputs_of(const std::vector<std::string>& given, const Scene&);

// What a run with these sinks takes. Throws UsageError, with the place of the key to make smaller, where it does not
// fit.
RenderMemory check_memory(const Scene&, const SolverPlan&, const Executor&, const SinkNeeds&);

std::string format_bytes(double bytes);  // "3.1 MiB"

}  // namespace simreel
