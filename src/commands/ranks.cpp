#include "commands/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "commands/console.h"
#include "commands/interrupt.h"
#include "exec/processes.h"
#include "source/ranked.h"

namespace simreel {
namespace {

// The first rank that has other arguments than rank 0, not none; 0: there is no such rank, or one has failed, of which
// the command will hear.
int rank_of_other_arguments(int argc, char** argv) {
  const Communicator ranks = communicator_of_processes();
  if (ranks.alone()) return 0;
  std::string own;
  for (int i = 1; i < argc; ++i) own.append(argv[i]).push_back('\0');
  const std::size_t mine = own.empty() ? 0 : std::hash<std::string>{}(own);
  try {
    const std::vector<std::size_t> all = ranks.gather(std::span(&mine, 1));
    const auto other = std::ranges::find_if(all, [&](std::size_t hash) { return hash != 0 && hash != all.front(); });
    return other == all.end() ? 0 : static_cast<int>(other - all.begin());
  } catch (const RankFailed&) {
    return 0;
  }
}

}  // namespace

int run_on_ranks(int argc, char** argv, const std::function<int()>& command) {
  try {
    const bool first = join_processes(interrupted).rank == 0;
    if (const int other = rank_of_other_arguments(argc, argv)) {
      if (first)
        say(fmt::format("rank {} was given other arguments than rank 0, but the processes that a launcher starts make "
                        "one run; SIMREEL_MPI=off makes each a run of its own",
                        other),
            LogLevel::error);
      leave_processes(static_cast<int>(ExitCode::usage));
      return static_cast<int>(ExitCode::usage);
    }
    if (!first) {
      watch_interrupts();  // rank 0 hears of signals, and decides
      serve_processes();
      leave_processes(0);
      return 0;
    }
  } catch (const UsageError& error) {
    if (launched_rank() == 0) say(error.what(), LogLevel::error);
    return static_cast<int>(ExitCode::usage);
  }
  const int code = command();
  if (processes().size > 1) dismiss_processes();
  leave_processes(code);
  return code;
}

}  // namespace simreel
