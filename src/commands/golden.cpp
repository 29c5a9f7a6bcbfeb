#include <fmt/format.h>
#include <fmt/ranges.h>
#include <oneapi/tbb/global_control.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/version.h"
#include "commands/commands.h"
#include "commands/interrupt.h"
#include "commands/json.h"
#include "commands/scene_arguments.h"
#include "exec/machine.h"
#include "exec/processes.h"
#include "files/part_file.h"
#include "files/pattern.h"
#include "golden/accept.h"
#include "golden/check.h"
#include "golden/junit.h"
#include "golden/report.h"
#include "run/prepared_run.h"

namespace simreel {
namespace {

struct GoldenArguments {
  ExecutorArguments executor;
  ConfineArgument confine;
  std::string invocation, folder, junit, report;
  std::vector<std::string> names;
  bool json = false;
};

struct GoldenScene {
  std::string name;
  std::optional<Scene> scene;  // unset if it cannot be read
  SolverPlan plan;
  std::exception_ptr error;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool runs_on_one_rank(Scene scene) {
  try {
    plan_run(scene);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

std::vector<GoldenScene> load_scenes(const GoldenFolder& folder, const std::vector<std::string>& names,
                                     const Ranks& ranks) {
  std::vector<GoldenScene> scenes;
  for (const std::string& name : names) {
    GoldenScene& loaded = scenes.emplace_back();
    loaded.name = name;
    try {
      loaded.scene = load_complete_scene(folder.scene(name));
      loaded.plan = plan_run(*loaded.scene, ranks);
    } catch (const UsageError& error) {
      loaded.error = std::current_exception();
      if (loaded.scene && ranks.count > 1 && runs_on_one_rank(*loaded.scene))
        loaded.error = std::make_exception_ptr(RuntimeError(error.what()));  // the scene is as it should be
    }
  }
  return scenes;
}

// Whether a scene is too small to use all threads. Measured with 2 threads and 8 scenes, in parallel and one by one:
// 64 x 64 cells 0.025 s and 0.04 s, 160 x 160 cells 0.11 s and 0.12 s, 320 x 320 cells 0.5 s and 0.43 s.
bool is_small(const GoldenScene& golden, int threads) {
  if (golden.error) return true;
  const Size size = golden.scene->view.size;
  const double most = 20'000.0 * threads;
  return golden.plan.updates_per_step < most &&
         static_cast<double>(size.width) * static_cast<double>(size.height) < most;
}

// Calls work(i, executor) for every scene: on the CPU of one process small scenes in parallel with one thread each,
// then the others one by one on all threads. The bits do not depend on it. After the first exception of `work` no more
// scenes are started, and it passes through.
void for_each_scene(const std::vector<GoldenScene>& scenes, Executor& all,
                    const std::function<void(std::size_t, Executor&)>& work) {
  std::vector<std::size_t> beside, alone;
  const bool together = all.backend() == Backend::cpu && processes().size == 1;  // ranks make one at a time
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    (together && is_small(scenes[i], all.threads()) ? beside : alone).push_back(i);
  }
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
  return capture(*golden.scene, golden.plan, executor, interrupted);
}

// A full or closed standard output does not end the work; main reports it at the end.
void print(const std::string& text) { std::fputs(printable(text).c_str(), stdout); }

// Prints the lines of scenes in order, each as soon as it and all before it are known.
class Lines {
 public:
  explicit Lines(std::size_t count) : lines_(count) {}

  void add(std::size_t i, std::string text) {
    const std::lock_guard lock(mutex_);
    lines_[i] = std::move(text);
    for (; next_ < lines_.size() && lines_[next_]; ++next_) print(*lines_[next_]);
    std::fflush(stdout);
  }

  // After a failure, when some lines will never be known: prints the others.
  void print_rest() {
    for (; next_ < lines_.size(); ++next_) {
      if (lines_[next_]) print(*lines_[next_]);
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::optional<std::string>> lines_;
  std::size_t next_ = 0;
};

std::string update_command(const GoldenArguments& arguments, const std::vector<std::string>& names) {
  const auto like_an_option = [](const std::string& word) { return word.starts_with('-'); };
  const bool marked = like_an_option(arguments.folder) || std::ranges::any_of(names, like_an_option);
  std::string text = fmt::format("{} golden update {}{}", shell_word(arguments.invocation), marked ? "-- " : "",
                                 shell_word(arguments.folder));
  for (const std::string& name : names) text += " " + shell_word(name);
  return text;
}

std::string line_of(const SceneCheck& check, const std::string& accept) {
  std::string line = fmt::format("{:<10}  {}{}{}\n", verdict_word(check.verdict), check.name,
                                 check.message.empty() ? "" : ": ", first_line(check.message));
  if (!accept.empty()) {
    line += fmt::format("            {}: {}\n", check.verdict == Verdict::missing ? "make it" : "accept it", accept);
  }
  return line;
}

// The result for a scene whose check threw.
SceneCheck broken(const GoldenScene& golden, Verdict verdict, const std::string& message) {
  SceneCheck check;
  check.name = golden.name;
  check.verdict = verdict;
  check.message = message;
  if (golden.scene) check.text = golden.scene->text;
  return check;
}

SceneCheck check_scene(const GoldenFolder& folder, const GoldenScene& golden, Executor& executor, bool perceptual) {
  const auto start = std::chrono::steady_clock::now();
  SceneCheck check;
  try {
    Capture captured = capture_scene(golden, executor);
    check = check_capture(folder, golden.name, *golden.scene, std::move(captured), perceptual);
  } catch (const UsageError& error) {
    check = broken(golden, Verdict::unreadable, error.what());
  } catch (const std::exception& error) {
    check = broken(golden, Verdict::failed, error.what());
  }
  check.seconds = seconds_since(start);
  return check;
}

// The exit code of all scenes: the most severe one.
ExitCode exit_code(const std::vector<SceneCheck>& checks) {
  const auto any = [&](auto of) { return std::ranges::any_of(checks, of); };
  if (any([](const SceneCheck& check) { return check.verdict == Verdict::failed; })) return ExitCode::failed;
  if (any([](const SceneCheck& check) { return check.verdict == Verdict::unreadable; })) return ExitCode::usage;
  return any([](const SceneCheck& check) { return differs(check.verdict); }) ? ExitCode::different : ExitCode::done;
}

void print_summary(const std::vector<SceneCheck>& checks, const std::string& accept_all, double seconds) {
  std::vector<std::string> counts;
  for (const Verdict verdict :
       {Verdict::same, Verdict::different, Verdict::missing, Verdict::unreadable, Verdict::failed}) {
    const auto count = std::ranges::count(checks, verdict, &SceneCheck::verdict);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, verdict_word(verdict)));
  }
  print(fmt::format("{} scene{} in {:.2f} s: {}\n", checks.size(), checks.size() == 1 ? "" : "s", seconds,
                    fmt::join(counts, ", ")));
  if (!accept_all.empty()) print(fmt::format("accept all of it: {}\n", accept_all));
}

// `accept`: the command for each check that can be accepted.
void print_json(const GoldenArguments& arguments, const std::vector<SceneCheck>& checks,
                const std::vector<std::string>& accept, const std::vector<std::string>& orphans, double seconds) {
  nlohmann::ordered_json scenes = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const SceneCheck& check = checks[i];
    nlohmann::ordered_json scene = {{"name", check.name},
                                    {"verdict", verdict_word(check.verdict)},
                                    {"message", check.message},
                                    {"seconds", check.seconds},
                                    {"accept", nullptr}};
    if (check.acceptable) scene["accept"] = accept[i];
    scenes.push_back(std::move(scene));
  }
  print_result({{"folder", arguments.folder},
                {"passed", exit_code(checks) == ExitCode::done},
                {"seconds", seconds},
                {"scenes", std::move(scenes)},
                {"orphans", orphans}});
}

// Opens a file that the check writes at its end, so that errors are reported before the start; null for an empty path.
// An existing file is replaced, so its extension must be the right one.
class ResultFile {
 public:
  ResultFile(const std::string& path, const std::string& extension) {
    if (path.empty()) return;
    if (extension_of(path) != extension) {
      throw UsageError("{}: the name of this file must end in {}", path, extension);
    }
    file_ = std::make_unique<PartFile>(path, true);
  }
  explicit operator bool() const { return file_ != nullptr; }
  void write(const std::string& text) {
    file_->write(text);
    file_->commit();
  }

