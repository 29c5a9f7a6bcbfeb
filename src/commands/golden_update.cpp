// `simreel golden update`.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/text.h"
#include "commands/golden_scenes.h"
#include "commands/interrupt.h"
#include "golden/accept.h"
#include "golden/report.h"

namespace simreel {
namespace {

std::string line_of(const std::string& name, const Acceptance& acceptance, bool dry_run) {
  if (acceptance.written.empty() && acceptance.removed.empty()) return fmt::format("unchanged   {}\n", in_line(name));
  std::vector<std::string> parts;
  if (!acceptance.written.empty())
    parts.push_back(fmt::format("{} {}", dry_run ? "writes" : "wrote", fmt::join(acceptance.written, ", ")));
  if (!acceptance.removed.empty())
    parts.push_back(fmt::format("{} {}", dry_run ? "removes" : "removed", fmt::join(acceptance.removed, ", ")));
  return fmt::format("{:<10}  {}: {}\n", dry_run ? "to accept" : "accepted", in_line(name),
                     in_line(fmt::format("{}", fmt::join(parts, "; "))));
}

void refuse_read_only(const GoldenFolder& folder) {
  if (access(folder.path().c_str(), W_OK) == 0) return;
  throw UsageError("{}: nothing can be accepted, because the folder cannot be written: {}", folder.path().string(),
                   std::strerror(errno));
}

}  // namespace

int run_golden_update(const GoldenArguments& arguments) {
  const Accept how = arguments.dry_run ? Accept::dry_run : arguments.also ? Accept::also : Accept::only;
  arguments.confine.apply(arguments.folder, true);
  const GoldenFolder folder(arguments.folder, arguments.recursive);
  if (!arguments.dry_run) refuse_read_only(folder);
  const std::vector<GoldenScene> scenes = load_scenes(folder, arguments);
  Executor executor = arguments.executor.executor();
  watch_interrupts(1);

  std::atomic<int> unchanged = 0, accepted = 0, unreadable = 0, failed = 0;
  GoldenLines lines(scenes.size());
  for_each_scene(scenes, executor, [&](std::size_t i, Executor& on) {
    if (interrupted()) return;
    const GoldenScene& golden = scenes[i];
    const auto tell = [&](Verdict verdict, const std::exception& error) {
      (verdict == Verdict::failed ? failed : unreadable)++;
      lines.add(i,
                fmt::format("{:<10}  {}: {}\n", verdict_word(verdict), in_line(golden.name), first_line(error.what())));
    };
    try {
      Capture captured;
      try {
        captured = capture_scene(golden, on);
      } catch (const UsageError& error) {
        return tell(Verdict::unreadable, error);
      }
      if (interrupted()) return;
      const Acceptance acceptance = accept_capture(folder, golden.name, *golden.scene, captured, how);
      (acceptance.written.empty() && acceptance.removed.empty() ? unchanged : accepted)++;
      lines.add(i, line_of(golden.name, acceptance, arguments.dry_run));
    } catch (const std::exception& error) {
      tell(Verdict::failed, error);
    }
  });
  lines.print_rest();
  print(fmt::format("{}{} {}accepted, {} unchanged{}{}\n", interrupted() ? "interrupted: " : "", accepted.load(),
                    arguments.dry_run ? "to be " : "", unchanged.load(),
                    unreadable > 0 ? fmt::format(", {} unreadable", unreadable.load()) : "",
                    failed > 0 ? fmt::format(", {} failed", failed.load()) : ""));
  if (interrupted()) return 128 + interrupted();
  return static_cast<int>(failed > 0 ? ExitCode::failed : unreadable > 0 ? ExitCode::usage : ExitCode::done);
}

}  // namespace simreel
