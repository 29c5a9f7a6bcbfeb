#include "commands/golden_scenes.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

#include "base/error.h"
#include "base/escape.h"
#include "base/numbers.h"
#include "commands/interrupt.h"
#include "exec/processes.h"
#include "files/part_file.h"
#include "run/prepared_run.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

bool runs_on_one_rank(Scene scene) {
  try {
    plan_run(scene);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

// The scenes that are named, and of these those that -k and --shard leave.
std::vector<std::string> chosen_names(const GoldenFolder& folder, const GoldenArguments& arguments) {
  std::vector<std::string> names = folder.select(arguments.names);
  std::erase_if(names, [&](const std::string& name) { return name.find(arguments.pattern) == std::string::npos; });
  if (names.empty()) throw UsageError("-k {}: no scene has this in its name", arguments.pattern);
  if (arguments.shard.empty()) return names;
  std::string_view rest = arguments.shard;
  const std::size_t part = take_leading<std::size_t>(rest).value_or(0),
                    parts = rest.starts_with('/') ? parse_number<std::size_t>(rest.substr(1)).value_or(0) : 0;
  if (part < 1 || part > parts)
    throw UsageError("--shard {}: write I/N, the part and how many there are: 1/4 to 4/4", arguments.shard);
  std::vector<std::string> ours;
  for (std::size_t i = part - 1; i < names.size(); i += parts) ours.push_back(names[i]);
  return ours;
}

// Throws UsageError for a scene whose name is too long for those of its stills, the longest ones.
void refuse_long_names(const GoldenFolder& folder, const GoldenScene& golden, const std::string& artifacts) {
  const fs::path still = folder.still(golden.name, golden.scene->golden.frames.back());
  refuse_long_name(still);
  if (!artifacts.empty())
    refuse_long_name(artifacts / still.lexically_relative(folder.path()).replace_extension(".difference.png"));
}

// Whether a scene is too small to use all threads. Measured with 2 threads and 8 scenes, in parallel and one by one:
// 64 x 64 cells 0.025 s and 0.04 s, 160 x 160 cells 0.11 s and 0.12 s, 320 x 320 cells 0.5 s and 0.43 s.
bool is_small(const GoldenScene& golden, int threads) {
  if (golden.error) return true;
  if (golden.figure) return false;
  const Size size = golden.scene->view.size;
  const double max = 20'000.0 * threads;
  return golden.plan.updates_per_step < max && static_cast<double>(size.width) * static_cast<double>(size.height) < max;
}

}  // namespace

std::vector<GoldenScene> load_scenes(const GoldenFolder& folder, const GoldenArguments& arguments) {
  const Ranks ranks = arguments.executor.wanted_ranks();
  std::vector<GoldenScene> scenes;
  for (const std::string& name : chosen_names(folder, arguments)) {
    GoldenScene& loaded = scenes.emplace_back();
    loaded.name = name;
    try {
      expect_scene(folder.scene(name));
      if (is_figure_file(folder.scene(name))) {
        loaded.figure = std::make_unique<FigureFile>(load_figure_file(folder.scene(name)));
        loaded.scene = as_scene(*loaded.figure);
      } else {
        loaded.scene = load_complete_scene(folder.scene(name));
        loaded.plan = plan_run(*loaded.scene, ranks);
      }
      refuse_long_names(folder, loaded, arguments.artifacts);
    } catch (const UsageError& error) {
      loaded.error = std::current_exception();
      if (loaded.scene && ranks.count > 1 && runs_on_one_rank(*loaded.scene))
        loaded.error = std::make_exception_ptr(RuntimeError(error.what()));  // the scene is as it should be
    }
  }
  return scenes;
}

void for_each_scene(const std::vector<GoldenScene>& scenes, Executor& all,
                    const std::function<void(std::size_t, Executor&)>& work) {
  std::vector<std::size_t> beside, alone;
  const bool together = all.backend() == Backend::cpu && processes().size == 1;  // ranks make one at a time
  for (std::size_t i = 0; i < scenes.size(); ++i)
    (together && is_small(scenes[i], all.threads()) ? beside : alone).push_back(i);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr thrown;
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < std::min(static_cast<std::size_t>(all.threads()), beside.size()); ++t) {
    threads.emplace_back([&] {
      try {
        Executor one = Executor::cpu(1);
        for (std::size_t i = next++; i < beside.size(); i = next++) work(beside[i], one);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!thrown) thrown = std::current_exception();
        next = beside.size();
      }
    });
  }
  threads.clear();
  if (thrown) std::rethrow_exception(thrown);
  for (const std::size_t i : alone) work(i, all);
}

Capture capture_scene(const GoldenScene& golden, Executor& executor) {
  if (golden.error) std::rethrow_exception(golden.error);
  if (golden.figure) return capture_figure(*golden.figure, executor, interrupted);
  return capture(*golden.scene, golden.plan, executor, interrupted);
}

bool is_plain(const std::string& name) { return printable(name) == name && name.find('\n') == std::string::npos; }

std::string in_line(std::string name) {
  for (std::size_t at; (at = name.find('\n')) != std::string::npos;) name.replace(at, 1, "\\u000A");
  return name;
}

void print(const std::string& text) { std::fputs(printable(text).c_str(), stdout); }

void GoldenLines::add(std::size_t i, std::string text) {
  const std::lock_guard lock(mutex_);
  lines_[i] = std::move(text);
  for (; next_ < lines_.size() && lines_[next_]; ++next_) print(*lines_[next_]);
  std::fflush(stdout);
}

void GoldenLines::print_rest() {
  for (; next_ < lines_.size(); ++next_)
    if (lines_[next_]) print(*lines_[next_]);
}

}  // namespace simreel
