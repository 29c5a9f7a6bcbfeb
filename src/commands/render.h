#pragma once
// A run with outputs, as `render` and `view` start it.

#include <memory>
#include <string>
#include <vector>

#include "commands/progress.h"
#include "commands/scene_arguments.h"

namespace simreel {

struct RenderArguments {
  SceneArguments scene;
  std::vector<std::string> outputs;
  ProgressArgument progress;
  int encoders = 0;
  std::string checkpoint_every = "60s";
  std::string time_limit;  // empty: none
  std::string resume;      // empty, "yes" or "auto"
  std::string frames;      // empty: as the scene says
  std::string only;        // of the figure; empty: as the scene says
  std::string at;          // stills; empty: all frames
  std::string preset;      // of size and frames a second; empty: none
  std::string size;        // "1280x720"; empty: as the preset or the scene says
  bool profile = false, json = false, overwrite = false, keep_checkpoint = false;
  std::string text;  // of a scene that `view` makes; empty: scene.scene is its file

  Scene load() const;
};

// The options of a run: outputs, progress, checkpoints. Those of a scene's run are in the second set.
void add_run_options(CLI::App* command, const std::shared_ptr<RenderArguments>&);
void add_scene_run_options(CLI::App* command, const std::shared_ptr<RenderArguments>&);

// Gives the exit code. Throws UsageError before anything is written.
int run_render(const RenderArguments&);
// The same for a scene that is planned already; `arguments.scene` and what chooses frames do not count.
int run_planned(const RenderArguments& arguments, Scene, SolverPlan, const Executor&, const std::string& machine);

}  // namespace simreel
