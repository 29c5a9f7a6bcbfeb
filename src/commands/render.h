#pragma once
// A run with outputs, as `render` and `view` start it.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands/progress.h"
#include "commands/scene_arguments.h"

namespace simreel {

// What `check` and `figure` take, too: --preset, --size and --frames. Empty: as the scene says.
struct ShapeArguments {
  std::string preset, size, frames;
  std::string_view table = "view";  // which has the size

  void add_to(CLI::App& command);
  // With these as overrides, before those of --set except for the number of frames. Throws UsageError.
  SceneArguments applied_to(SceneArguments) const;
  // Says what the preset stands for, besides the overrides of --set.
  void say(const std::vector<std::string>& set, const Scene&, const std::vector<std::string>& outputs) const;
};

struct RenderArguments {
  SceneArguments scene;
  ShapeArguments shape;
  std::vector<std::string> outputs;
  ProgressArgument progress;
  int encoders = 0;
  std::string checkpoint_every = "60s";
  std::string time_limit;  // empty: none
  std::string resume;      // empty, "yes" or "auto"
  std::string only;        // of the figure; empty: as the scene says
  std::string at;          // stills; empty: all frames
  std::string live;        // LiveOptions::where; empty: no page
  bool live_any = false;
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
