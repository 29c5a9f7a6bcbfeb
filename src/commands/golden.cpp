#include <fmt/format.h>
#include <fmt/ranges.h>
#include <oneapi/tbb/global_control.h>

#include <atomic>
#include <chrono>

#include "base/error.h"
#include "base/escape.h"
#include "base/input_file.h"
#include "base/text.h"
#include "base/version.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/golden_scenes.h"
#include "commands/interrupt.h"
#include "commands/json.h"
#include "exec/machine.h"
#include "files/part_file.h"
#include "files/pattern.h"
#include "golden/check.h"
#include "golden/report.h"

namespace simreel {
namespace fs = std::filesystem;
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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

// The place of a result that the command line names. A pull request may have brought a link of that name, so one that
// leads out of its folder is refused.
std::string own_place(const std::string& path) {
  fs::path name = path;
  if (!name.has_filename()) name = name.parent_path();
  const fs::path place = behind_links(name);
  if (!lies_below(place, folder_of(name)))
    throw UsageError("{}: is a link that leads out of its folder, to {}; name that place, or remove the link", path,
                     place.string());
  return place.string();
}

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
  std::string line = fmt::format("{:<10}  {}{}{}\n", verdict_word(check.verdict), in_line(check.name),
                                 check.message.empty() ? "" : ": ", first_line(check.message));
  if (!accept.empty())
    line += fmt::format("            {}: {}\n", check.verdict == Verdict::missing ? "make it" : "accept it", accept);
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

// Against each of the sets that were accepted: as the first that it passes, or else as the first.
SceneCheck check_sets(const GoldenFolder& folder, const GoldenScene& golden, const Capture& captured, bool perceptual) {
  SceneCheck first;
  for (const std::string& set : folder.sets(golden.name)) {
    SceneCheck check = check_capture(folder, set, *golden.scene, captured, perceptual);
    if (set == golden.name) first = check;
    if (check.verdict != Verdict::same) continue;
    if (set != golden.name) check.message = fmt::format("as {}", set);
    check.name = golden.name;
    return check;
  }
  return first;
}

SceneCheck check_scene(const GoldenFolder& folder, const GoldenScene& golden, Executor& executor, bool perceptual) {
  const auto start = std::chrono::steady_clock::now();
  SceneCheck check;
  try {
    Capture captured = capture_scene(golden, executor);
    check = check_sets(folder, golden, captured, perceptual);
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
    nlohmann::ordered_json scene = {{"name", check.name},       {"verdict", verdict_word(check.verdict)},
                                    {"message", check.message}, {"seconds", check.seconds},
                                    {"memory", check.memory},   {"accept", nullptr}};
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
std::unique_ptr<PartFile> open_result(const std::string& path, std::string_view extension) {
  if (path.empty()) return nullptr;
  if (extension_of(path) != extension) throw UsageError("{}: the name of this file must end in {}", path, extension);
  return std::make_unique<PartFile>(own_place(path), true, Opening::real, "", Links::replaced);
}

void write_result(PartFile& file, const std::string& text) {
  file.write(text);
  file.commit();
}

int run_check(const GoldenArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  arguments.confine.apply(arguments.folder, true);
  const GoldenFolder folder(arguments.folder, arguments.recursive);
  const std::vector<GoldenScene> scenes = load_scenes(folder, arguments);
  Executor executor = arguments.executor.executor();
  const oneapi::tbb::global_control comparisons(oneapi::tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(executor.threads()));
  const Ceilings ceilings(arguments.ceilings);
  std::atomic<bool> failed = false;
  watch_interrupts(1);  // before there is a file that a signal could leave behind
  const auto junit = open_result(arguments.junit, ".xml"), report = open_result(arguments.report, ".html");
  const std::string artifacts = arguments.artifacts.empty() ? "" : own_place(arguments.artifacts);

  std::vector<SceneCheck> checks(scenes.size());
  std::vector<ReportEntry> entries(scenes.size());
  GoldenLines lines(scenes.size());
  for_each_scene(scenes, executor, [&](std::size_t i, Executor& on) {
    if (interrupted() || (arguments.fail_fast && failed)) return;
    SceneCheck& check = checks[i];
    check = check_scene(folder, scenes[i], on, report != nullptr);
    check.acceptable &= is_plain(check.name);  // otherwise the command that is printed would not do
    if (scenes[i].scene) {
      const std::string why = ceilings.excess(*scenes[i].scene);
      if (!why.empty() && check.verdict == Verdict::same) check.verdict = Verdict::different;
      if (!why.empty()) check.message = check.message.empty() ? why : why + "; " + check.message;
    }
    if (interrupted()) return;
    try {
      if (!artifacts.empty()) write_artifacts(artifacts, check);
    } catch (const std::exception& error) {  // the other scenes and the report do not depend on it
      check.verdict = Verdict::failed;
      check.message += fmt::format("{}{}", check.message.empty() ? "" : "; ", error.what());
    }
    if (check.verdict != Verdict::same) failed = true;
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
    for (const std::string& file : orphans) print(fmt::format("note        {} belongs to no scene\n", in_line(file)));
    print_summary(checks, accept_all, seconds_since(start));
  }
  const CheckOrigin origin{version, machine_name(executor)};
  if (junit) write_result(*junit, junit_xml(arguments.folder, origin, checks, accept));
  if (report) {
    const std::string from = fmt::format("simreel {}, {}", origin.version, origin.machine);
    write_result(*report, report_page(arguments.folder, from, accept_all, entries));
  }
  return static_cast<int>(exit_code(checks));
}

void add_folder(CLI::App& command, GoldenArguments& arguments) {
  command.add_option("folder", arguments.folder, "Folder of scenes with their accepted frames")->required();
  command.add_option("names", arguments.names, "Scenes in it; default: all")->type_name("NAME");
  add_option(command, "-k", arguments.pattern, "TEXT", "Only scenes with this in their name");
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
  add_option(*check, "--junit", arguments->junit, "x.xml", "Write the results as JUnit XML, for CI");
  add_option(*check, "--report", arguments->report, "x.html", "Write the results with all pictures as one HTML file");
  add_option(*check, "--artifacts", arguments->artifacts, "DIR",
             "Write what scenes that do not pass show, and the differences, as files in this folder");
  check->add_flag("--json", arguments->json, "Print the results as JSON");
  check->add_flag("--strict", arguments->strict,
                  "Fail for hashes and stills without a scene, and for folders with scenes that are not checked");
  add_option(*check, "--expect", arguments->expected, "N", "Fail where the folder holds fewer scenes")
      ->check(at_least(1));
  add_option(*check, "--max-tolerance", arguments->ceilings, "KEY=NUMBER",
             "Fail for a scene that tolerates more, or anything not named: --max-tolerance max_diff=2");
  add_option(*check, "--shard", arguments->shard, "I/N", "Check one part of the scenes: 1/4 to 4/4");
  check->add_flag("--fail-fast", arguments->fail_fast, "End after the first scene that does not pass");
  check->callback([arguments, &chosen] { chosen = [arguments] { return run_check(*arguments); }; });

  CLI::App* const update = golden->add_subcommand("update", "Accept what the scenes show now, all or those named");
  add_folder(*update, *arguments);
  CLI::Option* const also = update->add_flag(
      "--also", arguments->also, "Keep what was accepted before: a scene passes that is as one of its accepted sets");
  update->add_flag("--dry-run", arguments->dry_run, "Print what would change, and change nothing")->excludes(also);
  update->callback([arguments, &chosen] { chosen = [arguments] { return run_golden_update(*arguments); }; });
}

}  // namespace simreel
