#include "commands/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/processor.h"
#include "commands/commands.h"
#include "commands/console.h"
#include "commands/interrupt.h"
#include "exec/processes.h"
#include "source/ranked.h"

namespace simreel {
namespace {

int run(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const UsageError& error) {
    say(error.what(), LogLevel::error);
    return static_cast<int>(ExitCode::usage);
  } catch (const std::bad_alloc&) {
    say("out of memory", LogLevel::error);
  } catch (const std::exception& error) {
    say(error.what(), LogLevel::error);
  }
  return static_cast<int>(ExitCode::failed);
}

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

// Runs the command on rank 0, or where there is only one process; the other ranks compute what it tells them. Ranks
// that were given arguments, and others than rank 0, are an error: theirs would be lost. Returns the exit code.
// `command` throws nothing.
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

}  // namespace
}  // namespace simreel

int simreel_main(int argc, char** argv) {
  using simreel::ExitCode;
  using simreel::LogLevel;
  using simreel::say;
  // Before anything else runs.
  if (const std::string problem = simreel::processor_problem(); !problem.empty()) {
    say(problem, LogLevel::error);
    return static_cast<int>(ExitCode::failed);
  }
  // Without its standard streams a process reuses their numbers for the files it opens, and messages would end up in
  // the output. What a command writes to a closed standard output is lost, so it is opened such that writing fails;
  // lost messages are acceptable.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int mode = stream == STDERR_FILENO ? O_WRONLY : O_RDONLY;
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", mode) < 0) return static_cast<int>(ExitCode::failed);
  }
  simreel::heed_signals_as_first_process();
  // A reader that closes its end of a pipe causes a failed write with a message, not a silent exit.
  std::signal(SIGPIPE, SIG_IGN);
  // And a file beyond `ulimit -f` is a failed write.
  std::signal(SIGXFSZ, SIG_IGN);

  const int code = simreel::run_on_ranks(argc, argv, [&] { return simreel::run(argc, argv); });
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    say("the standard output could not be written: the disk is full, or the reader has gone", LogLevel::error);
    return code == 0 ? static_cast<int>(ExitCode::failed) : code;
  }
  return code;
}
