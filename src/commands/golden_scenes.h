#pragma once
// What `golden check` and `golden update` share: their arguments, the scenes that they mean, and how these are
// rendered.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "commands/scene_arguments.h"
#include "golden/capture.h"
#include "golden/folder.h"
#include "scene/figure_file.h"

namespace simreel {

struct GoldenArguments {
  ExecutorArguments executor;
  ConfineArgument confine;
  std::string invocation, folder, junit, report, artifacts;
  std::vector<std::string> names, ceilings;
  std::string pattern, shard;
  int expected = 0;
  bool json = false, recursive = false, strict = false, fail_fast = false, also = false, dry_run = false;
};

struct GoldenScene {
  std::string name;
  std::optional<Scene> scene;          // unset if it cannot be read
  std::unique_ptr<FigureFile> figure;  // set if it is one: `scene` then stands for it (golden/capture.h)
  SolverPlan plan;
  std::exception_ptr error;
};

// The scenes that are named, and of these those that -k and --shard leave.
std::vector<GoldenScene> load_scenes(const GoldenFolder&, const GoldenArguments&);

// Calls work(i, executor) for every scene: on the CPU of one process small scenes in parallel with one thread each,
// then the others one by one on all threads. The bits do not depend on it. After the first exception of `work` no more
// scenes are started, and it passes through.
void for_each_scene(const std::vector<GoldenScene>&, Executor& all,
                    const std::function<void(std::size_t, Executor&)>& work);

// Throws what was wrong with the scene, too.
Capture capture_scene(const GoldenScene&, Executor&);

// Whether a name can be read off a terminal and typed. And any name as part of a line.
bool is_plain(const std::string& name);
std::string in_line(std::string name);

// A full or closed standard output does not end the work; main reports it at the end.
void print(const std::string& text);

// Prints the lines of scenes in order, each as soon as it and all before it are known.
class GoldenLines {
 public:
  explicit GoldenLines(std::size_t count) : lines_(count) {}

  void add(std::size_t i, std::string text);
  // After a failure, when some lines will never be known: prints the others.
  void print_rest();

 private:
  std::mutex mutex_;
  std::vector<std::optional<std::string>> lines_;
  std::size_t next_ = 0;
};

int run_golden_update(const GoldenArguments&);

}  // namespace simreel