 private:
  std::unique_ptr<PartFile> file_;
};

int run_check(const GoldenArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  arguments.confine.apply(arguments.folder, true);
  const GoldenFolder folder(arguments.folder);
  const std::vector<GoldenScene> scenes =
      load_scenes(folder, folder.select(arguments.names), arguments.executor.wanted_ranks());
  Executor executor = arguments.executor.executor();
  const oneapi::tbb::global_control comparisons(oneapi::tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(executor.threads()));
  watch_interrupts(1);  // before there is a file that a signal could leave behind
  ResultFile junit(arguments.junit, ".xml"), report(arguments.report, ".html");

  std::vector<SceneCheck> checks(scenes.size());
  std::vector<ReportEntry> entries(scenes.size());
  Lines lines(scenes.size());
  for_each_scene(scenes, executor, [&](std::size_t i, Executor& on) {
    if (interrupted()) return;
    SceneCheck& check = checks[i];
    check = check_scene(folder, scenes[i], on, static_cast<bool>(report));
    if (interrupted()) return;
    const std::string accept = check.acceptable ? update_command(arguments, {check.name}) : "";
    if (report) entries[i] = {check.verdict, report_section(check, accept)};
    check.stills.clear();
    if (!arguments.json) lines.add(i, line_of(check, accept));
  });
  if (interrupted()) return 128 + interrupted();

  std::vector<std::string> acceptable, accept;
  for (const SceneCheck& check : checks) {
    accept.push_back(update_command(arguments, {check.name}));
    if (check.acceptable) acceptable.push_back(check.name);
  }
  const std::vector<std::string> orphans = arguments.names.empty() ? folder.orphans() : std::vector<std::string>();
  const std::string accept_all = acceptable.size() > 1 ? update_command(arguments, acceptable) : "";
  if (arguments.json) {
    print_json(arguments, checks, accept, orphans, seconds_since(start));
  } else {
    for (const std::string& file : orphans) print(fmt::format("note        {} belongs to no scene\n", file));
    print_summary(checks, accept_all, seconds_since(start));
  }
  const CheckOrigin origin{version, machine_name(executor)};
  if (junit) junit.write(junit_xml(arguments.folder, origin, checks, accept));
  if (report) {
    const std::string from = fmt::format("simreel {}, {}", origin.version, origin.machine);
    report.write(report_page(arguments.folder, from, accept_all, entries));
  }
  return static_cast<int>(exit_code(checks));
}

std::string line_of(const std::string& name, const Acceptance& acceptance) {
  if (acceptance.written.empty() && acceptance.removed.empty()) return fmt::format("unchanged   {}\n", name);
  std::vector<std::string> parts;
  if (!acceptance.written.empty()) parts.push_back(fmt::format("wrote {}", fmt::join(acceptance.written, ", ")));
  if (!acceptance.removed.empty()) parts.push_back(fmt::format("removed {}", fmt::join(acceptance.removed, ", ")));
  return fmt::format("accepted    {}: {}\n", name, fmt::join(parts, "; "));
}

void refuse_read_only(const GoldenFolder& folder) {
  if (access(folder.path().c_str(), W_OK) == 0) return;
  throw UsageError("{}: nothing can be accepted, because the folder cannot be written: {}", folder.path().string(),
                   std::strerror(errno));
}

int run_update(const GoldenArguments& arguments) {
  arguments.confine.apply(arguments.folder, true);
  const GoldenFolder folder(arguments.folder);
  refuse_read_only(folder);
  const std::vector<GoldenScene> scenes =
      load_scenes(folder, folder.select(arguments.names), arguments.executor.wanted_ranks());
  Executor executor = arguments.executor.executor();
  watch_interrupts(1);

  std::atomic<int> unchanged = 0, accepted = 0, unreadable = 0, failed = 0;
  Lines lines(scenes.size());
  for_each_scene(scenes, executor, [&](std::size_t i, Executor& on) {
    if (interrupted()) return;
    const GoldenScene& golden = scenes[i];
    const auto tell = [&](Verdict verdict, const std::exception& error) {
      (verdict == Verdict::failed ? failed : unreadable)++;
      lines.add(i, fmt::format("{:<10}  {}: {}\n", verdict_word(verdict), golden.name, first_line(error.what())));
    };
    try {
      Capture captured;
      try {
        captured = capture_scene(golden, on);
      } catch (const UsageError& error) {
        return tell(Verdict::unreadable, error);
      }
      if (interrupted()) return;
      const Acceptance acceptance = accept_capture(folder, golden.name, *golden.scene, captured);
      (acceptance.written.empty() && acceptance.removed.empty() ? unchanged : accepted)++;
      lines.add(i, line_of(golden.name, acceptance));
    } catch (const std::exception& error) {
      tell(Verdict::failed, error);
    }
  });
  lines.print_rest();
  print(fmt::format("{}{} accepted, {} unchanged{}{}\n", interrupted() ? "interrupted: " : "", accepted.load(),
                    unchanged.load(), unreadable > 0 ? fmt::format(", {} unreadable", unreadable.load()) : "",
                    failed > 0 ? fmt::format(", {} failed", failed.load()) : ""));
  if (interrupted()) return 128 + interrupted();
  return static_cast<int>(failed > 0 ? ExitCode::failed : unreadable > 0 ? ExitCode::usage : ExitCode::done);
}

void add_folder(CLI::App& command, GoldenArguments& arguments) {
  command.add_option("folder", arguments.folder, "Folder of scenes with their accepted frames")->required();
  command.add_option("names", arguments.names, "Scenes in it; default: all")->type_name("NAME");
  arguments.confine.add_to(command);
  arguments.executor.add_to(command);
  arguments.executor.add_ranks_to(command);
}

}  // namespace

void add_golden(CLI::App& program, Command& chosen, const std::string& invocation) {
  CLI::App* const golden = program.add_subcommand("golden", "Check or accept the golden images of a folder of scenes");
  golden->require_subcommand(1);
  const auto arguments = std::make_shared<GoldenArguments>();
  arguments->invocation = invocation;

  CLI::App* const check = golden->add_subcommand("check", "Render each scene and compare it with what was accepted");
  add_folder(*check, *arguments);
  check->add_option("--junit", arguments->junit, "Write the results as JUnit XML, for CI")->type_name("x.xml");
  check->add_option("--report", arguments->report, "Write the results with all pictures as one HTML file")
      ->type_name("x.html");
  check->add_flag("--json", arguments->json, "Print the results as JSON");
  check->callback([arguments, &chosen] { chosen = [arguments] { return run_check(*arguments); }; });

  CLI::App* const update = golden->add_subcommand("update", "Accept what the scenes show now, all or those named");
  add_folder(*update, *arguments);
  update->callback([arguments, &chosen] { chosen = [arguments] { return run_update(*arguments); }; });
}

}  // namespace simreel
