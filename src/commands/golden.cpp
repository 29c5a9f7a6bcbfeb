#include <fmt/format.h>
#include <fmt/ranges.h>
#include <oneapi/tbb/global_control.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
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
#include "commands/command_line.h"
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
  std::vector<std::string> names, ceilings;
  std::string pattern, shard;
  int expected = 0;
  bool json = false, recursive = false, strict = false, fail_fast = false;
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

// The scenes that are named, and of these those that -k and --shard leave.
std::vector<std::string> chosen_names(const GoldenFolder& folder, const GoldenArguments& arguments) {
  std::vector<std::string> names = folder.select(arguments.names);
  std::erase_if(names, [&](const std::string& name) { return name.find(arguments.pattern) == std::string::npos; });
  if (names.empty()) throw UsageError("-k {}: no scene has this in its name", arguments.pattern);
  if (arguments.shard.empty()) return names;
  std::size_t part = 0, parts = 0;
  const char* const end = arguments.shard.data() + arguments.shard.size();
  const auto first = std::from_chars(arguments.shard.data(), end, part);
  const bool slash = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  const auto second = slash ? std::from_chars(first.ptr + 1, end, parts) : first;
  if (!slash || second.ec != std::errc() || second.ptr != end || part < 1 || part > parts)
    throw UsageError("--shard {}: write I/N, the part and how many there are: 1/4 to 4/4", arguments.shard);
  std::vector<std::string> ours;
  for (std::size_t i = part - 1; i < names.size(); i += parts) ours.push_back(names[i]);
  return ours;
}

// What --max-tolerance allows at most; keys that are not named are not allowed at all.
GoldenOptions ceilings_of(const GoldenArguments& arguments) {
  GoldenOptions max;
  for (const std::string& text : arguments.ceilings) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string key = text.substr(0, equals);
    double value = 0;
    const char* const from = text.data() + std::min(equals + 1, text.size());
    const auto [after, error] = std::from_chars(from, text.data() + text.size(), value);
    const bool number = error == std::errc() && after == text.data() + text.size();
    if (number && key == "max_diff")
      max.max_diff = static_cast<int>(value);
    else if (number && key == "max_pixels")
      max.max_pixels = value;
    else if (number && key == "min_psnr")
      max.min_psnr = value;
    else if (number && key == "min_ssim")
      max.min_ssim = value;
    else if (number && key == "max_flip")
      max.max_flip = value;
    else
      throw UsageError(
          "--max-tolerance {}: write KEY=NUMBER with max_diff, max_pixels (a share), min_psnr, "
          "min_ssim or max_flip",
          text);
  }
  return max;
}

// Why the tolerance of a scene is above the ceilings; empty where it is not.
std::string too_tolerant(const GoldenOptions& golden, const GoldenOptions& max) {
  const auto above = [](const char* key, double value, double ceiling) {
    return fmt::format("{} = {} is beyond what --max-tolerance allows, {}", key, value, ceiling);
  };
  if (golden.max_diff > max.max_diff) return above("max_diff", golden.max_diff, max.max_diff);
  if (golden.max_pixels > max.max_pixels) return above("max_pixels", golden.max_pixels, max.max_pixels);
  const auto judge = [&](const char* key, const std::optional<double>& value, const std::optional<double>& ceiling,
                         bool min) -> std::string {
    if (!value) return "";
    if (!ceiling) return fmt::format("{} is a tolerance that --max-tolerance does not name", key);
    return (min ? *value < *ceiling : *value > *ceiling) ? above(key, *value, *ceiling) : "";
  };
  std::string why = judge("min_psnr", golden.min_psnr, max.min_psnr, true);
  if (why.empty()) why = judge("min_ssim", golden.min_ssim, max.min_ssim, true);
  return why.empty() ? judge("max_flip", golden.max_flip, max.max_flip, false) : why;
}

// What --strict does not let pass.
std::vector<std::string> gaps_of(const GoldenFolder& folder, const GoldenArguments& arguments) {
  std::vector<std::string> gaps;
  const auto scenes = static_cast<std::int64_t>(folder.names().size());
  if (scenes < arguments.expected)
    gaps.push_back(
        fmt::format("{} holds {} scenes, and --expect asks for {}", arguments.folder, scenes, arguments.expected));
  if (!arguments.strict) return gaps;
  for (const std::string& file : folder.orphans()) gaps.push_back(fmt::format("{} belongs to no scene", file));
  for (const std::string& name : folder.skipped())
    gaps.push_back(fmt::format("{} is a folder with scenes, which only --recursive checks", name));
  return gaps;
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
  const double max = 20'000.0 * threads;
  return golden.plan.updates_per_step < max && static_cast<double>(size.width) * static_cast<double>(size.height) < max;
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
  const std::string& folder = arguments.confine.folder;
  const auto like_an_option = [](const std::string& word) { return word.starts_with('-'); };
  const bool marked = like_an_option(arguments.folder) || std::ranges::any_of(names, like_an_option);
  std::string text = fmt::format("{} golden update {}{}{}{}", shell_word(arguments.invocation),
                                 arguments.recursive ? "--recursive " : "",
                                 folder.empty() ? "" : fmt::format("--confine={} ", shell_word(folder)),
                                 marked ? "-- " : "", shell_word(arguments.folder));
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
  const GoldenFolder folder(arguments.folder, arguments.recursive);
  const std::vector<GoldenScene> scenes =
      load_scenes(folder, chosen_names(folder, arguments), arguments.executor.wanted_ranks());
  Executor executor = arguments.executor.executor();
  const oneapi::tbb::global_control comparisons(oneapi::tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(executor.threads()));
  const GoldenOptions ceilings = ceilings_of(arguments);
  std::atomic<bool> failed = false;
  watch_interrupts(1);  // before there is a file that a signal could leave behind
  ResultFile junit(arguments.junit, ".xml"), report(arguments.report, ".html");

  std::vector<SceneCheck> checks(scenes.size());
  std::vector<ReportEntry> entries(scenes.size());
  Lines lines(scenes.size());
  for_each_scene(scenes, executor, [&](std::size_t i, Executor& on) {
    if (interrupted() || (arguments.fail_fast && failed)) return;
    SceneCheck& check = checks[i];
    check = check_scene(folder, scenes[i], on, static_cast<bool>(report));
    if (!arguments.ceilings.empty() && scenes[i].scene) {
      const std::string why = too_tolerant(scenes[i].scene->golden, ceilings);
      if (!why.empty() && check.verdict == Verdict::same) check.verdict = Verdict::different;
      if (!why.empty()) check.message = check.message.empty() ? why : why + "; " + check.message;
    }
    if (check.verdict != Verdict::same) failed = true;
    if (interrupted()) return;
    const std::string accept = check.acceptable ? update_command(arguments, {check.name}) : "";
    if (report) entries[i] = {check.verdict, report_section(check, accept)};
    check.stills.clear();
    if (!arguments.json) lines.add(i, line_of(check, accept));
  });
  if (interrupted()) return 128 + interrupted();
  lines.print_rest();
  for (std::size_t i = checks.size(); i-- > 0;) {
    if (!checks[i].name.empty()) continue;  // after the failure that ended the check
    checks.erase(checks.begin() + static_cast<std::ptrdiff_t>(i));
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (const std::vector<std::string> gaps = gaps_of(folder, arguments); !gaps.empty()) {
    SceneCheck& whole = checks.emplace_back();
    whole.name = arguments.folder;
    whole.verdict = Verdict::different;
    whole.message = fmt::format("{}", fmt::join(gaps, "; "));
    if (report) entries.push_back({whole.verdict, report_section(whole, "")});
    if (!arguments.json) print(line_of(whole, ""));
  }

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
  const GoldenFolder folder(arguments.folder, arguments.recursive);
  refuse_read_only(folder);
  const std::vector<GoldenScene> scenes =
      load_scenes(folder, chosen_names(folder, arguments), arguments.executor.wanted_ranks());
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
  command.add_option("-k", arguments.pattern, "Only scenes with this in their name")->type_name("TEXT");
  command.add_flag("--recursive", arguments.recursive, "Those of the folders in it, too");
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
  check->add_flag("--strict", arguments->strict,
                  "Fail for hashes and stills without a scene, and for folders with scenes that are not checked");
  check->add_option("--expect", arguments->expected, "Fail where the folder holds fewer scenes")
      ->check(at_least(1))
      ->type_name("N");
  check
      ->add_option("--max-tolerance", arguments->ceilings,
                   "Fail for a scene that tolerates more, or anything not named: --max-tolerance max_diff=2")
      ->type_name("KEY=NUMBER")
      ->allow_extra_args(false);
  check->add_option("--shard", arguments->shard, "Check one part of the scenes: 1/4 to 4/4")->type_name("I/N");
  check->add_flag("--fail-fast", arguments->fail_fast, "End after the first scene that does not pass");
  check->callback([arguments, &chosen] { chosen = [arguments] { return run_check(*arguments); }; });

  CLI::App* const update = golden->add_subcommand("update", "Accept what the scenes show now, all or those named");
  add_folder(*update, *arguments);
  update->callback([arguments, &chosen] { chosen = [arguments] { return run_update(*arguments); }; });
}

}  // namespace simreel
